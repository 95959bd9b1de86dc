/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_REQUEST_OBJECT_H
#define REQUEST_REQUEST_OBJECT_H

#include <ambit/request.h>

#include "request/tool-table.h"

/* What an object is, where that alone settles what becomes of it: see decide/special-files.c. */
enum object_special {
	SPECIAL_NONE = 0,
	SPECIAL_TEMP,		/* in the private temp directory of the run */
	SPECIAL_DEVICE,		/* /dev/null and the like */
	SPECIAL_TERMINAL,	/* one that the session made, or that the command was given */
	SPECIAL_OTHER_TERMINAL, /* any other */
	SPECIAL_NAMELESS,	/* a pipe or a socket of the process' own */
	SPECIAL_DESCRIPTOR,	/* a file that the process has open for the same already */
	SPECIAL_OWN_PROC,	/* a setting in /proc of a process of the session */
	SPECIAL_PROC,		/* any other file in /proc */
	SPECIAL_SAME,		/* two names of one file: a rename changes nothing */
	SPECIAL_APART,		/* a move or link between places that share no rights */
	SPECIAL_N,
};

/* An object that the kernel line, or a tool, resolved and holds open. All strings are borrowed
 * for the call. */
struct ambit_object {
	enum ambit_access access;
	const char *real;    /* absolute; no symlink, "." or ".." in it */
	const char *written; /* absolute; as the program wrote it, folded by text */
	const char *leads;   /* the text of a symlink that gets this name, or NULL */
	bool exists;	     /* the rest only if it does */
	bool own;	     /* this session made it, or is about to, in a scratch directory */
	bool marks;	     /* only its times, or a mode that opens it to nobody else, change */
	/* It is removed, and came to be in this run, or lies in a directory that did. */
	bool recent;
	/* Nothing but what a file holds, its times, or a name: no mode, owner, attribute, link or
	 * node. All that a judge is told about. */
	bool plain;
	bool truncates; /* what it holds is dropped */
	bool sets_id;	/* a file gets a set-user-ID or set-group-ID bit, or brings it along */
	enum object_special special;
	/* These decide what an answer "once" covers: see decide/once.h. */
	bool made;    /* the same program in the same process made it under such a yes */
	bool in_made; /* it lies, or will lie, in a directory that is made in this sense */
	/* The result is plain: no symlink, no set-id bit; only objects that are made in this
	 * sense get another name or place. */
	bool fresh;
	mode_t mode;
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
};

/* One request about all of them (a rename has two). Decided as they are: never
 * resolved again, except to see that the same thing still lies there. */
int request_objects(const struct ambit_object *objects, size_t n,
	struct ambit_request **ret_request, struct ambit_error *err);

/* The file that the process runs, as the kernel says, and which one it is: program is what the
 * process calls itself. Copied. -ENOMEM. */
int request_set_exe(struct ambit_request *request, const char *exe, dev_t dev, ino_t ino);

/* A number that changes when the process runs another program, or the same one anew. 0: it is
 * not known. */
void request_set_image(struct ambit_request *request, uint64_t image);

/* A number that is equal for calls that do exactly the same: only those share a question. */
void request_set_detail(struct ambit_request *request, uint64_t detail);

/* From the run's first command down to the process itself, as each calls itself. Taken; NULL:
 * not known. */
void request_set_line(struct ambit_request *request, char **names);
/* What the process runs, then what those run that it descends from: names of files and scripts.
 * Taken; NULL: not known. */
void request_set_programs(struct ambit_request *request, char **programs);

/* The program behind the unix socket that it connects to, as that calls itself; same: it is the
 * program that connects. They are shown, and nothing is decided by them. -ENOMEM. */
int request_set_server(struct ambit_request *request, const char *program, pid_t pid, bool same);

/* What it does beyond what can be told before is decided as it does it: by the kernel line,
 * for a command; by the tool, for what is in an archive. */
void request_set_held(struct ambit_request *request, bool held);

/* Only its address is asked for: a host that is open at any port may be looked up. */
void request_set_lookup(struct ambit_request *request, bool lookup);

/* What the kernel line resolved, beside the path of a request. The path's own
 * text is what the program wrote. */
struct request_object {
	char *real;
	char *leads; /* or NULL */
	bool exists;
	bool own;
	bool marks;
	bool recent;
	bool plain;
	bool truncates;
	bool sets_id;
	enum object_special special;
	bool made;
	bool in_made;
	bool fresh;
	mode_t mode;
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
};

/* Accepts NULL. */
void request_object_destroy(struct request_object *object);

/* Whether a path is absolute and has nothing left in it to be folded. */
bool object_path_plain(const char *path);

/* What is wrong with an object as it was given, or NULL. Static. */
const char *object_fault(const struct ambit_object *object);

/* The name of the tool that a request about all of these goes by: for one, that
 * of its access; for a rename, which takes away and puts in place, "move". */
const char *object_tool(const struct ambit_object *objects, size_t n);

#endif

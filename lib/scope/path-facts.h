/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_PATH_FACTS_H
#define SCOPE_PATH_FACTS_H

#include <stdbool.h>
#include <sys/types.h>

#include <ambit/words.h>

/* The kind of an object, if that alone settles the decision: see decide/special-files.c. */
enum object_special {
	SPECIAL_NONE = 0,
	SPECIAL_TEMP,		/* in the private temp directory of the run */
	SPECIAL_DEVICE,		/* /dev/null and the like */
	SPECIAL_TERMINAL,	/* one that the session made, or that the command was given */
	SPECIAL_OTHER_TERMINAL, /* any other */
	SPECIAL_OTHER_DEVICE,	/* any device but those that every program may use */
	SPECIAL_NAMELESS,	/* a pipe or a socket of the process' own */
	SPECIAL_DESCRIPTOR,	/* a file that the process has open for the same already */
	SPECIAL_OWN_PROC,	/* a setting in /proc of a process of the session */
	SPECIAL_PROC,		/* any other file in /proc */
	SPECIAL_SAME,		/* two names of one file: a rename changes nothing */
	SPECIAL_APART,		/* a move or link between places that share no rights */
	SPECIAL_N,
};

/* A path and all that is known of it, from the door to the permit. Doors that only have a name
 * resolve it (resolve.h); the kernel line and tools that hold the object open fill in the rest.
 * Each function that makes one says who frees the strings. */
struct path_facts {
	enum ambit_access access;
	const char *real;    /* absolute; no symlink, "." or ".." in it */
	const char *written; /* absolute; as it was asked for, folded by text alone */
	const char *leads;   /* the text of a symlink that gets this name, or NULL */
	/* A name that does not exist yet hangs on the deepest directory that does. */
	bool exists;
	mode_t mode; /* these only if it exists */
	dev_t dev;
	ino_t ino;
	nlink_t nlink;

	/* Known to who holds the object. */
	bool own;   /* this session made it, or is about to, in a scratch directory */
	bool marks; /* only its times, or a mode that opens it to nobody else, change */
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
};

#endif

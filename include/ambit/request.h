/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_REQUEST_H
#define AMBIT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/error.h>
#include <ambit/words.h>

/* One thing somebody wants to do. Every door makes the same struct. What a
 * door could not understand is still a request: it carries what is wrong,
 * and can never be decided as allow. */

struct ambit_request;

/* args: a JSON object as text, copied. Fails only without memory. */
int ambit_request_create(const char *tool, const char *args, size_t len,
	struct ambit_request **ret_request, struct ambit_error *err);

/* One request in the shape of `ambit decide`:
 * {"id":..., "tool":"write", "args":{...}, "cwd":..., "effects":[...],
 *  "scope":{...}, "mode":"plan"}. */
int ambit_request_parse(
	const char *text, size_t len, struct ambit_request **ret_request, struct ambit_error *err);

/* One path, or one host ("name", "name:port"), without JSON: for doors that
 * have no tool call, and for names that are not UTF-8. */
int ambit_request_path(enum ambit_access access, const char *path, size_t len,
	struct ambit_request **ret_request, struct ambit_error *err);
int ambit_request_connect(
	const char *host, struct ambit_request **ret_request, struct ambit_error *err);

/* The same for a unix socket: "unix:/run/docker.sock", "unix:@name". */

/* What was resolved by the one who asks and is held open there: the kernel
 * line. All strings borrowed for the call. */
struct ambit_object {
	enum ambit_access access;
	const char *real;    /* absolute; no symlink, "." or ".." in it */
	const char *written; /* absolute; as the program wrote it, folded by text */
	const char *leads;   /* the text of a symlink that gets this name, or NULL */
	bool exists;	     /* the rest only if it does */
	bool own;	     /* this session made it, or is about to, in a scratch directory */
	bool marks;	     /* only its times, or a mode that opens it to nobody else, change */
	/* Nothing but what a file holds, its times, or a name: no mode, owner, attribute, link or
	 * node. All that a judge is told about. */
	bool plain;
	bool truncates; /* what it holds is dropped */
	mode_t mode;
	dev_t dev;
	ino_t ino;
	nlink_t nlink;
};

/* One request about all of them (a rename has two). Decided as they are: never
 * resolved again, except to see that the same thing still lies there. */
int ambit_request_objects(const struct ambit_object *objects, size_t n,
	struct ambit_request **ret_request, struct ambit_error *err);

void ambit_request_destroy(struct ambit_request *request);

/* Relative paths are resolved against cwd instead of display_root. */
int ambit_request_set_cwd(struct ambit_request *request, const char *cwd);

/* Who asks: shown in questions, and what an answer "once" is tied to. start
 * is the process' start time in ticks, as in /proc/PID/stat. program and
 * agent (a sub-agent's name) may be NULL; copied. */
int ambit_request_set_who(struct ambit_request *request, pid_t pid, uint64_t start,
	const char *program, const char *agent);

/* The file that the process runs, as the kernel says, and which one it is: program is what the
 * process calls itself. Copied. -ENOMEM. */
int ambit_request_set_exe(struct ambit_request *request, const char *exe, dev_t dev, ino_t ino);

/* What it does beyond what can be told before is decided as it does it: by the kernel line,
 * for a command; by the tool, for what is in an archive. */
void ambit_request_set_held(struct ambit_request *request, bool held);
/* Only its address is asked for: a host that is open at any port may be looked up. */
void ambit_request_set_lookup(struct ambit_request *request, bool lookup);

/* The canonical name of its tool, or the name as given. Borrowed. */
const char *ambit_request_tool(const struct ambit_request *request);

#endif

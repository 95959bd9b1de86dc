/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_REQUEST_OBJECT_H
#define REQUEST_REQUEST_OBJECT_H

#include <ambit/request.h>

#include "request/tool-table.h"
#include "scope/path-facts.h"

/* One request about all of them (a rename has two). Decided as they are: never
 * resolved again, except to see that the same thing still lies there. */
int request_objects(const struct path_facts *objects, size_t n, struct ambit_request **ret_request,
	struct ambit_error *err);

/* The same in structs of the caller's, for a moment: nothing of it is freed. ret_paths has room
 * for n; objects are brought into shape. -EINVAL: one of them is not resolved. */
struct request_path;
int request_borrow_objects(struct path_facts *objects, size_t n, struct request_path *ret_paths,
	struct ambit_request *ret_request);

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
/* The first arguments of the process itself. Taken; NULL: not known. */
void request_set_words(struct ambit_request *request, char **words);

/* The program behind the unix socket that it connects to, as that calls itself; same: it is the
 * program that connects. They are shown, and nothing is decided by them. -ENOMEM. */
int request_set_server(struct ambit_request *request, const char *program, pid_t pid, bool same);

/* A system call: what its command does besides is decided by the kernel line. */
void request_set_held(struct ambit_request *request, bool held);

/* Who runs the tool: a fact of the door. */
enum request_runner {
	RUNNER_OTHER = 0, /* somebody else: ambit knows a tool of this name at best */
	RUNNER_OWN,	  /* ambit: what it does beyond what can be told before is decided as it
			   * does it, where its row says so */
	RUNNER_LINE,	  /* likewise, and its commands are behind the kernel line */
};
void request_set_runner(struct ambit_request *request, enum request_runner runner);

/* Only its address is asked for: a host that is open at any port may be looked up. */
void request_set_lookup(struct ambit_request *request, bool lookup);

/* The facts about the host that it connects to, from the kernel line: see decide/destination.h.
 * Borrowed. */
struct destination;
void request_set_destination(struct ambit_request *request, const struct destination *to);

/* Frees it with its strings. Accepts NULL. */
void request_object_destroy(struct path_facts *object);

/* Whether a path is absolute and has nothing left in it to be folded. */
bool object_path_plain(const char *path);

/* The name of the tool that a request about all of these goes by: for one, that
 * of its access; for a rename, which takes away and puts in place, "move". */
const char *object_tool(const struct path_facts *objects, size_t n);

#endif

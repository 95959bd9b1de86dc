/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/approve.h>
#include <ambit/engine.h>
#include <ambit/error.h>

#include "ask/desk/desk.h"

/* A session while it runs. Its door listens on a private unix socket; the person's
 * own programs list these, look, answer questions, and have what changed in the record
 * taken notice of at once. doc/live.md is the protocol. */

/* Why the one at the other end of a unix socket is not served: another user, a command
 * of this process' own, one behind a line of ambit's. NULL: no reason. Static. */
const char *peer_find_objection(int fd);

/* -- the door's side ---------------------------------------------------------------- */

#define LIVE_CLIENTS_MAX 16

/* One per process, and no thread of its own: whoever polls its descriptor calls it.
 * Nothing here blocks, however slow a client is. All functions but the one that says
 * so are one thread's. */
struct live;

struct live_options {
	const char *directory;	     /* made if it is not there: 0700, the user's own */
	struct ambit_engine *engine; /* borrowed */
	const char *door;	     /* "run", "mcp", "serve"; static */
	const char *what;	     /* what it does, in short; escaped; copied */
	bool asks; /* questions are for watchers too: it was not said who answers alone */
	/* Questions are put there, and watchers are one of its channels. Its lock is the engine's.
	 * Borrowed; NULL: nothing is asked, and the engine is this thread's alone. */
	struct desk *desk;
	/* From any thread: live_notice is to be called. Or NULL. */
	void (*wake)(void *data);
	void (*stop)(void *data); /* the person wants it to end; NULL: it cannot */
	/* Facts of the door alone, a JSON object; caller frees. With the desk's lock. Or NULL. */
	char *(*status)(void *data);
	void *data;
};

/* The session is to be stored before (engine_store): whoever finds it here looks for it
 * in the record. */
int live_create(
	const struct live_options *options, struct live **ret_live, struct ambit_error *err);
/* Removes the socket. Accepts NULL, as all that follow. */
void live_destroy(struct live *live);
/* Readable when live_ready is to be called; -1: none. */
int live_fd(const struct live *live);
void live_ready(struct live *live);
/* After wake: watchers are told which questions were put or have ended. */
void live_notice(struct live *live);
/* How many watch that would be asked. From any thread. */
unsigned live_watched(const struct live *live);

/* -- the person's side ---------------------------------------------------------------- */

/* One that answered. Strings are escaped but for the folder. */
struct live_entry {
	const char *name; /* of its socket in the directory */
	pid_t pid;
	const char *session;
	const char *door;
	const char *folder; /* real path */
	const char *what;
	const char *version; /* of ambit */
	int64_t started;     /* milliseconds since the epoch */
	unsigned watchers;
	bool asks; /* see ambit_live_options */
	bool mute; /* it listens and did not answer in time: of all this, name and pid */
};

/* All that listen, oldest first; who does not answer within wait_ms is mute. Those of
 * processes that are gone are removed. Each returns non-zero to stop, which is returned. No
 * directory: none. The calling process gets the name "ambit-asks": those that hold commands are
 * known by theirs. */
int live_each(const char *directory, int wait_ms,
	int (*each)(void *data, const struct live_entry *entry), void *data,
	struct ambit_error *err);

/* Says that somebody watches all that starts, for as long as the descriptor is open: a
 * session that begins with a question waits a moment for it. Makes the directory. The
 * descriptor, or -errno with words. */
int live_attend(const char *directory, struct ambit_error *err);

struct link;

/* name: of an entry. -ENOENT, -ECONNREFUSED: it is gone. */
int link_open(
	const char *directory, const char *name, struct link **ret_link, struct ambit_error *err);
void link_close(struct link *link);
/* To be polled for input; then link_next until it returns 0. */
int link_fd(const struct link *link);

/* One call and its reply: "hello", "status", "watch", "answer", "reload", "stop". params: a
 * JSON object, or NULL; ret_result (may be NULL): JSON, caller frees. Waits at most
 * two seconds: -ETIMEDOUT. -EPIPE: it is gone; -EREMOTEIO: it says no, err has its
 * words. Notifications that come meanwhile are kept for link_next. */
int link_call(struct link *link, const char *method, const char *params, char **ret_result,
	struct ambit_error *err);
/* The answer to a question by its id on this link. -ESTALE: it is not open any more. */
int link_answer(struct link *link, uint64_t question, const struct ambit_answer *answer,
	struct ambit_error *err);

/* The next notification, "question" or "closed", without waiting: 1, with params as JSON;
 * both are the link's until the next call. 0: none now; -EPIPE: it is gone; -EBADMSG. */
int link_next(struct link *link, const char **ret_method, const char **ret_params,
	struct ambit_error *err);

/* The params of "question". Its finish is the caller's. -EINVAL with words. */
int live_question(const char *params, struct ambit_question *ret_question, struct ambit_error *err);

#endif

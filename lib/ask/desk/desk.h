/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_DESK_DESK_H
#define ASK_DESK_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include <ambit/approve.h>
#include <ambit/engine.h>

#include "ask/desk/channel-rows.h"

/* The desk is the one place where questions are put, answered and withdrawn. Those who wait for
 * an answer stand on one side: calls held by the line, connections, tool calls. Those who can
 * give one stand on the other: the judge, the terminal, a program, a client, ambit watch. A
 * question has one end, and every channel that showed it hears of it. */

struct desk;

/* -- channels --------------------------------------------------------------------------- */

struct desk_channel;

/* Both are called by the desk's own thread, without its lock, and must not block. */
struct desk_channel_type {
	/* Shows a question, until its expires at the longest; it is borrowed until this returns.
	 * A negative errno is a pass. */
	int (*offer)(struct desk_channel *channel, const struct ambit_question *question);
	/* The question that was offered under this id has ended, without an answer from here.
	 * how is for people: "allowed in ambit watch". */
	void (*withdraw)(struct desk_channel *channel, uint64_t question, const char *how);
	/* Whether anybody is there to answer, just now; NULL: always. With the lock. */
	bool (*present)(struct desk_channel *channel);
};

struct desk_channel {
	const struct desk_channel_type *type;
	struct desk *desk;	   /* set by desk_add, and for a client's own by desk_submit */
	struct desk_channel *next; /* the desk's */
	const struct channel_row *row;
	const char *name; /* instead of the row's; or NULL */
	unsigned offered; /* the desk's: how many it shows, if there is a limit */
};

/* From any thread, without the lock. The answer counts if the question with this id is still
 * open. -ENOENT: it is not, and err says how it ended ("allowed in ambit watch"); -EINVAL, -EPERM:
 * it cannot be answered so, and is open still. */
int desk_answer(struct desk_channel *channel, uint64_t question, const struct ambit_answer *answer,
	struct ambit_error *err);
/* The channel does not answer this one; error (an errno) and why say the reason. ENOENT: there is
 * nobody. */
void desk_pass(struct desk_channel *channel, uint64_t question, int error, const char *why);
/* A channel with a limit has done with one question, also one that was withdrawn, and can show
 * another. */
void desk_ready(struct desk_channel *channel);

/* -- clients ---------------------------------------------------------------------------- */

struct desk_client {
	/* Called once by the desk's own thread, without its lock. outcome and permit are the
	 * client's. Not called after desk_withdraw has found the ticket. */
	void (*done)(void *data, uint64_t ticket, struct ambit_outcome *outcome,
		struct ambit_permit *permit);
	/* The same for desk_put: an answer; or NULL, with error (an errno) and why. */
	void (*said)(void *data, const struct ambit_answer *answer, int error, const char *why);
	void *data;
	/* A channel that is asked about this client's questions alone; or NULL. */
	struct desk_channel *own;
	bool keeps; /* the request stays the client's, and is there until done is called */
};

/* Decides a request, which is taken, and asks if need be. 0: settled; outcome and permit are
 * filled. 1: *ret_ticket waits, and done will be called. A question that nobody can be asked is
 * settled at once. *ret_ticket is 0 if there was no question. */
int desk_submit(struct desk *desk, struct ambit_request *request, const struct desk_client *client,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err);
/* The same, but nobody who takes time is asked: 1, it would have to wait. */
int desk_try(struct desk *desk, struct ambit_request *request, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err);
/* Puts a question of another engine's. *ret_ticket waits, and said will be called. */
int desk_put(struct desk *desk, const struct ambit_question *question,
	const struct desk_client *client, uint64_t *ret_ticket, struct ambit_error *err);
/* The client waits no longer than that, in milliseconds since the epoch: then the request is
 * withdrawn, and done is called with an empty outcome. */
void desk_limit(struct desk *desk, uint64_t ticket, int64_t until);
/* Takes what came of a request, if it is settled by now, before done is called. False: it is not,
 * or done was called. Not from done. */
bool desk_take(struct desk *desk, uint64_t ticket, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit);
/* The client does not wait any more; how is for the channels: "withdrawn: the program is gone".
 * False: it is not there, done was called or is about to be. */
bool desk_withdraw(struct desk *desk, uint64_t ticket, const char *how);
/* For another than the client, by a ticket of desk_put: said is called, with ECANCELED. */
void desk_cancel(struct desk *desk, uint64_t ticket, const char *how);
/* As desk_withdraw, and waits until neither done nor the client's own channel is being called. Not
 * from one of these, nor with a lock that they take. */
bool desk_leave(struct desk *desk, uint64_t ticket, struct desk_channel *own, const char *how);

/* -- its life --------------------------------------------------------------------------- */

struct desk_options {
	struct ambit_engine *engine; /* borrowed; used with the desk's lock alone */
	/* Answers at once where nobody else is there (approver->instant); NULL: then it is no. */
	struct ambit_approver *instant;
	/* With the lock: an answer is about to be stored. Or NULL. */
	void (*answering)(void *data);
	/* With the lock: the person wants the run to end. NULL: nobody can say so here. */
	void (*stop)(void *data);
	void *data;
};

int desk_create(
	const struct desk_options *options, struct desk **ret_desk, struct ambit_error *err);
/* Nothing is put or delivered any more: the thread is joined. */
void desk_stop(struct desk *desk);
/* After the channels are gone. Accepts NULL. */
void desk_destroy(struct desk *desk);

/* For every use of the engine. */
void desk_lock(struct desk *desk);
void desk_unlock(struct desk *desk);
/* With the lock: the engine was changed, or somebody came or went: look again. */
void desk_look(struct desk *desk);
/* Without it: modes, permissions and rules are read from the record again. */
int desk_reload(struct desk *desk, struct ambit_error *err);

/* A channel for all questions, before the first of them. */
void desk_add(struct desk *desk, struct desk_channel *channel);
/* It is not called any more when this returns. Not from one of its functions. */
void desk_remove(struct desk *desk, struct desk_channel *channel);
/* Whether a person could be asked now, by a channel for all questions. With the lock. */
bool desk_has_person(const struct desk *desk);
/* Questions that persons are asked now, oldest first, under the ids that answers name. With the
 * lock. Returns the first non-zero of each. */
int desk_each(struct desk *desk, int (*each)(void *data, const struct ambit_question *question),
	void *data);

#endif

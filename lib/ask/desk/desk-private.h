/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_DESK_DESK_PRIVATE_H
#define ASK_DESK_DESK_PRIVATE_H

#include <pthread.h>

#include <ambit/outcome.h>

#include "ask/desk/desk.h"

/* Shared by desk.c (what clients and channels call) and desk-work.c (the thread that offers
 * questions, ends them and delivers what came of them). */

#define DESK_CHANNELS_MAX 8 /* that one question is shown on */
#define DESK_HOW_MAX 128

/* A question on one channel. */
struct shown {
	struct desk_channel *channel;
	bool passed;
};

/* A question at the desk. Several clients may wait for the same one. */
struct matter {
	struct matter *next;
	struct ambit_question question; /* its id is the desk's own, and never used again */
	uint64_t engine_id;		/* its id in the engine; 0: it is another engine's */
	uint64_t group;			/* see engine_question_group */
	/* The own channel of the oldest client that has one which has not passed; or NULL. So two
	 * identical calls show one question. */
	struct desk_channel *own;
	enum desk_stage stage;
	struct shown shown[DESK_CHANNELS_MAX];
	size_t n_shown;
	bool seen; /* while the desk looks around: somebody waits for it */
	bool told; /* by the notify_command */
	bool ended;
	const struct desk_channel *answerer; /* or NULL */
	char how[DESK_HOW_MAX];		     /* it ended; "": not said yet */
	int error;			     /* of the channel that passed last */
	char why[DESK_HOW_MAX];
};

/* One who waits. */
struct waiter {
	struct waiter *next;
	uint64_t ticket;
	struct desk_client client;
	struct matter *matter; /* or NULL: not looked at yet */
	bool put;	       /* by desk_put: the matter is this waiter's alone */
	bool settled;
	int64_t until; /* see desk_limit; 0: no limit */
	/* For a request: */
	struct ambit_outcome outcome;
	struct ambit_permit *permit;
	/* For desk_put: */
	bool answered;
	struct ambit_answer answer;
	int error;
	char why[sizeof(((struct ambit_error *)0)->text)];
};

struct desk {
	struct desk_options o;
	pthread_mutex_t lock; /* the engine, and all that follows */
	pthread_mutex_t next; /* held while waiting for that: see desk_lock */
	pthread_cond_t work;  /* for the thread */
	pthread_cond_t calm;  /* a function that the thread called has returned */
	pthread_t thread;
	bool started;
	bool stopping;
	bool changed; /* look around */
	struct desk_channel *channels;
	struct waiter *waiters; /* oldest first */
	struct matter *matters; /* likewise */
	uint64_t last_id;
	uint64_t delivering;		     /* the ticket whose client is being called; 0: none */
	const struct desk_channel *speaking; /* the channel that is being called; or NULL */
};

/* -- desk.c ------------------------------------------------------------------- */

void waiter_destroy(struct waiter *waiter);
/* Settles a waiter of desk_put. */
void waiter_say(
	struct waiter *waiter, const struct ambit_answer *answer, int error, const char *why);
/* Stores an answer to an open matter and ends it. As desk_answer. */
int matter_answer(struct desk *desk, struct matter *matter, const struct ambit_answer *answer,
	const struct desk_channel *channel, struct ambit_error *err);
/* Nobody answers it: refused, and it ends. */
void matter_decline(struct desk *desk, struct matter *matter, int error, const char *why);
/* Answers where there is no channel: by the instant approver, or with no. */
void matter_settle(struct desk *desk, struct matter *matter);
/* The matter that the question is; NULL without memory. */
struct matter *matter_make(struct desk *desk, const struct ambit_question *question);
void matter_destroy(struct matter *matter);
/* Whether an answer to the matter is an answer to this question of the engine's. */
bool matter_asks(const struct matter *matter, const struct ambit_question *question);
bool is_waited_for(const struct desk *desk, const struct matter *matter);
/* Whether a channel could answer at this stage now. */
bool matter_is_open_at(const struct desk *desk, const struct matter *matter, enum desk_stage stage);
bool channel_is_for(const struct desk_channel *channel, const struct matter *matter);
struct shown *matter_shown_on(struct matter *matter, const struct desk_channel *channel);

/* -- desk-work.c -------------------------------------------------------------- */

void *desk_run_thread(void *data);
/* Settles a request that waits, if the engine has; else finds its question. */
void waiter_look(struct desk *desk, struct waiter *waiter);

#endif

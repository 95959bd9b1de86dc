/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_GATE_PRIVATE_H
#define LINE_GATE_GATE_PRIVATE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "line/gate/call.h"
#include "line/gate/gate.h"
#include "line/gate/gate-quick.h"
#include "line/gate/staged.h"
#include "perform/permit.h"
#include "record/run-counts.h"
#include "base/work.h"

/* Shared by gate.c (receive and answer), gate-decide.c (what becomes of a
 * call), gate-hold.c (calls that wait for a person) and the ops, which read what the
 * gate knows. */

/* Breaks blocking calls of the gate's threads; its handler does nothing. */
#define GATE_SIGNAL SIGURG

/* How often one call may come to mean something else while it is decided. */
#define GATE_CHANGES_MAX 5

struct held {
	struct held *next;
	struct call *call;
	uint64_t ticket;
};

/* Descriptors for writing that were put into a process past the floor: the last ones. What a
 * program was given once, it keeps, whatever is said later. */
#define GATE_GIVEN_MAX 64

struct given {
	char *path; /* real; NULL: this one is free */
	char program[64];
	pid_t pid;
};

struct gate {
	struct gate_options o;
	struct session_objects *made; /* what this session made */
	struct substitutes *substitutes;
	struct egress *egress; /* the way out by name; NULL: there is none, or it is open */
	struct work *work;     /* acts that may block */
	struct work *answers;  /* calls that were answered: never behind those */
	struct run_counts *counts;
	struct staged *staged;	  /* files whose text is judged when they are closed */
	struct gate_quick *quick; /* of the gate's own thread */
	struct target last;	  /* likewise: programs call many times in a row */
	int abi;		  /* of the floor in force */
	int net;		  /* AMBIT_NET_* */
	uint64_t network;	  /* see endpoint_network */
	bool root;		  /* started by root: credentials are compared */

	pthread_t thread;
	bool started;
	struct sigaction before; /* of GATE_SIGNAL */
	pthread_mutex_t engine_lock;
	pthread_mutex_t engine_next; /* held while waiting for that: see gate_lock */
	pthread_mutex_t taking;	     /* by who takes out of held; before the other two */

	pthread_mutex_t lock; /* of what follows */
	struct held *held;
	pid_t *self_restricted; /* processes */
	size_t n_self_restricted;
	struct given given[GATE_GIVEN_MAX]; /* a ring */
	uint64_t n_given;		    /* all told */

	atomic_bool stopping;
	atomic_bool any_self_restricted;
	atomic_bool subreaper;
	atomic_bool connected;
	atomic_bool caring; /* whoever looks at counts knows that there may be some */
	atomic_ullong calls;
	atomic_ullong blind;  /* calls that failed because pidfd_getfd is refused here */
	atomic_ullong unread; /* of processes that cannot be looked into */
	atomic_ullong asked;
};

/* -- gate.c ------------------------------------------------------------------ */

/* Sends call->answer. The call is done with. */
void gate_answer(struct call *call);
/* Fills in an error and sends it. */
void gate_fail(struct call *call, int error);
void gate_continue(struct call *call);
/* Ends without an answer: nobody waits for it, or it starts over. */
void gate_drop(struct call *call, int error);
bool gate_is_valid(const struct gate *gate, uint64_t id);

/* -- gate-decide.c ----------------------------------------------------------- */

/* Takes a received call from prepare to its answer, or to being held (then it
 * is taken and *call is NULL). */
void gate_handle(struct gate *gate, struct call **call);
/* Performs or continues what was allowed, and answers; what changed meanwhile
 * is decided anew and may be held. */
void gate_act(struct call **call, struct pass *pass);
/* Sends what prepare filled in, unless the floor would have to bound it, and gives more
 * than is allowed now. */
void gate_answer_prepared(struct call *call);
/* Answers with EACCES and tells everybody who should know; key is for those
 * who try again. */
void gate_refuse(struct call *call, const struct ambit_outcome *outcome, uint64_t key);
/* What it asks for, as one number; by this process alone, or by anybody. */
uint64_t gate_key(const struct call *call, bool this_process);
/* Whether somebody who takes time may be asked: a person, one who watches; hosts are none
 * of the judge's. */
bool gate_may_ask(const struct gate *gate);
/* Whether the question of this ticket is settled at once, since nobody who takes time can be
 * asked about it, nor the judge. The engine is locked. */
bool gate_settles_now(struct gate *gate, uint64_t ticket);
/* Settles a question with one who needs no time, or with nobody. The engine is
 * locked. */
void gate_answer_now(struct gate *gate, uint64_t ticket, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit);
/* Decides and, if need be, asks: the same ending as gate_handle. */
void gate_decide(struct gate *gate, struct call **call);

/* -- gate-tell.c -------------------------------------------------------------- */

/* Counts a refusal. loud: once per process and subject, a line with the reason goes to the
 * process's own stderr, if that is a pipe or a file. key: see run_counts_is_repeated. */
void gate_tell_refused(struct gate *gate, struct target *target, const char *what,
	const char *subject, const struct ambit_outcome *outcome, bool loud, uint64_t key);

/* -- gate-net.c ----------------------------------------------------------------- */

/* What egress asks; NULL in *ret: names are not decided about. */
int gate_make_egress(struct gate *gate);
/* A question that was begun with, and nobody took. */
void gate_withdraw(struct call *call);

/* -- gate-status.c ------------------------------------------------------------- */

/* The call's descriptor was put into it. */
void gate_gave(struct call *call);
void gate_given_finish(struct gate *gate);

/* -- gate-hold.c -------------------------------------------------------------- */

/* Takes the call. -ENOMEM: not taken. */
int gate_hold(struct gate *gate, struct call **call, uint64_t ticket);
/* All that are held are given up. */
void gate_drop_held(struct gate *gate);

#endif

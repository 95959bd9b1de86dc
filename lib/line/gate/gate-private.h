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
#include "line/object/images.h"
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

/* A signal acts on a thread only when its call has ended. So a held call is answered with an
 * error that makes the kernel restart it, and the new call takes up the open question. */
enum held_state {
	HELD_WAITING = 0,  /* the thread stands in the kernel */
	HELD_INTERRUPTING, /* a worker traces the thread, and then answers the call */
	HELD_AWAY,	   /* answered so that it is restarted; the ticket waits for it */
	HELD_RETURNING,	   /* restarted; the gate's thread prepares the new call */
};

struct held {
	struct held *next;
	struct call *call;
	uint64_t ticket;
	/* The question has ended so; the call goes on with it when it is WAITING. */
	bool settled;
	struct ambit_outcome outcome;
	struct ambit_permit *permit;
	enum held_state state;
	bool shared;	   /* at the last look a signal waited for any thread of the process */
	bool untraceable;  /* the thread cannot be made to take such a signal */
	uint64_t acted;	   /* signals for which it was restarted */
	int pause_ms;	   /* before these act once more: longer where they never stop */
	int64_t act_at;	   /* when they do: steady milliseconds */
	int64_t waited_at; /* a signal waited at that look */
	uint64_t start;	   /* AWAY: of the thread */
	dev_t exe_dev;	   /* AWAY: and the file that it runs, since which exec */
	ino_t exe_ino;
	uint64_t image;
	int64_t away_since; /* AWAY: steady milliseconds */
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
	struct images *images;	      /* which programs its processes run */
	struct substitutes *substitutes;
	struct egress *egress; /* the way out by name; NULL: there is none, or it is open */
	struct work *work;     /* acts that may block */
	struct work *answers;  /* calls that were answered: never behind those */
	struct work *tracers;  /* trace held threads for a moment, so that they take a signal */
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
	/* Protects promised, and removal from held. It is locked before the desk's lock and before
	 * the next one. */
	pthread_mutex_t taking;
	struct promised *promised; /* questions that a connection waits for */
	atomic_uint away;	   /* how many of held are HELD_AWAY */
	atomic_uint interrupting;  /* workers that trace a thread */

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
/* Answers a call by its id alone. -ENOENT: nobody waits for it any more. */
int gate_send_error(const struct gate *gate, uint64_t id, int error);

/* -- gate-decide.c ----------------------------------------------------------- */

/* Takes a received call from prepare to its answer, or to being held (then it
 * is taken and *call is NULL). */
void gate_handle(struct gate *gate, struct call **call);
/* Performs or continues what was allowed, and answers; what changed meanwhile
 * is decided anew and may be held. */
void gate_act(struct call **call, struct pass *pass);
/* Once it is allowed: whether the kernel does it, for the floor bounds it. */
bool gate_may_continue(struct call *call);
/* Sends what prepare filled in, unless the floor would have to bound it, and gives more
 * than is allowed now. */
void gate_answer_prepared(struct call *call);
/* Answers with EACCES and tells everybody who should know; key is for those
 * who try again. */
void gate_refuse(struct call *call, const struct ambit_outcome *outcome, uint64_t key);
/* The request about what prepare found; NULL: nothing of it needs deciding, or there is no
 * memory. */
struct ambit_request *gate_make_request(struct call *call);
/* What it asks for, as one number; by this process alone, or by anybody. */
uint64_t gate_key(const struct call *call, bool this_process);
/* Whether a person may be asked now. */
bool gate_may_ask(struct gate *gate);
/* gate-server.c: tells the request which program is behind the unix socket that the call connects
 * to, if that can be told; pid: of the caller. -ENOMEM. */
int gate_describe_server(const struct call *call, pid_t pid, struct ambit_request *request);
/* Decides and, if need be, asks: the same ending as gate_handle. */
void gate_decide(struct gate *gate, struct call **call);

/* -- gate-tell.c -------------------------------------------------------------- */

/* Counts a refusal. loud: once per process and subject, a line with the reason goes to the
 * process's own stderr, if that is a pipe, a file, a socket that is read as its messages, or a
 * terminal that the session made. key: see run_counts_is_repeated. */
void gate_tell_refused(struct gate *gate, struct target *target, const char *what,
	const char *subject, const struct ambit_outcome *outcome, bool loud, uint64_t key);

/* The same line for what was refused with this key a moment ago, perhaps to another process. */
void gate_tell_again(struct gate *gate, struct target *target, uint64_t key);

/* Things that are closed to every program behind the line. Nobody is asked about them. */
enum gate_closed {
	CLOSED_PRIVILEGES,
	CLOSED_NAMESPACES,
	CLOSED_PACKETS,
	CLOSED_N,
};

/* Once per process: counts it as a refusal, and a line with the reason goes to the process's
 * own stderr, also if that is a terminal. */
void gate_tell_closed(struct gate *gate, struct target *target, enum gate_closed closed);

/* -- gate-net.c ----------------------------------------------------------------- */

/* What egress asks; NULL in *ret: names are not decided about. */
int gate_make_egress(struct gate *gate);
/* A question that was begun with, and nobody took. */
void gate_withdraw(struct call *call);
/* A connection waits for this ticket. The caller holds gate->taking. -ENOMEM. */
int gate_promise(struct gate *gate, uint64_t ticket);
/* Takes outcome and permit if the ticket is one of these. The caller holds gate->taking. */
bool gate_keep_promise(struct gate *gate, uint64_t ticket, struct ambit_outcome *outcome,
	struct ambit_permit *permit);
void gate_forget_promises(struct gate *gate);

/* -- gate-status.c ------------------------------------------------------------- */

/* The call's descriptor was put into it. */
void gate_gave(struct call *call);
void gate_given_finish(struct gate *gate);

/* -- gate-hold.c -------------------------------------------------------------- */

/* Submits a request, which is taken; see desk_submit. If it has to wait, what comes of it is taken
 * when gate->taking is free: the caller holds it until it has put the ticket somewhere. */
int gate_submit(struct gate *gate, struct ambit_request *request, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, uint64_t *ret_ticket);

/* Takes the call. -ENOMEM: not taken. */
int gate_hold(struct gate *gate, struct call **call, uint64_t ticket);
/* All that are held are given up. */
void gate_drop_held(struct gate *gate);
/* Takes it out of the list, and forgets the question and the held call. The caller holds
 * gate->taking. */
void gate_withdraw_held(struct gate *gate, struct held *held);
/* The same for a restarted one, without the lock. */
void gate_withdraw_restarted(struct gate *gate, struct held *held);
/* Puts it into the list of held calls, and takes it out. */
void gate_list_held(struct gate *gate, struct held *held);
void gate_unlist_held(struct gate *gate, struct held *held);

/* -- gate-restart.c ------------------------------------------------------------ */

/* A call that was received: if it is the restart of a held one, that one; else NULL. It stays in
 * the list, and is the caller's alone but for what comes of its question. */
struct held *gate_take_restarted(struct gate *gate, const struct call *call);
/* Holds the prepared call in place of the one that was restarted, if it asks for the same:
 * true, and both are taken. False: the question is withdrawn, and the restarted one is gone. */
bool gate_hold_again(struct gate *gate, struct held *held, struct call **call);
/* Lets waiting signals act on a held call. The caller holds gate->taking. */
void gate_let_signals_act(struct gate *gate, struct held *held);
/* Whether a restarted call will not come again. */
bool gate_is_lost(const struct held *held);

#endif

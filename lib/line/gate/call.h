/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_CALL_H
#define LINE_GATE_CALL_H

#include <mqueue.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <ambit/engine.h>

#include "line/object/object.h"
#include "line/filter/syscall.h"
#include "line/object/target.h"
#include "perform/permit.h"
#include "request/request-object.h"

/* One notified system call, from its arguments to its answer.
 *
 *   prepare   copies what the call points to, once, and resolves it; says what
 *             must be decided (needs, host), or answers at once
 *   (decide   the gate: a glance, or a question while the call is held)
 *   perform   does it on the objects that were resolved
 *
 * The gate CONTINUEs instead of performing where the floor bounds the call at
 * all its objects (call.may_continue). After a question, prepare runs again on the
 * copies and must find the same objects. All of one call's steps run in one
 * thread at a time. */

struct destination;
struct gate;
struct grounds;
struct call;
struct peer;
struct route;
struct send;

enum answer_kind {
	ANSWER_ERROR = 0, /* .error, positive errno; 0 means EACCES: forgotten is no */
	ANSWER_CONTINUE,
	ANSWER_VALUE,
	ANSWER_FD, /* .fd is put into the target and is the call's result; taken */
};

struct answer {
	enum answer_kind kind;
	int error;
	int64_t value;
	int fd;
	bool cloexec; /* of the descriptor in the target */
};

/* One thing to be decided about one object. */
struct need {
	enum ambit_access access;
	unsigned object; /* index */
};

enum call_step {
	CALL_DECIDE = 0, /* needs and host are filled */
	CALL_ANSWERED,	 /* answer is filled: nothing to decide */
	CALL_GO_ON,	 /* inside a prepare alone: this step settled nothing */
};

enum call_round {
	ROUND_NONE = 0, /* never prepared: there is nothing to be dropped */
	ROUND_FIRST,
	ROUND_AGAIN, /* prepare runs on the copies that it made the first time */
};

enum call_pace {
	PACE_QUICK = 0,
	PACE_SLOW,     /* perform may block: not in the gate's own thread */
	PACE_PROMISED, /* never held: it is begun while a person is asked */
};

/* State of an op between its steps. The row's op says which one a call has. */

struct open_call {
	int flags;
	mode_t mode;
	bool staged; /* what is opened is another file: see staged.h */
};

struct make_call {   /* mkdir, mknod */
	mode_t mode; /* mknod: with the kind */
};

struct rename_call {
	unsigned flags;
	bool is_config; /* a plain git config is put in place */
};

struct chmod_call {
	mode_t mode;
};

struct utime_call {
	enum {
		TIMES_UNREAD = 0,
		TIMES_NOW, /* the program gave none: both are now */
		TIMES_GIVEN,
	} kind;
	struct timespec times[2]; /* TIMES_GIVEN */
};

struct xattr_call {
	int flags;
};

struct bind_call {
	mode_t umask; /* the target's */
};

struct mq_call {
	int flags;
	mode_t mode;
	bool has_attr;
	struct mq_attr attr;
};

struct call {
	struct gate *gate;
	const struct sys_row *row;
	uint64_t id; /* of the notification */
	uint64_t args[6];
	struct target target;
	enum call_round round;

	/* Filled by prepare. */
	char *path[2]; /* copies; owned, kept for the second time */
	bool slash[2]; /* call_name took a '/' off the end of that copy */
	int base[2];   /* dirfds as the program gave them */
	struct object object[2];
	unsigned n_objects;
	struct need need[6];
	unsigned n_needs;
	char *host;		     /* "10.0.0.1:80", "unix:/run/x.sock", "unix:@name"; or NULL */
	bool routed;		     /* gate_route settled it: nothing is looked at again */
	struct pass pass;	     /* and allowed it */
	enum object_special special; /* what the objects are, if that settles it */
	bool may_continue;	     /* the floor bounds this call where it covers its objects */
	bool asked;		     /* a person was asked: the floor does not know */
	enum call_pace pace;
	uint64_t ticket; /* PACE_PROMISED: of the question; 0: none; who takes it sets it to 0 */
	struct ambit_permit *permit; /* of an allow that was recorded: ends with the answer */
	unsigned changes;	     /* how often it meant something else after a question */
	bool begun;		     /* a part of it may be done: it is never restarted */

	/* For the op itself. */
	union {
		struct open_call open;
		struct make_call make;
		struct rename_call rename;
		struct chmod_call chmod;
		struct utime_call utime;
		struct xattr_call xattr;
		struct bind_call bind;
		struct mq_call mq;
	};
	/* Allocated or NULL; freed with the call. */
	char *text;	   /* OP_SYMLINK: what it holds; OP_XATTR: the attribute's name */
	void *data;	   /* OP_XATTR: the value; OP_SETATTR: the struct */
	size_t len;	   /* of data */
	struct peer *peer; /* OP_CONNECT, OP_BIND, OP_LISTEN: socket-peer.h */
	struct send *send; /* OP_SEND: call-send.c */
	/* -1 or open; closed with the call. */
	int subject_fd;	 /* a copy of the target's own descriptor that the call is about */
	int upstream_fd; /* OP_CONNECT: a socket of ours to where the target wants to go */
	int cwd_fd;	 /* OP_BIND: the target's working directory */

	struct answer answer;
};

enum call_end {
	CALL_DONE = 0, /* answer is filled */
	/* It must wait, and this thread must not: prepare and decide again, which finds it slow,
	 * and a worker goes on with it. Not the value of any enum call_step. */
	CALL_HAND_OVER = 100,
};

struct call_op {
	/* CALL_DECIDE, CALL_ANSWERED, or -errno: the natural error. */
	int (*prepare)(struct call *call);
	/* Fills call->answer: CALL_DONE, CALL_HAND_OVER, or -errno for the program. pass is
	 * used up. -ESTALE: what was resolved is not what lies there now, and nothing was
	 * done: prepare and decide again a few times, then EACCES. */
	int (*perform)(struct call *call, struct pass *pass);
};

/* One per op; defined in the file that is named. */
extern const struct call_op call_open; /* call-open.c */
extern const struct call_op call_peer;
extern const struct call_op call_mkdir; /* call-name.c: names in directories */
extern const struct call_op call_mknod;
extern const struct call_op call_unlink;
extern const struct call_op call_rename;
extern const struct call_op call_link;
extern const struct call_op call_symlink;
extern const struct call_op call_truncate; /* call-meta.c */
extern const struct call_op call_chmod;
extern const struct call_op call_chown;
extern const struct call_op call_utime;
extern const struct call_op call_xattr;
extern const struct call_op call_setattr;
extern const struct call_op call_connect; /* call-net.c */
extern const struct call_op call_bind;
extern const struct call_op call_listen;
extern const struct call_op call_send;	  /* call-send.c */
extern const struct call_op call_ipc_get; /* call-ipc.c */
extern const struct call_op call_ipc_use;
extern const struct call_op call_mq;
extern const struct call_op call_process; /* call-process.c */
extern const struct call_op call_restrict;
extern const struct call_op call_prctl;
extern const struct call_op call_closed; /* call-closed.c */

/* Empty: no memory, no descriptors; the caller then fills gate, row, id, args
 * and the target. Finish closes and frees all of it, an answer's descriptor that
 * nobody took, too. */
void call_init(struct call *call);
void call_finish(struct call *call);

/* What a prepare starts with: drops what an earlier one found (objects, needs,
 * descriptors), keeps what it copied. Who wants to compare takes the objects
 * out before, and leaves object_init behind. */
void call_begin(struct call *call);

/* The op of a row, or NULL. */
const struct call_op *call_op_of(enum sys_op op);

/* Copies the path at argument i (the first time), keeps it as path[n] with
 * base[n], and resolves it as object n. 0 or -errno. */
int call_resolve(
	struct call *call, unsigned n, int dirfd_arg, int path_arg, enum object_follow follow);

/* The same by object_resolve_itself: for what is done to the object alone. */
int call_resolve_itself(
	struct call *call, unsigned n, int dirfd_arg, int path_arg, enum object_follow follow);

/* Copies the path at argument i as path[n], unless it is there already. */
int call_copy(struct call *call, unsigned n, int path_arg);

/* Whether this session made the object, or would with this call, in a scratch
 * directory or in a directory that it made: what path_facts.own means. */
bool call_is_own(const struct call *call, unsigned object);

/* Adds one need. */
void call_need(struct call *call, enum ambit_access access, unsigned object);

/* Fill the answer and return CALL_ANSWERED. */
int call_value(struct call *call, int64_t value);
int call_continue(struct call *call);

/* -- what the gate does for the ops -------------------------------------------- */

/* The ops read struct gate (gate-private.h) itself, and use its engine only between
 * gate_lock and gate_unlock. */

/* Puts a copy of fd into the target at that number, while the call is held. */
int gate_install(struct call *call, int fd, int number, bool cloexec);
/* Whether writing at this real path is within the floor. */
bool gate_covers(struct gate *gate, const char *real);
/* How directories stand in the floor. */
struct grounds *gate_grounds(struct gate *gate);
/* Whether the tree can come to make something at this real path without a question, by
 * the floor or on behalf, other than in scratch: then it can exchange what lies beside
 * it, too. */
bool gate_may_make(struct gate *gate, const char *real);
/* Whether a directory at this real path may have every right; whether it is a git
 * directory or lies in one. */
bool gate_opens(struct gate *gate, const char *dir);
bool gate_in_git(struct gate *gate, const char *dir);
/* See engine_opens_beside. */
bool gate_opens_beside(struct gate *gate, const char *real);
/* See engine_git_guards. */
bool gate_git_guards(struct gate *gate, const char *path);
/* Less is allowed now than what the floor was made of: nothing is left to it. */
bool gate_is_narrower(struct gate *gate);
/* See engine_closes_reads and engine_opens_reads. */
bool gate_closes_reads(struct gate *gate);
bool gate_opens_reads(struct gate *gate, const char *from, const char *to);
/* The engine's one look at where a socket goes: see engine_route. Fills to->person, and call->pass
 * if it is allowed. */
int gate_route(struct call *call, struct destination *to, struct route *ret_route);
/* The line saw it reach out. */
void gate_connected(struct gate *gate);
/* Somebody in the tree became a subreaper: ancestry says less from now on. */
void gate_subreaper(struct gate *gate);

/* Called again and again by a perform that waits (connect, FIFO): true when
 * the call should be given up with EINTR. */
bool call_given_up(struct call *call);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_CHILD_H
#define LINE_PROCESS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "line/process/keeper.h"

/* What happens between clone and exec: a task that shares the keeper's memory
 * and descriptors becomes the command, with the line around it. */

/* What the supervisor says over the keeper's socket. */
enum order_kind {
	ORDER_NONE = 0,
	ORDER_RUN, /* the first, always: read by the command's own process */
	ORDER_CONTINUE,
	ORDER_SIGNAL,
	ORDER_SIGNAL_GROUP,
	ORDER_END,
	ORDER_NEST, /* with a descriptor */
};

struct order {
	enum order_kind kind;
	int value;     /* the signal, the milliseconds, the id */
	uint32_t door; /* ORDER_NEST: enum run_door */
};

struct child {
	int socket;			      /* the keeper's, for ORDER_RUN */
	const struct keeper_options *options; /* its descriptors are all above 2 */
	sigset_t mask;			      /* for the command */
	bool join;			      /* the client's group */
	bool ignore_children;		      /* SIGCHLD was ignored when ambit was started */
	pid_t pid;
	/* What it leaves here. */
	const char *step; /* that failed; NULL: it is, or was, the command */
	int error;
	int listener; /* in the caller's own table; -1 if it did not come to that */
};

/* Starts the command; returns when it runs or has failed, which child->step
 * tells. All signals must be blocked, without handlers. -errno if there is no
 * such process, else it is to be reaped. */
int child_start(struct child *child);

#endif

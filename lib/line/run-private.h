/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_RUN_PRIVATE_H
#define LINE_RUN_PRIVATE_H

#include <signal.h>
#include <stdint.h>

#include <ambit/run.h>

#include "egress/egress.h"
#include "ask/desk/blocking.h"
#include "ask/desk/desk.h"
#include "line/floor/floor.h"
#include "line/gate/gate.h"
#include "line/process/keeper.h"
#include "line/nest/nest.h"
#include "line/filter/syscall.h"
#include "line/terminal/terminal.h"
#include "live/live.h"

/* Shared by run.c (making ready, starting, clearing away) and run-loop.c
 * (while the command runs). */

struct run {
	const struct ambit_run_options *o;
	struct ambit_run_result *result;
	int64_t since; /* when it began, by the clock of files */

	struct leftovers *leftovers; /* the list of what is made for it; or NULL */
	struct leftover made;	     /* the temp directory */
	char *temp;		     /* its path */
	struct pool *pool;	     /* or NULL */
	int proxy;		     /* a socket that listens, until the gate has it; or -1 */
	char token[EGRESS_TOKEN];
	char **variables; /* "TMPDIR=..." and others: in place of what the command would have */
	char **envp;	  /* its strings are borrowed */
	char *program;
	int why; /* errno, if there is no program */
	struct sock_filter *filter;
	size_t n_filter;
	bool probed;
	struct floor *base; /* made ready; until the floor is made of it */
	struct floor *floor;
	struct terminal *terminal;
	struct keeper keeper;
	pid_t child;
	int listener;
	struct gate *gate;
	struct nest *nest;    /* or NULL */
	char **open, **spine; /* what the floor was made of */
	struct desk *desk;
	struct blocking *judge, *person; /* channels of the desk; or NULL */
	struct live *live;		 /* or NULL */
	bool failed;			 /* the command could not be started: the status says so */

	int wake;    /* eventfd */
	int signals; /* signalfd */
	sigset_t before;
	bool masked;
	int64_t deadline; /* steady milliseconds; 0: none */
	bool ending;	  /* the tree has been told to end */
	bool empty;
	bool exited;
};

/* Wakes the loop, from any thread. */
void run_wake(void *data);
/* The person wants it to end: the loop does that. From any thread. */
void run_stop(void *data);

/* The paths that are open to writes. engine_writable calls run_add_ground with each. */
struct run_ground {
	char **open, **spine;
};
int run_add_ground(void *data, const char *path, bool spine);
/* Which of the open ones are git directories, or lie in one. -ENOMEM. */
int run_find_git(
	struct ambit_engine *engine, char *const *open, char ***ret_git, char ***ret_other);

/* run-live.c. Makes its live session, which the loop serves; without one, run->live stays
 * NULL. */
void run_live(struct run *run);

/* run-ask.c: run->desk, with the judge and the approver. -ENOMEM. */
int run_make_desk(struct run *run, struct ambit_error *err);
/* After desk_stop and gate_stop: the channels are gone, and the live session is. */
void run_close_desk(struct run *run);

/* Signals come to the loop from here on: after the keeper is forked, before
 * any thread is started. */
int loop_init(struct run *run, struct ambit_error *err);
/* Until the tree is gone; fills the result's status. */
int loop_run(struct run *run, struct ambit_error *err);
void loop_finish(struct run *run);

#endif

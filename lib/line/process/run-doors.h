/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_RUN_DOORS_H
#define LINE_PROCESS_RUN_DOORS_H

#include <ambit/run.h>

/* Runs as ambit's own doors start them: with a keeper that is made ahead, inside another run, or
 * narrower than the door itself. */

int run_keep(struct ambit_run_keeper **ret_keeper, struct ambit_error *err);
/* Makes ready what needs neither settings nor record, while somebody else
 * opens those. What fails here fails again, with words, in ambit_run. */
void run_prepare(struct ambit_run_keeper *keeper);
/* Lets one go that was not used. Accepts NULL. */
void run_release(struct ambit_run_keeper *keeper);

/* What a process inside the line can have started outside of it, narrower than itself. */
enum run_door {
	RUN_DOOR_RUN = 0,
	RUN_DOOR_MCP,
	RUN_DOOR_SPAWN,
};

/* -- a run inside a run -------------------------------------------------------- */

/* Only one supervisor can listen behind one line. So a program inside has its
 * command started from outside, narrower than itself, and stands for it: the
 * command has its descriptors 0-2, its job and its manners, and ends with it. */

/* A socket to the supervisor around this process. -ENOENT: there is none;
 * otherwise err has words. */
int run_outside(int *ret_socket, struct ambit_error *err);

struct run_request {
	enum run_door door;
	char *const *args; /* for the supervisor that is started */
	char *const *envp; /* for the command */
	const char *cwd;
};

/* Has it done, relays signals, stops and goes on as the command does, until it
 * ends. Takes the socket. ret_report: what run_inner_finish was given; caller
 * frees; or NULL. */
int run_relay(int socket, const struct run_request *request, int *ret_status, char **ret_report,
	struct ambit_error *err);

/* In the program that is started outside: reads what is asked for. Takes the
 * socket. The client's descriptors 0-2 become this process' own. What these
 * return is borrowed. Without a client (below) args are none, and cwd is "". */
int run_inner_open(int socket, struct ambit_run_inner **ret_inner, struct ambit_error *err);
char *const *run_inner_args(const struct ambit_run_inner *inner);
char *const *run_inner_envp(const struct ambit_run_inner *inner);
const char *run_inner_cwd(const struct ambit_run_inner *inner);
mode_t run_inner_umask(const struct ambit_run_inner *inner);
const char *run_inner_scope(const struct ambit_run_inner *inner); /* of nest_scope */
const char *run_inner_temp(const struct ambit_run_inner *inner);  /* of the outer line */
/* What is open to writes in the outer line: real paths; may be NULL. */
char *const *run_inner_writable(const struct ambit_run_inner *inner);
/* Those of them that are open with all that is in them. */
char *const *run_inner_whole(const struct ambit_run_inner *inner);
/* To poll beside the rest, for a door that is no run: readable when the client says
 * something, or is gone; -1: there is none. Then 0: it is to end, -EAGAIN: not yet. */
int run_inner_fd(const struct ambit_run_inner *inner);
int run_inner_heard(struct ambit_run_inner *inner);
/* Tells the client that it is started, for such a door. */
void run_inner_started(struct ambit_run_inner *inner);

/* -- a run that a door starts ------------------------------------------------------ */

/* What a door is, for a run that it starts and that it holds narrower than itself. */
struct run_around {
	const char *scope;		  /* any text: run_inner_scope there */
	char *const *open, *const *spine; /* what is open to writes: real paths */
	char *const *envp; /* for the command: it may be somebody's behind a line, and is not
			    * the environment of the run itself */
	/* The door is itself inside lines: they hold the run as well; or NULL. */
	const struct ambit_run_inner *inner;
};
/* *ret_socket is for the run, as what run_inner_open takes. */
int run_around(const struct run_around *around, int *ret_socket, struct ambit_error *err);
/* The same for a run that stands where the door itself stands. */
int run_beside(const struct ambit_run_inner *inner, char *const *envp, int *ret_socket,
	struct ambit_error *err);

/* Tells the client how it ended; report may be NULL. Accepts NULL. */
void run_inner_finish(struct ambit_run_inner *inner, int status, const char *report);

#endif

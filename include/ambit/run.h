/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_RUN_H
#define AMBIT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ambit/engine.h>
#include <ambit/error.h>
#include <ambit/limits.h>

/* Runs a command with the line around it: Landlock as the floor, a seccomp
 * supervisor as the gate. Every crossing becomes a request to the engine.
 *
 * Two processes beside the command's: the caller, which supervises, and a
 * keeper between it and the command. Either outlives the other's death long
 * enough to end the tree and to take away what was made for it. */

/* Whether the command gets a terminal of its own. */
enum ambit_run_terminal {
	AMBIT_RUN_PLAIN = 0, /* the caller's descriptors as they are */
	AMBIT_RUN_PTY,	     /* its own pty, relayed; questions over it */
};

/* The keeper, waiting for its command. Made first of all, before threads,
 * signals and memory: it is a copy of this process, and ready when the rest
 * is. */
struct ambit_run_keeper;

int ambit_run_keep(struct ambit_run_keeper **ret_keeper, struct ambit_error *err);
/* Makes ready what needs neither settings nor record, while somebody else
 * opens those. What fails here fails again, with words, in ambit_run. */
void ambit_run_prepare(struct ambit_run_keeper *keeper);
/* Lets one go that was not used. Accepts NULL. */
void ambit_run_release(struct ambit_run_keeper *keeper);

/* What a process inside the line can have started outside of it, narrower than itself. */
enum ambit_run_door {
	AMBIT_RUN_DOOR_RUN = 0,
	AMBIT_RUN_DOOR_MCP,
	AMBIT_RUN_DOOR_SPAWN,
};

/* A run inside this one: see below. */
struct ambit_run_inner;

struct ambit_run_options {
	struct ambit_run_keeper *keeper; /* taken; NULL: one is made */
	struct ambit_engine *engine;	 /* not used by the caller until ambit_run returns */
	char *const *argv;		 /* argv[0] is looked up in path */
	char *const *envp;		 /* TMPDIR is replaced */
	const char *path;		 /* $PATH, or NULL */
	const char *cwd;		 /* where the command starts: inside the folder */
	const char *temp;		 /* where the private temp directory is made, e.g. /tmp */
	enum ambit_run_terminal terminal;
	int tty;		    /* AMBIT_RUN_PTY: the real terminal, open for both; borrowed */
	bool colour;		    /* of questions on the terminal */
	bool guard_reads;	    /* keep the guarded reads and the record out of its sight */
	bool quiet;		    /* no line on the refused process' own stderr */
	bool proxy;		    /* https_proxy leads to one of ambit's own */
	int timeout_ms;		    /* 0: none */
	int leash;		    /* the tree is ended when it is readable or hung up; 0: none */
	struct ambit_limits limits; /* of the command, not of those who hold it */
	int landlock; /* 0: what the kernel has; else no more than this ABI, 2 at least */
	/* Who answers questions, besides a terminal of AMBIT_RUN_PTY; NULL:
	 * nobody. Asked in a thread of its own. */
	struct ambit_approver *approver;
	/* Where it can be seen and steered while it runs: the directory of its socket
	 * (live.h), or NULL. watchers: they are asked, too; and in place of a terminal, and
	 * of an approver that is instant, while there are any. */
	const char *live;
	bool watchers;

	/* For runs inside this one: argv of the program that supervises them,
	 * with what ambit_run_inner_open takes as descriptor 3; argv[1] is replaced
	 * by the door's name; NULL: there can be none. And what it is told of this line: any text,
	 * the caller frees; called while nobody else uses the engine. */
	char *const *nest;
	char *(*nest_scope)(void *data);
	void *nest_data;
	/* This is one: borrowed. inside: the name of the session around it. */
	struct ambit_run_inner *inner;
	const char *inside;
};

/* One thing the line refused, however often. */
struct ambit_run_refusal {
	char *what;    /* "write", "delete", "connect" ... */
	char *subject; /* the path as shown, or the host; escaped */
	char *code;    /* of the outcome: "Outside" */
	char *program; /* the first that tried; escaped */
	char *message; /* what a model reads */
	uint64_t count;
};

/* What was let through unasked, by program. */
struct ambit_run_program {
	char *name; /* escaped */
	uint64_t count;
};

struct ambit_run_result {
	int status; /* exit status in the manner of a shell: 128+signal, 124, 126, 127 */
	int signal; /* that ended the command, or 0 */
	int error;  /* errno: why it could not be started (126, 127), or 0 */
	bool timed_out;
	/* The line saw it reach another machine or socket, the system's resolver among
	 * them, or had a run inside, which is not seen here. */
	bool connected;
	int64_t started; /* milliseconds since the epoch */
	int64_t ended;
	struct ambit_run_refusal *refusals;
	size_t n_refusals;
	uint64_t refused; /* how often all told, those past the list too */
	uint64_t asked;
	struct ambit_run_program *programs;
	size_t n_programs;
	uint64_t calls; /* notified system calls */
	/* Guarded files in the folder's directories that came or changed although
	 * nobody said so: real paths. */
	char **planted;
	size_t n_planted;
	bool unseen;	  /* not all of the folder could be looked through for that */
	char **unseen_in; /* directories that kept the look out: real paths; some of them */
	size_t n_unseen_in;
	bool cut;	   /* nor, at the start, for repositories */
	char *unseen_live; /* why it could not be seen while it ran; NULL: it could */
	bool stopped;	   /* by the person, over its socket */
	char *unrecorded;  /* why its end is not in the record; NULL: it is */
	uint64_t blind;	   /* calls that failed because pidfd_getfd is refused here */
	/* Calls of processes that cannot be looked into: held all the same, but what was refused
	 * to them is not among the refusals. */
	uint64_t unread;
	size_t left; /* processes that were still there and were ended */
};

void ambit_run_result_finish(struct ambit_run_result *result);

/* 0 when the command was started, or could not be (126, 127): ret_result is
 * filled. -errno, with words, if the line cannot be held here: nothing ran. */
int ambit_run(const struct ambit_run_options *options, struct ambit_run_result *ret_result,
	struct ambit_error *err);

/* The result as one JSON object, one line (`--report`); argv as given. Caller
 * frees; NULL without memory. */
char *ambit_run_result_json(
	const struct ambit_run_result *result, const char *session, char *const *argv);

/* -- a run inside a run -------------------------------------------------------- */

/* Only one supervisor can listen behind one line. So a program inside has its
 * command started from outside, narrower than itself, and stands for it: the
 * command has its descriptors 0-2, its job and its manners, and ends with it. */

/* A socket to the supervisor around this process. -ENOENT: there is none;
 * otherwise err has words. */
int ambit_run_outside(int *ret_socket, struct ambit_error *err);

struct ambit_run_request {
	enum ambit_run_door door;
	char *const *args; /* for the supervisor that is started */
	char *const *envp; /* for the command */
	const char *cwd;
};

/* Has it done, relays signals, stops and goes on as the command does, until it
 * ends. Takes the socket. ret_report: what ambit_run_inner_end was given; caller
 * frees; or NULL. */
int ambit_run_through(int socket, const struct ambit_run_request *request, int *ret_status,
	char **ret_report, struct ambit_error *err);

/* In the program that is started outside: reads what is asked for. Takes the
 * socket. The client's descriptors 0-2 become this process' own. What these
 * return is borrowed. Without a client (below) args are none, and cwd is "". */
int ambit_run_inner_open(int socket, struct ambit_run_inner **ret_inner, struct ambit_error *err);
char *const *ambit_run_inner_args(const struct ambit_run_inner *inner);
char *const *ambit_run_inner_envp(const struct ambit_run_inner *inner);
const char *ambit_run_inner_cwd(const struct ambit_run_inner *inner);
mode_t ambit_run_inner_umask(const struct ambit_run_inner *inner);
const char *ambit_run_inner_scope(const struct ambit_run_inner *inner); /* of nest_scope */
const char *ambit_run_inner_temp(const struct ambit_run_inner *inner);	/* of the outer line */
/* What is open to writes in the outer line: real paths; may be NULL. */
char *const *ambit_run_inner_writable(const struct ambit_run_inner *inner);
/* Those of them that are open with all that is in them. */
char *const *ambit_run_inner_whole(const struct ambit_run_inner *inner);
/* To poll beside the rest, for a door that is no run: readable when the client says
 * something, or is gone; -1: there is none. Then 0: it is to end, -EAGAIN: not yet. */
int ambit_run_inner_fd(const struct ambit_run_inner *inner);
int ambit_run_inner_heard(struct ambit_run_inner *inner);
/* Tells the client that it is started, for such a door. */
void ambit_run_inner_started(struct ambit_run_inner *inner);

/* -- a run that a door starts ------------------------------------------------------ */

/* What a door is, for a run that it starts and that it holds narrower than itself. */
struct ambit_run_around {
	const char *scope;		  /* any text: ambit_run_inner_scope there */
	char *const *open, *const *spine; /* what is open to writes: real paths */
	char *const *envp; /* for the command: it may be somebody's behind a line, and is not
			    * the environment of the run itself */
	/* The door is itself inside lines: they hold the run as well; or NULL. */
	const struct ambit_run_inner *inner;
};
/* *ret_socket is for the run, as what ambit_run_inner_open takes. */
int ambit_run_around(
	const struct ambit_run_around *around, int *ret_socket, struct ambit_error *err);
/* The same for a run that stands where the door itself stands. */
int ambit_run_beside(const struct ambit_run_inner *inner, char *const *envp, int *ret_socket,
	struct ambit_error *err);

/* Tells the client how it ended; report may be NULL. Accepts NULL. */
void ambit_run_inner_end(struct ambit_run_inner *inner, int status, const char *report);

#endif

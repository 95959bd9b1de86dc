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

/* A keeper that was made ahead, and a run inside another: made by ambit's own doors alone. */
struct ambit_run_keeper;
struct ambit_run_inner;

struct ambit_run_options {
	struct ambit_run_keeper *keeper; /* taken; NULL: one is made */
	struct ambit_engine *engine;	 /* not used by the caller until ambit_run returns */
	char *const *argv;		 /* argv[0] is looked up in path */
	char *const *envp;		 /* TMPDIR, PWD, AMBIT_SESSION and AMBIT_FOLDER are set */
	const char *path;		 /* $PATH, or NULL */
	const char *cwd;		 /* where the command starts: inside the folder */
	const char *temp;		 /* where the private temp directory is made, e.g. /tmp */
	enum ambit_run_terminal terminal;
	int tty;		    /* AMBIT_RUN_PTY: the real terminal, open for both; borrowed */
	bool colour;		    /* of questions on the terminal */
	bool guard_reads;	    /* keep the guarded reads and the record out of its sight */
	bool for_call;		    /* of a tool's call, a write of the session: below */
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
	 * (doc/live.md), or NULL. watchers: they are asked, too; and in place of a terminal, and
	 * of an approver that is instant, while there are any. */
	const char *live;
	bool watchers;

	/* For runs inside this one: argv of the program that supervises them, which gets its
	 * socket as descriptor 3; argv[1] is replaced by the door's name. NULL: there can be none.
	 * nest_scope makes the text that it is told about this line; freed here. Called while
	 * nobody else uses the engine. */
	char *const *nest;
	char *(*nest_scope)(void *data);
	void *nest_data;
	/* This run is inside another: borrowed. inside: the name of that session. */
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
	char *advice;  /* ambit_outcome.advice, or "" */
	bool asked;    /* a person said no, or did not answer in time */
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
 * filled. -errno, with words, if the line cannot be held here: nothing ran.
 * -EPERM, with words: what the settings or a rule say of reads cannot be held, for
 * the kernel answers a command's reads. until-first-write is held by for_call alone,
 * as "folder". */
int ambit_run(const struct ambit_run_options *options, struct ambit_run_result *ret_result,
	struct ambit_error *err);

/* The result as one JSON object, one line (`--report`); argv as given. Caller
 * frees; NULL without memory. */
char *ambit_run_result_json(
	const struct ambit_run_result *result, const char *session, char *const *argv);

#endif

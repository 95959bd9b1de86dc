/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_RUN_H
#define AMBIT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/engine.h>
#include <ambit/error.h>

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

struct ambit_run_options {
	struct ambit_run_keeper *keeper; /* taken; NULL: one is made */
	struct ambit_engine *engine; /* not used by the caller until ambit_run returns */
	char *const *argv;	     /* argv[0] is looked up in path */
	char *const *envp;	     /* TMPDIR is replaced */
	const char *path;	     /* $PATH, or NULL */
	const char *cwd;	     /* where the command starts: inside the folder */
	const char *temp;	     /* where the private temp directory is made, e.g. /tmp */
	enum ambit_run_terminal terminal;
	int tty;	 /* AMBIT_RUN_PTY: the real terminal, open for both; borrowed */
	bool colour;	 /* of questions on the terminal */
	bool guard_reads;/* keep the guarded reads and the record out of its sight */
	bool quiet;	 /* no line on the refused process' own stderr */
	int timeout_ms;	 /* 0: none */
	/* Who answers questions, besides a terminal of AMBIT_RUN_PTY; NULL:
	 * nobody. Asked in a thread of its own. */
	struct ambit_approver *approver;
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
	int status;	 /* exit status in the manner of a shell: 128+signal, 124, 126, 127 */
	int signal;	 /* that ended the command, or 0 */
	int error;	 /* errno: why it could not be started (126, 127), or 0 */
	bool timed_out;
	bool connected;	 /* the line saw it reach another machine or socket */
	int64_t started; /* milliseconds since the epoch */
	int64_t ended;
	struct ambit_run_refusal *refusals;
	size_t n_refusals;
	uint64_t refused; /* how often all told, those past the list too */
	uint64_t asked;
	struct ambit_run_program *programs;
	size_t n_programs;
	uint64_t calls;	  /* notified system calls */
	size_t left;	  /* processes that were still there and were ended */
};

void ambit_run_result_finish(struct ambit_run_result *result);

/* 0 when the command was started, or could not be (126, 127): ret_result is
 * filled. -errno, with words, if the line cannot be held here: nothing ran. */
int ambit_run(const struct ambit_run_options *options, struct ambit_run_result *ret_result,
	struct ambit_error *err);

/* The result as one JSON object, one line (`--report`); argv as given. Caller
 * frees; NULL without memory. */
char *ambit_run_result_json(const struct ambit_run_result *result, const char *session,
	char *const *argv);

#endif

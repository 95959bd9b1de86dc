/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SHELL_EXECUTE_PRIVATE_H
#define TOOLS_SHELL_EXECUTE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <ambit/execute.h>

#include "base/buf.h"

/* What ambit_execute is made of. */

struct ambit_executor {
	enum ambit_backend backend;
	char *program;
	char **args;
	char **prefix;
	char **envp;
	char **scrubbed;
	char *shell;
	struct ambit_limits limits;
	int (*within)(void *data, char *const *envp, int *ret_fd, struct ambit_error *err);
	void *data;
	char **program_envp;
	atomic_uint_fast64_t questions; /* put so far: each has a number of its own */
};

/* -- execute-keep.c: a process between us and the command ---------------------------- */

/* Where the command of the kernel backend finds what it is given along. */
#define KEEP_ASK 3
#define KEEP_REPORT 4
#define KEEP_LEASH 5
#define KEEP_WITHIN 6

struct keep_options {
	char *const *argv;
	char *const *envp;
	const char *cwd;
	int in, out, err; /* become 0-2; borrowed */
	int ask, report;  /* or -1 */
	int within;	  /* likewise */
	int hold;	  /* not for the command: open for as long as any of it lives; or -1 */
	bool holds;	  /* argv is `ambit run`: it ends its tree itself, by the leash */
	struct ambit_limits limits;
};

struct keep {
	pid_t pid;
	int news;  /* readable when there is something for keep_read */
	int leash; /* or -1: it was let go */
};

/* 0 when the command was started. */
int keep_start(const struct keep_options *options, struct keep *ret_keep, struct ambit_error *err);
/* The command and all it started are to end. May be called again. */
void keep_end(struct keep *keep);
/* 1: all have ended, the command with this status as in a shell, or *ret_lost: nobody
 * knows. 0: not yet. */
int keep_read(struct keep *keep, int *ret_status, bool *ret_lost);
void keep_finish(struct keep *keep);

/* -- execute-tree.c ------------------------------------------------------------------- */

/* To the children of pid; with all, to theirs too, those farthest below first. */
void tree_signal_beneath(pid_t pid, int sig, bool all);

/* -- execute-output.c: what it prints, in bounded memory ------------------------------ */

#define CAPTURE_CHUNK (64 * 1024)

struct capture {
	int fd; /* non-blocking; or -1: at its end */
	char *head, *tail;
	size_t max_head, max_tail, head_len, tail_len; /* tail has room for twice its max */
	uint64_t size;
	bool nul;
	/* Is told each piece, if not NULL. */
	void (*printed)(void *data, int stream, const char *text, size_t len);
	void *data;
	int stream;
};

/* ret_write NULL: there is no pipe, and it is fed. */
int capture_init(struct capture *capture, size_t max, int *ret_write);
/* Reads once, into chunk. False: there is nothing now, or never again. */
bool capture_read(struct capture *capture, char *chunk);
void capture_feed(struct capture *capture, const char *data, size_t len);
int capture_take(struct capture *capture, struct ambit_output *ret_output);
/* Forgets what it has. */
void capture_clear(struct capture *capture);
void capture_finish(struct capture *capture);

/* -- execute-ask.c: the other end of `ambit run --ask-fd` ------------------------------ */

struct asked;

struct asking {
	struct ambit_executor *executor;
	struct ambit_approver *approver;
	int fd;		 /* or -1 */
	struct buf line; /* read, and not yet a whole one */
	bool over;	 /* the other end is closed */
	pthread_t thread;
	bool started;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more;
	struct asked *first; /* the one that is asked, then those that wait */
	bool stop;
	int64_t since;	/* there is a question open; 0: there is none */
	int64_t waited; /* before that, all told */
};

int asking_init(struct asking *asking, struct ambit_executor *executor,
	struct ambit_approver *approver, int *ret_other);
/* When fd is readable. */
void asking_read(struct asking *asking);
/* How long the command has waited for somebody's answer, and whether it does. */
int64_t asking_waited(struct asking *asking, bool *ret_open);
/* Withdraws what is open. */
void asking_finish(struct asking *asking);

#endif

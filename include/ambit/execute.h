/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_EXECUTE_H
#define AMBIT_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/approve.h>
#include <ambit/error.h>
#include <ambit/limits.h>
#include <ambit/words.h>

/* Runs shell commands for a tool and collects what they print. Where they run is
 * the backend's business. Thread-safe: several commands may run at once. */

struct ambit_executor_options {
	enum ambit_backend backend;
	const char *program; /* KERNEL: the ambit program */
	char *const *args;   /* KERNEL: options for `run` (folder, session, net ...); or NULL */
	char *const *prefix; /* PREFIX: argv in front; argv[0] an absolute path */
	char *const *envp;   /* for commands: secrets are taken out of it */
	char *const *keep;   /* names that stay although they look like secrets; or NULL */
	const char *shell;   /* NULL: /bin/bash, else /bin/sh; gets -c COMMAND */
	struct ambit_limits limits;
	/* KERNEL: makes a descriptor that goes along as --within, so that commands can do
	 * no more than what is around, with the environment for the command; or NULL. From
	 * any thread. The program itself then has its own, for that of commands may be
	 * somebody's behind a line. */
	int (*within)(void *data, char *const *envp, int *ret_fd, struct ambit_error *err);
	void *data;
	char *const *program_envp;
};

struct ambit_executor;

/* Copies all of it. -ENOENT, -EACCES with words: a program that is not there. */
int ambit_executor_create(const struct ambit_executor_options *options,
	struct ambit_executor **ret_executor, struct ambit_error *err);
void ambit_executor_destroy(struct ambit_executor *executor);
/* Names of the variables that commands do not get, NULL at the end. Borrowed. */
char *const *ambit_executor_scrubbed(const struct ambit_executor *executor);
enum ambit_backend ambit_executor_backend(const struct ambit_executor *executor);

struct ambit_execution {
	const char *command; /* for the shell; or */
	/* A program and its arguments: no shell reads them as commands. A script without an
	 * interpreter line is run by sh with KERNEL, and fails with SUBPROCESS. */
	char *const *argv;
	/* KERNEL: options for `run` in place of the executor's; then also what the executor's
	 * within would make, or what makes it, with data. */
	char *const *options;
	int within;
	int (*make_within)(void *data, char *const *envp, int *ret_fd, struct ambit_error *err);
	int hold;	   /* a descriptor that is kept open until all of it has ended; 0: none */
	const char *input; /* its stdin; NULL: empty */
	size_t input_len;
	const char *cwd; /* absolute */
	/* KERNEL: of the folder only these are open to writes, NULL at the end; NULL: all
	 * of it. */
	char *const *only;
	int timeout_ms; /* 0: 60 000 */
	size_t max;	/* bytes kept of each stream; 0: 30 000. The middle is cut */
	int cancel;	/* a descriptor: the command is ended when it is readable; -1 */
	/* KERNEL: who is asked about crossings, in a thread of this call's; NULL:
	 * nobody. Not destroyed. */
	struct ambit_approver *approver;
	/* Called now and then with how much was printed so far; or NULL. */
	void (*progress)(void *data, uint64_t printed, int64_t elapsed_ms);
	/* Called with each piece of what it prints, on stream 1 or 2; or NULL. */
	void (*printed)(void *data, int stream, const char *text, size_t len);
	void *data;
};

struct ambit_output {
	char *text; /* UTF-8: other bytes are replaced; cut in the middle, with a mark */
	size_t len;
	uint64_t size; /* of all that was printed */
	bool binary;   /* it had bytes that are no text */
};

struct ambit_executed {
	int status; /* as in a shell: 128+signal, 124 after a timeout */
	bool timed_out;
	bool cancelled;
	bool lost;	/* who kept it was killed: some of it may live on for a moment */
	bool connected; /* KERNEL: the line saw it reach out; else: not known, true */
	int64_t duration_ms;
	struct ambit_output out, err;
	char *report; /* KERNEL: the JSON of `--report` (refusals, programs ...); or NULL */
};

/* 0 when it was started and has ended, whatever its status: nothing of it is left
 * running. -errno with words: it was not started. */
int ambit_execute(struct ambit_executor *executor, const struct ambit_execution *execution,
	struct ambit_executed *ret_executed, struct ambit_error *err);
void ambit_executed_finish(struct ambit_executed *executed);

#endif

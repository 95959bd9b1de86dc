/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the person's that answers: the question as one JSON object on
 * its stdin, the answer as another on its stdout. The program is the person's
 * own and gets the whole environment (a dialog needs the display); but it must
 * be out of reach of those who ask, or they would answer themselves, and what
 * it prints is checked as strictly as if it were not trusted. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/approver.h"
#include "ask/cancel.h"
#include "ask/question-wire.h"
#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#define OUTPUT_MAX (64 * 1024)
#define TIMEOUT_MS (10 * 60 * 1000) /* for a question that never expires */

struct exec {
	struct ambit_approver approver;
	struct cancel cancel;
	char *program;	/* real path */
	struct stat st; /* what it was when it was checked */
};

static int
check_place(const char *program, const char *const *writable, size_t n, struct ambit_error *err)
{
	for (size_t i = 0; i < n; i++) {
		auto_free char *dir = realpath(writable[i], NULL);

		if (str_beneath(program, dir ? dir : writable[i]))
			return err_set(err, EPERM,
				"%s lies beneath %s, where those who ask can write: not asked",
				program, writable[i]);
	}
	return 0;
}

/* A grant given during the session may have opened the program's own place. */
static int
check_same(const struct exec *exec, struct ambit_error *err)
{
	const struct stat *was = &exec->st;
	struct stat st;
	int r = run_trust(exec->program, err);

	if (r < 0)
		return r;
	if (lstat(exec->program, &st) < 0)
		return err_sys(err, errno, "%s", exec->program);
	if (st.st_dev != was->st_dev || st.st_ino != was->st_ino ||
		st.st_ctim.tv_sec != was->st_ctim.tv_sec ||
		st.st_ctim.tv_nsec != was->st_ctim.tv_nsec)
		return err_set(err, ESTALE, "%s was changed since the session began: not asked",
			exec->program);
	return 0;
}

static int
time_left(const struct ambit_question *question)
{
	int64_t left = TIMEOUT_MS;

	if (question->expires != 0)
		left = question->expires - clock_now();
	return left > INT_MAX ? INT_MAX : left < 0 ? 0 : (int)left;
}

/* The program's answer to the question, as it printed it. */
static int
run_exec_program(const struct exec *exec, const struct ambit_question *question, char **ret_output,
	size_t *ret_len, struct ambit_error *err)
{
	char *argv[] = { exec->program, NULL };
	auto_free char *input = NULL;
	int timeout = time_left(question), r;

	if (timeout == 0)
		return err_set(err, ETIMEDOUT, "the question expired before it was asked");
	r = check_same(exec, err);
	if (r == 0)
		r = question_write(question, 0, &input, err);
	if (r == 0)
		r = run_program_until(exec->cancel.fd, argv, environ, input, strlen(input),
			OUTPUT_MAX, timeout, ret_output, ret_len, err);
	return r;
}

static int
ask_exec_approver(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct exec *exec = (struct exec *)approver;
	auto_free char *output = NULL;
	size_t len = 0;
	int r = -ECANCELED;

	if (!cancel_begin(&exec->cancel, question->id))
		r = run_exec_program(exec, question, &output, &len, err);
	cancel_end(&exec->cancel);
	if (r == -ECANCELED)
		return err_set(err, ECANCELED, "the question was withdrawn");
	if (r < 0)
		return r;
	r = answer_parse(question, output, len, ret_answer, err);
	if (r < 0) {
		err_context(err, "the answer of %s", exec->program);
		return r;
	}
	return 0;
}

static void
cancel_exec_question(struct ambit_approver *approver, uint64_t question, const char *how)
{
	cancel_say(&((struct exec *)approver)->cancel, question, how);
}

static void
destroy_exec_approver(struct ambit_approver *approver)
{
	struct exec *exec = (struct exec *)approver;

	cancel_finish(&exec->cancel);
	free(exec->program);
	free(exec);
}

int
exec_create(const char *program, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	auto_free char *path = NULL;
	struct exec *exec;
	struct stat st;
	int r;

	r = run_resolve(program, &path, err);
	if (r == 0)
		r = check_place(path, writable, n, err);
	if (r == 0)
		r = run_trust(path, err);
	if (r == 0 && lstat(path, &st) < 0)
		r = err_sys(err, errno, "%s", path);
	if (r < 0)
		return r;
	exec = calloc(1, sizeof(*exec));
	if (!exec)
		return err_nomem(err);
	r = cancel_init(&exec->cancel, err);
	if (r < 0) {
		free(exec);
		return r;
	}
	exec->approver = (struct ambit_approver){
		.ask = ask_exec_approver,
		.destroy = destroy_exec_approver,
		.cancel = cancel_exec_question,
		.name = "exec",
	};
	exec->program = steal_ptr(&path);
	exec->st = st;
	*ret_approver = &exec->approver;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit spawn`: words on a command line into one call of run_agent, and its result onto
 * standard output. Whoever runs it may be a person, or an agent's shell behind a line. */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/approver.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#include "cli/door.h"
#include "cli/out.h"
#include "door/door-live.h"
#include "door/toolbox.h"

#define TASK_MAX (1u << 20)
#define TELL_MS 10000 /* between two lines that say that it still runs */

/* -- the task ----------------------------------------------------------------------- */

/* A signal ends it, or the end of the one who stands for it inside a line. */
static bool
await_input(int signalled)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = signalled, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[1].revents == 0;
}

static int
read_input(struct buf *text, int signalled, struct ambit_error *err)
{
	char chunk[4096];
	ssize_t n;

	for (;;) {
		if (!await_input(signalled))
			return err_set(err, EINTR, "ended before there was a task");
		n = read(STDIN_FILENO, chunk, sizeof(chunk));
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "the task, on standard input");
		if (n > 0)
			buf_append(text, chunk, (size_t)n);
		if (text->len > TASK_MAX)
			return err_set(err, EFBIG, "the task, on standard input, is too long");
	}
}

static int
read_task(const struct args *args, int signalled, char **ret_task, struct ambit_error *err)
{
	auto_buf struct buf text = { 0 };
	int r = 0;

	if (args->n == 3 && streq(args->words[2], "-"))
		r = read_input(&text, signalled, err);
	else
		for (size_t i = 2; i < args->n; i++)
			buf_printf(&text, "%s%s", i > 2 ? " " : "", args->words[i]);
	if (r < 0)
		return r;
	if (text.len > 0 && strlen(text.data) != text.len)
		return err_set(err, EINVAL, "the task has a NUL in it");
	*ret_task = buf_take(&text);
	return *ret_task != NULL ? 0 : err_nomem(err);
}

static bool
is_utf8(const char *text)
{
	return str_is_utf8(text, strlen(text));
}

/* As in any shell; and what is not there is meant as every message shows it. */
static char *
make_call(const struct args *args, const char *task)
{
	auto_free char *here =
		access(args->words[1], F_OK) == 0 ? str_absolute(args->words[1]) : NULL;
	auto_json json_t *call = json_pack("{s:s, s:s, s:s}", "name", args->words[0], "folder",
		here != NULL ? here : args->words[1], "task", task);

	return call != NULL ? json_line(call) : NULL;
}

/* -- while it runs -------------------------------------------------------------------- */

struct telling {
	pthread_mutex_t lock; /* questions are asked in another thread */
	bool quiet;
	bool asked;    /* a question has the terminal to itself */
	char *held;    /* is said when that is over */
	char *last;    /* what was said last */
	int64_t since; /* and when */
};

static void
print_held(struct telling *t)
{
	if (t->held != NULL)
		fprintf(stderr, "ambit: %s\n", t->held);
	free(t->held);
	t->held = NULL;
}

static void
follow_question(void *data, bool shown)
{
	struct telling *t = data;

	pthread_mutex_lock(&t->lock);
	t->asked = shown;
	if (!shown)
		print_held(t);
	pthread_mutex_unlock(&t->lock);
}

/* Whom it waits for is said at once; that it runs, now and then; of what a question holds up,
 * the last. */
static void
print_progress(void *data, double done, double total, const char *message)
{
	struct telling *t = data;
	bool waits = message != NULL && str_prefix(message, "waiting");

	(void)done;
	(void)total;
	if (t->quiet || message == NULL || (t->last != NULL && streq(t->last, message)))
		return;
	if (!waits && clock_steady() - t->since < TELL_MS)
		return;
	free(t->last);
	t->last = str_dup(message);
	t->since = clock_steady();
	pthread_mutex_lock(&t->lock);
	free(t->held);
	t->held = str_dup(message);
	if (!t->asked)
		print_held(t);
	pthread_mutex_unlock(&t->lock);
}

/* -- what comes of it ------------------------------------------------------------------- */

static int
print_agent_result(
	const struct args *args, const struct ambit_result *result, struct ambit_error *err)
{
	auto_json json_t *structured = NULL;
	const json_t *code;

	if (result->structured != NULL &&
		json_parse(result->structured, strlen(result->structured), &structured, err) < 0)
		return -EIO;
	code = json_object_get(structured, "exit_code");
	if (args_get(args, OPT_JSON) != NULL) {
		printf("%s\n", result->structured != NULL ? result->structured : "{}");
	} else if (code != NULL) {
		fputs(result->text != NULL ? result->text : "", stdout);
	} else if (result->failed) {
		return err_set(err, EPERM, "%s", result->text != NULL ? result->text : "refused");
	}
	if (json_integer_value(code) != 0)
		return (int)json_integer_value(code);
	return result->failed ? EXIT_FAILED : 0;
}

static int
run_agent(struct toolbox *box, const struct args *args, int signalled, struct telling *telling,
	struct ambit_error *err)
{
	const struct ambit_call_options options = {
		.cancel = signalled,
		.unlabelled = true,
		.progress = print_progress,
		.data = telling,
	};
	struct ambit_result result = { 0 };
	auto_free char *task = NULL, *call = NULL;
	int r = read_task(args, signalled, &task, err);

	telling->quiet = args_get(args, OPT_QUIET) != NULL;
	if (r < 0)
		return r;
	call = make_call(args, task);
	if (call == NULL)
		return is_utf8(args->words[0]) && is_utf8(args->words[1]) && is_utf8(task)
			       ? err_nomem(err)
			       : err_set(err, EILSEQ, "agent, folder and task must be UTF-8");
	r = ambit_registry_call(box->registry, "run_agent", call, strlen(call), &options, &result);
	r = r < 0 ? err_nomem(err) : print_agent_result(args, &result, err);
	/* Where it is behind a line, its end is told before this process ends. */
	fflush(stdout);
	ambit_result_finish(&result);
	return r;
}

int
door_spawn(const struct args *args, struct ambit_error *err)
{
	struct telling telling = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.since = clock_steady(),
	};
	struct toolbox box;
	struct heed heed = { 0 };
	struct door_live *live = NULL;
	int signalled = -1;
	int r = toolbox_open(&box, args, "spawn", err);

	if (r == 0)
		r = signals_catch(-1, &signalled, err);
	if (r == 0)
		r = heed_start(&heed, &box, signalled, err);
	if (r == 0)
		live = door_live_open(&box, args, signals_raise);
	if (r == 0 && isatty(STDERR_FILENO))
		approver_set_shows(box.approver, follow_question, &telling);
	if (r == 0)
		r = run_agent(&box, toolbox_is_inside(&box) ? &box.asked : args, signalled,
			&telling, err);
	door_live_close(live);
	heed_finish(&heed);
	toolbox_finish(&box, r, err); /* nobody asks any more */
	free(telling.held);
	free(telling.last);
	return r;
}

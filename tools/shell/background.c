/* SPDX-License-Identifier: Apache-2.0 */
/* Commands in the background: a call of bash into a thread that executes, and later calls into
 * what it has printed since. Its crossings are questions at the same desk. Where the client can be
 * asked at any time (ask_after), it is; else the question waits, as long as questions do, for a
 * call that looks at the command and puts it to its own client. What a command prints is not
 * trusted, and as nobody knows before its end whether it reached out, it is labelled until then. */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ask/question-copy.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "base/thread.h"
#include "tools/shell/background.h"
#include "tools/shell/bash.h"
#include "tools/shell/execute-private.h"

/* Of each client: */
#define RUNNING_MAX 16
#define ENDED_MAX 16	 /* that nobody has looked at; then the oldest goes */
#define LAST_WORDS 4096	 /* of what it prints, for the words of one that did not start */
#define ANSWERED_MS 1000 /* after an answer something is about to come */

struct backgrounds {
	pthread_mutex_t lock;	/* of all that follows, and of what each has for it */
	pthread_cond_t settled; /* a question was */
	struct background *first;
	uint64_t last; /* number that was given */
};

/* A question that waits for a call which can put it. */
struct held_question {
	const struct ambit_question *question; /* or NULL */
	const struct ambit_call_options *put;  /* of the call that puts it now; or NULL */
	uint64_t withdrawn;		       /* the last one that was */
	bool settled;
	struct ambit_answer answer;
	int r; /* 0, or what came in place of an answer */
	struct ambit_error why;
};

struct background {
	struct background *next;
	struct backgrounds *all;
	char id[BACKGROUND_ID];
	char *command, *cwd, *input;
	size_t input_len;
	char **only;
	int timeout_ms;
	struct ambit_call_options options; /* who is asked, in place of the call's */
	struct tool_run run;		   /* for its crossings */
	struct bash_asker asker;
	int cancel;
	int news; /* readable: there may be something for those who look */
	pthread_t thread;
	int64_t started;

	/* With the lock: */
	struct capture out, err; /* since somebody looked */
	struct held_question held;
	unsigned holders;
	bool stopping, ended, forgotten;
	int r;
	struct ambit_error why;
	struct ambit_executed executed;
};

/* -- its life -------------------------------------------------------------------------------- */

static void
background_destroy(struct background *b)
{
	fd_close_at(&b->cancel);
	fd_close_at(&b->news);
	capture_finish(&b->out);
	capture_finish(&b->err);
	ambit_executed_finish(&b->executed);
	strv_free(b->only);
	free(b->command);
	free(b->cwd);
	free(b->input);
	free(b);
}

/* With the lock. */
static void
unlink_background(struct background *b)
{
	struct background **at = &b->all->first;

	while (*at && *at != b)
		at = &(*at)->next;
	if (*at)
		*at = b->next;
	b->forgotten = true;
}

struct backgrounds *
backgrounds_create(void)
{
	struct backgrounds *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->settled, NULL);
	return all;
}

/* With the lock. */
static void
stop_command(struct background *b)
{
	b->stopping = true;
	eventfd_write(b->cancel, 1);
	pthread_cond_broadcast(&b->all->settled);
}

static struct background *
take_background(struct backgrounds *all, const uint64_t *origin)
{
	struct background *b;

	pthread_mutex_lock(&all->lock);
	for (b = all->first; b && origin && b->options.origin != *origin; b = b->next)
		;
	if (b)
		unlink_background(b);
	pthread_mutex_unlock(&all->lock);
	return b;
}

static void
end_commands(struct backgrounds *all, const uint64_t *origin)
{
	struct background *b;

	pthread_mutex_lock(&all->lock);
	for (b = all->first; b; b = b->next)
		if (!origin || b->options.origin == *origin)
			stop_command(b);
	pthread_mutex_unlock(&all->lock);
	while ((b = take_background(all, origin)) != NULL) {
		pthread_join(b->thread, NULL);
		background_destroy(b);
	}
}

void
backgrounds_end(struct backgrounds *all, uint64_t origin)
{
	end_commands(all, &origin);
}

void
backgrounds_destroy(struct backgrounds *all)
{
	if (!all)
		return;
	end_commands(all, NULL);
	pthread_cond_destroy(&all->settled);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

/* -- its questions, where they wait for a call ------------------------------------------------ */

/* With the lock. */
static bool
is_question_over(const struct background *b, const struct ambit_question *question)
{
	return b->held.settled || b->stopping || b->held.withdrawn == question->id;
}

/* As ambit_call_options.ask: in the thread of the question. */
static int
hold_question(void *data, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct background *b = data;
	struct held_question *held = &b->held;
	const struct timespec until = {
		.tv_sec = question->expires / 1000,
		.tv_nsec = question->expires % 1000 * 1000000,
	};
	int r = 0, waited = 0;

	pthread_mutex_lock(&b->all->lock);
	held->question = question;
	held->settled = false;
	eventfd_write(b->news, 1);
	while (!is_question_over(b, question) && waited == 0)
		waited = question->expires == 0
				 ? pthread_cond_wait(&b->all->settled, &b->all->lock)
				 : pthread_cond_timedwait(&b->all->settled, &b->all->lock, &until);
	held->question = NULL;
	if (held->settled && held->r == 0)
		*ret_answer = held->answer;
	else if (held->settled)
		r = err_set(err, -held->r, "%s", held->why.text);
	else if (waited != 0)
		r = err_set(err, ETIMEDOUT, "nobody looked at the command in time");
	else
		r = err_set(err, ECANCELED, "the question was withdrawn");
	pthread_mutex_unlock(&b->all->lock);
	return r;
}

static void
withdraw_question(void *data, uint64_t question, const char *how)
{
	struct background *b = data;
	const struct ambit_call_options *put;

	pthread_mutex_lock(&b->all->lock);
	b->held.withdrawn = question;
	put = b->held.put;
	if (put && put->withdraw && b->held.question && b->held.question->id == question)
		put->withdraw(put->data, question, how);
	pthread_cond_broadcast(&b->all->settled);
	pthread_mutex_unlock(&b->all->lock);
}

/* With the lock. A call that was cancelled leaves the question to the next. */
static void
settle_question(struct background *b, uint64_t id, int r, const struct ambit_answer *answer,
	const struct ambit_error *why)
{
	struct held_question *held = &b->held;

	held->put = NULL;
	if (!held->question || held->question->id != id || r == -ECANCELED)
		return;
	held->settled = true;
	held->r = r;
	held->answer = *answer;
	held->why = *why;
	pthread_cond_broadcast(&b->all->settled);
}

/* True: there was one, and it is over. In the thread of a call that looks. */
static bool
put_held_question(struct tool_run *run, struct background *b)
{
	struct ambit_question question = { 0 };
	struct ambit_answer answer = { .kind = AMBIT_NO };
	struct ambit_error why = { 0 };
	bool copied = false;
	int r;

	pthread_mutex_lock(&b->all->lock);
	if (b->held.question && !b->held.put && run->options->ask &&
		!is_question_over(b, b->held.question))
		copied = question_copy(b->held.question, &question) == 0;
	if (copied)
		b->held.put = run->options;
	pthread_mutex_unlock(&b->all->lock);
	if (!copied)
		return false;
	r = run->options->ask(run->options->data, &question, &answer, &why);
	pthread_mutex_lock(&b->all->lock);
	settle_question(b, question.id, r, &answer, &why);
	pthread_mutex_unlock(&b->all->lock);
	question_finish(&question);
	return !run_cancelled(run);
}

/* -- the thread ------------------------------------------------------------------------------- */

static void
take_printed(void *data, int stream, const char *text, size_t len)
{
	struct background *b = data;

	pthread_mutex_lock(&b->all->lock);
	capture_feed(stream == STDERR_FILENO ? &b->err : &b->out, text, len);
	eventfd_write(b->news, 1);
	pthread_mutex_unlock(&b->all->lock);
}

static void *
run_command(void *data)
{
	struct background *b = data;
	const struct ambit_execution execution = {
		.command = b->command,
		.input = b->input,
		.input_len = b->input_len,
		.cwd = b->cwd,
		.only = b->only,
		.timeout_ms = b->timeout_ms,
		.max = LAST_WORDS,
		.cancel = b->cancel,
		.approver = run_has_person(&b->run) ? &b->asker.approver : NULL,
		.printed = take_printed,
		.data = b,
	};
	struct ambit_executed executed = { 0 };
	struct ambit_error err = { 0 };
	int r = ambit_execute(b->run.executor, &execution, &executed, &err);

	pthread_mutex_lock(&b->all->lock);
	b->ended = true;
	b->r = r;
	b->why = err;
	b->executed = executed;
	eventfd_write(b->news, 1);
	pthread_mutex_unlock(&b->all->lock);
	return NULL;
}

/* -- starting --------------------------------------------------------------------------------- */

static struct ambit_call_options
make_asking_options(const struct ambit_call_options *call, struct background *b)
{
	struct ambit_call_options options = {
		.cancel = b->cancel,
		.origin = call->origin,
		.approver = call->approver,
	};

	if (call->ask_after) {
		options.ask = call->ask_after;
		options.withdraw = call->withdraw_after;
		options.data = call->after;
	} else if (call->ask) {
		options.ask = hold_question;
		options.withdraw = withdraw_question;
		options.data = b;
	}
	return options;
}

static int
copy_command(struct background *b, struct tool_run *run, const char *cwd)
{
	const json_t *input = json_object_get(run->args, "stdin");

	b->command = str_dup(run_string(run, "command"));
	b->cwd = str_dup(cwd);
	b->input_len = json_string_length(input);
	b->input = malloc(b->input_len + 1);
	if (!b->command || !b->cwd || !b->input)
		return -ENOMEM;
	memcpy(b->input, b->input_len > 0 ? json_string_value(input) : "", b->input_len);
	return run_narrowing(run, &b->only);
}

static int
background_create(
	struct tool_run *run, const char *cwd, struct background **ret_b, struct ambit_error *err)
{
	struct background *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return err_nomem(err);
	b->all = run_backgrounds(run);
	b->out.fd = b->err.fd = -1;
	b->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = b->cancel < 0 || b->news < 0 ? -errno : copy_command(b, run, cwd);
	if (r == 0)
		r = capture_init(&b->out, BASH_STREAM_MAX, NULL);
	if (r == 0)
		r = capture_init(&b->err, BASH_STREAM_MAX, NULL);
	if (r < 0) {
		background_destroy(b);
		return err_sys(err, -r, "a command in the background");
	}
	b->options = make_asking_options(run->options, b);
	b->run = (struct tool_run){
		.registry = run->registry,
		.tool = run->tool,
		.executor = run->executor,
		.cancel = b->cancel,
		.options = &b->options,
	};
	bash_asker_init(&b->asker, &b->run);
	*ret_b = b;
	return 0;
}

/* With the lock: the oldest of this client's that have ended, if there are too many. Forgotten,
 * and the caller's if nobody holds it. */
static struct background *
drop_ended(struct backgrounds *all, uint64_t origin)
{
	struct background *oldest = NULL;
	size_t n = 0;

	for (struct background *b = all->first; b; b = b->next)
		if (b->ended && b->options.origin == origin) {
			oldest = b;
			n++;
		}
	if (n < ENDED_MAX)
		return NULL;
	unlink_background(oldest);
	return oldest->holders == 0 ? oldest : NULL;
}

static void
join_background(struct background *b)
{
	if (!b)
		return;
	pthread_join(b->thread, NULL);
	background_destroy(b);
}

/* With the lock. */
static size_t
count_running(const struct backgrounds *all, uint64_t origin)
{
	size_t n = 0;

	for (const struct background *b = all->first; b; b = b->next)
		n += !b->ended && b->options.origin == origin;
	return n;
}

int
background_start(struct tool_run *run, const char *cwd, int timeout_ms, char ret_id[BACKGROUND_ID],
	struct ambit_error *err)
{
	struct backgrounds *all = run_backgrounds(run);
	struct background *b = NULL, *dropped = NULL;
	int r = background_create(run, cwd, &b, err);

	if (r < 0)
		return r;
	b->timeout_ms = timeout_ms;
	b->started = clock_steady();
	pthread_mutex_lock(&all->lock);
	if (count_running(all, b->options.origin) >= RUNNING_MAX)
		r = -EBUSY;
	else
		r = thread_start(&b->thread, NULL, run_command, b);
	if (r == 0) {
		dropped = drop_ended(all, b->options.origin);
		snprintf(b->id, sizeof(b->id), "b%llu", (unsigned long long)++all->last);
		snprintf(ret_id, BACKGROUND_ID, "%s", b->id);
		b->next = all->first;
		all->first = b;
	}
	pthread_mutex_unlock(&all->lock);
	join_background(dropped);
	if (r == 0)
		return 0;
	background_destroy(b);
	if (r == -EBUSY)
		return run_fail(run, err, EBUSY, "End one with bash_stop, or wait for one.",
			"%d commands run in the background already", RUNNING_MAX);
	return err_sys(err, -r, "a command in the background");
}

/* -- looking ---------------------------------------------------------------------------------- */

int
background_hold(struct tool_run *run, struct background **ret_background, struct ambit_error *err)
{
	struct backgrounds *all = run_backgrounds(run);
	const char *id = run_string(run, "id");
	auto_free char *shown = str_escape(id, str_cut(id, strlen(id), BACKGROUND_ID));
	struct background *b;

	pthread_mutex_lock(&all->lock);
	for (b = all->first; b; b = b->next)
		if (b->options.origin == run->options->origin && streq(b->id, id))
			break;
	if (b)
		b->holders++;
	pthread_mutex_unlock(&all->lock);
	if (!b)
		return run_fail(run, err, ENOENT,
			"Give the id that bash with 'background' returned. One that has ended and "
			"was told is forgotten.",
			"there is no command '%s' in the background", shown ? shown : "?");
	*ret_background = b;
	return 0;
}

void
background_release(struct background *b)
{
	bool last;

	pthread_mutex_lock(&b->all->lock);
	last = --b->holders == 0 && b->forgotten;
	pthread_mutex_unlock(&b->all->lock);
	if (last)
		join_background(b);
}

void
background_stop(struct background *b)
{
	pthread_mutex_lock(&b->all->lock);
	stop_command(b);
	pthread_mutex_unlock(&b->all->lock);
}

/* What is not waited for is taken out of news, so that it is not seen again. */
static bool
has_news(struct background *b, bool ended)
{
	eventfd_t value;
	bool news;

	pthread_mutex_lock(&b->all->lock);
	news = b->ended || (!ended && (b->out.size > 0 || b->err.size > 0));
	if (!news)
		eventfd_read(b->news, &value);
	pthread_mutex_unlock(&b->all->lock);
	return news;
}

void
background_wait(struct tool_run *run, struct background *b, int64_t wait_ms, bool ended)
{
	int64_t until = clock_steady() + wait_ms;

	while (!has_news(b, ended) && !run_cancelled(run)) {
		struct pollfd fds[] = {
			{ .fd = b->news, .events = POLLIN },
			{ .fd = run->cancel, .events = POLLIN },
		};
		int64_t left = until - clock_steady();

		if (put_held_question(run, b)) {
			until = clock_steady() + (wait_ms > ANSWERED_MS ? wait_ms : ANSWERED_MS);
			continue;
		}
		if (left <= 0)
			return;
		poll(fds, 2, left > 1000 ? 1000 : (int)left);
	}
}

/* With the lock: out and err are the caller's, all else is borrowed. */
static int
take_news(struct background *b, struct ambit_executed *ret_now, char **ret_held)
{
	struct ambit_executed now = b->executed;
	int r;

	now.out = now.err = (struct ambit_output){ 0 };
	if (!b->ended)
		now.duration_ms = clock_steady() - b->started;
	r = capture_take(&b->out, &now.out);
	if (r == 0)
		r = capture_take(&b->err, &now.err);
	if (r == 0 && b->held.question && !is_question_over(b, b->held.question))
		*ret_held = question_title(b->held.question);
	if (r == 0) {
		capture_clear(&b->out);
		capture_clear(&b->err);
	}
	*ret_now = now;
	return r;
}

static int
report_end(struct tool_run *run, const struct background *b, const struct ambit_executed *now,
	struct ambit_error *err)
{
	if (b->r < 0)
		return run_fail(run, err, -b->r, NULL, "%s", b->why.text);
	if (bash_report(run, b->command, now, b->timeout_ms, err) < 0)
		return err->code != 0 ? -err->code : -ENOMEM;
	if (now->cancelled)
		buf_puts(&run->text, "[ended by bash_stop, with all it had started]\n");
	run->own = run->text.len;
	return json_object_set_new(run->structured, "stopped", json_boolean(now->cancelled)) < 0 ||
			       json_object_set_new(run->structured, "running", json_false()) < 0
		       ? err_nomem(err)
		       : 0;
}

int
background_report(struct tool_run *run, struct background *b, struct ambit_error *err)
{
	auto_free char *held = NULL;
	struct ambit_executed now;
	bool ended;
	int r;

	pthread_mutex_lock(&b->all->lock);
	ended = b->ended;
	r = take_news(b, &now, &held);
	if (r == 0 && ended && !b->forgotten)
		unlink_background(b);
	pthread_mutex_unlock(&b->all->lock);
	if (r < 0)
		err_nomem(err);
	else if (ended)
		r = report_end(run, b, &now, err);
	else
		r = bash_report_running(run, b->command, &now, held, err);
	if (r == 0 && json_set_text(run->structured, "id", b->id) < 0)
		r = err_nomem(err);
	free(now.out.text);
	free(now.err.text);
	return r;
}

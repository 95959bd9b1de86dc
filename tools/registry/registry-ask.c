/* SPDX-License-Identifier: Apache-2.0 */
/* A request into an answer that somebody gave. Each call waits in its own thread and
 * puts its own question there, without the lock, so that all others go on. Two calls
 * that wait for the same question: one puts it, both are answered. The session's
 * approver shows one question at a time; a call's own asker is its own affair. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "ask/judge/judge-ask.h"
#include "ask/question-copy.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/questions.h"
#include "tools/registry/registry-private.h"

/* One call on its way to an answer. */
struct asking {
	struct ambit_registry *registry;
	const struct ambit_call_options *options;
	struct waiter self;
	uint64_t ticket; /* 0: the question is another engine's */
	bool nobody;
	uint64_t told; /* the question that those who watch heard of, and what it was */
	char *told_about;
	uint64_t judged; /* the question that the judge was asked; 0: none */
	struct ambit_error *err;
};

void
registry_wake(struct ambit_registry *registry)
{
	for (const struct waiter *w = registry->waiters; w; w = w->next)
		eventfd_write(w->fd, 1);
}

static void
notify_watch(struct ambit_registry *registry)
{
	if (registry->watch.noticed)
		registry->watch.noticed(registry->watch.data);
}

bool
registry_is_watched(const struct ambit_registry *registry)
{
	return registry->watch.watched && registry->watch.watched(registry->watch.data);
}

/* Once for each showing: whoever looks wakes those who wait, and they come by here. */
static void
notice_put(struct asking *a, const struct ambit_question *question)
{
	if (a->told == question->id && a->told_about && streq(a->told_about, question->outcome))
		return;
	free(a->told_about);
	a->told = question->id;
	a->told_about = str_dup(question->outcome);
	notify_watch(a->registry);
}

static int
add_waiter(struct asking *a)
{
	struct waiter **at = &a->registry->waiters;

	a->self.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->self.fd < 0)
		return err_sys(a->err, errno, "cannot wait for an answer");
	while (*at)
		at = &(*at)->next;
	*at = &a->self;
	return 0;
}

static void
remove_waiter(struct asking *a)
{
	struct waiter **at = &a->registry->waiters;

	while (*at && *at != &a->self)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = a->self.next;
	close(a->self.fd);
	free(a->told_about);
	registry_wake(a->registry);
	notify_watch(a->registry);
}

static bool
is_cancelled(const struct ambit_call_options *options)
{
	struct pollfd p = { .fd = options->cancel, .events = POLLIN };

	return options->cancel >= 0 && poll(&p, 1, 0) > 0;
}

/* Until something changed, the call is cancelled, or the time (0: none) has come. */
static int
wait_for_change(struct asking *a, int64_t until)
{
	struct pollfd p[2] = {
		{ .fd = a->self.fd, .events = POLLIN },
		{ .fd = a->options->cancel, .events = POLLIN },
	};
	int64_t left = until ? until - clock_now() : -1;
	eventfd_t value;

	pthread_mutex_unlock(&a->registry->lock);
	poll(p, 2, until && left < 0 ? 0 : left > 60000 ? 60000 : (int)left);
	eventfd_read(a->self.fd, &value);
	pthread_mutex_lock(&a->registry->lock);
	return is_cancelled(a->options) ? -ECANCELED : 0;
}

/* -- while it is put ------------------------------------------------------------------- */

/* While somebody is shown the question, another thread looks out: for the cancelling of
 * the call, and for the question being settled without an answer from there. */
struct lookout {
	struct asking *a;
	struct ambit_approver *approver;       /* NULL: it was put to the caller */
	int judge;			       /* or to the judge: readable when he stops; -1 */
	const struct ambit_question *question; /* as it was shown */
	uint64_t put;			       /* its id, as it was shown */
	int stop;
};

/* Whether what the ticket waits for is still this. It may be asked about anew under the
 * same id, with another content: what was said to the one is no answer to the other.
 * With the lock. */
static bool
is_open(struct asking *a, const struct ambit_question *question)
{
	struct ambit_question now = { 0 };
	bool open;

	if (a->ticket == 0)
		return true;
	open = engine_question_of(a->registry->engine, a->ticket, &now, NULL) == 1 &&
	       question_same(&now, question);
	question_finish(&now);
	return open;
}

static void
withdraw_question(const struct lookout *l)
{
	const struct ambit_call_options *options = l->a->options;

	if (l->judge >= 0)
		eventfd_write(l->judge, 1);
	else if (l->approver)
		l->approver->cancel(l->approver, l->put);
	else
		options->withdraw(options->data, l->put);
}

static void *
watch_open_question(void *data)
{
	struct lookout *l = data;
	struct asking *a = l->a;
	bool open = true;

	while (open) {
		struct pollfd p[3] = {
			{ .fd = l->stop, .events = POLLIN },
			{ .fd = a->self.fd, .events = POLLIN },
			{ .fd = a->options->cancel, .events = POLLIN },
		};
		eventfd_t value;

		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return NULL;
		if (p[0].revents)
			return NULL;
		eventfd_read(a->self.fd, &value);
		pthread_mutex_lock(&a->registry->lock);
		open = !p[2].revents && is_open(a, l->question);
		pthread_mutex_unlock(&a->registry->lock);
	}
	withdraw_question(l);
	return NULL;
}

/* Without the lock. */
static int
ask_with_lookout(struct asking *a, struct ambit_approver *approver, uint64_t put,
	const struct ambit_question *question, struct ambit_answer *ret_answer)
{
	const struct ambit_call_options *options = a->options;
	struct ambit_question shown = *question;
	auto_close int stop = eventfd(0, EFD_CLOEXEC);
	struct lookout l = { a, approver, -1, question, put, stop };
	bool watched = approver ? approver->cancel != NULL : options->withdraw != NULL;
	pthread_t thread;
	int r;

	shown.id = put;
	watched =
		watched && stop >= 0 && pthread_create(&thread, NULL, watch_open_question, &l) == 0;
	r = approver ? approver->ask(approver, &shown, ret_answer, a->err)
		     : options->ask(options->data, &shown, ret_answer, a->err);
	if (watched) {
		eventfd_write(stop, 1);
		pthread_join(thread, NULL);
	}
	return r == -EAGAIN ? -EIO : r;
}

/* -- the judge --------------------------------------------------------------------------- */

/* True if he said yes. Without the lock. */
static bool
show_judge(struct asking *a, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *why)
{
	struct ambit_judge *judge = engine_judge(a->registry->engine);
	auto_close int stop = eventfd(0, EFD_CLOEXEC), ended = eventfd(0, EFD_CLOEXEC);
	struct lookout l = { a, NULL, ended, question, question->id, stop };
	pthread_t thread;
	int r;

	/* Whom nobody could stop is not asked. */
	if (stop < 0 || ended < 0 || pthread_create(&thread, NULL, watch_open_question, &l) != 0)
		return false;
	r = judge_ask(judge, question, ended, ret_answer, why);
	eventfd_write(stop, 1);
	pthread_join(thread, NULL);
	return r == 0;
}

/* -- the session's approver ------------------------------------------------------------ */

static bool
is_my_turn(const struct asking *a)
{
	const struct waiter *w = a->registry->waiters;

	if (a->registry->approver_busy)
		return false;
	while (w && !w->wants_approver)
		w = w->next;
	return w == &a->self;
}

/* -EAGAIN: it is somebody else's turn. With the lock, which it lets go meanwhile. */
static int
put_to_approver(struct asking *a, struct ambit_approver *approver,
	const struct ambit_question *question, struct ambit_answer *ret_answer)
{
	struct ambit_registry *registry = a->registry;
	uint64_t put;
	int r;

	a->self.wants_approver = true;
	if (!is_my_turn(a))
		return -EAGAIN;
	registry->approver_busy = true;
	a->self.wants_approver = false;
	a->self.asking = a->ticket ? question->id : 0;
	put = ++registry->last_put;
	pthread_mutex_unlock(&registry->lock);
	r = ask_with_lookout(a, approver, put, question, ret_answer);
	pthread_mutex_lock(&registry->lock);
	registry->approver_busy = false;
	a->self.asking = 0;
	registry_wake(registry);
	return r;
}

/* -- a question ------------------------------------------------------------------------ */

static int
put_to_caller(
	struct asking *a, const struct ambit_question *question, struct ambit_answer *ret_answer)
{
	int r;

	a->self.asking = question->id;
	pthread_mutex_unlock(&a->registry->lock);
	r = ask_with_lookout(a, NULL, question->id, question, ret_answer);
	pthread_mutex_lock(&a->registry->lock);
	a->self.asking = 0;
	return r;
}

static bool
is_asked_by_other(const struct asking *a, uint64_t question)
{
	for (const struct waiter *w = a->registry->waiters; w; w = w->next)
		if (w != &a->self && w->asking == question)
			return true;
	return false;
}

static const char *
answers_by(const struct asking *a, const struct ambit_approver *approver)
{
	const char *name = a->options->ask ? a->options->approver : approver->name;

	return name ? name : "caller";
}

/* True if he said yes. With the lock, which it lets go meanwhile. */
static bool
put_to_judge(
	struct asking *a, const struct ambit_question *question, struct ambit_answer *ret_answer)
{
	struct ambit_error why = { 0 };
	bool yes;

	a->judged = a->self.asking = question->id;
	pthread_mutex_unlock(&a->registry->lock);
	yes = show_judge(a, question, ret_answer, &why);
	pthread_mutex_lock(&a->registry->lock);
	if (!yes) {
		engine_passed(a->registry->engine, question, &why);
		notify_watch(a->registry);
	}
	a->self.asking = 0;
	registry_wake(a->registry);
	return yes;
}

/* Before anybody else is asked, and also where nobody else is; once. 0: look again; 1: it
 * is for the others; -ECANCELED. */
static int
ask_judge(struct asking *a, const struct ambit_question *question)
{
	struct ambit_engine *engine = a->registry->engine;
	struct ambit_answer answer = { 0 };
	bool yes;
	int r;

	if (!question->judge || !engine_judge(engine) || a->judged == question->id)
		return 1;
	yes = put_to_judge(a, question, &answer);
	if (is_cancelled(a->options))
		return -ECANCELED;
	if (!is_open(a, question))
		return 0;
	if (!yes)
		return 1;
	r = engine_answer(engine, question->id, &answer, "judge", a->err);
	if (r < 0)
		engine_decline(engine, question->id, r, a->err->text);
	registry_wake(a->registry);
	notify_watch(a->registry);
	return 0;
}

/* Puts the question if it is time to. 0: look again; -ECANCELED, -EINPROGRESS. */
static int
put_due_question(struct asking *a, const struct ambit_question *question)
{
	struct ambit_engine *engine = a->registry->engine;
	struct ambit_approver *approver = engine_approver(engine);
	struct ambit_answer answer = { 0 };
	int r;

	if (is_asked_by_other(a, question->id)) {
		/* Whoever else wants the approver does not wait for that. */
		a->self.wants_approver = false;
		return wait_for_change(a, question->expires);
	}
	*a->err = (struct ambit_error){ 0 };
	r = ask_judge(a, question);
	if (r <= 0)
		return r;
	a->nobody = !a->options->ask && !approver;
	if (a->nobody && registry_is_watched(a->registry)) {
		a->nobody = false;
		return wait_for_change(a, question->expires);
	}
	if (a->nobody) {
		engine_decline(engine, question->id, ENOENT, "nobody is here to ask");
		return 0;
	}
	r = a->options->ask ? put_to_caller(a, question, &answer)
			    : put_to_approver(a, approver, question, &answer);
	if (r == -EAGAIN)
		return wait_for_change(a, question->expires);
	if (r == -EINPROGRESS)
		return r;
	if (r < 0 && is_cancelled(a->options))
		return -ECANCELED;
	if (!is_open(a, question))
		return 0;
	/* One that is there in nobody's place. */
	a->nobody = r == -ENOENT && !a->options->ask && approver->instant;
	if (r == 0)
		r = engine_answer(engine, question->id, &answer, answers_by(a, approver), a->err);
	if (r < 0)
		engine_decline(engine, question->id, r, a->err->text);
	registry_wake(a->registry);
	notify_watch(a->registry);
	return 0;
}

/* With the lock. */
static int
wait_for_answer(struct asking *a, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_question **ret_question)
{
	struct ambit_engine *engine = a->registry->engine;
	struct ambit_question question;
	int r;

	for (;;) {
		r = engine_collect(engine, a->ticket, ret_outcome, ret_permit, a->err);
		if (r != -EAGAIN)
			return r;
		question = (struct ambit_question){ 0 };
		r = engine_question_of(engine, a->ticket, &question, a->err);
		if (r > 0) {
			notice_put(a, &question);
			r = put_due_question(a, &question);
		}
		if (r == -EINPROGRESS && ret_question) {
			*ret_question = malloc(sizeof(**ret_question));
			if (*ret_question)
				**ret_question = question;
			else
				r = -ENOMEM;
		}
		if (r != -EINPROGRESS || !ret_question)
			question_finish(&question);
		if (r < 0) {
			engine_withdraw(engine, a->ticket);
			return r;
		}
	}
}

int
registry_settle(struct ambit_registry *registry, struct ambit_request *request,
	const struct ambit_call_options *options, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_question **ret_question, bool *ret_asked,
	bool *ret_nobody, struct ambit_error *err)
{
	struct asking a = { .registry = registry, .options = options, .err = err };
	int r;

	pthread_mutex_lock(&registry->lock);
	r = engine_submit(registry->engine, request, ret_outcome, ret_permit, &a.ticket, err);
	if (r > 0) {
		r = add_waiter(&a);
		if (r < 0) {
			engine_withdraw(registry->engine, a.ticket);
		} else {
			if (options->waits)
				options->waits(options->data, true);
			r = wait_for_answer(&a, ret_outcome, ret_permit, ret_question);
			remove_waiter(&a);
			if (options->waits)
				options->waits(options->data, false);
		}
	}
	pthread_mutex_unlock(&registry->lock);
	*ret_asked = a.ticket != 0;
	*ret_nobody = a.nobody;
	return r;
}

/* -- of another engine's --------------------------------------------------------------- */

/* Nobody here: but who watches sees the session that asks, too, and answers there. Until
 * it is withdrawn, then. */
static int
wait_for_watcher(struct asking *a, const struct ambit_question *question)
{
	int r = 0;

	pthread_mutex_lock(&a->registry->lock);
	if (registry_is_watched(a->registry))
		r = add_waiter(a);
	while (r == 0 && registry_is_watched(a->registry)) {
		if (wait_for_change(a, question->expires) < 0)
			r = err_set(a->err, ECANCELED, "the call was cancelled");
		else if (question->expires && question->expires <= clock_now())
			r = err_set(a->err, ETIMEDOUT, "nobody answered in time");
	}
	remove_waiter(a);
	pthread_mutex_unlock(&a->registry->lock);
	return r < 0 ? r : err_set(a->err, ENOENT, "nobody is here to ask");
}

/* 0: the judge said yes; 1: he did not. The call's own descriptor ends him. */
static int
judge_crossing(
	struct asking *a, const struct ambit_question *question, struct ambit_answer *ret_answer)
{
	struct ambit_engine *engine = a->registry->engine;
	struct ambit_error why;
	bool yes = judge_ask(engine_judge(engine), question, a->options->cancel, ret_answer,
			   &why) == 0;

	if (!yes && why.code != 0) {
		pthread_mutex_lock(&a->registry->lock);
		engine_passed(engine, question, &why);
		pthread_mutex_unlock(&a->registry->lock);
	}
	if (is_cancelled(a->options))
		return err_set(a->err, ECANCELED, "the call was cancelled");
	return yes ? 0 : 1;
}

static int
put_crossing(struct ambit_registry *registry, const struct ambit_call_options *options,
	const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct asking a = { .registry = registry, .options = options, .err = err };
	struct ambit_approver *approver = engine_approver(registry->engine);
	int r;

	if (options->ask) {
		r = options->ask(options->data, question, ret_answer, err);
		return r == -EINPROGRESS
			       ? err_set(err, ECANCELED,
					 "a command that runs cannot wait for another call")
			       : r;
	}
	if (!approver)
		return wait_for_watcher(&a, question);
	pthread_mutex_lock(&registry->lock);
	r = add_waiter(&a);
	if (r == 0) {
		while ((r = put_to_approver(&a, approver, question, ret_answer)) == -EAGAIN)
			if (wait_for_change(&a, question->expires) < 0) {
				r = err_set(err, ECANCELED, "the call was cancelled");
				break;
			} else if (question->expires && question->expires <= clock_now()) {
				r = err_set(err, ETIMEDOUT, "nobody answered in time");
				break;
			}
		remove_waiter(&a);
	}
	pthread_mutex_unlock(&registry->lock);
	return r;
}

int
registry_put(struct ambit_registry *registry, const struct ambit_call_options *options,
	const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct asking a = { .registry = registry, .options = options, .err = err };
	int r = judge_crossing(&a, question, ret_answer);

	if (r <= 0)
		return r;
	r = put_crossing(registry, options, question, ret_answer, err);
	if (r == 0 && ret_answer->kind < AMBIT_ONCE)
		judge_overrule(engine_judge(registry->engine), question);
	return r;
}

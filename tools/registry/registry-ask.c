/* SPDX-License-Identifier: Apache-2.0 */
/* Tool calls at the desk. A call waits in its own thread. If it brings its own way to ask, that is
 * a channel of the desk for this call alone, and the waiting thread puts the question there. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ask/question-copy.h"
#include "base/err.h"
#include "base/fd.h"
#include "engine/questions.h"
#include "tools/registry/registry-private.h"

/* One call on its way to an answer. */
struct asking {
	struct desk_channel channel; /* the call's own */
	struct ambit_registry *registry;
	const struct ambit_call_options *options;
	uint64_t ticket;
	int wake; /* readable when something came */
	pthread_mutex_t lock;
	/* With the lock: */
	struct ambit_question offered; /* to the channel; id 0: none */
	uint64_t put;		       /* the question that the waiting thread puts now */
	bool done;
	struct ambit_outcome *ret_outcome;
	struct ambit_permit *permit;
	/* For a crossing: */
	struct ambit_answer *ret_answer;
	struct ambit_error *err;
	int r;
};

/* -- in the desk's thread ------------------------------------------------------------ */

static int
offer_to_call(struct desk_channel *channel, const struct ambit_question *question)
{
	struct asking *a = (struct asking *)channel;
	struct ambit_question copy;

	if (question_copy(question, &copy) < 0)
		return -ENOMEM;
	pthread_mutex_lock(&a->lock);
	question_finish(&a->offered);
	a->offered = copy;
	pthread_mutex_unlock(&a->lock);
	eventfd_write(a->wake, 1);
	return 0;
}

static void
withdraw_from_call(struct desk_channel *channel, uint64_t question, const char *how)
{
	struct asking *a = (struct asking *)channel;
	bool put;

	pthread_mutex_lock(&a->lock);
	put = a->put == question;
	if (a->offered.id == question)
		question_finish(&a->offered);
	pthread_mutex_unlock(&a->lock);
	if (put && a->options->withdraw)
		a->options->withdraw(a->options->data, question, how);
}

static const struct desk_channel_type call_channel = {
	.offer = offer_to_call,
	.withdraw = withdraw_from_call,
};

static void
take_done(void *data, uint64_t ticket, struct ambit_outcome *outcome, struct ambit_permit *permit)
{
	struct asking *a = data;

	(void)ticket;
	pthread_mutex_lock(&a->lock);
	*a->ret_outcome = *outcome;
	a->permit = permit;
	a->done = true;
	pthread_mutex_unlock(&a->lock);
	eventfd_write(a->wake, 1);
}

static void
take_said(void *data, const struct ambit_answer *answer, int error, const char *why)
{
	struct asking *a = data;

	pthread_mutex_lock(&a->lock);
	if (answer)
		*a->ret_answer = *answer;
	else
		a->r = err_set(a->err, error, "%s", why);
	a->done = true;
	pthread_mutex_unlock(&a->lock);
	eventfd_write(a->wake, 1);
}

/* -- in the call's thread ------------------------------------------------------------ */

static bool
is_cancelled(const struct asking *a)
{
	struct pollfd p = { .fd = a->options->cancel, .events = POLLIN };

	return a->options->cancel >= 0 && poll(&p, 1, 0) > 0;
}

static void
wait_for_news(struct asking *a)
{
	struct pollfd p[2] = {
		{ .fd = a->wake, .events = POLLIN },
		{ .fd = a->options->cancel, .events = POLLIN },
	};
	eventfd_t value;

	poll(p, 2, -1);
	eventfd_read(a->wake, &value);
}

/* The question that the call's own channel was offered. False: none, or it is done. */
static bool
take_offered(struct asking *a, struct ambit_question *ret_question)
{
	bool offered;

	pthread_mutex_lock(&a->lock);
	offered = a->offered.id != 0 && !a->done;
	if (offered) {
		*ret_question = a->offered;
		a->offered = (struct ambit_question){ 0 };
		a->put = ret_question->id;
	}
	pthread_mutex_unlock(&a->lock);
	return offered;
}

/* 0, or -EINPROGRESS: the answer will come with another call. */
static int
put_offered(struct asking *a, const struct ambit_question *question)
{
	struct ambit_answer answer = { 0 };
	struct ambit_error why = { 0 };
	int r = a->options->ask(a->options->data, question, &answer, &why);

	pthread_mutex_lock(&a->lock);
	a->put = 0;
	pthread_mutex_unlock(&a->lock);
	if (r == -EINPROGRESS)
		return r;
	if (r == 0)
		r = desk_answer(&a->channel, question->id, &answer, &why);
	if (r < 0)
		desk_pass(&a->channel, question->id, -r, why.text);
	return 0;
}

static bool
is_done(struct asking *a)
{
	bool done;

	pthread_mutex_lock(&a->lock);
	done = a->done;
	pthread_mutex_unlock(&a->lock);
	return done;
}

/* 0: done; -ECANCELED; -EINPROGRESS, with the question (unless ret_question is NULL). */
static int
wait_for_end(struct asking *a, struct ambit_question **ret_question)
{
	int r = 0;

	while (r == 0 && !is_done(a)) {
		struct ambit_question question = { 0 };

		if (is_cancelled(a))
			return -ECANCELED;
		if (!take_offered(a, &question)) {
			wait_for_news(a);
			continue;
		}
		r = put_offered(a, &question);
		if (r < 0 && ret_question && (*ret_question = malloc(sizeof(question))) != NULL)
			**ret_question = question;
		else
			question_finish(&question);
		if (r < 0 && ret_question && !*ret_question)
			r = -ENOMEM;
	}
	return r;
}

static int
asking_init(struct asking *a, struct ambit_registry *registry,
	const struct ambit_call_options *options, struct ambit_error *err)
{
	const char *name = options->approver ? options->approver : "caller";

	*a = (struct asking){
		.channel = { .type = &call_channel, .name = name, .row = channel_row_find(name) },
		.registry = registry,
		.options = options,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.err = err,
	};
	return a->wake < 0 ? err_sys(err, errno, "cannot wait for an answer") : 0;
}

static struct desk_channel *
own_channel(struct asking *a)
{
	return a->options->ask ? &a->channel : NULL;
}

static void
asking_finish(struct asking *a, int r)
{
	desk_leave(a->registry->desk, a->ticket, own_channel(a),
		r == -EINPROGRESS ? "withdrawn: it is asked with the result"
				  : "withdrawn: the call was cancelled");
	question_finish(&a->offered);
	pthread_mutex_destroy(&a->lock);
	close(a->wake);
}

static void
tell_waiting(const struct ambit_call_options *options, bool begins)
{
	if (options->waits)
		options->waits(options->data, begins);
}

/* It was settled for good when the call was given up. */
static void
drop_permit(struct asking *a)
{
	if (!a->permit)
		return;
	desk_lock(a->registry->desk);
	ambit_permit_finish(a->permit, -ECANCELED, NULL);
	desk_unlock(a->registry->desk);
}

int
registry_settle(struct ambit_registry *registry, struct ambit_request *request,
	const struct ambit_call_options *options, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_question **ret_question, bool *ret_asked,
	struct ambit_error *err)
{
	struct asking a;
	struct desk_client client = { .done = take_done, .data = &a };
	int r = asking_init(&a, registry, options, err);

	if (r < 0) {
		ambit_request_destroy(request);
		return r;
	}
	a.ret_outcome = ret_outcome;
	client.own = own_channel(&a);
	r = desk_submit(registry->desk, request, &client, ret_outcome, &a.permit, &a.ticket, err);
	*ret_asked = a.ticket != 0;
	if (r == 1) {
		tell_waiting(options, true);
		r = wait_for_end(&a, ret_question);
		tell_waiting(options, false);
	}
	asking_finish(&a, r);
	if (r < 0)
		drop_permit(&a);
	else
		*ret_permit = a.permit;
	return r;
}

/* -- questions of another engine's --------------------------------------------------- */

static int
begin_crossing(struct asking *a, struct registry_crossing *crossing,
	const struct ambit_question *question, const struct desk_client *client)
{
	int r;

	pthread_mutex_lock(&crossing->lock);
	if (crossing->withdrawn == question->id)
		r = err_set(a->err, ECANCELED, "the question was withdrawn");
	else
		r = desk_put(a->registry->desk, question, client, &a->ticket, a->err);
	crossing->question = question->id;
	crossing->ticket = r == 0 ? a->ticket : 0;
	pthread_mutex_unlock(&crossing->lock);
	return r;
}

static void
end_crossing(struct registry_crossing *crossing)
{
	pthread_mutex_lock(&crossing->lock);
	crossing->ticket = 0;
	pthread_mutex_unlock(&crossing->lock);
}

void
registry_withdraw(struct ambit_registry *registry, struct registry_crossing *crossing,
	uint64_t question, const char *how)
{
	uint64_t ticket;

	pthread_mutex_lock(&crossing->lock);
	crossing->withdrawn = question;
	ticket = crossing->question == question ? crossing->ticket : 0;
	pthread_mutex_unlock(&crossing->lock);
	if (ticket != 0)
		desk_cancel(registry->desk, ticket, how);
}

int
registry_put(struct ambit_registry *registry, const struct ambit_call_options *options,
	struct registry_crossing *crossing, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct asking a;
	struct desk_client client = { .said = take_said, .data = &a };
	int r = asking_init(&a, registry, options, err);

	if (r < 0)
		return r;
	a.ret_answer = ret_answer;
	client.own = own_channel(&a);
	r = begin_crossing(&a, crossing, question, &client);
	if (r == 0)
		r = wait_for_end(&a, NULL);
	end_crossing(crossing);
	asking_finish(&a, r);
	if (r == -ECANCELED)
		return err_set(err, ECANCELED, "the call was cancelled");
	if (r == -EINPROGRESS)
		return err_set(err, ECANCELED, "a command that runs cannot wait for another call");
	return r < 0 ? r : a.r;
}

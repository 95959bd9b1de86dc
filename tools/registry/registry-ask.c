/* SPDX-License-Identifier: Apache-2.0 */
/* Tool calls at the desk. A call waits in its own thread. If it brings its own way to ask, that is
 * a channel of the desk for this call alone, and the waiting thread puts the question there. A
 * client that takes the question away and answers with another call (-EINPROGRESS) leaves a parked
 * one behind, so that others can answer meanwhile. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ask/question-copy.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/questions.h"
#include "request/request-private.h"
#include "tools/registry/registry-private.h"

/* One call on its way to an answer. */
struct asking {
	struct desk_channel channel; /* the call's own */
	struct ambit_registry *registry;
	const struct ambit_call_options *options;
	struct desk_channel *own; /* what the desk was given, once options are gone; or NULL */
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

	pthread_mutex_lock(&a->lock);
	if (a->offered.id == question)
		question_finish(&a->offered);
	/* With the lock, put says that the call's thread is in its ask: the options are there. */
	if (a->put == question && a->options->withdraw)
		a->options->withdraw(a->options->data, question, how);
	pthread_mutex_unlock(&a->lock);
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

/* 0, -ECANCELED, or -EINPROGRESS: the answer will come with another call. */
static int
put_offered(struct asking *a, const struct ambit_question *question)
{
	struct ambit_answer answer = { 0 };
	struct ambit_error why = { 0 };
	int r = a->options->ask(a->options->data, question, &answer, &why);

	pthread_mutex_lock(&a->lock);
	a->put = 0;
	pthread_mutex_unlock(&a->lock);
	/* A cancelled call leaves the desk without a pass. With a pass, the same call made again
	 * would be asked about at once, and the answer used for this one. */
	if (r == -EINPROGRESS || (r == -ECANCELED && is_cancelled(a)))
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
	return a->options->ask ? &a->channel : a->own;
}

static void
asking_finish(struct asking *a)
{
	desk_leave(
		a->registry->desk, a->ticket, own_channel(a), "withdrawn: the call was cancelled");
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

/* -- calls whose client has the question ---------------------------------------------- */

#define PARKED_MAX 64
#define PARKED_MS (10 * 60 * 1000) /* of a question that does not expire */

/* One that waits at the desk without a thread, until the client makes the same call again. */
struct parked {
	struct parked *next;
	char *key;
	int64_t until;
	struct asking a;
	struct ambit_outcome outcome;
};

/* Equal for the same call of the same client. */
static char *
parked_key(const struct ambit_request *request)
{
	auto_free char *call = request_exact_key(request);

	return call ? str_printf("%llu %s", (unsigned long long)request->origin, call) : NULL;
}

static void
parked_destroy(struct parked *parked)
{
	if (!parked)
		return;
	asking_finish(&parked->a);
	drop_permit(&parked->a);
	ambit_outcome_finish(&parked->outcome);
	free(parked->key);
	free(parked);
}

/* Takes one out of the list: with this key; or, without a key, one that is past its time or too
 * many. */
static struct parked *
take_parked(struct ambit_registry *registry, const char *key)
{
	struct parked **at = &registry->parked, *found;
	size_t n = 0;

	pthread_mutex_lock(&registry->parking);
	while (*at &&
		!(key ? streq((*at)->key, key) : n++ >= PARKED_MAX || (*at)->until <= clock_now()))
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&registry->parking);
	return found;
}

void
registry_forget_parked(struct ambit_registry *registry)
{
	while (registry->parked) {
		struct parked *parked = registry->parked;

		registry->parked = parked->next;
		parked_destroy(parked);
	}
}

/* The client has the question until it expires; others may answer it meanwhile. False: it was
 * settled just now, and the client is asked in vain. */
static bool
park_call(struct parked *parked, const struct ambit_question *question)
{
	static const struct ambit_call_options none = { .cancel = -1 };
	struct ambit_registry *registry = parked->a.registry;
	struct parked *old;
	bool done;

	pthread_mutex_lock(&parked->a.lock);
	done = parked->a.done;
	if (!done) {
		parked->a.ret_outcome = &parked->outcome;
		parked->a.own = own_channel(&parked->a);
		parked->a.options = &none;
	}
	pthread_mutex_unlock(&parked->a.lock);
	if (done)
		return false;
	parked->until = question->expires != 0 ? question->expires : clock_now() + PARKED_MS;
	desk_limit(registry->desk, parked->a.ticket, parked->until);
	while ((old = take_parked(registry, NULL)) != NULL)
		parked_destroy(old);
	pthread_mutex_lock(&registry->parking);
	parked->next = registry->parked;
	registry->parked = parked;
	pthread_mutex_unlock(&registry->parking);
	return true;
}

/* Somebody else has answered it meanwhile, and in time. */
static bool
was_answered(struct parked *parked)
{
	struct asking *a = &parked->a;
	bool taken = desk_take(a->registry->desk, a->ticket, &parked->outcome, &a->permit);

	/* An empty outcome: its time was up. */
	return (taken || is_done(a)) && parked->outcome.reason && parked->until > clock_now();
}

/* The same call again; takes the request. A no holds. A yes holds if the call would still be asked
 * about: modes and rules may have changed since. */
static int
take_parked_end(struct parked *parked, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err)
{
	int r = 1;

	if (parked->outcome.verdict == AMBIT_ALLOW)
		r = desk_try(parked->a.registry->desk, request, ret_outcome, ret_permit, err);
	else
		ambit_request_destroy(request);
	if (r != 1)
		return r;
	*ret_outcome = parked->outcome;
	*ret_permit = steal_ptr(&parked->a.permit);
	parked->outcome = (struct ambit_outcome){ 0 };
	return 0;
}

/* -- a call ---------------------------------------------------------------------------- */

static int
settle_call(struct parked *call, struct parked *before, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_question **ret_question,
	struct ambit_error *err)
{
	struct asking *a = &call->a;
	const struct ambit_call_options *options = a->options;
	const struct desk_client client = {
		.done = take_done,
		.data = a,
		.own = own_channel(a),
	};
	int r;

	a->ret_outcome = ret_outcome;
	r = desk_submit(
		a->registry->desk, request, &client, ret_outcome, &a->permit, &a->ticket, err);
	/* After the new one has joined the question, so that nobody sees it end; and before it is
	 * answered, so that the answer is for the new one. */
	parked_destroy(before);
	if (r == 1) {
		tell_waiting(options, true);
		r = wait_for_end(a, ret_question);
		tell_waiting(options, false);
		/* Allowed and cancelled at once: nobody wants it any more. */
		if (r == 0 && is_cancelled(a))
			r = -ECANCELED;
	}
	return r;
}

/* Only a client that answers with another call (before) leaves something behind. */
static struct parked *
make_call(struct ambit_registry *registry, const struct ambit_request *request,
	const struct ambit_call_options *options, struct ambit_error *err)
{
	struct parked *call = calloc(1, sizeof(*call));

	if (call && options->ask && options->before)
		call->key = parked_key(request);
	if (!call || (options->ask && options->before && !call->key))
		err_nomem(err);
	else if (asking_init(&call->a, registry, options, err) == 0)
		return call;
	free(call ? call->key : NULL);
	free(call);
	return NULL;
}

int
registry_settle(struct ambit_registry *registry, struct ambit_request *request,
	const struct ambit_call_options *options, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_question **ret_question, bool *ret_asked,
	struct ambit_error *err)
{
	struct parked *call = make_call(registry, request, options, err), *before;
	int r = 0;

	if (!call) {
		ambit_request_destroy(request);
		return -ENOMEM;
	}
	before = call->key ? take_parked(registry, call->key) : NULL;
	/* It comes back with the answer: that is no call more. */
	request->again |= before != NULL;
	*ret_asked = true;
	if (before && was_answered(before)) {
		r = take_parked_end(before, request, ret_outcome, ret_permit, err);
		parked_destroy(before);
	} else {
		r = settle_call(call, before, request, ret_outcome, ret_question, err);
		*ret_asked = call->a.ticket != 0;
		if (r == -EINPROGRESS && call->key && park_call(call, *ret_question))
			return r;
		if (r == 0)
			*ret_permit = steal_ptr(&call->a.permit);
	}
	parked_destroy(call);
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
	asking_finish(&a);
	if (r == -ECANCELED)
		return err_set(err, ECANCELED, "the call was cancelled");
	if (r == -EINPROGRESS)
		return err_set(err, ECANCELED, "a command that runs cannot wait for another call");
	return r < 0 ? r : a.r;
}

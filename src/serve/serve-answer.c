/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of a job, and their answers. A question is the reply to the request that
 * waits for the job; the request that brings the answer waits for it from then on. An
 * answer that comes too late is not used, and its request gets what came instead: the
 * next question, or the end. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "serve.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "ask/question-wire.h"

#define LONGEST_MS (24 * 3600 * 1000) /* between two looks at the clock */

/* With the lock: the open question as what the client is told next. */
static json_t *
tell_question(struct job *job)
{
	char handle[64];

	job->told = job->asked;
	snprintf(handle, sizeof(handle), "%s-%llu", job->name, (unsigned long long)job->asked);
	return json_pack("{s:s s:o}", "pending", handle, "question", question_json(job->question));
}

/* With the lock. The same call, with a question that is not answered yet; or NULL. */
static struct job *
find_same_open(const struct client *client, const char *same)
{
	for (struct job *job = client->jobs; job != NULL; job = job->next)
		if (same[0] != '\0' && streq(job->same, same) && job->question != NULL &&
			!job->answered && !job->unwanted)
			return job;
	return NULL;
}

bool
job_tell_same(struct client *client, const char *same, const json_t *id)
{
	json_t *result = NULL;
	struct job *job;

	pthread_mutex_lock(&client->lock);
	job = find_same_open(client, same);
	if (job != NULL)
		result = tell_question(job);
	pthread_mutex_unlock(&client->lock);
	if (job == NULL)
		return false;
	if (result != NULL)
		rpc_result(&client->out, id, result);
	else
		rpc_error(&client->out, id, RPC_INTERNAL, "out of memory", NULL);
	return true;
}

/* The same call has an open question already: the request gets its handle, and this job ends, since
 * the call is done once. */
static void
join_same(struct job *job)
{
	struct client *client = job->client;
	json_t *id = NULL, *result = NULL;
	struct job *open = NULL;

	pthread_mutex_lock(&client->lock);
	/* The other one may have been quicker (tell_joined). */
	if (!job->unwanted && job->question == NULL)
		open = find_same_open(client, job->same);
	if (open != NULL) {
		id = steal_ptr(&job->id);
		result = tell_question(open);
		job->unwanted = true;
	}
	pthread_mutex_unlock(&client->lock);
	if (open == NULL)
		return;
	if (id != NULL)
		rpc_result(&client->out, id, result);
	json_decref(id);
	calls_cancel(client->calls, job->name);
}

/* No call waits for another's question. One that waits for its turn to ask, and then for
 * the answer, is counted as resting only once. With the lock it ends its wait, so that no other job
 * takes it for one that waits (take_joined). */
void
job_waits(void *data, bool begins)
{
	struct job *job = data;

	if (begins && atomic_fetch_add(&job->waits, 1) == 0) {
		calls_rest(job->client->calls);
		join_same(job);
	} else if (!begins) {
		int waits;

		pthread_mutex_lock(&job->client->lock);
		waits = atomic_fetch_sub(&job->waits, 1);
		pthread_mutex_unlock(&job->client->lock);
		if (waits == 1)
			calls_go_on(job->client->calls);
	}
}

/* -- in the job's thread ------------------------------------------------------------- */

static int
wait_for_answer(struct job *job, const struct ambit_question *question, struct ambit_error *err)
{
	struct pollfd fds[] = {
		{ .fd = job->wake, .events = POLLIN },
		{ .fd = job->cancel, .events = POLLIN },
	};

	for (;;) {
		int64_t left =
			question->expires != 0 ? question->expires - clock_now() : LONGEST_MS;
		int n;

		left = left < 0 ? 0 : left > LONGEST_MS ? LONGEST_MS : left;
		n = poll(fds, 2, (int)left);
		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "poll");
		if (n > 0 && fds[0].revents != 0)
			return 0;
		if (n > 0)
			return err_set(err, ECANCELED, "the call was cancelled");
		if (n == 0 && question->expires != 0 && question->expires <= clock_now())
			return err_set(err, ETIMEDOUT, "expired: nobody answered in time");
	}
}

/* With the lock. */
static int
take_answer(struct job *job, int r, struct ambit_answer *ret_answer, struct ambit_error *err)
{
	job->question = NULL;
	if (job->answered) {
		*ret_answer = job->answer;
		return 0;
	}
	if (r == 0 && !job->client->gone)
		return err_set(err, ECANCELED, "%s", job->how);
	return r < 0 ? r : err_set(err, EPIPE, "the harness answers no more");
}

/* With the lock: one call that waits for this job's question, and the id of the request that waits
 * for it, which the caller owns. From now on it is done by this job. NULL: there is none, or the
 * question was answered or given up meanwhile. */
static json_t *
take_joined(const struct job *job, char ret_name[sizeof(job->name)])
{
	if (job->answered || job->unwanted)
		return NULL;
	for (struct job *other = job->client->jobs; other != NULL; other = other->next)
		if (other != job && atomic_load(&other->waits) > 0 && other->question == NULL &&
			other->id != NULL && job->same[0] != '\0' &&
			streq(other->same, job->same)) {
			memcpy(ret_name, other->name, sizeof(other->name));
			other->unwanted = true;
			return steal_ptr(&other->id);
		}
	return NULL;
}

/* Calls that were there before the question was open. Those that come later find it. */
static void
tell_joined(struct job *job)
{
	struct client *client = job->client;
	char name[sizeof(job->name)];

	for (;;) {
		json_t *id, *result = NULL;

		pthread_mutex_lock(&client->lock);
		id = take_joined(job, name);
		if (id != NULL)
			result = tell_question(job);
		pthread_mutex_unlock(&client->lock);
		if (id == NULL)
			return;
		rpc_result(&client->out, id, result);
		json_decref(id);
		calls_cancel(client->calls, name);
	}
}

/* The client shows a question that has ended without its answer: it may take it off its screen. It
 * still fetches what came of the call with `answer`. */
static void
tell_closed(struct job *job, uint64_t number, const struct ambit_error *how)
{
	char handle[64];

	snprintf(handle, sizeof(handle), "%s-%llu", job->name, (unsigned long long)number);
	rpc_notify(&job->client->out, "closed",
		json_pack("{s:s s:s s:s}", "pending", handle, "how", question_end_word(how->text),
			"text", how->text));
}

static int
ask_harness(struct job *job, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct client *client = job->client;
	json_t *id, *result = NULL;
	struct ambit_error why = { 0 };
	uint64_t number;
	bool shown;
	int r;

	pthread_mutex_lock(&client->lock);
	/* A call that was cancelled may still come to ask, about what it leaves behind:
	 * its reply is that it was cancelled, and no handle. */
	if (job->unwanted || job->withdrawn == question->id) {
		err_set(err, ECANCELED, "%s", job->unwanted ? "the call was cancelled" : job->how);
		pthread_mutex_unlock(&client->lock);
		return -ECANCELED;
	}
	job->question = question;
	job->answered = false;
	number = ++job->asked;
	id = steal_ptr(&job->id);
	if (id != NULL)
		result = tell_question(job);
	if (client->gone)
		eventfd_write(job->wake, 1);
	pthread_mutex_unlock(&client->lock);
	if (id != NULL)
		rpc_result(&client->out, id, result);
	json_decref(id);
	tell_joined(job);
	job_waits(job, true);
	r = wait_for_answer(job, question, &why);
	job_waits(job, false);
	pthread_mutex_lock(&client->lock);
	r = take_answer(job, r, ret_answer, &why);
	shown = job->told == number && !job->unwanted && !client->gone;
	pthread_mutex_unlock(&client->lock);
	if (r < 0 && shown)
		tell_closed(job, number, &why);
	return r < 0 ? err_set(err, why.code, "%s", why.text) : 0;
}

int
job_ask(void *data, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct job *job = data;
	int r;

	pthread_mutex_lock(&job->turn);
	job->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = job->wake < 0 ? err_sys(err, errno, "cannot wait for an answer")
			  : ask_harness(job, question, ret_answer, err);
	fd_close_at(&job->wake);
	pthread_mutex_unlock(&job->turn);
	return r;
}

/* The program that crossed the line is gone: what the person says would open nothing.
 * Ids are never used twice, so one that comes early finds its question here. */
void
job_withdraw(void *data, uint64_t question, const char *how)
{
	struct job *job = data;

	pthread_mutex_lock(&job->client->lock);
	job->withdrawn = question;
	snprintf(job->how, sizeof(job->how), "%s", how);
	if (job->question != NULL && job->question->id == question)
		eventfd_write(job->wake, 1);
	pthread_mutex_unlock(&job->client->lock);
}

/* -- in the reader's thread ---------------------------------------------------------- */

/* What an answer leads to, besides waiting. */
struct reaction {
	int code; /* an error; 0: none */
	struct ambit_error why;
	json_t *result;	     /* the next question; or NULL */
	struct job *fetched; /* it is done: this is the reply; or NULL */
};

/* From now on the request with this id waits for the job. With the lock. */
static bool
wait_with(struct job *job, json_t *id, struct reaction *to)
{
	job->id = json_copy(id);
	if (job->id == NULL)
		to->code = RPC_INTERNAL;
	return job->id != NULL;
}

/* The question was settled without this answer: it expired, or nobody waits for it any
 * more. With the lock. */
static void
answer_late(struct client *client, struct job *job, json_t *id, struct reaction *to)
{
	if (job->done) {
		job_unlink(client, job);
		to->fetched = job;
	} else if (job->question != NULL && job->asked > job->told) {
		to->result = tell_question(job);
		if (to->result == NULL)
			to->code = RPC_INTERNAL;
	} else {
		wait_with(job, id, to);
	}
}

/* With the lock. */
static void
answer_job(struct client *client, struct job *job, uint64_t number,
	const struct rpc_message *message, struct reaction *to)
{
	if (number < job->told || job->id != NULL) {
		to->code = SERVE_NO_PENDING;
		err_set(&to->why, EALREADY, "that question was answered before");
	} else if (job->question == NULL || job->asked != number) {
		answer_late(client, job, message->id, to);
	} else if (question_answer(job->question, message->params, &job->answer, &to->why) < 0) {
		to->code = RPC_INVALID_PARAMS;
	} else if (wait_with(job, message->id, to)) {
		job->answered = true;
		eventfd_write(job->wake, 1);
	}
}

void
job_answer(struct client *client, const struct rpc_message *message)
{
	struct reaction to = { 0 };
	uint64_t number = 0;
	struct job *job;

	pthread_mutex_lock(&client->lock);
	job = job_find(client, params_text(message->params, "pending"), &number);
	/* One that was cancelled may take a moment to end: a yes must not reach it. */
	if (job != NULL && !job->unwanted && number <= job->told) {
		answer_job(client, job, number, message, &to);
	} else {
		to.code = SERVE_NO_PENDING;
		err_set(&to.why, ENOENT,
			"no call of this connection waits under that handle: it was answered or "
			"cancelled, or never was");
	}
	pthread_mutex_unlock(&client->lock);
	if (to.code != 0)
		rpc_error(&client->out, message->id, to.code,
			to.why.text[0] != '\0' ? to.why.text : "out of memory", NULL);
	else if (to.fetched != NULL)
		job_reply(client, to.fetched, json_incref(message->id));
	else if (to.result != NULL)
		rpc_result(&client->out, message->id, to.result);
	job_destroy(to.fetched);
}

void
job_no_answers(struct client *client)
{
	pthread_mutex_lock(&client->lock);
	client->gone = true;
	for (struct job *job = client->jobs; job != NULL; job = job->next)
		if (job->question != NULL)
			eventfd_write(job->wake, 1);
	pthread_mutex_unlock(&client->lock);
}

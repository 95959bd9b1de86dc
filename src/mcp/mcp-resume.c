/* SPDX-License-Identifier: Apache-2.0 */
/* A call that asks while it runs, in the modern era: a command is held at the line, and a server
 * may not send a request. The question is the result of the request that waits for the call. The
 * same call again brings the answer, and is from then on the request that waits. So at any time at
 * most one request waits for a call, and each gets one reply; what the call ends in while none does
 * is kept for a time. The client says by its sealed state (mcp-seal.c) which call it means. That
 * state may be old, or come twice: it can answer only what is still open, and the tool never runs a
 * second time for it. */

#include <stdio.h>
#include <stdlib.h>

#include "mcp-job.h"

#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#define NAMED "running " /* what is sealed in place of a question's digest: number, question */
#define KEPT_MAX 64	 /* ends that nobody has come for; then the oldest goes */
#define KEPT_MS (10 * 60 * 1000)
#define KEY_MAX 40

/* -- with mcp's lock -------------------------------------------------------------- */

/* How mcp->calls knows it while no request waits for it: like no id. */
static void
make_running_key(const struct job *job, char key[KEY_MAX])
{
	snprintf(key, KEY_MAX, "running %llu", (unsigned long long)job->number);
}

static void
unlink_job(struct job *job)
{
	struct job **at = &job->mcp->resumable;

	while (*at != NULL && *at != job)
		at = &(*at)->next;
	if (*at != NULL)
		*at = job->next;
}

static struct job *
find_running_job(const struct mcp *mcp, uint64_t number)
{
	for (struct job *job = mcp->resumable; job != NULL; job = job->next)
		if (job->number == number)
			return job;
	return NULL;
}

/* Those whose time is up, and those past KEPT_MAX; the newest is first. */
static void
drop_old_results(struct mcp *mcp)
{
	struct job **at = &mcp->resumable;
	size_t kept = 0;

	while (*at != NULL) {
		struct job *job = *at;

		if (job->done && (++kept > KEPT_MAX || job->until <= clock_steady())) {
			*at = job->next;
			call_destroy_job(job);
		} else {
			at = &job->next;
		}
	}
}

/* The open question as the result of the request that waits, if there are both. The id is the
 * caller's; no request waits any more. */
static json_t *
take_question_result(struct job *job, json_t **ret_id)
{
	auto_json json_t *none = json_object();
	auto_free char *key = job->id != NULL ? rpc_id_key(job->id) : NULL, *state = NULL;
	char other[KEY_MAX], named[SEAL_DIGEST];

	*ret_id = NULL;
	if (job->id == NULL || job->form == NULL)
		return NULL;
	make_running_key(job, other);
	/* First: the client may use the id again when it has its reply. */
	if (key != NULL)
		calls_rename(job->mcp->calls, key, other);
	*ret_id = steal_ptr(&job->id);
	json_decref(job->token);
	job->token = NULL;
	snprintf(named, sizeof(named), NAMED "%llu %s", (unsigned long long)job->number,
		job->question);
	if (none != NULL)
		state = seal_make(job->mcp->seals, job->call, named, none, job->expires);
	return modern_input(json_deep_copy(job->form), state);
}

/* -- in the thread of the call that asks ------------------------------------------ */

static int
put_running_question(
	void *data, const struct ambit_question *question, const char *id, json_t *form)
{
	struct job *job = data;
	struct mcp *mcp = job->mcp;
	json_t *result, *waits = NULL;

	pthread_mutex_lock(&mcp->lock);
	if (job->number == 0) {
		job->number = ++mcp->last_resumable;
		job->next = mcp->resumable;
		mcp->resumable = job;
	}
	job->form = form;
	job->expires = modern_expires(question);
	snprintf(job->question, sizeof(job->question), "%s", id);
	result = take_question_result(job, &waits);
	pthread_mutex_unlock(&mcp->lock);
	if (waits != NULL)
		rpc_result(&mcp->out, waits, result);
	json_decref(waits);
	return 0;
}

int
resume_ask(void *data, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct job *job = data;
	const struct asker asker = {
		.mcp = job->mcp,
		.era = &job->era,
		.cancel = job->cancel,
		.put = put_running_question,
		.data = job,
	};
	int r;

	pthread_mutex_lock(&job->turn);
	r = ask_client(&asker, question, ret_answer, err);
	pthread_mutex_lock(&job->mcp->lock);
	json_decref(job->form);
	job->form = NULL;
	pthread_mutex_unlock(&job->mcp->lock);
	pthread_mutex_unlock(&job->turn);
	return r;
}

bool
resume_keep(struct job *job)
{
	if (job->number == 0)
		return false;
	if (job->id != NULL || job->cancelled || job->failed || job->mcp->gone) {
		unlink_job(job);
		return false;
	}
	job->done = true;
	job->until = clock_steady() + KEPT_MS;
	json_decref(job->args);
	job->args = NULL;
	drop_old_results(job->mcp);
	return true;
}

/* -- in the reader's thread ------------------------------------------------------- */

bool
resume_is_named(const char *question)
{
	return str_prefix(question, NAMED);
}

int
resume_take(struct job *job, const char *question, json_t *filled)
{
	char *end = NULL;

	job->resumes = strtoull(question + strlen(NAMED), &end, 10);
	snprintf(job->question, sizeof(job->question), "%s", *end == ' ' ? end + 1 : "");
	job->filled = filled != NULL ? json_deep_copy(filled) : NULL;
	return filled != NULL && job->filled == NULL ? -ENOMEM : 0;
}

/* The request becomes the one that waits. What it brings counts if that question is open. */
static void
attach_request(struct job *job, struct job *again)
{
	auto_free char *key = rpc_id_key(again->id);
	char other[KEY_MAX];

	make_running_key(job, other);
	if (key != NULL)
		calls_rename(job->mcp->calls, other, key);
	job->id = steal_ptr(&again->id);
	job->token = steal_ptr(&again->token);
	if (again->filled == NULL || job->form == NULL || !streq(job->question, again->question))
		return;
	json_decref(job->form);
	job->form = NULL;
	ask_take_answer(job->mcp, job->question, steal_ptr(&again->filled));
}

static json_t *
make_lost_result(void)
{
	static const char words[] =
		"this call has run, and its result is not kept any more. Look at what it did "
		"before you call again.";

	return list_modern(json_pack("{s:[{s:s s:s}] s:{s:s s:s} s:b}", "content", "type", "text",
				   "text", words, "structuredContent", "error", "Timeout",
				   "message", words, "isError", 1),
		"complete");
}

void
resume_call(struct mcp *mcp, struct job *again)
{
	json_t *result = NULL, *waits = NULL;
	struct job *job, *ended = NULL;
	bool twice = false;

	pthread_mutex_lock(&mcp->lock);
	drop_old_results(mcp);
	job = find_running_job(mcp, again->resumes);
	twice = job != NULL && job->id != NULL;
	if (job != NULL && job->done) {
		unlink_job(job);
		ended = job;
	} else if (job != NULL && !twice) {
		attach_request(job, again);
		result = take_question_result(job, &waits);
	}
	pthread_mutex_unlock(&mcp->lock);
	if (twice)
		rpc_error(&mcp->out, again->id, RPC_INVALID_REQUEST,
			"another request waits for this call already", NULL);
	else if (waits != NULL)
		rpc_result(&mcp->out, waits, result);
	else if (job == NULL || ended != NULL)
		rpc_result(&mcp->out, again->id,
			ended != NULL ? call_result_json(ended) : make_lost_result());
	json_decref(waits);
	call_destroy_job(ended);
	call_destroy_job(again);
}

void
resume_forget(struct mcp *mcp)
{
	while (mcp->resumable != NULL) {
		struct job *job = mcp->resumable;

		mcp->resumable = job->next;
		call_destroy_job(job);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* In the modern era a server may not ask: what it needs to know is the call's result,
 * and comes with the same call again. What is carried along is sealed (mcp-seal.c); an
 * answer counts for exactly the question that it was given to. */

#include <stdlib.h>

#include "mcp-job.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"

#define ANSWER_MAX 65536 /* a form that was filled in */

int
modern_ask(struct job *job, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	char digest[SEAL_DIGEST];
	const json_t *filled;

	if (seal_question_digest(question, digest) < 0)
		return err_nomem(err);
	filled = json_object_get(job->answers, digest);
	if (filled == NULL)
		return -EINPROGRESS;
	return form_read(question, filled, ret_answer, err);
}

json_t *
modern_question(const struct job *job)
{
	const struct ambit_question *question = job->result.question;
	auto_free char *state = NULL;
	char digest[SEAL_DIGEST];
	json_t *form;

	if (seal_question_digest(question, digest) < 0)
		return NULL;
	state = seal_make(
		job->mcp->seals, job->call, digest, job->answers, modern_expires(question));
	form = form_create(question, &job->era);
	return modern_input(form, state);
}

int64_t
modern_expires(const struct ambit_question *question)
{
	return question->expires != 0 ? question->expires : clock_now() + MODERN_STATE_MS;
}

json_t *
modern_input(json_t *form, const char *state)
{
	if (state == NULL || form == NULL) {
		json_decref(form);
		return NULL;
	}
	return list_modern(json_pack("{s:{s:{s:s s:o}} s:s}", "inputRequests", "approve", "method",
				   "elicitation/create", "params", form, "requestState", state),
		"input_required");
}

/* What was answered so far goes along. */
json_t *
modern_roots(const struct job *job)
{
	auto_free char *state = seal_make(
		job->mcp->seals, job->call, "", job->answers, clock_now() + MODERN_STATE_MS);

	if (state == NULL)
		return NULL;
	return list_modern(json_pack("{s:{s:{s:s s:{}}} s:s}", "inputRequests", "roots", "method",
				   "roots/list", "params", "requestState", state),
		"input_required");
}

/* -- in the reader's thread ------------------------------------------------------ */

/* Whoever was asked for them and does not tell has told nothing: it is not asked again
 * by the same call. */
static void
take_roots(struct job *job, const json_t *roots, bool asked)
{
	if (roots != NULL || asked)
		roots_take(job->mcp, roots);
	job->wants_roots = !asked && roots_are_old(job->mcp);
}

/* The answers that came along, if they are to this call. What is wrong with them is
 * no error: it means that the question is open still. */
int
modern_take(struct job *job, const json_t *params, const json_t *args)
{
	const char *state = json_string_value(json_object_get(params, "requestState"));
	const json_t *responses = json_object_get(params, "inputResponses");
	json_t *filled = json_object_get(responses, "approve");
	char question[SEAL_DIGEST] = "";
	int r = seal_call_digest(job->tool, args, job->call);

	if (!json_is_object(filled) || json_weight(filled) > ANSWER_MAX)
		filled = NULL;
	if (r == 0 && state != NULL)
		r = seal_open(job->mcp->seals, state, job->call, &job->answers, question);
	/* Also if it is too old, or used: the tool has begun to run, and must not do so twice. */
	if (r != -ENOMEM && resume_is_named(question))
		return resume_take(job, question, filled);
	if (r == 0 && state != NULL && filled != NULL)
		r = json_object_set_new(job->answers, question, json_deep_copy(filled)) < 0
			    ? -ENOMEM
			    : 0;
	if (job->era.roots && job->changes)
		take_roots(job, json_object_get(responses, "roots"),
			r == 0 && state != NULL && question[0] == '\0');
	if (job->answers == NULL)
		job->answers = json_object();
	return r == -ENOMEM || job->answers == NULL ? -ENOMEM : 0;
}

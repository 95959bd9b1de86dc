/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a run, as memory to be given back and as JSON for programs. The
 * texts in it were escaped when they were stored; argv is as the caller gave
 * it, escaped only where it is no text. */

#include <stdlib.h>

#include <ambit/run.h>

#include "base/json.h"
#include "base/own.h"

void
ambit_run_result_finish(struct ambit_run_result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->n_refusals; i++) {
		struct ambit_run_refusal *refusal = &result->refusals[i];

		free(refusal->what);
		free(refusal->subject);
		free(refusal->code);
		free(refusal->program);
		free(refusal->message);
		free(refusal->advice);
	}
	for (size_t i = 0; i < result->n_programs; i++)
		free(result->programs[i].name);
	for (size_t i = 0; i < result->n_planted; i++)
		free(result->planted[i]);
	free(result->planted);
	for (size_t i = 0; i < result->n_unseen_in; i++)
		free(result->unseen_in[i]);
	free(result->unseen_in);
	free(result->refusals);
	free(result->programs);
	free(result->unrecorded);
	free(result->unseen_live);
	*result = (struct ambit_run_result){ 0 };
}

static int
set_text(json_t *object, const char *key, const char *text)
{
	return json_set_text(object, key, text ? text : "");
}

/* The counts are far below what JSON's readers can hold. */
static int
set_count(json_t *object, const char *key, uint64_t count)
{
	return json_object_set_new(object, key, json_integer((json_int_t)count));
}

static json_t *
refusal_json(const struct ambit_run_refusal *refusal)
{
	auto_json json_t *row = json_object();

	if (!row || set_text(row, "what", refusal->what) < 0 ||
		set_text(row, "subject", refusal->subject) < 0 ||
		set_text(row, "code", refusal->code) < 0 ||
		set_text(row, "program", refusal->program) < 0 ||
		set_text(row, "message", refusal->message) < 0 ||
		set_text(row, "advice", refusal->advice) < 0 ||
		json_object_set_new(row, "asked", json_boolean(refusal->asked)) < 0 ||
		set_count(row, "count", refusal->count) < 0)
		return NULL;
	return steal_ptr(&row);
}

static json_t *
program_json(const struct ambit_run_program *program)
{
	auto_json json_t *row = json_object();

	if (!row || set_text(row, "name", program->name) < 0 ||
		set_count(row, "count", program->count) < 0)
		return NULL;
	return steal_ptr(&row);
}

static json_t *
word_json(const char *word)
{
	auto_json json_t *holder = json_object();

	if (!holder || json_set_text(holder, "word", word) < 0)
		return NULL;
	return json_incref(json_object_get(holder, "word"));
}

/* Each of five lists; -1 without memory. */
static int
set_lists(json_t *object, const struct ambit_run_result *result, char *const *argv)
{
	json_t *refusals = json_array(), *programs = json_array(), *words = json_array();
	json_t *planted = json_array(), *unseen = json_array();
	int r = 0;

	if (json_object_set_new(object, "refusals", refusals) < 0)
		r = -1;
	if (json_object_set_new(object, "programs", programs) < 0)
		r = -1;
	if (json_object_set_new(object, "argv", words) < 0)
		r = -1;
	if (json_object_set_new(object, "planted", planted) < 0)
		r = -1;
	if (json_object_set_new(object, "unseen_in", unseen) < 0)
		r = -1;
	for (size_t i = 0; r == 0 && i < result->n_planted; i++)
		r = json_array_append_new(planted, word_json(result->planted[i]));
	for (size_t i = 0; r == 0 && i < result->n_unseen_in; i++)
		r = json_array_append_new(unseen, word_json(result->unseen_in[i]));
	for (size_t i = 0; r == 0 && i < result->n_refusals; i++)
		r = json_array_append_new(refusals, refusal_json(&result->refusals[i]));
	for (size_t i = 0; r == 0 && i < result->n_programs; i++)
		r = json_array_append_new(programs, program_json(&result->programs[i]));
	for (size_t i = 0; r == 0 && argv && argv[i]; i++)
		r = json_array_append_new(words, word_json(argv[i]));
	return r;
}

char *
ambit_run_result_json(const struct ambit_run_result *result, const char *session, char *const *argv)
{
	auto_json json_t *object = json_pack("{s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:I, s:I}",
		"status", result->status, "signal", result->signal, "error", result->error,
		"timed_out", result->timed_out, "connected", result->connected, "unseen",
		result->unseen, "cut", result->cut, "started", (json_int_t)result->started, "ended",
		(json_int_t)result->ended);

	if (!object || set_text(object, "session", session) < 0 ||
		set_count(object, "refused", result->refused) < 0 ||
		set_count(object, "asked", result->asked) < 0 ||
		set_count(object, "calls", result->calls) < 0 ||
		set_count(object, "blind", result->blind) < 0 ||
		set_count(object, "unread", result->unread) < 0 ||
		set_count(object, "left", result->left) < 0 || set_lists(object, result, argv) < 0)
		return NULL;
	if (result->stopped && json_object_set_new(object, "stopped", json_true()) < 0)
		return NULL;
	if (result->unrecorded && set_text(object, "unrecorded", result->unrecorded) < 0)
		return NULL;
	return json_line(object);
}

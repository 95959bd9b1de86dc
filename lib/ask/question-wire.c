/* SPDX-License-Identifier: Apache-2.0 */
/* Questions as JSON for programs, and their answers: one shape for a program that is started
 * (approver-exec.c) and one that is connected (approver-fd.c). The reply is checked strictly: an
 * answer that was not offered, or that could mean two things, does not count. */

#include <stdlib.h>
#include <string.h>

#include "ask/approver.h"
#include "ask/question-copy.h"
#include "ask/question-wire.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

static int
set_json(json_t *object, const char *key, const char *text, struct ambit_error *err)
{
	json_t *value = NULL;

	if (json_parse(text ? text : "", text ? strlen(text) : 0, &value, err) < 0)
		return err_context(err, "the question's %s", key);
	return json_object_set_new(object, key, value) < 0 ? err_nomem(err) : 0;
}

json_t *
choice_json(const struct ambit_choice *choice)
{
	auto_json json_t *object = json_object();
	const char *word = ambit_word_name(ambit_answers, (int)choice->kind);
	const char *folder = choice_folder(choice);

	if (!object || json_set_text(object, "answer", word) < 0 ||
		json_set_text(object, "stores", choice->stores ? choice->stores : "") < 0)
		return NULL;
	if (folder && json_set_text(object, "path", folder) < 0)
		return NULL;
	if (choice->label && json_set_text(object, "label", choice->label) < 0)
		return NULL;
	return steal_ptr(&object);
}

static json_t *
facts_json(const struct ambit_question *question)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; list && i < question->n_facts; i++) {
		const struct ambit_fact *fact = &question->facts[i];

		if (json_array_append_new(list,
			    json_pack("{s:s, s:s}", "name", fact->name, "text", fact->text)) < 0)
			return NULL;
	}
	return steal_ptr(&list);
}

int
question_set_words(json_t *object, const struct ambit_question *question)
{
	for (const struct question_text *row = question_texts; row->key; row++) {
		const char *text = *question_text_at(question, row);

		if (json_set_text(object, row->key, text ? text : "") < 0)
			return -ENOMEM;
	}
	if (question->n_facts > 0 && json_object_set_new(object, "facts", facts_json(question)) < 0)
		return -ENOMEM;
	return 0;
}

static int
set_choices(json_t *object, const struct ambit_question *question, struct ambit_error *err)
{
	json_t *list = json_array();

	if (!list || json_object_set_new(object, "choices", list) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < question->n_choices; i++)
		if (json_array_append_new(list, choice_json(&question->choices[i])) < 0)
			return err_nomem(err);
	return 0;
}

/* What only one who stays connected needs. */
static int
set_connected(
	json_t *object, const struct ambit_question *question, uint64_t id, struct ambit_error *err)
{
	if (id == 0)
		return 0;
	if (question->judge && set_json(object, "judge", question->judge, err) < 0)
		return -EINVAL;
	if (json_object_set_new(object, "id", json_integer((json_int_t)id)) < 0 ||
		json_object_set_new(object, "folder", json_integer((json_int_t)question->folder)) <
			0)
		return err_nomem(err);
	return 0;
}

int
question_write(const struct ambit_question *question, uint64_t id, char **ret_text,
	struct ambit_error *err)
{
	auto_json json_t *object = json_object();
	char *text;
	int r;

	if (!object || question_set_words(object, question) < 0 ||
		json_object_set_new(object, "expires", json_integer(question->expires)) < 0 ||
		(question->stops && json_object_set_new(object, "stop", json_true()) < 0))
		return err_nomem(err);
	r = set_json(object, "request", question->request, err);
	if (r == 0)
		r = set_json(object, "outcome", question->outcome, err);
	if (r == 0)
		r = set_choices(object, question, err);
	if (r == 0)
		r = set_connected(object, question, id, err);
	if (r < 0)
		return r;
	text = json_line(object);
	if (!text)
		return err_nomem(err);
	*ret_text = text;
	return 0;
}

/* -- read back ----------------------------------------------------------------- */

static int
take_text(const json_t *object, const char *key, char **ret_text, struct ambit_error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
		return err_set(err, EINVAL, "the question's '%s' is not a plain string", key);
	*ret_text = str_dup(json_string_value(value));
	return *ret_text ? 0 : err_nomem(err);
}

static int
take_object(const json_t *object, const char *key, char **ret_text, struct ambit_error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_object(value))
		return err_set(err, EINVAL, "the question's '%s' is not an object", key);
	*ret_text = json_line(value);
	return *ret_text ? 0 : err_nomem(err);
}

static int
take_choice(const json_t *row, struct ambit_choice *choice, struct ambit_error *err)
{
	const char *word = json_string_value(json_object_get(row, "answer"));
	const struct ambit_word *kind = word ? ambit_word_find(ambit_answers, word) : NULL;
	int r;

	if (!kind)
		return err_set(err, EINVAL, "a choice of the question has no answer");
	choice->kind = (enum ambit_answer_kind)kind->value;
	r = take_text(row, "stores", &choice->stores, err);
	if (r == 0 && json_object_get(row, "path"))
		r = take_text(row, "path", &choice->path, err);
	if (r == 0 && json_object_get(row, "label"))
		r = take_text(row, "label", &choice->label, err);
	return r;
}

static int
take_choices(const json_t *list, struct ambit_question *question, struct ambit_error *err)
{
	size_t n = json_array_size(list);
	int r = 0;

	if (n == 0)
		return err_set(err, EINVAL, "the question has no choices");
	question->choices = calloc(n, sizeof(*question->choices));
	if (!question->choices)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = take_choice(
			json_array_get(list, i), &question->choices[question->n_choices++], err);
	return r;
}

static int
take_numbers(const json_t *object, struct ambit_question *question, struct ambit_error *err)
{
	const json_t *id = json_object_get(object, "id");
	const json_t *folder = json_object_get(object, "folder");
	const json_t *expires = json_object_get(object, "expires");

	if (!json_is_integer(id) || json_integer_value(id) <= 0 || !json_is_integer(folder) ||
		json_integer_value(folder) < 0 || !json_is_integer(expires))
		return err_set(err, EINVAL, "the question has no 'id', 'folder' or 'expires'");
	question->id = (uint64_t)json_integer_value(id);
	question->folder = (size_t)json_integer_value(folder);
	if (question->folder > question->n_choices)
		question->folder = question->n_choices;
	question->expires = json_integer_value(expires);
	question->stops = json_is_true(json_object_get(object, "stop"));
	return 0;
}

/* The first three are as old as questions are; the others may be missing. */
static int
take_words(const json_t *object, struct ambit_question *question, struct ambit_error *err)
{
	const json_t *facts = json_object_get(object, "facts"), *fact;
	int r = 0;
	size_t i;

	for (const struct question_text *row = question_texts; r == 0 && row->key; row++)
		if (row < question_texts + 3 || json_object_get(object, row->key))
			r = take_text(object, row->key, question_text_at(question, row), err);
	json_array_foreach (facts, i, fact) {
		const char *name = json_text(fact, "name"), *text = json_text(fact, "text");

		if (r == 0 && question_add_fact(question, name, text) < 0)
			r = err_nomem(err);
	}
	return r;
}

int
question_read(const json_t *object, struct ambit_question *ret_question, struct ambit_error *err)
{
	struct ambit_question question = { 0 };
	int r = take_choices(json_object_get(object, "choices"), &question, err);

	if (r == 0)
		r = take_numbers(object, &question, err);
	if (r == 0)
		r = take_words(object, &question, err);
	if (r == 0)
		r = take_object(object, "request", &question.request, err);
	if (r == 0)
		r = take_object(object, "outcome", &question.outcome, err);
	if (r == 0 && json_object_get(object, "judge"))
		r = take_object(object, "judge", &question.judge, err);
	if (r < 0)
		question_finish(&question);
	else
		*ret_question = question;
	return r;
}

/* -- answers ------------------------------------------------------------------- */

/* An optional string without a NUL in it: a name that ends early when C reads
 * it would be another name. */
static int
get_text(const json_t *object, const char *key, const char **ret_text, struct ambit_error *err)
{
	const json_t *value = json_object_get(object, key);

	*ret_text = NULL;
	if (!value)
		return 0;
	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
		return err_set(err, EINVAL, "'%s' is not a plain string", key);
	*ret_text = json_string_value(value);
	return 0;
}

static int
check_keys(json_t *object, struct ambit_error *err)
{
	static const char *const known[] = { "answer", "message", "path", "stop" };
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return err_set(err, EINVAL, "not an object");
	json_object_foreach (object, key, value) {
		bool ok = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			ok = ok || streq(key, known[i]);
		if (!ok)
			return err_set(err, EINVAL, "unknown key '%s'", key);
	}
	return 0;
}

/* Paths are compared as the program was shown them. */
static bool
same_path(const struct ambit_choice *choice, const char *path)
{
	auto_json json_t *shown = choice_json(choice);
	const char *text = json_string_value(json_object_get(shown, "path"));

	return text && streq(text, path);
}

/* Without a path: the folder offered first; of "always", exactly what was asked for. */
static bool
is_meant(const struct ambit_question *question, const struct ambit_choice *choice, const char *path)
{
	const char *folder = choice_folder(choice);

	if (path)
		return same_path(choice, path);
	if (choice->kind == AMBIT_ALWAYS || !folder)
		return !folder;
	if (question->folder >= question->n_choices)
		return false;
	return streq(folder, question->choices[question->folder].path);
}

const struct ambit_choice *
question_find_choice(
	const struct ambit_question *question, enum ambit_answer_kind kind, const char *path)
{
	const struct ambit_choice *found = NULL;

	for (size_t i = 0; i < question->n_choices; i++) {
		const struct ambit_choice *choice = &question->choices[i];

		if (choice->kind != kind || !is_meant(question, choice, path))
			continue;
		if (found) /* two that read the same: which one was meant? */
			return NULL;
		found = choice;
	}
	return found;
}

int
answer_read(const struct ambit_question *question, json_t *object, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct ambit_answer answer = { .kind = AMBIT_NO };
	const char *word, *path, *message;
	const struct ambit_choice *choice;
	const struct ambit_word *row;
	size_t len;
	int r;

	if ((r = check_keys(object, err)) < 0 || (r = get_text(object, "answer", &word, err)) < 0 ||
		(r = get_text(object, "path", &path, err)) < 0 ||
		(r = get_text(object, "message", &message, err)) < 0)
		return r;
	if (!word)
		return err_set(err, EINVAL, "no 'answer'");
	row = ambit_word_find(ambit_answers, word);
	if (!row)
		return err_set(err, EINVAL, "unknown answer '%s'", word);
	choice = question_find_choice(question, (enum ambit_answer_kind)row->value, path);
	if (!choice)
		return err_set(err, EINVAL, "the answer '%s'%s%s was not offered", word,
			path ? " for " : "", path ? path : "");
	r = answer_choose(choice, &answer, err);
	if (r < 0)
		return r;
	len = message ? str_cut(message, strlen(message), sizeof(answer.message) - 1) : 0;
	memcpy(answer.message, message ? message : "", len);
	answer.message[len] = '\0';
	answer.stop = json_is_true(json_object_get(object, "stop"));
	if (answer.stop && (answer.kind != AMBIT_NO || !question->stops))
		return err_set(
			err, EINVAL, "'stop' goes with the answer 'no', where it is offered");
	*ret_answer = answer;
	return 0;
}

int
answer_parse(const struct ambit_question *question, const char *text, size_t len,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	auto_json json_t *object = NULL;
	int r = json_parse(text, len, &object, err);

	return r < 0 ? r : answer_read(question, object, ret_answer, err);
}

const char *
question_end_word(const char *how)
{
	if (str_prefix(how, "expired"))
		return "expired";
	return str_prefix(how, "withdrawn") ? "gone" : "answered";
}

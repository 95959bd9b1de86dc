/* SPDX-License-Identifier: Apache-2.0 */
/* A question as a form that any client can show, and what was filled in as an answer.
 * Each choice says what it will store. What comes back was written by a program: only
 * an accepted form with one of the choices in it is that choice, all else is a no. */

#include <stdio.h>
#include <stdlib.h>

#include "mcp.h"

#include "ask/question-copy.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

#define CHOICE_NAME 32

/* "folder", "folder-2" ...: the n-th of its kind. */
static void
choice_name(const struct ambit_question *question, size_t at, char name[CHOICE_NAME])
{
	const struct ambit_choice *choice = &question->choices[at];
	const char *word = ambit_word_name(ambit_answers, (int)choice->kind);
	size_t n = 1;

	for (size_t i = 0; i < at; i++)
		n += question->choices[i].kind == choice->kind;
	if (n == 1)
		snprintf(name, CHOICE_NAME, "%s", word);
	else
		snprintf(name, CHOICE_NAME, "%s-%zu", word, n);
}

/* {const, title}, or the older enum with enumNames beside it. */
static int
add_choice(const struct ambit_question *question, size_t at, const struct era *era, json_t *names,
	json_t *titles)
{
	auto_free char *title = choice_words(question, &question->choices[at]);
	char name[CHOICE_NAME];

	choice_name(question, at, name);
	if (title == NULL)
		return -1;
	if (era->titles)
		return json_array_append_new(
			names, json_pack("{s:s s:s}", "const", name, "title", title));
	return json_array_append_new(names, json_string(name)) < 0
		       ? -1
		       : json_array_append_new(titles, json_string(title));
}

static json_t *
choices_schema(const struct ambit_question *question, const struct era *era)
{
	auto_json json_t *names = json_array(), *titles = json_array();

	for (size_t i = 0; i < question->n_choices; i++)
		if (choice_is_listed(question, &question->choices[i]) &&
			add_choice(question, i, era, names, titles) < 0)
			return NULL;
	if (era->titles)
		return json_pack("{s:s s:s s:O s:s}", "type", "string", "title", "Answer", "oneOf",
			names, "default", "no");
	return json_pack("{s:s s:s s:O s:O}", "type", "string", "title", "Answer", "enum", names,
		"enumNames", titles);
}

/* The lines of the question on a terminal, its danger behind the first. */
static char *
make_form_message(const struct ambit_question *question)
{
	auto_free char *title = question_title(question), *who = question_who(question);
	auto_free char *mark = title != NULL ? question_mark(title) : NULL;
	auto_buf struct buf out = { 0 };

	if (mark == NULL || who == NULL)
		return NULL;
	buf_printf(&out, "ambit: %s%s", title, mark);
	if (question->danger != NULL && question->danger[0] != '\0')
		buf_printf(&out, "\n%s", question->danger);
	for (size_t i = 0; i < question->n_facts; i++)
		buf_printf(&out, "\n%s: %s", question->facts[i].name, question->facts[i].text);
	if (question->n_facts == 0 && who[0] != '\0')
		buf_printf(&out, "\n%s", who);
	return buf_take(&out);
}

/* NULL where the client cannot leave it empty: there it would keep a person from answering. */
static json_t *
message_schema(const struct era *era)
{
	if (era->fills)
		return NULL;
	return json_pack("{s:s s:s s:s s:i}", "type", "string", "title", "Message to the agent",
		"description", "Optional; reaches the model with your answer", "maxLength", 500);
}

json_t *
form_create(const struct ambit_question *question, const struct era *era)
{
	auto_free char *text = make_form_message(question);
	json_t *schema = json_pack("{s:s s:{s:o s:o*} s:[s]}", "type", "object", "properties",
		"answer", choices_schema(question, era), "message", message_schema(era), "required",
		"answer");

	if (text == NULL || schema == NULL) {
		json_decref(schema);
		return NULL;
	}
	/* Before 2025-11-25 there was one mode, and no word for it. */
	return json_pack("{s:s* s:s s:o}", "mode", era->titles ? "form" : NULL, "message", text,
		"requestedSchema", schema);
}

static const char *
get_plain_text(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

static void
set_form_answer(
	const struct ambit_question *question, const char *word, struct ambit_answer *answer)
{
	for (size_t i = 0; i < question->n_choices; i++) {
		const struct ambit_choice *choice = &question->choices[i];
		char name[CHOICE_NAME];

		choice_name(question, i, name);
		if (!streq(name, word) || !choice_is_listed(question, choice))
			continue;
		if (choice->path != NULL && strlen(choice->path) >= sizeof(answer->path))
			return;
		answer->kind = choice->kind;
		if (choice->path != NULL &&
			(choice->kind == AMBIT_FOLDER || choice->kind == AMBIT_ALWAYS))
			memcpy(answer->path, choice->path, strlen(choice->path) + 1);
		return;
	}
}

int
form_read(const struct ambit_question *question, const json_t *result,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	const json_t *content = json_object_get(result, "content");
	const char *action = get_plain_text(result, "action"),
		   *word = get_plain_text(content, "answer");
	const char *text = get_plain_text(content, "message");

	*ret_answer = (struct ambit_answer){ .kind = AMBIT_NO };
	/* Nobody has chosen: somebody else may. claude -p does so by itself. */
	if (action != NULL && streq(action, "cancel"))
		return err_set(err, ENOENT, QUESTION_NOBODY ": the client closed the form");
	/* It may be a person's no; codex exec and copilot -p do so by themselves. */
	if (action == NULL || !streq(action, "accept")) {
		snprintf(ret_answer->message, sizeof(ret_answer->message),
			"the client declined the form");
		return 0;
	}
	if (word != NULL)
		set_form_answer(question, word, ret_answer);
	if (text != NULL)
		memcpy(ret_answer->message, text,
			str_cut(text, strlen(text), sizeof(ret_answer->message) - 1));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A question into JSON, and what the harness says for its person into an answer. Only
 * what was offered is an answer: anything else is an error, and the question stays. */

#include <stdlib.h>

#include "serve.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

static const char *
folder_of(const struct ambit_choice *choice)
{
	return choice->kind == AMBIT_FOLDER || choice->kind == AMBIT_ALWAYS ? choice->path : NULL;
}

static json_t *
choice_json(const struct ambit_choice *choice)
{
	auto_json json_t *object =
		json_pack("{s:s}", "answer", ambit_word_name(ambit_answers, (int)choice->kind));

	if (object == NULL ||
		json_set_text(object, "stores", choice->stores != NULL ? choice->stores : "") < 0)
		return NULL;
	if (folder_of(choice) != NULL && json_set_text(object, "path", folder_of(choice)) < 0)
		return NULL;
	return steal_ptr(&object);
}

json_t *
question_json(const struct ambit_question *question)
{
	auto_json json_t *object = json_object(), *choices = json_array();

	for (size_t i = 0; i < question->n_choices; i++)
		if (json_array_append_new(choices, choice_json(&question->choices[i])) < 0)
			return NULL;
	if (json_set_text(object, "what", question->what != NULL ? question->what : "?") < 0 ||
		json_set_text(object, "why", question->why != NULL ? question->why : "") < 0 ||
		json_set_text(object, "who", question->who != NULL ? question->who : "") < 0 ||
		json_object_set(object, "choices", choices) < 0 ||
		json_object_set_new(object, "expires",
			question->expires != 0 ? json_integer(question->expires) : json_null()) < 0)
		return NULL;
	return steal_ptr(&object);
}

/* Paths are compared as they were shown. */
static bool
is_shown_as(const struct ambit_choice *choice, const char *path)
{
	auto_json json_t *shown = choice_json(choice);
	const char *text = params_text(shown, "path");

	return text != NULL && streq(text, path);
}

/* Without a path: the folder that is to be offered first, if there is one. */
static bool
is_first(const struct ambit_question *question, const struct ambit_choice *choice)
{
	const char *first = question->folder < question->n_choices
				    ? question->choices[question->folder].path
				    : NULL;

	return first == NULL || folder_of(choice) == NULL || streq(folder_of(choice), first);
}

static const struct ambit_choice *
find_choice(const struct ambit_question *question, int kind, const char *path)
{
	const struct ambit_choice *found = NULL;

	for (size_t i = 0; i < question->n_choices; i++) {
		const struct ambit_choice *choice = &question->choices[i];

		if ((int)choice->kind != kind)
			continue;
		if (path != NULL ? !is_shown_as(choice, path) : !is_first(question, choice))
			continue;
		if (found != NULL) /* two that read the same: which one was meant? */
			return NULL;
		found = choice;
	}
	return found;
}

int
question_answer(const struct ambit_question *question, const json_t *params,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	const char *word = params_text(params, "answer"), *path = params_text(params, "path");
	const char *message = params_text(params, "message"), *folder;
	const struct ambit_word *row = ambit_word_find(ambit_answers, word);
	const struct ambit_choice *choice =
		row != NULL ? find_choice(question, row->value, path) : NULL;

	if (choice == NULL)
		return err_set(err, EINVAL,
			"answer: that is none of the choices that were offered; the question is "
			"open still");
	folder = folder_of(choice);
	if (folder != NULL && strlen(folder) >= sizeof(ret_answer->path))
		return err_set(err, EINVAL, "answer: the path is too long; choose another");
	*ret_answer = (struct ambit_answer){ .kind = choice->kind };
	if (folder != NULL)
		memcpy(ret_answer->path, folder, strlen(folder) + 1);
	if (message != NULL)
		memcpy(ret_answer->message, message,
			str_cut(message, strlen(message), sizeof(ret_answer->message) - 1));
	return 0;
}

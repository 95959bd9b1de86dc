/* SPDX-License-Identifier: Apache-2.0 */
/* A question into JSON, and what the harness says for its person into an answer. Only
 * what was offered is an answer: anything else is an error, and the question stays. */

#include <stdlib.h>

#include "serve.h"

#include "ask/approver.h"
#include "ask/question-wire.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

json_t *
question_json(const struct ambit_question *question)
{
	auto_json json_t *object = json_object(), *choices = json_array();

	for (size_t i = 0; i < question->n_choices; i++)
		if (json_array_append_new(choices, choice_json(&question->choices[i])) < 0)
			return NULL;
	if (object == NULL || question_set_words(object, question) < 0 ||
		json_object_set(object, "choices", choices) < 0 ||
		json_object_set_new(object, "expires",
			question->expires != 0 ? json_integer(question->expires) : json_null()) < 0)
		return NULL;
	return steal_ptr(&object);
}

int
question_answer(const struct ambit_question *question, const json_t *params,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	const char *word = params_text(params, "answer"), *path = params_text(params, "path");
	const char *message = params_text(params, "message");
	const struct ambit_word *row = ambit_word_find(ambit_answers, word);
	const struct ambit_choice *choice =
		row != NULL
			? question_find_choice(question, (enum ambit_answer_kind)row->value, path)
			: NULL;

	if (choice == NULL)
		return err_set(err, EINVAL,
			"answer: that is none of the choices that were offered; the question is "
			"open still");
	*ret_answer = (struct ambit_answer){ .kind = AMBIT_NO };
	if (answer_choose(choice, ret_answer, NULL) < 0)
		return err_set(err, EINVAL, "answer: the path is too long; choose another");
	if (message != NULL)
		memcpy(ret_answer->message, message,
			str_cut(message, strlen(message), sizeof(ret_answer->message) - 1));
	return 0;
}

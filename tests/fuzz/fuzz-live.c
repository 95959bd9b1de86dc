/* SPDX-License-Identifier: Apache-2.0 */
/* A question as a door sends it, read back by those who show it: whatever is taken for one
 * has all that is shown, and an answer out of its choices is one of them. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question-copy.h"
#include "live/live.h"

#include "ask/question-wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct ambit_question *question)
{
	struct ambit_error err = { 0 };
	struct ambit_question again = { 0 };
	char *text = NULL;

	assert(question->id > 0 && question->n_choices > 0);
	assert(question->folder <= question->n_choices);
	assert(question->who && question->what && question->why);
	assert(question->request && question->outcome);
	for (size_t i = 0; i < question->n_choices; i++)
		assert(question->choices[i].stores);
	assert(question_write(question, question->id, &text, &err) == 0);
	assert(live_question(text, &again, &err) == 0);
	assert(question_same(question, &again));
	question_finish(&again);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ambit_question question = { 0 };
	struct ambit_answer answer;
	struct ambit_error err = { 0 };
	char *text = malloc(size + 1);

	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (live_question(text, &question, &err) == 0) {
		check(&question);
		(void)answer_parse(&question, "{\"answer\":\"once\"}", 17, &answer, &err);
		question_finish(&question);
	} else {
		assert(err.text[0] != '\0');
	}
	free(text);
	return 0;
}

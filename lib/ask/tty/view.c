/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a question's choices into keys. A key is on offer only if its answer
 * is among the choices, so that no key can say what the question did not. */

#include "ask/tty/view.h"
#include "base/str.h"
#include "request/answers.h"

/* A key that gives an answer is shown as the vocabulary has it; others have words of their own. */
#define ANSWER(answer) .kind = (answer), .shown = &answer_rows[answer]

static const struct key keys[] = {
	{ ANSWER(AMBIT_ONCE) },
	{ ANSWER(AMBIT_FILE), .when = WHEN_FOLDERS },
	{
		.kind = AMBIT_FILE,
		.when = WHEN_NONE,
		.shown =
			&(const struct answer_row){
				.key = 's',
				.label = "session",
				.help = "yes, for exactly this, until the session ends",
			},
	},
	{ ANSWER(AMBIT_FOLDER), .when = WHEN_FOLDERS },
	{ ANSWER(AMBIT_ALWAYS) },
	{ ANSWER(AMBIT_NO) },
	{ ANSWER(AMBIT_NO_SESSION) },
	{
		.act = KEY_MESSAGE,
		.kind = AMBIT_NO,
		.shown =
			&(const struct answer_row){
				.key = 'm',
				.label = "message",
				.help = "no, with a line of text that the agent will read",
			},
	},
	{
		.act = KEY_WIDER,
		.when = WHEN_FOLDERS,
		.shown =
			&(const struct answer_row){
				.key = '+',
				.label = "wider",
				.help = "offer the folder above; also arrow up",
			},
	},
	{
		.act = KEY_NARROWER,
		.when = WHEN_FOLDERS,
		.shown =
			&(const struct answer_row){
				.key = '-',
				.label = "narrower",
				.help = "offer the folder below; also arrow down",
			},
	},
	{
		.act = KEY_EXPLAIN,
		.shown =
			&(const struct answer_row){
				.key = '?',
				.label = "explain",
				.help = "what each key does, and why this is asked",
			},
	},
};

#define KEYS_N (sizeof(keys) / sizeof(keys[0]))

static bool
is_folder(const struct ambit_question *question, size_t i)
{
	return i < question->n_choices && question->choices[i].kind == AMBIT_FOLDER &&
	       question->choices[i].path;
}

void
view_init(struct view *view, const struct ambit_question *question)
{
	view->question = question;
	view->folder = question->n_choices;
	if (is_folder(question, question->folder))
		view->folder = question->folder;
}

/* Choices stand from narrow to wide. The next of them, or n_choices. */
static size_t
find_next_folder(const struct view *view, bool wider)
{
	const struct ambit_question *question = view->question;

	for (size_t i = view->folder; i < question->n_choices;) {
		i = wider ? i + 1 : i - 1; /* below zero wraps past n_choices: the end */
		if (is_folder(question, i))
			return i;
	}
	return question->n_choices;
}

bool
view_step(struct view *view, bool wider)
{
	size_t next = find_next_folder(view, wider);

	if (next == view->question->n_choices)
		return false;
	view->folder = next;
	return true;
}

/* ALWAYS goes with the folder at hand: what "a" stores is what "d" shows. */
const struct ambit_choice *
view_choice(const struct view *view, const struct key *key)
{
	const struct ambit_question *question = view->question;
	const struct ambit_choice *choices = question->choices;
	bool folders = view->folder < question->n_choices;

	if (key->act != KEY_ANSWER && key->act != KEY_MESSAGE)
		return NULL;
	if (key->kind == AMBIT_FOLDER)
		return folders ? &choices[view->folder] : NULL;
	for (size_t i = 0; i < question->n_choices; i++) {
		if (choices[i].kind != key->kind)
			continue;
		if (key->kind == AMBIT_ALWAYS && folders &&
			(!choices[i].path || !streq(choices[i].path, choices[view->folder].path)))
			continue;
		return &choices[i];
	}
	return NULL;
}

static bool
is_key_offered(const struct view *view, const struct key *key)
{
	bool folders = view->folder < view->question->n_choices;

	if ((key->when == WHEN_FOLDERS && !folders) || (key->when == WHEN_NONE && folders))
		return false;
	switch (key->act) {
	case KEY_EXPLAIN:
		return true;
	case KEY_WIDER:
	case KEY_NARROWER:
		return find_next_folder(view, key->act == KEY_WIDER) < view->question->n_choices;
	case KEY_ANSWER:
	case KEY_MESSAGE:
		/* No needs nobody's leave. */
		return key->kind == AMBIT_NO || view_choice(view, key);
	}
	return false;
}

const struct key *
view_key_at(const struct view *view, size_t i)
{
	for (size_t k = 0; k < KEYS_N; k++)
		if (is_key_offered(view, &keys[k]) && i-- == 0)
			return &keys[k];
	return NULL;
}

const struct key *
view_key_find(const struct view *view, char c)
{
	for (size_t k = 0; k < KEYS_N; k++)
		if (keys[k].shown->key == c && is_key_offered(view, &keys[k]))
			return &keys[k];
	return NULL;
}

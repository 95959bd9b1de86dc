/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a question's choices into keys. A key is on offer only if its answer
 * is among the choices, so that no key can say what the question did not. */

#include "ask/tty/view.h"
#include "base/str.h"

/* In the order in which they are shown. The same keys mean the same in every question. */
static const struct key keys[] = {
	{ .key = 'y', .kind = AMBIT_ONCE },
	{ .key = 's', .kind = AMBIT_FILE },
	{ .key = 'd', .kind = AMBIT_FOLDER },
	{ .key = 'n', .kind = AMBIT_NO },
	{ .key = 'a',
		.kind = AMBIT_ALWAYS,
		.act = KEY_ALWAYS,
		.text = "always in this project..." },
	{ .key = '?', .act = KEY_MORE, .text = "more" },
	{ .key = 'N', .kind = AMBIT_NO_SESSION, .more = true },
	{
		.key = 'm',
		.kind = AMBIT_NO,
		.act = KEY_MESSAGE,
		.more = true,
		.text = "no, with a line of text that the agent will read",
	},
	{
		.key = 'x',
		.kind = AMBIT_NO,
		.act = KEY_STOP,
		.more = true,
		.text = "no, and stop the run",
	},
	{
		.key = '+',
		.act = KEY_WIDER,
		.more = true,
		.text = "d and a offer the next wider one; also arrow up",
	},
	{
		.key = '-',
		.act = KEY_NARROWER,
		.more = true,
		.text = "d and a offer the next narrower one; also arrow down",
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
	*view = (struct view){ .question = question, .folder = 0 };
	if (is_folder(question, question->folder))
		view->folder = question->folder;
	while (view->folder < question->n_choices && !is_folder(question, view->folder))
		view->folder++;
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

static const struct ambit_choice *
find_choice(const struct view *view, enum ambit_answer_kind kind, const char *path)
{
	const struct ambit_question *question = view->question;

	for (size_t i = 0; i < question->n_choices; i++) {
		const struct ambit_choice *choice = &question->choices[i];
		bool picks = kind == AMBIT_ALWAYS;

		if (choice->kind != kind)
			continue;
		if (!picks || (path ? choice->path && streq(choice->path, path) : !choice->path))
			return choice;
	}
	return NULL;
}

bool
view_has_patterns(const struct view *view)
{
	return view->question->kind && streq(view->question->kind, "host");
}

/* A pattern is offered to one who asks for more. */
const struct ambit_choice *
view_always(const struct view *view, bool folder)
{
	const struct ambit_question *question = view->question;

	if (folder &&
		(view->folder >= question->n_choices || (view_has_patterns(view) && !view->more)))
		return NULL;
	return find_choice(
		view, AMBIT_ALWAYS, folder ? question->choices[view->folder].path : NULL);
}

const struct ambit_choice *
view_choice(const struct view *view, const struct key *key)
{
	const struct ambit_question *question = view->question;

	if (key->act != KEY_ANSWER && key->act != KEY_MESSAGE)
		return NULL;
	if (key->kind == AMBIT_FOLDER)
		return view->folder < question->n_choices ? &question->choices[view->folder] : NULL;
	return find_choice(view, key->kind, NULL);
}

/* "This session" is seldom meant: of a profile it is "this run" or "always", and a name that a
 * program made up does not come again. */
static bool
is_rare(const struct view *view, const struct key *key)
{
	const struct ambit_question *question = view->question;
	bool made_up = question->kind && streq(question->kind, "temporary");

	if (key->kind == AMBIT_FOLDER)
		return view_has_patterns(view);
	return key->kind == AMBIT_FILE && (question->n_facts > 0 || made_up);
}

static bool
is_key_offered(const struct view *view, const struct key *key)
{
	if ((key->more || is_rare(view, key)) && !view->more)
		return false;
	switch (key->act) {
	case KEY_MORE:
		return true;
	case KEY_WIDER:
	case KEY_NARROWER:
		return find_next_folder(view, key->act == KEY_WIDER) < view->question->n_choices;
	case KEY_ALWAYS:
		return view_always(view, false) || view_always(view, true);
	case KEY_STOP:
		return view->question->stops;
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
		if (keys[k].key == c && is_key_offered(view, &keys[k]))
			return &keys[k];
	return NULL;
}

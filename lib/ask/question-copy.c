/* SPDX-License-Identifier: Apache-2.0 */
/* Questions as values: copied, compared, released, and named in one line. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question-copy.h"
#include "ask/question-hosts.h"
#include "ask/text-columns.h"
#include "base/lookalike.h"
#include "base/own.h"
#include "base/str.h"
#include "request/answers.h"

#define TEXT(name)                                                                                 \
	{                                                                                          \
#name, offsetof(struct ambit_question, name)                                       \
	}

const struct question_text question_texts[] = {
	TEXT(who),
	TEXT(what),
	TEXT(why),
	TEXT(kind),
	TEXT(act),
	TEXT(object),
	TEXT(brief),
	TEXT(danger),
	TEXT(by),
	TEXT(because),
	TEXT(project),
	{ 0 },
};

char **
question_text_at(const struct ambit_question *question, const struct question_text *row)
{
	return (char **)((char *)question + row->at);
}

void
question_finish(struct ambit_question *question)
{
	if (!question)
		return;
	for (size_t i = 0; i < question->n_choices; i++) {
		free(question->choices[i].path);
		free(question->choices[i].stores);
		free(question->choices[i].label);
	}
	for (size_t i = 0; i < question->n_facts; i++) {
		free(question->facts[i].name);
		free(question->facts[i].text);
	}
	for (const struct question_text *row = question_texts; row->key; row++)
		free(*question_text_at(question, row));
	free(question->choices);
	free(question->facts);
	free(question->request);
	free(question->outcome);
	free(question->judge);
	*question = (struct ambit_question){ 0 };
}

/* False without memory; what is not there needs none. */
static bool
copy_text(const char *from, char **to)
{
	*to = str_dup(from);
	return !from || *to;
}

static bool
copy_choices(const struct ambit_question *from, struct ambit_question *to)
{
	bool ok = true;

	to->choices = calloc(from->n_choices ? from->n_choices : 1, sizeof(*to->choices));
	while (ok && to->choices && to->n_choices < from->n_choices) {
		const struct ambit_choice *choice = &from->choices[to->n_choices];
		struct ambit_choice *copy = &to->choices[to->n_choices++];

		copy->kind = choice->kind;
		ok = copy_text(choice->path, &copy->path) &&
		     copy_text(choice->stores, &copy->stores) &&
		     copy_text(choice->label, &copy->label);
	}
	return ok && to->choices;
}

int
question_add_fact(struct ambit_question *question, const char *name, const char *text)
{
	struct ambit_fact *more = realloc(question->facts, (question->n_facts + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	question->facts = more;
	more += question->n_facts++;
	*more = (struct ambit_fact){ .name = str_dup(name), .text = str_dup(text) };
	return more->name && more->text ? 0 : -ENOMEM;
}

static bool
copy_facts(const struct ambit_question *from, struct ambit_question *to)
{
	for (size_t i = 0; i < from->n_facts; i++)
		if (question_add_fact(to, from->facts[i].name, from->facts[i].text) < 0)
			return false;
	return true;
}

int
question_copy(const struct ambit_question *from, struct ambit_question *ret_question)
{
	struct ambit_question to = {
		.id = from->id,
		.folder = from->folder,
		.expires = from->expires,
		.stops = from->stops,
	};
	bool ok = copy_text(from->request, &to.request) && copy_text(from->outcome, &to.outcome) &&
		  copy_text(from->judge, &to.judge) && copy_choices(from, &to) &&
		  copy_facts(from, &to);

	for (const struct question_text *row = question_texts; ok && row->key; row++)
		ok = copy_text(*question_text_at(from, row), question_text_at(&to, row));
	if (!ok) {
		question_finish(&to);
		return -ENOMEM;
	}
	*ret_question = to;
	return 0;
}

bool
question_same(const struct ambit_question *a, const struct ambit_question *b)
{
	return a->id == b->id && streq(a->what, b->what) && streq(a->outcome, b->outcome);
}

char *
question_title(const struct ambit_question *question)
{
	const char *act = question->act ? question->act : "";

	if (!question->object || !*question->object)
		return strdup(question->what ? question->what : "?");
	return str_printf("%s%s%s", act, *act ? " " : "", question->object);
}

char *
question_who(const struct ambit_question *question)
{
	bool brief = question->object && *question->object;
	const char *by = brief ? question->by : question->who;
	const char *because = brief ? question->because : question->why;
	auto_free char *mark = question_mark(by ? by : "");

	by = by ? by : "";
	because = because ? because : "";
	return mark ? str_printf("%s%s%s%s%s", *by ? "by " : "", by, mark,
			      *by && *because ? "; " : "", because)
		    : NULL;
}

char *
question_mark(const char *text)
{
	auto_free char *alike = lookalike_list(text);

	if (!alike || !*alike)
		return steal_ptr(&alike);
	return str_printf(" (not plain letters: %s)", alike);
}

/* The offset of a folder's path in its label; 0: there is none. */
static size_t
find_label_path(const char *label)
{
	size_t no = str_prefix(label, CHOICE_NO_TO) ? strlen(CHOICE_NO_TO) : 0;

	return str_prefix(label + no, CHOICE_ALL_OF) ? no + strlen(CHOICE_ALL_OF) : 0;
}

/* The words behind the path have no slash, so that they stay with its last name. */
char *
choice_label(const struct ambit_choice *choice, size_t columns)
{
	const char *label = choice->label ? choice->label : answer_rows[choice->kind].label;
	size_t start = find_label_path(label);
	auto_free char *cut = NULL;

	/* "commands 'git push ...'" is clear without its first word. */
	if (str_prefix(label, CHOICE_COMMANDS) && text_columns(label) > columns)
		return strdup(label + strlen(CHOICE_COMMANDS));
	if (start == 0)
		return strdup(label);
	cut = text_cut_path(label + start, text_room(columns, start));
	return cut ? str_printf("%.*s%s", (int)start, label, cut) : NULL;
}

/* -- lists of answers ------------------------------------------------------------- */

/* Before the width of an "always", and what comes before a folder of this session. All choices of a
 * question have the same. */
static const char *const always_words[] = {
	"always in this project: ",
	"always here: ",
	"always: ",
};
#define ALWAYS_N (sizeof(always_words) / sizeof(always_words[0]))
#define SESSION_BEHIND ", this session"
#define SESSION_BEFORE "session: "

/* Whether every "always" of the list fits behind the words; only long ones are worth a cut. */
static bool
have_room_behind(const struct ambit_question *question, const char *words, bool cut)
{
	size_t room = text_room(CHOICE_COLUMNS, strlen(words));

	for (size_t i = 0; i < question->n_choices; i++) {
		const struct ambit_choice *choice = &question->choices[i];
		auto_free char *label = choice_label(choice, cut ? room : SIZE_MAX);

		if (choice->kind == AMBIT_ALWAYS && label && text_columns(label) > room &&
			!question_is_pattern(choice->path))
			return false;
	}
	return true;
}

static const char *
choose_always_words(const struct ambit_question *question)
{
	size_t i = 0;

	if (question->project && !*question->project)
		return "always, in every project: ";
	while (i + 1 < ALWAYS_N && !have_room_behind(question, always_words[i], i > 0))
		i++;
	return always_words[i];
}

/* "session: all of .../name" where "all of .../name, this session" is too wide, and "session: no to
 * .../name": a no to a folder is clearly one to all of it. */
static char *
make_session_words(const struct ambit_choice *choice)
{
	const char *label = choice->label ? choice->label : "";
	size_t len = strlen(label), behind = strlen(SESSION_BEHIND), start = find_label_path(label);
	const char *before = str_prefix(label, CHOICE_NO_TO) ? CHOICE_NO_TO : CHOICE_ALL_OF;
	auto_free char *width = NULL, *cut = NULL;

	if (len <= behind || !streq(label + len - behind, SESSION_BEHIND))
		return choice_label(choice, CHOICE_COLUMNS);
	width = strndup(label + start, len - behind - start);
	if (width && start == 0)
		return str_printf(SESSION_BEFORE "%s", width);
	if (width)
		cut = text_cut_path(
			width, CHOICE_COLUMNS - strlen(SESSION_BEFORE) - strlen(before));
	return cut ? str_printf(SESSION_BEFORE "%s%s", before, cut) : NULL;
}

/* A folder or a command whose name alone is too wide is not cut yet. */
static char *
make_choice_words(const struct ambit_question *question, const struct ambit_choice *choice)
{
	const char *before = choice->kind == AMBIT_ALWAYS ? choose_always_words(question) : "";
	auto_free char *label = choice_label(choice, text_room(CHOICE_COLUMNS, strlen(before)));

	if (!label)
		return NULL;
	if ((choice->kind == AMBIT_FOLDER || choice->kind == AMBIT_NO_SESSION) &&
		text_columns(label) > CHOICE_COLUMNS)
		return make_session_words(choice);
	return str_printf("%s%s", before, label);
}

char *
choice_words(const struct ambit_question *question, const struct ambit_choice *choice)
{
	auto_free char *words = make_choice_words(question, choice);

	return words ? text_cut_name(words, CHOICE_COLUMNS) : NULL;
}

bool
choice_is_listed(const struct ambit_question *question, const struct ambit_choice *choice)
{
	auto_free char *words = make_choice_words(question, choice);

	return !question_is_pattern(choice->path) ||
	       (words && text_columns(words) <= CHOICE_COLUMNS);
}

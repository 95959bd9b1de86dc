/* SPDX-License-Identifier: Apache-2.0 */
/* Questions as values: copied, compared, released, and named in one line. */

#include <errno.h>
#include <stdlib.h>

#include "ask/question-copy.h"
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

char *
choice_words(const struct ambit_question *question, const struct ambit_choice *choice)
{
	const char *label = choice->label ? choice->label : answer_rows[choice->kind].label;
	bool everywhere = question->project && !*question->project;

	if (choice->kind != AMBIT_ALWAYS)
		return strdup(label);
	return str_printf("%s: %s",
		everywhere ? "always, in every project" : "always in this project", label);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a question into lines for a terminal. All names in it were escaped by
 * who made it; they are checked again here, because this is the last place
 * before the person's terminal and their authors want a yes. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/question-copy.h"
#include "ask/text-columns.h"
#include "ask/tty/draw-private.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

#define TITLE_INDENT (DRAW_INDENT + 4) /* of what does not fit in the first line */
#define NAME "ambit  "
#define TEXT_LEAST 8 /* columns that are left for text, however narrow */
#define FACT_NAME 7  /* columns of "write  ", "hosts  " */
#define DANGER_GAP 2 /* before a danger */

void
draw_style(struct draw *draw, const char *sequence)
{
	if (draw->colour)
		buf_puts(&draw->text, sequence);
}

void
draw_indent(struct draw *draw, size_t column)
{
	buf_printf(&draw->text, "%*s", (int)column, "");
}

/* One past the last column that is written: there terminals do not agree on where they are. */
size_t
draw_line_end(const struct draw *draw)
{
	size_t width = draw->width < DRAW_WIDTH ? draw->width : DRAW_WIDTH;

	return width > DRAW_INDENT + TEXT_LEAST ? width - 1 : DRAW_INDENT + TEXT_LEAST;
}

size_t
draw_right_edge(const struct draw *draw)
{
	return draw_line_end(draw) < DRAW_RIGHT_EDGE ? draw_line_end(draw) : DRAW_RIGHT_EDGE;
}

/* How many bytes of text go into the given columns: up to the last space of
 * the second half if there is one, else to the last slash there, else to the edge. */
static size_t
count_fitting_bytes(const char *text, size_t columns)
{
	size_t at = 0, used = 0, space = 0, slash = 0;
	unsigned point = 0;

	while (text[at]) {
		size_t n = str_utf8(text + at, 4, &point); /* a NUL ends it early */
		size_t wide = n > 1 ? 2 : 1;

		if (used + wide > columns)
			return space > 0 ? space : slash > 0 ? slash : at;
		at += n > 0 ? n : 1;
		used += wide;
		if (point == ' ' && used > columns / 2)
			space = at;
		if (point == '/' && used > columns / 2)
			slash = at;
	}
	return at;
}

/* text from column on, continued at indent; the column where it ends. */
size_t
draw_wrapped_text(struct draw *draw, size_t column, size_t indent, const char *text)
{
	size_t end = draw_line_end(draw);

	for (const char *at = text;;) {
		size_t room = end > column + TEXT_LEAST ? end - column : TEXT_LEAST;
		size_t n = count_fitting_bytes(at, room);

		if (at[n] == '\0') {
			buf_puts(&draw->text, at);
			return column + text_columns(at);
		}
		buf_append(&draw->text, at, n);
		buf_putc(&draw->text, '\n');
		draw_indent(draw, indent);
		column = indent;
		at += n;
	}
}

static void
append_foreign_text(struct draw *draw, size_t column, const char *text)
{
	auto_free char *safe = str_show(text);

	if (safe)
		draw_wrapped_text(draw, column, column, safe);
	else
		draw->text.failed = true;
	buf_putc(&draw->text, '\n');
}

void
draw_note(struct draw *draw, const char *words, const char *text)
{
	buf_puts(&draw->text, words);
	append_foreign_text(draw, text_columns(words), text ? text : "");
}

/* -- the first lines --------------------------------------------------------- */

static bool
is_path(const struct ambit_question *question)
{
	const char *kind = question->kind ? question->kind : "";

	return streq(kind, "file") || streq(kind, "secret") || streq(kind, "socket");
}

/* The act and its object; cut as it would be in 80 columns, so that the words are the same in
 * every width. used: columns of what stands behind it in the line. */
static char *
make_title(const struct ambit_question *question, size_t used)
{
	const char *act = question->act ? question->act : "";
	auto_free char *object = NULL;

	if (question->brief && *question->brief)
		object = strdup(question->brief);
	else if (is_path(question) && question->object)
		object = text_cut_path(
			question->object, text_room(TEXT_LINE, text_columns(act) + 1 + used));
	else
		return question_title(question);
	return object ? str_printf("%s%s%s", act, *act ? " " : "", object) : NULL;
}

/* The columns that a danger takes at the right of a line of 80. */
static size_t
measure_danger(const struct ambit_question *question)
{
	size_t wide = question->danger ? text_columns(question->danger) : 0;

	return wide > 0 ? wide + DANGER_GAP + DRAW_WIDTH - 1 - DRAW_RIGHT_EDGE : 0;
}

/* At the right of the line if it fits there, else on lines of its own. */
static void
append_danger(struct draw *draw, size_t column, const char *danger)
{
	auto_free char *safe = danger ? str_show(danger) : strdup("");
	size_t wide = safe ? text_columns(safe) : 0, edge = draw_right_edge(draw);

	draw->text.failed |= !safe;
	if (wide == 0)
		return;
	if (column + DANGER_GAP + wide > edge) {
		buf_putc(&draw->text, '\n');
		column = 0;
	}
	draw_indent(draw, DRAW_INDENT + wide < edge ? edge - wide - column : DRAW_INDENT);
	draw_style(draw, DRAW_RED);
	draw_wrapped_text(
		draw, DRAW_INDENT + wide < edge ? edge - wide : DRAW_INDENT, DRAW_INDENT, safe);
	draw_style(draw, DRAW_PLAIN);
}

static void
draw_title(struct draw *draw, const struct ambit_question *question)
{
	auto_free char *whole = question_title(question);
	auto_free char *mark = whole ? question_mark(whole) : NULL;
	auto_free char *title =
		mark ? make_title(question, text_columns(mark) + measure_danger(question)) : NULL;
	auto_free char *safe = title ? str_show(title) : NULL;
	size_t column;

	if (!safe) {
		draw->text.failed = true;
		return;
	}
	buf_puts(&draw->text, NAME);
	draw_style(draw, DRAW_BOLD);
	/* A name may contain words. Its next lines are indented deeper than any line of the
	 * question itself, so that they cannot pass for one. */
	column = draw_wrapped_text(draw, DRAW_INDENT, TITLE_INDENT, safe);
	draw_style(draw, DRAW_PLAIN);
	column = draw_wrapped_text(draw, column, TITLE_INDENT, mark);
	append_danger(draw, column, question->danger);
	buf_putc(&draw->text, '\n');
}

static void
draw_who(struct draw *draw, const struct ambit_question *question)
{
	auto_free char *text = question_who(question);

	if (!text) {
		draw->text.failed = true;
		return;
	}
	if (!*text)
		return;
	draw_indent(draw, DRAW_INDENT);
	append_foreign_text(draw, DRAW_INDENT, text);
}

/* "hosts  a.example  b.example": what stands between two gaps is not divided, if it fits. */
static void
draw_fact(struct draw *draw, const struct ambit_fact *fact)
{
	size_t indent = DRAW_INDENT + FACT_NAME, column = indent;
	auto_free char *safe = str_tame(fact->text);

	draw->text.failed |= !safe;
	draw_indent(draw, DRAW_INDENT);
	buf_printf(&draw->text, "%-*s", FACT_NAME, fact->name);
	for (char *at = safe, *next; at; at = next) {
		next = strstr(at, "  ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (column > indent && column + 2 + text_columns(at) > draw_line_end(draw)) {
			buf_putc(&draw->text, '\n');
			draw_indent(draw, indent);
			column = indent;
		} else if (column > indent) {
			buf_puts(&draw->text, "  ");
			column += 2;
		}
		column = draw_wrapped_text(draw, column, indent, at);
	}
	buf_putc(&draw->text, '\n');
}

void
draw_head(struct draw *draw, const struct view *view)
{
	const struct ambit_question *question = view->question;

	draw_title(draw, question);
	for (size_t i = 0; i < question->n_facts; i++)
		draw_fact(draw, &question->facts[i]);
	if (question->n_facts == 0)
		draw_who(draw, question);
}

/* -- the whole ------------------------------------------------------------------ */

void
draw_question(struct draw *draw, const struct view *view)
{
	buf_putc(&draw->text, '\n');
	draw_head(draw, view);
	draw_choices(draw, view);
}

void
draw_prompt(struct draw *draw, const struct view *view)
{
	(void)view;
	draw_style(draw, DRAW_BOLD);
	buf_puts(&draw->text, DRAW_PROMPT);
	draw_style(draw, DRAW_PLAIN);
}

/* -- more ------------------------------------------------------------------------------ */

/* What every layer said, from the outcome as programs get it. */
static void
draw_outcome(struct draw *draw, const char *outcome)
{
	auto_json json_t *object = NULL;
	json_t *say;
	size_t i;

	if (!outcome || json_parse(outcome, strlen(outcome), &object, NULL) < 0)
		return;
	draw_note(draw, "       code: ", json_text(object, "code"));
	if (*json_text(object, "hint"))
		draw_note(draw, "       hint: ", json_text(object, "hint"));
	json_array_foreach (json_object_get(object, "layers"), i, say) {
		auto_free char *line = str_printf("%s says %s: %s", json_text(say, "layer"),
			json_text(say, "verdict"), json_text(say, "reason"));

		if (line)
			draw_note(draw, "         ", line);
	}
}

static void
draw_stores(struct draw *draw, const char *words, const struct ambit_choice *choice)
{
	if (choice && choice->kind != AMBIT_NO && choice->stores)
		draw_note(draw, words, choice->stores);
}

static void
draw_key_help(struct draw *draw, const struct view *view, const struct key *key)
{
	const struct ambit_choice *choice = view_choice(view, key);

	draw_key(draw, view, key);
	draw_stores(draw,
		choice && choice->kind == AMBIT_ONCE ? "         allows: " : "         stores: ",
		choice);
	if (key->act == KEY_ALWAYS) {
		draw_stores(draw, "         s stores: ", view_always(view, false));
		draw_stores(draw, "         d stores: ", view_always(view, true));
	}
}

void
draw_more(struct draw *draw, const struct view *view)
{
	const struct ambit_question *question = view->question;
	const struct key *key;

	draw_note(draw, "       asked: ", question->what);
	if (question->who && *question->who)
		draw_note(draw, "       by: ", question->who);
	draw_note(draw, "       why: ", question->why);
	for (size_t i = 0; (key = view_key_at(view, i)) != NULL; i++)
		if (key->act != KEY_MORE)
			draw_key_help(draw, view, key);
	if (question->n_facts == 0)
		draw_note(draw, "       ",
			"s and d hold for every program of this session, until it ends; a holds "
			"for later sessions, too, and 'ambit rules' lists it and takes it back");
	draw_outcome(draw, question->outcome);
}

void
draw_explanation(struct draw *draw, const struct view *view)
{
	draw_more(draw, view);
	draw_question(draw, view);
}

void
draw_line(struct draw *draw, const char *prompt, const char *text)
{
	auto_free char *typed = str_printf("%s_", text);
	auto_free char *safe = typed ? str_tame(typed) : NULL;

	buf_puts(&draw->text, prompt);
	if (safe)
		draw_wrapped_text(draw, text_columns(prompt), DRAW_INDENT, safe);
	draw->text.failed |= !safe;
	buf_putc(&draw->text, '\n');
	draw_note(draw, "       ", "Enter says no with it, Esc says no without it");
}

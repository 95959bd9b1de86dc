/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a question into lines for a terminal. All names in it were escaped by
 * who made it; they are checked again here, because this is the last place
 * before the person's terminal and their authors want a yes. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/question-copy.h"
#include "ask/text-columns.h"
#include "ask/tty/draw.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "request/answers.h"

#define BOLD "\x1b[1m"
#define RED "\x1b[1;31m"
#define PLAIN "\x1b[0m"

#define NAME "ambit  "
#define INDENT (sizeof(NAME) - 1)
#define WIDTH_MOST 80 /* a wider terminal gets no wider question */
#define RIGHT_EDGE 77 /* where words at the right end */
#define TEXT_LEAST 8  /* columns that are left for text, however narrow */
#define KEY_GAP 3     /* between two answers */
#define NO_WIDTH 6    /* of "n no", so that what follows stands beneath "s" */
#define FACT_NAME 7   /* columns of "write  ", "hosts  " */
#define REFUSES "Enter = no"

static void
append_style(struct draw *draw, const char *sequence)
{
	if (draw->colour)
		buf_puts(&draw->text, sequence);
}

static void
indent_to(struct draw *draw, size_t column)
{
	buf_printf(&draw->text, "%*s", (int)column, "");
}

/* One past the last column that is written: there terminals do not agree on where they are. */
static size_t
line_end(const struct draw *draw)
{
	size_t width = draw->width < WIDTH_MOST ? draw->width : WIDTH_MOST;

	return width > INDENT + TEXT_LEAST ? width - 1 : INDENT + TEXT_LEAST;
}

static size_t
right_edge(const struct draw *draw)
{
	return line_end(draw) < RIGHT_EDGE ? line_end(draw) : RIGHT_EDGE;
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
static size_t
append_wrapped_text(struct draw *draw, size_t column, size_t indent, const char *text)
{
	size_t end = line_end(draw);

	for (const char *at = text;;) {
		size_t room = end > column + TEXT_LEAST ? end - column : TEXT_LEAST;
		size_t n = count_fitting_bytes(at, room);

		if (at[n] == '\0') {
			buf_puts(&draw->text, at);
			return column + text_columns(at);
		}
		buf_append(&draw->text, at, n);
		buf_putc(&draw->text, '\n');
		indent_to(draw, indent);
		column = indent;
		at += n;
	}
}

static void
append_foreign_text(struct draw *draw, size_t column, const char *text)
{
	auto_free char *safe = str_show(text);

	if (safe)
		append_wrapped_text(draw, column, column, safe);
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

	return streq(kind, "file") || streq(kind, "secret");
}

/* The act and its object; cut as it would be in 80 columns, so that the words are the same in
 * every width. */
static char *
make_title(const struct ambit_question *question)
{
	const char *act = question->act ? question->act : "";
	auto_free char *object = NULL;

	if (!is_path(question))
		return question_title(question);
	object = text_cut_path(question->object, WIDTH_MOST - 1 - INDENT - strlen(act) - 1);
	return object ? str_printf("%s%s%s", act, *act ? " " : "", object) : NULL;
}

/* At the right of the line if it fits there, else on lines of its own. */
static void
append_danger(struct draw *draw, size_t column, const char *danger)
{
	auto_free char *safe = danger ? str_show(danger) : strdup("");
	size_t wide = safe ? text_columns(safe) : 0, edge = right_edge(draw);

	draw->text.failed |= !safe;
	if (wide == 0)
		return;
	if (column + 2 + wide > edge) {
		buf_putc(&draw->text, '\n');
		column = 0;
	}
	indent_to(draw, INDENT + wide < edge ? edge - wide - column : INDENT);
	append_style(draw, RED);
	append_wrapped_text(draw, INDENT + wide < edge ? edge - wide : INDENT, INDENT, safe);
	append_style(draw, PLAIN);
}

static void
draw_title(struct draw *draw, const struct ambit_question *question)
{
	auto_free char *title = make_title(question);
	auto_free char *safe = title ? str_show(title) : NULL;
	auto_free char *mark = title ? question_mark(title) : NULL;
	size_t column;

	if (!safe || !mark) {
		draw->text.failed = true;
		return;
	}
	buf_puts(&draw->text, NAME);
	append_style(draw, BOLD);
	column = append_wrapped_text(draw, INDENT, INDENT, safe);
	append_style(draw, PLAIN);
	column = append_wrapped_text(draw, column, INDENT, mark);
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
	indent_to(draw, INDENT);
	append_foreign_text(draw, INDENT, text);
}

/* "hosts  a.example  b.example": what stands between two gaps is not divided, if it fits. */
static void
draw_fact(struct draw *draw, const struct ambit_fact *fact)
{
	size_t indent = INDENT + FACT_NAME, column = indent;
	auto_free char *safe = str_tame(fact->text);

	draw->text.failed |= !safe;
	indent_to(draw, INDENT);
	buf_printf(&draw->text, "%-*s", FACT_NAME, fact->name);
	for (char *at = safe, *next; at; at = next) {
		next = strstr(at, "  ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (column > indent && column + 2 + text_columns(at) > line_end(draw)) {
			buf_putc(&draw->text, '\n');
			indent_to(draw, indent);
			column = indent;
		} else if (column > indent) {
			buf_puts(&draw->text, "  ");
			column += 2;
		}
		column = append_wrapped_text(draw, column, indent, at);
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

/* -- the answers ---------------------------------------------------------------- */

/* Answers side by side, as many in a line as fit. */
struct flow {
	struct draw *draw;
	size_t column; /* 0: the line has not begun */
	size_t gap;    /* before the next; 0: the usual one */
};

static void
begin_answer(struct flow *flow, size_t wide)
{
	struct draw *draw = flow->draw;
	size_t gap = flow->gap > 0 ? flow->gap : KEY_GAP;

	flow->gap = 0;
	if (flow->column > 0 && flow->column + gap + wide <= line_end(draw)) {
		indent_to(draw, gap);
		flow->column += gap;
		return;
	}
	if (flow->column > 0)
		buf_putc(&draw->text, '\n');
	indent_to(draw, INDENT);
	flow->column = INDENT;
}

static void
add_answer(struct flow *flow, char key, const char *words, size_t least)
{
	auto_free char *safe = words ? str_show(words) : NULL;
	struct draw *draw = flow->draw;
	size_t wide = safe ? 2 + text_columns(safe) : 0;

	if (!safe) {
		draw->text.failed = true;
		return;
	}
	begin_answer(flow, wide);
	append_style(draw, BOLD);
	buf_putc(&draw->text, key);
	append_style(draw, PLAIN);
	buf_putc(&draw->text, ' ');
	flow->column = append_wrapped_text(draw, flow->column + 2, INDENT + 2, safe);
	for (; wide < least && flow->column < line_end(draw); wide++, flow->column++)
		buf_putc(&draw->text, ' ');
}

static void
end_answers(struct flow *flow)
{
	struct draw *draw = flow->draw;
	size_t at = right_edge(draw) - strlen(REFUSES);

	if (flow->column + KEY_GAP > at) {
		buf_putc(&draw->text, '\n');
		flow->column = 0;
	}
	indent_to(draw, at - flow->column);
	buf_puts(&draw->text, REFUSES "\n");
	flow->column = 0;
}

static bool
holds_everywhere(const struct ambit_question *question)
{
	return question->project && !*question->project;
}

static const char *
key_words(const struct view *view, const struct key *key)
{
	const struct ambit_choice *choice = view_choice(view, key);

	if (key->act == KEY_ALWAYS && holds_everywhere(view->question))
		return "always, in every project";
	if (key->text)
		return key->text;
	return choice && choice->label ? choice->label : answer_rows[key->kind].label;
}

/* Yes in the first line, no and the rest in the second. A question that has lines of its own has
 * few answers: those stand in one line, and the rest follows. */
void
draw_choices(struct draw *draw, const struct view *view)
{
	static const char order[] = "ysdna?", facts_order[] = "ysdan?";
	bool facts = view->question->n_facts > 0;
	struct flow flow = { .draw = draw };

	for (const char *at = facts ? facts_order : order; *at; at++) {
		const struct key *key = view_key_find(view, *at);

		if (!key)
			continue;
		if (*at == (facts ? '?' : 'n') && flow.column > 0) {
			buf_putc(&draw->text, '\n');
			flow.column = 0;
		}
		add_answer(&flow, key->key, key_words(view, key),
			key->key == 'n' && !facts ? NO_WIDTH : 0);
	}
	end_answers(&flow);
}

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
	append_style(draw, BOLD);
	buf_puts(&draw->text, DRAW_PROMPT);
	append_style(draw, PLAIN);
}

/* -- always ------------------------------------------------------------------------ */

void
draw_always(struct draw *draw, const struct view *view)
{
	const struct ambit_question *question = view->question;
	const struct ambit_choice *exact = view_always(view, false);
	const struct ambit_choice *folder = view_always(view, true);
	const char *project = question->project ? question->project : "this project";
	auto_free char *head = str_printf("always in %s:", project);
	auto_free char *safe = head ? str_show(head) : NULL;
	struct flow flow = { .draw = draw, .gap = 2 };

	if (!safe) {
		draw->text.failed = true;
		return;
	}
	indent_to(draw, INDENT);
	flow.column = append_wrapped_text(draw, INDENT, INDENT, safe);
	if (exact)
		add_answer(&flow, 's',
			exact->label ? exact->label : answer_rows[AMBIT_ALWAYS].label, 0);
	if (folder)
		add_answer(&flow, 'd', folder->label ? folder->label : folder->path, 0);
	end_answers(&flow);
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

/* What "once" is to a process that writes a file; "": its stored rule says it all. */
static const char *
once_text(const struct ambit_question *question)
{
	const char *kind = question->kind ? question->kind : "";
	bool process = question->who && strstr(question->who, "(pid ");

	if (!process || !(streq(kind, "file") || streq(kind, "temporary")))
		return "";
	return "for two seconds, this process may do this to the file, and may make new files "
	       "beside it to replace it with";
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
	struct flow flow = { .draw = draw };

	add_answer(&flow, key->key, key_words(view, key), 0);
	buf_putc(&draw->text, '\n');
	if (choice && choice->kind == AMBIT_ONCE && *once_text(view->question))
		draw_note(draw, "         ", once_text(view->question));
	draw_stores(draw, "         stores: ", choice);
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
		append_wrapped_text(draw, text_columns(prompt), INDENT, safe);
	draw->text.failed |= !safe;
	buf_putc(&draw->text, '\n');
	draw_note(draw, "       ", "Enter says no with it, Esc says no without it");
}

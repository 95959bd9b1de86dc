/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a question as lines: which of them share one, and where a path in them is cut.
 * Labels come from whoever made the question, maybe another process: they are escaped again. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/question-copy.h"
#include "ask/text-columns.h"
#include "ask/tty/draw-private.h"
#include "base/own.h"
#include "base/str.h"
#include "request/answers.h"

#define KEY_GAP 3  /* between two answers */
#define NO_WIDTH 6 /* of "n no", so that what follows stands beneath "s" */
#define REFUSES "Enter = no"

/* Answers side by side, as many in a line as fit. */
struct flow {
	struct draw *draw;
	size_t column; /* 0: the line has not begun */
	size_t gap;    /* before the next; 0: the usual one */
	size_t deeper; /* columns that each is indented by, in a line of its own; 0: it is not */
};

static void
begin_answer(struct flow *flow, size_t wide)
{
	struct draw *draw = flow->draw;
	size_t gap = flow->gap > 0 ? flow->gap : KEY_GAP;

	flow->gap = 0;
	if (flow->column > 0 && flow->deeper == 0 &&
		flow->column + gap + wide <= draw_line_end(draw)) {
		draw_indent(draw, gap);
		flow->column += gap;
		return;
	}
	if (flow->column > 0)
		buf_putc(&draw->text, '\n');
	draw_indent(draw, DRAW_INDENT + flow->deeper);
	flow->column = DRAW_INDENT + flow->deeper;
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
	draw_style(draw, DRAW_BOLD);
	buf_putc(&draw->text, key);
	draw_style(draw, DRAW_PLAIN);
	buf_putc(&draw->text, ' ');
	flow->column =
		draw_wrapped_text(draw, flow->column + 2, DRAW_INDENT + flow->deeper + 2, safe);
	for (; wide < least && flow->column < draw_line_end(draw); wide++, flow->column++)
		buf_putc(&draw->text, ' ');
}

static void
end_answers(struct flow *flow)
{
	struct draw *draw = flow->draw;
	size_t at = draw_right_edge(draw) - strlen(REFUSES);

	if (flow->column + KEY_GAP > at) {
		buf_putc(&draw->text, '\n');
		flow->column = 0;
	}
	draw_indent(draw, at - flow->column);
	buf_puts(&draw->text, REFUSES "\n");
	flow->column = 0;
}

static bool
holds_everywhere(const struct ambit_question *question)
{
	return question->project && !*question->project;
}

/* A path in them is cut to so many columns. Caller frees; NULL without memory. */
static char *
make_key_words(const struct view *view, const struct key *key, size_t columns)
{
	const struct ambit_choice *choice = view_choice(view, key);

	if (key->act == KEY_ALWAYS && holds_everywhere(view->question))
		return strdup("always, in every project");
	if (key->text)
		return strdup(key->text);
	return choice ? choice_label(choice, columns) : strdup(answer_rows[key->kind].label);
}

/* -- how the yeses fit one line */

#define SESSION ", this session"
#define SESSION_BEFORE "this session:"

/* The columns of an answer with its key, and of the gap behind it; 0: it is not offered. */
static size_t
measure_answer(const struct view *view, char c)
{
	const struct key *key = view_key_find(view, c);
	auto_free char *words = key ? make_key_words(view, key, SIZE_MAX) : NULL;

	return words ? 2 + text_columns(words) + KEY_GAP : 0;
}

/* The room that y and s leave in their line for the words of d. */
static size_t
measure_folder_room(const struct view *view, bool once)
{
	size_t used = measure_answer(view, 'y') + measure_answer(view, 's') + 2;

	if (once)
		used += strlen(SESSION_BEFORE) + 2 - strlen(SESSION);
	return text_room(TEXT_LINE, used);
}

static bool
is_for_session(const struct view *view, char c)
{
	const struct key *key = view_key_find(view, c);
	auto_free char *words = key ? make_key_words(view, key, SIZE_MAX) : NULL;
	size_t len = words ? strlen(words) : 0;

	return len > strlen(SESSION) && streq(words + len - strlen(SESSION), SESSION);
}

enum session_words {
	SESSION_TWICE,	  /* "s this file, this session   d all of ~/data, this session" */
	SESSION_ONCE,	  /* "this session:  s this file   d all of ~/data" */
	SESSION_TWO_LINES /* d is too long for both, and has a line of its own */
};

static enum session_words
choose_session_words(const struct view *view)
{
	const struct key *key = view_key_find(view, 'd');
	size_t twice = measure_folder_room(view, false), once = measure_folder_room(view, true);
	auto_free char *words = key ? make_key_words(view, key, twice) : NULL;
	auto_free char *less = key ? make_key_words(view, key, once + strlen(SESSION)) : NULL;

	if (!words || !less || text_columns(words) <= twice)
		return SESSION_TWICE;
	if (is_for_session(view, 's') && is_for_session(view, 'd') &&
		text_columns(less) <= once + strlen(SESSION))
		return SESSION_ONCE;
	return SESSION_TWO_LINES;
}

static char *
make_answer_words(const struct view *view, const struct key *key, enum session_words how)
{
	bool once = how == SESSION_ONCE && (key->key == 's' || key->key == 'd');
	size_t room = how == SESSION_TWO_LINES ? TEXT_LINE - 2 : measure_folder_room(view, once);
	size_t columns = key->key == 'd' ? room + (once ? strlen(SESSION) : 0) : SIZE_MAX;
	char *words = make_key_words(view, key, columns);

	if (words && once)
		words[strlen(words) - strlen(SESSION)] = '\0';
	return words;
}

/* "this session:  s this file   d all of ~/data" if the line takes it, else beneath each other. */
static void
add_session_answers(struct flow *flow, const char *s, const char *d)
{
	size_t answers = 2 + text_columns(s) + KEY_GAP + 2 + text_columns(d);
	size_t wide = strlen(SESSION_BEFORE) + 2 + answers;

	begin_answer(flow, wide);
	buf_puts(&flow->draw->text, SESSION_BEFORE);
	flow->column += strlen(SESSION_BEFORE);
	flow->gap = 2;
	if (flow->column + flow->gap + answers > draw_line_end(flow->draw))
		flow->deeper = 2;
	add_answer(flow, 's', s, 0);
	add_answer(flow, 'd', d, 0);
	flow->deeper = 0;
}

static void
draw_answer(struct flow *flow, const struct view *view, char c, enum session_words how)
{
	const struct key *key = view_key_find(view, c);
	auto_free char *words = key ? make_answer_words(view, key, how) : NULL;
	bool facts = view->question->n_facts > 0;

	if (!key)
		return;
	if (how == SESSION_ONCE && c == 's') {
		key = view_key_find(view, 'd');
		auto_free char *folder = key ? make_answer_words(view, key, how) : NULL;

		flow->draw->text.failed |= !words || !folder;
		add_session_answers(flow, words ? words : "", folder ? folder : "");
	} else if (how != SESSION_ONCE || c != 'd') {
		add_answer(flow, c, words, c == 'n' && !facts ? NO_WIDTH : 0);
	}
}

/* Yes in the first line, no and the rest in the second. A question that has lines of its own has
 * few answers: those stand in one line, and the rest follows. */
void
draw_choices(struct draw *draw, const struct view *view)
{
	static const char order[] = "ysdna?", facts_order[] = "ysdan?";
	bool facts = view->question->n_facts > 0;
	enum session_words how = choose_session_words(view);
	struct flow flow = { .draw = draw };

	for (const char *at = facts ? facts_order : order; *at; at++) {
		if (*at == (facts ? '?' : 'n') && flow.column > 0) {
			buf_putc(&draw->text, '\n');
			flow.column = 0;
		}
		draw_answer(&flow, view, *at, how);
	}
	end_answers(&flow);
}

void
draw_key(struct draw *draw, const struct view *view, const struct key *key)
{
	auto_free char *words = make_key_words(view, key, SIZE_MAX);
	struct flow flow = { .draw = draw };

	add_answer(&flow, key->key, words, 0);
	buf_putc(&draw->text, '\n');
}

/* -- always ------------------------------------------------------------------------ */

/* The column where it ends. */
static size_t
append_own_text(struct draw *draw, const char *text)
{
	auto_free char *safe = str_show(text);

	draw->text.failed |= !safe;
	return draw_wrapped_text(draw, DRAW_INDENT, DRAW_INDENT, safe ? safe : "");
}

/* The room that the words of the line leave for the project and the folder. */
static size_t
measure_always_room(const char *exact, bool folder)
{
	size_t used = strlen("always in :  ") + KEY_GAP + strlen(REFUSES);

	used += DRAW_WIDTH - 1 - DRAW_RIGHT_EDGE;
	used += *exact ? 2 + text_columns(exact) : 0;
	used += folder ? 2 + (*exact ? KEY_GAP : 0) : 0;
	return text_room(TEXT_LINE, used);
}

/* "always in ~/app:". One that needs less than half of the room leaves the rest to the folder. */
static char *
make_always_head(const char *project, const char *folder, size_t room)
{
	size_t rest = text_room(room, text_columns(folder));
	auto_free char *cut = text_cut_path(project, rest > room / 2 ? rest : room / 2);

	return cut ? str_printf("always in %s:", cut) : NULL;
}

void
draw_always(struct draw *draw, const struct view *view)
{
	const struct ambit_choice *exact = view_always(view, false);
	const struct ambit_choice *folder = view_always(view, true);
	const char *project = view->question->project;
	auto_free char *s = exact ? choice_label(exact, SIZE_MAX) : strdup("");
	auto_free char *whole = folder ? choice_label(folder, SIZE_MAX) : strdup("");
	size_t room = s ? measure_always_room(s, folder != NULL) : 0;
	auto_free char *head =
		whole ? make_always_head(project ? project : "this project", whole, room) : NULL;
	struct flow flow = { .draw = draw, .gap = 2 };

	if (!s || !head) {
		draw->text.failed = true;
		return;
	}
	draw_indent(draw, DRAW_INDENT);
	flow.column = append_own_text(draw, head);
	if (exact)
		add_answer(&flow, 's', s, 0);
	if (folder) {
		size_t used = text_columns(head) - strlen("always in :");
		auto_free char *d = choice_label(folder, text_room(room, used));

		add_answer(&flow, 'd', d, 0);
	}
	end_answers(&flow);
}

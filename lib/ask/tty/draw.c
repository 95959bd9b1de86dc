/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a question into lines for a terminal. All names in it were escaped by
 * who made it; they are checked again here, because this is the last place
 * before the person's terminal and their authors want a yes. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/tty/draw.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"
#define YELLOW "\x1b[33m"
#define PLAIN "\x1b[0m"

#define TEXT_COLUMN 14 /* where the text of a key's line begins */
#define TEXT_LEAST 8   /* columns that are left for it, however narrow */

static void
append_style(struct draw *draw, const char *sequence)
{
	if (draw->colour)
		buf_puts(&draw->text, sequence);
}

/* How many bytes of text go into the given columns: up to the last space of
 * the second half if there is one, else to the edge. What is not ASCII counts
 * double, which is never too little. */
static size_t
count_fitting_bytes(const char *text, size_t columns)
{
	size_t at = 0, used = 0, space = 0;
	unsigned point = 0;

	while (text[at]) {
		size_t n = str_utf8(text + at, 4, &point); /* a NUL ends it early */
		size_t wide = n > 1 ? 2 : 1;

		if (used + wide > columns)
			return space > 0 ? space : at;
		at += n > 0 ? n : 1;
		used += wide;
		if (point == ' ' && used > columns / 2)
			space = at;
	}
	return at;
}

/* text from column on, continued beneath itself; ends the line. own: ambit's words, or
 * what the person types, in which a gap is a gap. */
static void
append_wrapped_text(struct draw *draw, size_t column, const char *text, bool own)
{
	auto_free char *safe = own ? str_tame(text) : str_show(text);
	size_t indent = column, room;

	if (!safe) {
		draw->text.failed = true;
		return;
	}
	room = draw->width > indent + TEXT_LEAST ? draw->width - indent - 1 : TEXT_LEAST;
	for (const char *at = safe;;) {
		size_t n = count_fitting_bytes(at, room);

		buf_append(&draw->text, at, n);
		buf_putc(&draw->text, '\n');
		at += n;
		if (!*at)
			return;
		buf_printf(&draw->text, "%*s", (int)indent, "");
	}
}

void
draw_note(struct draw *draw, const char *words, const char *text)
{
	buf_puts(&draw->text, words);
	append_wrapped_text(draw, strlen(words), text ? text : "", false);
}

static void
own_note(struct draw *draw, const char *words, const char *text)
{
	buf_puts(&draw->text, words);
	append_wrapped_text(draw, strlen(words), text, true);
}

static void
draw_key(struct draw *draw, const struct key *key, const char *text)
{
	append_style(draw, BOLD);
	buf_printf(&draw->text, "  %c", key->shown->key);
	append_style(draw, PLAIN);
	buf_printf(&draw->text, "  %-*s", TEXT_COLUMN - 5, key->shown->label);
	append_wrapped_text(draw, TEXT_COLUMN, text, false);
}

static bool
is_moving_key(const struct key *key)
{
	return key->kind == AMBIT_FOLDER || key->kind == AMBIT_ALWAYS;
}

static void
draw_some(struct draw *draw, const struct view *view, bool only_moving)
{
	const struct key *key;

	for (size_t i = 0; (key = view_key_at(view, i)) != NULL; i++) {
		const struct ambit_choice *choice = view_choice(view, key);

		if (key->act != KEY_ANSWER || (only_moving && !is_moving_key(key)))
			continue;
		draw_key(draw, key, choice && choice->stores ? choice->stores : "");
	}
}

void
draw_choices(struct draw *draw, const struct view *view)
{
	draw_some(draw, view, false);
}

void
draw_folder(struct draw *draw, const struct view *view)
{
	draw_some(draw, view, true);
}

void
draw_head(struct draw *draw, const struct view *view)
{
	const struct ambit_question *question = view->question;
	const char *who = question->who ? question->who : "";

	append_style(draw, YELLOW);
	draw_note(draw, "ambit asks: ", question->what);
	append_style(draw, PLAIN);
	if (*who)
		draw_note(draw, "  for: ", who);
	append_style(draw, DIM);
	draw_note(draw, "  why: ", question->why);
	append_style(draw, PLAIN);
}

void
draw_question(struct draw *draw, const struct view *view)
{
	buf_putc(&draw->text, '\n');
	draw_head(draw, view);
	draw_choices(draw, view);
}

/* Keys whose line says nothing new are named here. */
static void
name_keys(struct buf *text, const struct view *view)
{
	const struct key *key;

	for (size_t i = 0; (key = view_key_at(view, i)) != NULL; i++)
		if (key->act != KEY_ANSWER)
			buf_printf(text, "  %c %s", key->shown->key, key->shown->label);
}

static void
list_keys(struct buf *text, const struct view *view)
{
	const struct key *key;

	buf_puts(text, "  [");
	for (size_t i = 0; (key = view_key_at(view, i)) != NULL; i++)
		buf_putc(text, key->shown->key);
	buf_puts(text, "] Enter is no");
}

void
draw_prompt(struct draw *draw, const struct view *view)
{
	name_keys(&draw->text, view);
	append_style(draw, BOLD);
	list_keys(&draw->text, view);
	buf_puts(&draw->text, ": ");
	append_style(draw, PLAIN);
}

/* Of ambit's own words; wrapped, where the prompt leaves that to the terminal. */
static void
draw_own(struct draw *draw, struct buf *words)
{
	auto_free char *text = buf_take(words);

	if (!text) {
		draw->text.failed = true;
		return;
	}
	append_style(draw, BOLD);
	own_note(draw, "  ", text + strspn(text, " "));
	append_style(draw, PLAIN);
}

void
draw_keys(struct draw *draw, const struct view *view)
{
	struct buf words = { 0 };

	name_keys(&words, view);
	list_keys(&words, view);
	draw_own(draw, &words);
}

/* What every layer said, from the outcome as programs get it. */
static void
draw_outcome(struct draw *draw, const char *outcome)
{
	auto_json json_t *object = NULL;
	json_t *say;
	size_t i;

	if (!outcome || json_parse(outcome, strlen(outcome), &object, NULL) < 0)
		return;
	draw_note(draw, "  code: ", json_text(object, "code"));
	draw_note(draw, "  reason: ", json_text(object, "reason"));
	if (*json_text(object, "hint"))
		draw_note(draw, "  hint: ", json_text(object, "hint"));
	json_array_foreach (json_object_get(object, "layers"), i, say) {
		auto_free char *line = str_printf("%s says %s: %s", json_text(say, "layer"),
			json_text(say, "verdict"), json_text(say, "reason"));

		if (line)
			draw_note(draw, "    ", line);
	}
}

void
draw_reasons(struct draw *draw, const struct view *view)
{
	const struct key *key;

	for (size_t i = 0; (key = view_key_at(view, i)) != NULL; i++)
		draw_key(draw, key, key->shown->help);
	draw_outcome(draw, view->question->outcome);
}

void
draw_explanation(struct draw *draw, const struct view *view)
{
	draw_reasons(draw, view);
	draw_question(draw, view);
}

void
draw_rule(struct draw *draw, const struct ambit_choice *choice)
{
	draw_note(draw, "always stores this rule: ", choice->stores);
	if (!choice->path)
		return;
	auto_free char *path = str_escape(choice->path, strlen(choice->path));

	if (!path)
		draw->text.failed = true;
	else
		draw_note(draw, "  in full: ", path);
}

#define RULE_KEYS "y stores it, Enter is no, any other key goes back"

void
draw_rule_prompt(struct draw *draw)
{
	append_style(draw, BOLD);
	buf_puts(&draw->text, RULE_KEYS ": ");
	append_style(draw, PLAIN);
}

void
draw_rule_keys(struct draw *draw)
{
	struct buf words = { 0 };

	buf_puts(&words, RULE_KEYS);
	draw_own(draw, &words);
}

void
draw_line(struct draw *draw, const char *prompt, const char *text)
{
	auto_free char *typed = str_printf("%s_", text);
	struct buf words = { 0 };

	if (typed)
		own_note(draw, prompt, typed);
	else
		draw->text.failed = true;
	buf_puts(&words, "Enter says no with it, Esc says no without it");
	draw_own(draw, &words);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What "once" allows, in words, from the same struct that decides about it: so that nobody
 * allows what was not read. Paths are a program's and are shown escaped. */

#include "ask/question-once.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/once.h"

static const char *
act_word(const struct once_shown *shown)
{
	switch (shown->access) {
	case AMBIT_ACCESS_MKDIR:
		return shown->exists ? "change" : "make the directory";
	case AMBIT_ACCESS_DELETE:
		return "delete";
	case AMBIT_ACCESS_REPLACE:
		return shown->exists ? "replace" : "make";
	default:
		return shown->exists ? "write" : "make";
	}
}

static void
append_shown(const struct decide_input *in, const char *before, const char *word,
	const struct once_shown *shown, struct buf *out)
{
	auto_free char *name = ambit_scope_display(in->scope, shown->real);

	out->failed |= !name;
	buf_printf(out, "%s%s %s", before, word, name ? name : "?");
}

/* A rename takes away and puts in place. */
static bool
is_move(const struct once *once)
{
	return once->n_shown == 2 && once->shown[0].access == AMBIT_ACCESS_DELETE &&
	       once->shown[1].access == AMBIT_ACCESS_REPLACE;
}

static void
append_acts(const struct decide_input *in, const struct once *once, struct buf *out)
{
	if (is_move(once)) {
		append_shown(in, "", "move", &once->shown[0], out);
		append_shown(in, " ", "to", &once->shown[1], out);
		return;
	}
	for (size_t i = 0; i < once->n_shown; i++)
		append_shown(
			in, i > 0 ? ", " : "", act_word(&once->shown[i]), &once->shown[i], out);
}

static bool
makes_directory(const struct once *once)
{
	for (size_t i = 0; i < once->n_shown; i++)
		if (once->shown[i].access == AMBIT_ACCESS_MKDIR && !once->shown[i].exists)
			return true;
	return false;
}

/* Removing a file is no leave to put another in its place. */
static bool
puts_something(const struct once *once)
{
	for (size_t i = 0; i < once->n_shown; i++)
		if (once->shown[i].access == AMBIT_ACCESS_DELETE)
			return false;
	return true;
}

static void
append_rest(const struct once *once, struct buf *out)
{
	if (makes_directory(once))
		buf_puts(out, ", and what is new in it");
	if (!once->dir)
		return;
	buf_puts(out, ", new files beside it");
	if (once->made_up)
		buf_puts(out, ", one of them may replace one file there");
	else if (puts_something(once) && !once->pair)
		buf_puts(out, ", one of them may replace it");
}

void
question_once_text(
	const struct decide_input *in, const struct ambit_outcome *outcome, struct buf *out)
{
	struct once once;

	if (once_init(in, outcome, &once) < 0) {
		out->failed = true;
		return;
	}
	if (once.n_shown > 0) {
		buf_puts(out, "this process, for two seconds: ");
		append_acts(in, &once, out);
		append_rest(&once, out);
	} else if (once.call) {
		buf_puts(out, "this process, for two seconds: this call, as shown");
	}
	once_finish(&once);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Why a hunk does not apply, in lines: those it expects, and those of the file that
 * are most like them. Written for a model that has to make the patch again. */

#include <string.h>

#include "base/str.h"
#include "tools/patch/patch-lines.h"

#define SHOWN_LINES 16
#define SHOWN_BYTES 200
#define LOOKED_LINES 64 /* of a hunk, when looking for the place most like it */

/* Text as it is, but nothing that moves a cursor or is no text. */
static void
append_shown(struct buf *out, struct span text)
{
	size_t max = str_cut(text.text, text.len, SHOWN_BYTES);

	for (size_t i = 0; i < max;) {
		unsigned point = 0;
		size_t n = str_utf8(text.text + i, max - i, &point);

		if (n == 0 || (point < ' ' && point != '\t') || point == 0x7f || str_hidden(point))
			buf_putc(out, '?');
		else
			buf_append(out, text.text + i, n);
		i += n ? n : 1;
	}
	if (max < text.len)
		buf_puts(out, " ...");
	buf_putc(out, '\n');
}

static void
tell_expected(const struct finder *f, struct buf *out)
{
	size_t n = f->n_old < SHOWN_LINES ? f->n_old : SHOWN_LINES;

	buf_printf(out, "Hunk %zu expects:\n", f->hunk->number);
	for (size_t i = 0; i < n; i++) {
		buf_puts(out, "    |");
		append_shown(out, line_end_cut(f->old[i]->text, MATCH_RETURN));
	}
	if (n < f->n_old)
		buf_printf(out, "    ... and %zu more\n", f->n_old - n);
}

/* How many of the hunk's lines stand at this place, blanks aside. */
static size_t
count_like_lines(const struct finder *f, size_t at, size_t n)
{
	size_t score = 0;

	for (size_t i = 0; i < n && at + i < f->file->n; i++) {
		struct span a = span_trim(f->file->list[at + i].text);
		struct span b = span_trim(f->old[i]->text);

		score += a.len > 0 && a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
	}
	return score;
}

/* A hunk's first line may be the one that is wrong, and the file may be shorter. */
static bool
find_nearest_place(const struct finder *f, size_t *ret_at)
{
	size_t best = 0, n = f->n_old < LOOKED_LINES ? f->n_old : LOOKED_LINES, spent = 0;

	for (size_t at = 0; at < f->file->n && spent < COMPARISONS_MAX; at++) {
		size_t score = count_like_lines(f, at, n);

		spent += n;
		if (score > best) {
			best = score;
			*ret_at = at;
		}
	}
	return best > 0;
}

char *
tell_mismatch(const struct finder *f)
{
	auto_buf struct buf out = { 0 };
	size_t at = f->wanted < f->file->n ? f->wanted : f->file->n;
	size_t n = f->n_old < SHOWN_LINES ? f->n_old : SHOWN_LINES;
	bool like = find_nearest_place(f, &at);

	tell_expected(f, &out);
	if (f->file->n == 0) {
		buf_puts(&out, "The file is empty.\n");
		return buf_take(&out);
	}
	if (!like && !f->hunk->placed) {
		buf_puts(&out, "None of these lines is in the file.\n");
		return buf_take(&out);
	}
	buf_puts(&out, like ? "Nearest in the file:\n" : "In the file, at that place:\n");
	for (size_t i = at; i < at + (n ? n : 1) && i < f->file->n; i++) {
		buf_printf(&out, "%4zu|", i + 1);
		append_shown(&out, line_end_cut(f->file->list[i].text, MATCH_RETURN));
	}
	return buf_take(&out);
}

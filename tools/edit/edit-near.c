/* SPDX-License-Identifier: Apache-2.0 */
/* Text that was looked for in vain, into words that help to find it. First the
 * slips that are known (edit-slip.c), then the stretch of lines that has most in
 * common, then the one line that is most alike. Both texts may be anything: all counts
 * are bounded. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/edit/edit-near.h"

#define TEXT_MAX ((size_t)16 << 20)
#define LINES_MAX 200000
#define WANT_LINES 400
#define VOTES_MAX 4000000
#define CANDIDATES 32
#define SHOWN_LINES 3
#define SHOWN_MAX 200

struct line {
	const char *text;
	size_t len;	/* without what ends it */
	uint64_t bare;	/* of what is left without blanks; 0: nothing is */
	uint64_t pairs; /* which pairs of bytes are in it, roughly */
};

struct near {
	struct line *file, *want;
	size_t n, k;
	struct buf *out;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void
digest_line_bytes(struct line *line)
{
	uint64_t hash = HASH_FNV_START;
	unsigned char last = 0;
	bool any = false;

	for (size_t i = 0; i < line->len; i++) {
		unsigned char c = (unsigned char)line->text[i];

		if (is_blank((char)c))
			continue;
		hash = hash_fnv_byte(hash, c);
		if (any)
			line->pairs |= 1ull << ((last * 31u + c) & 63);
		last = c;
		any = true;
	}
	line->bare = any ? hash | 1 : 0;
}

static struct line *
split_text_lines(const char *text, size_t len, size_t max, size_t *ret_n)
{
	size_t n = 0, room = 0;
	struct line *lines = NULL;

	for (size_t at = 0; at < len && n < max;) {
		const char *lf = memchr(text + at, '\n', len - at);
		size_t end = lf ? (size_t)(lf - text) : len;

		if (n == room) {
			struct line *more;

			room = room ? room * 2 : 64;
			more = realloc(lines, room * sizeof(*more));
			if (!more)
				break;
			lines = more;
		}
		lines[n] = (struct line){ .text = text + at, .len = end - at };
		if (lf && lines[n].len > 0 && text[end - 1] == '\r')
			lines[n].len--;
		digest_line_bytes(&lines[n++]);
		at = end + 1;
	}
	*ret_n = n;
	return lines;
}

/* -- the nearest lines ------------------------------------------------------------------- */

struct known {
	uint64_t bare;
	size_t j;
};

static int
by_bare(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->bare > y->bare) - (x->bare < y->bare);
}

/* The first of known that is not less. */
static size_t
find_known(const struct known *known, size_t n, uint64_t bare)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (known[middle].bare < bare)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The alignment with most lines in common but for blanks: where the first line that
 * is wanted would be in the file (may be before it). False: there is none. */
static bool
find_best_alignment(const struct near *near, long *ret_at)
{
	auto_free unsigned *votes = calloc(near->n + near->k + 1, sizeof(*votes));
	auto_free struct known *known = calloc(near->k, sizeof(*known));
	size_t total = 0, best = 0;

	if (!votes || !known)
		return false;
	for (size_t j = 0; j < near->k; j++)
		known[j] = (struct known){ .bare = near->want[j].bare, .j = j };
	qsort(known, near->k, sizeof(*known), by_bare);
	for (size_t i = 0; i < near->n && total < VOTES_MAX; i++) {
		uint64_t bare = near->file[i].bare;
		size_t at = bare ? find_known(known, near->k, bare) : near->k;

		for (; at < near->k && known[at].bare == bare; at++, total++)
			votes[i + near->k - known[at].j]++;
	}
	for (size_t i = 0; i < near->n + near->k + 1; i++)
		if (votes[i] > votes[best])
			best = i;
	*ret_at = (long)best - (long)near->k;
	return votes[best] > 0;
}

struct candidate {
	size_t line;
	int score;
};

/* The lines that have most pairs of bytes in common with want, best first. */
static size_t
find_candidates(const struct near *near, const struct line *want, struct candidate *list)
{
	size_t n = 0;

	for (size_t i = 0; i < near->n; i++) {
		int score = __builtin_popcountll(near->file[i].pairs & want->pairs);
		size_t at = n;

		if (score == 0 || (n == CANDIDATES && score <= list[n - 1].score))
			continue;
		if (n < CANDIDATES)
			n++;
		else
			at = n - 1;
		for (; at > 0 && list[at - 1].score < score; at--)
			list[at] = list[at - 1];
		list[at] = (struct candidate){ .line = i, .score = score };
	}
	return n;
}

static void
trim_line_blanks(const struct line *line, const char **ret_text, size_t *ret_len)
{
	size_t from = 0, to = line->len;

	while (from < to && is_blank(line->text[from]))
		from++;
	while (to > from && is_blank(line->text[to - 1]))
		to--;
	*ret_text = line->text + from;
	*ret_len = to - from;
}

/* By the longest line that is wanted, and the line that is most like it. */
static bool
guess_alignment(const struct near *near, long *ret_at)
{
	struct candidate list[CANDIDATES];
	size_t longest = 0, n, want_len, best = SIZE_MAX, best_line = 0;
	const char *want;

	for (size_t j = 1; j < near->k; j++)
		if (near->want[j].len > near->want[longest].len)
			longest = j;
	trim_line_blanks(&near->want[longest], &want, &want_len);
	n = find_candidates(near, &near->want[longest], list);
	for (size_t i = 0; i < n; i++) {
		const struct line *line = &near->file[list[i].line];
		size_t distance = edit_distance(want, want_len, line->text, line->len);

		if (distance < best) {
			best = distance;
			best_line = list[i].line;
		}
	}
	if (n == 0 || best > want_len / 2)
		return false;
	*ret_at = (long)best_line - (long)longest;
	return true;
}

/* -- telling what differs ------------------------------------------------------------------ */

/* Blanks can be seen where they are all that differs. */
static void
put_quoted(struct buf *out, const char *name, const struct line *line, bool visible)
{
	size_t shown = line ? str_cut(line->text, line->len, SHOWN_MAX) : 0;

	buf_printf(out, "  %s: ", name);
	if (!line) {
		buf_puts(out, "(the file ends before)\n");
		return;
	}
	buf_putc(out, '|');
	for (size_t i = 0; i < shown; i++) {
		if (visible && is_blank(line->text[i]))
			buf_puts(out, line->text[i] == ' '    ? "\u00b7"
				      : line->text[i] == '\t' ? "\u2192"
							      : "\\r");
		else if (line->text[i])
			buf_putc(out, line->text[i]);
	}
	buf_puts(out, shown < line->len ? "...\n" : "|\n");
}

/* The first and the last line that are wanted may be parts of one. */
static bool
is_wanted_line(const struct near *near, size_t j, const struct line *line)
{
	const struct line *want = &near->want[j];

	if (!line || want->len > line->len)
		return false;
	if (near->k == 1)
		return memmem(line->text, line->len, want->text, want->len);
	if (j > 0 && j + 1 < near->k && want->len != line->len)
		return false;
	if (j == 0)
		return memcmp(line->text + line->len - want->len, want->text, want->len) == 0;
	return memcmp(line->text, want->text, want->len) == 0;
}

static const struct line *
get_file_line(const struct near *near, long at)
{
	return at >= 0 && (size_t)at < near->n ? &near->file[at] : NULL;
}

static void
say_difference(const struct near *near, long at)
{
	size_t differ = 0, blanks = 0, shown = 0;

	for (size_t j = 0; j < near->k; j++) {
		const struct line *line = get_file_line(near, at + (long)j);

		if (is_wanted_line(near, j, line))
			continue;
		differ++;
		blanks += line && line->bare == near->want[j].bare;
	}
	buf_printf(near->out,
		"The nearest is at lines %ld-%ld: %zu of %zu lines are as in old_string%s\n",
		at < 0 ? 1 : at + 1, at + (long)near->k, near->k - differ, near->k,
		differ && differ == blanks ? ", and in the others only whitespace differs (\u00b7 "
					     "is a space, \u2192 a tab):"
					   : ". What differs:");
	for (size_t j = 0; j < near->k && shown < SHOWN_LINES; j++) {
		const struct line *line = get_file_line(near, at + (long)j);
		bool visible = line && line->bare == near->want[j].bare;

		if (is_wanted_line(near, j, line))
			continue;
		buf_printf(near->out, "line %ld\n", at + (long)j + 1);
		put_quoted(near->out, "file      ", line, visible);
		put_quoted(near->out, "old_string", &near->want[j], visible);
		shown++;
	}
	if (differ > shown)
		buf_printf(near->out, "and %zu more lines\n", differ - shown);
}

void
edit_near(const char *text, size_t len, const char *old, size_t old_len, const char *new,
	size_t new_len, struct buf *out)
{
	struct near near = { .out = out };
	long at;

	if (!str_is_utf8(text, len))
		buf_puts(out, "The file is not UTF-8: its other bytes show as \ufffd, and cannot "
			      "be written in old_string. Leave them out of it, or change them "
			      "with bash.\n");
	if (edit_slip(text, len, old, old_len, new, new_len, out))
		return;
	near.file = split_text_lines(text, len < TEXT_MAX ? len : TEXT_MAX, LINES_MAX, &near.n);
	near.want = split_text_lines(old, old_len, WANT_LINES, &near.k);
	if (near.n > 0 && near.k > 0 &&
		(find_best_alignment(&near, &at) || guess_alignment(&near, &at)))
		say_difference(&near, at);
	else
		buf_puts(out, "Nothing in the file is like it.\n");
	buf_puts(out,
		"Read the file around there, and copy old_string exactly as it stands, without the "
		"line numbers.");
	free(near.file);
	free(near.want);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Two texts, into the lines that differ. Both ends that are the same are left out
 * first, so that a small change in a large file costs one look at it. What is left
 * is compared by the shortest edit script (Myers), up to a bound: past it the whole
 * stretch is told as replaced, which is true, if not short. One that has too many
 * lines is not even taken apart: a file may be nothing but line ends. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/edit/edit-diff.h"

#define CONTEXT 3
#define STEPS_MAX 200	 /* changed lines that are told apart */
#define LINES_MAX 400000 /* lines of a stretch that are looked at one by one */
#define SHOWN_MAX 240	 /* bytes of one line */

struct span {
	const char *text;
	size_t len;
};

struct side {
	struct span *lines;
	size_t n;
	bool *changed;
};

struct diff {
	size_t before;	  /* lines that are the same at the beginning */
	struct side a, b; /* the stretch that is not, with context around it */
	size_t max;
	struct buf *out;
};

static size_t
line_length(const char *text, size_t len)
{
	const char *lf = memchr(text, '\n', len);

	return lf ? (size_t)(lf - text) + 1 : len;
}

/* No further than one past LINES_MAX. */
static size_t
count_lines(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t at = 0; at < len && n <= LINES_MAX; at += line_length(text + at, len - at))
		n++;
	return n;
}

/* side->n is known. */
static int
split_side_lines(const char *text, size_t len, struct side *side)
{
	size_t i = 0;

	side->lines = calloc(side->n + 1, sizeof(*side->lines));
	side->changed = calloc(side->n + 1, sizeof(*side->changed));
	for (size_t at = 0; side->lines && at < len; at += side->lines[i++].len) {
		side->lines[i].text = text + at;
		side->lines[i].len = line_length(text + at, len - at);
	}
	return side->lines && side->changed ? 0 : -1;
}

static bool
is_same_line(const struct diff *d, size_t i, size_t j)
{
	return d->a.lines[i].len == d->b.lines[j].len &&
	       memcmp(d->a.lines[i].text, d->b.lines[j].text, d->a.lines[i].len) == 0;
}

/* -- the shortest script ------------------------------------------------------------------ */

/* trace has, for each number of steps, how far each diagonal reaches. */
static void
mark_changed_lines(struct diff *d, const int *trace, int steps)
{
	const int width = 2 * STEPS_MAX + 3;
	int x = (int)d->a.n, y = (int)d->b.n;

	for (int s = steps; s > 0; s--) {
		const int *v = trace + (size_t)(s - 1) * (size_t)width + STEPS_MAX + 1;
		int k = x - y, from;

		from = k == -s || (k != s && v[k - 1] < v[k + 1]) ? k + 1 : k - 1;
		if (from == k + 1) {
			y = v[from] - from;
			x = v[from];
			d->b.changed[y] = true;
		} else {
			x = v[from];
			y = x - from;
			d->a.changed[x] = true;
		}
	}
}

static bool
find_script(struct diff *d)
{
	const int width = 2 * STEPS_MAX + 3, n = (int)d->a.n, m = (int)d->b.n;
	auto_free int *trace = malloc((size_t)(STEPS_MAX + 1) * (size_t)width * sizeof(*trace));

	for (int s = 0; trace && s <= STEPS_MAX; s++) {
		int *v = trace + (size_t)s * (size_t)width + STEPS_MAX + 1;
		const int *last = v - width;

		/* Only what this row reaches is read in the next. */
		for (int k = -s; k <= s; k += 2) {
			int x = 0, y;

			if (s > 0)
				x = k == -s || (k != s && last[k - 1] < last[k + 1])
					    ? last[k + 1]
					    : last[k - 1] + 1;
			for (y = x - k; x < n && y < m && is_same_line(d, (size_t)x, (size_t)y);)
				x++, y++;
			v[k] = x;
			if (x == n && y == m) {
				mark_changed_lines(d, trace, s);
				return true;
			}
		}
	}
	return false;
}

/* -- telling ---------------------------------------------------------------------------- */

static void
put_line(struct buf *out, char sign, const struct span *line)
{
	size_t len = line->len, shown;
	bool ends = len > 0 && line->text[len - 1] == '\n';

	len -= ends;
	len -= len > 0 && line->text[len - 1] == '\r';
	shown = str_cut(line->text, len, SHOWN_MAX);
	buf_putc(out, sign);
	buf_append(out, line->text, shown);
	if (shown < len)
		buf_printf(out, "... [%zu bytes]", len);
	buf_putc(out, '\n');
	if (!ends)
		buf_puts(out, "\\ no newline at the end of the file\n");
}

/* One stretch of changes and what is around it: [i, i_end) of a, [j, j_end) of b. */
static void
put_hunk(struct diff *d, size_t i, size_t i_end, size_t j, size_t j_end)
{
	buf_printf(d->out, "@@ -%zu,%zu +%zu,%zu @@\n", d->before + i + (i_end > i), i_end - i,
		d->before + j + (j_end > j), j_end - j);
	while ((i < i_end || j < j_end) && d->out->len < d->max) {
		if (i < i_end && d->a.changed[i])
			put_line(d->out, '-', &d->a.lines[i++]);
		else if (j < j_end && d->b.changed[j])
			put_line(d->out, '+', &d->b.lines[j++]);
		else if (i < i_end && j < j_end)
			put_line(d->out, ' ', &d->a.lines[i++]), j++;
		else
			break;
	}
	if (i < i_end || j < j_end)
		buf_puts(d->out, "... [the rest of this change is not shown]\n");
}

/* From i, j (the same, or changed) to where the next change begins; false: none. */
static bool
skip_same(const struct diff *d, size_t *i, size_t *j)
{
	while (*i < d->a.n && *j < d->b.n && !d->a.changed[*i] && !d->b.changed[*j])
		(*i)++, (*j)++;
	return *i < d->a.n || *j < d->b.n;
}

static void
skip_changed(const struct diff *d, size_t *i, size_t *j)
{
	while (*i < d->a.n && d->a.changed[*i])
		(*i)++;
	while (*j < d->b.n && d->b.changed[*j])
		(*j)++;
}

static void
put_hunks(struct diff *d)
{
	size_t i = 0, j = 0, done = 0, left = 0;

	while (skip_same(d, &i, &j)) {
		size_t before = i - done < CONTEXT ? i - done : CONTEXT;
		size_t i_from = i - before, j_from = j - before;

		for (;;) {
			size_t next_i, next_j;

			skip_changed(d, &i, &j);
			next_i = i;
			next_j = j;
			/* Changes that share context are one. */
			if (!skip_same(d, &next_i, &next_j) || next_i - i > 2 * CONTEXT)
				break;
			i = next_i;
			j = next_j;
		}
		for (int after = 0; after < CONTEXT && i < d->a.n && j < d->b.n &&
				    !d->a.changed[i] && !d->b.changed[j];
			after++)
			i++, j++;
		done = i;
		if (d->out->len < d->max)
			put_hunk(d, i_from, i, j_from, j);
		else
			left++;
	}
	if (left > 0)
		buf_printf(d->out, "... [%zu more places have changed]\n", left);
}

/* -- ends that are the same ------------------------------------------------------------- */

/* Back to the line that is n lines before the one that begins at, or to 0. */
static size_t
find_line_before(const char *text, size_t at, int n, size_t *lines)
{
	while (at > 0 && n-- > 0) {
		at--;
		while (at > 0 && text[at - 1] != '\n')
			at--;
		(*lines)--;
	}
	return at;
}

static size_t
find_line_after(const char *text, size_t len, size_t at, int n)
{
	while (at < len && n-- > 0)
		at += line_length(text + at, len - at);
	return at;
}

static size_t
same_before(const char *a, size_t a_len, const char *b, size_t b_len, size_t *ret_lines)
{
	size_t at = 0, lines = 0;

	while (at < a_len && at < b_len) {
		size_t n = line_length(a + at, a_len - at);

		if (n != line_length(b + at, b_len - at) || memcmp(a + at, b + at, n) != 0)
			break;
		at += n;
		lines++;
	}
	*ret_lines = lines;
	return at;
}

static size_t
same_after(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = 0, whole = 0;

	while (n < a_len && n < b_len && a[a_len - 1 - n] == b[b_len - 1 - n]) {
		n++;
		if (n < a_len && n < b_len && a[a_len - 1 - n] == '\n' && b[b_len - 1 - n] == '\n')
			whole = n;
	}
	/* All of one is the end of the other: whole lines if the other has a line there. */
	if ((n == a_len && (n == b_len || b[b_len - 1 - n] == '\n')) ||
		(n == b_len && n < a_len && a[a_len - 1 - n] == '\n'))
		whole = n;
	return whole;
}

void
edit_diff(const char *old, size_t old_len, const char *new, size_t new_len, size_t max,
	struct buf *out)
{
	struct diff d = { .out = out, .max = out->len + max };
	size_t from = same_before(old, old_len, new, new_len, &d.before), after, a_end, b_end;

	if (from == old_len && from == new_len)
		return;
	after = same_after(old + from, old_len - from, new + from, new_len - from);
	from = find_line_before(old, from, CONTEXT, &d.before);
	a_end = find_line_after(old, old_len, old_len - after, CONTEXT);
	b_end = find_line_after(new, new_len, new_len - after, CONTEXT);
	d.a.n = count_lines(old + from, a_end - from);
	d.b.n = count_lines(new + from, b_end - from);
	if (d.a.n > LINES_MAX || d.b.n > LINES_MAX) {
		buf_printf(out,
			"... [the changes lie in more than %d lines from line %zu on, and are "
			"not shown]\n",
			LINES_MAX, d.before + 1);
		return;
	}
	if (split_side_lines(old + from, a_end - from, &d.a) == 0 &&
		split_side_lines(new + from, b_end - from, &d.b) == 0) {
		if (!find_script(&d)) {
			memset(d.a.changed, 1, d.a.n);
			memset(d.b.changed, 1, d.b.n);
		}
		put_hunks(&d);
	}
	free(d.a.lines);
	free(d.a.changed);
	free(d.b.lines);
	free(d.b.changed);
}

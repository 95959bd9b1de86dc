/* SPDX-License-Identifier: Apache-2.0 */
/* Where a hunk belongs: first letter by letter at the line it says, then further and
 * further away, then all of that once more for lines that differ in how they end.
 * Nothing else is forgiven. A hunk that fits twice, with nothing to choose by, fits
 * nowhere: the wrong place is worse than none. */

#include <errno.h>
#include <string.h>

#include "tools/patch/patch-lines.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

struct span
line_end_cut(struct span text, enum match level)
{
	if (level == MATCH_RETURN && text.len > 0 && text.text[text.len - 1] == '\r')
		text.len--;
	while (level == MATCH_BLANK && text.len > 0 && is_blank(text.text[text.len - 1]))
		text.len--;
	return text;
}

static bool
is_same_span(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.text, b.text, a.len) == 0);
}

/* White space is looked at byte by byte, and a line may be nothing else: much of it
 * counts as several lines. */
static void
count_cut(struct finder *f, struct span text, struct span rest)
{
	f->spent += (text.len - rest.len) / 16;
}

static bool
line_matches(struct finder *f, const struct file_line *line, const struct patch_line *old,
	bool last, enum match level)
{
	struct span text = line_end_cut(line->text, level);
	struct span want = line_end_cut(old->text, level);

	count_cut(f, line->text, text);
	count_cut(f, old->text, want);
	if (level == MATCH_EXACT && line->bare != old->bare)
		return false;
	if (old->bare && !last)
		return false;
	return is_same_span(text, want);
}

static bool
has_match_at(struct finder *f, size_t at, enum match level)
{
	for (size_t i = 0; i < f->n_old; i++) {
		f->spent++;
		if (!line_matches(
			    f, &f->file->list[at + i], f->old[i], at + i + 1 == f->file->n, level))
			return false;
	}
	return true;
}

static int
set_found_place(struct finder *f, size_t at, enum match level)
{
	f->at = at;
	f->level = level;
	return 0;
}

/* The match that is next to where the hunk says it is. last: where it can begin at
 * the latest. */
static int
find_near(struct finder *f, size_t last, enum match level)
{
	/* A patch may say any number. What lies before from is never walked through:
	 * each step is a comparison, and counted as one. */
	size_t wanted = f->wanted < last ? f->wanted : last;

	if (wanted < f->from)
		wanted = f->from;
	for (size_t d = 0; d <= last - wanted || d <= wanted - f->from; d++) {
		size_t above = wanted - d, below = wanted + d;
		bool a = d <= wanted - f->from && has_match_at(f, above, level);
		bool b = d > 0 && d <= last - wanted && has_match_at(f, below, level);

		if (f->spent > COMPARISONS_MAX)
			return -E2BIG;
		if (a && b) {
			f->at = above;
			f->second = below;
			return -EAGAIN;
		}
		if (a || b)
			return set_found_place(f, a ? above : below, level);
	}
	return -ENOENT;
}

/* The only one; behind an anchor, the first. */
static int
find_only(struct finder *f, size_t last, enum match level)
{
	bool any = false;

	for (size_t at = f->from; at <= last; at++) {
		if (f->spent > COMPARISONS_MAX)
			return -E2BIG;
		if (!has_match_at(f, at, level))
			continue;
		if (any) {
			f->second = at;
			return -EAGAIN;
		}
		set_found_place(f, at, level);
		if (f->hunk->n_anchors > 0)
			return 0;
		any = true;
	}
	return any ? 0 : -ENOENT;
}

int
find_hunk(struct finder *f)
{
	size_t last = f->file->n - f->n_old;
	int r = -ENOENT;

	if (f->n_old > f->file->n || last < f->from)
		return -ENOENT;
	for (int level = 0; r == -ENOENT && level < MATCH_LEVELS; level++) {
		if (f->hunk->at_end)
			r = has_match_at(f, last, level) ? set_found_place(f, last, level)
							 : -ENOENT;
		else if (f->hunk->placed)
			r = find_near(f, last, level);
		else
			r = find_only(f, last, level);
	}
	return r;
}

static int
find_line(struct finder *f, struct span text, bool trim, size_t *at)
{
	for (size_t i = *at; i < f->file->n; i++) {
		struct span whole = f->file->list[i].text;
		struct span line = trim ? span_trim(whole) : line_end_cut(whole, MATCH_BLANK);

		count_cut(f, whole, line);
		if (++f->spent > COMPARISONS_MAX)
			return -E2BIG;
		if (is_same_span(line, text)) {
			*at = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* A signature above the hunk; how far it is indented is often left out. */
int
find_anchor(struct finder *f, struct span anchor, size_t *at)
{
	int r = find_line(f, anchor, false, at);

	if (r == -ENOENT)
		r = find_line(f, span_trim(anchor), true, at);
	if (r == -ENOENT && anchor.len > 2 && memcmp(anchor.text + anchor.len - 2, "@@", 2) == 0) {
		anchor.len -= 2;
		r = find_line(f, span_trim(anchor), true, at);
	}
	return r;
}

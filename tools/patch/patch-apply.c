/* SPDX-License-Identifier: Apache-2.0 */
/* Hunks and an old text make the new one. Lines that a hunk only mentions stay as
 * they are, byte by byte; lines that it adds end as the file's own lines do, unless
 * the hunk knew those to the byte. */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "perform/file.h"
#include "tools/patch/patch-lines.h"

struct apply {
	const struct patch_set *set;
	struct file_lines file;
	struct buf *out;
	size_t done; /* lines of the old file that are behind us */
	long shift;  /* how far off the last hunk was */
	size_t spent;
	bool open; /* the last line that was put out has no end yet */
	struct patch_count *count;
};

static int
split_file_lines(const char *text, size_t len, struct file_lines *ret)
{
	struct file_lines file = { 0 };
	size_t returns = 0, n = 0;

	for (const char *at = text; (at = memchr(at, '\n', len - (size_t)(at - text))); at++)
		n++;
	file.list = calloc(n + 1, sizeof(*file.list));
	if (!file.list)
		return -ENOMEM;
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t size = end ? (size_t)(end - text) - at : len - at;

		file.list[file.n++] = (struct file_line){
			.text = { text + at, size },
			.bare = !end,
		};
		returns += size > 0 && text[at + size - 1] == '\r';
		at += size + 1;
	}
	file.crlf = returns * 2 > file.n;
	*ret = file;
	return 0;
}

/* -- writing -------------------------------------------------------------------------- */

static void
append_file_line(struct apply *a, struct span text, bool bare)
{
	/* A last line without an end gets one when something follows it. */
	if (a->open)
		buf_puts(a->out, a->file.crlf ? "\r\n" : "\n");
	a->open = bare;
	buf_append(a->out, text.text, text.len);
	if (!bare)
		buf_putc(a->out, '\n');
}

static void
put_old(struct apply *a)
{
	append_file_line(a, a->file.list[a->done].text, a->file.list[a->done].bare);
	a->done++;
}

static void
put_new(struct apply *a, const struct patch_line *line, bool adapt)
{
	struct span text = line->text;
	bool returns = text.len > 0 && text.text[text.len - 1] == '\r';

	if (adapt && returns && !a->file.crlf)
		text.len--;
	append_file_line(a, text, line->bare || (adapt && a->file.crlf && !returns));
	if (adapt && a->file.crlf && !returns && !line->bare) {
		buf_puts(a->out, "\r\n");
		a->open = false;
	}
}

static void
put_hunk(struct apply *a, const struct finder *f, size_t n_lines)
{
	/* Of what stands in no old line, and where the file's lines matched only
	 * but for their ends, the patch does not say how lines end. */
	bool adapt = f->n_old == 0 || f->level != MATCH_EXACT;

	while (a->done < f->at)
		put_old(a);
	for (size_t i = 0; i < n_lines; i++) {
		const struct patch_line *line = &f->hunk->lines[i];

		if (line->sign == ' ') {
			put_old(a);
		} else if (line->sign == '-') {
			a->done++;
			a->count->removed++;
		} else {
			put_new(a, line, adapt);
			a->count->added++;
		}
	}
}

/* -- one hunk -------------------------------------------------------------------------- */

/* Where an insertion without any context goes. */
static int
place_insertion(struct apply *a, struct finder *f)
{
	const struct patch_hunk *hunk = f->hunk;

	f->at = hunk->n_anchors > 0 ? f->from + 1 : a->file.n;
	if (hunk->counted)
		f->at = f->wanted;
	return f->at < a->done || f->at > a->file.n ? -ENOENT : 0;
}

/* The place it says, as far off as the hunk before it was. */
static size_t
find_wanted_place(const struct apply *a, const struct patch_hunk *hunk)
{
	size_t first = hunk->counted && hunk->n_old == 0 ? hunk->start
		       : hunk->start > 0		 ? hunk->start - 1
							 : 0;
	long at = (long)first + a->shift;

	return at < 0 ? 0 : (size_t)at;
}

static int
find_below_anchors(struct apply *a, struct finder *f, const struct span **ret_missing)
{
	size_t at = a->done;

	for (size_t i = 0; i < f->hunk->n_anchors; i++) {
		int r;

		at += i > 0;
		r = find_anchor(f, f->hunk->anchors[i], &at);
		if (r == -ENOENT)
			*ret_missing = &f->hunk->anchors[i];
		if (r < 0)
			return r;
	}
	f->from = at;
	return f->n_old == 0 ? place_insertion(a, f) : find_hunk(f);
}

static int
report_hunk_failure(const struct finder *f, int r, const struct span *missing, char **ret_detail,
	struct ambit_error *err)
{
	const struct patch_hunk *hunk = f->hunk;

	if (r == -EAGAIN)
		return err_set(err, EAGAIN,
			"hunk %zu (line %zu of the patch) fits in more than one place, at lines "
			"%zu "
			"and %zu",
			hunk->number, hunk->at, f->at + 1, f->second + 1);
	if (r == -E2BIG)
		return err_set(err, E2BIG, "hunk %zu (line %zu of the patch): too much to compare",
			hunk->number, hunk->at);
	if (missing)
		return err_set(err, ENOENT,
			"hunk %zu (line %zu of the patch): there is no line \"%.*s\" to find it by",
			hunk->number, hunk->at, (int)(missing->len < 200 ? missing->len : 200),
			missing->text);
	*ret_detail = tell_mismatch(f);
	return err_set(err, ENOENT, "hunk %zu (line %zu of the patch) does not apply%s",
		hunk->number, hunk->at,
		hunk->at_end ? " at the end of the file, where it says it stands" : "");
}

static bool
is_cancelled(const struct file_watch *watch)
{
	return watch && watch->cancelled(watch->data);
}

static int
apply_hunk(
	struct apply *a, const struct patch_hunk *hunk, char **ret_detail, struct ambit_error *err)
{
	auto_free const struct patch_line **old = calloc(hunk->n_old + 1, sizeof(*old));
	struct finder f = { .file = &a->file, .hunk = hunk, .old = old, .spent = a->spent };
	const struct span *missing = NULL;
	size_t n_lines = hunk->n_lines;
	int r;

	if (!old)
		return err_nomem(err);
	for (size_t i = 0; i < hunk->n_lines; i++)
		if (hunk->lines[i].sign != '+')
			old[f.n_old++] = &hunk->lines[i];
	f.wanted = find_wanted_place(a, hunk);
	r = find_below_anchors(a, &f, &missing);
	if (r == -ENOENT && !missing && hunk->slack > 0 && hunk->slack < f.n_old) {
		f.n_old -= hunk->slack;
		n_lines -= hunk->slack;
		r = find_below_anchors(a, &f, &missing);
	}
	a->spent = f.spent;
	if (r < 0)
		return report_hunk_failure(&f, r, missing, ret_detail, err);
	if (hunk->counted) {
		a->shift += (long)f.at - (long)f.wanted;
		a->count->offset += f.at != f.wanted;
	}
	a->count->loose += f.level == MATCH_BLANK;
	put_hunk(a, &f, n_lines);
	return 0;
}

int
patch_apply(const struct patch_set *set, const struct patch_file *file, const char *old, size_t len,
	const struct file_watch *watch, struct buf *ret_text, struct patch_count *ret_count,
	char **ret_detail, struct ambit_error *err)
{
	struct patch_count count = { 0 };
	struct apply a = { .set = set, .out = ret_text, .count = &count };
	int r = split_file_lines(old, len, &a.file);

	*ret_detail = NULL;
	if (r < 0)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < file->n_hunks; i++)
		r = is_cancelled(watch) ? err_set(err, ECANCELED, "cancelled: nothing was changed")
					: apply_hunk(&a, &file->hunks[i], ret_detail, err);
	while (r == 0 && a.done < a.file.n)
		put_old(&a);
	free(a.file.list);
	if (r == 0 && ret_text->failed)
		r = err_nomem(err);
	if (r == 0)
		*ret_count = count;
	return r;
}

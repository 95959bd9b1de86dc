/* SPDX-License-Identifier: Apache-2.0 */
/* The "*** Begin Patch" dialect: hunks without numbers, found by their content and
 * by "@@" lines that stand above them. What is a header and what is content is told
 * as lib/patch/patch.c tells it. */

#include <string.h>

#include "tools/patch/patch-set.h"

static const struct {
	const char *prefix;
	enum patch_change change;
} headers[] = {
	{ "*** Add File:", PATCH_ADD },
	{ "*** Update File:", PATCH_UPDATE },
	{ "*** Delete File:", PATCH_DELETE },
	{ "*** Move to:", PATCH_MOVE },
};

struct begin {
	struct patch_reader *reader;
	struct patch_file *file; /* NULL: none yet */
	struct patch_hunk *hunk; /* NULL: none in this file yet, or the last has ended */
	size_t blank;		 /* empty lines that may still be content of an added file */
};

static int
find_header(struct span line)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (span_starts(line, headers[i].prefix))
			return (int)i;
	return -1;
}

static bool
is_end_of_file(struct span line)
{
	return span_is(span_trim(line), "*** End of File");
}

static bool
is_body(const struct begin *b, struct span line)
{
	if (!b->file || b->file->change == PATCH_DELETE)
		return false;
	if (b->file->change == PATCH_ADD)
		return line.len > 0 && line.text[0] == '+';
	if (line.len == 0)
		return true;
	if (line.text[0] == ' ' || line.text[0] == '+' || line.text[0] == '-')
		return true;
	return span_starts(line, "@@") || is_end_of_file(line);
}

/* Empty lines at the end of a hunk are its content, or there for looks. */
static void
end_hunk(struct begin *b)
{
	struct patch_hunk *hunk = b->hunk;

	b->hunk = NULL;
	for (size_t i = hunk ? hunk->n_lines : 0; i > 0; i--) {
		if (hunk->lines[i - 1].sign != ' ' || span_trim(hunk->lines[i - 1].text).len > 0)
			break;
		hunk->slack++;
	}
}

/* The last file is whole: something must be done to it. */
static int
end_file(struct begin *b)
{
	end_hunk(b);
	b->blank = 0;
	if (!b->file)
		return 0;
	if (b->file->change == PATCH_UPDATE && b->file->n_hunks == 0)
		return patch_wrong(b->reader, b->file->at, "no change of %s", b->file->path);
	for (size_t i = 0; i < b->file->n_hunks; i++) {
		const struct patch_hunk *hunk = &b->file->hunks[i];
		bool changes = hunk->n_lines > hunk->n_old;

		for (size_t n = 0; n < hunk->n_lines; n++)
			changes = changes || hunk->lines[n].sign != ' ';
		if (!changes && b->file->change != PATCH_ADD)
			return patch_wrong(b->reader, hunk->at,
				"a hunk of %s in which no line begins with + or -", b->file->path);
	}
	return 0;
}

static int
begin_header(struct begin *b, struct span line, int kind)
{
	size_t n = strlen(headers[kind].prefix);
	struct span name = span_trim((struct span){ line.text + n, line.len - n });
	int r;

	if (headers[kind].change == PATCH_MOVE) {
		if (!b->file || b->file->change != PATCH_UPDATE || b->file->n_hunks > 0)
			return patch_wrong(b->reader, b->reader->line,
				"\"*** Move to:\" stands right below \"*** Update File:\"");
		b->file->change = PATCH_MOVE;
		return patch_copy_name(b->reader, name, &b->file->to);
	}
	r = end_file(b);
	if (r < 0)
		return r;
	b->file = patch_add_file(b->reader, headers[kind].change);
	if (!b->file)
		return err_nomem(b->reader->err);
	return patch_copy_name(b->reader, name, &b->file->path);
}

static int
ensure_hunk(struct begin *b)
{
	if (!b->hunk)
		b->hunk = patch_add_hunk(b->reader, b->file);
	return b->hunk ? 0 : err_nomem(b->reader->err);
}

/* "@@", "@@ class Frame", and "@@ -3,4 +3,5 @@" of those who mix the dialects. */
static int
anchor_line(struct begin *b, struct span line)
{
	struct span text = span_trim((struct span){ line.text + 2, line.len - 2 });
	struct patch_range range;
	int r;

	if (b->hunk && b->hunk->n_lines > 0)
		end_hunk(b);
	r = ensure_hunk(b);
	if (r < 0 || text.len == 0)
		return r;
	if (patch_read_range(text, &range)) {
		b->hunk->placed = range.old_start > 0;
		b->hunk->start = range.old_start;
		return 0;
	}
	return patch_add_anchor(b->reader, b->hunk, text);
}

static int
add_line(struct begin *b, struct span line)
{
	int r = ensure_hunk(b);

	for (; r == 0 && b->blank > 0; b->blank--)
		r = patch_add_line(b->reader, b->hunk, '+', (struct span){ line.text, 0 });
	return r < 0 ? r
		     : patch_add_line(b->reader, b->hunk, '+',
			       (struct span){ line.text + 1, line.len - 1 });
}

/* plain: the line without a carriage return at its end. */
static int
body_line(struct begin *b, struct span line, struct span plain)
{
	int r;

	if (b->file->change == PATCH_ADD)
		return add_line(b, line);
	if (line.len > 0 && line.text[0] == '*') {
		if (!b->hunk || b->hunk->n_lines == 0)
			return patch_wrong(b->reader, b->reader->line, "the end of no hunk");
		b->hunk->at_end = true;
		end_hunk(b);
		return 0;
	}
	if (span_starts(line, "@@"))
		return anchor_line(b, line);
	/* Between a header and what is below it, and between hunks. */
	if (plain.len == 0 && (!b->hunk || b->hunk->n_lines == 0))
		return 0;
	r = ensure_hunk(b);
	if (r < 0)
		return r;
	if (plain.len == 0)
		return patch_add_line(b->reader, b->hunk, ' ', line);
	return patch_add_line(
		b->reader, b->hunk, line.text[0], (struct span){ line.text + 1, line.len - 1 });
}

/* 1: the end of the patch. */
static int
one_line(struct begin *b, struct span line)
{
	struct span trimmed = span_trim(line), plain = line;
	int kind = find_header(trimmed);
	bool content;

	if (plain.len > 0 && plain.text[plain.len - 1] == '\r')
		plain.len--;
	content = is_body(b, plain);
	if (kind >= 0 && !(trimmed.text != line.text && content))
		return begin_header(b, trimmed, kind);
	if (span_is(trimmed, "*** End Patch") && (trimmed.text == line.text || !content)) {
		int r = end_file(b);

		return r < 0 ? r : 1;
	}
	if (content)
		return body_line(b, line, plain);
	if (trimmed.len > 0)
		return patch_wrong(b->reader, b->reader->line, "a line that belongs to no file");
	b->blank += b->file && b->file->change == PATCH_ADD;
	return 0;
}

int
patch_read_begin(struct patch_reader *reader)
{
	struct begin b = { .reader = reader };
	struct span line;
	int r = 0;

	while (r == 0 && patch_next(reader, &line))
		r = one_line(&b, line);
	if (r < 0)
		return r;
	return r == 1 ? 0 : patch_wrong(reader, reader->line, "the end is missing");
}

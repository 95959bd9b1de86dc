/* SPDX-License-Identifier: Apache-2.0 */
/* The "*** Begin Patch" dialect: hunks without numbers, found by their content and by
 * "@@" lines that stand above them. Its parsers in other programs differ in what they
 * trim and in what an indented header is: where no file is hidden by it, every such
 * reading gives a name. */

#include <string.h>

#include "base/str.h"
#include "patch/patch-reader.h"

static const struct {
	const char *prefix;
	enum patch_change change;
	enum ambit_access access;
} headers[] = {
	{ "*** Add File:", PATCH_ADD, AMBIT_ACCESS_WRITE },
	{ "*** Update File:", PATCH_UPDATE, AMBIT_ACCESS_WRITE },
	{ "*** Delete File:", PATCH_DELETE, AMBIT_ACCESS_DELETE },
	{ "*** Move to:", PATCH_MOVE, AMBIT_ACCESS_REPLACE },
};

struct begin {
	struct patch_reader *reader;
	bool begun; /* some file's header was read: */
	enum patch_change change;
	struct span name;	 /* what that header names: a move takes it away */
	struct patch_file *file; /* STRICT: that file */
	struct patch_hunk *hunk; /* STRICT: NULL: none in it yet, or the last has ended */
	size_t blank;		 /* empty lines that may still be content of an added file */
	bool ended;
};

/* -- names ------------------------------------------------------------------------- */

/* Parsers in other languages trim these from a name's ends; ours would be
 * another file. */
static bool
has_trimmable_end(struct span name)
{
	static const unsigned points[] = { 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f,
		0x3000, 0xfeff };
	unsigned ends[2] = { 0, 0 };
	size_t i = name.len;

	str_utf8(name.text, name.len, &ends[0]);
	do
		i--;
	while (i > 0 && ((unsigned char)name.text[i] & 0xc0) == 0x80);
	str_utf8(name.text + i, name.len - i, &ends[1]);
	for (int e = 0; e < 2; e++) {
		if (ends[e] >= 0x2000 && ends[e] <= 0x200a)
			return true;
		for (size_t p = 0; p < sizeof(points) / sizeof(points[0]); p++)
			if (ends[e] == points[p])
				return true;
	}
	return false;
}

/* Some trim the name, some drop only the one space behind the colon, and some
 * cut it at its own first colon. */
static int
emit_name(struct patch_reader *reader, struct span raw, enum ambit_access access)
{
	struct span name = span_trim(raw);
	const char *colon;
	int r;

	if (raw.len > 0 && raw.text[0] == ' ') {
		raw.text++;
		raw.len--;
	}
	if (name.len == 0)
		return patch_bad(reader, "a file without a name");
	if (has_trimmable_end(name))
		return patch_bad(reader, "a name that begins or ends with an invisible space");
	r = patch_emit(reader, name.text, name.len, access);
	if (r == 0 && raw.text != name.text)
		r = patch_emit(reader, raw.text, name.len + (size_t)(name.text - raw.text), access);
	colon = memchr(name.text, ':', name.len);
	if (r == 0 && colon && colon > name.text) {
		name = span_trim((struct span){ name.text, (size_t)(colon - name.text) });
		r = patch_emit(reader, name.text, name.len, access);
	}
	return r;
}

static bool
is_sign(char c)
{
	return c == ' ' || c == '+' || c == '-';
}

static int
find_header(struct span line)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (span_starts(line, headers[i].prefix))
			return (int)i;
	return -1;
}

static int
emit_header(struct patch_reader *reader, struct span line, int kind)
{
	size_t n = strlen(headers[kind].prefix);

	if (memchr(line.text, '\r', line.len) || memchr(line.text, '\v', line.len) ||
		memchr(line.text, '\f', line.len))
		return patch_bad(reader, "a line break inside a name");
	return emit_name(
		reader, (struct span){ line.text + n, line.len - n }, headers[kind].access);
}

/* -- files and hunks to apply ------------------------------------------------------- */

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

/* The header of kind, which names b->name. */
static int
take_header(struct begin *b, int kind)
{
	int r;

	if (headers[kind].change == PATCH_MOVE) {
		if (b->file->n_hunks > 0)
			return patch_bad(b->reader,
				"\"*** Move to:\" stands right below \"*** Update File:\"");
		b->file->change = PATCH_MOVE;
		return patch_copy_name(b->reader, span_trim(b->name), &b->file->to);
	}
	r = end_file(b);
	if (r < 0)
		return r;
	b->file = patch_add_file(b->reader, headers[kind].change);
	if (!b->file)
		return err_nomem(b->reader->err);
	return patch_copy_name(b->reader, span_trim(b->name), &b->file->path);
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

/* "*** End of File" */
static int
end_hunk_at_end(struct begin *b)
{
	if (!b->hunk || b->hunk->n_lines == 0)
		return patch_bad(b->reader, "the end of no hunk");
	b->hunk->at_end = true;
	end_hunk(b);
	return 0;
}

/* A line for which is_body() is true. */
static int
take_body(struct begin *b, const struct patch_text *text)
{
	struct span line = text->raw, plain = text->plain;
	int r;

	if (b->file->change == PATCH_ADD)
		return add_line(b, line);
	if (span_starts(line, "@@"))
		return anchor_line(b, line);
	/* Between a header and what is below it, and between hunks. */
	if (plain.len == 0 && (!b->hunk || b->hunk->n_lines == 0))
		return 0;
	if (plain.len == 0)
		return patch_add_line(b->reader, b->hunk, ' ', line);
	if (!is_sign(plain.text[0]))
		return end_hunk_at_end(b);
	r = ensure_hunk(b);
	return r < 0 ? r
		     : patch_add_line(b->reader, b->hunk, line.text[0],
			       (struct span){ line.text + 1, line.len - 1 });
}

/* -- lines --------------------------------------------------------------------------- */

static bool
is_end_of_file(struct span line)
{
	return span_is(span_trim(line), "*** End of File");
}

static bool
is_body(const struct begin *b, struct span line)
{
	if (!b->begun || b->change == PATCH_DELETE)
		return false;
	if (b->change == PATCH_ADD)
		return line.len > 0 && line.text[0] == '+';
	if (line.len == 0 || is_sign(line.text[0]))
		return true;
	return span_starts(line, "@@") || is_end_of_file(line);
}

static int
begin_header(struct begin *b, struct span line, int kind)
{
	size_t n = strlen(headers[kind].prefix);
	int r = emit_header(b->reader, line, kind);

	if (r == 0 && headers[kind].change == PATCH_MOVE) {
		if (!b->begun || b->change != PATCH_UPDATE)
			return patch_bad(b->reader, "a move of no file");
		r = emit_name(b->reader, b->name, AMBIT_ACCESS_DELETE);
	}
	b->begun = true;
	b->change = headers[kind].change;
	b->name = (struct span){ line.text + n, line.len - n };
	if (r == 0 && b->reader->policy == PATCH_STRICT)
		r = take_header(b, kind);
	return r;
}

static int
one_line(struct begin *b, const struct patch_text *line)
{
	struct span trimmed = span_trim(line->plain);
	bool indented = trimmed.text != line->plain.text, body = is_body(b, line->plain);
	bool strict = b->reader->policy == PATCH_STRICT;
	int kind = find_header(trimmed), r = 0;

	if (kind >= 0 && !(indented && body))
		return begin_header(b, trimmed, kind);
	/* A header that is indented is content to one parser and a header to
	 * another: its file is listed, and the line is then read as content. */
	if (kind >= 0)
		r = emit_header(b->reader, trimmed, kind);
	if (r == 0 && kind < 0 && span_is(trimmed, "*** End Patch") && !(indented && body)) {
		b->ended = true;
		return strict ? end_file(b) : 0;
	}
	if (r == 0 && !body && trimmed.len > 0)
		return patch_bad(b->reader, "a line that belongs to no file");
	if (r == 0 && strict && body)
		return take_body(b, line);
	b->blank += strict && b->file && b->change == PATCH_ADD;
	return r;
}

/* A carriage return alone ends a line for some: what stands behind it must
 * not be a header. */
static bool
hides_line(const char *text, size_t len)
{
	bool fresh = false;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\r' || text[i] == '\v' || text[i] == '\f') {
			fresh = true;
		} else if (text[i] != ' ' && text[i] != '\t') {
			if (fresh && span_starts((struct span){ text + i, len - i }, "*** "))
				return true;
			fresh = false;
		}
	}
	return false;
}

int
begin_read(struct patch_reader *reader, struct span word)
{
	struct begin b = { .reader = reader };
	struct patch_text line;
	int r = 0;

	if (hides_line(reader->text, reader->len))
		return patch_bad(reader, "a header behind a carriage return");
	while (r == 0 && !b.ended && patch_next(reader, &line))
		r = one_line(&b, &line);
	if (r != 0)
		return r;
	if (!b.ended)
		return patch_bad(reader, "the end is missing");
	if (!b.begun)
		return patch_bad(reader, "no file in it");
	while (patch_next(reader, &line)) {
		struct span rest = span_trim(line.plain);

		if (rest.len > 0 && (word.len == 0 || rest.len != word.len ||
					    memcmp(rest.text, word.text, word.len) != 0))
			return patch_bad(reader, "something behind the end");
	}
	return 0;
}

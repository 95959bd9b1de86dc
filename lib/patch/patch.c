/* SPDX-License-Identifier: Apache-2.0 */
/* A patch becomes the list of files it touches. The text comes from a model
 * and is applied by a program that is not ours: where programs read a patch
 * differently, every reading's files are listed, and where a file could hide
 * between two readings the patch is refused. This file reads the "*** Begin
 * Patch" dialect, unified.c the other. */

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "patch/patch.h"
#include "patch/patchname.h"

#define HEAD_SHOWN 40 /* bytes of an "@@" line: the counts, not what stands behind them */

static const char begin_mark[] = "*** Begin Patch", end_mark[] = "*** End Patch";

int
patch_bad(struct patch_sink *sink, const char *why)
{
	sink->why = why;
	return -EINVAL;
}

static const struct {
	const char *prefix;
	enum ambit_access access;
	bool body; /* lines of content follow */
} headers[] = {
	{ "*** Add File:", AMBIT_ACCESS_WRITE, true },
	{ "*** Update File:", AMBIT_ACCESS_WRITE, true },
	{ "*** Delete File:", AMBIT_ACCESS_DELETE, false },
	{ "*** Move to:", AMBIT_ACCESS_REPLACE, true },
};
#define HEADERS_N (sizeof(headers) / sizeof(headers[0]))
enum {
	ADD,
	UPDATE,
	DELETE,
	MOVE
};

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
emit_name(struct patch_sink *sink, struct span raw, enum ambit_access access)
{
	struct span name = span_trim(raw);
	const char *colon;
	int r;

	if (raw.len > 0 && raw.text[0] == ' ') {
		raw.text++;
		raw.len--;
	}
	if (name.len == 0)
		return patch_bad(sink, "a file without a name");
	if (has_trimmable_end(name))
		return patch_bad(sink, "a name that begins or ends with an invisible space");
	r = sink->each(sink->data, name.text, name.len, access);
	if (r == 0 && raw.text != name.text)
		r = sink->each(
			sink->data, raw.text, name.len + (size_t)(name.text - raw.text), access);
	colon = memchr(name.text, ':', name.len);
	if (r == 0 && colon && colon > name.text) {
		name = span_trim((struct span){ name.text, (size_t)(colon - name.text) });
		r = sink->each(sink->data, name.text, name.len, access);
	}
	return r;
}

static int
find_header(struct span line)
{
	for (size_t i = 0; i < HEADERS_N; i++)
		if (span_starts(line, headers[i].prefix))
			return (int)i;
	return -1;
}

static int
emit_header(struct patch_sink *sink, struct span line, int kind)
{
	size_t n = strlen(headers[kind].prefix);

	if (memchr(line.text, '\r', line.len) || memchr(line.text, '\v', line.len) ||
		memchr(line.text, '\f', line.len))
		return patch_bad(sink, "a line break inside a name");
	return emit_name(sink, (struct span){ line.text + n, line.len - n }, headers[kind].access);
}

struct begin {
	struct patch_sink *sink;
	int kind;	  /* of the file we are in; -1: none yet */
	struct span file; /* the last updated file's name: a move takes it away */
	bool ended;
};

static bool
is_body(const struct begin *b, struct span line)
{
	if (b->kind == ADD)
		return line.len > 0 && line.text[0] == '+';
	if (b->kind != UPDATE && b->kind != MOVE)
		return false;
	if (line.len == 0 || strchr(" +-", line.text[0]) || span_starts(line, "@@"))
		return line.len == 0 || line.text[0] != '\0';
	return span_is(span_trim(line), "*** End of File");
}

/* One header. The name behind "Update File" is kept because a "Move to" below
 * it makes it a removal as well. */
static int
begin_header(struct begin *b, struct span line, int kind)
{
	size_t n = strlen(headers[kind].prefix);
	int r = emit_header(b->sink, line, kind);

	if (r == 0 && kind == MOVE) {
		if (b->kind != UPDATE)
			return patch_bad(b->sink, "a move of no file");
		r = emit_name(b->sink, b->file, AMBIT_ACCESS_DELETE);
	}
	b->kind = kind;
	b->file = (struct span){ line.text + n, line.len - n };
	return r;
}

static int
begin_line(struct begin *b, struct span line)
{
	struct span trimmed = span_trim(line);
	int kind = find_header(trimmed);

	/* A header that is indented is content to one parser and a header to
	 * another: its file is listed, and the line is then read as content. */
	if (kind >= 0 && trimmed.text != line.text && is_body(b, line))
		return emit_header(b->sink, trimmed, kind);
	if (kind >= 0)
		return begin_header(b, trimmed, kind);
	if (span_is(trimmed, end_mark) && (line.text == trimmed.text || !is_body(b, line))) {
		b->ended = true;
		return 0;
	}
	if (is_body(b, line) || trimmed.len == 0)
		return 0;
	return patch_bad(b->sink, "a line that belongs to no file");
}

/* "<<'EOF'", also behind "apply_patch" or "cat": the word is what ends it. */
static bool
is_heredoc(struct span line, struct span *ret_word)
{
	static const char *const heads[] = { "apply_patch", "applypatch", "cat" };
	struct span s = span_trim(line);
	size_t n = 0;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (!span_starts(s, heads[i]))
			continue;
		s.text += strlen(heads[i]);
		s.len -= strlen(heads[i]);
		s = span_trim(s);
		break;
	}
	if (!span_starts(s, "<<"))
		return false;
	s.text += 2;
	s.len -= 2;
	if (s.len > 2 && (s.text[0] == '\'' || s.text[0] == '"') &&
		s.text[s.len - 1] == s.text[0]) {
		s.text++;
		s.len -= 2;
	}
	while (n < s.len && (ascii_is_upper(s.text[n]) || s.text[n] == '_'))
		n++;
	if (n == 0 || n != s.len)
		return false;
	*ret_word = s;
	return true;
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

static int
begin_paths(const char *text, size_t len, size_t at, struct span word, struct patch_sink *sink)
{
	struct begin b = { .sink = sink, .kind = -1 };
	struct span line;
	int r = 0;

	if (hides_line(text, len))
		return patch_bad(sink, "a header behind a carriage return");
	while (r == 0 && !b.ended && span_next(text, len, &at, &line)) {
		sink->line++;
		r = begin_line(&b, line);
	}
	if (r != 0)
		return r;
	if (!b.ended)
		return patch_bad(sink, "the end is missing");
	if (b.kind < 0)
		return patch_bad(sink, "no file in it");
	while (span_next(text, len, &at, &line)) {
		struct span rest = span_trim(line);

		sink->line++;
		if (rest.len > 0 && (word.len == 0 || rest.len != word.len ||
					    memcmp(rest.text, word.text, word.len) != 0))
			return patch_bad(sink, "something behind the end");
	}
	return 0;
}

/* Where a hunk ends in any case. What looks like another file's name is one: a hunk
 * that is too short is the common mistake. */
static bool
ends_hunk(struct span line)
{
	return (line.len > 0 && !strchr(" +-\\", line.text[0])) || span_starts(line, "--- ");
}

char *
patch_hunk_counts(const char *text, size_t len, size_t number)
{
	struct span line, head = { 0 };
	size_t at = 0, n = 0, old = 0, new = 0;

	while (span_next(text, len, &at, &line)) {
		n++;
		if (span_starts(line, "@@ -") && n < number) {
			head = line;
			old = new = 0;
		} else if (head.text && ends_hunk(line)) {
			if (n >= number)
				break;
			head.text = NULL;
		} else if (head.text && (line.len == 0 || line.text[0] != '\\')) {
			old += line.len == 0 || line.text[0] != '+';
			new += line.len == 0 || line.text[0] != '-';
		}
	}
	head.len = head.len < HEAD_SHOWN ? head.len : HEAD_SHOWN;
	return head.text ? str_printf("'%.*s', and there are %zu old and %zu new lines",
				   (int)head.len, head.text, old, new)
			 : NULL;
}

int
patch_paths(const char *text, size_t len,
	int (*each)(void *data, const char *path, size_t len, enum ambit_access access), void *data,
	const char **ret_why, size_t *ret_line)
{
	struct patch_sink sink = { .each = each, .data = data };
	struct span line, word = { 0 };
	size_t at = 0;
	int r = -EINVAL;

	sink.why = "nothing in it";
	while (span_next(text, len, &at, &line)) {
		sink.line++;
		if (span_trim(line).len == 0 || (word.len == 0 && is_heredoc(line, &word)))
			continue;
		sink.why = NULL;
		if (span_is(span_trim(line), begin_mark)) {
			r = begin_paths(text, len, at, word, &sink);
		} else if (word.len > 0) {
			r = patch_bad(&sink, "a here-document that holds something else");
		} else {
			sink.line = 0;
			r = unified_paths(text, len, &sink);
		}
		break;
	}
	if (r == -EINVAL) {
		*ret_why = sink.why ? sink.why : "a file that is not wanted";
		*ret_line = sink.line ? sink.line : 1;
	}
	return r;
}

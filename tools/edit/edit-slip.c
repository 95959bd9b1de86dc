/* SPDX-License-Identifier: Apache-2.0 */
/* Slips that models make with text they quote, told from the text: line numbers that
 * were copied along, escapes that were escaped, quotes and dashes that only look alike,
 * a change that is made already. Each is tried, and said only if without it the text is
 * there. */

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"
#include "tools/edit/edit-match.h"
#include "tools/edit/edit-near.h"

#define SHOWN_LINES 3
#define SHOWN_MAX 200

/* Where in text it is, as a line; 0: it is not. */
static size_t
find_line(const char *text, size_t len, const char *what, size_t what_len)
{
	struct edit_matches m = { 0 };
	size_t line = 0;

	if (what_len == 0)
		return 0;
	if (edit_find(text, len, what, what_len, &m) == 0 && m.n > 0)
		line = edit_line_of(text, len, m.list[0].at);
	edit_matches_finish(&m);
	return line;
}

/* "    12\tint x;" as read shows it, without the number. */
static bool
strip_numbers(const char *old, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		const char *lf = memchr(old + at, '\n', len - at);
		size_t end = lf ? (size_t)(lf - old) + 1 : len, i = at;

		while (i < end && old[i] == ' ')
			i++;
		size_t digits = i;
		while (i < end && ascii_is_digit(old[i]))
			i++;
		if (i == digits || i == end || old[i] != '\t')
			return false;
		buf_append(out, old + i + 1, end - i - 1);
		at = end;
	}
	return !out->failed;
}

static bool
strip_escapes(const char *old, size_t len, struct buf *out)
{
	static const char from[] = "nt\"'\\/", to[] = "\n\t\"'\\/";
	bool any = false;

	for (size_t i = 0; i < len; i++) {
		const char *code = old[i] == '\\' && i + 1 < len && old[i + 1]
					   ? strchr(from, old[i + 1])
					   : NULL;

		buf_putc(out, code ? to[code - from] : old[i]);
		any |= code != NULL;
		i += code != NULL;
	}
	return any && !out->failed;
}

/* Characters that are read as one that is on a keyboard, and typed as that. */
static const struct {
	unsigned first, last;
	const char *as;
} looks[] = {
	{ 0x00a0, 0x00a0, " " },
	{ 0x2002, 0x200a, " " },
	{ 0x200b, 0x200d, "" },
	{ 0x2010, 0x2015, "-" },
	{ 0x2018, 0x201b, "'" },
	{ 0x201c, 0x201f, "\"" },
	{ 0x2026, 0x2026, "..." },
	{ 0x202f, 0x202f, " " },
	{ 0x2032, 0x2032, "'" },
	{ 0x2212, 0x2212, "-" },
};

static const char *
look_of(unsigned point)
{
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (point >= looks[i].first && point <= looks[i].last)
			return looks[i].as;
	return NULL;
}

/* As it looks, line by line. False: no such character is in it. */
static bool
fold_looks(const char *text, size_t len, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < len;) {
		unsigned point = 0;
		size_t n = str_utf8(text + i, len - i, &point);
		const char *as = n > 1 ? look_of(point) : NULL;

		if (as)
			buf_puts(out, as);
		else
			buf_append(out, text + i, n ? n : 1);
		any |= as != NULL;
		i += n ? n : 1;
	}
	return any;
}

/* The lines from this one on, as they stand. */
static void
put_lines(const char *text, size_t len, size_t line, size_t n, struct buf *out)
{
	const char *at = text, *end = text + len, *lf;

	for (size_t i = 1; i < line + n && at < end; i++, at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		lf = lf ? lf : end;
		if (i < line)
			continue;
		buf_printf(out, "\nline %zu: |", i);
		buf_append(out, at, str_cut(at, (size_t)(lf - at), SHOWN_MAX));
		buf_puts(out, (size_t)(lf - at) > SHOWN_MAX ? "..." : "|");
	}
}

static bool
say_looks(const char *text, size_t len, const char *old, size_t old_len, struct buf *out)
{
	auto_buf struct buf file = { 0 }, want = { 0 };
	bool any = fold_looks(text, len, &file);
	size_t line, crlf, lf;

	any |= fold_looks(old, old_len, &want);
	if (!any || file.failed || want.failed || !want.data || !file.data ||
		!(line = find_line(file.data, file.len, want.data, want.len)))
		return false;
	edit_count_ends(old, old_len, &crlf, &lf);
	buf_printf(out,
		"It is at line %zu but for characters that only look alike: quotes, dashes, dots "
		"or spaces that are not those of ASCII. Copy them as they stand in the file:",
		line);
	put_lines(text, len, line, crlf + lf < SHOWN_LINES ? crlf + lf + 1 : SHOWN_LINES, out);
	return true;
}

bool
edit_slip(const char *text, size_t len, const char *old, size_t old_len, const char *new,
	size_t new_len, struct buf *out)
{
	auto_buf struct buf plain = { 0 }, unescaped = { 0 };
	size_t line;

	if (strip_numbers(old, old_len, &plain) &&
		(line = find_line(text, len, plain.data ? plain.data : "", plain.len))) {
		buf_printf(out,
			"old_string begins its lines with the line numbers that read shows: leave "
			"number and tab out. Without them it is at line %zu.",
			line);
		return true;
	}
	if (strip_escapes(old, old_len, &unescaped) &&
		(line = find_line(text, len, unescaped.data, unescaped.len))) {
		buf_printf(out,
			"old_string is escaped twice (\\n or \\\" as two characters). Written "
			"plainly it is at line %zu.",
			line);
		return true;
	}
	if (old_len > 1 && old[old_len - 1] == '\n' && len >= old_len - 1 &&
		memcmp(text + len - (old_len - 1), old, old_len - 1) == 0) {
		buf_puts(out,
			"old_string ends in a line break, and the file does not: leave the last "
			"line break out.");
		return true;
	}
	if (new_len > 3 && (line = find_line(text, len, new, new_len))) {
		buf_printf(out,
			"new_string is in the file already, at line %zu: perhaps this change is "
			"made.",
			line);
		return true;
	}
	return say_looks(text, len, old, old_len, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Slips that models make with text they quote, told from the text: line numbers that
 * were copied along, escapes that were escaped, a change that is made already. Each is
 * tried, and said only if without it the text is there. */

#include <string.h>

#include "base/buf.h"
#include "tools/edit-match.h"
#include "tools/edit-near.h"

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
		while (i < end && old[i] >= '0' && old[i] <= '9')
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
	return false;
}

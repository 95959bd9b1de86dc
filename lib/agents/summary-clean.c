/* SPDX-License-Identifier: Apache-2.0 */
/* Text of an agent, which may have been meant for a terminal, into text for a model and
 * a person. What would move a cursor, colour, hide or reorder is taken away; bytes that
 * are no text are shown as such. */

#include "agents/summary.h"
#include "base/buf.h"
#include "base/str.h"

#define ESC 0x1b
#define UNKNOWN "\xef\xbf\xbd" /* U+FFFD */

/* From the kind of string that ends with ESC \ or BEL: the length with its end. One that
 * does not end is cut off at its line, so that it cannot swallow the rest. */
static size_t
string_length(const char *text, size_t len)
{
	size_t i = 0;

	for (; i < len && text[i] != '\n'; i++) {
		if (text[i] == 0x07)
			return i + 1;
		if (text[i] == ESC && i + 1 < len && text[i + 1] == '\\')
			return i + 2;
	}
	return i;
}

/* Parameters, and the letter that ends them; what is no part of one ends it, too. */
static size_t
control_length(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && text[i] >= 0x20 && text[i] <= 0x3f)
		i++;
	return i < len && text[i] >= 0x40 && text[i] <= 0x7e ? i + 1 : i;
}

/* How many bytes an escape sequence at text takes; text[0] is ESC. */
static size_t
escape_length(const char *text, size_t len)
{
	size_t i = 1;

	if (len < 2)
		return 1;
	if (text[1] == '[')
		return 2 + control_length(text + 2, len - 2);
	if (strchr("]PX^_", text[1]) && text[1] != '\0')
		return 2 + string_length(text + 2, len - 2);
	while (i < len && text[i] >= 0x20 && text[i] <= 0x2f)
		i++;
	return i < len && text[i] >= 0x30 && text[i] <= 0x7e ? i + 1 : i;
}

/* A carriage return alone begins the line anew; as text it is another line. */
static void
append_return(struct buf *out, const char *text, size_t len)
{
	if (len < 2 || text[1] != '\n')
		buf_putc(out, '\n');
}

static size_t
append_character(struct buf *out, const char *text, size_t len)
{
	unsigned point = 0;
	size_t n = str_utf8(text, len, &point);

	if (n == 0) {
		buf_puts(out, UNKNOWN);
		return 1;
	}
	if (point == 0x9b) /* the one character that means ESC [ */
		return n + control_length(text + n, len - n);
	if (point == '\r')
		append_return(out, text, len);
	else if (point == '\n' || point == '\t' ||
		 (point >= 0x20 && point != 0x7f && !str_hidden(point)))
		buf_append(out, text, n);
	return n;
}

void
summary_clean(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;)
		i += text[i] == ESC ? escape_length(text + i, len - i)
				    : append_character(out, text + i, len - i);
}

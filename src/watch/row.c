/* SPDX-License-Identifier: Apache-2.0 */
/* Text into one row of a terminal. This is the last place before the person's screen:
 * whatever comes is escaped here, unless it was, and cannot leave its row. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "row.h"

#include "base/own.h"
#include "base/str.h"

size_t
row_fit(const char *text, size_t columns, size_t *ret_used)
{
	size_t at = 0, used = 0;

	while (text[at] != '\0') {
		unsigned point;
		size_t n = str_utf8(text + at, 4, &point); /* a NUL ends it early */
		size_t wide = n > 1 ? 2 : 1;

		if (used + wide > columns)
			break;
		used += wide;
		at += n > 0 ? n : 1;
	}
	if (ret_used != NULL)
		*ret_used = used;
	return at;
}

void
row_style(struct row *row, const char *sequence)
{
	if (!row->colour)
		return;
	if (row->styled)
		buf_puts(&row->text, ROW_PLAIN);
	row->styled = !streq(sequence, ROW_PLAIN);
	if (row->styled)
		buf_puts(&row->text, sequence);
}

/* At most so many columns of it; how many it took. own: in which a gap is a gap. */
static size_t
append_fitting_text(struct row *row, const char *text, size_t most, bool own)
{
	/* A text may be of megabytes, of which this is all that can be seen. */
	auto_free char *begin = strndup(text, row->columns * 4 + 8);
	auto_free char *safe = begin == NULL ? NULL : own ? str_tame(begin) : str_show(begin);
	size_t room = row->columns - row->used, n, used;

	if (safe == NULL) {
		row->text.failed = true;
		return 0;
	}
	if (room > most)
		room = most;
	n = row_fit(safe, room, &used);
	if (safe[n] != '\0') {
		n = row_fit(safe, room > 2 ? room - 2 : 0, &used);
		buf_append(&row->text, safe, n);
		buf_append(&row->text, "..", room - used < 2 ? room - used : 2);
		used += room - used < 2 ? room - used : 2;
	} else {
		buf_append(&row->text, safe, n);
	}
	row->used += used;
	return used;
}

void
row_puts(struct row *row, const char *text)
{
	append_fitting_text(row, text, row->columns, true);
}

void
row_show(struct row *row, const char *text)
{
	append_fitting_text(row, text, row->columns, false);
}

void
row_printf(struct row *row, const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text != NULL)
		row_puts(row, text);
	else
		row->text.failed = true;
}

static void
append_padding(struct row *row, char c, size_t n)
{
	for (; n > 0 && row->used < row->columns; n--, row->used++)
		buf_putc(&row->text, c);
}

void
row_cell(struct row *row, const char *text, size_t width)
{
	size_t used = append_fitting_text(row, text, width, false);

	append_padding(row, ' ', width + 2 - used);
}

void
row_cell_end(struct row *row, const char *text, size_t width)
{
	auto_free char *safe = str_show(text), *end = NULL;
	const char *at = safe;

	if (safe == NULL) {
		row->text.failed = true;
		return;
	}
	if (safe[row_fit(safe, width, NULL)] != '\0') {
		while (at[row_fit(at, width - 2, NULL)] != '\0')
			at += row_fit(at, 2, NULL); /* a character, or two of ASCII */
		end = str_printf("..%s", at);
	}
	row_cell(row, end != NULL ? end : safe, width);
}

void
row_fill(struct row *row, char c)
{
	append_padding(row, c, row->columns);
}

char *
row_take(struct row *row)
{
	char *text;

	row_style(row, ROW_PLAIN);
	text = buf_take(&row->text);
	row->used = 0;
	return text;
}

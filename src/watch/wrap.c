/* SPDX-License-Identifier: Apache-2.0 */
/* A question's text into lines that fit, however narrow the window. It was escaped by
 * the dialogue; the only sequences in it are the dialogue's own styles. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"
#include "wrap.h"

#include "base/str.h"

struct wrap {
	struct wrapped *to;
	struct buf piece; /* the line so far */
	size_t used, columns;
	char style[8]; /* in force; "": none */
};

/* Takes the line. A question may have a hundred thousand of them. */
static int
append_line(struct wrapped *wrapped, char *line)
{
	if (line != NULL && wrapped->n == wrapped->room) {
		size_t room = wrapped->room * 2 + 32;
		char **more = realloc(wrapped->lines, room * sizeof(*more));

		if (more != NULL) {
			wrapped->lines = more;
			wrapped->room = room;
		}
	}
	if (line == NULL || wrapped->n == wrapped->room) {
		free(line);
		return -ENOMEM;
	}
	wrapped->lines[wrapped->n++] = line;
	return 0;
}

void
wrapped_finish(struct wrapped *wrapped)
{
	for (size_t i = 0; i < wrapped->n; i++)
		free(wrapped->lines[i]);
	free(wrapped->lines);
	*wrapped = (struct wrapped){ 0 };
}

static int
end_line(struct wrap *wrap)
{
	int r;

	if (wrap->style[0] != '\0')
		buf_puts(&wrap->piece, ROW_PLAIN);
	r = append_line(wrap->to, buf_take(&wrap->piece));
	buf_puts(&wrap->piece, wrap->style);
	wrap->used = 0;
	return r;
}

/* The length of the style at text, 0 if there is none. */
static size_t
take_style(struct wrap *wrap, const char *text)
{
	const char *end = text[0] == '\x1b' ? strchr(text, 'm') : NULL; /* never far */
	size_t n = end != NULL ? (size_t)(end - text) + 1 : 0;

	if (n == 0 || n >= sizeof(wrap->style))
		return 0;
	buf_append(&wrap->piece, text, n);
	memcpy(wrap->style, text, n);
	wrap->style[n] = '\0';
	if (streq(wrap->style, ROW_PLAIN))
		wrap->style[0] = '\0';
	return n;
}

static size_t
take_character(struct wrap *wrap, const char *text, int *r)
{
	unsigned point;
	size_t n = str_utf8(text, 4, &point); /* a NUL ends it early */
	size_t wide = n > 1 ? 2 : 1;

	if (n == 0)
		n = 1;
	if (wrap->used + wide > wrap->columns) {
		*r = end_line(wrap);
		/* Not at the margin, where ambit's own lines begin. */
		buf_puts(&wrap->piece, "  ");
		wrap->used = 2;
	}
	buf_append(&wrap->piece, text, n);
	wrap->used += wide;
	return n;
}

int
wrap_text(struct wrapped *wrapped, const char *text, size_t columns)
{
	struct wrap wrap = { .to = wrapped, .columns = columns };
	int r = 0;

	while (r == 0 && *text != '\0') {
		size_t n = take_style(&wrap, text);

		if (n == 0 && *text == '\n') {
			r = end_line(&wrap);
			n = 1;
		} else if (n == 0) {
			n = take_character(&wrap, text, &r);
		}
		text += n;
	}
	if (r == 0 && wrap.used > 0)
		r = end_line(&wrap);
	buf_finish(&wrap.piece);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_EDIT_LINE_H
#define ASK_TTY_EDIT_LINE_H

#include <stddef.h>

#include "base/buf.h"

/* One line of text while it is typed: printable UTF-8 only, cut where it is full. */

enum line_state {
	LINE_MORE = 0,
	LINE_DONE,
	LINE_GIVEN_UP,
};

struct line {
	char *text; /* borrowed; NUL-terminated from the first byte on */
	size_t size;
	size_t at;
	const char *prompt; /* shown again where the line has to be */
	char chunk[128];    /* the beginning of a character whose rest is to come */
	size_t left;
};

void line_init(struct line *line, char *text, size_t size, const char *prompt);

/* Where the next bytes go, and how many there is room for (never 0). */
char *line_room(struct line *line, size_t *ret_room);
/* n bytes came there. What to show for them is appended to echo. */
enum line_state line_take(struct line *line, size_t n, struct buf *echo);

#endif

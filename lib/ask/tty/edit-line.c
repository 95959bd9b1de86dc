/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes into a line of text, with the few keys that a line needs. What is kept is
 * what the person saw: anything that would have to be escaped is left out. */

#include <stdlib.h>
#include <string.h>

#include "ask/tty/key.h"
#include "ask/tty/edit-line.h"
#include "base/own.h"
#include "base/str.h"

void
line_init(struct line *line, char *text, size_t size, const char *prompt)
{
	*line = (struct line){ .text = text, .size = size, .prompt = prompt };
	text[0] = '\0';
}

char *
line_room(struct line *line, size_t *ret_room)
{
	*ret_room = sizeof(line->chunk) - line->left;
	return line->chunk + line->left;
}

/* Erasing a wide character by backspaces would need to know its width: the
 * line is shown afresh instead. */
static void
erase_last_char(struct line *line, struct buf *echo)
{
	bool wide = false;

	if (line->at == 0)
		return;
	while (line->at > 0 && ((unsigned char)line->text[line->at - 1] & 0xc0) == 0x80) {
		wide = true;
		line->at--;
	}
	line->text[--line->at] = '\0';
	if (wide)
		buf_printf(echo, "\n%s%s", line->prompt, line->text);
	else
		buf_puts(echo, "\b \b");
}

/* One character at text, of which len bytes are there. Adds it if it is
 * printable and fits; its length, or 0 if the rest of it is still to come. */
static size_t
add_line_char(struct line *line, const char *text, size_t len, struct buf *echo)
{
	unsigned char first = (unsigned char)text[0];
	size_t need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1, n;
	unsigned point;

	for (n = 1; n < need && n < len; n++)
		if (((unsigned char)text[n] & 0xc0) != 0x80)
			return 1; /* broken: it must not swallow the Enter behind it */
	if (len < need)
		return 0;
	n = str_utf8(text, need, &point);
	if (n == 0)
		return 1;
	auto_free char *shown = str_escape(text, n);

	/* What has to be escaped would reach the model unseen. */
	if (shown && strncmp(shown, text, n) == 0 && line->at + n < line->size) {
		memcpy(line->text + line->at, text, n);
		line->at += n;
		line->text[line->at] = '\0';
		buf_append(echo, text, n);
	}
	return n;
}

/* What is left of the chunk afterwards is an unfinished character. */
enum line_state
line_take(struct line *line, size_t n, struct buf *echo)
{
	const char *chunk = line->chunk;
	size_t i = 0, used;

	n += line->left;
	while (i < n) {
		char c = chunk[i];

		if (c == '\r' || c == '\n')
			return LINE_DONE;
		used = c == KEY_ESC ? key_sequence(chunk + i, n - i) : 0;
		if (c == KEY_CTRL_C || c == KEY_CTRL_D || (c == KEY_ESC && used < 2))
			return LINE_GIVEN_UP;
		if (used > 0) { /* an arrow key: this line has no middle */
			i += used;
		} else if (c == KEY_DEL || c == '\b') {
			erase_last_char(line, echo);
			i++;
		} else if (c == KEY_CTRL_U) {
			line->text[line->at = 0] = '\0';
			buf_printf(echo, "\n%s", line->prompt);
			i++;
		} else {
			used = add_line_char(line, chunk + i, n - i, echo);
			if (used == 0)
				break;
			i += used;
		}
	}
	line->left = n - i;
	memmove(line->chunk, line->chunk + i, line->left);
	return LINE_MORE;
}

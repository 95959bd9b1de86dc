/* SPDX-License-Identifier: Apache-2.0 */
/* Where a chunked body ends, byte by byte as they come. Behind it the next request
 * begins, and a hostile program would have the server begin elsewhere: each byte that
 * is neither data nor in its one place is an error. */

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "egress/http/head-private.h"

#define DIGITS_MAX 15

enum state {
	STATE_SIZE = 0,
	STATE_EXTENSION,
	STATE_SIZE_LF,
	STATE_DATA,
	STATE_DATA_CR,
	STATE_DATA_LF,
	STATE_LINE, /* at the beginning of a trailer, or of the empty line */
	STATE_NAME,
	STATE_VALUE,
	STATE_VALUE_LF,
	STATE_LAST_LF,
	STATE_DONE,
	STATE_BAD,
};

static bool
is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* A sign, 0x, a space before or behind the number: strtol(3) takes them all. */
static enum state
take_size(struct head_chunks *chunks, char c)
{
	int digit = ascii_hex_value(c);

	if (digit >= 0 && chunks->digits < DIGITS_MAX) {
		chunks->left = chunks->left << 4 | (unsigned)digit;
		chunks->digits++;
		return STATE_SIZE;
	}
	if (chunks->digits == 0 || (c != ';' && c != '\r'))
		return STATE_BAD;
	chunks->last = chunks->left == 0;
	chunks->digits = 0; /* counts what is in the line, from here on */
	return c == ';' ? STATE_EXTENSION : STATE_SIZE_LF;
}

static bool
count_line_byte(struct head_chunks *chunks)
{
	return ++chunks->digits <= HEAD_CHUNK_LINE_MAX;
}

static enum state
take_extension(struct head_chunks *chunks, char c)
{
	if (c == '\r')
		return STATE_SIZE_LF;
	return count_line_byte(chunks) && !is_control(c) ? STATE_EXTENSION : STATE_BAD;
}

/* A trailer has a name and a colon, as fields have. Servers that know no trailers would
 * read a line like "GET / HTTP/1.1" there as the next request. */
static enum state
take_name(struct head_chunks *chunks, char c)
{
	if (!count_line_byte(chunks))
		return STATE_BAD;
	if (head_is_token(c)) {
		/* left is how long the name is: there is no data any more. */
		if (chunks->left < sizeof(chunks->name))
			chunks->name[chunks->left] = c;
		chunks->left++;
		return STATE_NAME;
	}
	if (c != ':' || chunks->left == 0)
		return STATE_BAD;
	/* Where trailers are put among the fields, these would be others than were read. */
	if (chunks->left <= sizeof(chunks->name) &&
		head_is_framing(chunks->name, (size_t)chunks->left))
		return STATE_BAD;
	return STATE_VALUE;
}

static enum state
take_line(struct head_chunks *chunks, char c)
{
	if (c == '\r')
		return STATE_LAST_LF;
	chunks->left = 0;
	return take_name(chunks, c);
}

static enum state
take_value(struct head_chunks *chunks, char c)
{
	if (c == '\r')
		return STATE_VALUE_LF;
	return count_line_byte(chunks) && (c == '\t' || !is_control(c)) ? STATE_VALUE : STATE_BAD;
}

static enum state
after_size(struct head_chunks *chunks)
{
	chunks->digits = 0;
	return chunks->last ? STATE_LINE : STATE_DATA;
}

/* Any byte but one of data. */
static enum state
take_byte(struct head_chunks *chunks, char c)
{
	switch ((enum state)chunks->state) {
	case STATE_SIZE:
		return take_size(chunks, c);
	case STATE_EXTENSION:
		return take_extension(chunks, c);
	case STATE_SIZE_LF:
		return c == '\n' ? after_size(chunks) : STATE_BAD;
	case STATE_DATA_CR:
		return c == '\r' ? STATE_DATA_LF : STATE_BAD;
	case STATE_DATA_LF:
		return c == '\n' ? STATE_SIZE : STATE_BAD;
	case STATE_LINE:
		return take_line(chunks, c);
	case STATE_NAME:
		return take_name(chunks, c);
	case STATE_VALUE:
		return take_value(chunks, c);
	case STATE_VALUE_LF:
		return c == '\n' ? STATE_LINE : STATE_BAD;
	case STATE_LAST_LF:
		return c == '\n' ? STATE_DONE : STATE_BAD;
	default:
		return STATE_BAD;
	}
}

int64_t
head_chunks(struct head_chunks *chunks, const void *data, size_t len, bool *ret_done)
{
	const char *bytes = data;
	size_t i = 0;

	while (i < len && chunks->state != STATE_DONE && chunks->state != STATE_BAD) {
		if (chunks->state == STATE_DATA) {
			size_t n = len - i < chunks->left ? len - i : (size_t)chunks->left;

			chunks->left -= n;
			i += n;
			if (chunks->left == 0)
				chunks->state = STATE_DATA_CR;
		} else {
			chunks->state = (int)take_byte(chunks, bytes[i++]);
		}
	}
	if (chunks->state == STATE_BAD)
		return -EINVAL;
	*ret_done = chunks->state == STATE_DONE;
	return (int64_t)i;
}

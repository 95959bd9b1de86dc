/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the notation of textbytes.h into the bytes that it stands for. */

#include "textbytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char openers[] = "([{", closers[] = ")]}";

struct cursor {
	const char *at, *end;
};

static bool encode_until(struct cursor *in, char closer, struct buf *out);

/* width: how many bytes the length has. */
static bool
encode_group(struct cursor *in, int width, struct buf *out)
{
	auto_buf struct buf inside = { 0 };

	if (!encode_until(in, closers[width - 1], &inside) || inside.len >> (8 * width) != 0)
		return false;
	for (int i = width - 1; i >= 0; i--)
		buf_putc(out, (char)(inside.len >> (8 * i)));
	buf_append(out, inside.data ? inside.data : "", inside.len);
	return true;
}

static bool
encode_text(struct cursor *in, struct buf *out)
{
	const char *end = memchr(in->at, '"', (size_t)(in->end - in->at));

	if (!end)
		return false;
	buf_append(out, in->at, (size_t)(end - in->at));
	in->at = end + 1;
	return true;
}

static bool
encode_name(struct cursor *in, struct buf *out)
{
	const char *end = memchr(in->at, '>', (size_t)(in->end - in->at));

	while (end && in->at < end) {
		const char *dot = memchr(in->at, '.', (size_t)(end - in->at));
		size_t n = (size_t)((dot ? dot : end) - in->at);

		buf_putc(out, (char)n);
		buf_append(out, in->at, n);
		in->at += n + (dot != NULL);
	}
	if (!end)
		return false;
	buf_putc(out, '\0');
	in->at = end + 1;
	return true;
}

/* The first digit was read already. */
static bool
encode_byte(struct cursor *in, char first, struct buf *out)
{
	char digits[3] = { first };

	if (!isxdigit((unsigned char)first) || in->at == in->end ||
		!isxdigit((unsigned char)*in->at))
		return false;
	digits[1] = *in->at++;
	buf_putc(out, (char)strtoul(digits, NULL, 16));
	return true;
}

/* closer: a bracket, or '\0' for the end of the text. */
static bool
encode_until(struct cursor *in, char closer, struct buf *out)
{
	bool good = true;

	while (good && in->at < in->end) {
		char c = *in->at++;
		const char *opener = c ? strchr(openers, c) : NULL;

		if (c == closer)
			return c != '\0';
		if (c == ' ' || c == '\n')
			continue;
		if (c == '"')
			good = encode_text(in, out);
		else if (c == '<')
			good = encode_name(in, out);
		else if (opener)
			good = encode_group(in, (int)(opener - openers) + 1, out);
		else
			good = encode_byte(in, c, out);
	}
	return good && closer == '\0';
}

bool
textbytes_encode(const char *text, size_t len, struct buf *out)
{
	struct cursor in = { text, text + len };

	return encode_until(&in, '\0', out);
}

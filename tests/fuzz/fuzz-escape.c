/* SPDX-License-Identifier: Apache-2.0 */
/* str_escape: what comes out is UTF-8 without anything that hides or moves,
 * and leads back to exactly the bytes that went in, so that no two names look
 * the same. The list of what hides is this file's own. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s\n", #what);                                            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static int
shows(unsigned point)
{
	if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad || point == 0x61c)
		return 0;
	if ((point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e))
		return 0;
	if ((point >= 0x2060 && point <= 0x206f) || (point >= 0xfe00 && point <= 0xfe0f))
		return 0;
	if (point == 0xfeff || point == 0x3164 || point == 0x115f || point == 0x34f)
		return 0;
	if (point >= 0xfff9 && point <= 0xfffb)
		return 0;
	return point < 0xe0000 || point > 0xe0fff;
}

static size_t
put_utf8(unsigned point, unsigned char *out)
{
	if (point < 0x80) {
		out[0] = (unsigned char)point;
		return 1;
	}
	size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, point >>= 6)
		out[i] = (unsigned char)(0x80 | (point & 0x3f));
	out[0] = (unsigned char)((0xf00u >> n) | point);
	return n;
}

/* \n \t \r \\ are one byte, \xNN is that byte, \uNNNN and \UNNNNNNNN a code
 * point. How much of text one escape takes; out gets *ret_n bytes. */
static size_t
unescape(const char *text, unsigned char *out, size_t *ret_n)
{
	static const char names[] = "nrt\\", bytes[] = "\n\r\t\\";
	const char *name = strchr(names, text[1]);
	int digits = text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
	char hex[9] = { 0 }, *end;

	*ret_n = 1;
	if (text[1] != '\0' && name) {
		out[0] = (unsigned char)bytes[name - names];
		return 2;
	}
	MUST(digits > 0);
	memcpy(hex, text + 2, (size_t)digits);
	unsigned long value = strtoul(hex, &end, 16);

	MUST(end == hex + digits);
	if (digits == 2)
		out[0] = (unsigned char)value;
	else
		*ret_n = put_utf8((unsigned)value, out);
	return 2 + (size_t)digits;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = str_escape((const char *)data, size);
	auto_free unsigned char *back = malloc(size + 8);
	size_t len, n_back = 0, n;
	unsigned point;

	MUST(text && back);
	len = strlen(text);
	for (size_t i = 0; i < len;) {
		n = str_utf8(text + i, len - i, &point);
		MUST(n > 0 && shows(point));
		MUST(n_back + 4 <= size + 8);
		if (text[i] == '\\') {
			i += unescape(text + i, back + n_back, &n);
		} else {
			memcpy(back + n_back, text + i, n);
			i += n;
		}
		n_back += n;
	}
	MUST(n_back == size);
	MUST(size == 0 || memcmp(back, data, size) == 0);
	return 0;
}

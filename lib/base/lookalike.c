/* SPDX-License-Identifier: Apache-2.0 */
/* Names as bytes into a warning about how they look. Nothing is decided by it: the table has what
 * fonts really show alike (Unicode's confusables, those that stand for one ASCII character), and
 * whole blocks whose characters are variants of ASCII. */

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/lookalike.h"
#include "base/own.h"
#include "base/str.h"

#define LISTED_MAX 4

/* clang-format off */
static const struct {
	unsigned from, to;
} alike[] = {
	{ 0x131, 0x131 }, { 0x184, 0x184 }, { 0x1c0, 0x1c3 }, { 0x237, 0x237 }, { 0x250, 0x2af },
	{ 0x2b9, 0x2bc }, { 0x300, 0x36f },
	/* Greek */
	{ 0x37f, 0x37f }, { 0x391, 0x392 }, { 0x395, 0x397 }, { 0x399, 0x39a }, { 0x39c, 0x39d },
	{ 0x39f, 0x39f }, { 0x3a1, 0x3a1 }, { 0x3a4, 0x3a5 }, { 0x3a7, 0x3a7 }, { 0x3b1, 0x3b1 },
	{ 0x3b3, 0x3b3 }, { 0x3b9, 0x3ba }, { 0x3bd, 0x3bd }, { 0x3bf, 0x3bf }, { 0x3c1, 0x3c1 },
	{ 0x3c5, 0x3c5 }, { 0x3c7, 0x3c7 }, { 0x3f2, 0x3f3 }, { 0x3f9, 0x3fa },
	/* Cyrillic */
	{ 0x405, 0x406 }, { 0x408, 0x408 }, { 0x410, 0x410 }, { 0x412, 0x412 }, { 0x415, 0x415 },
	{ 0x417, 0x417 }, { 0x41a, 0x41a }, { 0x41c, 0x41e }, { 0x420, 0x423 }, { 0x425, 0x425 },
	{ 0x430, 0x430 }, { 0x433, 0x433 }, { 0x435, 0x435 }, { 0x43a, 0x43a }, { 0x43e, 0x43e },
	{ 0x440, 0x441 }, { 0x443, 0x443 }, { 0x445, 0x445 }, { 0x455, 0x456 }, { 0x458, 0x458 },
	{ 0x474, 0x475 }, { 0x4ae, 0x4af }, { 0x4bb, 0x4bb }, { 0x4c0, 0x4c0 }, { 0x4cf, 0x4cf },
	{ 0x501, 0x501 }, { 0x50c, 0x50d }, { 0x51a, 0x51d },
	/* Armenian, Cherokee, Lisu, Coptic, Deseret */
	{ 0x555, 0x555 }, { 0x566, 0x566 }, { 0x570, 0x570 }, { 0x578, 0x578 }, { 0x57c, 0x57d },
	{ 0x581, 0x581 }, { 0x585, 0x585 }, { 0x13a0, 0x13ff }, { 0xab70, 0xabbf },
	{ 0xa4d0, 0xa4ff }, { 0x2c80, 0x2cff }, { 0x10400, 0x1044f },
	/* variants of ASCII: small capitals, letter-like signs, circled, wide, mathematical */
	{ 0x1d00, 0x1dbf }, { 0x2070, 0x209f }, { 0x2100, 0x214f }, { 0x2160, 0x2188 },
	{ 0x249c, 0x24e9 }, { 0xff01, 0xff5e }, { 0x1d400, 0x1d7ff },
	/* hyphens, dots, colons, slashes, quotes */
	{ 0x2010, 0x2015 }, { 0x2018, 0x201b }, { 0x2024, 0x2027 }, { 0x2032, 0x2037 },
	{ 0x2043, 0x2044 }, { 0x2212, 0x2212 }, { 0x2215, 0x2216 }, { 0x2236, 0x2236 },
	{ 0x29f5, 0x29f9 }, { 0xa789, 0xa78a },
};
/* clang-format on */

static bool
is_alike(unsigned point)
{
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (point >= alike[i].from && point <= alike[i].to)
			return true;
	return false;
}

struct listing {
	unsigned points[LISTED_MAX];
	size_t n;
};

static void
list_point(struct listing *listing, unsigned point)
{
	for (size_t i = 0; i < listing->n; i++)
		if (listing->points[i] == point)
			return;
	if (listing->n < LISTED_MAX)
		listing->points[listing->n++] = point;
}

/* The word at text: letters and digits of ASCII, and everything beyond it. Its length. */
static size_t
look_at_word(const char *text, size_t len, struct listing *listing)
{
	struct listing found = { 0 };
	bool plain = false, others = false;
	size_t at = 0, n;
	unsigned point;

	for (; at < len; at += n) {
		n = str_utf8(text + at, len - at, &point);
		if (n == 0 || (n == 1 && !ascii_is_alnum((char)point)))
			break;
		plain |= n == 1 && !ascii_is_digit((char)point);
		if (n > 1 && is_alike(point))
			list_point(&found, point);
		else
			others |= n > 1;
	}
	if (plain || !others)
		for (size_t i = 0; i < found.n; i++)
			list_point(listing, found.points[i]);
	return at;
}

char *
lookalike_list(const char *text)
{
	struct listing listing = { 0 };
	struct buf out = { 0 };
	size_t len = strlen(text);

	for (size_t at = 0; at < len;) {
		size_t n = look_at_word(text + at, len - at, &listing);

		at += n > 0 ? n : 1;
	}
	for (size_t i = 0; i < listing.n; i++)
		buf_printf(&out, "%sU+%04X", i > 0 ? " " : "", listing.points[i]);
	return buf_take(&out);
}

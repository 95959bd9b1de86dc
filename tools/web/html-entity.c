/* SPDX-License-Identifier: Apache-2.0 */
/* Character references: all the numeric ones, and the names that pages use. What
 * is no reference is an ampersand. Numbers are a page's: those that are no
 * character, and the C1 ones that windows-1252 made of them, become what a
 * browser shows. */

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "tools/web/html.h"

#define REPLACEMENT 0xfffd
#define ENTITY_MAX 10 /* bytes in a name */

/* Sorted by name, in bytes. */
static const struct entity {
	const char *name;
	unsigned short point;
} entities[] = {
	/* clang-format off */
	{ "AElig", 0xc6 }, { "Aacute", 0xc1 }, { "Acirc", 0xc2 }, { "Agrave", 0xc0 },
	{ "Alpha", 0x391 }, { "Aring", 0xc5 }, { "Atilde", 0xc3 }, { "Auml", 0xc4 },
	{ "Beta", 0x392 }, { "Cacute", 0x106 }, { "Ccaron", 0x10c }, { "Ccedil", 0xc7 },
	{ "Chi", 0x3a7 }, { "Dagger", 0x2021 }, { "Delta", 0x394 }, { "Dstrok", 0x110 },
	{ "ETH", 0xd0 }, { "Eacute", 0xc9 }, { "Ecirc", 0xca }, { "Egrave", 0xc8 },
	{ "Epsilon", 0x395 }, { "Eta", 0x397 }, { "Euml", 0xcb }, { "Gamma", 0x393 },
	{ "Gbreve", 0x11e }, { "Hat", 0x5e }, { "Iacute", 0xcd }, { "Icirc", 0xce },
	{ "Idot", 0x130 }, { "Igrave", 0xcc }, { "Iota", 0x399 }, { "Iuml", 0xcf },
	{ "Kappa", 0x39a }, { "Lambda", 0x39b }, { "Lstrok", 0x141 }, { "Mu", 0x39c },
	{ "NewLine", 0xa }, { "Ntilde", 0xd1 }, { "Nu", 0x39d }, { "OElig", 0x152 },
	{ "Oacute", 0xd3 }, { "Ocirc", 0xd4 }, { "Ograve", 0xd2 }, { "Omega", 0x3a9 },
	{ "Omicron", 0x39f }, { "Oslash", 0xd8 }, { "Otilde", 0xd5 }, { "Ouml", 0xd6 },
	{ "Phi", 0x3a6 }, { "Pi", 0x3a0 }, { "Prime", 0x2033 }, { "Psi", 0x3a8 },
	{ "Rcaron", 0x158 }, { "Rho", 0x3a1 }, { "Sacute", 0x15a }, { "Scaron", 0x160 },
	{ "Scedil", 0x15e }, { "Sigma", 0x3a3 }, { "THORN", 0xde }, { "Tab", 0x9 },
	{ "Tau", 0x3a4 }, { "Theta", 0x398 }, { "Uacute", 0xda }, { "Ucirc", 0xdb },
	{ "Ugrave", 0xd9 }, { "Upsilon", 0x3a5 }, { "Uuml", 0xdc }, { "Xi", 0x39e },
	{ "Yacute", 0xdd }, { "Yuml", 0x178 }, { "Zcaron", 0x17d }, { "Zeta", 0x396 },
	{ "aacute", 0xe1 }, { "abreve", 0x103 }, { "acirc", 0xe2 }, { "acute", 0xb4 },
	{ "aelig", 0xe6 }, { "agrave", 0xe0 }, { "alefsym", 0x2135 }, { "alpha", 0x3b1 },
	{ "amp", 0x26 }, { "and", 0x2227 }, { "ang", 0x2220 }, { "aogon", 0x105 },
	{ "apos", 0x27 }, { "aring", 0xe5 }, { "ast", 0x2a }, { "asymp", 0x2248 },
	{ "atilde", 0xe3 }, { "auml", 0xe4 }, { "bdquo", 0x201e }, { "beta", 0x3b2 },
	{ "brvbar", 0xa6 }, { "bsol", 0x5c }, { "bull", 0x2022 }, { "cacute", 0x107 },
	{ "cap", 0x2229 }, { "ccaron", 0x10d }, { "ccedil", 0xe7 }, { "cedil", 0xb8 },
	{ "cent", 0xa2 }, { "check", 0x2713 }, { "chi", 0x3c7 }, { "circ", 0x2c6 },
	{ "clubs", 0x2663 }, { "colon", 0x3a }, { "comma", 0x2c }, { "commat", 0x40 },
	{ "cong", 0x2245 }, { "copy", 0xa9 }, { "crarr", 0x21b5 }, { "cross", 0x2717 },
	{ "cup", 0x222a }, { "curren", 0xa4 }, { "dArr", 0x21d3 }, { "dagger", 0x2020 },
	{ "darr", 0x2193 }, { "dash", 0x2010 }, { "deg", 0xb0 }, { "delta", 0x3b4 },
	{ "diams", 0x2666 }, { "divide", 0xf7 }, { "dollar", 0x24 }, { "dstrok", 0x111 },
	{ "eacute", 0xe9 }, { "ecaron", 0x11b }, { "ecirc", 0xea }, { "egrave", 0xe8 },
	{ "empty", 0x2205 }, { "emsp", 0x2003 }, { "ensp", 0x2002 }, { "eogon", 0x119 },
	{ "epsilon", 0x3b5 }, { "equals", 0x3d }, { "equiv", 0x2261 }, { "eta", 0x3b7 },
	{ "eth", 0xf0 }, { "euml", 0xeb }, { "euro", 0x20ac }, { "excl", 0x21 },
	{ "exist", 0x2203 }, { "fnof", 0x192 }, { "forall", 0x2200 }, { "frac12", 0xbd },
	{ "frac14", 0xbc }, { "frac34", 0xbe }, { "frasl", 0x2044 }, { "gamma", 0x3b3 },
	{ "gbreve", 0x11f }, { "ge", 0x2265 }, { "grave", 0x60 }, { "gt", 0x3e },
	{ "hArr", 0x21d4 }, { "half", 0xbd }, { "harr", 0x2194 }, { "hearts", 0x2665 },
	{ "hellip", 0x2026 }, { "hyphen", 0x2010 }, { "iacute", 0xed }, { "icirc", 0xee },
	{ "iexcl", 0xa1 }, { "igrave", 0xec }, { "image", 0x2111 }, { "infin", 0x221e },
	{ "inodot", 0x131 }, { "int", 0x222b }, { "iota", 0x3b9 }, { "iquest", 0xbf },
	{ "isin", 0x2208 }, { "iuml", 0xef }, { "kappa", 0x3ba }, { "lArr", 0x21d0 },
	{ "lambda", 0x3bb }, { "lang", 0x2329 }, { "laquo", 0xab }, { "larr", 0x2190 },
	{ "lbrace", 0x7b }, { "lbrack", 0x5b }, { "lceil", 0x2308 }, { "lcub", 0x7b },
	{ "ldquo", 0x201c }, { "ldquor", 0x201e }, { "le", 0x2264 }, { "lfloor", 0x230a },
	{ "lowast", 0x2217 }, { "lowbar", 0x5f }, { "loz", 0x25ca }, { "lpar", 0x28 },
	{ "lrm", 0x200e }, { "lsaquo", 0x2039 }, { "lsqb", 0x5b }, { "lsquo", 0x2018 },
	{ "lsquor", 0x201a }, { "lstrok", 0x142 }, { "lt", 0x3c }, { "macr", 0xaf },
	{ "mdash", 0x2014 }, { "micro", 0xb5 }, { "middot", 0xb7 }, { "minus", 0x2212 },
	{ "mldr", 0x2026 }, { "mu", 0x3bc }, { "nabla", 0x2207 }, { "nacute", 0x144 },
	{ "nbsp", 0xa0 }, { "ndash", 0x2013 }, { "ne", 0x2260 }, { "ni", 0x220b },
	{ "not", 0xac }, { "notin", 0x2209 }, { "nsub", 0x2284 }, { "ntilde", 0xf1 },
	{ "nu", 0x3bd }, { "num", 0x23 }, { "oacute", 0xf3 }, { "ocirc", 0xf4 },
	{ "odblac", 0x151 }, { "oelig", 0x153 }, { "ograve", 0xf2 }, { "oline", 0x203e },
	{ "omega", 0x3c9 }, { "omicron", 0x3bf }, { "oplus", 0x2295 }, { "or", 0x2228 },
	{ "ordf", 0xaa }, { "ordm", 0xba }, { "oslash", 0xf8 }, { "otilde", 0xf5 },
	{ "otimes", 0x2297 }, { "ouml", 0xf6 }, { "para", 0xb6 }, { "part", 0x2202 },
	{ "percnt", 0x25 }, { "period", 0x2e }, { "permil", 0x2030 }, { "perp", 0x22a5 },
	{ "phi", 0x3c6 }, { "phone", 0x260e }, { "pi", 0x3c0 }, { "piv", 0x3d6 },
	{ "plus", 0x2b }, { "plusmn", 0xb1 }, { "pound", 0xa3 }, { "prime", 0x2032 },
	{ "prod", 0x220f }, { "prop", 0x221d }, { "psi", 0x3c8 }, { "quest", 0x3f },
	{ "quot", 0x22 }, { "rArr", 0x21d2 }, { "radic", 0x221a }, { "rang", 0x232a },
	{ "raquo", 0xbb }, { "rarr", 0x2192 }, { "rbrace", 0x7d }, { "rbrack", 0x5d },
	{ "rcaron", 0x159 }, { "rceil", 0x2309 }, { "rcub", 0x7d }, { "rdquo", 0x201d },
	{ "rdquor", 0x201d }, { "real", 0x211c }, { "reg", 0xae }, { "rfloor", 0x230b },
	{ "rho", 0x3c1 }, { "rlm", 0x200f }, { "rpar", 0x29 }, { "rsaquo", 0x203a },
	{ "rsqb", 0x5d }, { "rsquo", 0x2019 }, { "rsquor", 0x2019 }, { "sacute", 0x15b },
	{ "sbquo", 0x201a }, { "scaron", 0x161 }, { "scedil", 0x15f }, { "sdot", 0x22c5 },
	{ "sect", 0xa7 }, { "semi", 0x3b }, { "shy", 0xad }, { "sigma", 0x3c3 },
	{ "sigmaf", 0x3c2 }, { "sim", 0x223c }, { "sol", 0x2f }, { "spades", 0x2660 },
	{ "star", 0x2606 }, { "starf", 0x2605 }, { "sub", 0x2282 }, { "sube", 0x2286 },
	{ "sum", 0x2211 }, { "sup", 0x2283 }, { "sup1", 0xb9 }, { "sup2", 0xb2 },
	{ "sup3", 0xb3 }, { "supe", 0x2287 }, { "szlig", 0xdf }, { "tau", 0x3c4 },
	{ "there4", 0x2234 }, { "theta", 0x3b8 }, { "thetasym", 0x3d1 }, { "thinsp", 0x2009 },
	{ "thorn", 0xfe }, { "tilde", 0x2dc }, { "times", 0xd7 }, { "trade", 0x2122 },
	{ "uArr", 0x21d1 }, { "uacute", 0xfa }, { "uarr", 0x2191 }, { "ucirc", 0xfb },
	{ "udblac", 0x171 }, { "ugrave", 0xf9 }, { "uml", 0xa8 }, { "upsih", 0x3d2 },
	{ "upsilon", 0x3c5 }, { "uring", 0x16f }, { "uuml", 0xfc }, { "verbar", 0x7c },
	{ "vert", 0x7c }, { "weierp", 0x2118 }, { "xi", 0x3be }, { "yacute", 0xfd },
	{ "yen", 0xa5 }, { "yuml", 0xff }, { "zacute", 0x17a }, { "zcaron", 0x17e },
	{ "zdot", 0x17c }, { "zeta", 0x3b6 }, { "zwj", 0x200d }, { "zwnj", 0x200c },
	/* clang-format on */
};

/* clang-format off */
static const unsigned short windows[32] = {
	0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160,
	0x2039, 0x152, 0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013,
	0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
};
/* clang-format on */

static int
parse_digit(char c, unsigned base)
{
	int value = ascii_hex_value(c);

	return value < (int)base ? value : -1;
}

static unsigned
repair_point(unsigned point)
{
	if (point >= 0x80 && point <= 0x9f)
		return windows[point - 0x80];
	if (point == 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return REPLACEMENT;
	return point;
}

/* "&#..." of len bytes; 0 if there are no digits. */
static size_t
parse_numeric_entity(const char *text, size_t len, unsigned *ret_point)
{
	unsigned base = len > 2 && str_lower(text[2]) == 'x' ? 16 : 10, point = 0;
	size_t first = base == 16 ? 3 : 2, i = first;

	for (; i < len && parse_digit(text[i], base) >= 0; i++)
		if (point <= 0x10ffff)
			point = point * base + (unsigned)parse_digit(text[i], base);
	if (i == first)
		return 0;
	*ret_point = repair_point(point);
	return i < len && text[i] == ';' ? i + 1 : i;
}

static int
compare_entity(const void *key, const void *row)
{
	return strcmp(key, ((const struct entity *)row)->name);
}

/* Without its semicolon only the oldest names are known, and in an attribute not
 * before what makes them the name of a parameter. */
static size_t
parse_named_entity(const char *text, size_t len, bool within, unsigned *ret_point)
{
	const struct entity *row;
	char name[ENTITY_MAX + 1];
	size_t n = 0;
	bool closed;

	while (1 + n < len && n < ENTITY_MAX && ascii_is_alnum(text[1 + n]))
		n++;
	memcpy(name, text + 1, n);
	name[n] = '\0';
	closed = 1 + n < len && text[1 + n] == ';';
	row = bsearch(name, entities, sizeof(entities) / sizeof(entities[0]), sizeof(entities[0]),
		compare_entity);
	if (!row ||
		(!closed && (row->point > 0xff || (within && 1 + n < len && text[1 + n] == '='))))
		return 0;
	*ret_point = row->point;
	return 1 + n + closed;
}

size_t
html_point(const char *text, size_t len, bool within, unsigned *ret_point)
{
	size_t n = 0;

	if (text[0] == '&' && len > 1)
		n = text[1] == '#' ? parse_numeric_entity(text, len, ret_point)
				   : parse_named_entity(text, len, within, ret_point);
	if (n == 0)
		n = str_utf8(text, len, ret_point);
	if (n == 0) {
		*ret_point = REPLACEMENT;
		n = 1;
	}
	return n;
}

void
html_put_point(struct buf *out, unsigned point)
{
	char bytes[4];
	size_t n = 0;

	if (point < 0x80) {
		bytes[n++] = (char)point;
	} else if (point < 0x800) {
		bytes[n++] = (char)(0xc0 | point >> 6);
		bytes[n++] = (char)(0x80 | (point & 0x3f));
	} else if (point < 0x10000) {
		bytes[n++] = (char)(0xe0 | point >> 12);
		bytes[n++] = (char)(0x80 | (point >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (point & 0x3f));
	} else {
		bytes[n++] = (char)(0xf0 | point >> 18);
		bytes[n++] = (char)(0x80 | (point >> 12 & 0x3f));
		bytes[n++] = (char)(0x80 | (point >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (point & 0x3f));
	}
	buf_append(out, bytes, n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* git's wildcards. fnmatch(3) knows no "**" and asks the locale; base/glob.h says why
 * it cannot be used here. A pattern comes from a file that anybody wrote, so there is no recursion:
 * of every '*' only the last one is ever tried again, and behind it the last "**". An earlier one
 * could only take more than it must, which leaves less for what follows. That is still much for
 * many patterns, and a bracket can be made to be read again and again: each step is counted, and
 * there are only so many. */

#include <stdint.h>
#include <string.h>

#include "tools/search/ignore.h"

struct wild {
	const unsigned char *pattern, *end; /* of the pattern */
	const unsigned char *text, *text_end;
	bool path;
	bool broken;  /* a bracket that is no bracket, or no step left: nothing matches */
	size_t steps; /* that are left */
};

static void
spend_steps(struct wild *w, size_t n)
{
	w->steps -= n < w->steps ? n : w->steps;
	w->broken |= w->steps == 0;
}

/* What a character is, in ASCII alone: no locale has a say. */
enum is {
	IS_LOWER = 1,
	IS_UPPER = 2,
	IS_DIGIT = 4,
	IS_HEX = 8,
	IS_PUNCT = 16,
	IS_SPACE = 32, /* ' ' itself */
	IS_BLANK = 64,
	IS_WHITE = 128,
	IS_CNTRL = 256,
};
#define IS_ALPHA (IS_LOWER | IS_UPPER)
#define IS_GRAPH (IS_ALPHA | IS_DIGIT | IS_PUNCT)

static unsigned
what_is(unsigned char c)
{
	if (c >= 'a' && c <= 'z')
		return IS_LOWER | (c <= 'f' ? IS_HEX : 0u);
	if (c >= 'A' && c <= 'Z')
		return IS_UPPER | (c <= 'F' ? IS_HEX : 0u);
	if (c >= '0' && c <= '9')
		return IS_DIGIT | IS_HEX;
	if (c == ' ')
		return IS_SPACE | IS_BLANK | IS_WHITE;
	if (c < ' ')
		return IS_CNTRL | (c == '\t' ? IS_BLANK : 0u) |
		       (c >= '\t' && c <= '\r' ? IS_WHITE : 0u);
	return c == 127 ? IS_CNTRL : c < 127 ? IS_PUNCT : 0u;
}

static bool
is_class(const unsigned char *name, size_t len, unsigned char c, bool *ret_known)
{
	static const struct {
		const char *name;
		unsigned is;
	} classes[] = {
		{ "alnum", IS_ALPHA | IS_DIGIT },
		{ "alpha", IS_ALPHA },
		{ "blank", IS_BLANK },
		{ "cntrl", IS_CNTRL },
		{ "digit", IS_DIGIT },
		{ "graph", IS_GRAPH },
		{ "lower", IS_LOWER },
		{ "print", IS_GRAPH | IS_SPACE },
		{ "punct", IS_PUNCT },
		{ "space", IS_WHITE },
		{ "upper", IS_UPPER },
		{ "xdigit", IS_HEX },
	};

	*ret_known = true;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == len && memcmp(classes[i].name, name, len) == 0)
			return what_is(c) & classes[i].is;
	*ret_known = false;
	return false;
}

/* "[:name:]" at p, which is behind the first ':'. Its end, behind "]"; NULL: it is
 * not one, and '[' stands for itself. */
static const unsigned char *
class_match(struct wild *w, const unsigned char *p, unsigned char c, bool *hit)
{
	const unsigned char *close = p;
	bool known;

	while (close < w->end && *close != ']')
		close++;
	spend_steps(w, (size_t)(close - p));
	if (close == w->end) {
		w->broken = true;
		return NULL;
	}
	if (close == p || close[-1] != ':')
		return NULL;
	*hit |= is_class(p, (size_t)(close - 1 - p), c, &known);
	w->broken |= !known;
	return close + 1;
}

/* One member of a bracket at p: what follows it. *from is where a range could begin,
 * or -1. */
static const unsigned char *
match_bracket_member(struct wild *w, const unsigned char *p, unsigned char c, int *from, bool *hit)
{
	const unsigned char *next;
	int first = *from;

	*from = -1;
	if (*p == '-' && first > 0 && p + 1 < w->end && p[1] != ']') {
		if (*++p == '\\' && ++p == w->end) {
			w->broken = true;
			return p;
		}
		*hit |= c >= first && c <= *p;
		return p + 1;
	}
	if (*p == '[' && p + 1 < w->end && p[1] == ':') {
		next = class_match(w, p + 2, c, hit);
		if (next || w->broken)
			return next ? next : w->end;
	} else if (*p == '\\' && ++p == w->end) {
		w->broken = true;
		return p;
	}
	*hit |= c == *p;
	*from = *p;
	return p + 1;
}

/* p is behind '['. What follows the bracket, or NULL if c is not in it. */
static const unsigned char *
match_bracket(struct wild *w, const unsigned char *p, unsigned char c)
{
	bool others = p < w->end && (*p == '!' || *p == '^'), hit = false;
	const unsigned char *first = p += others;
	int from = -1;

	while (p < w->end && !w->broken && (*p != ']' || p == first)) {
		spend_steps(w, 1);
		p = match_bracket_member(w, p, c, &from, &hit);
	}
	if (p >= w->end || w->broken) {
		w->broken = true;
		return NULL;
	}
	return hit != others && !(w->path && c == '/') ? p + 1 : NULL;
}

/* What follows the one element at p if it matches c, else NULL. */
static const unsigned char *
match_wild_element(struct wild *w, const unsigned char *p, unsigned char c)
{
	switch (*p) {
	case '?':
		return w->path && c == '/' ? NULL : p + 1;
	case '[':
		return match_bracket(w, p + 1, c);
	case '\\':
		return p + 1 < w->end && p[1] == c ? p + 2 : NULL;
	default:
		return *p == c ? p + 1 : NULL;
	}
}

/* Where to go on when what follows a star did not match. */
struct again {
	const unsigned char *pattern; /* behind the star; NULL: there was none */
	const unsigned char *text;
	bool whole; /* not even tried yet with the star as nothing */
};

/* The stars at p. Whether they are a "**" that crosses '/'. */
static bool
scan_stars(const struct wild *w, const unsigned char *p, const unsigned char **ret_end)
{
	const unsigned char *end = p;

	while (end < w->end && *end == '*')
		end++;
	*ret_end = end;
	if (!w->path)
		return true;
	return end - p > 1 && (p == w->pattern || p[-1] == '/') &&
	       (end == w->end || *end == '/' ||
		       (*end == '\\' && end + 1 < w->end && end[1] == '/'));
}

/* Takes the star's word for one more character. */
static bool
retry_star(struct again *again, const struct wild *w, bool slash, const unsigned char **p,
	const unsigned char **t)
{
	if (!again->pattern)
		return false;
	if (!again->whole) {
		if (again->text == w->text_end || (!slash && *again->text == '/'))
			return false;
		again->text++;
	}
	again->whole = false;
	*t = again->text;
	*p = again->pattern;
	return true;
}

static bool
match_wildcard(struct wild *w)
{
	const unsigned char *p = w->pattern, *t = w->text, *next;
	struct again one = { 0 }, any = { 0 };

	for (;;) {
		spend_steps(w, 1);
		if (w->broken)
			return false;
		if (p < w->end && *p == '*') {
			bool deep = scan_stars(w, p, &next);

			spend_steps(w, (size_t)(next - p));
			if (deep && next == w->end)
				return true;
			/* "**" and its slash may be nothing at all; only if that leads
			 * nowhere is the slash looked for, here and further on. */
			if (deep && *next == '/' && w->path) {
				any = (struct again){ next, t, true };
				one.pattern = NULL;
				p = next + 1;
				continue;
			}
			*(deep ? &any : &one) = (struct again){ next, t, false };
			if (deep)
				one.pattern = NULL;
			p = next;
			continue;
		}
		if (p == w->end && t == w->text_end)
			return true;
		next = p < w->end && t < w->text_end ? match_wild_element(w, p, *t) : NULL;
		if (w->broken)
			return false;
		if (next) {
			p = next;
			t++;
			continue;
		}
		if (!retry_star(&one, w, false, &p, &t) && !retry_star(&any, w, true, &p, &t))
			return false;
		if (p == any.pattern)
			one.pattern = NULL;
	}
}

bool
ignore_wild(const char *pattern, size_t pattern_len, const char *text, size_t text_len, bool path,
	size_t *steps)
{
	struct wild w = {
		.pattern = (const unsigned char *)pattern,
		.end = (const unsigned char *)pattern + pattern_len,
		.text = (const unsigned char *)text,
		.text_end = (const unsigned char *)text + text_len,
		.path = path,
		.steps = *steps,
	};
	bool matches = match_wildcard(&w);

	*steps = w.steps;
	return matches;
}

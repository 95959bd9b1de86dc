/* SPDX-License-Identifier: Apache-2.0 */
/* Globs, matched without recursion so that no pattern can cost more than
 * text times pattern. fnmatch(3) is locale-bound and folds case only with a
 * locale's help; guards must mean the same everywhere. */

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/glob.h"
#include "base/str.h"

/* Two letters outside ASCII fold into it (K: U+212A, long s: U+017F): on a
 * case-folding file system they name the same file. */
static unsigned
read_code_point(const char *text, size_t len, bool fold, size_t *ret_len)
{
	unsigned point = (unsigned char)text[0];
	size_t n = 1;

	if (len == 0 || point >= 0x80)
		n = str_utf8(text, len, &point);
	if (n == 0) {
		*ret_len = 1;
		return 0x110000u + (unsigned char)text[0]; /* a byte that is no UTF-8 is itself */
	}
	*ret_len = n;
	if (!fold)
		return point;
	if (point >= 'A' && point <= 'Z')
		return point + 32;
	if (point == 0x212a)
		return 'k';
	if (point == 0x17f)
		return 's';
	return point;
}

/* pattern[0] is '['. The length of the bracket, or 0 if it is not closed. */
static size_t
bracket_len(const char *pattern, size_t len)
{
	size_t i = 1;

	if (i < len && (pattern[i] == '!' || pattern[i] == '^'))
		i++;
	if (i < len && pattern[i] == ']')
		i++;
	while (i < len && pattern[i] != ']')
		i++;
	return i < len ? i + 1 : 0;
}

static bool
bracket_match(const char *pattern, size_t len, unsigned point, bool fold)
{
	size_t i = 1, n;
	bool not = false, hit = false;

	if (pattern[i] == '!' || pattern[i] == '^') {
		not = true;
		i++;
	}
	while (i < len - 1) {
		unsigned from = read_code_point(pattern + i, len - 1 - i, fold, &n), to = from;

		i += n;
		if (i + 1 < len - 1 && pattern[i] == '-') {
			to = read_code_point(pattern + i + 1, len - 2 - i, fold, &n);
			i += 1 + n;
		}
		if (point >= from && point <= to)
			hit = true;
	}
	return hit != not ;
}

/* Matches the one pattern element at p against one character; its length in
 * the pattern, or 0 if it does not match. */
static size_t
match_glob_element(const char *pattern, size_t len, unsigned point, bool fold)
{
	size_t n;

	if (pattern[0] == '?')
		return 1;
	if (pattern[0] == '[') {
		n = bracket_len(pattern, len);
		if (n > 0)
			return bracket_match(pattern, n, point, fold) ? n : 0;
	}
	if (pattern[0] == '\\' && len > 1)
		return read_code_point(pattern + 1, len - 1, fold, &n) == point ? n + 1 : 0;
	return read_code_point(pattern, len, fold, &n) == point ? n : 0;
}

bool
glob_match(const char *pattern, size_t pattern_len, const char *text, size_t text_len, bool fold)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0, n, m;

	while (t < text_len) {
		if (p < pattern_len && pattern[p] == '*') {
			star = ++p;
			mark = t;
			continue;
		}
		if (p < pattern_len) {
			unsigned point = read_code_point(text + t, text_len - t, fold, &n);

			m = match_glob_element(pattern + p, pattern_len - p, point, fold);
			if (m > 0) {
				p += m;
				t += n;
				continue;
			}
		}
		if (star == SIZE_MAX)
			return false;
		read_code_point(text + mark, text_len - mark, fold, &n);
		mark += n;
		t = mark;
		p = star;
	}
	while (p < pattern_len && pattern[p] == '*')
		p++;
	return p == pattern_len;
}

int
glob_check(const char *pattern)
{
	size_t len = strlen(pattern), i = 0;

	if (len == 0 || len > 4096)
		return -EINVAL;
	while (i < len) {
		if (pattern[i] == '[') {
			size_t n = bracket_len(pattern + i, len - i);

			if (n == 0)
				return -EINVAL;
			i += n;
		} else if (pattern[i] == '\\') {
			if (i + 1 == len)
				return -EINVAL;
			i += 2;
		} else {
			i++;
		}
	}
	return 0;
}

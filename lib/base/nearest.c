/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean ...": the closest name by edit distance, blind to case and to
 * how words are joined, since that is where people's memory differs. The
 * guess is only ever shown, never acted on. */

#include "base/str.h"

#define NAME_MAX_LEN 48 /* longer than any name in a table; costs its square */

/* Lower case, without '_' and '-'; the length, or 0 if too long to be near
 * anything. */
static size_t
normalize_name(const char *name, char out[NAME_MAX_LEN])
{
	size_t n = 0;

	for (; *name; name++) {
		if (*name == '_' || *name == '-')
			continue;
		if (n == NAME_MAX_LEN)
			return 0;
		out[n++] = str_lower(*name);
	}
	return n;
}

static size_t
pick_smaller_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Insert, remove, change, or swap two neighbours: each counts one. */
static size_t
measure_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t d[NAME_MAX_LEN + 1][NAME_MAX_LEN + 1];

	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= a_len; i++)
		for (size_t j = 1; j <= b_len; j++) {
			size_t changed = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = pick_smaller_size(
				changed, pick_smaller_size(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = pick_smaller_size(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[a_len][b_len];
}

const char *
str_nearest(const char *name, const char *(*name_at)(const void *data, size_t i), const void *data)
{
	char a[NAME_MAX_LEN], b[NAME_MAX_LEN];
	size_t a_len = normalize_name(name, a), best = 1 + a_len / 4;
	const char *nearest = NULL, *other;

	if (a_len == 0)
		return NULL;
	for (size_t i = 0; (other = name_at(data, i)); i++) {
		size_t b_len = normalize_name(other, b), d = measure_distance(a, a_len, b, b_len);

		if (b_len > 0 && (d < best || (d == best && !nearest))) {
			best = d;
			nearest = other;
		}
	}
	return nearest;
}

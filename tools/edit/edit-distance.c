/* SPDX-License-Identifier: Apache-2.0 */
/* How far one line is from another: the least number of bytes to insert, take away
 * or change, where the second may go on at both ends for nothing. A model often
 * quotes a part of a line. */

#include <string.h>

#include "tools/edit/edit-near.h"

#define WANT_MAX 256
#define LINE_MAX_BYTES 1024

static size_t
find_minimum(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

size_t
edit_distance(const char *want, size_t want_len, const char *line, size_t line_len)
{
	size_t row[WANT_MAX + 1], best;

	if (want_len > WANT_MAX)
		want_len = WANT_MAX;
	if (line_len > LINE_MAX_BYTES)
		line_len = LINE_MAX_BYTES;
	for (size_t i = 0; i <= want_len; i++)
		row[i] = i;
	best = row[want_len];
	for (size_t j = 0; j < line_len; j++) {
		size_t diagonal = row[0]; /* stays 0: it may begin anywhere */

		for (size_t i = 1; i <= want_len; i++) {
			size_t above = row[i];

			row[i] = find_minimum(
				row[i] + 1, row[i - 1] + 1, diagonal + (want[i - 1] != line[j]));
			diagonal = above;
		}
		if (row[want_len] < best)
			best = row[want_len];
	}
	return best;
}

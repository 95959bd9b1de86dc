/* SPDX-License-Identifier: Apache-2.0 */
/* How wide text is, and paths that are made narrower. They are escaped already. */

#include <string.h>

#include "ask/text-columns.h"
#include "base/str.h"

size_t
text_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		if (((unsigned char)*text & 0xc0) != 0x80)
			n += (unsigned char)*text < 0x80 ? 1 : 2;
	return n;
}

/* The start of the name before this one, or text itself. */
static const char *
find_name_before(const char *text, const char *at)
{
	while (at > text && at[-1] != '/')
		at--;
	return at;
}

char *
text_cut_path(const char *path, size_t columns)
{
	const char *first = *path ? strchr(path + 1, '/') : NULL, *from = strrchr(path, '/');

	if (!first || text_columns(path) <= columns)
		return strdup(path);
	if (path[1] == '/') /* "~/a" and "./a" are the first name */
		first = strchr(first + 1, '/');
	if (!first || first >= from)
		return strdup(path);
	for (const char *next = from;;) {
		next = find_name_before(path, next) - 1;
		if (next <= first || (size_t)(first - path) + 4 + text_columns(next) > columns)
			break;
		from = next;
	}
	return str_printf("%.*s/...%s", (int)(first - path), path, from);
}

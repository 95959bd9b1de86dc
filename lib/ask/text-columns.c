/* SPDX-License-Identifier: Apache-2.0 */
/* How wide text is, and paths that are made narrower. They are escaped already. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ask/text-columns.h"
#include "base/own.h"
#include "base/str.h"

#define NAME_LEAST 9 /* columns that a name has at least, where it is cut */

static size_t
count_columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			n += (unsigned char)text[i] < 0x80 ? 1 : 2;
	return n;
}

size_t
text_columns(const char *text)
{
	return count_columns(text, strlen(text));
}

size_t
text_room(size_t columns, size_t used)
{
	return columns > used ? columns - used : 0;
}

/* -- paths ------------------------------------------------------------------------ */

/* "~/work" of "~/work/a/b", "/var" of "/var/a/b": how many bytes. */
static size_t
measure_first_name(const char *path)
{
	const char *first = *path ? strchr(path + 1, '/') : NULL;

	if (first && path[1] == '/') /* "~/a" and "./a" are the first name */
		first = strchr(first + 1, '/');
	return first ? (size_t)(first - path) : strlen(path);
}

/* "~" of "~/work/a/b", nothing of other paths. */
static size_t
measure_root(const char *path)
{
	return path[0] && path[0] != '/' && path[1] == '/' ? 1 : 0;
}

/* The slash before the one at at, or path itself. */
static const char *
find_slash_before(const char *path, const char *at)
{
	while (at > path && *--at != '/')
		;
	return at;
}

/* The first bytes of the path, the dots, and as many of its last names as fit; NULL: there is
 * nothing between them, or no memory. */
static char *
cut_behind(const char *path, size_t head, const char *dots, size_t columns)
{
	const char *from = strrchr(path, '/'), *next = from;
	size_t used = count_columns(path, head) + strlen(dots);

	if (!from || from <= path + head)
		return NULL;
	for (;;) {
		next = find_slash_before(path, next);
		if (next <= path + head || used + text_columns(next) > columns)
			break;
		from = next;
	}
	return str_printf("%.*s%s%s", (int)head, path, dots, from);
}

/* From what says most to what is shortest: "~/work/.../name", "~/.../name", ".../name". */
char *
text_cut_path(const char *path, size_t columns)
{
	size_t root = measure_root(path);
	bool named = root > 0 || path[0] == '/';
	const struct {
		size_t head;
		const char *dots;
	} ways[] = { { measure_first_name(path), "/..." }, { root, named ? "/..." : "..." },
		{ 0, "..." } };
	auto_free char *best = strdup(path);

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		auto_free char *cut = NULL;

		if (!best || text_columns(best) <= columns)
			break;
		cut = cut_behind(path, ways[i].head, ways[i].dots, columns);
		if (cut && text_columns(cut) < text_columns(best)) {
			free(best);
			best = steal_ptr(&cut);
		}
	}
	return steal_ptr(&best);
}

/* How many bytes of text have at most so many columns; from its end, if so. */
static size_t
measure_columns(const char *text, size_t len, size_t columns, bool end)
{
	size_t n = 0;

	for (size_t i = 1; i <= len; i++) {
		const char *from = end ? text + len - i : text;
		/* Whole characters. */
		bool whole = end ? ((unsigned char)*from & 0xc0) != 0x80
				 : i == len || ((unsigned char)text[i] & 0xc0) != 0x80;

		if (whole && count_columns(from, i) > columns)
			break;
		n = whole ? i : n;
	}
	return n;
}

char *
text_cut_name(const char *text, size_t columns)
{
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
	size_t before = count_columns(text, (size_t)(name - text)), len, room, head, tail;

	if (text_columns(text) <= columns)
		return strdup(text);
	/* A name of which nothing would be left is cut with what is before it. */
	if (before + NAME_LEAST > columns) {
		name = text;
		before = 0;
	}
	len = strlen(name);
	room = text_room(columns, before + strlen("..."));
	head = measure_columns(name, len, room / 2, false);
	tail = measure_columns(name, len, room - room / 2, true);
	return str_printf(
		"%.*s...%s", (int)(name - text + (ptrdiff_t)head), text, name + len - tail);
}

int
text_cut_pair(char **a, char **b, size_t columns)
{
	size_t half = columns / 2, rest = text_room(columns, text_columns(*b));
	char *cut = text_cut_path(*a, rest > half ? rest : half);

	if (!cut)
		return -ENOMEM;
	free(*a);
	*a = cut;
	cut = text_cut_path(*b, text_room(columns, text_columns(*a)));
	if (!cut)
		return -ENOMEM;
	free(*b);
	*b = cut;
	return 0;
}

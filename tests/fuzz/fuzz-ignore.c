/* SPDX-License-Identifier: Apache-2.0 */
/* The patterns of a .gitignore, and of a search: whatever they say, matching ends and
 * stays in its memory, and means what it must. Input: patterns, NUL, path. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/search/ignore.h"
#include "tools/search/walk-glob.h"

#define ENOUGH (&(size_t){ SIZE_MAX })

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("*?[\\!#/ {}\n\r", text[i]))
			return false;
	return len > 0 && memcmp(text, "\xef\xbb\xbf", len < 3 ? len : 3) != 0;
}

static void
check_ignore(const char *text, size_t len, const char *path, size_t path_len)
{
	struct ignore *ignore = ignore_parse(text, len);
	enum ignore_says file, dir;

	assert(ignore);
	file = ignore_match(ignore, path, path_len, false, ENOUGH);
	dir = ignore_match(ignore, path, path_len, true, ENOUGH);
	assert(!ignore_is_empty(ignore) || (file == IGNORE_NOTHING && dir == IGNORE_NOTHING));
	/* What a file matches without being a directory, a directory matches too. */
	assert(file == IGNORE_NOTHING || dir != IGNORE_NOTHING);
	if (is_plain(text, len)) {
		assert(ignore_match(ignore, text, len, false, ENOUGH) == IGNORE_HIDE);
		assert(file == dir);
	}
	ignore_destroy(ignore);
}

static void
check_wild(const char *pattern, size_t len, const char *path, size_t path_len)
{
	bool deep = ignore_wild(pattern, len, path, path_len, false, ENOUGH);

	assert(ignore_wild("**", 2, path, path_len, true, ENOUGH));
	assert(ignore_wild("*", 1, path, path_len, true, ENOUGH) == !memchr(path, '/', path_len));
	/* Where '/' is a character like any other, a pattern without "**" can only match
	 * more. */
	if (!memmem(pattern, len, "**", 2) &&
		ignore_wild(pattern, len, path, path_len, true, ENOUGH))
		assert(deep);
	if (is_plain(pattern, len))
		assert(deep == (len == path_len && memcmp(pattern, path, len) == 0));
}

static void
check_glob(const char *pattern, const char *path)
{
	struct walk_glob *glob = NULL;
	size_t fixed = walk_glob_fixed(pattern);
	char *dir;

	assert(fixed <= strlen(pattern));
	if (walk_glob_parse(pattern, false, &glob, NULL) < 0)
		return;
	/* What matches is found: every directory on the way is entered. */
	if (walk_glob_match(glob, path) && path[0] != '/' && !strstr(path, "//") && path[0] &&
		path[strlen(path) - 1] != '/') {
		dir = strdup(path);
		assert(dir);
		for (char *slash; (slash = strrchr(dir, '/'));) {
			*slash = '\0';
			assert(walk_glob_enter(glob, dir));
		}
		free(dir);
	}
	walk_glob_destroy(glob);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	size_t len = nul ? (size_t)(nul - data) : size, path_len = nul ? size - len - 1 : 0;
	char *text = calloc(1, len + 1), *path = calloc(1, path_len + 1);

	assert(text && path);
	memcpy(text, data, len);
	if (path_len)
		memcpy(path, nul + 1, path_len);
	if (size < 2048) {
		check_ignore(text, len, path, path_len);
		check_wild(text, len, path, path_len);
		check_glob(text, path);
	}
	free(text);
	free(path);
	return 0;
}

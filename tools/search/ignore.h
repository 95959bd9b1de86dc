/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_IGNORE_H
#define TOOLS_SEARCH_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

/* The patterns of one .gitignore, read as git reads them. They only say what a
 * search leaves out: a file that lies in one hides itself from a search, and from
 * nothing else. */

#define IGNORE_FILE_MAX (1 << 20) /* bytes of one file; a longer one is not read */

struct ignore;

/* NULL without memory. A file without any pattern is one that says nothing. */
struct ignore *ignore_parse(const char *text, size_t len);
void ignore_destroy(struct ignore *ignore);
bool ignore_is_empty(const struct ignore *ignore);

enum ignore_says {
	IGNORE_NOTHING = 0,
	IGNORE_HIDE,
	IGNORE_SHOW, /* "!pattern": whatever was said further out */
};

/* path: from the directory that the file stands in, without "/" at either end. The
 * last pattern that matches it speaks; those above it are the caller's to ask. Takes
 * what it costs off *steps, about one for each pattern and each character that is
 * compared with a wildcard; with none left, nothing matches. */
enum ignore_says ignore_match(
	const struct ignore *ignore, const char *path, size_t len, bool dir, size_t *steps);

/* One pattern against one text. path: neither '*', '?' nor a bracket matches '/', and
 * "**" between slashes is any depth. Bytes, case and all. steps: as above. */
bool ignore_wild(const char *pattern, size_t pattern_len, const char *text, size_t text_len,
	bool path, size_t *steps);

#endif

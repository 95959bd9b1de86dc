/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool
streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline bool
str_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Case in ASCII alone. The C library's own functions ask the locale, and in a
 * Turkish one "GIT" is not "git". */
static inline char
str_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The first n bytes, or up to the end of both; like strncasecmp() == 0. */
static inline bool
str_fold_equal(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_lower(a[i]) != str_lower(b[i]))
			return false;
		if (a[i] == '\0')
			return true;
	}
	return true;
}

/* strdup(NULL) is NULL. */
char *str_dup(const char *text);
char *str_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True if path is dir or lies beneath it. Both absolute and without "." or
 * "..", so that "/a/core" does not hold "/a/core-utils"; "/" holds all. */
bool str_beneath(const char *path, const char *dir);

/* path itself if it is absolute, else from the current directory, with leading
 * "." and ".." taken away. Caller frees; NULL: errno says why. */
char *str_absolute(const char *path);

/* How many of len bytes fit into max without cutting a character in two. */
size_t str_cut(const char *text, size_t len, size_t max);

/* Of the names that name_at gives (the i-th, NULL at the end), the one that was
 * probably meant by name, or NULL: by edit distance, blind to case, '_' and
 * '-'. A guess to show, never to act on. */
const char *str_nearest(
	const char *name, const char *(*name_at)(const void *data, size_t i), const void *data);

/* Text that is safe to show: control bytes, bidirectional and other invisible
 * characters, and bytes that are not UTF-8 become \n, \x1b, \u202e ...; a
 * backslash becomes \\. Caller frees; NULL without memory. */
char *str_escape(const char *text, size_t len);

/* As one word for a shell, in single quotes unless it is plain. NULL: without memory, or it holds
 * what no quotes are safe around. Caller frees. */
char *str_quote(const char *text);

/* str_escape for text that should be escaped already: what is not, is, and the
 * backslashes of what is stay. Caller frees; NULL without memory. */
char *str_tame(const char *text);

/* The same for a person's terminal, where he reads off a name what it is: also every space
 * that is not U+0020, all but the first of several, one at the end, and what is written
 * from right to left, which would take its neighbours along. */
char *str_show(const char *text);

/* True for a code point that shows nothing, reorders or breaks lines: C1
 * controls, and what Unicode calls default ignorable. */
bool str_hidden(unsigned point);

/* True if the bytes are well-formed UTF-8. */
bool str_is_utf8(const char *text, size_t len);

/* Decodes one code point at text (len > 0 bytes left); its length, or 0 if
 * the bytes are not UTF-8. */
size_t str_utf8(const char *text, size_t len, unsigned *ret_point);

/* A list of strings with a NULL end. */
void strv_free(char **list);
size_t strv_len(char *const *list);
/* Appends a copy; -ENOMEM. *list may be NULL. */
int strv_append(char ***list, const char *text);
/* The same as a callback: list is a char ***. */
int strv_append_to(void *list, const char *text);

#endif

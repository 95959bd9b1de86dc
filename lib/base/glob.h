/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* One path component (or a tool name) against a pattern of '*', '?' and
 * '[a-z]', '[!a-z]'. No component boundary is known here. fold: compare
 * without case, as a case-folding file system does for the names in use.
 *
 * Guards (scope/guard.c) and the search tools (tools/search/walk-glob.c) use it for each
 * part of a path, and read "**" and braces themselves. Two others stay apart:
 * .gitignore (tools/search/ignore-wild.c) follows git, where a match goes byte by byte,
 * '*' and '**' depend on the '/' around them, brackets hold classes and escapes, and a
 * bracket that is not closed matches nothing; hosts (request/hostmatch.c) know only a
 * leading "*." or a lone "*", each a rule of its own about whole labels. */
bool glob_match(
	const char *pattern, size_t pattern_len, const char *text, size_t text_len, bool fold);

/* 0, or -EINVAL for a pattern that has an unclosed or empty bracket, a
 * trailing backslash, is empty, or is longer than 4096 bytes. */
int glob_check(const char *pattern);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* One path component (or a tool name) against a pattern of '*', '?' and
 * '[a-z]', '[!a-z]'. No component boundary is known here. fold: compare
 * without case, as a case-folding file system does for the names in use. */
bool glob_match(
	const char *pattern, size_t pattern_len, const char *text, size_t text_len, bool fold);

/* 0, or -EINVAL for a pattern that has an unclosed or empty bracket, a
 * trailing backslash, is empty, or is longer than 4096 bytes. */
int glob_check(const char *pattern);

#endif

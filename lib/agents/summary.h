/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENTS_SUMMARY_H
#define AGENTS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#define SUMMARY_LEAST 200 /* a smaller max is this */

/* An agent's last words, from what it wrote to stdout: the text of the result, where that
 * is JSON of a shape that agents write (one object, or lines of objects), else all of it.
 * UTF-8 without escapes, control and hidden characters, newline and tab excepted; no
 * blank lines at its ends. Of more than max bytes the end, from a line's beginning, with
 * a line before it that says so. *ret_is_error: the result says that it is one.
 * Caller frees; NULL without memory. */
char *summary_of(const char *out, size_t len, size_t max, bool *ret_is_error);

/* Appends what can be shown of the text: the same without the rest. */
struct buf;
void summary_clean(struct buf *out, const char *text, size_t len);

#endif

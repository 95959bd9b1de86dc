/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_EDIT_EDIT_DIFF_H
#define TOOLS_EDIT_EDIT_DIFF_H

#include <stddef.h>

#include "base/buf.h"

/* What has changed between two texts, line by line, in the way of a unified diff
 * with three lines of context: to be read, not to be applied. About max bytes; what
 * is past that is counted and said, and so are changes that lie in too many lines to
 * be looked at. Nothing changed: nothing is appended. */
void edit_diff(const char *old, size_t old_len, const char *new, size_t new_len, size_t max,
	struct buf *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_EDIT_EDIT_NEAR_H
#define TOOLS_EDIT_EDIT_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Why a piece of text was not found in a file, as far as that can be told: what is
 * nearest to it, on which lines, and what differs. A few lines for a model to read.
 * The work is bounded, whatever the file is. new: what was to take its place. */
void edit_near(const char *text, size_t len, const char *old, size_t old_len, const char *new,
	size_t new_len, struct buf *out);

/* For edit-near.c. A slip that explains it: true, and said. */
bool edit_slip(const char *text, size_t len, const char *old, size_t old_len, const char *new,
	size_t new_len, struct buf *out);
/* How many bytes differ between want and what in line is most like it: what stands
 * before and after that is free. The beginnings of long lines alone. */
size_t edit_distance(const char *want, size_t want_len, const char *line, size_t line_len);

#endif

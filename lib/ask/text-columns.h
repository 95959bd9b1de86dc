/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TEXT_COLUMNS_H
#define ASK_TEXT_COLUMNS_H

#include <stddef.h>

/* Text that has to fit. */

/* The columns of a question's line, behind its indent, on a terminal of 80 columns. Words are
 * chosen for this width, and are the same on every other. */
#define TEXT_LINE 72

/* Columns on a terminal. A character beyond ASCII counts double, which is never too little. */
size_t text_columns(const char *text);

/* The columns that are left, or 0. */
size_t text_room(size_t columns, size_t used);

/* A path in so many columns: "~/a/.../last-name", else "~/.../last-name" or ".../last-name". As
 * many of its last names are kept as fit, and the last one in any case. Caller frees; NULL without
 * memory. */
char *text_cut_path(const char *path, size_t columns);

/* Text that ends in a name, in so many columns: where it is too wide, "a-folder-wi...long-name" is
 * left of what stands behind its last slash, or of all of it. Caller frees; NULL without memory. */
char *text_cut_name(const char *text, size_t columns);

/* Cuts two paths that share so many columns: one that needs less than half leaves the rest to the
 * other. -ENOMEM: one of them may be cut already. */
int text_cut_pair(char **a, char **b, size_t columns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TEXT_COLUMNS_H
#define ASK_TEXT_COLUMNS_H

#include <stddef.h>

/* Text that has to fit. */

/* Columns on a terminal. A character beyond ASCII counts double, which is never too little. */
size_t text_columns(const char *text);

/* A path in so many columns: "~/a/.../last-name". Its first name is kept, as many of the last as
 * fit, and the last one in any case. Caller frees; NULL without memory. */
char *text_cut_path(const char *path, size_t columns);

#endif

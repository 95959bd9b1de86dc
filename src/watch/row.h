/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_ROW_H
#define WATCH_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* One row of the screen while it is put together. It never gets wider than its
 * columns: what does not fit is left out and ".." stands there. */

#define ROW_PLAIN "\x1b[0m"
#define ROW_BOLD "\x1b[1m"
#define ROW_DIM "\x1b[2m"
#define ROW_REVERSE "\x1b[7m"
#define ROW_RED "\x1b[31m"
#define ROW_GREEN "\x1b[32m"

struct row {
	struct buf text;
	size_t columns; /* how wide it may get */
	size_t used;
	bool colour;
	bool styled; /* a style is in force that row_take ends */
};

/* A style until the next one; nothing without colour. */
void row_style(struct row *row, const char *sequence);
/* Ambit's own words, with the gaps that they have; escaped if need be. */
void row_puts(struct row *row, const char *text);
void row_printf(struct row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text from anywhere: see str_show. */
void row_show(struct row *row, const char *text);
/* The same in a column of its own, so wide, and a gap of two behind it. */
void row_cell(struct row *row, const char *text, size_t width);
/* The same, but of what is too long the end is shown: names that were made begin alike. */
void row_cell_end(struct row *row, const char *text, size_t width);
/* Filled up to its end. */
void row_fill(struct row *row, char c);
/* The row, owned by the caller, and empty again; NULL without memory. */
char *row_take(struct row *row);

/* How many bytes of text go into so many columns, and how many they take (may be
 * NULL). What is not ASCII counts double, which is never too little. */
size_t row_fit(const char *text, size_t columns, size_t *ret_used);

#endif

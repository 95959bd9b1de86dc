/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_WATCH_LAYOUT_H
#define WATCH_WATCH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/* How the rows of a screen are shared out. The question comes first, as it is what
 * somebody waits for; the list has a few rows in any case, and what is left is the
 * record's. */

struct layout {
	bool blind;	 /* too small for anything but the title */
	size_t question; /* lines of its text, or of the list of sessions without one */
	size_t list;	 /* rows of the list of questions, 0 or more than 1: with its rule */
	size_t tail;	 /* likewise of the record */
};

/* lines: the question's text has; questions: how many wait. The title and the keys
 * take one row each. */
struct layout layout_of(size_t rows, size_t columns, size_t lines, size_t questions);

#endif

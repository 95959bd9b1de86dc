/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_HISTORY_H
#define SCOPE_HISTORY_H

#include <stdbool.h>

/* Where programs keep what was typed and where a person was: by habit, at their start or end, and
 * never because the work needs it. */

struct history {
	const char *pattern; /* a path in the home; '*' within one part of it */
	const char *program; /* whose it is */
	bool directory;	     /* a directory that is made for histories alone */
};

/* Ends in a NULL pattern. */
extern const struct history history_table[];

/* The row that a real path is a file of, or NULL. home: a real path, or NULL. */
const struct history *history_find(const char *home, const char *real);

#endif

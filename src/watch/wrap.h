/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_WRAP_H
#define WATCH_WRAP_H

#include <stddef.h>

/* Lines of at most so many columns, each with its own styles. */
struct wrapped {
	char **lines;
	size_t n, room;
};

/* Appends text of dialog_text, where a style is in force until the next, over the
 * ends of lines. Nothing is cut. -ENOMEM. */
int wrap_text(struct wrapped *wrapped, const char *text, size_t columns);
void wrapped_finish(struct wrapped *wrapped);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_RING_H
#define ASK_TTY_RING_H

#include "base/buf.h"

/* Calls the person to a terminal where a question has appeared. */

enum {
	RING_BELL = 1,	 /* BEL */
	RING_OSC9 = 2,	 /* a desktop notification, as iTerm2 began it: text alone */
	RING_OSC777 = 4, /* likewise, as rxvt-unicode began it: title and text */
};

/* The kinds of ring that the terminal takes, by its environment; at least RING_BELL. */
unsigned ring_for_terminal(char *const *envp);

/* Appends the bytes that ring; ring 0: none. what is a question's: shown as text, control
 * characters and separators taken out, and cut. */
void ring_put(struct buf *out, unsigned ring, const char *what);

#endif

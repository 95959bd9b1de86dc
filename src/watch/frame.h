/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_FRAME_H
#define WATCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#include "ask/tty/dialog.h"
#include "base/buf.h"

/* One picture of the board, row by row, and the bytes that make it of another. */

struct frame {
	char **rows; /* n of them; no newline, every style ended */
	size_t n, columns;
	/* About the question in it: */
	uint64_t serial; /* 0: none */
	enum dialog_state state;
	size_t scroll; /* as far as its text goes */
	size_t page;
	bool whole; /* its last line is in it */
	bool blind; /* too small to show one */
};

/* deaf: keys do not count yet. now: milliseconds since the epoch. -ENOMEM. */
int frame_compose(struct board *board, size_t rows, size_t columns, bool colour, bool deaf,
	int64_t now, struct frame *ret_frame);
void frame_finish(struct frame *frame);

/* What turns a screen that shows before (NULL: anything) into one that shows frame: only
 * rows that differ. Nothing if none does. */
void frame_paint(const struct frame *before, const struct frame *frame, struct buf *out);

/* The frame is on the screen: what board_type has to know of it. */
void frame_shown(const struct frame *frame, struct board *board);

#endif

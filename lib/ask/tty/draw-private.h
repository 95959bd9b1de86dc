/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_DRAW_PRIVATE_H
#define ASK_TTY_DRAW_PRIVATE_H

#include "ask/tty/draw.h"

/* Shared by draw.c and draw-answers.c. */

/* The only styles: bold, and bold red for a danger, which has capitals as well. A terminal shows
 * them in its own colours, so that they can be read on a light and on a dark background. */
#define DRAW_BOLD "\x1b[1m"
#define DRAW_RED "\x1b[1;31m"
#define DRAW_PLAIN "\x1b[0m"

#define DRAW_INDENT (sizeof("ambit  ") - 1)
#define DRAW_WIDTH 80	   /* a wider terminal gets no wider question */
#define DRAW_RIGHT_EDGE 77 /* where words at the right end */

/* Nothing without colour. */
void draw_style(struct draw *draw, const char *sequence);
void draw_indent(struct draw *draw, size_t column);

/* One past the last column that is written: there terminals do not agree on where they are. */
size_t draw_line_end(const struct draw *draw);
size_t draw_right_edge(const struct draw *draw);

/* text from column on, continued at indent; the column where it ends. It is escaped already. */
size_t draw_wrapped_text(struct draw *draw, size_t column, size_t indent, const char *text);

/* A key and its words, whole, in lines of their own. */
void draw_key(struct draw *draw, const struct view *view, const struct key *key);

#endif

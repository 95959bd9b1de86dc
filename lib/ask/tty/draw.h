/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_DRAW_H
#define ASK_TTY_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "ask/tty/view.h"
#include "base/buf.h"

/* A question as text for a terminal: four lines of 80 columns, the same words on more lines where
 * it is narrower. The only escape sequences are those for bold and red, and only with colour.
 * Lines end in "\n". Only ambit's own lines begin in the first column: what is too long for one
 * goes on in the next, indented, so that no name can pose as a line of ambit's. A long path is cut
 * in its middle, and is shown whole by draw_more; nothing else is cut. */

struct draw {
	struct buf text;
	size_t width; /* columns */
	bool colour;
};

/* The line that keys are typed at: it appears when they count. */
#define DRAW_PROMPT "ambit> "

/* The act and its object, who and why; the answers; both, behind an empty line. */
void draw_head(struct draw *draw, const struct view *view);
void draw_choices(struct draw *draw, const struct view *view);
void draw_question(struct draw *draw, const struct view *view);
/* The whole object, what each answer stores, and what every layer said; the same, and the
 * question again. */
void draw_more(struct draw *draw, const struct view *view);
void draw_explanation(struct draw *draw, const struct view *view);
/* The line that chooses how wide "always" is. */
void draw_always(struct draw *draw, const struct view *view);
void draw_prompt(struct draw *draw, const struct view *view);
/* The line of text so far, for a screen that is not typed at. */
void draw_line(struct draw *draw, const char *prompt, const char *text);
/* A line of ambit's own words, then text from elsewhere. */
void draw_note(struct draw *draw, const char *words, const char *text);

#endif

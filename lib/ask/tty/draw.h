/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_DRAW_H
#define ASK_TTY_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "ask/tty/view.h"
#include "base/buf.h"

/* A question as text for a terminal. The only escape sequences are those for
 * bold, dim and yellow, and only with colour. Lines end in "\n". Nothing is
 * ever cut: long text goes on in the next line, indented, so that no name can
 * pose as a line of ambit's. */

struct draw {
	struct buf text;
	size_t width; /* columns */
	bool colour;
};

/* Who asks for what, and why; the answers; both, behind an empty line. */
void draw_head(struct draw *draw, const struct view *view);
void draw_choices(struct draw *draw, const struct view *view);
void draw_question(struct draw *draw, const struct view *view);
/* Only the lines that change with the folder. */
void draw_folder(struct draw *draw, const struct view *view);
/* The line that keys are typed at. */
void draw_prompt(struct draw *draw, const struct view *view);
/* What each key does and what every layer said; the same, and the question again. */
void draw_reasons(struct draw *draw, const struct view *view);
void draw_explanation(struct draw *draw, const struct view *view);
/* What "always" will store, in full; and the line for a second yes. */
void draw_rule(struct draw *draw, const struct ambit_choice *choice);
void draw_rule_prompt(struct draw *draw);
/* The prompts as whole lines, and the line of text so far: for a screen that is not
 * typed at. */
void draw_keys(struct draw *draw, const struct view *view);
void draw_rule_keys(struct draw *draw);
void draw_line(struct draw *draw, const char *prompt, const char *text);
/* A line of ambit's own words, then text from elsewhere. */
void draw_note(struct draw *draw, const char *words, const char *text);

#endif

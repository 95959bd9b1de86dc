/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_DIALOG_PRIVATE_H
#define ASK_TTY_DIALOG_PRIVATE_H

#include "ask/tty/dialog.h"

#include "ask/tty/edit-line.h"
#include "ask/tty/view.h"

/* The inside of a dialog, for the prompt: it does not draw everything anew, but goes on below
 * the lines that it has shown. */

struct dialog {
	struct ambit_question question;
	struct view view;
	enum dialog_state state;
	char pressed;			 /* the key that stands for what was pressed; or 0 */
	const struct ambit_choice *made; /* ANSWERED: the choice; NULL: a plain no */
	struct line line;		 /* of answer.message */
	struct ambit_answer answer;
};

int dialog_init(struct dialog *dialog, const struct ambit_question *question);
void dialog_finish(struct dialog *dialog);

/* What a key has brought. */
enum dialog_news {
	NEWS_NONE = 0, /* the key says nothing here */
	NEWS_QUESTION, /* back at the question */
	NEWS_FOLDER,
	NEWS_EXPLANATION,
	NEWS_ALWAYS,
	NEWS_LINE,
	NEWS_ANSWER,
};

/* An enum dialog_news, or -ENAMETOOLONG. */
int dialog_press(struct dialog *dialog, int key);
/* The line is typed, or given up. */
void dialog_end_line(struct dialog *dialog, bool given_up);

#endif

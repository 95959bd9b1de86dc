/* SPDX-License-Identifier: Apache-2.0 */
/* Keys into an answer. Neither input nor output: where the keys come from, and whether
 * what they answer stood on the screen by then, is the caller's to see to. What is not
 * clearly a yes is a no: the answer begins as one. */

#include <stdlib.h>
#include <string.h>

#include "ask/approver.h"
#include "ask/question-copy.h"
#include "ask/tty/dialog-private.h"
#include "ask/tty/dialog.h"
#include "ask/tty/draw.h"
#include "ask/tty/key.h"
#include "base/err.h"

int
dialog_init(struct dialog *dialog, const struct ambit_question *question)
{
	int r;

	*dialog = (struct dialog){ .answer = { .kind = AMBIT_NO } };
	r = question_copy(question, &dialog->question);
	if (r < 0)
		return r;
	view_init(&dialog->view, &dialog->question);
	return 0;
}

void
dialog_finish(struct dialog *dialog)
{
	question_finish(&dialog->question);
}

int
dialog_create(
	const struct ambit_question *question, struct dialog **ret_dialog, struct ambit_error *err)
{
	struct dialog *dialog = calloc(1, sizeof(*dialog));

	if (!dialog)
		return err_nomem(err);
	if (dialog_init(dialog, question) < 0) {
		free(dialog);
		return err_nomem(err);
	}
	*ret_dialog = dialog;
	return 0;
}

void
dialog_destroy(struct dialog *dialog)
{
	if (!dialog)
		return;
	dialog_finish(dialog);
	free(dialog);
}

const struct ambit_question *
dialog_question(const struct dialog *dialog)
{
	return &dialog->question;
}

enum dialog_state
dialog_state(const struct dialog *dialog)
{
	return dialog->state;
}

/* -- keys ------------------------------------------------------------------- */

static bool
says_no(int key)
{
	return key == DIALOG_KEY_ENTER || key == DIALOG_KEY_ESC || key == KEY_CTRL_C ||
	       key == KEY_CTRL_D;
}

static enum dialog_news
refuse_question(struct dialog *dialog)
{
	dialog->state = DIALOG_ANSWERED;
	return NEWS_ANSWER;
}

static int
answer_with_choice(struct dialog *dialog, const struct ambit_choice *choice)
{
	struct ambit_answer answer = { .kind = AMBIT_NO };
	int r = choice ? answer_choose(choice, &answer, NULL) : 0;

	if (r < 0)
		return r;
	dialog->answer = answer;
	dialog->made = choice;
	dialog->state = DIALOG_ANSWERED;
	return NEWS_ANSWER;
}

/* "Always" takes a second key, which says how wide. */
static int
handle_width_key(struct dialog *dialog, int key)
{
	const struct ambit_choice *choice =
		key == 's' || key == 'd' ? view_always(&dialog->view, key == 'd') : NULL;

	dialog->state = DIALOG_ASKING;
	if (says_no(key)) {
		dialog->pressed = 'n';
		return refuse_question(dialog);
	}
	if (!choice)
		return NEWS_QUESTION;
	dialog->pressed = (char)key;
	return answer_with_choice(dialog, choice);
}

static enum dialog_news
begin_line(struct dialog *dialog)
{
	struct ambit_answer *answer = &dialog->answer;

	line_init(&dialog->line, answer->message, sizeof(answer->message), "       message: ");
	dialog->state = DIALOG_TYPING;
	return NEWS_LINE;
}

static int
perform_key_act(struct dialog *dialog, const struct key *key)
{
	switch (key->act) {
	case KEY_ANSWER:
		return answer_with_choice(dialog, view_choice(&dialog->view, key));
	case KEY_ALWAYS:
		/* A profile has one width, which its line names. */
		if (dialog->view.question->n_facts > 0)
			return answer_with_choice(dialog, view_always(&dialog->view, false));
		dialog->state = DIALOG_WIDTH;
		return NEWS_ALWAYS;
	case KEY_MESSAGE:
		return begin_line(dialog);
	case KEY_STOP:
		dialog->answer.stop = true;
		return refuse_question(dialog);
	case KEY_WIDER:
	case KEY_NARROWER:
		view_step(&dialog->view, key->act == KEY_WIDER);
		return NEWS_FOLDER;
	case KEY_MORE:
		dialog->view.more = !dialog->view.more;
		return NEWS_EXPLANATION;
	}
	return NEWS_NONE;
}

static const struct key *
find_key_row(const struct dialog *dialog, int key)
{
	if (key == DIALOG_KEY_UP || key == DIALOG_KEY_DOWN)
		key = key == DIALOG_KEY_UP ? '+' : '-';
	return key > 0 && key < 0x7f ? view_key_find(&dialog->view, (char)key) : NULL;
}

int
dialog_press(struct dialog *dialog, int key)
{
	const struct key *row;

	dialog->pressed = '\0';
	if (dialog->state == DIALOG_WIDTH)
		return handle_width_key(dialog, key);
	if (dialog->state != DIALOG_ASKING)
		return NEWS_NONE;
	if (says_no(key)) {
		dialog->pressed = 'n';
		return refuse_question(dialog);
	}
	row = find_key_row(dialog, key);
	if (!row)
		return NEWS_NONE;
	dialog->pressed = row->key;
	return perform_key_act(dialog, row);
}

int
dialog_key(struct dialog *dialog, int key)
{
	int r = dialog_press(dialog, key);

	return r < 0 ? r : r != NEWS_NONE;
}

bool
dialog_is_yes(const struct dialog *dialog, int key)
{
	const struct key *row;

	if (dialog->state == DIALOG_WIDTH)
		return (key == 's' || key == 'd') && view_always(&dialog->view, key == 'd');
	if (dialog->state != DIALOG_ASKING)
		return false;
	row = find_key_row(dialog, key);
	return row && row->act <= KEY_ALWAYS && row->kind >= AMBIT_ONCE;
}

/* -- the line --------------------------------------------------------------- */

void
dialog_end_line(struct dialog *dialog, bool given_up)
{
	if (given_up) /* a no without words */
		dialog->answer.message[0] = '\0';
	dialog->state = DIALOG_ANSWERED;
}

void
dialog_type(struct dialog *dialog, const char *bytes, size_t n)
{
	auto_buf struct buf echo = { 0 }; /* the line is always shown whole */

	while (n > 0 && dialog->state == DIALOG_TYPING) {
		size_t room;
		char *to = line_room(&dialog->line, &room);
		enum line_state state;

		if (room > n)
			room = n;
		memcpy(to, bytes, room);
		bytes += room;
		n -= room;
		state = line_take(&dialog->line, room, &echo);
		if (state != LINE_MORE)
			dialog_end_line(dialog, state == LINE_GIVEN_UP);
	}
}

/* -- what comes out --------------------------------------------------------- */

const struct ambit_answer *
dialog_answer(const struct dialog *dialog)
{
	return dialog->state == DIALOG_ANSWERED ? &dialog->answer : NULL;
}

const char *
dialog_stores(const struct dialog *dialog)
{
	return dialog->made && dialog->made->stores ? dialog->made->stores : "";
}

char *
dialog_text(const struct dialog *dialog, size_t width, bool colour)
{
	struct draw draw = { .width = width, .colour = colour };

	draw_head(&draw, &dialog->view);
	switch (dialog->state) {
	case DIALOG_ASKING:
		if (dialog->view.more)
			draw_more(&draw, &dialog->view);
		draw_choices(&draw, &dialog->view);
		break;
	case DIALOG_WIDTH:
		draw_always(&draw, &dialog->view);
		break;
	case DIALOG_TYPING:
		draw_line(&draw, dialog->line.prompt, dialog->line.text);
		break;
	case DIALOG_ANSWERED:
		break;
	}
	return buf_take(&draw.text);
}

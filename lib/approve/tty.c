/* SPDX-License-Identifier: Apache-2.0 */
/* The person at the terminal: a question becomes a few lines, a key becomes an
 * answer. A key answers only what stood on the screen when it was pressed, and
 * everything that is not clearly a yes is a no. */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "approve/approver.h"
#include "approve/cancel.h"
#include "approve/draw.h"
#include "approve/screen.h"
#include "approve/view.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/run.h"

struct tty {
	struct ambit_approver approver;
	struct cancel cancel;
	int in;
	int out;
	bool owned;
	bool colour;
};

struct dialog {
	struct screen screen;
	struct view view;
	bool colour;
	struct ambit_answer answer;
	const char *stores; /* of the choice that was made; borrowed, may be NULL */
};

static struct draw
begin(struct dialog *dialog)
{
	return (struct draw){ .width = screen_width(&dialog->screen), .colour = dialog->colour };
}

/* Draws what, then the prompt; what was typed before the prompt stands is
 * forgotten. */
static int
show(struct dialog *dialog, void (*what)(struct draw *draw, const struct view *view))
{
	struct draw draw = begin(dialog);
	int r;

	if (what) {
		what(&draw, &dialog->view);
		r = screen_write(&dialog->screen, &draw.text);
		if (r < 0)
			return r;
	}
	screen_drop(&dialog->screen);
	draw_prompt(&draw, &dialog->view);
	return screen_write(&dialog->screen, &draw.text);
}

static int
say(struct dialog *dialog, const char *words, const char *text)
{
	struct draw draw = begin(dialog);

	draw_note(&draw, words, text);
	return screen_write(&dialog->screen, &draw.text);
}

/* A rule is for good, so it takes a second key, at a prompt of its own. */
static int
confirm(struct dialog *dialog, const struct ambit_choice *choice)
{
	struct draw draw = begin(dialog);
	int c, r;

	draw_rule(&draw, choice);
	r = screen_write(&dialog->screen, &draw.text);
	if (r < 0)
		return r;
	screen_drop(&dialog->screen);
	draw_rule_prompt(&draw);
	r = screen_write(&dialog->screen, &draw.text);
	if (r < 0)
		return r;
	c = screen_key(&dialog->screen);
	if (c < 0)
		return c;
	r = say(dialog, c == 'y' ? "y" : "", "");
	return r < 0 ? r : c;
}

/* 1: answered; 0: not yet. */
static int
choose(struct dialog *dialog, const struct key *key)
{
	const struct ambit_choice *choice = view_choice(&dialog->view, key);
	struct ambit_answer answer = { .kind = AMBIT_NO };
	int r = 0;

	if (choice && choice->kind == AMBIT_ALWAYS) {
		r = confirm(dialog, choice);
		if (r < 0)
			return r;
		if (r == SCREEN_NO)
			return 1; /* the answer is still the no it began as */
		if (r != 'y')
			return show(dialog, draw_question);
	}
	if (choice)
		r = answer_choose(choice, &answer, NULL);
	if (r < 0)
		return r;
	dialog->answer = answer;
	dialog->stores = choice ? choice->stores : NULL;
	return 1;
}

static int
message(struct dialog *dialog)
{
	struct ambit_answer *answer = &dialog->answer;
	int r = screen_line(
		&dialog->screen, "  message: ", answer->message, sizeof(answer->message));

	if (r < 0)
		return r;
	if (r > 0) /* given up: a no without words */
		answer->message[0] = '\0';
	return 1;
}

static int
press(struct dialog *dialog, const struct key *key)
{
	char shown[] = { key->key, '\0' };
	int r = say(dialog, shown, "");

	if (r < 0)
		return r;
	switch (key->act) {
	case KEY_ANSWER:
		return choose(dialog, key);
	case KEY_MESSAGE:
		return message(dialog);
	case KEY_WIDER:
	case KEY_NARROWER:
		view_step(&dialog->view, key->act == KEY_WIDER);
		return show(dialog, draw_folder);
	case KEY_EXPLAIN:
		return show(dialog, draw_explanation);
	}
	return -EINVAL;
}

static int
remind(struct dialog *dialog)
{
	int r = say(dialog, "", "");

	if (r == 0)
		r = say(dialog, "  one of these keys, please", "");
	return r < 0 ? r : show(dialog, NULL);
}

/* 0 and the answer is filled, or -errno. */
static int
converse(struct dialog *dialog)
{
	int r = show(dialog, draw_question);

	while (r == 0) {
		const struct key *key = NULL;
		int c = screen_key(&dialog->screen);

		if (c < 0)
			return c;
		if (c == SCREEN_NO)
			return say(dialog, "n", "");
		if (c == SCREEN_UP || c == SCREEN_DOWN)
			key = view_key_find(&dialog->view, c == SCREEN_UP ? '+' : '-');
		else if (c < SCREEN_NO)
			key = view_key_find(&dialog->view, (char)c);
		r = key ? press(dialog, key) : remind(dialog);
	}
	return r < 0 ? r : 0;
}

/* The last line: what the answer did. That it cannot be shown changes nothing. */
static void
conclude(struct dialog *dialog, int r)
{
	const struct ambit_answer *answer = &dialog->answer;

	dialog->screen.closing = true;
	if (r == -ETIMEDOUT)
		say(dialog, "\nno answer: refused", "");
	else if (r == -ECANCELED)
		say(dialog, "\nwithdrawn: the program gave up", "");
	else if (r < 0)
		say(dialog, "\nrefused", "");
	else if (answer->kind >= AMBIT_ONCE)
		say(dialog, "allowed: ", dialog->stores);
	else if (answer->kind == AMBIT_NO_SESSION)
		say(dialog, "refused: ", dialog->stores);
	else
		say(dialog, answer->message[0] ? "refused, with your message" : "refused", "");
}

static int
explain_failure(int r, struct ambit_error *err)
{
	if (r == -ETIMEDOUT)
		return err_set(err, ETIMEDOUT, "nobody answered in time");
	if (r == -ECANCELED)
		return err_set(err, ECANCELED, "the question was withdrawn");
	if (r == -EINTR)
		return err_set(err, EINTR, "interrupted by a signal");
	if (r == -EIO)
		return err_set(err, EIO, "the terminal is gone");
	return err_sys(err, -r, "the terminal");
}

static int
hold_dialog(const struct tty *tty, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct dialog dialog = { .colour = tty->colour, .answer = { .kind = AMBIT_NO } };
	int r;

	if (question->expires != 0 && question->expires <= clock_now())
		return explain_failure(-ETIMEDOUT, err);
	view_init(&dialog.view, question);
	r = screen_open(&dialog.screen, tty->in, tty->out, tty->cancel.fd, question->expires, err);
	if (r < 0)
		return r;
	r = converse(&dialog);
	conclude(&dialog, r);
	screen_close(&dialog.screen);
	if (r < 0)
		return explain_failure(r, err);
	*ret_answer = dialog.answer;
	return 0;
}

static int
ask(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct tty *tty = (struct tty *)approver;
	int r;

	/* Withdrawn before it was seen: nothing is shown. */
	if (cancel_begin(&tty->cancel, question->id))
		r = explain_failure(-ECANCELED, err);
	else
		r = hold_dialog(tty, question, ret_answer, err);
	cancel_end(&tty->cancel);
	return r;
}

static void
cancel(struct ambit_approver *approver, uint64_t question)
{
	cancel_say(&((struct tty *)approver)->cancel, question);
}

static void
destroy(struct ambit_approver *approver)
{
	struct tty *tty = (struct tty *)approver;

	if (tty->owned)
		close(tty->in);
	cancel_finish(&tty->cancel);
	free(tty);
}

static int
create(int in, int out, bool owned, bool colour, struct ambit_approver **ret_approver,
	struct ambit_error *err)
{
	struct tty *tty;
	int r;

	if (!isatty(in) || !isatty(out))
		return err_set(err, ENOTTY, "not a terminal: nobody can be asked here");
	tty = calloc(1, sizeof(*tty));
	if (!tty)
		return err_nomem(err);
	r = cancel_init(&tty->cancel, err);
	if (r < 0) {
		free(tty);
		return r;
	}
	tty->approver = (struct ambit_approver){
		.ask = ask,
		.destroy = destroy,
		.cancel = cancel,
		.name = "tty",
	};
	tty->in = in;
	tty->out = out;
	tty->owned = owned;
	tty->colour = colour;
	*ret_approver = &tty->approver;
	return 0;
}

int
ambit_approver_tty(int in_fd, int out_fd, int colour, struct ambit_approver **ret_approver,
	struct ambit_error *err)
{
	return create(in_fd, out_fd, false, colour != 0, ret_approver, err);
}

/* Non-blocking, which only a description of our own may be: a terminal that
 * takes no output must not outlast the question. */
int
tty_create(struct ambit_approver **ret_approver, struct ambit_error *err)
{
	auto_close int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int r;

	if (fd < 0)
		return err_sys(err, errno == ENXIO ? ENOTTY : errno, "/dev/tty");
	r = create(fd, fd, true, false, ret_approver, err);
	if (r == 0)
		(void)steal_fd(&fd);
	return r;
}

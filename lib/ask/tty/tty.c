/* SPDX-License-Identifier: Apache-2.0 */
/* The person at the terminal: a question becomes a few lines, a key becomes an
 * answer. A key answers only what stood on the screen when it was pressed, and
 * everything that is not clearly a yes is a no. */

#include <fcntl.h>
#include <sodium/randombytes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask/approver.h"
#include "ask/cancel.h"
#include "ask/tty/dialog-private.h"
#include "ask/tty/dialog.h"
#include "ask/tty/draw.h"
#include "ask/tty/ring.h"
#include "ask/tty/screen.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"

#define WORD_LEN 4	 /* letters; there is one try, then it is another word ... */
#define WORD_TRIES 3	 /* ... and then a no: nobody is here who can read it */
#define IN_A_ROW_MS 1000 /* from an answer: nobody types to a program and rests in between */

struct tty {
	struct ambit_approver approver;
	struct cancel cancel;
	int in;
	int out;
	bool owned;
	unsigned flags;	  /* AMBIT_TTY_* */
	unsigned ring;	  /* RING_* */
	int rest;	  /* of the next question, because of the one before; 0: the usual */
	int64_t answered; /* when the last one was; by the steady clock */
	int alone_ms;
	int rest_ms; /* the usual rest */
	void (*shows)(void *data, bool shown);
	void *shows_data;
};

struct prompt {
	struct screen screen;
	struct dialog dialog;
	unsigned flags;
	unsigned ring;
	int rest;  /* milliseconds that nothing must be typed before keys count */
	bool told; /* that something was dropped */
	int tries; /* wrong words so far */
	bool proving;
};

static struct draw
start_drawing(struct prompt *prompt)
{
	return (struct draw){
		.width = screen_width(&prompt->screen),
		.colour = (prompt->flags & TTY_COLOUR) != 0,
	};
}

/* Draws what, then the prompt; what was typed before the prompt stands is
 * forgotten. */
static int
show_prompt(struct prompt *prompt, void (*what)(struct draw *draw, const struct view *view))
{
	struct draw draw = start_drawing(prompt);
	int r;

	if (what) {
		what(&draw, &prompt->dialog.view);
		r = screen_write(&prompt->screen, &draw.text);
		if (r < 0)
			return r;
	}
	screen_drop(&prompt->screen);
	draw_prompt(&draw, &prompt->dialog.view);
	return screen_write(&prompt->screen, &draw.text);
}

static int
write_screen_note(struct prompt *prompt, const char *words, const char *text)
{
	struct draw draw = start_drawing(prompt);

	draw_note(&draw, words, text);
	return screen_write(&prompt->screen, &draw.text);
}

/* Once is enough. */
static int
say_dropped(struct prompt *prompt)
{
	bool told = prompt->told;

	prompt->told = true;
	return told ? 0
		    : write_screen_note(prompt, "       ",
			      prompt->rest == DIALOG_PAUSE_MS
				      ? "(what you typed was dropped: pause for a second)"
				      : "(what you typed was dropped: pause for a moment)");
}

/* A program can ask while the person types a line to it, or to the question before. The rest of
 * that line must not answer this question. */
static int
show_after_rest(struct prompt *prompt)
{
	struct draw draw = start_drawing(prompt);
	int r;

	draw_question(&draw, &prompt->dialog.view);
	r = screen_write(&prompt->screen, &draw.text);
	if (r == 0 && prompt->rest == DIALOG_PAUSE_MS)
		r = say_dropped(prompt);
	while (r == 0 && (r = screen_rest(&prompt->screen, prompt->rest)) > 0)
		r = say_dropped(prompt);
	return r < 0 ? r : show_prompt(prompt, NULL);
}

static int
read_message_line(struct prompt *prompt)
{
	int r = screen_line(&prompt->screen, &prompt->dialog.line);

	if (r >= 0)
		dialog_end_line(&prompt->dialog, r > 0);
	return r < 0 ? r : 0;
}

/* None of the letters looks like another, or is what a terminal's own words are mostly made
 * of: hexadecimal, "rgb:", y. */
static void
make_word(char word[WORD_LEN + 1])
{
	static const char letters[] = "hjkmnpqstuvwxz";

	for (size_t i = 0; i < WORD_LEN; i++)
		word[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
	word[WORD_LEN] = '\0';
}

/* True for a person who can read what stands here: the others who have this terminal can
 * neither see that nor type it. 0: no. */
static int
ask_proof_word(struct prompt *prompt)
{
	char word[WORD_LEN + 1], typed[WORD_LEN + 2], words[128];
	struct line line;
	int r;

	make_word(word);
	snprintf(words, sizeof(words),
		"       others have this terminal, too: for a yes, type %s and Enter: ", word);
	line_init(&line, typed, sizeof(typed), words);
	screen_drop(&prompt->screen);
	prompt->proving = true;
	r = screen_line(&prompt->screen, &line);
	prompt->proving = r < 0;
	if (r == 0 && !streq(typed, word))
		r = 1;
	return r < 0 ? r : r == 0;
}

static int
remind_of_keys(struct prompt *prompt)
{
	struct buf words = { 0 };
	const struct key *key;
	int r;

	for (size_t i = 0; (key = view_key_at(&prompt->dialog.view, i)) != NULL; i++)
		buf_printf(&words, " %c", key->key);
	auto_free char *text = buf_take(&words);

	r = write_screen_note(prompt, "       one of these keys, please:", text);
	return r < 0 ? r : show_prompt(prompt, NULL);
}

/* Not before the word. 1: go on; 0: it was not that. */
static int
let_prove(struct prompt *prompt, int key)
{
	char shown[] = { (char)key, '\0' };
	int r;

	if (!(prompt->flags & TTY_SHARED) || !dialog_is_yes(&prompt->dialog, key))
		return 1;
	r = write_screen_note(prompt, shown, "");
	if (r == 0)
		r = ask_proof_word(prompt);
	if (r != 0)
		return r;
	r = write_screen_note(prompt,
		"       that was not the word (ambit watch, on another terminal, takes none)", "");
	if (r == 0 && ++prompt->tries == WORD_TRIES)
		dialog_press(&prompt->dialog, DIALOG_KEY_ESC);
	if (r < 0 || prompt->dialog.state == DIALOG_ANSWERED)
		return r;
	return show_prompt(prompt, prompt->dialog.state == DIALOG_WIDTH ? draw_always : NULL);
}

/* One key: said, and what it has brought shown below it. */
static int
handle_prompt_key(struct prompt *prompt, int key)
{
	char shown[2] = { 0 };
	int news, r;

	/* The end of a paste, or of what the terminal itself says, is no yes. */
	if (!prompt->screen.alone && dialog_is_yes(&prompt->dialog, key))
		key = DIALOG_KEY_NONE;
	r = let_prove(prompt, key);
	if (r <= 0)
		return r;
	news = dialog_press(&prompt->dialog, key);
	shown[0] = prompt->dialog.pressed;
	r = write_screen_note(prompt, shown, "");
	if (r < 0 || news < 0)
		return r < 0 ? r : news;
	switch ((enum dialog_news)news) {
	case NEWS_NONE:
		return remind_of_keys(prompt);
	case NEWS_QUESTION:
		return show_prompt(prompt, draw_question);
	case NEWS_FOLDER:
		return show_prompt(prompt, draw_choices);
	case NEWS_EXPLANATION:
		return show_prompt(prompt, draw_explanation);
	case NEWS_ALWAYS:
		return show_prompt(prompt, draw_always);
	case NEWS_LINE:
		return read_message_line(prompt);
	case NEWS_ANSWER:
		return 0;
	}
	return -EINVAL;
}

/* 0 and the dialogue is answered, or -errno. */
static int
run_prompt_dialog(struct prompt *prompt)
{
	auto_buf struct buf ground = { 0 };
	int r;

	/* Out of any sequence, colour and character set that others left it in. */
	if (prompt->flags & TTY_CLEAR)
		buf_puts(&ground, "\x18\033\\\033[0m\033(B\017\r\n\033[J");
	ring_put(&ground, prompt->ring, prompt->dialog.question.what);
	r = screen_write(&prompt->screen, &ground);
	if (r == 0)
		r = prompt->rest > 0 ? show_after_rest(prompt) : show_prompt(prompt, draw_question);
	while (r == 0 && prompt->dialog.state != DIALOG_ANSWERED) {
		int key = screen_key(&prompt->screen);

		r = key < 0 ? key : handle_prompt_key(prompt, key);
	}
	return r;
}

/* How a question ended that was not answered here. */
static void
show_end(struct prompt *prompt, int r, const char *how)
{
	if (r == -ETIMEDOUT)
		write_screen_note(prompt, "\nexpired: nobody answered", "");
	else if (r == -ECANCELED)
		write_screen_note(prompt, "\n", *how ? how : "withdrawn");
	else
		write_screen_note(prompt, "\nrefused", "");
}

/* The key came too late (ENOENT), or what it says cannot be stored. */
static void
show_unsettled(struct prompt *prompt, const struct ambit_error *err)
{
	if (err->code == ENOENT)
		write_screen_note(prompt, "your answer came too late: ", err->text);
	else
		write_screen_note(prompt, "refused: ", err->text);
}

/* The last line: what the answer did. */
static void
show_answer(struct prompt *prompt)
{
	const struct ambit_answer *answer = &prompt->dialog.answer;
	const char *stores = dialog_stores(&prompt->dialog);

	if (answer->kind >= AMBIT_ONCE)
		write_screen_note(prompt, "allowed: ", stores);
	else if (answer->kind == AMBIT_NO_SESSION)
		write_screen_note(prompt, "refused: ", stores);
	else if (answer->stop)
		write_screen_note(prompt, "refused, and the run is stopped", "");
	else
		write_screen_note(
			prompt, answer->message[0] ? "refused, with your message" : "refused", "");
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

/* What the next question has to wait for. */
static int
rest_after(const struct prompt *prompt, int r)
{
	enum dialog_state state = prompt->dialog.state;

	if (r != -ECANCELED && r != -ETIMEDOUT)
		return 0;
	if (state == DIALOG_TYPING || state == DIALOG_WIDTH || prompt->proving ||
		prompt->rest == DIALOG_PAUSE_MS)
		return DIALOG_PAUSE_MS;
	return DIALOG_REST_MS;
}

/* On a shared terminal a yes takes a word, and what others have the terminal say need not end. */
static int
choose_rest(const struct tty *tty)
{
	bool in_a_row = tty->answered != 0 && clock_steady() - tty->answered < IN_A_ROW_MS;

	if (tty->rest > 0)
		return tty->rest;
	if (tty->flags & TTY_SHARED)
		return 0;
	return in_a_row && tty->rest_ms > DIALOG_NEXT_MS ? DIALOG_NEXT_MS : tty->rest_ms;
}

/* Brings the answer to whoever asks, and shows what became of that. That it cannot be shown
 * changes nothing. */
static int
conclude_dialog(struct tty *tty, struct prompt *prompt, int r, struct ambit_error *err)
{
	const struct ambit_approver *approver = &tty->approver;
	struct ambit_error why = { 0 };
	char how[CANCEL_HOW_MAX];

	prompt->screen.closing = true;
	cancel_how(&tty->cancel, how, sizeof(how));
	if (r < 0) {
		show_end(prompt, r, how);
		return explain_failure(r, err);
	}
	if (approver->settle)
		r = approver->settle(approver->settle_data, prompt->dialog.question.id,
			&prompt->dialog.answer, &why);
	if (r == 0) {
		show_answer(prompt);
		return 0;
	}
	/* The desk may have told how it ended, and forgotten it. */
	cancel_how(&tty->cancel, how, sizeof(how));
	if (r == -ENOENT && how[0])
		snprintf(why.text, sizeof(why.text), "%s", how);
	show_unsettled(prompt, &why);
	return err_set(err, why.code, "%s", why.text);
}

static int
hold_dialog(struct tty *tty, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct prompt prompt = {
		.flags = tty->flags,
		.ring = tty->ring,
		.rest = choose_rest(tty),
	};
	int r;

	if (question->expires != 0 && question->expires <= clock_now())
		return explain_failure(-ETIMEDOUT, err);
	if (dialog_init(&prompt.dialog, question) < 0)
		return err_nomem(err);
	r = screen_open(&prompt.screen, tty->in, tty->out, tty->cancel.fd, question->expires, err);
	if (r == 0) {
		prompt.screen.alone_ms = tty->alone_ms;
		r = run_prompt_dialog(&prompt);
		tty->rest = rest_after(&prompt, r);
		tty->answered = r == 0 ? clock_steady() : 0;
		r = conclude_dialog(tty, &prompt, r, err);
		screen_close(&prompt.screen);
		if (r == 0)
			*ret_answer = prompt.dialog.answer;
	}
	dialog_finish(&prompt.dialog);
	return r;
}

static void
tell_shown(const struct tty *tty, bool shown)
{
	if (tty->shows)
		tty->shows(tty->shows_data, shown);
}

static int
ask_tty_approver(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct tty *tty = (struct tty *)approver;
	int r;

	/* Withdrawn before it was seen: nothing is shown. */
	if (cancel_begin(&tty->cancel, question->id)) {
		r = explain_failure(-ECANCELED, err);
	} else {
		tell_shown(tty, true);
		r = hold_dialog(tty, question, ret_answer, err);
		tell_shown(tty, false);
	}
	cancel_end(&tty->cancel);
	return r;
}

static void
cancel_tty_question(struct ambit_approver *approver, uint64_t question, const char *how)
{
	cancel_say(&((struct tty *)approver)->cancel, question, how);
}

static void
destroy_tty_approver(struct ambit_approver *approver)
{
	struct tty *tty = (struct tty *)approver;

	if (tty->owned)
		close(tty->in);
	cancel_finish(&tty->cancel);
	free(tty);
}

static int
create_tty_approver(int in, int out, bool owned, unsigned flags,
	struct ambit_approver **ret_approver, struct ambit_error *err)
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
		.ask = ask_tty_approver,
		.destroy = destroy_tty_approver,
		.cancel = cancel_tty_question,
		.name = "tty",
	};
	tty->in = in;
	tty->out = out;
	tty->owned = owned;
	tty->flags = flags;
	tty->alone_ms = DIALOG_KEY_ALONE_MS;
	tty->rest_ms = DIALOG_REST_MS;
	*ret_approver = &tty->approver;
	return 0;
}

void
tty_set_pace(struct ambit_approver *approver, int alone_ms, int rest_ms)
{
	((struct tty *)approver)->alone_ms = alone_ms;
	((struct tty *)approver)->rest_ms = rest_ms;
}

void
approver_set_ring(struct ambit_approver *approver, unsigned ring)
{
	if (approver && approver->ask == ask_tty_approver)
		((struct tty *)approver)->ring = ring;
}

void
approver_set_shows(
	struct ambit_approver *approver, void (*shows)(void *data, bool shown), void *data)
{
	struct tty *tty = (struct tty *)approver;

	if (!approver || approver->ask != ask_tty_approver)
		return;
	tty->shows = shows;
	tty->shows_data = data;
}

int
approver_on_tty(int in_fd, int out_fd, unsigned flags, struct ambit_approver **ret_approver,
	struct ambit_error *err)
{
	return create_tty_approver(in_fd, out_fd, false, flags, ret_approver, err);
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
	r = create_tty_approver(fd, fd, true, 0, ret_approver, err);
	if (r == 0)
		(void)steal_fd(&fd);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the screen: what comes from the feed goes onto the board, a picture of it
 * to the terminal, keys from there to the board, and answers back. Nothing is read from
 * the terminal before what stands on it is what the board knows: a key answers what its
 * presser saw. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "board.h"
#include "feed.h"
#include "frame.h"
#include "watch-terminal.h"
#include "watch.h"

#include "ask/question-copy.h"
#include "ask/tty/dialog.h"
#include "ask/tty/ring.h"
#include "cli/cli.h"

#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "live/live.h"

#define TAIL 100	 /* old events; more than most screens have rows */
#define ESCAPE_MS 100	 /* Esc, or the first byte of an arrow key on a slow line? */
#define SEQUENCE_MS 1000 /* "Esc [" is surely the beginning of something */
#define SECOND_MS 1000	 /* a question's time runs down on the screen */

struct screen {
	const struct watch *watch;
	struct terminal *terminal;
	bool colour;
	struct board board;
	struct feed *feed;
	int signals;
	struct frame shown; /* what the terminal shows; n 0: nobody knows */
	struct buf out;	    /* what it has not taken yet */
	size_t written;
	bool dirty;
	char *called;  /* the newest question, which has not rung yet; or NULL */
	bool away;     /* stopped, and the terminal is the shell's */
	bool fresh;    /* the question in the frame on its way is new there */
	char keys[64]; /* the beginning of an escape sequence */
	size_t n_keys;
	int64_t keys_until;
	bool over;
	int code;
};

/* -- what comes ------------------------------------------------------------- */

static void
on_came(void *data, uint64_t party, const struct live_entry *entry)
{
	struct screen *screen = data;

	(void)board_party_add(&screen->board, party, entry);
	screen->dirty = true;
}

static void
on_left(void *data, uint64_t party)
{
	struct screen *screen = data;

	board_party_remove(&screen->board, party);
	screen->dirty = true;
}

/* With the next picture: a question rings when it can be seen. */
static void
call_person(struct screen *screen, const char *what)
{
	free(screen->called);
	screen->called = str_dup(what);
}

static void
on_question(void *data, uint64_t party, const struct ambit_question *question, const char *params)
{
	struct screen *screen = data;

	(void)params;
	if (board_question_add(&screen->board, party, question) < 0)
		board_note(&screen->board, clock_steady(),
			"more questions than there is room for: answer some of these", "");
	else
		call_person(screen, question->what);
	screen->dirty = true;
}

static void
tell_end(struct screen *screen, const struct item *item, const char *text)
{
	auto_free char *words = str_show(text);
	auto_free char *head = words != NULL ? str_printf("%s: ", words) : NULL;

	if (head != NULL)
		board_note(
			&screen->board, clock_steady(), head, dialog_question(item->dialog)->what);
}

static void
on_closed(void *data, uint64_t party, uint64_t question, const char *how, const char *text)
{
	struct screen *screen = data;
	const struct item *item = board_question(&screen->board, party, question);

	(void)how;
	/* One that was answered here is on its way, and ends there. */
	if (item == NULL || dialog_answer(item->dialog) != NULL)
		return;
	tell_end(screen, item, text);
	board_question_remove(&screen->board, party, question);
	screen->dirty = true;
}

static void
on_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct screen *screen = data;

	(void)id;
	board_event_add(&screen->board, event);
	screen->dirty = true;
}

static void
on_trouble(void *data, const char *what, const char *why)
{
	struct screen *screen = data;
	auto_free char *text = str_printf("%s: %s", what, why);

	board_note(&screen->board, clock_steady(), "", text != NULL ? text : what);
	screen->dirty = true;
}

/* Here, and from here on, questions come to this screen and not to others' terminals. */
static int
attach_feed(struct screen *screen, struct ambit_error *err)
{
	const struct watch *watch = screen->watch;
	const struct feed_sink sink = {
		.came = on_came,
		.left = on_left,
		.question = on_question,
		.closed = on_closed,
		.event = on_event,
		.trouble = on_trouble,
		.data = screen,
	};

	screen->board.home = str_dup(watch->home);
	return feed_create(
		watch->live, watch->state, watch->session, TAIL, &sink, &screen->feed, err);
}

static void
detach_feed(struct screen *screen)
{
	feed_destroy(screen->feed);
	screen->feed = NULL;
	board_finish(&screen->board);
}

/* -- drawing ---------------------------------------------------------------- */

static int
flush_output(struct screen *screen)
{
	while (screen->written < screen->out.len) {
		ssize_t n = write(screen->terminal->fd, screen->out.data + screen->written,
			screen->out.len - screen->written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		screen->written += (size_t)n;
	}
	buf_finish(&screen->out);
	screen->out = (struct buf){ 0 };
	screen->written = 0;
	/* Only from now on can it have been read; unless it went while it was drawn. */
	if (screen->fresh && screen->shown.serial == screen->board.selected)
		board_seen(&screen->board, clock_steady());
	screen->fresh = false;
	return 0;
}

/* Another question than stood there, or the same in another state: keys that were
 * pressed before are not for it. A line of text is typed on. */
static void
drop_keys(struct screen *screen, const struct frame *frame)
{
	const struct frame *shown = &screen->shown;
	int waiting = 0;

	if (frame->serial == shown->serial &&
		(frame->state == shown->state || frame->state == DIALOG_TYPING))
		return;
	if (ioctl(screen->terminal->fd, FIONREAD, &waiting) == 0 && screen->board.deaf_until != 0)
		screen->board.dropped |= waiting > 0;
	tcflush(screen->terminal->fd, TCIFLUSH);
	screen->n_keys = 0;
}

static int
draw_frame(struct screen *screen, struct ambit_error *err)
{
	struct board *board = &screen->board;
	size_t rows, columns;
	struct frame frame;

	/* Without a question there is nothing to be read first; but whoever was typing types
	 * on, and the next question may be here before he looks. */
	if (board->selected == 0 && board->deaf_for != DIALOG_PAUSE_MS) {
		board->deaf_until = 0;
		board->dropped = false;
	}
	screen->fresh = board->deaf_until == BOARD_UNSEEN;
	terminal_size(screen->terminal, &rows, &columns);
	if (frame_compose(board, rows, columns, screen->colour, clock_steady() < board->deaf_until,
		    clock_now(), &frame) < 0)
		return err_nomem(err);
	drop_keys(screen, &frame);
	frame_paint(screen->shown.n > 0 ? &screen->shown : NULL, &frame, &screen->out);
	if (screen->called != NULL)
		ring_put(&screen->out, screen->watch->ring, screen->called);
	free(steal_ptr(&screen->called));
	screen->dirty = false;
	frame_shown(&frame, board);
	frame_finish(&screen->shown);
	screen->shown = frame;
	if (screen->out.failed)
		return err_nomem(err);
	return flush_output(screen) < 0 ? err_sys(err, errno, "the terminal") : 0;
}

/* All of it, anew. */
static void
request_redraw(struct screen *screen)
{
	struct frame *shown = &screen->shown;

	for (size_t i = 0; i < shown->n; i++)
		free(shown->rows[i]);
	shown->n = 0;
	screen->dirty = true;
}

/* -- answers ---------------------------------------------------------------- */

static void
tell_answer(struct screen *screen, const struct dialog *dialog)
{
	const struct ambit_answer *answer = dialog_answer(dialog);
	const char *stores = dialog_stores(dialog);
	int64_t now = clock_steady();

	if (answer->kind >= AMBIT_ONCE)
		board_note(&screen->board, now, "allowed: ", stores);
	else if (answer->kind == AMBIT_NO_SESSION)
		board_note(&screen->board, now, "refused: ", stores);
	else
		board_note(&screen->board, now,
			answer->message[0] != '\0' ? "refused, with your message: " : "refused: ",
			dialog_question(dialog)->what);
}

/* It could not be delivered: it is asked again, if it is still there. */
static void
requeue_question(struct screen *screen, uint64_t party, const struct ambit_question *question,
	const struct ambit_error *why)
{
	board_note(&screen->board, clock_steady(), "not answered: ", why->text);
	if (board_party(&screen->board, party) != NULL &&
		board_question_add(&screen->board, party, question) < 0)
		screen->dirty = true;
}

static void
send_board_answer(struct screen *screen)
{
	struct item *item = board_selected(&screen->board);
	struct ambit_error err = { 0 };
	struct ambit_question question;
	uint64_t party = item->party;
	int r;

	/* Without the memory to ask again, if that should be needed, it is gone here, and
	 * open there until it expires. */
	if (question_copy(dialog_question(item->dialog), &question) < 0) {
		board_question_remove(&screen->board, party, dialog_question(item->dialog)->id);
		return;
	}
	/* Before it is sent: the session may be gone with it, and the question. */
	tell_answer(screen, item->dialog);
	r = feed_answer(screen->feed, party, question.id, dialog_answer(item->dialog), &err);
	if (r == -ESTALE)
		board_note(&screen->board, clock_steady(),
			"too late, it was answered or withdrawn: ", question.what);
	board_question_remove(&screen->board, party, question.id);
	if (r < 0 && r != -ESTALE)
		requeue_question(screen, party, &question, &err);
	question_finish(&question);
	screen->dirty = true;
}

/* -- keys and signals ------------------------------------------------------- */

/* Who does not look does not watch: meanwhile questions go where they went before. The
 * shell gets the terminal from the one that waits for us. SIGCONT, which is waiting by
 * the time that this returns, brings us back. */
static void
stop_screen(struct screen *screen)
{
	detach_feed(screen);
	screen->away = true;
	raise(SIGSTOP);
}

static int
reenter_terminal(struct screen *screen, struct ambit_error *err)
{
	int r = terminal_enter(screen->terminal);

	if (r < 0)
		return err_sys(err, -r, "the terminal");
	screen->away = screen->fresh = false;
	buf_finish(&screen->out);
	screen->out = (struct buf){ 0 };
	screen->written = 0;
	/* What stood there is long ago. */
	screen->board.deaf_until = BOARD_UNSEEN;
	screen->board.deaf_for = DIALOG_REST_MS;
	screen->shown.serial = 0;
	request_redraw(screen);
	return screen->feed == NULL ? attach_feed(screen, err) : 0;
}

static void
perform_board_act(struct screen *screen, int what)
{
	switch ((enum board_act)what) {
	case BOARD_NOTHING:
		return;
	case BOARD_DRAW:
		screen->dirty = true;
		return;
	case BOARD_ANSWER:
		send_board_answer(screen);
		return;
	case BOARD_REDRAW:
		request_redraw(screen);
		return;
	case BOARD_STOP:
		stop_screen(screen);
		return;
	case BOARD_QUIT:
		screen->over = true;
		return;
	}
}

static void
process_keys(struct screen *screen, bool last)
{
	int64_t now = clock_steady();
	int r = board_type(&screen->board, screen->keys, screen->n_keys, last, now);

	if (r == -EAGAIN) {
		screen->keys_until = now + (screen->n_keys == 1 ? ESCAPE_MS : SEQUENCE_MS);
		return;
	}
	screen->n_keys = 0;
	perform_board_act(screen, r);
}

static int
read_keys(struct screen *screen, struct ambit_error *err)
{
	size_t room = sizeof(screen->keys) - screen->n_keys;
	ssize_t n = read(screen->terminal->fd, screen->keys + screen->n_keys, room);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return err_set(err, EIO, "the terminal is gone");
	screen->n_keys += (size_t)n;
	process_keys(screen, screen->n_keys == sizeof(screen->keys));
	return 0;
}

static int
on_signal(struct screen *screen, struct ambit_error *err)
{
	struct signalfd_siginfo info;
	int r = 0;

	while (r == 0 && read(screen->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGTSTP) {
			stop_screen(screen);
		} else if (sig == SIGWINCH) {
			request_redraw(screen);
		} else if (sig == SIGCONT) {
			r = reenter_terminal(screen, err);
		} else {
			screen->over = true;
			screen->code = EXIT_SIGNAL + sig;
		}
	}
	return r;
}

/* -- the loop --------------------------------------------------------------- */

static int
shorten_wait(int a, int64_t until, int64_t now)
{
	int64_t left = until > now ? until - now : 0;

	return a < 0 || left < a ? (int)left : a;
}

/* What happens by itself. */
static void
pass_time(struct screen *screen)
{
	struct board *board = &screen->board;
	int64_t now = clock_steady();

	if (board->note[0] != '\0' && now >= board->note_until) {
		board->note[0] = '\0';
		screen->dirty = true;
	}
	if (board_listen(board, now))
		screen->dirty = true;
	if (screen->n_keys > 0 && now >= screen->keys_until)
		process_keys(screen, true);
}

/* How long until the next of it, at most wait. */
static int
time_left(struct screen *screen, int wait)
{
	const struct board *board = &screen->board;
	const struct item *item = board_selected(board);
	int64_t now = clock_steady();

	if (board->note[0] != '\0')
		wait = shorten_wait(wait, board->note_until, now);
	if (board->deaf_until != 0)
		wait = shorten_wait(wait, board->deaf_until, now);
	if (screen->n_keys > 0)
		wait = shorten_wait(wait, screen->keys_until, now);
	if (item != NULL && dialog_question(item->dialog)->expires != 0) {
		wait = shorten_wait(wait, now + SECOND_MS, now);
		screen->dirty = true;
	}
	return wait;
}

/* What is to be waited for; then what has come. */
static int
wait_for(struct screen *screen, int wait, struct ambit_error *err)
{
	bool busy = screen->out.len > 0;
	struct pollfd p[3] = {
		{ .fd = screen->terminal->fd, .events = busy ? POLLOUT : POLLIN },
		{ .fd = screen->signals, .events = POLLIN },
		{ .fd = feed_fd(screen->feed), .events = POLLIN },
	};

	if (poll(p, 3, wait) < 0)
		return errno == EINTR ? 0 : err_sys(err, errno, "poll");
	if (p[1].revents != 0 || p[0].revents == 0)
		return 0; /* signals come first: they may have changed what is shown */
	if (!busy)
		return read_keys(screen, err);
	return flush_output(screen) < 0 ? err_sys(err, errno, "the terminal") : 0;
}

static int
run_screen_turn(struct screen *screen, struct ambit_error *err)
{
	int r = on_signal(screen, err), wait = 0;

	if (r < 0 || screen->over)
		return r;
	if (!screen->away)
		wait = feed_ready(screen->feed);
	if (!screen->away)
		pass_time(screen);
	if (screen->over || screen->away)
		return 0;
	wait = time_left(screen, wait);
	if (screen->dirty && screen->out.len == 0)
		r = draw_frame(screen, err);
	return r < 0 ? r : wait_for(screen, wait, err);
}

static int
open_screen(struct screen *screen, struct ambit_error *err)
{
	static const int taken[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen->signals < 0)
		return err_sys(err, errno, "signalfd");
	return attach_feed(screen, err);
}

int
screen_run(void *data, struct terminal *terminal, struct ambit_error *err)
{
	const struct watch *watch = data;
	struct screen screen = {
		.watch = watch,
		.terminal = terminal,
		.colour = watch->colour,
		.signals = -1,
		.dirty = true,
		.code = EXIT_OK,
	};
	int r = open_screen(&screen, err);

	if (r == 0 && (r = terminal_enter(terminal)) < 0)
		err_sys(err, -r, "the terminal");
	while (r == 0 && !screen.over)
		r = run_screen_turn(&screen, err);
	terminal_settle(terminal);
	detach_feed(&screen);
	frame_finish(&screen.shown);
	buf_finish(&screen.out);
	free(screen.called);
	if (screen.signals >= 0)
		close(screen.signals);
	return r < 0 ? r : screen.code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The person's terminal during a question. Its modes may be anything (an
 * agent's raw mode, no echo) and are put back byte for byte. Keys are trusted
 * to come from the person only from the moment the prompt stands: what was
 * typed or pasted before, or comes in a lump, answers nothing. */

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ask/tty/dialog.h"
#include "ask/tty/key.h"
#include "ask/tty/screen.h"
#include "base/program.h"

#define ESCAPE_MS 100	 /* Esc, or the first byte of an arrow key on a slow line? */
#define SEQUENCE_MS 1000 /* "Esc [" is surely the beginning of something */
#define CLOSING_MS 200	 /* a terminal that takes no output does not get the last words */
#define POLL_MS 10000	 /* the wall clock may jump: look again */

/* -- lending and giving back ------------------------------------------------ */

/* True if another process group has the terminal: reading or setting modes
 * would then stop us, or disturb whoever has it. A terminal that is not our
 * controlling one knows no background. */
static bool
in_background(int fd)
{
	pid_t group = tcgetpgrp(fd);

	return group >= 0 && group != getpgrp();
}

/* Signals that would end or stop the process with the terminal in our modes
 * wait until it is back. They are only watched, not taken: their own handler
 * or default action follows in screen_close. Ignored ones stay ignored. */
static int
watch_signals(struct screen *screen)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	struct sigaction action;
	sigset_t watched, held;

	sigemptyset(&watched);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&watched, ending[i]);
	held = watched;
	sigaddset(&held, SIGTTIN);
	sigaddset(&held, SIGTTOU);
	screen->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (screen->signals < 0)
		return -errno;
	pthread_sigmask(SIG_BLOCK, &held, &screen->mask);
	return 0;
}

/* In another thread than the main one a signal to the process goes elsewhere,
 * and one that waits there, blocked, must not end a question here. No handler
 * of the process is to run on this thread; what a fault raises still is. */
static int
shun_signals(struct screen *screen)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	sigset_t held;

	sigfillset(&held);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&held, faults[i]);
	return -pthread_sigmask(SIG_BLOCK, &held, &screen->mask);
}

static int
hold_signals(struct screen *screen)
{
	return gettid() == getpid() ? watch_signals(screen) : shun_signals(screen);
}

static void
release_signals(struct screen *screen)
{
	if (screen->signals >= 0)
		close(screen->signals);
	pthread_sigmask(SIG_SETMASK, &screen->mask, NULL);
}

static int
set_modes(int fd, const struct termios *modes)
{
	while (tcsetattr(fd, TCSANOW, modes) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Not cfmakeraw: what could change a key on its way (case, stripping, flow
 * control) is turned off, and lines are ended properly even if the program
 * that had the terminal wanted otherwise. */
static int
lend_modes(struct screen *screen)
{
	struct termios modes;

	if (tcgetattr(screen->in, &screen->saved) < 0)
		return -errno;
	modes = screen->saved;
	modes.c_iflag &= ~(tcflag_t)(IGNCR | INLCR | ISTRIP | IUCLC | IXON | IXOFF | PARMRK);
	modes.c_oflag &= ~(tcflag_t)(OLCUC | OCRNL | ONOCR | ONLRET);
	modes.c_oflag |= OPOST | ONLCR;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	return set_modes(screen->in, &modes);
}

int
screen_open(struct screen *screen, int in, int out, int cancel, int64_t expires,
	struct ambit_error *err)
{
	int r;

	*screen = (struct screen){
		.in = in,
		.out = out,
		.signals = -1,
		.cancel = cancel,
		.expires = expires,
	};
	if (in_background(in) || in_background(out))
		return err_set(err, EBUSY, "in the background of this terminal: cannot ask");
	r = hold_signals(screen);
	if (r < 0)
		return err_sys(err, -r, "signals");
	r = lend_modes(screen);
	if (r < 0) {
		release_signals(screen);
		return err_sys(err, -r, "the terminal");
	}
	screen->typed = clock_steady();
	return 0;
}

/* If we were stopped and sent to the background meanwhile, the terminal has
 * another user with modes of its own. */
void
screen_close(struct screen *screen)
{
	if (!in_background(screen->in))
		set_modes(screen->in, &screen->saved);
	release_signals(screen);
}

/* -- bytes ------------------------------------------------------------------ */

/* 0: ready. -EAGAIN after at_most milliseconds (negative: no such limit). */
static int
wait_screen_ready(const struct screen *screen, int fd, short events, int at_most)
{
	for (;;) {
		struct pollfd p[3] = { { .fd = fd, .events = events },
			{ .fd = screen->closing ? -1 : screen->signals, .events = POLLIN },
			{ .fd = screen->closing ? -1 : screen->cancel, .events = POLLIN } };
		int64_t left = POLL_MS;
		int n;

		if (screen->expires != 0 && !screen->closing)
			left = screen->expires - clock_now();
		if (left <= 0)
			return -ETIMEDOUT;
		if (at_most >= 0 && left > at_most)
			left = at_most;
		n = poll(p, 3, left > POLL_MS ? POLL_MS : (int)left);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && p[1].revents)
			return -EINTR;
		if (n > 0 && p[2].revents)
			return -ECANCELED;
		if (n > 0 && p[0].revents)
			return 0;
		if (n == 0 && at_most >= 0)
			return -EAGAIN;
	}
}

int
screen_write(struct screen *screen, struct buf *text)
{
	size_t done = 0;
	int r = text->failed ? -ENOMEM : 0;

	while (r == 0 && done < text->len) {
		ssize_t n;

		r = wait_screen_ready(
			screen, screen->out, POLLOUT, screen->closing ? CLOSING_MS : -1);
		if (r < 0)
			break;
		n = write(screen->out, text->data + done, text->len - done);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			r = -errno;
	}
	buf_finish(text);
	return r;
}

void
screen_drop(struct screen *screen)
{
	tcflush(screen->in, TCIFLUSH);
	screen->typed = clock_steady();
}

/* At least one byte; -EIO when the terminal is gone. */
static int
read_some(struct screen *screen, char *chunk, size_t size, int at_most)
{
	for (;;) {
		int r = wait_screen_ready(screen, screen->in, POLLIN, at_most);
		ssize_t n;

		if (r < 0)
			return r;
		n = read(screen->in, chunk, size);
		if (n > 0)
			return (int)n;
		if (n == 0)
			return -EIO;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

/* -- keys ------------------------------------------------------------------- */

int
screen_rest(struct screen *screen, int ms)
{
	char chunk[64];
	int n = read_some(screen, chunk, sizeof(chunk), ms);

	return n > 0 ? 1 : n == -EAGAIN ? 0 : n;
}

int
screen_key(struct screen *screen)
{
	char chunk[64];
	size_t len;
	int n = read_some(screen, chunk, sizeof(chunk), -1);

	if (n < 0)
		return n;
	len = (size_t)n;
	screen->alone = clock_steady() - screen->typed >= screen->alone_ms;
	while (len < sizeof(chunk) && key_read(chunk, len, false) == DIALOG_KEY_MORE) {
		n = read_some(screen, chunk + len, sizeof(chunk) - len,
			len == 1 ? ESCAPE_MS : SEQUENCE_MS);
		if (n == -EAGAIN)
			break;
		if (n < 0)
			return n;
		len += (size_t)n;
	}
	screen->typed = clock_steady();
	return key_read(chunk, len, true);
}

/* -- a line ----------------------------------------------------------------- */

int
screen_line(struct screen *screen, struct line *line)
{
	auto_buf struct buf echo = { 0 };
	enum line_state state = LINE_MORE;
	int r;

	buf_puts(&echo, line->prompt);
	while ((r = screen_write(screen, &echo)) == 0 && state == LINE_MORE) {
		size_t room;
		char *to = line_room(line, &room);
		int n = read_some(screen, to, room, -1);

		if (n < 0)
			return n;
		state = line_take(line, (size_t)n, &echo);
		if (state != LINE_MORE)
			buf_putc(&echo, '\n');
	}
	return r < 0 ? r : state == LINE_GIVEN_UP;
}

size_t
screen_width(const struct screen *screen)
{
	struct winsize size;

	if (ioctl(screen->out, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The person's terminal during a question. Its modes may be anything (an
 * agent's raw mode, no echo) and are put back byte for byte. Keys are trusted
 * to come from the person only from the moment the prompt stands: what was
 * typed or pasted before, or comes in a lump, answers nothing. */

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "approve/screen.h"
#include "base/fd.h"
#include "base/run.h"
#include "base/str.h"

#define ESCAPE_MS 100	 /* Esc, or the first byte of an arrow key on a slow line? */
#define SEQUENCE_MS 1000 /* "Esc [" is surely the beginning of something */
#define CLOSING_MS 200	 /* a terminal that takes no output does not get the last words */
#define POLL_MS 10000	 /* the wall clock may jump: look again */

#define ESC '\x1b'
#define CTRL_C '\x03'
#define CTRL_D '\x04'
#define CTRL_U '\x15'
#define DEL '\x7f'

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
	screen_drop(screen);
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
await(const struct screen *screen, int fd, short events, int at_most)
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

		r = await(screen, screen->out, POLLOUT, screen->closing ? CLOSING_MS : -1);
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
}

/* At least one byte; -EIO when the terminal is gone. */
static int
read_some(struct screen *screen, char *chunk, size_t size, int at_most)
{
	for (;;) {
		int r = await(screen, screen->in, POLLIN, at_most);
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

/* The length of the escape sequence at text; 0 if there is more to come. Also
 * read to its end where it means nothing here: a terminal's report can end in
 * a letter that is one of our keys. */
static size_t
sequence(const char *text, size_t len)
{
	if (len < 2)
		return 0;
	if (text[1] == 'O')
		return len < 3 ? 0 : 3;
	if (text[1] != '[')
		return 1;
	for (size_t i = 2; i < len; i++)
		if (text[i] >= 0x40 && text[i] < 0x7f)
			return i + 1;
	return 0;
}

/* Esc alone, or before anything that is no sequence, is the key Esc. */
static int
decode_escape(const char *text, size_t len)
{
	size_t n = sequence(text, len);

	if (len == 1 || n == 1)
		return SCREEN_NO;
	if (n == 3 && len == 3 && text[2] == 'A')
		return SCREEN_UP;
	if (n == 3 && len == 3 && text[2] == 'B')
		return SCREEN_DOWN;
	return SCREEN_NOISE;
}

static int
decode(const char *chunk, size_t len)
{
	unsigned char c = (unsigned char)chunk[0];

	if (c == '\r' || c == '\n' || c == CTRL_C || c == CTRL_D)
		return SCREEN_NO;
	if (c == ESC)
		return decode_escape(chunk, len);
	/* Some send Enter behind a key; more than that is no key press. */
	if (len > 1 && !(len == 2 && (chunk[1] == '\r' || chunk[1] == '\n')))
		return SCREEN_NOISE;
	return c > 0x20 && c < 0x7f ? c : SCREEN_NOISE;
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
	while (chunk[0] == ESC && len < sizeof(chunk) && sequence(chunk, len) == 0) {
		n = read_some(screen, chunk + len, sizeof(chunk) - len,
			len == 1 ? ESCAPE_MS : SEQUENCE_MS);
		if (n == -EAGAIN)
			break;
		if (n < 0)
			return n;
		len += (size_t)n;
	}
	return decode(chunk, len);
}

/* -- a line ----------------------------------------------------------------- */

/* Erasing a wide character by backspaces would need to know its width: the
 * line is shown afresh instead. */
static void
erase(struct buf *echo, const char *prompt, char *line, size_t *len)
{
	bool wide = false;

	if (*len == 0)
		return;
	while (*len > 0 && ((unsigned char)line[*len - 1] & 0xc0) == 0x80) {
		wide = true;
		--*len;
	}
	line[--*len] = '\0';
	if (wide)
		buf_printf(echo, "\n%s%s", prompt, line);
	else
		buf_puts(echo, "\b \b");
}

/* One character at text, of which len bytes are there. Adds it if it is
 * printable and fits; its length, or 0 if the rest of it is still to come. */
static size_t
add(struct buf *echo, const char *text, size_t len, char *line, size_t size, size_t *at)
{
	unsigned char first = (unsigned char)text[0];
	size_t need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1, n;
	unsigned point;

	for (n = 1; n < need && n < len; n++)
		if (((unsigned char)text[n] & 0xc0) != 0x80)
			return 1; /* broken: it must not swallow the Enter behind it */
	if (len < need)
		return 0;
	n = str_utf8(text, need, &point);
	if (n == 0)
		return 1;
	auto_free char *shown = str_escape(text, n);

	/* What has to be escaped would reach the model unseen. */
	if (shown && strncmp(shown, text, n) == 0 && *at + n < size) {
		memcpy(line + *at, text, n);
		*at += n;
		line[*at] = '\0';
		buf_append(echo, text, n);
	}
	return n;
}

enum edit {
	EDIT_MORE = 0,
	EDIT_DONE,
	EDIT_GIVEN_UP,
};

/* Works off the bytes in chunk; what is left of it is an unfinished character. */
static enum edit
edit(struct buf *echo, const char *prompt, char *chunk, size_t *n, char *line, size_t size,
	size_t *at)
{
	size_t i = 0, used;

	while (i < *n) {
		char c = chunk[i];

		if (c == '\r' || c == '\n')
			return EDIT_DONE;
		used = c == ESC ? sequence(chunk + i, *n - i) : 0;
		if (c == CTRL_C || c == CTRL_D || (c == ESC && used < 2))
			return EDIT_GIVEN_UP;
		if (used > 0) { /* an arrow key: this line has no middle */
			i += used;
		} else if (c == DEL || c == '\b') {
			erase(echo, prompt, line, at);
			i++;
		} else if (c == CTRL_U) {
			line[ *at = 0] = '\0';
			buf_printf(echo, "\n%s", prompt);
			i++;
		} else {
			used = add(echo, chunk + i, *n - i, line, size, at);
			if (used == 0)
				break;
			i += used;
		}
	}
	*n -= i;
	memmove(chunk, chunk + i, *n);
	return EDIT_MORE;
}

int
screen_line(struct screen *screen, const char *prompt, char *line, size_t size)
{
	auto_buf struct buf echo = { 0 };
	char chunk[128];
	size_t left = 0, at = 0;
	enum edit state = EDIT_MORE;
	int r;

	line[0] = '\0';
	buf_puts(&echo, prompt);
	while ((r = screen_write(screen, &echo)) == 0 && state == EDIT_MORE) {
		int n = read_some(screen, chunk + left, sizeof(chunk) - left, -1);

		if (n < 0)
			return n;
		left += (size_t)n;
		state = edit(&echo, prompt, chunk, &left, line, size, &at);
		if (state != EDIT_MORE)
			buf_putc(&echo, '\n');
	}
	return r < 0 ? r : state == EDIT_GIVEN_UP;
}

size_t
screen_width(const struct screen *screen)
{
	struct winsize size;

	if (ioctl(screen->out, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

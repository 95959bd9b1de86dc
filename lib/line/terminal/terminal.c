/* SPDX-License-Identifier: Apache-2.0 */
/* Whose terminal it is, and when. The command has a pty of its own and never
 * the real terminal; keys reach it only through the relay, so that a question
 * shown meanwhile cannot be answered, drawn over or listened to by it. The
 * real terminal's modes and its open file description are the caller's: the
 * modes are put back, the description is not touched (O_NONBLOCK on it would
 * be the shell's too). */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/program.h"
#include "line/terminal/terminal-private.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define QUIET_MS 50 /* after the command's end, for what is still on its way */
#define DRAIN_MS 1000
#define STOPPING_MS 200
#define BEFORE_QUIET_MS 5 /* what was printed before a question is shown before it */
#define BEFORE_MS 50

/* -- modes of the real one ---------------------------------------------------- */

/* Setting modes from the background stops whoever does it, or disturbs who has
 * the terminal. One that is not our controlling one knows no background. */
static bool
in_background(const struct terminal *terminal)
{
	pid_t group = tcgetpgrp(terminal->real);

	return group >= 0 && group != getpgrp();
}

static int
set_modes(struct terminal *terminal, const struct termios *modes)
{
	while (tcsetattr(terminal->real, TCSANOW, modes) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int
set_raw(struct terminal *terminal)
{
	struct termios raw = terminal->before;

	cfmakeraw(&raw);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return set_modes(terminal, &raw);
}

/* -- making ------------------------------------------------------------------- */

/* /dev/tty can be opened when the device itself cannot: after su it belongs to
 * somebody else. */
static int
open_anew(int tty)
{
	const int flags = O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", tty);
	fd = open(path, flags);
	if (fd < 0 && tcgetsid(tty) == getsid(0))
		fd = open("/dev/tty", flags);
	return fd < 0 ? -errno : fd;
}

static int
open_pty(struct terminal *terminal)
{
	struct winsize size;

	terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (terminal->master < 0 || grantpt(terminal->master) < 0 || unlockpt(terminal->master) < 0)
		return -errno;
	if (ptsname_r(terminal->master, terminal->name, sizeof(terminal->name)) != 0)
		return -errno;
	/* By the master, not by name: /dev/pts may be another's. */
	terminal->slave = ioctl(terminal->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal->slave < 0)
		return -errno;
	if (tcsetattr(terminal->slave, TCSANOW, &terminal->before) < 0)
		return -errno;
	if (ioctl(terminal->real, TIOCGWINSZ, &size) == 0)
		ioctl(terminal->master, TIOCSWINSZ, &size);
	return 0;
}

static int
open_terminal_fds(struct terminal *terminal, int tty, struct ambit_error *err)
{
	int r;

	if (tcgetattr(tty, &terminal->before) < 0)
		return err_sys(err, errno, "the terminal");
	terminal->real = open_anew(tty);
	if (terminal->real < 0)
		return err_sys(err, -terminal->real, "opening the terminal anew");
	r = open_pty(terminal);
	if (r < 0)
		return err_sys(err, -r, "a terminal for the command");
	terminal->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	terminal->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (terminal->wake < 0 || terminal->timer < 0)
		return err_sys(err, errno, "the terminal's relay");
	return 0;
}

int
terminal_create(
	int tty, enum terminal_kind kind, struct terminal **ret_terminal, struct ambit_error *err)
{
	struct terminal *terminal = calloc(1, sizeof(*terminal));
	int r;

	if (!terminal)
		return err_nomem(err);
	terminal->real = terminal->master = terminal->slave = -1;
	terminal->wake = terminal->timer = -1;
	terminal->modes.dumb = kind == TERMINAL_DUMB;
	terminal->two_screens = kind == TERMINAL_TWO_SCREENS;
	pthread_mutex_init(&terminal->lock, NULL);
	r = open_terminal_fds(terminal, tty, err);
	if (r < 0) {
		terminal_destroy(terminal);
		return r;
	}
	*ret_terminal = terminal;
	return 0;
}

/* A command that was killed leaves its full screen, mouse and hidden cursor to
 * the shell otherwise. */
static void
restore_user_terminal(struct terminal *terminal)
{
	auto_buf struct buf text = { 0 };

	relay_drain(terminal, QUIET_MS, DRAIN_MS);
	if (terminal->real < 0 || in_background(terminal))
		return;
	if (terminal->modes.changed != 0 || !modes_whole(&terminal->modes))
		modes_leave(&terminal->modes, &text);
	relay_say(terminal, &text);
	set_modes(terminal, &terminal->before);
}

void
terminal_destroy(struct terminal *terminal)
{
	if (!terminal)
		return;
	if (terminal->started)
		restore_user_terminal(terminal);
	fd_close_at(&terminal->real);
	fd_close_at(&terminal->master);
	fd_close_at(&terminal->slave);
	fd_close_at(&terminal->wake);
	fd_close_at(&terminal->timer);
	pthread_mutex_destroy(&terminal->lock);
	free(terminal);
}

int
terminal_slave(const struct terminal *terminal)
{
	return terminal->slave;
}

const char *
terminal_slave_name(const struct terminal *terminal)
{
	return terminal->name;
}

const struct termios *
terminal_before(const struct terminal *terminal)
{
	return &terminal->before;
}

/* -- running ------------------------------------------------------------------ */

/* In the background this stops us until somebody brings us to the front, as it
 * would the command itself. */
int
terminal_started(struct terminal *terminal, struct ambit_error *err)
{
	int r;

	close(steal_fd(&terminal->slave));
	r = set_raw(terminal);
	if (r < 0)
		return err_sys(err, -r, "the terminal");
	pthread_mutex_lock(&terminal->lock);
	terminal->started = true;
	relay_size(terminal);
	pthread_mutex_unlock(&terminal->lock);
	return 0;
}

/* Also comes after somebody stopped and continued us from outside, with the
 * modes of who had the terminal in between. */
void
terminal_resize(struct terminal *terminal)
{
	pthread_mutex_lock(&terminal->lock);
	if (terminal->real >= 0) {
		relay_size(terminal);
		if (terminal->started && !terminal->held && !in_background(terminal))
			set_raw(terminal);
	}
	pthread_mutex_unlock(&terminal->lock);
}

static void
leave_command_screen(struct terminal *terminal, bool for_question)
{
	auto_buf struct buf text = { 0 };

	modes_leave(&terminal->modes, &text);
	if (for_question)
		modes_skip_drawn(&terminal->modes, &text);
	relay_say(terminal, &text);
}

static void
restore_command_screen(struct terminal *terminal)
{
	auto_buf struct buf text = { 0 };

	modes_return(&terminal->modes, &text);
	relay_say(terminal, &text);
}

/* The kernel knows best whether somebody would continue us (SIGTSTP does
 * nothing to an orphaned group) and whether we are in the background when
 * continued (then setting modes stops us again). Both need the plain signals. */
static void
stop_job(struct terminal *terminal)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	struct sigaction stop, output;
	sigset_t set, mask;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGTTOU);
	sigaction(SIGTSTP, &plain, &stop);
	sigaction(SIGTTOU, &plain, &output);
	pthread_sigmask(SIG_UNBLOCK, &set, &mask);
	kill(0, SIGTSTP);
	set_raw(terminal);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &stop, NULL);
	sigaction(SIGTTOU, &output, NULL);
}

/* What the command printed when it stopped goes out first: it leaves its own
 * full screen. Under a question the job does not stop: the question has the
 * terminal, and the caller continues the command. */
void
terminal_suspend(struct terminal *terminal)
{
	pthread_mutex_lock(&terminal->lock);
	if (terminal->started && !terminal->held && terminal->real >= 0) {
		relay_drain(terminal, 0, STOPPING_MS);
		relay_complete(terminal);
		if (terminal->modes.changed != 0)
			leave_command_screen(terminal, false);
		set_modes(terminal, &terminal->before);
		stop_job(terminal);
		relay_size(terminal);
		if (terminal->modes.changed != 0) {
			restore_command_screen(terminal);
			relay_redraw(terminal);
		}
	}
	pthread_mutex_unlock(&terminal->lock);
}

/* -- questions ---------------------------------------------------------------- */

/* A program reads what is typed to it, and can ask in the middle of a word: the rest of it
 * would be the answer. So a question waits until nothing was typed for a moment. */
#define STILL_MS 700
#define STILL_MAX_MS 300000
#define STILL_STEP_MS 20

void
terminal_await_quiet(struct terminal *terminal, int64_t expires)
{
	int64_t until = clock_steady() + STILL_MAX_MS, now, typed;

	/* Half of its time is for whoever reads it. */
	if (expires != 0 && (expires - clock_now()) / 2 < STILL_MAX_MS)
		until = clock_steady() + (expires - clock_now()) / 2;
	do {
		now = clock_steady();
		pthread_mutex_lock(&terminal->lock);
		typed = terminal->started && !terminal->held ? terminal->typed : 0;
		pthread_mutex_unlock(&terminal->lock);
		if (typed == 0 || now - typed >= STILL_MS)
			return;
		poll(NULL, 0, STILL_STEP_MS);
	} while (now < until);
}

/* The lock alone makes the relay stand still: it moves bytes only with it, and
 * hardly waits. Nobody need answer, so a main thread that is busy ending
 * everything cannot lock up with an asker that is just beginning. The relay may
 * not have come to what the command printed last, which often says why it asks. */
void
terminal_hold(struct terminal *terminal)
{
	pthread_mutex_lock(&terminal->lock);
	if (terminal->held || !terminal->started || terminal->real < 0) {
		pthread_mutex_unlock(&terminal->lock);
		return;
	}
	relay_drain(terminal, BEFORE_QUIET_MS, BEFORE_MS);
	relay_complete(terminal);
	if (!in_background(terminal))
		relay_take_keys(terminal);
	terminal->held = true;
	pthread_mutex_unlock(&terminal->lock);
	relay_wake(terminal);
	if (in_background(terminal))
		return;
	/* A program that draws on the normal screen knows its cursor, but not what a question
	 * does there, and would leave pieces of both behind. */
	terminal->modes.aside = terminal->two_screens && !modes_alternate(&terminal->modes) &&
				relay_draws_own_screen(terminal);
	leave_command_screen(terminal, true);
	set_modes(terminal, &terminal->before);
}

/* Nothing else touches the real terminal until held is taken back. */
void
terminal_release(struct terminal *terminal)
{
	bool held, in_front;

	pthread_mutex_lock(&terminal->lock);
	held = terminal->held;
	pthread_mutex_unlock(&terminal->lock);
	if (!held)
		return;
	in_front = !in_background(terminal);
	if (in_front) {
		tcflush(terminal->real, TCIFLUSH); /* was typed to the question */
		set_raw(terminal);
		restore_command_screen(terminal);
	}
	if (in_front && !terminal->modes.aside) {
		terminal->modes.midline = false; /* the question ended its last line */
		terminal->modes.below = 0;
	}
	pthread_mutex_lock(&terminal->lock);
	terminal->held = false;
	if (in_front && !terminal->modes.aside)
		relay_redraw(terminal);
	terminal->modes.aside = false;
	pthread_mutex_unlock(&terminal->lock);
	relay_wake(terminal);
}

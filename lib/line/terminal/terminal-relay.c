/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes between the real terminal and the command's pty. Each way has a buffer
 * of fixed size; when it is full nothing more is read, and the writer waits as
 * it would on a slow terminal. Nothing here ever blocks but the few waits that
 * have their limit in milliseconds. */

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/program.h"
#include "line/terminal/terminal-private.h"

#define SAY_MS 200
#define REDRAW_STEP_MS 60 /* two signals at once would be one */
/* Some programs look only when the size has stood still (opencode: for 100 ms), and draw nothing
 * if it is the one they know. */
#define REDRAW_STILL_MS 250
#define REDRAW_BUSY_MS 1000 /* a program that prints nothing may not have seen it yet */
#define REDRAW_AGAIN_MS 300 /* it was busy, although somebody printed */

enum {
	AT_REAL = 0,
	AT_MASTER,
	AT_WAKE,
	AT_TIMER,
	N_AT,
};

/* -- one way ----------------------------------------------------------------- */

/* 0: something or nothing came; -EPIPE: this side is gone. */
static int
read_into_flow(int fd, struct flow *flow)
{
	ssize_t n;

	if (flow->len == FLOW_SIZE)
		return 0;
	if (flow->start > 0)
		memmove(flow->data, flow->data + flow->start, flow->len);
	flow->start = 0;
	n = read(fd, flow->data + flow->len, FLOW_SIZE - flow->len);
	if (n > 0)
		flow->len += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)) ? 0 : -EPIPE;
}

/* How many bytes of at most len went; -EPIPE. */
static ssize_t
write_from_flow(int fd, struct flow *flow, size_t len)
{
	ssize_t n = len > 0 ? write(fd, flow->data + flow->start, len) : 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	flow->start += (size_t)n;
	flow->len -= (size_t)n;
	return n;
}

/* The person's terminal is gone: so is the command's. */
static void
close_terminal_ends(struct terminal *terminal)
{
	if (terminal->real >= 0)
		close(terminal->real);
	if (terminal->master >= 0)
		close(terminal->master);
	terminal->real = -1;
	terminal->master = -1;
	terminal->output.len = 0;
	terminal->keys.len = 0;
}

static void
show_output(struct terminal *terminal)
{
	const struct flow *output = &terminal->output;
	const char *from = output->data + output->start;
	ssize_t n = write_from_flow(terminal->real, &terminal->output, output->len);

	if (n > 0)
		modes_feed(&terminal->modes, from, (size_t)n);
	if (n > 0 && terminal->printed == 0)
		terminal->printed = clock_steady();
	if (n < 0)
		close_terminal_ends(terminal);
}

/* EIO: nobody has the slave open any more, not even the keeper. What was typed
 * for it is void, what it printed is still shown. */
static void
fill_output(struct terminal *terminal)
{
	if (read_into_flow(terminal->master, &terminal->output) == 0)
		return;
	close(terminal->master);
	terminal->master = -1;
	terminal->keys.len = 0;
}

static void
fill_keys(struct terminal *terminal)
{
	size_t had = terminal->keys.len;
	int r = read_into_flow(terminal->real, &terminal->keys);

	if (terminal->keys.len > had)
		terminal->typed = clock_steady();
	if (terminal->master >= 0)
		write_from_flow(terminal->master, &terminal->keys, terminal->keys.len);
	if (r < 0)
		close_terminal_ends(terminal);
}

/* -- size -------------------------------------------------------------------- */

void
relay_size(struct terminal *terminal)
{
	struct winsize size;

	if (terminal->master >= 0 && ioctl(terminal->real, TIOCGWINSZ, &size) == 0)
		ioctl(terminal->master, TIOCSWINSZ, &size);
}

bool
relay_draws_own_screen(const struct terminal *terminal)
{
	struct termios modes;

	return terminal->master >= 0 &&
	       (modes_alternate(&terminal->modes) ||
		       (tcgetattr(terminal->master, &modes) == 0 && !(modes.c_lflag & ICANON)));
}

static void
plan_redraw(struct terminal *terminal, enum redraw next, int ms)
{
	const struct itimerspec then = { .it_value = { .tv_nsec = ms * 1000000L } };

	terminal->redraw = next;
	timerfd_settime(terminal->timer, 0, &then, NULL);
}

static void
change_size(struct terminal *terminal, enum redraw next)
{
	struct winsize size;

	terminal->redraw = REDRAW_NONE;
	if (!relay_draws_own_screen(terminal) || ioctl(terminal->real, TIOCGWINSZ, &size) < 0) {
		relay_size(terminal); /* an earlier redraw may have left it one row short */
		return;
	}
	size.ws_row = (unsigned short)(size.ws_row > 1 ? size.ws_row - 1 : size.ws_row + 1);
	ioctl(terminal->master, TIOCSWINSZ, &size);
	terminal->changed = clock_steady();
	terminal->printed = 0;
	plan_redraw(terminal, next, REDRAW_STEP_MS);
}

static bool
has_seen_change(const struct terminal *terminal)
{
	int64_t now = clock_steady();

	return terminal->modes.erased || now - terminal->changed >= REDRAW_BUSY_MS ||
	       (terminal->printed != 0 && now - terminal->printed >= REDRAW_STILL_MS);
}

/* Each size is made from the real one at that moment: if the person changes it meanwhile,
 * theirs is the last. Not under a question: its end begins with this anew. */
static void
step_redraw(struct terminal *terminal)
{
	enum redraw step = terminal->redraw;

	terminal->redraw = REDRAW_NONE;
	switch (step) {
	case REDRAW_NONE:
		break;
	case REDRAW_BACK:
	case REDRAW_LAST_BACK:
		if (!terminal->held && !has_seen_change(terminal)) {
			plan_redraw(terminal, step, REDRAW_STEP_MS);
			break;
		}
		relay_size(terminal);
		if (step == REDRAW_BACK)
			plan_redraw(terminal, REDRAW_AGAIN, REDRAW_AGAIN_MS);
		break;
	case REDRAW_AGAIN:
		if (!terminal->held && !terminal->modes.erased)
			change_size(terminal, REDRAW_LAST_BACK);
		break;
	}
}

void
relay_redraw(struct terminal *terminal)
{
	terminal->modes.erased = false;
	change_size(terminal, REDRAW_BACK);
}

/* -- the supervisor's poll --------------------------------------------------- */

/* An entry that wants nothing is not polled: its hangup would be reported
 * again and again. */
static struct pollfd
make_pollfd(int fd, bool in, bool out)
{
	short events = (short)((in ? POLLIN : 0) | (out ? POLLOUT : 0));

	return (struct pollfd){ .fd = events ? fd : -1, .events = events };
}

static void
want_both(const struct terminal *terminal, struct pollfd *fds)
{
	fds[AT_REAL] = make_pollfd(terminal->real,
		terminal->master >= 0 && terminal->keys.len<FLOW_SIZE, terminal->output.len> 0);
	fds[AT_MASTER] = make_pollfd(
		terminal->master, terminal->output.len<FLOW_SIZE, terminal->keys.len> 0);
}

int
terminal_poll(struct terminal *terminal, struct pollfd *fds)
{
	pthread_mutex_lock(&terminal->lock);
	if (terminal->held || !terminal->started) {
		fds[AT_REAL] = make_pollfd(-1, false, false);
		fds[AT_MASTER] = make_pollfd(-1, false, false);
	} else {
		want_both(terminal, fds);
	}
	pthread_mutex_unlock(&terminal->lock);
	fds[AT_WAKE] = make_pollfd(terminal->wake, true, false);
	fds[AT_TIMER] = make_pollfd(terminal->timer, true, false);
	return N_AT;
}

static void
move_terminal_bytes(struct terminal *terminal, const struct pollfd *fds)
{
	if (fds[AT_MASTER].revents & (POLLIN | POLLHUP | POLLERR) && terminal->master >= 0)
		fill_output(terminal);
	if (terminal->output.len > 0 && terminal->real >= 0)
		show_output(terminal);
	if (fds[AT_REAL].revents & (POLLIN | POLLHUP | POLLERR) && terminal->real >= 0)
		fill_keys(terminal);
	else if (fds[AT_MASTER].revents & POLLOUT && terminal->master >= 0)
		write_from_flow(terminal->master, &terminal->keys, terminal->keys.len);
}

void
terminal_ready(struct terminal *terminal, const struct pollfd *fds, int n)
{
	uint64_t count;

	if (n != N_AT)
		return;
	if (fds[AT_WAKE].revents)
		(void)!read(terminal->wake, &count, sizeof(count));
	pthread_mutex_lock(&terminal->lock);
	if (fds[AT_TIMER].revents && read(terminal->timer, &count, sizeof(count)) > 0)
		step_redraw(terminal);
	if (!terminal->held && terminal->started)
		move_terminal_bytes(terminal, fds);
	pthread_mutex_unlock(&terminal->lock);
}

void
relay_wake(struct terminal *terminal)
{
	uint64_t one = 1;

	(void)!write(terminal->wake, &one, sizeof(one));
}

/* -- the few waits ----------------------------------------------------------- */

void
relay_drain(struct terminal *terminal, int quiet_ms, int total_ms)
{
	int64_t deadline = clock_steady() + total_ms;

	while (terminal->real >= 0 && (terminal->master >= 0 || terminal->output.len > 0)) {
		struct pollfd fds[N_AT] = { 0 };
		int64_t left = deadline - clock_steady();
		int n;

		fds[AT_REAL] = make_pollfd(terminal->real, false, terminal->output.len > 0);
		fds[AT_MASTER] =
			make_pollfd(terminal->master, terminal->output.len < FLOW_SIZE, false);
		if (terminal->output.len == 0 && left > quiet_ms)
			left = quiet_ms;
		n = left < 0 ? 0 : poll(fds, AT_MASTER + 1, (int)left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		if (fds[AT_MASTER].revents)
			fill_output(terminal);
		if (terminal->output.len > 0)
			show_output(terminal);
	}
}

void
relay_complete(struct terminal *terminal)
{
	const struct flow *output = &terminal->output;
	const char *from = output->data + output->start;
	struct modes ahead = terminal->modes;
	size_t len = 0;
	ssize_t n;

	while (!modes_whole(&ahead) && len < output->len)
		modes_feed(&ahead, from + len++, 1);
	if (len == 0 || !modes_whole(&ahead) || terminal->real < 0)
		return;
	n = write_from_flow(terminal->real, &terminal->output, len);
	if (n > 0)
		modes_feed(&terminal->modes, from, (size_t)n);
}

void
relay_take_keys(struct terminal *terminal)
{
	if (terminal->real >= 0)
		fill_keys(terminal);
}

void
relay_say(struct terminal *terminal, const struct buf *text)
{
	int64_t deadline = clock_steady() + SAY_MS, left = SAY_MS;
	size_t done = 0;

	while (!text->failed && done < text->len && left > 0 && terminal->real >= 0) {
		struct pollfd p = { .fd = terminal->real, .events = POLLOUT };
		ssize_t n = write(terminal->real, text->data + done, text->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			return;
		else if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return;
		left = deadline - clock_steady();
	}
}

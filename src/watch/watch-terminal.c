/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal's modes and its other screen, lent and given back. The modes that were
 * there come back byte for byte. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "watch-terminal.h"

#include "base/err.h"
#include "base/str.h"

#define LEAVING_MS 200 /* a terminal that takes nothing does not keep us */

/* Lines that do not wrap: a character that is wider than we think must not move the
 * rest of the screen. */
static const char entering[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[2J";
/* CAN first: whoever was killed may have been in the middle of a sequence. */
static const char leaving[] = "\x18\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/* A description of our own: whether it blocks is nobody else's business. */
int
terminal_open(struct terminal *terminal, struct ambit_error *err)
{
	const char *term = getenv("TERM");

	*terminal = (struct terminal){ .fd = -1 };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ENOTTY,
			"this is not a terminal: there is no screen to draw on; programs use "
			"--json");
	if (term == NULL || term[0] == '\0' || streq(term, "dumb"))
		return err_set(err, ENOTTY,
			"a terminal of TERM=%s cannot be drawn on; set TERM, or use --json",
			term != NULL ? term : "");
	terminal->fd = open("/proc/self/fd/1", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (terminal->fd < 0)
		return err_sys(err, errno, "the terminal");
	if (tcgetattr(terminal->fd, &terminal->saved) < 0) {
		err_sys(err, errno, "the terminal");
		terminal_close(terminal);
		return -err->code;
	}
	return 0;
}

void
terminal_close(struct terminal *terminal)
{
	if (terminal->fd >= 0)
		close(terminal->fd);
	terminal->fd = -1;
}

static int
set_modes(int fd, const struct termios *modes)
{
	while (tcsetattr(fd, TCSANOW, modes) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* What waits unread in a terminal that was stopped is not worth more than its state. */
static void
write_to_terminal(int fd, const char *text, size_t len)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	bool thrown = false;

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN && poll(&p, 1, LEAVING_MS) == 0) {
			if (thrown)
				return;
			tcflush(fd, TCOFLUSH);
			thrown = true;
		} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
			return;
		}
	}
}

int
terminal_enter(struct terminal *terminal)
{
	struct termios modes = terminal->saved;
	int r;

	modes.c_iflag &=
		~(tcflag_t)(IGNCR | INLCR | ICRNL | ISTRIP | IUCLC | IXON | IXOFF | PARMRK);
	modes.c_oflag &= ~(tcflag_t)OPOST;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	r = set_modes(terminal->fd, &modes);
	if (r < 0 || tcgetattr(terminal->fd, &terminal->ours) < 0)
		return r < 0 ? r : -errno;
	write_to_terminal(terminal->fd, entering, sizeof(entering) - 1);
	return 0;
}

void
terminal_leave(const struct terminal *terminal)
{
	write_to_terminal(terminal->fd, leaving, sizeof(leaving) - 1);
	tcflush(terminal->fd, TCIFLUSH); /* keys for this screen are not for the shell */
	set_modes(terminal->fd, &terminal->saved);
}

void
terminal_size(const struct terminal *terminal, size_t *ret_rows, size_t *ret_columns)
{
	struct winsize size = { 0 };

	if (ioctl(terminal->fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	*ret_rows = size.ws_row;
	*ret_columns = size.ws_col;
}

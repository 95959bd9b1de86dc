/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TERMINAL_DESK_H
#define TESTS_UNIT_TERMINAL_DESK_H

/* The relay between the real terminal and the command's. A pty stands in for the real one:
 * `person` is who sits there, `tty` is what ambit was given; the command has the slave. */

#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "line/terminal/terminal-private.h"

#define PATIENCE_MS 20000
#define SEEN_MAX (2 * 1024 * 1024)
#define HUGE (1024 * 1024)

struct desk {
	int person;
	int tty;
	int command; /* another descriptor of the slave */
	struct termios before;
	struct terminal *terminal;
	size_t len;
	char seen[SEEN_MAX];
};

static inline int
setup(void **state)
{
	struct desk *desk = calloc(1, sizeof(*desk));
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	assert_non_null(desk);
	assert_int_equal(openpty(&desk->person, &desk->tty, NULL, NULL, &size), 0);
	fcntl(desk->person, F_SETFL, O_NONBLOCK);
	assert_int_equal(tcgetattr(desk->tty, &desk->before), 0);
	assert_int_equal(terminal_create(desk->tty, TERMINAL_ONE_SCREEN, &desk->terminal, NULL), 0);
	desk->command = dup(terminal_slave(desk->terminal));
	assert_true(desk->command >= 0);
	*state = desk;
	return 0;
}

static inline int
teardown(void **state)
{
	struct desk *desk = *state;

	terminal_destroy(desk->terminal);
	if (desk->command >= 0)
		close(desk->command);
	if (desk->person >= 0)
		close(desk->person);
	close(desk->tty);
	free(desk);
	return 0;
}

static inline struct termios
modes_of(int fd)
{
	struct termios modes;

	memset(&modes, 0, sizeof(modes));
	assert_int_equal(tcgetattr(fd, &modes), 0);
	return modes;
}

static inline void
assert_before(const struct desk *desk)
{
	struct termios now = modes_of(desk->tty);

	assert_memory_equal(&now, &desk->before, sizeof(now));
}

static inline void
assert_raw(int fd)
{
	assert_int_equal(modes_of(fd).c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_int_equal(modes_of(fd).c_oflag & OPOST, 0);
}

static inline unsigned short
rows_of(int fd)
{
	struct winsize size;

	assert_int_equal(ioctl(fd, TIOCGWINSZ, &size), 0);
	return size.ws_row;
}

/* One turn of the supervisor's loop; whether there was anything to do. */
static inline bool
turn(struct desk *desk, int ms)
{
	struct pollfd fds[4];
	int n = terminal_poll(desk->terminal, fds), r;

	assert_int_equal(n, 4);
	r = poll(fds, (nfds_t)n, ms);
	assert_true(r >= 0);
	terminal_ready(desk->terminal, fds, n);
	return r > 0;
}

static inline void
settle(struct desk *desk)
{
	for (int i = 0; i < 1000 && turn(desk, 0); i++)
		;
}

static inline void
look(struct desk *desk)
{
	ssize_t n;

	while ((n = read(desk->person, desk->seen + desk->len, SEEN_MAX - 1 - desk->len)) > 0)
		desk->len += (size_t)n;
	desk->seen[desk->len] = '\0';
}

/* Until text stands there; turns the loop meanwhile. */
static inline const char *
await(struct desk *desk, const char *text)
{
	int64_t deadline = clock_steady() + PATIENCE_MS;
	const char *at;

	for (;;) {
		look(desk);
		at = memmem(desk->seen, desk->len, text, strlen(text));
		if (at)
			return at;
		assert_true(clock_steady() < deadline);
		turn(desk, 5);
	}
}

static inline void
put(int fd, const char *text)
{
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

static inline void
begin(struct desk *desk)
{
	assert_int_equal(terminal_started(desk->terminal, NULL), 0);
	assert_int_equal(terminal_slave(desk->terminal), -1);
}

static inline void
make_raw(int fd)
{
	struct termios modes = modes_of(fd);

	cfmakeraw(&modes);
	assert_int_equal(tcsetattr(fd, TCSANOW, &modes), 0);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PERSON_H
#define TESTS_PERSON_H

/* A pseudo-terminal, a pair of eyes on its master side, and a question to
 * show there: what the tests of the terminal approver share. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

#include <ambit/approve.h>

#include "ask/approver.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"

#define SCREEN_MAX (1024 * 1024)
#define HUGE_TEXT (256 * 1024) /* more than a terminal takes unread */
#define PATIENCE_MS 20000
#define PROMPT "ambit> "

struct seen {
	size_t len;
	char text[SCREEN_MAX];
};

struct pty {
	int master;
	int slave;
	struct termios before;
	struct seen *seen; /* shared with the person */
	struct ambit_approver *approver;
};

/* -- the person ------------------------------------------------------------- */

/* Reads until text stands on the screen behind from; where it ends, or 0. */
static inline size_t
look_for(int master, struct seen *seen, size_t from, const char *text)
{
	for (;;) {
		struct pollfd p = { .fd = master, .events = POLLIN };
		const char *at = strstr(seen->text + from, text);
		ssize_t n;

		if (at)
			return (size_t)(at - seen->text) + strlen(text);
		if (poll(&p, 1, PATIENCE_MS) <= 0)
			return 0;
		n = read(master, seen->text + seen->len, SCREEN_MAX - 1 - seen->len);
		if (n <= 0)
			return 0;
		seen->len += (size_t)n;
		seen->text[seen->len] = '\0';
	}
}

/* Padding too is compared: it starts as zero. */
static inline struct termios
modes_of(int fd)
{
	struct termios modes;

	memset(&modes, 0, sizeof(modes));
	assert_int_equal(tcgetattr(fd, &modes), 0);
	return modes;
}

static inline int
setup(void **state)
{
	struct pty *pty = calloc(1, sizeof(*pty));

	assert_non_null(pty);
	pty->seen = mmap(NULL, sizeof(*pty->seen), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(pty->seen != MAP_FAILED);
	assert_int_equal(openpty(&pty->master, &pty->slave, NULL, NULL, NULL), 0);
	fcntl(pty->master, F_SETFD, FD_CLOEXEC);
	fcntl(pty->slave, F_SETFD, FD_CLOEXEC);
	assert_int_equal(tcgetattr(pty->slave, &pty->before), 0); /* over zeroes */
	assert_int_equal(approver_on_tty(pty->slave, pty->slave, 0, &pty->approver, NULL), 0);
	tty_set_pace(pty->approver, 0, 0);
	assert_string_equal(pty->approver->name, "tty");
	*state = pty;
	return 0;
}

static inline int
teardown(void **state)
{
	struct pty *pty = *state;

	ambit_approver_destroy(pty->approver);
	close(pty->master);
	close(pty->slave);
	munmap(pty->seen, sizeof(*pty->seen));
	free(pty);
	return 0;
}

static inline void
assert_modes(int fd, const struct termios *before)
{
	struct termios after = modes_of(fd);

	assert_memory_equal(&after, before, sizeof(after));
}

/* -- questions -------------------------------------------------------------- */

static struct ambit_choice path_choices[] = {
	{ .kind = AMBIT_NO, .label = (char *)"no", .stores = (char *)"nothing" },
	{ .kind = AMBIT_NO_SESSION,
		.path = (char *)"/h/u/a/b",
		.label = (char *)"no, for this session",
		.stores = (char *)"no writes to ~/u/a/b/c, this session" },
	{ .kind = AMBIT_ONCE,
		.path = (char *)"/h/u/a/b",
		.label = (char *)"once",
		.stores = (char *)"write in ~/u/a/b, until sed exits" },
	{ .kind = AMBIT_FILE,
		.label = (char *)"this file, this session",
		.stores = (char *)"write ~/u/a/b/c, this session" },
	{ .kind = AMBIT_FOLDER,
		.path = (char *)"/h/u/a/b",
		.label = (char *)"all of ~/u/a/b, this session",
		.stores = (char *)"write beneath ~/u/a/b, this session" },
	{ .kind = AMBIT_FOLDER,
		.path = (char *)"/h/u/a",
		.label = (char *)"all of ~/u/a, this session",
		.stores = (char *)"write beneath ~/u/a, this session" },
	{ .kind = AMBIT_FOLDER,
		.path = (char *)"/h/u",
		.label = (char *)"all of ~/u, this session",
		.stores = (char *)"write beneath ~/u, this session" },
	{ .kind = AMBIT_ALWAYS,
		.label = (char *)"this file",
		.stores = (char *)"write ~/u/a/b/c, always" },
	{ .kind = AMBIT_ALWAYS,
		.path = (char *)"/h/u/a/b",
		.label = (char *)"all of ~/u/a/b",
		.stores = (char *)"write beneath ~/u/a/b, always" },
	{ .kind = AMBIT_ALWAYS,
		.path = (char *)"/h/u/a",
		.label = (char *)"all of ~/u/a",
		.stores = (char *)"write beneath ~/u/a, always" },
};

static inline struct ambit_question
path_question(void)
{
	return (struct ambit_question){
		.id = 1,
		.who = (char *)"sed (pid 4120)",
		.what = (char *)"write /h/u/a/b/c",
		.why = (char *)"outside the folder (~/work)",
		.kind = (char *)"file",
		.act = (char *)"write",
		.object = (char *)"~/u/a/b/c",
		.danger = (char *)"",
		.by = (char *)"sed (bash > sed)",
		.because = (char *)"outside ~/work",
		.project = (char *)"~/work",
		.request = (char *)"{}",
		.outcome = (char *)"{\"code\":\"Outside\",\"reason\":\"it is outside\",\"hint\":"
				   "\"ask\",\"layers\":[{\"layer\":\"paths\",\"verdict\":\"ask\","
				   "\"reason\":\"layer words\"}]}",
		.choices = path_choices,
		.n_choices = sizeof(path_choices) / sizeof(path_choices[0]),
		.folder = 5,
	};
}

static inline char *
huge_text(void)
{
	char *text = malloc(HUGE_TEXT);

	assert_non_null(text);
	memset(text, 'x', HUGE_TEXT - 1);
	text[HUGE_TEXT - 1] = '\0';
	return text;
}

#endif

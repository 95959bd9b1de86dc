/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_TERMINAL_TERMINAL_H
#define LINE_TERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <poll.h>
#include <termios.h>

#include <ambit/approve.h>

#include "base/err.h"

/* The real terminal and the command's own pty, relayed into each other. While
 * a question is open the relay stands still: output waits in the pty, keys go
 * to the question, and afterwards a full-screen program is made to redraw. What a program
 * draws on the normal screen is put aside, if the terminal can do that. */

struct terminal;

enum terminal_kind {
	TERMINAL_DUMB = 0,   /* gets no escape sequences but the command's */
	TERMINAL_ONE_SCREEN, /* knows them, but may have no other screen */
	TERMINAL_TWO_SCREENS,
};

/* tty: the real one, borrowed. Opens a pty with its size and modes; the real
 * terminal is not touched yet. */
int terminal_create(
	int tty, enum terminal_kind kind, struct terminal **ret_terminal, struct ambit_error *err);
/* Drains what the command still printed, restores the real terminal. */
void terminal_destroy(struct terminal *terminal);

int terminal_slave(const struct terminal *terminal);		  /* -1 after terminal_started */
const char *terminal_slave_name(const struct terminal *terminal); /* "/dev/pts/3" */
const struct termios *terminal_before(const struct terminal *terminal);

/* The command runs: the slave is closed here, the real terminal goes raw. */
int terminal_started(struct terminal *terminal, struct ambit_error *err);

/* For the supervisor's poll: fills at most 4 entries, returns how many; then
 * terminal_ready with the same entries moves what can be moved. */
int terminal_poll(struct terminal *terminal, struct pollfd *fds);
void terminal_ready(struct terminal *terminal, const struct pollfd *fds, int n);
/* The real one's size changed. */
void terminal_resize(struct terminal *terminal);

/* The command stopped itself (^Z): give the real terminal back, stop this
 * process' job; returns when it is continued and the terminal is raw again. */
void terminal_suspend(struct terminal *terminal);

/* Before it begins, in the asking thread: until the person has stopped typing to the
 * command, but not for ever, nor until it expires (milliseconds since the epoch, or 0). */
void terminal_await_quiet(struct terminal *terminal, int64_t expires);
/* A question begins and ends; called from the asking thread, returns when the
 * relay stands still. Nothing stands behind or beneath the cursor then, on the normal screen.
 * cooked: modes as they were before. */
void terminal_hold(struct terminal *terminal);
void terminal_release(struct terminal *terminal);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCH_WATCH_TERMINAL_H
#define WATCH_WATCH_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include <ambit/error.h>

/* The terminal that the screen is drawn on, and the process that sees to it that the
 * terminal is itself again, whatever becomes of the one that draws. */

struct terminal {
	int fd; /* does not block */
	struct termios saved, ours;
	pid_t guard; /* the one that gives it back; 0: not guarded */
};

/* -ENOTTY with words, where nobody can look. */
int terminal_open(struct terminal *terminal, struct ambit_error *err);
void terminal_close(struct terminal *terminal);

/* Keys one by one, nothing echoed; the other screen, without a cursor. */
int terminal_enter(struct terminal *terminal);
/* Back to what was there. */
void terminal_leave(const struct terminal *terminal);

void terminal_size(const struct terminal *terminal, size_t *ret_rows, size_t *ret_columns);

/* Runs draw in a process of its own, which dies with this one; this one waits, and
 * leaves the terminal however that ended. What draw returned (an exit code, or -errno
 * with err), or EXIT_FAILED with err if it was killed. Does not return if it was itself
 * told to end: it dies of that signal, the terminal restored. */
int terminal_guard(struct terminal *terminal,
	int (*draw)(void *data, struct terminal *terminal, struct ambit_error *err), void *data,
	struct ambit_error *err);

/* To be called by draw as soon as it is over: where the other one is dead, this one
 * gives the terminal back, before a shell takes it as it is. */
void terminal_settle(struct terminal *terminal);

#endif

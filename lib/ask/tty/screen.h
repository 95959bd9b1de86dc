/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_SCREEN_H
#define ASK_TTY_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

#include "ask/tty/edit-line.h"
#include "base/buf.h"
#include "base/err.h"

/* A terminal lent for one question: keys one by one, nothing echoed, no key
 * turned into a signal. Every way out puts the modes back. */

struct screen {
	int in;		 /* borrowed */
	int out;	 /* borrowed */
	int signals;	 /* readable when a signal waits that should end the question; or -1 */
	int cancel;	 /* borrowed: readable when the question is withdrawn */
	int64_t expires; /* milliseconds since the epoch; 0: never */
	int64_t typed;	 /* when something came last, or the prompt stood; by the steady clock */
	int alone_ms;	 /* two keys of a person's are further apart, two of a paste are not */
	bool alone;	 /* the last key did not come right behind something else */
	bool closing;	 /* the last words: no signal or expiry keeps them back, but no waiting */
	struct termios saved;
	sigset_t mask;
};

/* -EBUSY: in the background; -EIO: the terminal is gone ... */
int screen_open(struct screen *screen, int in, int out, int cancel, int64_t expires,
	struct ambit_error *err);
/* Signals that came meanwhile are delivered here, after the terminal is back.
 * In a thread beside the main one they are nobody's business here: they are the
 * process', which has others to take them, and withdraws the question. */
void screen_close(struct screen *screen);

/* Writes and empties text. -ETIMEDOUT, -EINTR (a signal waits), -ECANCELED,
 * -EIO ... */
int screen_write(struct screen *screen, struct buf *text);
/* Forgets what was typed so far; what follows at once is the rest of it. */
void screen_drop(struct screen *screen);
/* 0: nothing was typed for so many milliseconds. 1: something was, and is forgotten. -errno as
 * above. */
int screen_rest(struct screen *screen, int ms);
/* A key as key_read has it, or -errno as above. */
int screen_key(struct screen *screen);
/* One edited line, echoed after its prompt. 0, 1 if it was given up, or -errno. */
int screen_line(struct screen *screen, struct line *line);

/* Columns of the terminal; 80 if it does not say. */
size_t screen_width(const struct screen *screen);

#endif

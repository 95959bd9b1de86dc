/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENTS_TURN_H
#define AGENTS_TURN_H

#include <stddef.h>

#include <ambit/error.h>

/* Whose turn it is in a folder, among all processes of this user. Those who want the
 * same folder, or one above or beneath it, come one after the other, in the order in
 * which they asked; others side by side. What a killed process held is free, once
 * nobody who inherited it from there lives. */

#define TURN_ID 32	 /* an id with its NUL */
#define TURN_TICKETS 256 /* who run and who wait; more are refused */

struct turn;

struct turn_request {
	const char *dir;    /* where tickets lie: made, 0700; must be the user's own */
	const char *folder; /* its real path */
	const char *parent; /* id of the turn in which the asker itself runs; "" at the top */
	const char *who;    /* "docs, session x (pid 12)": told to those who wait */
	size_t at_once;	    /* no more than so many with the same parent run; 0: no limit */
	int cancel;	    /* readable: give up; -1: never */
	/* When it begins to wait, and whenever that for which it waits is another;
	 * for_whom is safe to show. NULL: nobody is told. */
	void (*waiting)(void *data, const char *for_whom);
	void *data;
};

/* Blocks until it is one's turn. 0; -ECANCELED; -EBUSY: too many tickets, or the
 * directory is locked for too long; other -errno. */
int turn_take(const struct turn_request *request, struct turn **ret_turn, struct ambit_error *err);

/* Within it, others are asked for with this as their parent. */
const char *turn_id(const struct turn *turn);

/* The lock (O_CLOEXEC): whoever inherits it holds the turn on if its taker dies. */
int turn_fd(const struct turn *turn);

/* It is over, also for those who inherited the lock. NULL is fine. */
void turn_end(struct turn *turn);
/* The same where it is not known whether they have ended: it lasts until they have, which
 * is waited for, at most so long. */
void turn_leave(struct turn *turn, int wait_ms);

#endif

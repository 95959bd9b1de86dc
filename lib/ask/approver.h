/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_APPROVER_H
#define ASK_APPROVER_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/approve.h>

/* The makers behind ambit_approver_create, one per row of its table. */

int fixed_create(const char *name, enum ambit_answer_kind kind, const char *message,
	struct ambit_approver **ret_approver, struct ambit_error *err);
int exec_create(const char *program, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err);
/* On /dev/tty, which it opens and owns; without colour. */
int tty_create(struct ambit_approver **ret_approver, struct ambit_error *err);
/* For tests: replaces DIALOG_KEY_ALONE_MS and DIALOG_REST_MS, the time without a key before a
 * yes counts, and before any key counts. */
void tty_set_pace(struct ambit_approver *approver, int alone_ms, int rest_ms);

/* How a terminal approver calls the person to each question: RING_* of ask/tty/ring.h; 0, as at
 * first: not. Nothing for other approvers. Accepts NULL. */
void approver_set_ring(struct ambit_approver *approver, unsigned ring);

/* Called around each question that a terminal approver shows, in the thread that asks: others who
 * write there can wait. Before the first question. Nothing for other approvers. Accepts NULL. */
void approver_set_shows(
	struct ambit_approver *approver, void (*shows)(void *data, bool shown), void *data);

/* The folder that a choice lets the person pick, or NULL: once and no may
 * speak of a folder too, but there it is not for the answer to say which. */
const char *choice_folder(const struct ambit_choice *choice);

/* Fills an answer with a choice of the question, path included, so that
 * nobody has to guess later which folder was meant. -ENAMETOOLONG. */
int answer_choose(const struct ambit_choice *choice, struct ambit_answer *ret_answer,
	struct ambit_error *err);

/* A program at the other end of a socket, one line of JSON each way: the question
 * with an "id" out, {"id", "answer", "message", "path", "judge"} in, or {"id", "nobody":
 * why}, which is no answer (-ENOENT), or {"id", "expired": why} (-ETIMEDOUT); {"cancel": id} out
 * when it is withdrawn. Takes the descriptor, on success. */
int approver_on_fd(int fd, struct ambit_approver **ret_approver, struct ambit_error *err);

enum {
	TTY_COLOUR = 1, /* escape sequences for emphasis */
	/* Those who ask have it as well. They can make it say things of its own, as if they were
	 * typed, and draw over the question: a yes takes a word that is shown for it. */
	TTY_SHARED = 2,
	/* Others draw on it: the question begins in a line of its own, with nothing beneath. Not
	 * where the terminal knows no escape sequences. */
	TTY_CLEAR = 4,
};

/* A terminal approver on given descriptors (the program passes /dev/tty).
 * Does not take them. */
int approver_on_tty(int in_fd, int out_fd, unsigned flags, struct ambit_approver **ret_approver,
	struct ambit_error *err);

#endif

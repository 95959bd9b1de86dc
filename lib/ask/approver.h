/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_APPROVER_H
#define ASK_APPROVER_H

#include <stddef.h>

#include <ambit/approve.h>

/* The makers behind ambit_approver_create, one per row of its table. */

int fixed_create(const char *name, enum ambit_answer_kind kind, const char *message,
	struct ambit_approver **ret_approver, struct ambit_error *err);
int exec_create(const char *program, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err);
/* On /dev/tty, which it opens and owns; without colour. */
int tty_create(struct ambit_approver **ret_approver, struct ambit_error *err);
/* How long nothing must have come before a yes on a terminal, in place of AMBIT_KEY_ALONE_MS:
 * tests have no hurry, and machines no sense of time. */
void tty_set_alone(struct ambit_approver *approver, int ms);

/* The folder that a choice lets the person pick, or NULL: once and no may
 * speak of a folder too, but there it is not for the answer to say which. */
const char *choice_folder(const struct ambit_choice *choice);

/* Fills an answer with a choice of the question, path included, so that
 * nobody has to guess later which folder was meant. -ENAMETOOLONG. */
int answer_choose(const struct ambit_choice *choice, struct ambit_answer *ret_answer,
	struct ambit_error *err);

#endif

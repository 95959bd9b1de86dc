/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_DESK_BLOCKING_H
#define ASK_DESK_BLOCKING_H

#include <ambit/judge.h>

#include "ask/desk/desk.h"

/* Channels that are asked by a function which blocks until there is an answer: an approver (the
 * terminal, a program, whoever is at the other end of a descriptor), and the judge. Each runs in
 * threads of its own. */

struct blocking;

/* Around each question to an approver: the terminal is taken from the program meanwhile. */
struct blocking_screen {
	void (*hold)(void *data, int64_t expires);
	void (*release)(void *data);
	void *data;
};

/* NULL, and one that is instant: no channel, *ret_blocking is NULL. screen is copied. */
int blocking_add_approver(struct desk *desk, struct ambit_approver *approver,
	const struct blocking_screen *screen, struct blocking **ret_blocking,
	struct ambit_error *err);
int blocking_add_judge(struct desk *desk, struct ambit_judge *judge, struct blocking **ret_blocking,
	struct ambit_error *err);
/* After desk_stop. Ends what is asked, and waits for it. Accepts NULL. */
void blocking_destroy(struct blocking *blocking);

#endif

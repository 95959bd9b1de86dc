/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_QUESTIONS_H
#define ENGINE_QUESTIONS_H

#include <ambit/engine.h>

/* Questions without waiting for the person: a request that must be asked becomes a ticket, and
 * whoever answers ends it. For the line, the tools and live sessions. */

/* Whether questions are counted against the rate, from here on. */
void engine_limit(struct ambit_engine *engine, bool limited);

/* Who is asked; NULL: nobody. Borrowed. */
struct ambit_approver *engine_approver(const struct ambit_engine *engine);

/* Who is asked before; NULL: none. Borrowed; he may be asked from any thread. */
struct ambit_judge *engine_judge(const struct ambit_engine *engine);

/* Like ambit_engine_request, but an ask becomes a pending question: returns 0
 * with the outcome settled, or 1 with *ret_ticket. Takes the request. */
int engine_submit(struct ambit_engine *engine, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err);

/* The question to show now, or NULL. Checked against memory first; the same
 * one until it is answered, withdrawn or expired. Borrowed. */
const struct ambit_question *engine_question(struct ambit_engine *engine);

/* -ENOENT: no such question any more; -EINVAL: not one of its choices; -EPERM: a judge's
 * answer to what is a person's alone. Of a judge (answer->judge) approver is "judge",
 * whatever is said here, and the yes is for the very paths in question. */
int engine_answer(struct ambit_engine *engine, uint64_t question, const struct ambit_answer *answer,
	const char *approver, struct ambit_error *err);

/* A judge passed this question on: it is for others now. For a reason (judge_ask), an
 * event "judge". */
void engine_passed(struct ambit_engine *engine, const struct ambit_question *question,
	const struct ambit_error *why);

/* The question could not be put, or was not answered: error (an errno) and the
 * words say why. All who wait for it are refused, with code Timeout for
 * ETIMEDOUT. -ENOENT: nobody waits for it any more. */
int engine_decline(struct ambit_engine *engine, uint64_t question, int error, const char *why);

/* The question of this ticket, whoever's turn it is: the one that is shown, until
 * another is. A copy; its finish is the caller's. 0: there is nothing to ask any
 * more (collect). */
int engine_question_of(struct ambit_engine *engine, uint64_t ticket,
	struct ambit_question *ret_question, struct ambit_error *err);

/* Those that are put now, oldest first; each returns non-zero to stop, which is
 * returned. Nothing is put by it. */
int engine_questions(struct ambit_engine *engine,
	int (*each)(void *data, const struct ambit_question *question), void *data);

/* The one who asked is gone. */
void engine_withdraw(struct ambit_engine *engine, uint64_t ticket);

/* 0: settled, outcome and permit filled, the ticket is gone; -EAGAIN: still open. */
int engine_collect(struct ambit_engine *engine, uint64_t ticket, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err);

#endif

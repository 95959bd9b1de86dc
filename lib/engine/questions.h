/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_QUESTIONS_H
#define ENGINE_QUESTIONS_H

#include <ambit/engine.h>

/* Requests that wait for an answer without blocking: each is a ticket, and tickets about the same
 * thing share one question. For the line, the tools and live sessions. */

/* Decides, and does not wait if it has to be asked. 0: the outcome is settled; 1: *ret_ticket
 * waits for an answer. Takes the request. */
int engine_submit(struct ambit_engine *engine, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err);
/* The same, but the request stays the caller's, and is there until the ticket is collected or
 * withdrawn. */
int engine_submit_kept(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err);
/* 0: settled, outcome and permit are filled, and the ticket is gone; -EAGAIN: still open. */
int engine_collect(struct ambit_engine *engine, uint64_t ticket, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err);
/* The caller of this ticket is gone. */
void engine_withdraw(struct ambit_engine *engine, uint64_t ticket);

/* The question that this ticket waits for; tickets about the same thing share one. It is put now
 * if it was not, and recorded. It stays the same until it is answered, withdrawn or expired.
 * NULL: there is nothing to ask any more (engine_collect). Borrowed. */
const struct ambit_question *engine_question_of(struct ambit_engine *engine, uint64_t ticket);
/* The same number for all tickets that share a question, as long as any of them waits. */
uint64_t engine_question_group(const struct ambit_engine *engine, uint64_t ticket);
/* The question with this id as it was put, or NULL. Borrowed. */
const struct ambit_question *engine_question_put(
	const struct ambit_engine *engine, uint64_t question);

/* Stores an answer and decides every ticket again. A judge's answer (answer->judge) is recorded
 * under the name "judge" and counts for exactly the paths in question. -ENOENT: the question is
 * not open any more; -EINVAL: not one of its choices; -EPERM: a judge may not answer it. */
int engine_answer(struct ambit_engine *engine, uint64_t question, const struct ambit_answer *answer,
	const char *approver, struct ambit_error *err);
/* The question could not be put, or was not answered: error (an errno) and why say the reason.
 * All tickets of it are refused, with code Timeout for ETIMEDOUT. -ENOENT: no ticket waits. */
int engine_decline(struct ambit_engine *engine, uint64_t question, int error, const char *why);
/* The judge did not answer: others are asked now. A reason (see judge_ask) is recorded as an event
 * "judge". */
void engine_passed(struct ambit_engine *engine, const struct ambit_question *question,
	const struct ambit_error *why);

/* The approver that is asked; NULL: nobody. Borrowed. */
struct ambit_approver *engine_approver(const struct ambit_engine *engine);
/* The judge that is asked first; NULL: none. Borrowed; may be asked from any thread. */
struct ambit_judge *engine_judge(const struct ambit_engine *engine);
/* How long a client or a program may take for an answer, in milliseconds. */
int64_t engine_client_timeout(const struct ambit_engine *engine);
/* Whether questions count against the rate limit from now on; never, if the engine is
 * unlimited. */
void engine_limit(struct ambit_engine *engine, bool limited);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRST_QUESTION_H
#define FIRST_QUESTION_H

#include "ask/question-copy.h"
#include "engine/questions.h"

/* Questions of an engine that has no desk. */

#define TICKETS_TRIED 8192

/* The question of the oldest ticket that waits, or NULL. */
static inline const struct ambit_question *
first_question(struct ambit_engine *engine)
{
	for (uint64_t ticket = 1; ticket < TICKETS_TRIED; ticket++) {
		const struct ambit_question *question = engine_question_of(engine, ticket);

		if (question)
			return question;
	}
	return NULL;
}

/* A copy of the ticket's; 1, or 0: there is none. */
static inline int
copy_question(struct ambit_engine *engine, uint64_t ticket, struct ambit_question *ret_question)
{
	const struct ambit_question *question = engine_question_of(engine, ticket);

	return question && question_copy(question, ret_question) == 0;
}

#endif

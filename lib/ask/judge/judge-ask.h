/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_JUDGE_JUDGE_ASK_H
#define ASK_JUDGE_JUDGE_ASK_H

#include <ambit/approve.h>
#include <ambit/judge.h>

/* Asking the judge, for whoever puts questions. */

/* 0: yes, in *ret_answer as engine_answer takes it. 1: the judge passes; why has its words or its
 * failure, or code 0 if the question was not for a judge. Blocks until the judge's time limit, or
 * until stop (a descriptor, or -1) is readable. judge may be NULL: 1, with code 0. */
int judge_ask(struct ambit_judge *judge, const struct ambit_question *question, int stop,
	struct ambit_answer *ret_answer, struct ambit_error *why);

/* A person said no to this question: for the rest of the session the judge is not asked about the
 * directories of its paths, nor about commands like its own. judge may be NULL. */
void judge_overrule(struct ambit_judge *judge, const struct ambit_question *question);

/* The program that is started and its arguments, NULL at the end. It must not lie where the agent
 * can write. Borrowed. */
char *const *judge_program(const struct ambit_judge *judge);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_JUDGE_JUDGE_ASK_H
#define ASK_JUDGE_JUDGE_ASK_H

#include <ambit/approve.h>
#include <ambit/judge.h>

/* Asking the judge, for whoever puts questions. */

/* 0: yes, in *ret_answer as engine_answer takes it; 1: pass, and unless the question
 * was not for him (why->code is 0) the words for why: his own, or what he failed of. Blocks,
 * no longer than the time that the settings give him, nor after stop (a descriptor, or -1)
 * is readable. judge may be NULL: not for him. */
int judge_ask(struct ambit_judge *judge, const struct ambit_question *question, int stop,
	struct ambit_answer *ret_answer, struct ambit_error *why);

/* A person said no to this question: he has no say any more, in this session, in what is
 * done in the directories of its paths, or in commands like its own. judge may be NULL. */
void judge_overrule(struct ambit_judge *judge, const struct ambit_question *question);

/* What is started, NULL at the end: it must not lie where those who ask can write.
 * Borrowed. */
char *const *judge_program(const struct ambit_judge *judge);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_JUDGE_H
#define AMBIT_JUDGE_H

#include <ambit/approve.h>
#include <ambit/error.h>
#include <ambit/settings.h>

/* One who is asked after memory and before the person, and can only say yes: a program
 * of the person's, or a model at an address (doc/judge.md). Asked about what a question
 * carries for him (ambit_question.judge) and about nothing else; whatever is not a
 * plain yes in time is a pass, and the person is asked. Remembers what he said for as
 * long as he lives, which is one session. Thread-safe. */

struct ambit_judge;

struct ambit_judge_options {
	const struct ambit_settings *settings; /* "judge" */
	/* For an address: started as HELPER judge, the request on its standard input; the
	 * ambit program. Copied. */
	const char *helper;
	char *const *envp; /* of the program; the key is in there by its name. Borrowed */
};

/* *ret_judge is NULL if the settings have none. -EPERM and others, with words: a program
 * that is missing or that others can change; a key that is not there. */
int ambit_judge_create(const struct ambit_judge_options *options, struct ambit_judge **ret_judge,
	struct ambit_error *err);
/* Nobody asks him any more. Accepts NULL. */
void ambit_judge_destroy(struct ambit_judge *judge);

/* 0: yes, in *ret_answer as ambit_engine_answer takes it; 1: pass, and unless the question
 * was not for him (why->code is 0) the words for why: his own, or what he failed of. Blocks,
 * no longer than the time that the settings give him, nor after stop (a descriptor, or -1)
 * is readable. judge may be NULL: not for him. */
int ambit_judge_ask(struct ambit_judge *judge, const struct ambit_question *question, int stop,
	struct ambit_answer *ret_answer, struct ambit_error *why);

/* A person said no to this question: he has no say any more, in this session, in what is
 * done in the directories of its paths, or in commands like its own. judge may be NULL. */
void ambit_judge_overrule(struct ambit_judge *judge, const struct ambit_question *question);

/* What is started, NULL at the end: it must not lie where those who ask can write.
 * Borrowed. */
char *const *ambit_judge_program(const struct ambit_judge *judge);

#endif

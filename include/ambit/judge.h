/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_JUDGE_H
#define AMBIT_JUDGE_H

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

#endif

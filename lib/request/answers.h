/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_ANSWERS_H
#define REQUEST_ANSWERS_H

#include <ambit/words.h>

/* An answer as a person sees it, at the prompt or in a form. ambit_answers has its name. */
struct answer_row {
	char key;	   /* gives it at the prompt */
	const char *label; /* where the choice itself has no words; of ALWAYS the width */
};

/* By enum ambit_answer_kind. */
extern const struct answer_row answer_rows[];

#endif

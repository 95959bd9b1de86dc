/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_WORDS_H
#define ASK_QUESTION_WORDS_H

#include <ambit/approve.h>

#include "decide/decide.h"

/* The few words that every screen shows of a question, and those of its answers. */

/* Fills kind, act, object, danger, by, because and project, from what is open in the outcome;
 * what must be there. -ENOMEM. */
int question_add_words(struct ambit_question *question, const struct decide_input *in,
	const struct ambit_outcome *outcome);

/* The label of a choice, after question_add_words. folder: of FOLDER and ALWAYS, or NULL. Caller
 * frees; NULL without memory. */
char *question_label(const struct ambit_question *question, const struct decide_input *in,
	const struct ambit_outcome *outcome, enum ambit_answer_kind kind, const char *folder);

/* A path as questions show it: relative to the folder where it lies inside, else with ~ for the
 * home; escaped. The folder itself is never ".". Caller frees; NULL without memory. */
char *question_path(const struct ambit_scope *scope, const char *real);

/* Whether a path of the outcome is asked about now; whether its host is. */
bool question_path_open(const struct ambit_outcome_path *path);
bool question_host_open(const struct ambit_outcome *outcome);

/* Whether it is about what is guarded; about a secret; about a unix socket. */
bool question_is_guarded(const struct ambit_outcome *outcome);
bool question_is_secret(const struct ambit_outcome *outcome);
bool question_is_socket(const struct ambit_outcome *outcome);

#endif

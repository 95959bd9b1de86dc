/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_H
#define ASK_QUESTION_H

#include <ambit/approve.h>
#include <ambit/rule.h>

#include "decide/decide.h"

/* Builds the question to an outcome that is ask, and the rules that an answer
 * to it stores: the same function makes the rules and the words that were
 * shown, so that nobody stores what was not read. */

int question_init(const struct decide_input *in, const struct ambit_outcome *outcome, uint64_t id,
	int64_t expires, struct ambit_question *ret_question, struct ambit_error *err);

/* Checks that answer is one of the question's choices; *ret_folder is the
 * folder it means (borrowed from question), or NULL. -EINVAL. */
int question_check(const struct ambit_question *question, const struct ambit_answer *answer,
	const char **ret_folder, struct ambit_error *err);

struct rules {
	struct ambit_rule *list;
	size_t n;
};

void rules_finish(struct rules *rules);

/* The rules that the answer stores. A no has none; nor has a once, for a tool call or for a
 * process that writes: see decide/once.h. */
int question_rules(const struct decide_input *in, const struct ambit_outcome *outcome,
	enum ambit_answer_kind kind, const char *folder, const char *source,
	struct rules *ret_rules);

/* What lets exactly this request through now, and is never stored. */
int question_once(const struct decide_input *in, const struct ambit_outcome *outcome,
	struct rules *ret_rules);

#endif

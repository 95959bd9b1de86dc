/* SPDX-License-Identifier: Apache-2.0 */
/* Approvers that end every question in the same way: nobody is asked. A yes was
 * chosen by the person on the command line. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/approver.h"
#include "base/err.h"

struct fixed {
	struct ambit_approver approver;
	enum ambit_answer_kind kind;
	const char *message; /* static */
};

/* A no of nobody's is no answer: what the question was about stays the reason, and what
 * can be done about it is another thing than after a person's no. A yes that was not
 * offered is refused here as it would be for a person: some questions may only be told
 * no. */
static int
ask_fixed_approver(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	const struct fixed *fixed = (const struct fixed *)approver;
	struct ambit_answer answer = { .kind = AMBIT_NO };
	int r = -ENOENT;

	if (fixed->kind == AMBIT_NO)
		return err_set(err, ENOENT, "%s", fixed->message);
	for (size_t i = 0; i < question->n_choices && r == -ENOENT; i++)
		if (question->choices[i].kind == fixed->kind)
			r = answer_choose(&question->choices[i], &answer, err);
	if (r == -ENOENT)
		return err_set(err, EINVAL, "this question cannot be answered with a yes");
	if (r < 0)
		return r;
	snprintf(answer.message, sizeof(answer.message), "%s", fixed->message);
	*ret_answer = answer;
	return 0;
}

static void
destroy_fixed_approver(struct ambit_approver *approver)
{
	free(approver);
}

int
fixed_create(const char *name, enum ambit_answer_kind kind, const char *message,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	struct fixed *fixed = calloc(1, sizeof(*fixed));

	if (!fixed)
		return err_nomem(err);
	*fixed = (struct fixed){
		.approver = { .ask = ask_fixed_approver,
			.destroy = destroy_fixed_approver,
			.instant = true,
			.name = name },
		.kind = kind,
		.message = message,
	};
	*ret_approver = &fixed->approver;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A crossing of a command's into a question of the call's. It is withdrawn when the
 * command does not wait for it any more, which need not be the end of the call. */

#include "tools/shell/bash.h"

static int
ask_bash_question(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct bash_asker *asker = (struct bash_asker *)approver;

	return run_ask(asker->run, &asker->crossing, question, ret_answer, err);
}

static void
cancel_bash_question(struct ambit_approver *approver, uint64_t question, const char *how)
{
	struct bash_asker *asker = (struct bash_asker *)approver;

	run_withdraw(asker->run, &asker->crossing, question, how);
}

void
bash_asker_init(struct bash_asker *asker, struct tool_run *run)
{
	*asker = (struct bash_asker){
		.approver = { .ask = ask_bash_question,
			.cancel = cancel_bash_question,
			.name = "call" },
		.crossing = { .lock = PTHREAD_MUTEX_INITIALIZER },
		.run = run,
	};
}

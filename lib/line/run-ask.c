/* SPDX-License-Identifier: Apache-2.0 */
/* The desk of a run, and who answers there: the judge and the approver; whoever watches comes with
 * the live session. A question takes the terminal from the command while it is open. */

#include "base/err.h"
#include "engine/questions.h"
#include "line/run-private.h"

static void
forget_refusals(void *data)
{
	struct run *run = data;

	if (run->gate)
		gate_forget(run->gate);
}

static void
hold_terminal(void *data, int64_t expires)
{
	struct run *run = data;

	terminal_await_quiet(run->terminal, expires);
	terminal_hold(run->terminal);
}

static void
release_terminal(void *data)
{
	terminal_release(((struct run *)data)->terminal);
}

int
run_make_desk(struct run *run, struct ambit_error *err)
{
	struct ambit_approver *approver = run->o->approver;
	const struct blocking_screen screen = { hold_terminal, release_terminal, run };
	const struct desk_options options = {
		.engine = run->o->engine,
		.instant = approver && approver->instant ? approver : NULL,
		.answering = forget_refusals,
		.stop = run_stop,
		.data = run,
	};
	int r = desk_create(&options, &run->desk, err);

	if (r == 0)
		r = blocking_add_judge(run->desk, engine_judge(run->o->engine), &run->judge, err);
	if (r == 0)
		r = blocking_add_approver(
			run->desk, approver, run->terminal ? &screen : NULL, &run->person, err);
	return r;
}

void
run_close_desk(struct run *run)
{
	blocking_destroy(run->person);
	blocking_destroy(run->judge);
	/* The gate's threads look whether somebody watches: they are gone by now. */
	live_destroy(run->live);
	run->live = NULL;
}

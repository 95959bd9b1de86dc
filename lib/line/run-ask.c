/* SPDX-License-Identifier: Apache-2.0 */
/* Joins a run to the thread that asks: the gate's lock is the engine's, and a question takes
 * the terminal from the command while it is open. */

#include "base/err.h"
#include "line/run-private.h"

static void
lock_engine(void *data)
{
	gate_lock(((struct run *)data)->gate);
}

static void
unlock_engine(void *data)
{
	gate_unlock(((struct run *)data)->gate);
}

static void
forget_refusals(void *data)
{
	gate_forget(((struct run *)data)->gate);
}

static void
settle_calls(void *data)
{
	gate_settle(((struct run *)data)->gate);
}

static void
wake_watchers(void *data)
{
	gate_wake(((struct run *)data)->gate);
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
run_make_asker(struct run *run, struct ambit_approver *approver, struct ambit_error *err)
{
	run->asker = asker_create(&(struct asker_options){
		.engine = run->o->engine,
		.approver = approver,
		.data = run,
		.lock = lock_engine,
		.unlock = unlock_engine,
		.forget = forget_refusals,
		.settle = settle_calls,
		.wake = wake_watchers,
		.watched = run_watched,
		.hold_screen = run->terminal ? hold_terminal : NULL,
		.release_screen = run->terminal ? release_terminal : NULL,
	});
	return run->asker ? 0 : err_nomem(err);
}

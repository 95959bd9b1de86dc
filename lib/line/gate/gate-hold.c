/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a person. The target stands in the kernel; the rest of
 * the tree goes on. When the answer comes, the call is prepared again from the
 * copies of its arguments: only if it means the same objects as when it was
 * asked about does the answer count, else it is decided anew. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "egress/egress.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "line/gate/gate-private.h"
#include "perform/permit.h"

#ifndef ERESTARTSYS
#define ERESTARTSYS 512 /* the kernel's own: restart, or EINTR, as the handler wants */
#endif

int
gate_hold(struct gate *gate, struct call **call, uint64_t ticket)
{
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		return -ENOMEM;
	held->call = *call;
	held->ticket = ticket;
	*call = NULL;
	pthread_mutex_lock(&gate->lock);
	held->next = gate->held;
	gate->held = held;
	pthread_mutex_unlock(&gate->lock);
	return 0;
}

static void
unlink_held(struct gate *gate, struct held *held)
{
	pthread_mutex_lock(&gate->lock);
	for (struct held **at = &gate->held; *at; at = &(*at)->next)
		if (*at == held) {
			*at = held->next;
			break;
		}
	pthread_mutex_unlock(&gate->lock);
}

static void
held_destroy(struct held *held)
{
	if (held->call) {
		call_finish(held->call);
		free(held->call);
	}
	free(held);
}

/* -- settled ------------------------------------------------------------------- */

/* What an answered call goes on with, in a worker. */
struct going {
	struct call *call;
	struct ambit_outcome outcome;
	struct ambit_permit *permit;
};

/* Resolves the copies again. true: the same as before. */
static bool
recheck_call_objects(struct call *call, int *ret_step)
{
	struct object before[2] = { call->object[0], call->object[1] };
	unsigned n = call->n_objects;
	bool same;

	for (unsigned i = 0; i < 2; i++)
		object_init(&call->object[i]);
	call->n_objects = call->n_needs = 0;
	call->round = ROUND_AGAIN;
	*ret_step = call_op_of(call->row->op)->prepare(call);
	same = *ret_step == CALL_DECIDE && call->n_objects == n;
	for (unsigned i = 0; i < n && i < 2; i++) {
		same = same && object_same(&before[i], &call->object[i]);
		object_finish(&before[i]);
	}
	return same;
}

static void
resume_answered_call(void *data)
{
	struct going *going = data;
	struct call *call = going->call;
	struct gate *gate = call->gate;
	struct pass pass = { 0 };
	int step = 0;
	bool same;

	if (going->outcome.verdict != AMBIT_ALLOW || !going->permit) {
		/* A no holds for this process: one that tries again is not asked
		 * about again at once. */
		gate_refuse(call, &going->outcome, gate_key(call, true));
	} else {
		call->permit = going->permit;
		same = recheck_call_objects(call, &step);
		if (same) {
			permit_pass(call->permit, &pass);
			call->asked = true;
			gate_act(&call, &pass);
		} else if (step < 0) {
			gate_fail(call, -step);
		} else if (step == CALL_ANSWERED) {
			gate_answer_prepared(call);
		} else if (++call->changes > GATE_CHANGES_MAX) {
			gate_fail(call, EACCES);
		} else {
			gate_drop(call, ESTALE);
			gate_decide(gate, &call);
		}
	}
	ambit_outcome_finish(&going->outcome);
	if (call) {
		call_finish(call);
		free(call);
	}
	free(going);
}

static void
let_go(struct gate *gate, struct held *held, struct going *going)
{
	going->call = held->call;
	held->call = NULL;
	unlink_held(gate, held);
	held_destroy(held);
	if (work_add(gate->answers, resume_answered_call, going) == 0)
		return;
	/* Here it must not be done: this thread has the supervisor's own umask
	 * and capabilities. */
	going->call->permit = going->permit;
	gate_fail(going->call, EAGAIN);
	ambit_outcome_finish(&going->outcome);
	call_finish(going->call);
	free(going->call);
	free(going);
}

/* With the lock of who takes. */
static void
release_settled_calls(struct gate *gate)
{
	struct ambit_error err = { 0 };
	struct held *held, *next;

	pthread_mutex_lock(&gate->lock);
	held = gate->held;
	pthread_mutex_unlock(&gate->lock);
	/* Nobody else takes out of the list; the gate's thread puts new ones in
	 * front. */
	for (; held; held = next) {
		struct going *going = calloc(1, sizeof(*going));
		int r;

		next = held->next;
		if (!going)
			return;
		gate_lock(gate);
		r = engine_collect(
			gate->o.engine, held->ticket, &going->outcome, &going->permit, &err);
		gate_unlock(gate);
		if (r == -EAGAIN) {
			ambit_outcome_finish(&going->outcome);
			free(going);
		} else {
			let_go(gate, held, going);
		}
	}
}

void
gate_forget(struct gate *gate)
{
	run_counts_forget(gate->counts);
}

void
gate_settle(struct gate *gate)
{
	pthread_mutex_lock(&gate->taking);
	release_settled_calls(gate);
	pthread_mutex_unlock(&gate->taking);
	if (gate->egress)
		egress_wake(gate->egress);
}

/* -- given up ------------------------------------------------------------------- */

/* A signal that waits for this very thread makes the kernel look at the
 * result, and restart where the handler says so. One that any thread of the
 * process may take could leave that to nobody. */
static int
find_interrupt_error(const struct call *call)
{
	char path[64], text[4096];
	auto_close int fd = -1;
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)call->target.tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (n <= 0)
		return EINTR;
	text[n] = '\0';
	at = strstr(text, "\nThreads:");
	return at && strtol(at + strlen("\nThreads:"), NULL, 10) == 1 ? ERESTARTSYS : EINTR;
}

bool
call_given_up(struct call *call)
{
	return atomic_load(&call->gate->stopping) || !gate_is_valid(call->gate, call->id) ||
	       target_signalled(&call->target);
}

static void
withdraw_held_call(struct gate *gate, struct held *held, int error)
{
	gate_lock(gate);
	engine_withdraw(gate->o.engine, held->ticket);
	gate_unlock(gate);
	unlink_held(gate, held);
	if (error > 0)
		gate_fail(held->call, error);
	held_destroy(held);
	gate->o.wake(gate->o.data);
}

int
gate_check(struct gate *gate)
{
	struct held *held, *next;
	int left = 0;

	pthread_mutex_lock(&gate->taking);
	release_settled_calls(gate);
	pthread_mutex_lock(&gate->lock);
	held = gate->held;
	pthread_mutex_unlock(&gate->lock);
	for (; held; held = next) {
		next = held->next;
		if (!gate_is_valid(gate, held->call->id))
			withdraw_held_call(gate, held, 0);
		else if (target_signalled(&held->call->target))
			withdraw_held_call(gate, held, find_interrupt_error(held->call));
		else
			left++;
	}
	pthread_mutex_unlock(&gate->taking);
	return left;
}

void
gate_drop_held(struct gate *gate)
{
	while (gate->held)
		withdraw_held_call(gate, gate->held, EACCES);
}

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
#include "line/gate/gate-private.h"
#include "perform/permit.h"

void
gate_list_held(struct gate *gate, struct held *held)
{
	pthread_mutex_lock(&gate->lock);
	held->next = gate->held;
	gate->held = held;
	pthread_mutex_unlock(&gate->lock);
}

int
gate_hold(struct gate *gate, struct call **call, uint64_t ticket)
{
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		return -ENOMEM;
	held->call = *call;
	held->ticket = ticket;
	*call = NULL;
	gate_list_held(gate, held);
	return 0;
}

void
gate_unlist_held(struct gate *gate, struct held *held)
{
	if (held->state == HELD_AWAY)
		atomic_fetch_sub(&gate->away, 1);
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
perform_answered_call(struct call **call)
{
	struct gate *gate = (*call)->gate;
	struct pass pass = { 0 };

	gate_lock(gate);
	engine_once_begin((*call)->permit);
	gate_unlock(gate);
	permit_pass((*call)->permit, &pass);
	(*call)->asked = true;
	gate_act(call, &pass);
}

static void
resume_answered_call(void *data)
{
	struct going *going = data;
	struct call *call = going->call;
	struct gate *gate = call->gate;
	int step = 0;

	if (going->outcome.verdict != AMBIT_ALLOW || !going->permit) {
		/* A no holds for this process: one that tries again is not asked
		 * about again at once. */
		gate_refuse(call, &going->outcome, gate_key(call, true));
	} else {
		call->permit = going->permit;
		if (recheck_call_objects(call, &step)) {
			perform_answered_call(&call);
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

/* Without memory it waits for the next look. */
static void
let_go(struct gate *gate, struct held *held)
{
	struct going *going = calloc(1, sizeof(*going));

	if (!going)
		return;
	*going = (struct going){ held->call, held->outcome, held->permit };
	held->call = NULL;
	gate_unlist_held(gate, held);
	free(held);
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

/* The caller holds gate->taking. */
static void
release_settled_calls(struct gate *gate)
{
	struct held *held, *next;

	pthread_mutex_lock(&gate->lock);
	held = gate->held;
	pthread_mutex_unlock(&gate->lock);
	/* Nobody else takes out of the list; the gate's thread puts new ones in
	 * front. */
	for (; held; held = next) {
		next = held->next;
		if (held->settled && held->state == HELD_WAITING)
			let_go(gate, held);
	}
}

static struct held *
find_held(struct gate *gate, uint64_t ticket)
{
	struct held *held;

	pthread_mutex_lock(&gate->lock);
	for (held = gate->held; held && held->ticket != ticket; held = held->next)
		;
	pthread_mutex_unlock(&gate->lock);
	return held;
}

static void
drop_permit(struct gate *gate, struct ambit_permit *permit)
{
	if (!permit)
		return;
	gate_lock(gate);
	ambit_permit_finish(permit, -ECANCELED, NULL);
	gate_unlock(gate);
}

/* A question has ended. One that is not found here was given up meanwhile. */
static void
take_done(void *data, uint64_t ticket, struct ambit_outcome *outcome, struct ambit_permit *permit)
{
	struct gate *gate = data;
	struct held *held;

	pthread_mutex_lock(&gate->taking);
	held = find_held(gate, ticket);
	if (held) {
		held->settled = true;
		held->outcome = *outcome;
		held->permit = permit;
		release_settled_calls(gate);
	} else if (!gate_keep_promise(gate, ticket, outcome, permit)) {
		ambit_outcome_finish(outcome);
		drop_permit(gate, permit);
	}
	pthread_mutex_unlock(&gate->taking);
	if (!held && gate->egress)
		egress_wake(gate->egress);
}

int
gate_submit(struct gate *gate, struct ambit_request *request, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, uint64_t *ret_ticket)
{
	const struct desk_client client = { .done = take_done, .data = gate };
	struct ambit_error err = { 0 };
	int r = desk_submit(
		gate->o.desk, request, &client, ret_outcome, ret_permit, ret_ticket, &err);

	if (*ret_ticket != 0)
		atomic_fetch_add(&gate->asked, 1);
	return r;
}

void
gate_forget(struct gate *gate)
{
	run_counts_forget(gate->counts);
}

/* -- given up ------------------------------------------------------------------- */

bool
call_given_up(struct call *call)
{
	return atomic_load(&call->gate->stopping) || !gate_is_valid(call->gate, call->id) ||
	       target_signalled(&call->target);
}

void
gate_withdraw_held(struct gate *gate, struct held *held)
{
	gate_unlist_held(gate, held);
	desk_withdraw(gate->o.desk, held->ticket, "withdrawn: the program is gone");
	if (held->settled) {
		ambit_outcome_finish(&held->outcome);
		drop_permit(gate, held->permit);
	}
	held_destroy(held);
}

void
gate_withdraw_restarted(struct gate *gate, struct held *held)
{
	pthread_mutex_lock(&gate->taking);
	gate_withdraw_held(gate, held);
	pthread_mutex_unlock(&gate->taking);
}

static bool
is_held_over(struct gate *gate, const struct held *held)
{
	return held->state == HELD_AWAY ? gate_is_lost(held) : !gate_is_valid(gate, held->call->id);
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
		left++;
		if (held->state == HELD_RETURNING)
			continue;
		if (is_held_over(gate, held)) {
			gate_withdraw_held(gate, held);
			left--;
			continue;
		}
		if (held->state == HELD_WAITING)
			gate_let_signals_act(gate, held);
	}
	pthread_mutex_unlock(&gate->taking);
	return left;
}

void
gate_drop_held(struct gate *gate)
{
	struct held *held;

	pthread_mutex_lock(&gate->taking);
	while ((held = gate->held) != NULL) {
		if (held->state != HELD_AWAY)
			gate_fail(held->call, EACCES);
		gate_withdraw_held(gate, held);
	}
	pthread_mutex_unlock(&gate->taking);
}

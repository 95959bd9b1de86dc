/* SPDX-License-Identifier: Apache-2.0 */
/* Between egress, which knows what a program wants to reach, and the engine, which
 * knows what it may. The same request, question and record as for a call that is held;
 * only who waits is another. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "decide/destination.h"
#include "egress/egress.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "line/gate/gate-private.h"
#include "request/host.h"
#include "request/request-object.h"

static uint64_t
key_of(const struct egress_who *who, const char *host)
{
	uint64_t start = HASH_FNV_START ^ who->start ^ ((uint64_t)(unsigned)who->pid << 32);

	return hash_fnv_text(start, host);
}

static void
report_net_refusal(struct gate *gate, const struct egress_who *who, const char *host,
	const struct ambit_outcome *outcome)
{
	struct target_who is = { 0 };
	struct target target;
	bool there;

	target_init(&target, who->pid);
	/* It may be gone, and its number another's. */
	there = target_who(&target, &is) == 0 && is.start == who->start;
	gate_tell_refused(gate, &target, "connect", outcome->host ? outcome->host : host, outcome,
		there, key_of(who, host));
	target_finish(&target);
}

static bool
take_allow(int r, const struct ambit_outcome *outcome, struct ambit_permit *permit,
	struct egress_verdict *ret)
{
	if (r != 0 || outcome->verdict != AMBIT_ALLOW || !permit)
		return false;
	ret->verdict = AMBIT_ALLOW;
	ret->permit = permit;
	permit_pass(permit, &ret->pass);
	return true;
}

/* The outcome is used up. */
static void
take_outcome(struct gate *gate, const struct egress_who *who, const char *host, int r,
	struct ambit_outcome *outcome, struct ambit_permit *permit, struct egress_verdict *ret)
{
	if (!take_allow(r, outcome, permit, ret) && r == 0)
		report_net_refusal(gate, who, host, outcome);
	ambit_outcome_finish(outcome);
}

/* A lookup of a name has no port yet. */
static bool
is_lookup(const char *host)
{
	return !strchr(host, ':');
}

/* A service's name is looked up on the way to its host, which is what a person knows. */
static const char *
get_asked_host(const char *host)
{
	return is_lookup(host) ? host_of_service(host) : host;
}

static struct ambit_request *
make_request(struct gate *gate, const struct egress_who *who, const char *host)
{
	struct ambit_request *request = NULL;
	struct ambit_error err = { 0 };

	if (ambit_request_connect(host, &request, &err) < 0)
		return NULL;
	request_set_held(request, true);
	request_set_lookup(request, is_lookup(host));
	if (ambit_request_set_who(request, who->pid, who->start, who->program, NULL) < 0) {
		ambit_request_destroy(request);
		return NULL;
	}
	if (gate_may_ask(gate)) { /* nobody else reads them */
		request_set_line(request, tree_names(&gate->o.tree, who->pid));
		request_set_programs(request, tree_programs(&gate->o.tree, who->pid));
		request_set_words(request, tree_words(who->pid));
	}
	return request;
}

static bool
glance_at_host(struct gate *gate, const char *host, struct egress_verdict *ret)
{
	struct ambit_engine *engine = gate->o.engine;

	gate_lock(gate);
	ret->verdict = is_lookup(host) ? engine_allows_lookup_fast(engine, host, &ret->pass)
				       : engine_allows_host_fast(engine, host, &ret->pass);
	gate_unlock(gate);
	if (ret->verdict != AMBIT_ALLOW)
		ret->verdict = AMBIT_DENY;
	return ret->verdict == AMBIT_ALLOW;
}

/* Refused by a rule or a list. A caller that may not ask records its own reason. */
static bool
is_host_refused(void *data, const char *host)
{
	struct gate *gate = data;
	bool refused;

	gate_lock(gate);
	refused = engine_refuses_host(gate->o.engine, host);
	gate_unlock(gate);
	return refused;
}

/* A request that would need a question is refused. */
static void
decide_without_asking(struct gate *gate, struct ambit_request *request, struct egress_verdict *ret)
{
	struct ambit_outcome outcome = { 0 };
	struct ambit_error err = { 0 };
	struct ambit_permit *permit = NULL;
	uint64_t ticket = 0;
	int r;

	gate_lock(gate);
	engine_limit(gate->o.engine, false); /* nobody is shown a question */
	r = engine_submit(gate->o.engine, request, &outcome, &permit, &ticket, &err);
	if (r == 1)
		engine_withdraw(gate->o.engine, ticket);
	gate_unlock(gate);
	take_allow(r, &outcome, permit, ret);
	ambit_outcome_finish(&outcome);
}

static void
submit_host(struct gate *gate, const struct egress_who *who, const char *host,
	struct ambit_request *request, struct egress_verdict *ret)
{
	struct ambit_outcome outcome = { 0 };
	struct ambit_permit *permit = NULL;
	uint64_t ticket = 0;
	int r;

	pthread_mutex_lock(&gate->taking);
	r = gate_submit(gate, request, &outcome, &permit, &ticket);
	if (r == 1 && gate_promise(gate, ticket) == 0) {
		ret->verdict = AMBIT_ASK;
		ret->ticket = ticket;
	} else if (r == 1) {
		desk_withdraw(gate->o.desk, ticket, "withdrawn: there is no memory");
	}
	pthread_mutex_unlock(&gate->taking);
	take_outcome(gate, who, host, r, &outcome, permit, ret);
}

static void
decide_host(void *data, const struct egress_who *who, const char *host, bool may_ask,
	struct egress_verdict *ret)
{
	struct gate *gate = data;
	struct ambit_request *request;

	*ret = (struct egress_verdict){ 0 };
	host = get_asked_host(host);
	if (glance_at_host(gate, host, ret))
		return;
	if (may_ask ? run_counts_is_repeated(gate->counts, key_of(who, host))
		    : is_host_refused(gate, host))
		return;
	request = make_request(gate, who, host);
	if (!request)
		return;
	if (may_ask)
		submit_host(gate, who, host, request, ret);
	else
		decide_without_asking(gate, request, ret);
}

static void
finish_host_permit(void *data, struct ambit_permit *permit, int result)
{
	struct gate *gate = data;

	if (!permit)
		return;
	gate_lock(gate);
	ambit_permit_finish(permit, result, NULL);
	gate_unlock(gate);
}

/* -- questions that a connection waits for -------------------------------------------- */

struct promised {
	struct promised *next;
	uint64_t ticket;
	bool settled;
	struct ambit_outcome outcome;
	struct ambit_permit *permit;
};

int
gate_promise(struct gate *gate, uint64_t ticket)
{
	struct promised *promised = calloc(1, sizeof(*promised));

	if (!promised)
		return -ENOMEM;
	promised->ticket = ticket;
	promised->next = gate->promised;
	gate->promised = promised;
	return 0;
}

static struct promised **
find_promised(struct gate *gate, uint64_t ticket)
{
	struct promised **at = &gate->promised;

	while (*at && (*at)->ticket != ticket)
		at = &(*at)->next;
	return at;
}

bool
gate_keep_promise(struct gate *gate, uint64_t ticket, struct ambit_outcome *outcome,
	struct ambit_permit *permit)
{
	struct promised *promised = *find_promised(gate, ticket);

	if (!promised)
		return false;
	promised->settled = true;
	promised->outcome = *outcome;
	promised->permit = permit;
	return true;
}

/* Takes it out if it is settled, or in any case. */
static struct promised *
take_promised(struct gate *gate, uint64_t ticket, bool settled)
{
	struct promised **at = find_promised(gate, ticket), *promised = *at;

	if (!promised || (settled && !promised->settled))
		return NULL;
	*at = promised->next;
	return promised;
}

static void
collect_host_verdict(void *data, const struct egress_who *who, const char *host, uint64_t ticket,
	struct egress_verdict *ret)
{
	struct gate *gate = data;
	struct promised *promised;

	*ret = (struct egress_verdict){ 0 };
	pthread_mutex_lock(&gate->taking);
	promised = take_promised(gate, ticket, true);
	pthread_mutex_unlock(&gate->taking);
	if (promised) {
		take_outcome(gate, who, get_asked_host(host), 0, &promised->outcome,
			promised->permit, ret);
		free(promised);
	} else {
		ret->verdict = AMBIT_ASK;
		ret->ticket = ticket;
	}
}

static void
withdraw_ticket(void *data, uint64_t ticket)
{
	struct gate *gate = data;
	struct promised *promised;

	pthread_mutex_lock(&gate->taking);
	promised = take_promised(gate, ticket, false);
	desk_withdraw(gate->o.desk, ticket, "withdrawn: the program is gone");
	pthread_mutex_unlock(&gate->taking);
	if (promised && promised->settled) {
		ambit_outcome_finish(&promised->outcome);
		finish_host_permit(gate, promised->permit, -ECANCELED);
	}
	free(promised);
}

void
gate_forget_promises(struct gate *gate)
{
	while (gate->promised)
		withdraw_ticket(gate, gate->promised->ticket);
}

static void
refuse_host(void *data, const struct egress_who *who, const char *host, const char *why)
{
	struct gate *gate = data;
	struct ambit_request *request = make_request(gate, who, host);
	struct ambit_outcome outcome = { 0 };

	if (!request)
		return;
	gate_lock(gate);
	engine_record_refusal(gate->o.engine, request, why, &outcome);
	gate_unlock(gate);
	report_net_refusal(gate, who, host, &outcome);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
}

static void
note_connected(void *data)
{
	gate_connected(data);
}

int
gate_route(struct call *call, struct destination *to, struct route *ret_route)
{
	struct gate *gate = call->gate;
	int r;

	gate_lock(gate);
	/* gate_predict has no desk: it tells what a person would be asked. */
	to->person = !gate->o.desk || desk_has_person(gate->o.desk);
	r = engine_route(gate->o.engine, to, ret_route, &call->pass);
	gate_unlock(gate);
	call->routed = r == 0;
	return r;
}

int
gate_make_egress(struct gate *gate)
{
	const struct egress_line line = {
		.decide = decide_host,
		.collect = collect_host_verdict,
		.refuses = is_host_refused,
		.withdraw = withdraw_ticket,
		.refuse = refuse_host,
		.finish = finish_host_permit,
		.connected = note_connected,
		.data = gate,
	};
	int r = 0, proxy = steal_fd(&gate->o.proxy);

	if (proxy >= 0 || engine_uses_names(gate->o.engine))
		r = egress_create(&line, &gate->egress);
	if (proxy >= 0 && r == 0)
		return egress_proxy(gate->egress, proxy, gate->o.token);
	if (proxy >= 0)
		close(proxy);
	return r;
}

void
gate_withdraw(struct call *call)
{
	if (call->ticket)
		withdraw_ticket(call->gate, call->ticket);
	call->ticket = 0;
}

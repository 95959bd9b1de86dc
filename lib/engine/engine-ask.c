/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait for a person. A ticket is one waiting request; tickets
 * about the same thing share a question. A yes does not settle a ticket: it
 * makes rules, and the request is decided again with them, on the file system
 * as it is by then. So whatever changed while the person was thinking is
 * asked about anew, and one answer drains every ticket that it covers. */

#include <stdlib.h>
#include <unistd.h>

#include "ask/question-copy.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "decide/temporary.h"
#include "engine/engine-ticket.h"
#include "engine/questions.h"
#include "perform/leftover.h"

/* How often one request may be asked about: it changes under the answer. */
#define ASKED_MAX 5
#define CLIENT_TIMEOUT_S 300 /* without the setting */

void
ticket_drop_question(struct ticket *ticket)
{
	question_finish(&ticket->question);
	ticket->question = (struct ambit_question){ 0 };
}

static void
ticket_destroy(void *data)
{
	struct ticket *ticket = data;

	if (!ticket)
		return;
	if (ticket->owns)
		ambit_request_destroy(ticket->request);
	decide_resolved_free(ticket->resolved, ticket->outcome.n_paths);
	ambit_outcome_finish(&ticket->outcome);
	rules_finish(&ticket->once);
	ticket_drop_question(ticket);
	free(ticket);
}

void
ambit_engine_destroy(struct ambit_engine *engine)
{
	if (!engine)
		return;
	engine_close_notify(engine);
	pending_destroy(engine->pending, ticket_destroy);
	engine_once_destroy(engine);
	guards_destroy(engine->guards);
	for (size_t i = 0; i < engine->n_grants; i++)
		free(engine->grants[i].real);
	free(engine->grants);
	strv_free(engine->wanted);
	strv_free(engine->opened);
	strv_free(engine->known);
	strv_free(engine->opens);
	engine_worktree_destroy(engine->worktree);
	engine_stance_destroy(engine->stance);
	policy_memory_destroy(engine->answers);
	if (engine->attic > 0)
		close(engine->attic);
	leftovers_destroy(engine->leftovers);
	rules_finish(&engine->rules);
	ambit_session_finish(&engine->session);
	free(engine->door);
	free(engine->agent);
	free(engine);
}

/* An outcome that is kept is the one that was, or will be, shown: an answer must not be
 * taken for more than the person has read. */
void
ticket_redecide(struct ambit_engine *engine, struct ticket *ticket, bool keep)
{
	struct ambit_outcome outcome;
	struct path_facts *resolved = NULL;

	engine_decide(engine, ticket->request, &ticket->once, ticket->queued, &outcome, &resolved);
	if (keep && outcome.verdict == AMBIT_ASK) {
		decide_resolved_free(resolved, outcome.n_paths);
		ambit_outcome_finish(&outcome);
		return;
	}
	decide_resolved_free(ticket->resolved, ticket->outcome.n_paths);
	ambit_outcome_finish(&ticket->outcome);
	ticket->outcome = outcome;
	ticket->resolved = resolved;
	ticket->asks = engine_profile_of(engine, ticket->request, &ticket->outcome);
	/* Here, with the decision: of two that wait, only one is allowed to replace a file. */
	engine_once_use(engine, &ticket->outcome);
}

/* The one who asks is part of it, and of a tool call all that it says: a person has
 * seen that one alone. */
char *
ticket_key(const struct ticket *ticket)
{
	const struct ambit_request *request = ticket->request;
	auto_free char *call = NULL;
	struct buf key = { 0 };

	if (ticket->asks.profile) {
		buf_printf(&key, "%s %s", ticket->asks.settings ? "settings" : "profile",
			ticket->asks.profile->name);
		return buf_take(&key);
	}
	/* A process that runs another program is asked about anew. */
	buf_printf(&key, "%d:%llu:%llx:%llx:%llx", (int)request->pid,
		(unsigned long long)request->start, (unsigned long long)request->image,
		(unsigned long long)request->exe_dev, (unsigned long long)request->exe_ino);
	/* Calls that do different things to one path are different questions. */
	buf_printf(&key, " %llx", (unsigned long long)request->detail);
	for (size_t i = 0; i < ticket->outcome.n_paths; i++)
		if (ticket->outcome.paths[i].verdict == AMBIT_ASK)
			buf_printf(&key, "\n%d %d %s %s", (int)ticket->outcome.paths[i].access,
				(int)ticket->outcome.paths[i].code,
				ticket->outcome.paths[i].does ? ticket->outcome.paths[i].does : "-",
				ticket->outcome.paths[i].path);
	if (ticket->outcome.host)
		buf_printf(&key, "\nhost %s", ticket->outcome.host);
	if (!request_is_syscall(request)) {
		call = request_exact_key(request);
		buf_printf(&key, "\ncall %llu %s", (unsigned long long)request->origin,
			call ? call : "");
		key.failed |= !call;
	}
	return buf_take(&key);
}

void
ticket_conclude(struct ambit_engine *engine, uint64_t id, struct ticket *ticket)
{
	ticket->outcome.asked = ticket->seen && ticket->outcome.verdict == AMBIT_DENY;
	engine_record(engine, ticket->request, &ticket->outcome);
	pending_settle(engine->pending, id);
	ticket_drop_question(ticket);
}

enum ambit_code
ticket_refused(const struct ambit_outcome *outcome, enum ambit_code code)
{
	return outcome->code == AMBIT_CODE_NONE ? code : outcome->code;
}

int64_t
engine_expires(const struct ambit_engine *engine, int64_t now)
{
	int timeout = settings_person(engine->settings)->question_timeout;

	return timeout <= 0 ? 0 : now + (int64_t)timeout * 1000;
}

int64_t
engine_client_timeout(const struct ambit_engine *engine)
{
	int timeout = settings_person(engine->settings)->client_timeout;

	return (int64_t)(timeout > 0 ? timeout : CLIENT_TIMEOUT_S) * 1000;
}

/* Puts a ticket that is ask into the queue. */
static int
enqueue_ticket(struct ambit_engine *engine, struct ticket *ticket, uint64_t *ret_id)
{
	auto_free char *key = ticket_key(ticket);
	int64_t now = clock_now();
	int r;

	if (!key)
		return -ENOMEM;
	r = pending_add(engine->pending, key, ticket, now, engine_expires(engine, now), ret_id);
	ticket->queued = r == 0;
	if (r == -EBUSY || r == -ENOSPC)
		engine_refuse(&ticket->outcome, ticket_refused(&ticket->outcome, AMBIT_CODE_DENIED),
			"%s; too many questions in a short time, so this one was not asked",
			ticket->outcome.reason);
	return r;
}

/* Notes in the permit which answer "once" allows the act, or that it makes the temporary file of
 * a file that a rule allows. */
static void
mark_permit_once(
	struct ambit_engine *engine, const struct ticket *ticket, struct ambit_permit *permit)
{
	permit->once = ticket->makes;
	permit->opens = ticket->opens;
	for (size_t i = 0; i < ticket->outcome.n_paths; i++) {
		uint64_t id = ticket->outcome.paths[i].once;

		if (id != 0 && id != ONCE_TEMPORARY)
			permit->chain = engine_once_find_chain(engine, id);
		permit->once |= id == ONCE_TEMPORARY || permit->chain != 0;
	}
}

static int
deliver_outcome(struct ambit_engine *engine, struct ticket *ticket,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err)
{
	struct path_facts *resolved = ticket->resolved;
	int r = 0;

	ticket->resolved = NULL;
	if (ret_permit)
		*ret_permit = NULL;
	if (ticket->outcome.verdict == AMBIT_ALLOW && ret_permit && engine->record &&
		!engine->observe)
		r = engine_permit(
			engine, ticket->request, &ticket->outcome, resolved, ret_permit, err);
	else
		decide_resolved_free(resolved, ticket->outcome.n_paths);
	if (r == 0 && ret_permit && *ret_permit)
		mark_permit_once(engine, ticket, *ret_permit);
	if (r < 0)
		engine_refuse(&ticket->outcome, AMBIT_CODE_INTERNAL,
			"it was allowed, but no permit could be made: %s", strerror(-r));
	*ret_outcome = ticket->outcome;
	ticket->outcome = (struct ambit_outcome){ 0 };
	return r;
}

/* Decides the request and, if it must be asked, queues it. 0: settled, in
 * *ret_ticket which the caller destroys; 1: queued as *ret_id. */
static int
start_ticket(struct ambit_engine *engine, struct ambit_request *request, bool owns,
	struct ticket **ret_ticket, uint64_t *ret_id, struct ambit_error *err)
{
	struct ticket *ticket = calloc(1, sizeof(*ticket));
	int r;

	if (!ticket) {
		if (owns)
			ambit_request_destroy(request);
		return err_nomem(err);
	}
	ticket->request = request;
	ticket->owns = owns;
	ticket_redecide(engine, ticket, false);
	engine_check_loop(engine, request, &ticket->outcome);
	if (ticket->outcome.verdict == AMBIT_ASK) {
		r = enqueue_ticket(engine, ticket, ret_id);
		if (r == 0)
			return 1;
		if (r == -ENOMEM)
			engine_refuse(&ticket->outcome, AMBIT_CODE_INTERNAL, "out of memory");
	}
	engine_record(engine, request, &ticket->outcome);
	*ret_ticket = ticket;
	return 0;
}

static int
submit_request(struct ambit_engine *engine, struct ambit_request *request, bool owns,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err)
{
	struct ticket *ticket = NULL;
	int r = start_ticket(engine, request, owns, &ticket, ret_ticket, err);

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (ret_permit)
		*ret_permit = NULL;
	if (r != 0)
		return r;
	r = deliver_outcome(engine, ticket, ret_outcome, ret_permit, err);
	ticket_destroy(ticket);
	return r;
}

int
engine_submit(struct ambit_engine *engine, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err)
{
	if (engine->agent && !request->agent)
		request->agent = strdup(engine->agent); /* only shown: without it, less is */
	return submit_request(engine, request, true, ret_outcome, ret_permit, ret_ticket, err);
}

int
engine_submit_kept(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err)
{
	/* A ticket never changes its request. */
	return submit_request(engine, (struct ambit_request *)request, false, ret_outcome,
		ret_permit, ret_ticket, err);
}

static void
expire_tickets(struct ambit_engine *engine, int64_t now)
{
	uint64_t id;

	while ((id = pending_expired(engine->pending, now)) != 0) {
		struct ticket *ticket = pending_find(engine->pending, id);

		ticket->seen = true;
		engine_refuse(&ticket->outcome, AMBIT_CODE_TIMEOUT,
			"%s; nobody answered the question in time",
			ticket->outcome.reason ? ticket->outcome.reason : "");
		ticket_conclude(engine, id, ticket);
	}
}

/* Questions that nobody takes time over are as many as the program likes. */
static int
record_question(struct ambit_engine *engine, struct ticket *ticket, struct ambit_error *err)
{
	auto_json json_t *body =
		json_pack("{s:s, s:s}", "door", engine->door, "why", ticket->question.why);
	int r = engine_count(engine, "ask", ticket->request, &ticket->outcome,
		!pending_is_limited(engine->pending), err);

	if (r == 0)
		r = body ? engine_append(
				   engine, "ask", ticket->request, &ticket->outcome, body, err)
			 : err_nomem(err);
	return r < 0 ? r : 0;
}

static int
prepare_question(struct ambit_engine *engine, uint64_t id, struct ticket *ticket)
{
	struct ambit_scope *child = NULL;
	struct ambit_error err = { 0 };
	struct decide_input in;
	int r = engine_input(engine, ticket->request, &in, &child, &err);

	ticket_drop_question(ticket);
	/* It is shown to end when it ends, which is counted from when it was asked. */
	if (r == 0)
		r = question_init(&in, &ticket->outcome, id, pending_expires(engine->pending, id),
			&ticket->question, &err);
	if (r == 0 && ticket->asks.profile)
		r = engine_profile_asks(engine, &ticket->asks, &ticket->question, &err);
	ambit_scope_destroy(child);
	if (r == 0 && engine->record && !engine->observe) {
		r = record_question(engine, ticket, &err);
		if (r < 0)
			ticket_drop_question(ticket);
	}
	return r;
}

/* Whether this ticket's question is put now. If not, it is settled. */
static bool
put_ticket_question(struct ambit_engine *engine, uint64_t id, struct ticket *ticket)
{
	if (ticket->question.id == id)
		return true;
	ticket_redecide(engine, ticket, false);
	if (ticket->outcome.verdict == AMBIT_ASK && ++ticket->asked > ASKED_MAX)
		engine_refuse(&ticket->outcome, ticket_refused(&ticket->outcome, AMBIT_CODE_DENIED),
			"%s; it keeps changing while it is asked about", ticket->outcome.reason);
	else if (ticket->outcome.verdict == AMBIT_ASK && prepare_question(engine, id, ticket) == 0)
		return true;
	else if (ticket->outcome.verdict == AMBIT_ASK)
		engine_refuse(
			&ticket->outcome, AMBIT_CODE_INTERNAL, "the question could not be put");
	ticket_conclude(engine, id, ticket);
	return false;
}

const struct ambit_question *
engine_question_of(struct ambit_engine *engine, uint64_t ticket)
{
	void *data;
	uint64_t id;

	expire_tickets(engine, clock_now());
	while ((id = pending_leader(engine->pending, ticket, &data)) != 0)
		if (put_ticket_question(engine, id, data))
			return &((struct ticket *)data)->question;
	return NULL;
}

uint64_t
engine_question_group(const struct ambit_engine *engine, uint64_t ticket)
{
	return pending_question(engine->pending, ticket);
}

const struct ambit_question *
engine_question_put(const struct ambit_engine *engine, uint64_t question)
{
	const struct ticket *ticket = pending_find(engine->pending, question);

	return ticket && question != 0 && ticket->question.id == question ? &ticket->question
									  : NULL;
}

void
engine_limit(struct ambit_engine *engine, bool limited)
{
	pending_limit(engine->pending, limited && !engine->unlimited);
}

void
engine_withdraw(struct ambit_engine *engine, uint64_t ticket)
{
	ticket_destroy(pending_remove(engine->pending, ticket));
}

int
engine_collect(struct ambit_engine *engine, uint64_t id, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err)
{
	struct ticket *ticket = pending_find(engine->pending, id);
	int r;

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (ret_permit)
		*ret_permit = NULL;
	if (!ticket)
		return err_set(err, ENOENT, "there is no ticket %llu", (unsigned long long)id);
	expire_tickets(engine, clock_now());
	if (!pending_is_settled(engine->pending, id))
		return -EAGAIN;
	r = deliver_outcome(engine, ticket, ret_outcome, ret_permit, err);
	ticket_destroy(pending_remove(engine->pending, id));
	return r;
}

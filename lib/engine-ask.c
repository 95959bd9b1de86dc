/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait for a person. A ticket is one waiting request; tickets
 * about the same thing share a question. A yes does not settle a ticket: it
 * makes rules, and the request is decided again with them, on the file system
 * as it is by then. So whatever changed while the person was thinking is
 * asked about anew, and one answer drains every ticket that it covers. */

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/run.h"
#include "base/str.h"
#include "engine.h"

/* How often one request may be asked about: it changes under the answer. */
#define ASKED_MAX 5
#define QUESTION_TIMEOUT_S 300

struct ticket {
	struct ambit_request *request; /* owned if owns */
	bool owns;
	struct ambit_outcome outcome;
	struct resolved *resolved;
	struct rules once; /* what this request alone was allowed */
	int asked;
	bool queued; /* waits, or waited, for an answer */
};

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
	free(ticket);
}

void
ambit_engine_destroy(struct ambit_engine *engine)
{
	if (!engine)
		return;
	pending_destroy(engine->pending, ticket_destroy);
	ambit_question_finish(&engine->question);
	guards_destroy(engine->guards);
	for (size_t i = 0; i < engine->n_grants; i++)
		free(engine->grants[i].real);
	free(engine->grants);
	strv_free(engine->wanted);
	strv_free(engine->opened);
	engine_worktree_destroy(engine->worktree);
	rules_finish(&engine->rules);
	ambit_session_finish(&engine->session);
	free(engine->door);
	free(engine);
}

/* Decides a ticket anew; what it was decided to before is forgotten. */
static void
redecide(struct ambit_engine *engine, struct ticket *ticket)
{
	decide_resolved_free(ticket->resolved, ticket->outcome.n_paths);
	ambit_outcome_finish(&ticket->outcome);
	ticket->resolved = NULL;
	engine_decide(engine, ticket->request, &ticket->once, ticket->queued, &ticket->outcome,
		&ticket->resolved);
}

/* What the ticket asks about, so that others about the same can join. The
 * one who asks is part of it: "once" is for that process. */
static char *
ticket_key(const struct ticket *ticket)
{
	struct buf key = { 0 };

	buf_printf(&key, "%d:%llu", (int)ticket->request->pid,
		(unsigned long long)ticket->request->start);
	for (size_t i = 0; i < ticket->outcome.n_paths; i++)
		if (ticket->outcome.paths[i].verdict == AMBIT_ASK)
			buf_printf(&key, "\n%d %s", (int)ticket->outcome.paths[i].access,
				ticket->outcome.paths[i].path);
	if (ticket->outcome.host)
		buf_printf(&key, "\nhost %s", ticket->outcome.host);
	if (ticket->outcome.call) {
		auto_free char *call = request_call_key(ticket->request);

		if (!call)
			key.failed = true;
		else
			buf_printf(&key, "\ncall %s", call);
	}
	return buf_take(&key);
}

static void
drop_question(struct ambit_engine *engine)
{
	ambit_question_finish(&engine->question);
	engine->question = (struct ambit_question){ 0 };
}

/* The ticket is decided for good: recorded, and no longer waiting. */
static void
conclude(struct ambit_engine *engine, uint64_t id, struct ticket *ticket)
{
	engine_record(engine, ticket->request, &ticket->outcome);
	pending_settle(engine->pending, id);
	if (engine->question.id == id)
		drop_question(engine);
}

static enum ambit_code
refused_code(const struct ambit_outcome *outcome, enum ambit_code code)
{
	return outcome->code == AMBIT_CODE_NONE ? code : outcome->code;
}

int64_t
engine_expires(const struct ambit_engine *engine, int64_t now)
{
	int timeout = settings_person(engine->settings)->question_timeout;

	if (timeout < 0)
		timeout = QUESTION_TIMEOUT_S;
	return timeout == 0 ? 0 : now + (int64_t)timeout * 1000;
}

/* Puts a ticket that is ask into the queue. */
static int
enqueue(struct ambit_engine *engine, struct ticket *ticket, uint64_t *ret_id)
{
	auto_free char *key = ticket_key(ticket);
	int64_t now = clock_now();
	int r;

	if (!key)
		return -ENOMEM;
	r = pending_add(engine->pending, key, ticket, now, engine_expires(engine, now), ret_id);
	ticket->queued = r == 0;
	if (r == -EBUSY || r == -ENOSPC)
		engine_refuse(&ticket->outcome, refused_code(&ticket->outcome, AMBIT_CODE_DENIED),
			"%s; too many questions in a short time, so this one was not asked",
			ticket->outcome.reason);
	return r;
}

static int
hand_over(struct ambit_engine *engine, struct ticket *ticket, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err)
{
	struct resolved *resolved = ticket->resolved;
	int r = 0;

	ticket->resolved = NULL;
	if (ret_permit)
		*ret_permit = NULL;
	if (ticket->outcome.verdict == AMBIT_ALLOW && ret_permit && engine->record &&
		!engine->observe)
		r = engine_permit(engine, ticket->request, &ticket->outcome, resolved, ret_permit,
			err);
	else
		decide_resolved_free(resolved, ticket->outcome.n_paths);
	if (r < 0)
		engine_refuse(&ticket->outcome, AMBIT_CODE_INTERNAL, "out of memory");
	*ret_outcome = ticket->outcome;
	ticket->outcome = (struct ambit_outcome){ 0 };
	return r;
}

/* Decides the request and, if it must be asked, queues it. 0: settled, in
 * *ret_ticket which the caller destroys; 1: queued as *ret_id. */
static int
begin(struct ambit_engine *engine, struct ambit_request *request, bool owns,
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
	redecide(engine, ticket);
	engine_check_loop(engine, request, &ticket->outcome);
	if (ticket->outcome.verdict == AMBIT_ASK) {
		r = enqueue(engine, ticket, ret_id);
		if (r == 0)
			return 1;
		if (r == -ENOMEM)
			engine_refuse(&ticket->outcome, AMBIT_CODE_INTERNAL, "out of memory");
	}
	engine_record(engine, request, &ticket->outcome);
	*ret_ticket = ticket;
	return 0;
}

int
ambit_engine_submit(struct ambit_engine *engine, struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err)
{
	struct ticket *ticket = NULL;
	int r = begin(engine, request, true, &ticket, ret_ticket, err);

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (ret_permit)
		*ret_permit = NULL;
	if (r != 0)
		return r;
	r = hand_over(engine, ticket, ret_outcome, ret_permit, err);
	ticket_destroy(ticket);
	return r;
}

static void
expire(struct ambit_engine *engine, int64_t now)
{
	uint64_t id;

	while ((id = pending_expired(engine->pending, now)) != 0) {
		struct ticket *ticket = pending_find(engine->pending, id);

		engine_refuse(&ticket->outcome, AMBIT_CODE_TIMEOUT,
			"%s; nobody answered the question in time",
			ticket->outcome.reason ? ticket->outcome.reason : "");
		conclude(engine, id, ticket);
	}
}

static int
show(struct ambit_engine *engine, uint64_t id, struct ticket *ticket)
{
	struct ambit_scope *child = NULL;
	struct ambit_error err = { 0 };
	struct decide_input in;
	int64_t now = clock_now();
	int r = engine_input(engine, ticket->request, &in, &child, &err);

	drop_question(engine);
	if (r == 0)
		r = question_init(&in, &ticket->outcome, id, engine_expires(engine, now),
			&engine->question, &err);
	ambit_scope_destroy(child);
	if (r == 0 && engine->record && !engine->observe) {
		auto_json json_t *body = json_pack("{s:s, s:s}", "door", engine->door, "why",
			engine->question.why);

		r = body ? engine_append(engine, "ask", ticket->request, &ticket->outcome, body, &err)
			 : -ENOMEM;
		if (r < 0)
			drop_question(engine);
	}
	return r;
}

const struct ambit_question *
ambit_engine_question(struct ambit_engine *engine)
{
	struct ticket *ticket;
	void *data;
	uint64_t id;

	expire(engine, clock_now());
	while ((id = pending_current(engine->pending, &data)) != 0) {
		if (engine->question.id == id)
			return &engine->question;
		ticket = data;
		redecide(engine, ticket);
		if (ticket->outcome.verdict == AMBIT_ASK && ++ticket->asked > ASKED_MAX)
			engine_refuse(&ticket->outcome,
				refused_code(&ticket->outcome, AMBIT_CODE_DENIED),
				"%s; it keeps changing while it is asked about",
				ticket->outcome.reason);
		else if (ticket->outcome.verdict == AMBIT_ASK && show(engine, id, ticket) == 0)
			return &engine->question;
		else if (ticket->outcome.verdict == AMBIT_ASK)
			engine_refuse(&ticket->outcome, AMBIT_CODE_INTERNAL,
				"the question could not be put");
		conclude(engine, id, ticket);
	}
	drop_question(engine);
	return NULL;
}

/* -- answers ------------------------------------------------------------------ */

struct answering {
	struct ambit_engine *engine;
	const struct ambit_answer *answer;
	const char *approver;
	int r;
};

static int
apply_no(void *data, uint64_t id, void *ticket_data)
{
	struct answering *a = data;
	struct ticket *ticket = ticket_data;
	auto_free char *message = str_escape(a->answer->message, strlen(a->answer->message));

	engine_refuse(&ticket->outcome, AMBIT_CODE_DENIED, "%s; the answer was no%s%s",
		ticket->outcome.reason ? ticket->outcome.reason : "it was asked",
		message && *message ? ": " : "", message ? message : "");
	conclude(a->engine, id, ticket);
	return 0;
}

static int
apply_once(void *data, uint64_t id, void *ticket_data)
{
	struct answering *a = data;
	struct ticket *ticket = ticket_data;
	struct decide_input in;

	(void)id;
	rules_finish(&ticket->once);
	engine_look(a->engine, ticket->request, &in);
	a->r = question_once(&in, &ticket->outcome, &ticket->once);
	return 0;
}

/* Every waiting ticket is looked at again: what is now answered goes on. */
static int
drain(void *data, uint64_t id, void *ticket_data)
{
	struct answering *a = data;
	struct ticket *ticket = ticket_data;

	if (pending_is_settled(a->engine->pending, id))
		return 0;
	redecide(a->engine, ticket);
	if (ticket->outcome.verdict != AMBIT_ASK)
		conclude(a->engine, id, ticket);
	return 0;
}

static int
append_answer(struct ambit_engine *engine, const struct ambit_request *request, const json_t *body,
	struct rules *rules, struct ambit_error *err)
{
	auto_free char *label = request_label(request);
	const struct ambit_event event = {
		.session = engine->session.name,
		.time = clock_now(),
		.kind = "answer",
		.tool = ambit_request_tool(request),
		.subject = label,
	};

	if (!label)
		return err_nomem(err);
	return record_answer(engine->record, &event, body, rules->list, rules->n, err);
}

/* Takes what was just stored, as reading it again would add it: the one who
 * was asked about waits. What others store shows in the record's version. A
 * message is kept redacted, so that one is read. */
static void
learn(struct ambit_engine *engine, struct rules *rules)
{
	struct rules *known = &engine->rules;
	struct ambit_rule *more;

	if (rules->n == 0)
		return;
	more = realloc(known->list, (known->n + rules->n) * sizeof(*more));
	if (more)
		known->list = more;
	if (!more || rules->list[0].message) {
		engine->rules_version = -1;
		return;
	}
	memcpy(known->list + known->n, rules->list, rules->n * sizeof(*more));
	known->n += rules->n;
	rules->n = 0;
}

static int
store_answer(struct ambit_engine *engine, struct ticket *ticket, const struct ambit_answer *answer,
	const char *folder, const char *approver, struct ambit_error *err)
{
	struct rules rules = { 0 };
	struct decide_input in;
	int r = 0;

	/* No file is looked at: what was shown is what is stored. */
	engine_look(engine, ticket->request, &in);
	if (question_rules(&in, &ticket->outcome, answer->kind, folder, approver, &rules) < 0)
		r = err_nomem(err);
	auto_json json_t *body = json_pack("{s:s, s:s, s:s}", "answer",
		ambit_word_name(ambit_answers, (int)answer->kind), "approver", approver, "door",
		engine->door);

	if (r == 0 && (!body || json_set_text(body, "message", answer->message) < 0))
		r = err_nomem(err);
	for (size_t i = 0; r == 0 && i < rules.n; i++)
		if (answer->kind < AMBIT_ONCE && answer->message[0])
			rules.list[i].message = strdup(answer->message);
	if (r == 0 && engine->record && !engine->observe) {
		r = append_answer(engine, ticket->request, body, &rules, err);
		if (r == 0)
			learn(engine, &rules);
	}
	rules_finish(&rules);
	return r;
}

int
ambit_engine_answer(struct ambit_engine *engine, uint64_t question,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err)
{
	struct answering a = { .engine = engine, .answer = answer, .approver = approver };
	struct ticket *ticket;
	const char *folder = NULL;
	int r;

	if (question == 0 || engine->question.id != question)
		return err_set(err, ENOENT, "that question is no longer open");
	ticket = pending_find(engine->pending, question);
	if (!ticket)
		return err_set(err, ENOENT, "that question is no longer open");
	r = question_check(&engine->question, answer, &folder, err);
	if (r < 0)
		return r;
	r = store_answer(engine, ticket, answer, folder, approver, err);
	if (r < 0) {
		/* What cannot be stored was not said. */
		struct ambit_answer no = { .kind = AMBIT_NO };
		auto_free char *why = err ? strdup(err->text) : NULL;

		snprintf(no.message, sizeof(no.message), "the answer could not be recorded: %.400s",
			why ? why : "?");
		a.answer = &no;
		pending_each(engine->pending, question, apply_no, &a);
		drop_question(engine);
		return r;
	}
	if (answer->kind < AMBIT_ONCE) {
		pending_each(engine->pending, question, apply_no, &a);
	} else {
		pending_each(engine->pending, question, apply_once, &a);
	}
	drop_question(engine);
	pending_each_all(engine->pending, drain, &a);
	return a.r < 0 ? err_nomem(err) : 0;
}

struct declining {
	struct ambit_engine *engine;
	int error;
	const char *why;
	int n;
};

static int
apply_decline(void *data, uint64_t id, void *ticket_data)
{
	struct declining *d = data;
	struct ticket *ticket = ticket_data;

	d->n++;
	engine_refuse(&ticket->outcome,
		d->error == ETIMEDOUT ? AMBIT_CODE_TIMEOUT
				      : refused_code(&ticket->outcome, AMBIT_CODE_DENIED),
		"%s; %s", ticket->outcome.reason ? ticket->outcome.reason : "it was asked", d->why);
	conclude(d->engine, id, ticket);
	return 0;
}

int
ambit_engine_decline(struct ambit_engine *engine, uint64_t question, int error, const char *why)
{
	struct declining d = {
		.engine = engine,
		.error = error < 0 ? -error : error,
		.why = why && *why ? why : "nobody answered",
	};

	pending_each(engine->pending, question, apply_decline, &d);
	if (d.n == 0)
		return -ENOENT;
	if (engine->question.id == question)
		drop_question(engine);
	return 0;
}

void
ambit_engine_withdraw(struct ambit_engine *engine, uint64_t ticket)
{
	if (engine->question.id == ticket)
		drop_question(engine);
	ticket_destroy(pending_remove(engine->pending, ticket));
}

int
ambit_engine_collect(struct ambit_engine *engine, uint64_t id, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err)
{
	struct ticket *ticket = pending_find(engine->pending, id);
	int r;

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (ret_permit)
		*ret_permit = NULL;
	if (!ticket)
		return err_set(err, ENOENT, "there is no ticket %llu", (unsigned long long)id);
	expire(engine, clock_now());
	if (!pending_is_settled(engine->pending, id))
		return -EAGAIN;
	r = hand_over(engine, ticket, ret_outcome, ret_permit, err);
	ticket_destroy(pending_remove(engine->pending, id));
	return r;
}

/* -- asking and waiting --------------------------------------------------------- */

/* Puts the question to the approver, and its answer to the engine. */
static void
ask(struct ambit_engine *engine, const struct ambit_question *question)
{
	struct ambit_answer answer = { 0 };
	struct ambit_error err = { 0 };
	uint64_t id = question->id;
	int r = engine->approver
		? engine->approver->ask(engine->approver, question, &answer, &err)
		: err_set(&err, ENOENT, "nobody is here to ask");

	if (r == 0)
		r = ambit_engine_answer(engine, id, &answer, engine->approver->name, &err);
	if (r < 0)
		ambit_engine_decline(engine, id, r, err.text);
}

int
ambit_engine_request(struct ambit_engine *engine, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err)
{
	struct ticket *ticket = NULL;
	const struct ambit_question *question;
	uint64_t id = 0;
	/* The request stays the caller's; a ticket never changes it. */
	int r = begin(engine, (struct ambit_request *)request, false, &ticket, &id, err);

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (ret_permit)
		*ret_permit = NULL;
	if (r < 0)
		return r;
	if (r == 0) {
		r = hand_over(engine, ticket, ret_outcome, ret_permit, err);
		ticket_destroy(ticket);
		return r;
	}
	while (!pending_is_settled(engine->pending, id)) {
		question = ambit_engine_question(engine);
		if (!question)
			break;
		ask(engine, question);
	}
	return ambit_engine_collect(engine, id, ret_outcome, ret_permit, err);
}

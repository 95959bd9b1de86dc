/* SPDX-License-Identifier: Apache-2.0 */
/* What a person said, or that nobody did. An answer becomes rules, exactly those that
 * were shown with it; then every ticket is looked at again. */

#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/run.h"
#include "base/str.h"
#include "engine-ticket.h"

struct answering {
	struct ambit_engine *engine;
	const struct ambit_answer *answer;
	uint64_t question;
	const char *key; /* of what was shown */
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
	ticket_conclude(a->engine, id, ticket);
	return 0;
}

static int
apply_once(void *data, uint64_t id, void *ticket_data)
{
	struct answering *a = data;
	struct ticket *ticket = ticket_data;
	struct decide_input in;
	auto_free char *key = ticket_key(ticket);

	/* A tool call is allowed by itself: whoever makes the same again is asked again. */
	if (id != a->question && !request_is_syscall(ticket->request))
		return 0;
	/* Those who joined asked for the same then. If it is not the same any more, theirs
	 * was not shown, and waits for a question of its own. */
	if (!key)
		a->r = -ENOMEM;
	if (!key || !streq(key, a->key))
		return 0;
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
	ticket_redecide(a->engine, ticket, true);
	if (ticket->outcome.verdict != AMBIT_ASK)
		ticket_conclude(a->engine, id, ticket);
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
	struct ticket *ticket = pending_find(engine->pending, question);
	auto_free char *key = ticket ? ticket_key(ticket) : NULL;
	struct answering a = { engine, .answer = answer, .question = question, .key = key };
	const char *folder = NULL;
	int r;

	if (!ticket || question == 0 || ticket->question.id != question)
		return err_set(err, ENOENT, "that question is no longer open");
	r = key ? question_check(&ticket->question, answer, &folder, err) : err_nomem(err);
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
		return r;
	}
	/* Whatever it waits for from here on has not been shown. */
	ticket_drop_question(ticket);
	pending_each(
		engine->pending, question, answer->kind < AMBIT_ONCE ? apply_no : apply_once, &a);
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
				      : ticket_refused(&ticket->outcome, AMBIT_CODE_DENIED),
		"%s; %s", ticket->outcome.reason ? ticket->outcome.reason : "it was asked", d->why);
	ticket_conclude(d->engine, id, ticket);
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
	return d.n == 0 ? -ENOENT : 0;
}

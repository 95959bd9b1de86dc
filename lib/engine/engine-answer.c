/* SPDX-License-Identifier: Apache-2.0 */
/* What a person said, or that nobody did. An answer becomes rules, exactly those that
 * were shown with it; then every ticket is looked at again. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/judge/judge-ask.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-ticket.h"
#include "engine/questions.h"
#include "request/request-private.h"

struct answering {
	struct ambit_engine *engine;
	const struct ambit_answer *answer;
	uint64_t question;
	const char *key; /* of what was shown */
	uint64_t once;	 /* what engine_once_add made of it */
	int r;
};

static int
apply_no(void *data, uint64_t id, void *ticket_data)
{
	struct answering *a = data;
	struct ticket *ticket = ticket_data;
	auto_free char *message = str_escape(a->answer->message, strlen(a->answer->message));

	ticket->seen = true;
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
	ticket->seen |= !a->answer->judge;
	rules_finish(&ticket->once);
	engine_look(a->engine, ticket->request, &in);
	if (question_once(&in, &ticket->outcome, &ticket->once) < 0)
		a->r = -ENOMEM;
	ticket->makes =
		a->r == 0 && !a->answer->judge && (a->answer->kind != AMBIT_ONCE || a->once != 0);
	ticket->opens = ticket->makes ? a->once : 0;
	return 0;
}

/* Every waiting ticket is looked at again: what is now answered goes on. */
static int
recheck_ticket(void *data, uint64_t id, void *ticket_data)
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
		.tool = request_tool(request),
		.subject = label,
	};

	if (!label)
		return err_nomem(err);
	/* An answer that nobody took time over, and of which nothing stays. */
	if (rules->n == 0 && !pending_is_limited(engine->pending)) {
		int r = engine_count(engine, "answer", request, NULL, false, err);

		if (r != 0)
			return r < 0 ? r : 0;
	}
	return record_answer(engine->record, &event, body, rules->list, rules->n, err);
}

/* Adds the rules that were just stored, without reading the record again: a call waits for them.
 * Rules that others store are noticed by the record's version. A rule with a message is read,
 * since the record keeps the message redacted. */
static void
add_stored_rules(struct ambit_engine *engine, struct rules *rules)
{
	struct rules *known = &engine->rules;
	struct ambit_rule *more;

	if (rules->n == 0)
		return;
	engine->narrow_at = 0;
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
	/* A rule is for every kind of write to its path, and a judge has seen one call: it goes
	 * on (apply_once), and the next that is like it is put to him, who remembers. */
	if (!answer->judge &&
		question_rules(&in, &ticket->outcome, answer->kind, folder, approver, &rules) < 0)
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
			add_stored_rules(engine, &rules);
	}
	rules_finish(&rules);
	return r;
}

/* What a judge may not answer he has not answered, however it came here. He has seen
 * one path of a directory, not the directory. */
static int
check_judge(const struct ambit_question *question, const struct ambit_answer *answer,
	const char **folder, struct ambit_error *err)
{
	if (!answer->judge)
		return 0;
	if (!question->judge || answer->kind != AMBIT_ONCE)
		return err_set(err, EPERM, "this is not for a judge to answer");
	*folder = NULL;
	return 0;
}

static int
mark_seen(void *data, uint64_t id, void *ticket)
{
	(void)data;
	(void)id;
	((struct ticket *)ticket)->seen = true;
	return 0;
}

/* A profile is opened or not. What waits for it is decided anew in either case, and what the
 * profile does not cover is asked about by itself. */
static int
answer_profile(
	struct answering *a, struct ticket *ticket, const char *approver, struct ambit_error *err)
{
	struct ambit_answer no = { .kind = AMBIT_NO };
	struct ambit_engine *engine = a->engine;
	int r = engine_profile_answered(engine, ticket->asks, a->answer, approver, err);

	ticket_drop_question(ticket);
	if (r < 0) {
		/* What cannot be stored, or is about other places than were shown, was not said. */
		snprintf(no.message, sizeof(no.message), "%s",
			r == -ESTALE ? "its places changed while it was asked about"
				     : "the answer could not be recorded");
		a->answer = &no;
	}
	pending_each(engine->pending, a->question,
		a->answer->kind < AMBIT_ONCE ? apply_no : mark_seen, a);
	if (r == 0)
		r = engine_reload(engine, err);
	pending_each_all(engine->pending, recheck_ticket, a);
	return r;
}

int
engine_answer(struct ambit_engine *engine, uint64_t question, const struct ambit_answer *answer,
	const char *approver, struct ambit_error *err)
{
	struct ticket *ticket = pending_find(engine->pending, question);
	auto_free char *key = ticket ? ticket_key(ticket) : NULL;
	struct answering a = { engine, .answer = answer, .question = question, .key = key };
	const char *folder = NULL;
	int r;

	if (!ticket || question == 0 || ticket->question.id != question)
		return err_set(err, ENOENT, "that question is no longer open");
	r = key ? question_check(&ticket->question, answer, &folder, err) : err_nomem(err);
	if (r == 0)
		r = check_judge(&ticket->question, answer, &folder, err);
	if (r < 0)
		return r;
	if (ticket->asks.profile)
		return answer_profile(&a, ticket, approver, err);
	r = store_answer(engine, ticket, answer, folder, answer->judge ? "judge" : approver, err);
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
	/* The rate is a person's patience, which a judge has not used. */
	if (answer->judge)
		pending_refund(engine->pending);
	else if (answer->kind < AMBIT_ONCE)
		judge_overrule(engine->judge, &ticket->question);
	/* Whatever it waits for from here on has not been shown. */
	ticket_drop_question(ticket);
	if (answer->kind == AMBIT_ONCE && !answer->judge)
		a.r = engine_once_add(engine, ticket->request, &ticket->outcome, &a.once);
	pending_each(
		engine->pending, question, answer->kind < AMBIT_ONCE ? apply_no : apply_once, &a);
	pending_each_all(engine->pending, recheck_ticket, &a);
	engine_once_suspend(engine, a.once);
	return a.r < 0 ? err_nomem(err) : 0;
}

int
engine_reload_record(struct ambit_engine *engine, struct ambit_error *err)
{
	struct answering a = { .engine = engine };
	int r;

	engine->rules_version = -1;
	engine->looked = engine->narrow_at = 0;
	r = engine_reload(engine, err);
	if (r == 0)
		pending_each_all(engine->pending, recheck_ticket, &a);
	return r;
}

#define WHAT_MAX 200 /* as a label has */

/* Nothing depends on it: whether it can be recorded decides nothing. */
void
engine_passed(struct ambit_engine *engine, const struct ambit_question *question,
	const struct ambit_error *why)
{
	auto_json json_t *body = json_pack("{s:s, s:s}", "verdict", "pass", "door", engine->door);
	size_t len = str_cut(question->what, strlen(question->what), WHAT_MAX);
	auto_free char *what = strndup(question->what, len);
	const struct ambit_event event = {
		.session = engine->session.name,
		.time = clock_now(),
		.kind = "judge",
		.subject = what,
	};

	if (why->code == 0 || !engine->record || engine->observe || !what || !body ||
		json_set_text(body, "reason", why->text) < 0)
		return;
	if (record_count(engine->record, &event, &(struct record_like){ 0 }, NULL) == 0)
		record_append(engine->record, &event, body, NULL);
}

struct declining {
	struct ambit_engine *engine;
	int error;
	const char *why;
	int n;
};

/* Nobody could be asked, so there is no answer to wait for. */
static void
set_unasked_hint(struct ambit_outcome *outcome)
{
	static const char words[] = "Work inside the folder, or report it in your summary; do not "
				    "try another way to the same place.";

	if (outcome->code != AMBIT_CODE_OUTSIDE)
		return;
	free(outcome->hint);
	outcome->hint = strdup(words);
}

static int
apply_decline(void *data, uint64_t id, void *ticket_data)
{
	struct declining *d = data;
	struct ticket *ticket = ticket_data;

	d->n++;
	ticket->seen |= d->error == ETIMEDOUT;
	engine_refuse(&ticket->outcome,
		d->error == ETIMEDOUT ? AMBIT_CODE_TIMEOUT
				      : ticket_refused(&ticket->outcome, AMBIT_CODE_DENIED),
		"%s; %s", ticket->outcome.reason ? ticket->outcome.reason : "it was asked", d->why);
	set_unasked_hint(&ticket->outcome);
	ticket_conclude(d->engine, id, ticket);
	return 0;
}

int
engine_decline(struct ambit_engine *engine, uint64_t question, int error, const char *why)
{
	struct declining d = {
		.engine = engine,
		.error = error < 0 ? -error : error,
		.why = why && *why ? why : "nobody answered",
	};

	pending_each(engine->pending, question, apply_decline, &d);
	return d.n == 0 ? -ENOENT : 0;
}

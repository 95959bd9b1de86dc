/* SPDX-License-Identifier: Apache-2.0 */
/* Clients and channels meet here. The engine keeps the requests that wait and says what has to be
 * asked; the desk knows who waits, who can answer, and who was shown what. One lock covers the
 * engine and all of that. */

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/desk/desk-private.h"
#include "ask/judge/judge-ask.h"
#include "ask/question-copy.h"
#include "base/err.h"
#include "base/str.h"
#include "base/thread.h"
#include "engine/doors.h"
#include "engine/questions.h"

#define PUT_FROM ((uint64_t)1 << 48) /* tickets of desk_put; the engine's begin at 1 */
#define IDS_EACH ((uint64_t)1 << 24) /* numbers of questions that each desk has for itself */

static void
copy_text(char *to, size_t size, const char *text)
{
	size_t len = text ? str_cut(text, strlen(text), size - 1) : 0;

	memcpy(to, text ? text : "", len);
	to[len] = '\0';
}

/* -- the lock ------------------------------------------------------------------- */

/* A mutex is not fair: a thread that unlocks it and locks it again at once can keep others out
 * for seconds. The second mutex makes threads queue. */
void
desk_lock(struct desk *desk)
{
	pthread_mutex_lock(&desk->next);
	pthread_mutex_lock(&desk->lock);
	pthread_mutex_unlock(&desk->next);
}

void
desk_unlock(struct desk *desk)
{
	pthread_mutex_unlock(&desk->lock);
}

void
desk_look(struct desk *desk)
{
	desk->changed = true;
	pthread_cond_signal(&desk->work);
}

int
desk_reload(struct desk *desk, struct ambit_error *err)
{
	int r;

	desk_lock(desk);
	if (desk->o.answering)
		desk->o.answering(desk->o.data);
	r = engine_reload_record(desk->o.engine, err);
	desk_look(desk);
	desk_unlock(desk);
	return r;
}

/* -- matters ---------------------------------------------------------------------- */

struct matter *
matter_make(struct desk *desk, const struct ambit_question *question)
{
	struct matter *matter = calloc(1, sizeof(*matter)), **at = &desk->matters;

	if (!matter || question_copy(question, &matter->question) < 0) {
		free(matter);
		return NULL;
	}
	matter->engine_id = question->id;
	matter->question.id = ++desk->last_id;
	matter->question.stops = desk->o.stop != NULL;
	while (*at)
		at = &(*at)->next;
	*at = matter;
	return matter;
}

void
matter_destroy(struct matter *matter)
{
	question_finish(&matter->question);
	free(matter);
}

struct shown *
matter_shown_on(struct matter *matter, const struct desk_channel *channel)
{
	for (size_t i = 0; i < matter->n_shown; i++)
		if (matter->shown[i].channel == channel)
			return &matter->shown[i];
	return NULL;
}

bool
channel_is_for(const struct desk_channel *channel, const struct matter *matter)
{
	if (channel->row->stage == DESK_JUDGE && !matter->question.judge)
		return false;
	return !channel->type->present || channel->type->present((struct desk_channel *)channel);
}

static bool
may_answer(const struct matter *matter, const struct desk_channel *channel, enum desk_stage stage)
{
	const struct shown *shown = matter_shown_on((struct matter *)matter, channel);

	/* One more than fits is never shown it. */
	if (shown ? shown->passed : matter->n_shown == DESK_CHANNELS_MAX)
		return false;
	return channel->row->stage == stage && channel_is_for(channel, matter);
}

bool
matter_is_open_at(const struct desk *desk, const struct matter *matter, enum desk_stage stage)
{
	if (matter->own && may_answer(matter, matter->own, stage))
		return true;
	for (const struct desk_channel *c = desk->channels; c; c = c->next)
		if (may_answer(matter, c, stage))
			return true;
	return false;
}

static struct matter *
find_matter(const struct desk *desk, uint64_t id)
{
	for (struct matter *matter = desk->matters; matter; matter = matter->next)
		if (matter->question.id == id)
			return matter->ended ? NULL : matter;
	return NULL;
}

static struct waiter *
waiter_of_put(const struct desk *desk, const struct matter *matter)
{
	for (struct waiter *waiter = desk->waiters; waiter; waiter = waiter->next)
		if (waiter->put && !waiter->settled && waiter->matter == matter)
			return waiter;
	return NULL;
}

bool
matter_asks(const struct matter *matter, const struct ambit_question *question)
{
	return matter->engine_id != 0 && streq(matter->question.what, question->what) &&
	       streq(matter->question.outcome, question->outcome);
}

/* The engine names a question after the first ticket that waits for it. If that one has left, the
 * question goes on under the next one's. */
static const struct ambit_question *
find_asked(struct desk *desk, struct matter *matter)
{
	const struct ambit_question *now = engine_question_put(desk->o.engine, matter->engine_id);

	for (const struct waiter *w = desk->waiters; !now && w; w = w->next)
		if (w->matter == matter && !w->put && !w->settled)
			now = engine_question_of(desk->o.engine, w->ticket);
	return now;
}

/* The engine may have come to ask about something else under the same id. */
static bool
is_still_asked(struct desk *desk, struct matter *matter)
{
	const struct ambit_question *now;

	if (matter->engine_id == 0)
		return waiter_of_put(desk, matter) != NULL;
	now = find_asked(desk, matter);
	if (!now || !matter_asks(matter, now))
		return false;
	matter->engine_id = now->id;
	return true;
}

bool
is_waited_for(const struct desk *desk, const struct matter *matter)
{
	for (const struct waiter *waiter = desk->waiters; waiter; waiter = waiter->next)
		if (waiter->matter == matter)
			return true;
	return false;
}

static void
end_matter(struct desk *desk, struct matter *matter, const struct desk_channel *channel,
	const char *what)
{
	matter->ended = true;
	matter->answerer = channel;
	snprintf(matter->how, sizeof(matter->how), "%s%s%s", what, channel ? " " : "",
		channel ? channel->row->where : "");
	desk_look(desk);
}

static int
answer_put(struct desk *desk, struct matter *matter, const struct ambit_answer *answer)
{
	struct waiter *waiter = waiter_of_put(desk, matter);

	if (!waiter)
		return -ENOENT;
	if (answer->kind < AMBIT_ONCE && !answer->judge)
		judge_overrule(engine_judge(desk->o.engine), &matter->question);
	waiter_say(waiter, answer, 0, NULL);
	return 0;
}

static const char *
channel_name(const struct desk_channel *channel)
{
	return channel->name ? channel->name : channel->row->name;
}

int
matter_answer(struct desk *desk, struct matter *matter, const struct ambit_answer *answer,
	const struct desk_channel *channel, struct ambit_error *err)
{
	const char *name = channel ? channel_name(channel) : desk->o.instant->name;
	int r;

	if (!is_still_asked(desk, matter))
		return err_set(err, ENOENT, "that question is no longer open");
	if (desk->o.answering)
		desk->o.answering(desk->o.data);
	r = matter->engine_id == 0
		    ? answer_put(desk, matter, answer)
		    : engine_answer(desk->o.engine, matter->engine_id, answer, name, err);
	if (r == 0)
		end_matter(
			desk, matter, channel, answer->kind >= AMBIT_ONCE ? "allowed" : "refused");
	else
		desk_look(desk); /* what could not be stored is a no */
	if (r == 0 && answer->stop && desk->o.stop)
		desk->o.stop(desk->o.data);
	return r;
}

void
matter_decline(struct desk *desk, struct matter *matter, int error, const char *why)
{
	if (matter->engine_id == 0)
		waiter_say(waiter_of_put(desk, matter), NULL, error, why);
	else
		engine_decline(desk->o.engine, matter->engine_id, error, why);
	end_matter(desk, matter, NULL,
		error == ETIMEDOUT ? "expired: nobody answered in time"
				   : "refused: nobody answered");
}

void
matter_settle(struct desk *desk, struct matter *matter)
{
	struct ambit_approver *instant = desk->o.instant;
	struct ambit_answer answer = { 0 };
	struct ambit_error err = { .code = matter->error };
	int r = -ENOENT;

	copy_text(err.text, sizeof(err.text), matter->error ? matter->why : QUESTION_NOBODY);
	if (instant) {
		r = instant->ask(instant, &matter->question, &answer, &err);
		if (r == 0)
			r = matter_answer(desk, matter, &answer, NULL, &err);
	}
	if (r < 0 && !matter->ended)
		matter_decline(desk, matter, err.code ? err.code : ENOENT, err.text);
}

/* -- clients ---------------------------------------------------------------------- */

void
waiter_destroy(struct waiter *waiter)
{
	ambit_outcome_finish(&waiter->outcome);
	free(waiter);
}

void
waiter_say(struct waiter *waiter, const struct ambit_answer *answer, int error, const char *why)
{
	if (!waiter || waiter->settled)
		return;
	waiter->settled = true;
	waiter->answered = answer != NULL;
	if (answer)
		waiter->answer = *answer;
	waiter->error = error;
	copy_text(waiter->why, sizeof(waiter->why), why);
}

static struct waiter *
add_waiter(struct desk *desk, const struct desk_client *client)
{
	struct waiter *waiter = calloc(1, sizeof(*waiter)), **at = &desk->waiters;

	if (!waiter)
		return NULL;
	waiter->client = *client;
	if (client->own)
		client->own->desk = desk;
	while (*at)
		at = &(*at)->next;
	*at = waiter;
	return waiter;
}

static struct waiter *
find_waiter(const struct desk *desk, uint64_t ticket)
{
	struct waiter *waiter = desk->waiters;

	while (waiter && waiter->ticket != ticket)
		waiter = waiter->next;
	return waiter;
}

static struct waiter *
take_waiter(struct desk *desk, uint64_t ticket)
{
	for (struct waiter **at = &desk->waiters; *at; at = &(*at)->next)
		if ((*at)->ticket == ticket) {
			struct waiter *waiter = *at;

			*at = waiter->next;
			return waiter;
		}
	return NULL;
}

/* The thread is made for the first question that has to wait. */
static bool
has_thread(struct desk *desk)
{
	if (!desk->started && !desk->stopping)
		desk->started = thread_start(&desk->thread, NULL, desk_run_thread, desk) == 0;
	return desk->started && !desk->stopping;
}

/* Whether somebody who takes time is to be asked about this. */
static bool
must_wait(struct desk *desk, const struct ambit_question *question, struct desk_channel *own)
{
	struct matter matter = { .question = *question, .own = own };

	for (int stage = 0; stage < DESK_STAGES; stage++)
		if (matter_is_open_at(desk, &matter, (enum desk_stage)stage))
			return true;
	return false;
}

/* 0: settled; 1: it waits. The request may change while it is asked about, a few times. */
static int
settle_ticket(struct desk *desk, uint64_t ticket, const struct desk_client *client,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit,
	struct ambit_error *err)
{
	struct desk_channel *own = client ? client->own : NULL;
	int r;

	while ((r = engine_collect(desk->o.engine, ticket, ret_outcome, ret_permit, err)) ==
		-EAGAIN) {
		const struct ambit_question *question = engine_question_of(desk->o.engine, ticket);

		if (!question)
			continue;
		if (must_wait(desk, question, own))
			return 1;
		matter_settle(
			desk, &(struct matter){ .question = *question, .engine_id = question->id });
	}
	return r;
}

int
desk_submit(struct desk *desk, struct ambit_request *request, const struct desk_client *client,
	struct ambit_outcome *ret_outcome, struct ambit_permit **ret_permit, uint64_t *ret_ticket,
	struct ambit_error *err)
{
	struct waiter *waiter = NULL;
	int r;

	*ret_ticket = 0;
	desk_lock(desk);
	/* The limit is a person's patience. */
	engine_limit(desk->o.engine, client->own || desk_has_person(desk));
	if (client->keeps)
		r = engine_submit_kept(
			desk->o.engine, request, ret_outcome, ret_permit, ret_ticket, err);
	else
		r = engine_submit(
			desk->o.engine, request, ret_outcome, ret_permit, ret_ticket, err);
	if (r == 1)
		r = settle_ticket(desk, *ret_ticket, client, ret_outcome, ret_permit, err);
	if (r == 1)
		waiter = has_thread(desk) ? add_waiter(desk, client) : NULL;
	if (r == 1 && !waiter) {
		engine_withdraw(desk->o.engine, *ret_ticket);
		r = err_set(err, EAGAIN, "there is no thread to ask from");
	}
	if (waiter)
		waiter->ticket = *ret_ticket;
	if (desk->started)
		desk_look(desk);
	desk_unlock(desk);
	return r;
}

int
desk_try(struct desk *desk, struct ambit_request *request, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_error *err)
{
	uint64_t ticket = 0;
	int r;

	desk_lock(desk);
	/* A question that nobody is shown costs no patience, and is not recorded as asked. */
	engine_limit(desk->o.engine, false);
	r = engine_submit(desk->o.engine, request, ret_outcome, ret_permit, &ticket, err);
	if (r == 1 && !desk->channels)
		r = settle_ticket(desk, ticket, NULL, ret_outcome, ret_permit, err);
	if (r == 1)
		engine_withdraw(desk->o.engine, ticket);
	desk_unlock(desk);
	return r;
}

int
desk_put(struct desk *desk, const struct ambit_question *question, const struct desk_client *client,
	uint64_t *ret_ticket, struct ambit_error *err)
{
	struct matter *matter = NULL;
	struct waiter *waiter = NULL;

	desk_lock(desk);
	if (has_thread(desk) && (matter = matter_make(desk, question)) != NULL)
		waiter = add_waiter(desk, client);
	if (waiter) {
		matter->engine_id = 0;
		matter->own = client->own;
		waiter->put = true;
		waiter->matter = matter;
		waiter->ticket = *ret_ticket = PUT_FROM + matter->question.id;
	} else if (matter) {
		matter->ended = true;
	}
	if (desk->started)
		desk_look(desk);
	desk_unlock(desk);
	return waiter ? 0 : err_set(err, EAGAIN, "the question could not be put");
}

/* Nobody is called about it any more. */
static bool
withdraw_ticket(struct desk *desk, uint64_t ticket, const char *how)
{
	struct waiter *waiter = take_waiter(desk, ticket);

	if (!waiter)
		return false;
	if (waiter->matter && !waiter->matter->ended && !is_waited_for(desk, waiter->matter))
		copy_text(waiter->matter->how, sizeof(waiter->matter->how), how);
	if (!waiter->put && !waiter->settled)
		engine_withdraw(desk->o.engine, ticket);
	if (waiter->permit)
		ambit_permit_finish(waiter->permit, -ECANCELED, NULL);
	waiter_destroy(waiter);
	desk_look(desk);
	return true;
}

void
desk_limit(struct desk *desk, uint64_t ticket, int64_t until)
{
	struct waiter *waiter;

	desk_lock(desk);
	waiter = find_waiter(desk, ticket);
	if (waiter)
		waiter->until = until;
	desk_look(desk);
	desk_unlock(desk);
}

bool
desk_take(struct desk *desk, uint64_t ticket, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit)
{
	struct waiter *waiter;
	bool settled;

	desk_lock(desk);
	while (desk->delivering == ticket)
		pthread_cond_wait(&desk->calm, &desk->lock);
	waiter = find_waiter(desk, ticket);
	if (waiter && !waiter->settled)
		waiter_look(desk, waiter);
	settled = waiter && waiter->settled;
	if (settled) {
		take_waiter(desk, ticket);
		*ret_outcome = waiter->outcome;
		*ret_permit = waiter->permit;
		free(waiter);
	}
	desk_look(desk);
	desk_unlock(desk);
	return settled;
}

bool
desk_withdraw(struct desk *desk, uint64_t ticket, const char *how)
{
	bool found;

	desk_lock(desk);
	found = withdraw_ticket(desk, ticket, how);
	desk_unlock(desk);
	return found;
}

void
desk_cancel(struct desk *desk, uint64_t ticket, const char *how)
{
	struct waiter *waiter;

	desk_lock(desk);
	waiter = find_waiter(desk, ticket);
	if (waiter && !waiter->settled) {
		copy_text(waiter->matter->how, sizeof(waiter->matter->how), how);
		waiter_say(waiter, NULL, ECANCELED, how);
		desk_look(desk);
	}
	desk_unlock(desk);
}

static void
forget_channel(struct desk *desk, const struct desk_channel *channel)
{
	for (struct matter *matter = desk->matters; matter; matter = matter->next) {
		if (matter->own == channel)
			matter->own = NULL;
		if (matter->answerer == channel)
			matter->answerer = NULL;
		for (size_t i = 0; i < matter->n_shown;)
			if (matter->shown[i].channel == channel)
				matter->shown[i] = matter->shown[--matter->n_shown];
			else
				i++;
	}
}

bool
desk_leave(struct desk *desk, uint64_t ticket, struct desk_channel *own, const char *how)
{
	bool found;

	desk_lock(desk);
	found = withdraw_ticket(desk, ticket, how);
	if (own)
		forget_channel(desk, own);
	while ((ticket != 0 && desk->delivering == ticket) || (own && desk->speaking == own))
		pthread_cond_wait(&desk->calm, &desk->lock);
	desk_unlock(desk);
	return found;
}

/* -- channels --------------------------------------------------------------------- */

void
desk_ready(struct desk_channel *channel)
{
	struct desk *desk = channel->desk;

	desk_lock(desk);
	if (channel->offered > 0)
		channel->offered--;
	desk_look(desk);
	desk_unlock(desk);
}

/* Why an answer to it comes too late. */
static int
report_ended(const struct desk *desk, uint64_t id, struct ambit_error *err)
{
	const struct matter *matter = desk->matters;

	while (matter && matter->question.id != id)
		matter = matter->next;
	return err_set(err, ENOENT, "%s",
		matter && matter->how[0] ? matter->how : "that question is no longer open");
}

int
desk_answer(struct desk_channel *channel, uint64_t question, const struct ambit_answer *answer,
	struct ambit_error *err)
{
	struct desk *desk = channel->desk;
	struct matter *matter;
	int r;

	desk_lock(desk);
	matter = find_matter(desk, question);
	r = matter ? matter_answer(desk, matter, answer, channel, err)
		   : report_ended(desk, question, err);
	if (r == 0)
		desk_look(desk);
	desk_unlock(desk);
	return r;
}

void
desk_pass(struct desk_channel *channel, uint64_t question, int error, const char *why)
{
	struct desk *desk = channel->desk;
	struct matter *matter;
	struct shown *shown;

	desk_lock(desk);
	matter = find_matter(desk, question);
	shown = matter ? matter_shown_on(matter, channel) : NULL;
	if (shown) {
		struct ambit_error reason = { .code = error };

		shown->passed = true;
		copy_text(reason.text, sizeof(reason.text), why);
		if (channel->row->stage == DESK_JUDGE) {
			struct ambit_question asked = matter->question;

			asked.id = matter->engine_id;
			engine_passed(desk->o.engine, &asked, &reason);
		} else {
			matter->error = error;
			copy_text(matter->why, sizeof(matter->why), why);
		}
	}
	desk_look(desk);
	desk_unlock(desk);
}

void
desk_add(struct desk *desk, struct desk_channel *channel)
{
	struct desk_channel **at = &desk->channels;

	while (*at)
		at = &(*at)->next;
	channel->desk = desk;
	*at = channel;
}

void
desk_remove(struct desk *desk, struct desk_channel *channel)
{
	desk_lock(desk);
	for (struct desk_channel **at = &desk->channels; *at; at = &(*at)->next)
		if (*at == channel) {
			*at = channel->next;
			break;
		}
	forget_channel(desk, channel);
	while (desk->speaking == channel)
		pthread_cond_wait(&desk->calm, &desk->lock);
	desk_look(desk);
	desk_unlock(desk);
}

bool
desk_has_person(const struct desk *desk)
{
	for (struct desk_channel *c = desk->channels; c; c = c->next)
		if (c->row->stage == DESK_PERSON && (!c->type->present || c->type->present(c)))
			return true;
	return false;
}

int
desk_each(struct desk *desk, int (*each)(void *data, const struct ambit_question *question),
	void *data)
{
	int r = 0;

	for (struct matter *m = desk->matters; m && r == 0; m = m->next)
		if (!m->ended && m->stage == DESK_PERSON)
			r = each(data, &m->question);
	return r;
}

/* -- its life ---------------------------------------------------------------------- */

static atomic_uint_fast64_t desks; /* of this process so far */

int
desk_create(const struct desk_options *options, struct desk **ret_desk, struct ambit_error *err)
{
	struct desk *desk = calloc(1, sizeof(*desk));

	if (!desk)
		return err_nomem(err);
	desk->o = *options;
	/* An approver may serve one desk after another and remember what was withdrawn. */
	desk->last_id = atomic_fetch_add(&desks, 1) * IDS_EACH;
	pthread_mutex_init(&desk->lock, NULL);
	pthread_mutex_init(&desk->next, NULL);
	pthread_cond_init(&desk->work, NULL);
	pthread_cond_init(&desk->calm, NULL);
	*ret_desk = desk;
	return 0;
}

void
desk_stop(struct desk *desk)
{
	bool started;

	if (!desk)
		return;
	desk_lock(desk);
	desk->stopping = true;
	started = desk->started;
	desk->started = false;
	desk_look(desk);
	desk_unlock(desk);
	if (started)
		pthread_join(desk->thread, NULL);
}

void
desk_destroy(struct desk *desk)
{
	if (!desk)
		return;
	desk_stop(desk);
	while (desk->waiters)
		withdraw_ticket(desk, desk->waiters->ticket, "");
	while (desk->matters) {
		struct matter *matter = desk->matters;

		desk->matters = matter->next;
		matter_destroy(matter);
	}
	pthread_cond_destroy(&desk->calm);
	pthread_cond_destroy(&desk->work);
	pthread_mutex_destroy(&desk->next);
	pthread_mutex_destroy(&desk->lock);
	free(desk);
}

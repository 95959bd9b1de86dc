/* SPDX-License-Identifier: Apache-2.0 */
/* The desk's thread. Only this thread calls channels and clients, one at a time and without the
 * lock. So a channel hears of a question in order, and nobody is called from within a call of the
 * desk's functions. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask/desk/desk-private.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/questions.h"

/* -- looking around ------------------------------------------------------------------ */

static struct matter *
find_or_make(struct desk *desk, const struct ambit_question *question)
{
	uint64_t group = engine_question_group(desk->o.engine, question->id);
	struct matter *matter;

	for (matter = desk->matters; matter; matter = matter->next)
		if (!matter->ended && matter->group == group && matter_asks(matter, question)) {
			matter->engine_id = question->id; /* see find_asked */
			return matter;
		}
	matter = matter_make(desk, question);
	if (matter)
		matter->group = group;
	return matter;
}

static void
note_outcome(struct matter *matter, const struct ambit_outcome *outcome)
{
	if (!matter || matter->ended || matter->how[0])
		return;
	snprintf(matter->how, sizeof(matter->how), "%s",
		outcome->verdict == AMBIT_ALLOW ? "allowed by another answer or a rule"
		: outcome->code == AMBIT_CODE_TIMEOUT
			? "expired: nobody answered in time"
			: "refused by another answer, a rule or a mode");
}

static void
mark_seen(struct matter *matter, const struct waiter *waiter)
{
	struct desk_channel *own = waiter->client.own;
	const struct shown *shown = own ? matter_shown_on(matter, own) : NULL;

	if (!matter->seen)
		matter->own = NULL;
	if (!matter->own && !(shown && shown->passed))
		matter->own = own;
	matter->seen = true;
}

void
waiter_look(struct desk *desk, struct waiter *waiter)
{
	struct ambit_error err = { 0 };

	for (;;) {
		const struct ambit_question *question;
		int r = engine_collect(
			desk->o.engine, waiter->ticket, &waiter->outcome, &waiter->permit, &err);

		if (r != -EAGAIN) {
			waiter->settled = true;
			note_outcome(waiter->matter, &waiter->outcome);
			return;
		}
		question = engine_question_of(desk->o.engine, waiter->ticket);
		if (!question)
			continue;
		waiter->matter = find_or_make(desk, question);
		if (waiter->matter) {
			mark_seen(waiter->matter, waiter);
			return;
		}
		engine_decline(desk->o.engine, question->id, ENOMEM, "out of memory");
	}
}

/* Its client's time is up. Others may wait for the same question. */
static void
end_overdue(struct desk *desk, struct waiter *waiter)
{
	struct matter *matter = waiter->matter;

	engine_withdraw(desk->o.engine, waiter->ticket);
	waiter->settled = true;
	waiter->matter = NULL;
	if (matter && !is_waited_for(desk, matter))
		snprintf(matter->how, sizeof(matter->how), "expired: nobody answered in time");
}

static bool
is_overdue(const struct waiter *waiter)
{
	return waiter->until != 0 && !waiter->put && waiter->until <= clock_now();
}

static void
look_at_put(struct desk *desk, struct waiter *waiter)
{
	int64_t expires = waiter->matter->question.expires;

	if (expires != 0 && expires <= clock_now())
		matter_decline(desk, waiter->matter, ETIMEDOUT, "nobody answered in time");
	else
		mark_seen(waiter->matter, waiter);
}

/* Through the stages, as far as nobody is there who could answer. */
static void
advance_matter(struct desk *desk, struct matter *matter)
{
	while (matter->stage < DESK_STAGES && !matter_is_open_at(desk, matter, matter->stage))
		matter->stage++;
	if (matter->stage == DESK_STAGES) {
		matter_settle(desk, matter);
	} else if (matter->stage == DESK_PERSON && !matter->told) {
		matter->told = true;
		engine_notify(desk->o.engine, &matter->question);
	}
}

/* Brings what the desk knows up to date with the engine. */
static void
look_around(struct desk *desk)
{
	desk->changed = false;
	for (struct matter *matter = desk->matters; matter; matter = matter->next)
		matter->seen = false;
	for (struct waiter *waiter = desk->waiters; waiter; waiter = waiter->next)
		if (!waiter->settled && waiter->put)
			look_at_put(desk, waiter);
		else if (!waiter->settled && is_overdue(waiter))
			end_overdue(desk, waiter);
		else if (!waiter->settled)
			waiter_look(desk, waiter);
	for (struct matter *matter = desk->matters; matter; matter = matter->next) {
		if (!matter->ended && !matter->seen) {
			matter->ended = true;
			if (!matter->how[0])
				snprintf(matter->how, sizeof(matter->how),
					"withdrawn: nobody waits for it any more");
		} else if (!matter->ended) {
			advance_matter(desk, matter);
		}
	}
}

/* -- calling others -------------------------------------------------------------------- */

static void
begin_speaking(struct desk *desk, const struct desk_channel *channel)
{
	desk->speaking = channel;
	desk_unlock(desk);
}

static void
end_speaking(struct desk *desk)
{
	desk_lock(desk);
	desk->speaking = NULL;
	desk->delivering = 0;
	pthread_cond_broadcast(&desk->calm);
}

static bool
deliver_outcome(struct desk *desk)
{
	struct waiter **at = &desk->waiters, *waiter;

	while (*at && !(*at)->settled)
		at = &(*at)->next;
	waiter = *at;
	if (!waiter)
		return false;
	*at = waiter->next;
	desk->delivering = waiter->ticket;
	desk_unlock(desk);
	if (waiter->put) {
		waiter->client.said(waiter->client.data, waiter->answered ? &waiter->answer : NULL,
			waiter->error, waiter->why);
	} else {
		waiter->client.done(
			waiter->client.data, waiter->ticket, &waiter->outcome, waiter->permit);
		waiter->outcome = (struct ambit_outcome){ 0 };
	}
	waiter->permit = NULL;
	waiter_destroy(waiter);
	end_speaking(desk);
	return true;
}

/* Tells one channel that a question has ended; the last time it is forgotten. */
static bool
tell_end(struct desk *desk)
{
	struct matter **at = &desk->matters, *matter;

	while (*at && (!(*at)->ended || is_waited_for(desk, *at)))
		at = &(*at)->next;
	matter = *at;
	if (!matter)
		return false;
	while (matter->n_shown > 0) {
		struct desk_channel *channel = matter->shown[--matter->n_shown].channel;

		if (channel == matter->answerer)
			continue;
		begin_speaking(desk, channel);
		channel->type->withdraw(channel, matter->question.id, matter->how);
		end_speaking(desk);
		return true;
	}
	*at = matter->next;
	matter_destroy(matter);
	return true;
}

/* A channel of the present stage that has room and was not shown it yet. */
static struct desk_channel *
find_channel(struct desk *desk, struct matter *matter)
{
	struct desk_channel *own = matter->own, *c;

	for (c = own ? own : desk->channels; c; c = c == own ? desk->channels : c->next)
		if (c->row->stage == matter->stage && !matter_shown_on(matter, c) &&
			(c == own || c->row->room == 0 || c->offered < c->row->room) &&
			channel_is_for(c, matter))
			return c;
	return NULL;
}

static bool
offer_question(struct desk *desk)
{
	struct desk_channel *channel = NULL;
	struct matter *matter = desk->matters;
	struct ambit_question offered;
	int r;

	for (; matter; matter = matter->next)
		if (!matter->ended && matter->n_shown < DESK_CHANNELS_MAX &&
			(channel = find_channel(desk, matter)) != NULL)
			break;
	if (!matter)
		return false;
	matter->shown[matter->n_shown++] = (struct shown){ .channel = channel };
	channel->offered += channel != matter->own && channel->row->room > 0;
	offered = matter->question; /* what it points to stays: only this thread frees matters */
	offered.expires = channel_row_expires(
		channel->row, offered.expires, engine_client_timeout(desk->o.engine));
	begin_speaking(desk, channel);
	r = channel->type->offer(channel, &offered);
	if (r < 0)
		desk_pass(channel, offered.id, -r, strerror(-r));
	if (r < 0)
		desk_ready(channel);
	end_speaking(desk);
	return true;
}

/* -- the thread -------------------------------------------------------------------------- */

/* 0: never. */
static int64_t
pick_earlier(int64_t one, int64_t other)
{
	return one == 0 || (other != 0 && other < one) ? other : one;
}

static int64_t
next_expiry(const struct desk *desk)
{
	int64_t next = 0;

	for (const struct matter *matter = desk->matters; matter; matter = matter->next)
		if (!matter->ended)
			next = pick_earlier(next, matter->question.expires);
	for (const struct waiter *waiter = desk->waiters; waiter; waiter = waiter->next)
		if (!waiter->settled)
			next = pick_earlier(next, waiter->until);
	return next;
}

static void
wait_for_work(struct desk *desk)
{
	int64_t until = next_expiry(desk);
	const struct timespec at = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };

	if (until == 0)
		pthread_cond_wait(&desk->work, &desk->lock);
	else if (pthread_cond_timedwait(&desk->work, &desk->lock, &at) == ETIMEDOUT)
		desk->changed = true;
}

void *
desk_run_thread(void *data)
{
	struct desk *desk = data;

	desk_lock(desk);
	while (!desk->stopping) {
		if (desk->changed)
			look_around(desk);
		else if (!deliver_outcome(desk) && !tell_end(desk) && !offer_question(desk))
			wait_for_work(desk);
	}
	desk_unlock(desk);
	return NULL;
}

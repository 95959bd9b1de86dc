/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of those who wait for an answer. Tickets stand in one array in
 * the order of their ids, so that finding one is a binary search and a walk
 * can go on from "the next id after this one" whatever was removed meanwhile.
 * The askers are not trusted: a tree that makes a thousand different questions
 * is slowed down, one that asks the same thing a thousand times makes one. */

#include <errno.h>
#include <stdlib.h>

#include "ask/pending.h"
#include "base/str.h"

/* Credit is kept in milliseconds of refill: no fractions, no drift. */
#define QUESTION_COSTS (60000 / PENDING_PER_MINUTE)
#define CREDIT_MAX ((int64_t)PENDING_BURST * QUESTION_COSTS)

struct ticket {
	uint64_t id;
	uint64_t question; /* id of the ticket that opened it; stays when that one leaves */
	char *key;
	void *data;
	int64_t expires;
	bool settled;
};

struct pending {
	struct ticket *tickets;
	size_t n;
	size_t size;
	uint64_t last_id;
	int64_t credit;
	int64_t filled; /* when credit was last brought up to date */
	bool started;
	bool unlimited;
};

struct pending *
pending_create(void)
{
	struct pending *pending = calloc(1, sizeof(*pending));

	if (pending)
		pending->credit = CREDIT_MAX;
	return pending;
}

void
pending_destroy(struct pending *pending, void (*destroy_data)(void *data))
{
	if (!pending)
		return;
	for (size_t i = 0; i < pending->n; i++) {
		free(pending->tickets[i].key);
		if (destroy_data)
			destroy_data(pending->tickets[i].data);
	}
	free(pending->tickets);
	free(pending);
}

void
pending_limit(struct pending *pending, bool limited)
{
	pending->unlimited = !limited;
}

bool
pending_is_limited(const struct pending *pending)
{
	return !pending->unlimited;
}

void
pending_refund(struct pending *pending)
{
	pending->credit += QUESTION_COSTS;
	if (pending->credit > CREDIT_MAX)
		pending->credit = CREDIT_MAX;
}

/* The index of the first ticket whose id is at least id. */
static size_t
find_lower_bound(const struct pending *pending, uint64_t id)
{
	size_t from = 0, to = pending->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (pending->tickets[mid].id < id)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static struct ticket *
find_pending_ticket(const struct pending *pending, uint64_t id)
{
	size_t i = find_lower_bound(pending, id);

	return i < pending->n && pending->tickets[i].id == id ? &pending->tickets[i] : NULL;
}

/* The clock may jump: back costs nothing but the refill, forth gives no more
 * than a full burst. */
static bool
spend_question_credit(struct pending *pending, int64_t now)
{
	uint64_t passed = 0;

	if (pending->started && now > pending->filled)
		passed = (uint64_t)now - (uint64_t)pending->filled;
	pending->started = true;
	pending->filled = now;
	if (passed >= (uint64_t)(CREDIT_MAX - pending->credit))
		pending->credit = CREDIT_MAX;
	else
		pending->credit += (int64_t)passed;
	if (pending->credit < QUESTION_COSTS)
		return false;
	pending->credit -= QUESTION_COSTS;
	return true;
}

static bool
grow_tickets(struct pending *pending)
{
	size_t size = pending->size ? pending->size * 2 : 16;
	struct ticket *bigger;

	if (pending->n < pending->size)
		return true;
	bigger = realloc(pending->tickets, size * sizeof(*bigger));
	if (!bigger)
		return false;
	pending->tickets = bigger;
	pending->size = size;
	return true;
}

/* A ticket of the open question with this key, or NULL. A settled ticket's question is over
 * for it: who asks the same again may get another answer. */
static const struct ticket *
find_same(const struct pending *pending, const char *key)
{
	for (size_t i = 0; i < pending->n; i++)
		if (!pending->tickets[i].settled && streq(pending->tickets[i].key, key))
			return &pending->tickets[i];
	return NULL;
}

int
pending_add(struct pending *pending, const char *key, void *data, int64_t now, int64_t expires,
	uint64_t *ret_ticket)
{
	const struct ticket *same;
	uint64_t question;
	char *copy;

	if (pending->n >= PENDING_TICKETS_MAX)
		return -ENOSPC;
	if (!grow_tickets(pending))
		return -ENOMEM;
	same = find_same(pending, key);
	question = same ? same->question : 0;
	copy = str_dup(key);
	if (!copy)
		return -ENOMEM;
	if (question == 0 && !pending->unlimited && !spend_question_credit(pending, now)) {
		free(copy);
		return -EBUSY;
	}
	if (same) /* one question has one end */
		expires = same->expires;
	*ret_ticket = ++pending->last_id;
	pending->tickets[pending->n++] = (struct ticket){
		.id = *ret_ticket,
		.question = question ? question : *ret_ticket,
		.key = copy,
		.data = data,
		.expires = expires,
	};
	return 0;
}

uint64_t
pending_leader(const struct pending *pending, uint64_t ticket, void **ret_data)
{
	const struct ticket *found = find_pending_ticket(pending, ticket);

	for (size_t i = 0; found && !found->settled && i < pending->n; i++) {
		const struct ticket *other = &pending->tickets[i];

		if (other->settled || other->question != found->question)
			continue;
		*ret_data = other->data;
		return other->id;
	}
	return 0;
}

/* question 0: all. Walks by id, so that the callback may remove or settle
 * what it likes; those added meanwhile are not visited. */
static int
visit_open_tickets(struct pending *pending, uint64_t question,
	int (*each)(void *each_data, uint64_t ticket, void *data), void *each_data)
{
	uint64_t last = pending->last_id, id = 0;
	int r;

	for (;;) {
		size_t i = find_lower_bound(pending, id + 1);

		if (i >= pending->n || pending->tickets[i].id > last)
			return 0;
		struct ticket ticket = pending->tickets[i];

		id = ticket.id;
		if (ticket.settled || (question != 0 && ticket.question != question))
			continue;
		r = each(each_data, id, ticket.data);
		if (r != 0)
			return r;
	}
}

/* A question goes by the id of its first waiting ticket, which changes when
 * that one leaves; the id it was opened under stays good. */
int
pending_each(struct pending *pending, uint64_t question,
	int (*each)(void *each_data, uint64_t ticket, void *data), void *each_data)
{
	const struct ticket *ticket = find_pending_ticket(pending, question);

	if (question == 0)
		return 0;
	return visit_open_tickets(pending, ticket ? ticket->question : question, each, each_data);
}

int
pending_each_all(struct pending *pending, int (*each)(void *each_data, uint64_t ticket, void *data),
	void *each_data)
{
	return visit_open_tickets(pending, 0, each, each_data);
}

uint64_t
pending_question(const struct pending *pending, uint64_t ticket)
{
	const struct ticket *found = find_pending_ticket(pending, ticket);

	return found ? found->question : 0;
}

void *
pending_find(const struct pending *pending, uint64_t ticket)
{
	const struct ticket *found = find_pending_ticket(pending, ticket);

	return found ? found->data : NULL;
}

int64_t
pending_expires(const struct pending *pending, uint64_t ticket)
{
	const struct ticket *found = find_pending_ticket(pending, ticket);

	return found ? found->expires : 0;
}

void
pending_settle(struct pending *pending, uint64_t ticket)
{
	struct ticket *found = find_pending_ticket(pending, ticket);

	if (found)
		found->settled = true;
}

bool
pending_is_settled(const struct pending *pending, uint64_t ticket)
{
	const struct ticket *found = find_pending_ticket(pending, ticket);

	return found && found->settled;
}

void *
pending_remove(struct pending *pending, uint64_t ticket)
{
	struct ticket *found = find_pending_ticket(pending, ticket);
	void *data;

	if (!found)
		return NULL;
	data = found->data;
	free(found->key);
	pending->n--;
	memmove(found, found + 1, (size_t)(pending->tickets + pending->n - found) * sizeof(*found));
	return data;
}

uint64_t
pending_expired(const struct pending *pending, int64_t now)
{
	for (size_t i = 0; i < pending->n; i++) {
		const struct ticket *ticket = &pending->tickets[i];

		if (!ticket->settled && ticket->expires != 0 && ticket->expires <= now)
			return ticket->id;
	}
	return 0;
}

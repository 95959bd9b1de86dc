/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_PENDING_H
#define ASK_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who waits for which question. Tickets with the same key wait for the same
 * question; one question is shown at a time, oldest first. Knows nothing of
 * requests: the engine hangs its own data on a ticket. No clock of its own. */

#define PENDING_TICKETS_MAX 4096
/* New questions: a burst, then a steady rate. Past it they are refused. */
#define PENDING_BURST 32
#define PENDING_PER_MINUTE 60

struct pending;

struct pending *pending_create(void);
/* destroy_data is called for what is still waiting; may be NULL. */
void pending_destroy(struct pending *pending, void (*destroy_data)(void *data));

/* Whether questions are counted against the rate (at first they are). Where a program
 * answers them, nobody is bothered. */
void pending_limit(struct pending *pending, bool limited);
bool pending_is_limited(const struct pending *pending);

/* One question less was seen by a person than was counted. */
void pending_refund(struct pending *pending);

/* -EBUSY: too many questions; -ENOSPC: too many tickets. expires 0: never.
 * data is borrowed until the ticket is removed. */
int pending_add(struct pending *pending, const char *key, void *data, int64_t now, int64_t expires,
	uint64_t *ret_ticket);

/* The question that this ticket waits for: its id (of the first ticket that waits for it), and
 * the data of that ticket. 0: it waits no more. */
uint64_t pending_leader(const struct pending *pending, uint64_t ticket, void **ret_data);

/* The tickets of a question, oldest first. Safe against removal of the one given. */
int pending_each(struct pending *pending, uint64_t question,
	int (*each)(void *each_data, uint64_t ticket, void *data), void *each_data);

/* All tickets of all questions, oldest first, the same way. */
int pending_each_all(struct pending *pending,
	int (*each)(void *each_data, uint64_t ticket, void *data), void *each_data);

/* The number that tickets of one question have in common; 0: there is no such ticket. */
uint64_t pending_question(const struct pending *pending, uint64_t ticket);

/* The data of a ticket, or NULL if there is no such ticket. */
void *pending_find(const struct pending *pending, uint64_t ticket);

/* When it expires, as it was added: 0: never, or there is no such ticket. */
int64_t pending_expires(const struct pending *pending, uint64_t ticket);

/* Marks as settled: it no longer waits for its question, but can be found
 * until it is removed. */
void pending_settle(struct pending *pending, uint64_t ticket);
bool pending_is_settled(const struct pending *pending, uint64_t ticket);

/* Forgets the ticket; its data, or NULL. */
void *pending_remove(struct pending *pending, uint64_t ticket);

/* A ticket that expired at now and is not settled, or 0. */
uint64_t pending_expired(const struct pending *pending, int64_t now);

#endif

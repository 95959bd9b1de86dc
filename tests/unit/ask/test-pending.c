/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the queue of those who wait for an answer. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ask/pending.h"

#define NOW 1700000000000

static uint64_t
add(struct pending *pending, const char *key, void *data)
{
	uint64_t ticket = 0;

	assert_int_equal(pending_add(pending, key, data, NOW, 0, &ticket), 0);
	assert_int_not_equal(ticket, 0);
	return ticket;
}

struct seen {
	uint64_t tickets[16];
	size_t n;
	struct pending *remove_from; /* what a callback does while it is called */
	struct pending *settle_in;
	struct pending *add_to;
	int result;
};

static int
see(void *each_data, uint64_t ticket, void *data)
{
	struct seen *seen = each_data;
	uint64_t more;

	assert_true(seen->n < 16);
	seen->tickets[seen->n++] = ticket;
	if (seen->remove_from)
		assert_ptr_equal(pending_remove(seen->remove_from, ticket), data);
	if (seen->settle_in)
		pending_settle(seen->settle_in, ticket);
	if (seen->add_to)
		assert_int_equal(pending_add(seen->add_to, "a", NULL, NOW, 0, &more), 0);
	return seen->result;
}

static void
the_same_key_waits_for_the_same_question(void **state)
{
	struct pending *pending = pending_create();
	char x, y, z;
	uint64_t a = add(pending, "a", &x), b = add(pending, "b", &y), c = add(pending, "a", &z);
	struct seen seen = { 0 };
	void *data = NULL;

	(void)state;
	assert_int_equal(pending_leader(pending, c, &data), a);
	assert_ptr_equal(data, &x);
	assert_int_equal(pending_each(pending, a, see, &seen), 0);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.tickets[0], a);
	assert_int_equal(seen.tickets[1], c);
	seen.n = 0;
	assert_int_equal(pending_each(pending, b, see, &seen), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.tickets[0], b);
	pending_destroy(pending, NULL);
}

static void
a_ticket_is_led_by_the_first_who_asked_the_same(void **state)
{
	struct pending *pending = pending_create();
	char x, y, z;
	uint64_t a = add(pending, "a", &x), b = add(pending, "b", &y), c = add(pending, "a", &z);
	void *data = NULL;

	(void)state;
	assert_int_equal(pending_leader(pending, c, &data), a);
	assert_ptr_equal(data, &x);
	assert_int_equal(pending_leader(pending, b, &data), b);
	assert_ptr_equal(data, &y);
	pending_remove(pending, a);
	assert_int_equal(pending_leader(pending, c, &data), c);
	assert_ptr_equal(data, &z);
	pending_settle(pending, c);
	assert_int_equal(pending_leader(pending, c, &data), 0);
	assert_int_equal(pending_leader(pending, a, &data), 0);
	pending_destroy(pending, NULL);
}

static void
a_question_outlives_the_one_who_opened_it(void **state)
{
	struct pending *pending = pending_create();
	char x, y;
	uint64_t a = add(pending, "a", &x), b = add(pending, "b", NULL), c = add(pending, "a", &y);
	struct seen seen = { 0 };
	void *data = NULL;

	(void)state;
	assert_ptr_equal(pending_remove(pending, a), &x);
	assert_int_equal(pending_leader(pending, c, &data), c);
	assert_ptr_equal(data, &y);
	/* An answer to the old id that was under way still finds who waits. */
	pending_each(pending, a, see, &seen);
	pending_each(pending, c, see, &seen);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.tickets[0], c);
	assert_int_equal(seen.tickets[1], c);
	pending_remove(pending, c);
	assert_int_equal(pending_leader(pending, b, &data), b);
	pending_destroy(pending, NULL);
}

static void
a_settled_ticket_can_be_found_but_no_longer_waits(void **state)
{
	struct pending *pending = pending_create();
	char x;
	uint64_t a = add(pending, "a", &x), again;
	struct seen seen = { 0 };

	(void)state;
	assert_false(pending_is_settled(pending, a));
	pending_settle(pending, a);
	assert_true(pending_is_settled(pending, a));
	assert_ptr_equal(pending_find(pending, a), &x);
	pending_each(pending, a, see, &seen);
	pending_each_all(pending, see, &seen);
	assert_int_equal(seen.n, 0);
	/* Who asks the same later opens a question of its own. */
	again = add(pending, "a", NULL);
	pending_each(pending, again, see, &seen);
	assert_int_equal(seen.n, 1);
	assert_ptr_equal(pending_remove(pending, a), &x);
	assert_null(pending_find(pending, a));
	assert_false(pending_is_settled(pending, a));
	assert_null(pending_remove(pending, a));
	pending_destroy(pending, NULL);
}

static void
a_walk_bears_removal_settling_and_adding(void **state)
{
	struct pending *pending = pending_create();
	struct seen seen = { .add_to = pending };

	(void)state;
	for (int i = 0; i < 5; i++)
		add(pending, i % 2 ? "b" : "a", NULL);
	assert_int_equal(pending_each(pending, 1, see, &seen), 0);
	assert_int_equal(seen.n, 3); /* those added on the way are not visited */
	seen = (struct seen){ .settle_in = pending };
	assert_int_equal(pending_each(pending, 2, see, &seen), 0);
	assert_int_equal(seen.n, 2);
	seen = (struct seen){ .remove_from = pending };
	assert_int_equal(pending_each_all(pending, see, &seen), 0);
	assert_int_equal(seen.n, 6);
	for (size_t i = 1; i < seen.n; i++)
		assert_true(seen.tickets[i - 1] < seen.tickets[i]);
	pending_destroy(pending, NULL);
}

static void
a_walk_stops_with_what_the_callback_returned(void **state)
{
	struct pending *pending = pending_create();
	struct seen seen = { .result = -7 };

	(void)state;
	add(pending, "a", NULL);
	add(pending, "a", NULL);
	assert_int_equal(pending_each_all(pending, see, &seen), -7);
	assert_int_equal(seen.n, 1);
	seen.n = 0;
	assert_int_equal(pending_each(pending, 0, see, &seen), 0);
	assert_int_equal(pending_each(pending, 99, see, &seen), 0);
	assert_int_equal(seen.n, 0);
	pending_destroy(pending, NULL);
}

static int
ask_new(struct pending *pending, int64_t now)
{
	static int count;
	char key[32];
	uint64_t ticket = 0;
	int r;

	snprintf(key, sizeof(key), "key %d", count++);
	r = pending_add(pending, key, NULL, now, 0, &ticket);
	assert_int_equal(ticket == 0, r < 0);
	return r;
}

static void
questions_past_the_burst_are_refused_until_time_passes(void **state)
{
	struct pending *pending = pending_create();
	const int64_t step = 60000 / PENDING_PER_MINUTE;
	uint64_t ticket;

	(void)state;
	for (int i = 0; i < PENDING_BURST; i++)
		assert_int_equal(ask_new(pending, NOW), 0);
	assert_int_equal(ask_new(pending, NOW), -EBUSY);
	assert_int_equal(ask_new(pending, NOW + step - 1), -EBUSY);
	assert_int_equal(ask_new(pending, NOW + step), 0);
	assert_int_equal(ask_new(pending, NOW + step), -EBUSY);
	/* To wait for a question that is already there costs nothing. */
	assert_int_equal(pending_add(pending, "key 0", NULL, NOW + step, 0, &ticket), 0);
	pending_destroy(pending, NULL);
}

static void
a_jump_of_the_clock_gives_no_more_than_a_burst(void **state)
{
	struct pending *pending = pending_create();

	(void)state;
	for (int i = 0; i < PENDING_BURST; i++)
		assert_int_equal(ask_new(pending, NOW), 0);
	assert_int_equal(ask_new(pending, NOW - 3600000), -EBUSY);
	assert_int_equal(ask_new(pending, 0), -EBUSY);
	for (int i = 0; i < PENDING_BURST; i++)
		assert_int_equal(ask_new(pending, INT64_MAX), 0);
	assert_int_equal(ask_new(pending, INT64_MAX), -EBUSY);
	pending_destroy(pending, NULL);
}

static void
there_are_at_most_so_many_tickets(void **state)
{
	struct pending *pending = pending_create();
	uint64_t ticket;

	(void)state;
	for (int i = 0; i < PENDING_TICKETS_MAX; i++)
		add(pending, "a", NULL);
	assert_int_equal(pending_add(pending, "a", NULL, NOW, 0, &ticket), -ENOSPC);
	pending_remove(pending, 1000);
	assert_int_equal(pending_add(pending, "a", NULL, NOW, 0, &ticket), 0);
	assert_int_equal(ticket, PENDING_TICKETS_MAX + 1); /* ids are never used twice */
	pending_destroy(pending, NULL);
}

static void
what_expired_is_found_unless_it_is_settled(void **state)
{
	struct pending *pending = pending_create();
	uint64_t a, b;

	(void)state;
	add(pending, "never", NULL);
	assert_int_equal(pending_add(pending, "a", NULL, NOW, NOW + 10, &a), 0);
	assert_int_equal(pending_add(pending, "b", NULL, NOW, NOW + 5, &b), 0);
	assert_int_equal(pending_expired(pending, NOW + 4), 0);
	assert_int_equal(pending_expired(pending, NOW + 5), b);
	pending_settle(pending, b);
	assert_int_equal(pending_expired(pending, NOW + 5), 0);
	assert_int_equal(pending_expired(pending, NOW + 10), a);
	pending_remove(pending, a);
	assert_int_equal(pending_expired(pending, INT64_MAX), 0);
	pending_destroy(pending, NULL);
}

static void
count_data(void *data)
{
	++*(int *)data;
}

static void
destroying_hands_back_what_is_still_there(void **state)
{
	struct pending *pending = pending_create();
	int left = 0, gone = 0;

	(void)state;
	add(pending, "a", &left);
	pending_settle(pending, add(pending, "b", &left));
	pending_remove(pending, add(pending, "c", &gone));
	pending_destroy(pending, count_data);
	pending_destroy(NULL, count_data);
	assert_int_equal(left, 2);
	assert_int_equal(gone, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_key_waits_for_the_same_question),
		cmocka_unit_test(a_ticket_is_led_by_the_first_who_asked_the_same),
		cmocka_unit_test(a_question_outlives_the_one_who_opened_it),
		cmocka_unit_test(a_settled_ticket_can_be_found_but_no_longer_waits),
		cmocka_unit_test(a_walk_bears_removal_settling_and_adding),
		cmocka_unit_test(a_walk_stops_with_what_the_callback_returned),
		cmocka_unit_test(questions_past_the_burst_are_refused_until_time_passes),
		cmocka_unit_test(a_jump_of_the_clock_gives_no_more_than_a_burst),
		cmocka_unit_test(there_are_at_most_so_many_tickets),
		cmocka_unit_test(what_expired_is_found_unless_it_is_settled),
		cmocka_unit_test(destroying_hands_back_what_is_still_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

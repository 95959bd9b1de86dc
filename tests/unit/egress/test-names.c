/* SPDX-License-Identifier: Apache-2.0 */
/* An address leads back to the names it was given for, for as long as they hold, and
 * no name covers what is near. What is remembered of questions is bounded. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "egress/dns/resolv.h"
#include "egress/stub-private.h"

#define NOW 1000000
#define HELD ((int64_t)(NAMES_TTL_MIN + NAMES_GRACE) * 1000)

static struct dns_address
v4(int a, int b, int c, int d, uint32_t ttl)
{
	return (struct dns_address){
		.ip = { (unsigned char)a, (unsigned char)b, (unsigned char)c, (unsigned char)d },
		.ttl = ttl,
	};
}

static void
an_address_has_the_name_it_was_given_for_last(void **state)
{
	struct names *names = names_create();
	struct dns_address at = v4(203, 0, 113, 1, 60);
	char name[DNS_NAME_MAX];

	(void)state;
	assert_non_null(names);
	assert_false(names_find(names, &at, NOW, name));
	names_add(names, "a.example", &at, 1, NOW);
	names_add(names, "b.example", &at, 1, NOW + 1);
	assert_true(names_find(names, &at, NOW + 2, name));
	assert_string_equal(name, "b.example");
	names_add(names, "a.example", &at, 1, NOW + 3);
	assert_true(names_find(names, &at, NOW + 4, name));
	assert_string_equal(name, "a.example");
	assert_true(names_has(names, "b.example", &at, NOW + 4));
	assert_false(names_has(names, "c.example", &at, NOW + 4));
	names_destroy(names);
	names_destroy(NULL);
}

static void
a_name_holds_for_its_time_and_a_while_longer(void **state)
{
	struct names *names = names_create();
	struct dns_address soon = v4(203, 0, 113, 1, 0), late = v4(203, 0, 113, 2, UINT32_MAX);
	char name[DNS_NAME_MAX];

	(void)state;
	names_add(names, "a.example", &soon, 1, NOW);
	names_add(names, "a.example", &late, 1, NOW);
	assert_true(names_find(names, &soon, NOW + HELD - 1, name));
	assert_false(names_find(names, &soon, NOW + HELD, name));
	assert_true(names_find(names, &late, NOW + HELD, name));
	assert_false(names_find(
		names, &late, NOW + (int64_t)(NAMES_TTL_MAX + NAMES_GRACE) * 1000, name));
	/* A shorter time does not take back a longer one. */
	late.ttl = 0;
	names_add(names, "a.example", &late, 1, NOW + 5);
	assert_true(names_find(names, &late, NOW + HELD + 1000, name));
	names_destroy(names);
}

static void
no_name_covers_what_is_near(void **state)
{
	struct names *names = names_create();
	struct dns_address list[] = {
		v4(127, 0, 0, 1, 60),
		v4(10, 1, 2, 3, 60),
		v4(169, 254, 169, 254, 60),
		{ .v6 = true, .ip = { [15] = 1 }, .ttl = 60 },
		{ .v6 = true, .ip = { 0xfd, 0 }, .ttl = 60 },
		{ .v6 = true, .ip = { 0xfe, 0x80 }, .ttl = 60 },
		/* ::ffff:127.0.0.1 and 10.0.0.1 by way of NAT64 */
		{ .v6 = true, .ip = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 }, .ttl = 60 },
		{ .v6 = true, .ip = { 0, 0x64, 0xff, 0x9b, [12] = 10, [15] = 1 }, .ttl = 60 },
	};
	char name[DNS_NAME_MAX];

	(void)state;
	names_add(names, "near.example", list, sizeof(list) / sizeof(list[0]), NOW);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		assert_true(names_near(&list[i]));
		assert_false(names_has(names, "near.example", &list[i], NOW));
		if (i > 1) /* the loopback stands in /etc/hosts */
			assert_false(names_find(names, &list[i], NOW, name));
	}
	names_destroy(names);
}

static void
a_mapped_address_is_the_one_it_means(void **state)
{
	struct names *names = names_create();
	struct dns_address mapped = {
		.v6 = true, .ip = { [10] = 0xff, [11] = 0xff, 203, 0, 113, 9 }, .ttl = 60
	};
	struct dns_address plain = v4(203, 0, 113, 9, 0);
	char name[DNS_NAME_MAX];

	(void)state;
	names_add(names, "mapped.example", &mapped, 1, NOW);
	assert_true(names_find(names, &plain, NOW, name));
	names_fold(&mapped);
	assert_false(mapped.v6);
	assert_memory_equal(mapped.ip, plain.ip, 16);
	names_destroy(names);
}

static void
the_oldest_are_forgotten_first(void **state)
{
	struct names *names = names_create();
	struct dns_address first = v4(203, 0, 0, 0, 60), at = first;
	char name[DNS_NAME_MAX], text[64];

	(void)state;
	names_add(names, "first.example", &first, 1, NOW);
	for (int i = 1; i <= NAMES_MAX; i++) {
		at = v4(203, 1, i >> 8, i & 255, 60);
		snprintf(text, sizeof(text), "n%d.example", i);
		names_add(names, text, &at, 1, NOW);
		if (i == NAMES_MAX - 1)
			assert_true(names_find(names, &first, NOW, name));
	}
	assert_false(names_find(names, &first, NOW, name));
	assert_true(names_find(names, &at, NOW, name));
	names_destroy(names);
}

static void
a_look_is_expected_once_of_each_who_was_told(void **state)
{
	struct names *names = names_create();
	struct dns_address list[] = { v4(203, 0, 113, 1, 60), v4(203, 0, 113, 2, 60) };

	(void)state;
	assert_false(names_look(names, 7, &list[0], NOW));
	names_expect(names, 7, list, 2, NOW);
	assert_false(names_look(names, 8, &list[0], NOW));
	assert_true(names_look(names, 7, &list[0], NOW));
	assert_false(names_look(names, 7, &list[0], NOW));
	assert_false(names_look(names, 7, &list[1], NOW + 60000));
	names_destroy(names);
}

static void
of_one_address_there_is_nothing_to_choose(void **state)
{
	struct told *told = calloc(1, sizeof(*told));
	struct names *names = names_create();
	struct dns_answer one = { .n = 1 }, two = { .n = 1 };
	int64_t now;

	(void)state;
	one.address[0] = v4(203, 0, 113, 1, 60);
	two.address[0] = (struct dns_address){ .v6 = true, .ip = { 0x20, 1 } };
	told_add(told, names, 7, "a.example", &one);
	now = told->list[0].at;
	assert_false(names_look(names, 7, &one.address[0], now));
	/* A and AAAA of one name are told apart from each other, and chosen of together. */
	told_add(told, names, 7, "b.example", &two);
	assert_false(names_look(names, 7, &two.address[0], now));
	told_add(told, names, 7, "a.example", &two);
	assert_true(names_look(names, 7, &one.address[0], now));
	assert_true(names_look(names, 7, &two.address[0], now));
	names_destroy(names);
	free(told);
}

static void
a_flood_of_names_is_stopped_and_said_once(void **state)
{
	struct flood *flood = calloc(1, sizeof(*flood));
	char name[64];
	int said = 0, allowed = 0, known = 0;
	bool first;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "x%d.example", i);
		allowed += flood_allows(flood, name, NOW, &first);
		said += first;
	}
	assert_int_equal(allowed, FLOOD_BURST);
	assert_int_equal(said, 1);
	/* What was looked up before costs nothing; time gives some back. */
	for (int i = 0; i < FLOOD_BURST; i++) {
		snprintf(name, sizeof(name), "x%d.example", i);
		known += flood_allows(flood, name, NOW, &first);
	}
	assert_true(known > FLOOD_BURST / 2);
	assert_true(flood_allows(flood, "later.example", NOW + 1000, &first));
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "y%d.example", i);
		allowed += flood_allows(flood, name, NOW + 1000, &first);
	}
	assert_true(allowed < FLOOD_BURST + 2 * FLOOD_PER_SECOND);
	free(flood);
}

static void
who_asks_again_with_the_same_id_did_not_take_the_answer(void **state)
{
	struct answered *answered = calloc(1, sizeof(*answered));
	struct dns_query query = { .id = 42, .type = DNS_A, .name = "a.example" };
	struct dns_query other = query;

	(void)state;
	assert_false(answered_before(answered, 7, 1000, &query, NOW));
	assert_false(answered_before(answered, 7, 1000, &query, NOW + 100));
	assert_true(answered_before(answered, 7, 1000, &query, NOW + AGAIN_MS));
	assert_false(answered_before(answered, 7, 1001, &query, NOW + AGAIN_MS));
	assert_true(answered_before(answered, 7, 1001, &query, NOW + AGAIN_ELSEWHERE_MS));
	assert_false(answered_before(answered, 8, 1000, &query, NOW + 900));
	/* Of ids there are few: the same one for another question is no second try. */
	other.type = DNS_AAAA;
	assert_false(answered_before(answered, 7, 1000, &other, NOW + 900));
	other = query;
	other.id = 43;
	assert_false(answered_before(answered, 7, 1000, &other, NOW + 900));
	free(answered);
}

static void
name_servers_and_search_domains_are_read(void **state)
{
	struct resolv resolv;

	(void)state;
	resolv_parse("# none\n", &resolv);
	assert_int_equal(resolv.n, 1);
	assert_int_equal(resolv.server[0].ss_family, 2);
	assert_int_equal(resolv.n_search, 0);
	resolv_parse("domain one.example\nsearch A.Example b.example. \t c\nnameserver 192.0.2.1\n"
		     "nameserver 2001:db8::1#x\nnameserver nonsense\nnameserver\n",
		&resolv);
	assert_int_equal(resolv.n, 2);
	assert_int_equal(resolv.n_search, 3);
	assert_string_equal(resolv.search[0], "a.example");
	assert_string_equal(resolv.search[1], "b.example");
	assert_string_equal(resolv.search[2], "c");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_the_name_it_was_given_for_last),
		cmocka_unit_test(a_name_holds_for_its_time_and_a_while_longer),
		cmocka_unit_test(no_name_covers_what_is_near),
		cmocka_unit_test(a_mapped_address_is_the_one_it_means),
		cmocka_unit_test(the_oldest_are_forgotten_first),
		cmocka_unit_test(a_look_is_expected_once_of_each_who_was_told),
		cmocka_unit_test(of_one_address_there_is_nothing_to_choose),
		cmocka_unit_test(a_flood_of_names_is_stopped_and_said_once),
		cmocka_unit_test(who_asks_again_with_the_same_id_did_not_take_the_answer),
		cmocka_unit_test(name_servers_and_search_domains_are_read),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}

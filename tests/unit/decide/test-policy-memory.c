/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/decide/policy-memory.c. */

#include "unit-world.h"

#include "decide/policy-memory.h"

static void
make_digest(int n, char ret_digest[HASH_HEX])
{
	hash_sha256(&n, sizeof(n), ret_digest);
}

static void
keep(struct policy_memory *memory, int n, enum ambit_verdict verdict)
{
	struct ambit_opinion opinion = { .verdict = verdict, .code = AMBIT_CODE_DENIED };
	char digest[HASH_HEX];

	snprintf(opinion.reason, sizeof(opinion.reason), "number %d", n);
	make_digest(n, digest);
	policy_memory_keep(memory, digest, &opinion);
}

static bool
find(const struct policy_memory *memory, int n, struct ambit_opinion *ret_opinion)
{
	char digest[HASH_HEX];

	make_digest(n, digest);
	return policy_memory_find(memory, digest, ret_opinion);
}

static void
an_answer_is_found_by_its_request_alone(void **state)
{
	struct policy_memory *memory = policy_memory_create();
	struct ambit_opinion opinion = { 0 };

	(void)state;
	assert_false(find(memory, 1, &opinion));
	keep(memory, 1, AMBIT_ASK);
	keep(memory, 2, AMBIT_DENY);
	assert_true(find(memory, 1, &opinion));
	assert_int_equal(opinion.verdict, AMBIT_ASK);
	assert_string_equal(opinion.reason, "number 1");
	assert_true(find(memory, 2, &opinion));
	assert_int_equal(opinion.verdict, AMBIT_DENY);
	assert_int_equal(opinion.code, AMBIT_CODE_DENIED);
	assert_false(find(memory, 3, &opinion));
	policy_memory_destroy(memory);
	policy_memory_destroy(NULL);
}

static void
the_oldest_is_forgotten(void **state)
{
	struct policy_memory *memory = policy_memory_create();
	struct ambit_opinion opinion = { 0 };

	(void)state;
	for (int i = 0; i < POLICY_MEMORY_MAX + 2; i++)
		keep(memory, i, AMBIT_DENY);
	assert_false(find(memory, 0, &opinion));
	assert_false(find(memory, 1, &opinion));
	assert_true(find(memory, 2, &opinion));
	assert_true(find(memory, POLICY_MEMORY_MAX + 1, &opinion));
	policy_memory_destroy(memory);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_found_by_its_request_alone),
		cmocka_unit_test(the_oldest_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

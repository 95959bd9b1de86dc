/* SPDX-License-Identifier: Apache-2.0 */
/* base/map.h: every key finds its own value, whatever was added and removed meanwhile. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "base/map.h"

struct pair {
	int number;
	char letter;
};

static void
a_key_is_its_bytes_and_its_length(void **state)
{
	struct map map = { .value_size = sizeof(struct pair) };
	struct pair *pair, *other;

	(void)state;
	assert_null(map_find(&map, "a", 1));
	assert_null(map_next(&map, NULL));
	pair = map_add(&map, "a\0b", 3);
	assert_non_null(pair);
	assert_int_equal(pair->number, 0);
	assert_int_equal((uintptr_t)pair % 8, 0);
	*pair = (struct pair){ 7, 'x' };
	assert_null(map_find(&map, "a", 1));
	assert_null(map_find(&map, "a\0c", 3));
	assert_null(map_find(&map, "", 0));
	other = map_add(&map, "", 0);
	assert_ptr_not_equal(other, pair);
	assert_ptr_equal(map_find(&map, "", 0), other);
	assert_ptr_equal(map_find(&map, "a\0b", 3), pair);
	assert_int_equal(pair->number, 7);
	map_finish(&map);
	assert_int_equal(map.n, 0);
	assert_null(map_find(&map, "a\0b", 3));
}

static void
a_key_that_is_added_again_keeps_its_value(void **state)
{
	struct map map = { .value_size = sizeof(int) };
	int *value = map_add(&map, "key", 3);
	size_t len;

	(void)state;
	*value = 5;
	assert_ptr_equal(map_add(&map, "key", 3), value);
	assert_int_equal(*value, 5);
	assert_int_equal(map.n, 1);
	assert_string_equal(map_key(&map, value, &len), "key");
	assert_int_equal(len, 3);
	map_remove(&map, value);
	assert_null(map_find(&map, "key", 3));
	value = map_add(&map, "key", 3);
	assert_int_equal(*value, 0);
	map_finish(&map);
}

#define MANY 5000

static size_t
write_key(char *key, int i)
{
	return (size_t)snprintf(key, 32, "key-%d", i * 7919);
}

static void
values_stay_where_they_are_while_it_grows(void **state)
{
	struct map map = { .value_size = sizeof(int) };
	static int *values[MANY];
	char key[32];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		values[i] = map_add(&map, key, write_key(key, i));
		*values[i] = i;
	}
	assert_int_equal(map.n, MANY);
	for (int i = 0; i < MANY; i++) {
		int *found = map_find(&map, key, write_key(key, i));

		assert_ptr_equal(found, values[i]);
		assert_int_equal(*found, i);
		assert_string_equal(map_key(&map, found, NULL), key);
	}
	map_finish(&map);
}

static void
each_value_is_met_once_also_while_some_are_removed(void **state)
{
	struct map map = { .value_size = sizeof(int) };
	static int met[MANY];
	int *next;
	char key[32];

	(void)state;
	for (int i = 0; i < MANY; i++)
		*(int *)map_add(&map, key, write_key(key, i)) = i;
	for (int *value = map_next(&map, NULL); value; value = next) {
		next = map_next(&map, value);
		met[*value]++;
		if (*value % 3 == 0)
			map_remove(&map, value);
	}
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(met[i], 1);
		assert_int_equal(map_find(&map, key, write_key(key, i)) != NULL, i % 3 != 0);
	}
	assert_int_equal(map.n, MANY - (MANY + 2) / 3);
	map_finish(&map);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_its_bytes_and_its_length),
		cmocka_unit_test(a_key_that_is_added_again_keeps_its_value),
		cmocka_unit_test(values_stay_where_they_are_while_it_grows),
		cmocka_unit_test(each_value_is_met_once_also_while_some_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: what every parser of ambit's refuses, and where json_locate points. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

static int
parse(const char *text, size_t len, struct ambit_error *err)
{
	json_t *value = NULL;
	int r = json_parse(text, len, &value, err);

	assert_int_equal(r == 0, value != NULL);
	json_decref(value);
	return r;
}

static void
one_value_of_any_type_is_accepted(void **state)
{
	static const char *const good[] = { "{}", "[]", "1", "-1.5e3", "\"x\"", "true", "null",
		" \n{\"a\": [1, {\"b\": null}]}\t", "\"\\u0000\"", "\"\\ud83d\\ude00\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(parse(good[i], strlen(good[i]), NULL), 0);
}

static void
everything_else_is_refused_with_its_place(void **state)
{
	static const char *const bad[] = { "", " ", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "{a:1}",
		"[1] [2]", "{} x", "nul", "01", "+1", "\"\\x41\"", "\"a\nb\"", "\"\\ud800\"",
		"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\xef\xbb\xbf{}",
		"{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"a\\u0000b\":1}", "1e999",
		"// x\n1", "NaN" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ambit_error err = { 0 };
		unsigned line, column;
		int n = 0;

		if (parse(bad[i], strlen(bad[i]), &err) != -EINVAL)
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(sscanf(err.text, "%u:%u: %n", &line, &column, &n), 2);
		assert_true(line > 0 && column > 0 && err.text[n] != '\0');
		assert_true(str_is_utf8(err.text, strlen(err.text)));
	}
	/* the length counts, not a NUL */
	assert_int_equal(parse("{}\0", 3, NULL), -EINVAL);
	assert_int_equal(parse("{}]", 2, NULL), 0);
}

static void
depth_is_limited(void **state)
{
	auto_free char *deep = malloc(200000);

	(void)state;
	memset(deep, '[', 100000);
	memset(deep + 100000, ']', 100000);
	assert_int_equal(parse(deep, 200000, NULL), -EINVAL);
	assert_int_equal(parse(deep + 100000 - 1000, 2000, NULL), 0);
}

static void
must_locate(const char *text, const char *const *path, int line, int column)
{
	int got_line = -1, got_column = -1;
	/* exactly as large as it is, so that reading past it is seen */
	auto_free char *copy = malloc(strlen(text));

	memcpy(copy, text, strlen(text));
	json_locate(copy, strlen(text), path, &got_line, &got_column);
	if (got_line != line || got_column != column)
		fail_msg("%d:%d, not %d:%d in %s", got_line, got_column, line, column, text);
}

#define PATH(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
a_member_is_located_by_its_key_and_an_element_by_its_value(void **state)
{
	(void)state;
	must_locate("{\"a\": 1}", PATH("a"), 1, 2);
	must_locate("{\"a\": 1,\n  \"b\": 2}", PATH("b"), 2, 3);
	must_locate("{\"a\": [1, 22, 333]}", PATH("a", "#0"), 1, 8);
	must_locate("{\"a\": [1, 22, 333]}", PATH("a", "#2"), 1, 15);
	must_locate("{\"a\": {\"b\": [{\"c\": 1}, {\"c\": 2}]}}", PATH("a", "b", "#1", "c"), 1, 25);
	must_locate("[[1], [2, [3]]]", PATH("#1", "#1", "#0"), 1, 12);
	must_locate("{\"a\":{\"x\":1},\"x\":2}", PATH("x"), 1, 14);
}

static void
text_inside_strings_does_not_mislead(void **state)
{
	(void)state;
	must_locate("{\"x\": \"\\\"b\\\": {[\", \"b\": 1}", PATH("b"), 1, 20);
	must_locate("{\"x\": \"\\\\\", \"b\": 1}", PATH("b"), 1, 13);
	must_locate("{\"x\": [\"]\", \"}\"], \"b\": 1}", PATH("b"), 1, 19);
	must_locate("{\"\\u0062\": 1}", PATH("b"), 1, 2);
	must_locate("{\"a\\\"b\": 1}", PATH("a\"b"), 1, 2);
}

static void
columns_count_characters_not_bytes(void **state)
{
	(void)state;
	must_locate("{\"\xc3\xa9\xe2\x82\xac\": 1, \"b\": 2}", PATH("b"), 1, 11);
	must_locate("{\"\xf0\x9f\x98\x80\":\r\n1,\r\n\t\"b\": 2}", PATH("b"), 3, 2);
}

static void
a_key_with_a_hash_is_a_key_in_an_object(void **state)
{
	(void)state;
	must_locate("{\"a\": 1,\n\"#0\": 2}", PATH("#0"), 2, 1);
	must_locate("{\"a\": {\"#x\": {\"y\": 1}}}", PATH("a", "#x", "y"), 1, 15);
}

static void
what_is_not_there_is_located_at_the_start(void **state)
{
	(void)state;
	must_locate("{\"a\":\n[1]}", PATH("b"), 1, 1);
	must_locate("{\n\"a\": [1]}", PATH("a", "#1"), 1, 1);
	must_locate("{\n\"a\": [1]}", PATH("a", "b"), 1, 1);
	must_locate("{\n\"a\": 1}", PATH("a", "b"), 1, 1);
	must_locate("{}", PATH("a"), 1, 1);
	must_locate("[]", PATH("#0"), 1, 1);
	must_locate("3", PATH("#0"), 1, 1);
}

static void
text_that_is_not_json_is_never_read_past_its_end(void **state)
{
	static const char *const odd[] = { "", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[",
		"[1", "{\"a\\", "[\"\\", "{\"a\":{\"b\":[[[", ":", "{1:2", "[,,,", "{}}}" };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		auto_free char *copy = malloc(strlen(odd[i]) + 1);
		int line = 0, column = 0;

		memcpy(copy, odd[i], strlen(odd[i]));
		json_locate(copy, strlen(odd[i]), PATH("a", "#2", "b"), &line, &column);
		assert_true(line >= 1 && column >= 1);
	}
}

static void
a_line_is_the_same_for_the_same_value(void **state)
{
	auto_json json_t *a = NULL, *b = NULL;
	static const char one[] = "{\"b\": 1, \"a\": [true, \"\\n\"]}",
			  two[] = "{\"a\":[true,\"\\u000a\"],\n\"b\":1}";

	(void)state;
	assert_int_equal(json_parse(one, strlen(one), &a, NULL), 0);
	assert_int_equal(json_parse(two, strlen(two), &b, NULL), 0);
	auto_free char *first = json_line(a), *second = json_line(b);

	assert_string_equal(first, "{\"a\":[true,\"\\n\"],\"b\":1}");
	assert_string_equal(first, second);
}

static void
an_ascii_line_hides_nothing_and_means_the_same(void **state)
{
	static const char text[] = "{\"k\xc2\x9b\":\"\xe2\x80\xae\x7f\xf3\xa0\x81\x81\\n\"}";
	auto_json json_t *value = NULL, *again = NULL;

	(void)state;
	assert_int_equal(json_parse(text, strlen(text), &value, NULL), 0);
	auto_free char *line = json_ascii(value);

	for (const char *c = line; *c; c++)
		assert_true(*c >= ' ' && *c < 0x7f);
	assert_non_null(strstr(line, "\\u007f"));
	assert_int_equal(json_parse(line, strlen(line), &again, NULL), 0);
	assert_true(json_equal(value, again));
	assert_null(json_ascii(NULL));
}

static void
text_that_is_not_utf8_is_set_escaped(void **state)
{
	auto_json json_t *object = json_object();

	(void)state;
	assert_int_equal(json_set_text(object, "a", "pl\xc3\xa9in"), 0);
	assert_int_equal(json_set_text(object, "b", "\xff\\"), 0);
	assert_string_equal(json_string_value(json_object_get(object, "a")), "pl\xc3\xa9in");
	assert_string_equal(json_string_value(json_object_get(object, "b")), "\\xff\\\\");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_value_of_any_type_is_accepted),
		cmocka_unit_test(everything_else_is_refused_with_its_place),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(a_member_is_located_by_its_key_and_an_element_by_its_value),
		cmocka_unit_test(text_inside_strings_does_not_mislead),
		cmocka_unit_test(columns_count_characters_not_bytes),
		cmocka_unit_test(a_key_with_a_hash_is_a_key_in_an_object),
		cmocka_unit_test(what_is_not_there_is_located_at_the_start),
		cmocka_unit_test(text_that_is_not_json_is_never_read_past_its_end),
		cmocka_unit_test(a_line_is_the_same_for_the_same_value),
		cmocka_unit_test(an_ascii_line_hides_nothing_and_means_the_same),
		cmocka_unit_test(text_that_is_not_utf8_is_set_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

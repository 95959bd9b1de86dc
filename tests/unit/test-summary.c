/* SPDX-License-Identifier: Apache-2.0 */
/* An agent's last words: each shape that agents write, what is left of text for a
 * terminal, and where it is cut. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <stdlib.h>

#include "agents/summary.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"

static void
says(const char *out, const char *expected, bool expected_error)
{
	bool is_error = !expected_error;
	auto_free char *text = summary_of(out, strlen(out), 30000, &is_error);

	assert_non_null(text);
	assert_string_equal(text, expected);
	assert_int_equal(is_error, expected_error);
}

static void
the_result_of_each_agent_is_found(void **state)
{
	(void)state;
	says("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,"
	     "\"result\":\"Done.\"}\n",
		"Done.", false);
	says("{\"type\":\"result\",\"is_error\":true,\"result\":\"API Error\"}", "API Error", true);
	says("[{\"type\":\"system\"},{\"type\":\"result\",\"result\":\"R\"}]", "R", false);
	says("{\n  \"session_id\": \"x\",\n  \"response\": \"two\\nlines\",\n  \"stats\": {}\n}\n",
		"two\nlines", false);
	says("{\"response\":\"\",\"error\":{\"type\":\"T\",\"message\":\"quota\",\"code\":1}}", "",
		true);
	says("{\"session_id\":\"x\",\"error\":{\"type\":\"T\",\"message\":\"quota\",\"code\":1}}",
		"quota", true);
	says("{\"summary\":\"S\",\"text\":\"T\"}", "S", false);
	says("{\"message\":\"M\"}", "M", false);
	says("{\"text\":\"T\"}", "T", false);
}

static void
the_last_words_of_a_stream_are_found(void **state)
{
	(void)state;
	says("{\"type\":\"thread.started\"}\n"
	     "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","
	     "\"text\":\"one\"}}\n"
	     "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","
	     "\"text\":\"two\"}}\n"
	     "{\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"no\"}}\n"
	     "{\"type\":\"turn.completed\",\"usage\":{}}\n\n",
		"two", false);
	says("{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","
	     "\"text\":\"one\"}}\n"
	     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"lost\"}}\n",
		"one\n\nerror: lost", true);
	says("{\"type\":\"turn.failed\",\"error\":{\"message\":\"lost\"}}\n", "lost", true);
	says("{\"type\":\"error\",\"message\":\"lost\"}\n"
	     "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"ok\"}}",
		"ok", false); /* it went on */
	says("{\"msg\":{\"type\":\"agent_message\","
	     "\"message\":\"old\"}}\n{\"msg\":{\"type\":\"x\"}}",
		"old", false);
	says("{\"type\":\"text\",\"part\":{\"type\":\"text\",\"text\":\"words\"}}\n"
	     "{\"type\":\"step_finish\",\"part\":{\"type\":\"step-finish\"}}\n",
		"words", false);
	says("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\","
	     "\"text\":\"A\"}]}}\n"
	     "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"U\"}]}}\n"
	     "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true}\n",
		"A", true);
	says("starting\n{\"type\":\"result\",\"result\":\"R\"}\n", "R", false);
}

static void
what_is_no_known_shape_is_text(void **state)
{
	(void)state;
	says("", "", false);
	says(" \n\n", "", false);
	says("\n  All done.\n\n", "All done.", false);
	says("{\"result\":\"R\"}\nAnd so on.", "{\"result\":\"R\"}\nAnd so on.", false);
	says("{\"n\":1}", "{\"n\":1}", false);
	says("{\"result\":{\"a\":1}}", "{\"result\":{\"a\":1}}", false);
	says("{\"result\":\"R\"", "{\"result\":\"R\"", false);
	says("{\"result\":\"R\",\"result\":\"S\"}", "{\"result\":\"R\",\"result\":\"S\"}", false);
	says("[1,2]", "[1,2]", false);
	says("\"words\"", "\"words\"", false);
	says("{\"type\":\"notice\",\"message\":\"M\"}", "{\"type\":\"notice\",\"message\":\"M\"}",
		false);
	says("{\"type\":\"result\",\"is_error\":true}", "{\"type\":\"result\",\"is_error\":true}",
		true);
}

static void
what_was_meant_for_a_terminal_is_taken_away(void **state)
{
	(void)state;
	says("\033[1;31mred\033[0m", "red", false);
	says("\033]0;title\007a\033]8;;http://x\033\\b", "ab", false);
	says("\033Pq#0\033\\c\033(Bd\0337e", "cde", false);
	says("\033]never ends\nbut the next line is there", "but the next line is there", false);
	says("one\r\ntwo\rthree", "one\ntwo\nthree", false);
	says("a\bb\ac\177d", "abcd", false);
	says("\302\23331mx", "x", false);
	says("a\342\200\256b\342\200\213c\357\273\277d", "abcd", false);
	says("a\377b\300\257c", "a\357\277\275b\357\277\275\357\277\275c", false);
	says("{\"result\":\"\\u001b[2Jx\\u0000y\"}", "xy", false);
	says("a\tb", "a\tb", false);
	says("x\033", "x", false);
	says("x\033[", "x", false);
}

static void
too_much_is_cut_at_a_line_and_said(void **state)
{
	auto_buf struct buf out = { 0 };
	bool is_error;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_printf(&out, "line %d\n", i);
	auto_free char *text = summary_of(out.data, out.len, 500, &is_error);
	const char *second = strchr(text, '\n') + 1;

	assert_true(strlen(text) <= 500 && strlen(text) > 350);
	assert_true(str_prefix(text, "[8"));
	assert_non_null(strstr(text, " bytes before this are left out]\nline "));
	assert_true(str_prefix(second, "line "));
	assert_true(streq(text + strlen(text) - 8, "line 999"));
	/* The number is that of what is missing. */
	assert_int_equal(strtoul(text + 1, NULL, 10) + strlen(second), out.len - 1);
}

static void
one_long_line_is_cut_between_characters(void **state)
{
	auto_buf struct buf out = { 0 };
	bool is_error;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_puts(&out, "\303\244");
	for (size_t max = 300; max < 304; max++) {
		auto_free char *text = summary_of(out.data, out.len, max, &is_error);

		assert_true(strlen(text) <= max);
		assert_true(str_is_utf8(text, strlen(text)));
		assert_non_null(strstr(text, "left out]\n\303\244"));
	}
	/* A limit that is none. */
	auto_free char *least = summary_of(out.data, out.len, 0, &is_error);

	assert_true(strlen(least) <= SUMMARY_LEAST);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_result_of_each_agent_is_found),
		cmocka_unit_test(the_last_words_of_a_stream_are_found),
		cmocka_unit_test(what_is_no_known_shape_is_text),
		cmocka_unit_test(what_was_meant_for_a_terminal_is_taken_away),
		cmocka_unit_test(too_much_is_cut_at_a_line_and_said),
		cmocka_unit_test(one_long_line_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

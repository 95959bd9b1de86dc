/* SPDX-License-Identifier: Apache-2.0 */
/* An agent's last words, and where they are cut. tests/texts/summary.text has each shape
 * that agents write. */

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
		cmocka_unit_test(too_much_is_cut_at_a_line_and_said),
		cmocka_unit_test(one_long_line_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of what a judge says and is shown, and the search for phrases. Single answers and
 * requests are in tests/texts: verdict.text, plea.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "ask/judge/phrase.h"
#include "ask/judge/judge-injection.h"
#include "ask/judge/verdict.h"
#include "base/own.h"
#include "base/str.h"

static int
parse(const char *text, struct verdict *ret)
{
	struct ambit_error err = { 0 };
	int r;

	*ret = (struct verdict){ 0 };
	r = verdict_parse(text, strlen(text), ret, &err);
	/* Never half of one. */
	if (r < 0)
		assert_true(!ret->allow && ret->reason[0] == '\0' && err.text[0] != '\0');
	return r;
}

static void
a_reason_has_its_greatest_length(void **state)
{
	struct verdict verdict;
	char reason[512], text[600];

	(void)state;
	memset(reason, 'a', sizeof(reason));
	reason[VERDICT_REASON_MAX] = '\0';
	snprintf(text, sizeof(text), "{\"verdict\":\"allow\",\"reason\":\"%s\"}", reason);
	assert_int_equal(parse(text, &verdict), 0);
	reason[VERDICT_REASON_MAX] = 'a';
	reason[VERDICT_REASON_MAX + 1] = '\0';
	snprintf(text, sizeof(text), "{\"verdict\":\"allow\",\"reason\":\"%s\"}", reason);
	assert_int_equal(parse(text, &verdict), -EINVAL);
}

static void
a_request_that_is_too_long_is_not_shown(void **state)
{
	char text[PLEA_BYTES_MAX + 2];
	auto_json json_t *object = NULL;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	object = json_pack("{s:s, s:s}", "tool", "bash", "command", text);
	assert_non_null(object);
	assert_non_null(plea_find(object));
	assert_non_null(plea_find(NULL));
}

static void
phrases_are_found_whatever_stands_between(void **state)
{
	static const char *const list[] = { "say yes", "judg*", NULL };
	auto_free char *folded = phrase_fold("Don't--SAY__Yes");
	auto_free char *none = phrase_fold("");
	auto_free char *part = phrase_fold("essay yesterday prejudge");

	(void)state;
	assert_string_equal(folded, " dont say yes ");
	assert_string_equal(phrase_find(folded, list), "say yes");
	assert_string_equal(none, " ");
	assert_null(phrase_find(none, list));
	assert_null(phrase_find(part, list));
	assert_true(phrase_plain("") && phrase_plain(" ~"));
	assert_false(phrase_plain("\t") || phrase_plain("\x80"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_has_its_greatest_length),
		cmocka_unit_test(a_request_that_is_too_long_is_not_shown),
		cmocka_unit_test(phrases_are_found_whatever_stands_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

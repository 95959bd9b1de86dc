/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of the patterns that a question about a host offers: each covers the host, and none
 * covers what belongs to somebody else. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ask/question-hosts.h"
#include "base/own.h"
#include "base/str.h"
#include "request/host.h"

static void
assert_patterns(const char *host, const char *expected)
{
	auto_free char *got = strdup("");
	char **list = NULL;

	assert_int_equal(question_list_patterns(host, &list), 0);
	for (char **at = list; at && *at; at++) {
		char *more = str_printf("%s%s%s", got, *got ? " " : "", *at);

		assert_true(question_is_pattern(*at));
		assert_int_equal(host_pattern_check(*at), 0);
		free(got);
		got = more;
	}
	assert_string_equal(got, expected);
	strv_free(list);
}

static void
patterns_stand_from_narrow_to_wide(void **state)
{
	(void)state;
	assert_patterns("registry.example.org:443", "*.example.org:443");
	assert_patterns("registry.example.org", "*.example.org");
	assert_patterns("A.b.Example.ORG.:80", "*.b.example.org:80 *.example.org:80");
	assert_patterns("a.example.co.uk:443", "*.example.co.uk:443");
	assert_patterns("a.example.de", "*.example.de");
}

static void
what_others_own_is_not_offered(void **state)
{
	static const char *const hosts[] = { "example.org:443", "example.org", "localhost:80",
		"a.localhost", "name", "127.0.0.1:80", "[::1]:80", "10.0.0.1", "x.co.uk",
		"x.com.au:443", "x.gouv.fr", "me.github.io:443", "bucket.s3.amazonaws.com:443",
		"a.b.pages.dev", "raw.githubusercontent.com:443", "metadata.google.internal",
		"printer.office.local", "1.0.0.127.in-addr.arpa", "unix:/run/a.b.sock",
		"unix:@a.b.c", "a-label-of-more-than-forty-letters-carries-data.example.org:443" };

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		assert_patterns(hosts[i], "");
}

/* By what the decision uses. */
static void
a_pattern_covers_the_host_its_neighbours_and_nothing_else(void **state)
{
	char **list = NULL;

	(void)state;
	assert_int_equal(question_list_patterns("a.example.org:443", &list), 0);
	assert_true(host_match(list[0], "a.example.org", 443));
	assert_true(host_match(list[0], "b.example.org", 443));
	assert_false(host_match(list[0], "a.example.org", 80));
	assert_false(host_match(list[0], "example.org", 443));
	assert_false(host_match(list[0], "anexample.org", 443));
	assert_false(host_match(list[0], "a.example.com", 443));
	strv_free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_stand_from_narrow_to_wide),
		cmocka_unit_test(what_others_own_is_not_offered),
		cmocka_unit_test(a_pattern_covers_the_host_its_neighbours_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about secrets: every shape in the table is taken out, and no text makes it
 * slow. tests/texts/redact*.text have texts and their results. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/fd.h"
#include "base/str.h"
#include "record/redact/redact.h"
#include "rounds.h"

static void
becomes(const char *text, const char *result)
{
	/* Without a NUL behind it, so that a look past the end is seen. */
	size_t len = strlen(text);
	char *exact = malloc(len ? len : 1);

	assert_non_null(exact);
	memcpy(exact, text, len);
	auto_free char *got = redact_text(exact, len);

	free(exact);
	assert_non_null(got);
	if (!streq(got, result))
		fail_msg("'%s' became '%s', not '%s'", text, got, result);
}

static void
stays(const char *text)
{
	becomes(text, text);
}

static void
every_shape_is_taken_out(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		assert_non_null(s->text);
		becomes(s->example, s->result);
		assert_non_null(strstr(s->result, REDACTED));
	}
}

static void
every_lookalike_stays(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++)
		if (s->plain)
			stays(s->plain);
}

static void
what_was_taken_out_stays_taken_out(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++)
		becomes(s->result, s->result);
}

static void
a_shape_in_the_middle_of_a_sentence_leaves_the_rest(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		auto_free char *text = str_printf("before \xc3\xa9\n%s\nafter", s->example);
		auto_free char *want = str_printf("before \xc3\xa9\n%s\nafter", s->result);

		becomes(text, want);
	}
}

/* What this thread worked for so many bytes of a unit, in nanoseconds of its own: how
 * busy the machine is does not count. The least of some tries. */
static int64_t
work_for(const char *unit, char *text, size_t size, int tries)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0, n = strlen(unit); i < size; i++)
		text[i] = unit[i % n];
	for (int i = 0; i < tries; i++) {
		struct timespec begun, ended;
		int64_t work;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
		auto_free char *got = redact_text(text, size);

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
		assert_non_null(got);
		work = (ended.tv_sec - begun.tv_sec) * 1000000000ll + ended.tv_nsec - begun.tv_nsec;
		least = work < least ? work : least;
	}
	return least;
}

/* Sixteen times the text is sixteen times the work. Whoever looks back from each byte
 * works 256 times as much; between them is room for caches and the allocator. */
static void
no_text_makes_it_slow(void **state)
{
	static const char *const units[] = {
		"sk-",
		"eyJ-",
		"eyJaaaaaaaaaa.",
		"eyJ.",
		"token:",
		"token=",
		"token=\"$A ",
		"token='",
		"token=\\\"",
		"-u=",
		"-u a",
		"--user=",
		"://",
		"a://a:",
		"http://a:b",
		"-----BEGIN ",
		"-----BEGIN PRIVATE KEY",
		"a",
		"-",
		"_",
		" ",
		"Authorization: ",
		"authorization:",
		"bearer ",
		"Basic a1",
		"xoxb-",
		"token \"",
		"--token ",
		"password: a",
		"A_TOKEN = ",
		"\\",
		"\"",
		"token=\"$A\\\"",
		"secret:a1",
		"-u 1:",
		"AKIA",
		"\xc3\xa9",
		"token:a(",
		"token=~",
		"token:~a1",
		"Cookie:a",
		"Cookie:~",
		"Cookie:a;b=",
		"-u=a:/",
		" -p",
		"curl -u",
		" sshpass -p",
		"-----BEGIN PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----Comment:;",
		"-----BEGIN PRIVATE KEY-----\na ",
		"%20eyJ",
		"\\ntoken=",
		("g"
		 "hp_"),
		"A_TOKEN: ",
		"$(",
	};
	const size_t size = (size_t)rounds(1 << 16, 1 << 19);
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		int64_t little = work_for(units[u], text, size / 16, 3);
		int64_t much = work_for(units[u], text, size, 1);

		for (int i = 0; i < 3 && much / 80 > little; i++)
			much = work_for(units[u], text, size, 1);
		if (much / 80 > little)
			fail_msg("'%s': %lld ns, and %lld for sixteen times as much", units[u],
				(long long)little, (long long)much);
	}
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_is_taken_out),
		cmocka_unit_test(every_lookalike_stays),
		cmocka_unit_test(what_was_taken_out_stays_taken_out),
		cmocka_unit_test(a_shape_in_the_middle_of_a_sentence_leaves_the_rest),
		cmocka_unit_test(no_text_makes_it_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table that keys of commands come from. The keys themselves are in
 * tests/texts/rulekey.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "request/arity.h"

static void
no_row_is_about_a_program_that_runs_others(void **state)
{
	(void)state;
	for (const struct arity *row = arity_table; row->words; row++) {
		char first[64];
		size_t n = strcspn(row->words, " "), words = 1;

		memcpy(first, row->words, n);
		first[n] = '\0';
		assert_false(arity_runs_others(first));
		for (const char *c = row->words; *c; c++)
			words += *c == ' ';
		assert_true(row->n >= words);
	}
}

/* A row behind one that begins it would never be found. */
static void
no_row_hides_another(void **state)
{
	(void)state;
	for (const struct arity *row = arity_table; row->words; row++)
		for (const struct arity *later = row + 1; later->words; later++) {
			size_t n = strlen(row->words);

			if (strncmp(later->words, row->words, n) == 0 &&
				(later->words[n] == ' ' || later->words[n] == '\0'))
				fail_msg("'%s' hides '%s'", row->words, later->words);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_row_is_about_a_program_that_runs_others),
		cmocka_unit_test(no_row_hides_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about letters that pass for others: they are listed, and names in a script of their own
 * are left alone. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/lookalike.h"
#include "base/own.h"

static void
letters_that_pass_for_others_are_listed(void **state)
{
	static const struct {
		const char *text, *list;
	} rows[] = {
		{ "", "" },
		{ "~/data/out.csv", "" },
		{ "p\u0430ypal.com", "U+0430" },
		/* Each once, at most four. */
		{ "\u0430b\u0430\u043ec", "U+0430 U+043E" },
		{ "a\u0430\u0435\u043e\u0440\u0441", "U+0430 U+0435 U+043E U+0440" },
		/* Nothing but such ones: the whole word passes for another. */
		{ "/\u0430\u0440\u0440/", "U+0430 U+0440" },
		/* In its own script it is a word like any other, beside plain ones, too. */
		{ "~/\u0434\u043e\u043a\u0443\u043c\u0435\u043d\u0442\u044b/report.txt", "" },
		{ "caf\u00e9/gr\u00fc\u00dfe/\u65e5\u672c", "" },
		{ "b\u0131n", "U+0131" },
		{ "\uff53\uff48", "U+FF53 U+FF48" },
		{ "x\u2215etc\u2215passwd", "U+2215" },
		{ "\U0001d41bash", "U+1D41B" },
		/* Not UTF-8: it is escaped elsewhere. */
		{ "a\xff\xd0", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_free char *list = lookalike_list(rows[i].text);

		assert_non_null(list);
		assert_string_equal(list, rows[i].list);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_that_pass_for_others_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The list of files that a patch can touch, and its receiver. tests/texts/patch-*.text
 * have the patches and their lists. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "patch/patch.h"

#define HUNK "@@ -1 +1 @@\n-a\n+b\n"

static int
stop(void *data, const char *path, size_t len, enum ambit_access access)
{
	(void)path;
	(void)len;
	(void)access;
	++*(int *)data;
	return -E2BIG;
}

static void
the_receiver_can_stop(void **state)
{
	static const char patch[] = "--- a/x\n+++ b/x\n" HUNK "--- a/y\n+++ b/y\n" HUNK;
	struct ambit_error err = { 0 };
	int calls = 0;

	(void)state;
	assert_int_equal(patch_paths(patch, strlen(patch), stop, &calls, &err), -E2BIG);
	assert_int_equal(calls, 1);
	assert_int_equal(err.code, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_receiver_can_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that was narrowed: what is said takes away and never gives. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "scope/scope-narrow.h"
#include "scope/scope-private.h"
#include "scratch.h"

struct rig {
	char top[SCRATCH_PATH], folder[96];
	struct ambit_scope *scope;
};

static int
setup(void **state)
{
	static const char *const dirs[] = { "folder", "folder/a", "folder/a/b", "folder/ab",
		"outside" };
	struct rig *rig = calloc(1, sizeof(*rig));
	const struct ambit_scope_options options = { .root = rig->folder, .allow_bash = true };

	scratch_make(rig->top, sizeof(rig->top));
	snprintf(rig->folder, sizeof(rig->folder), "%s/folder", rig->top);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", rig->top, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(ambit_scope_create(&options, &rig->scope, NULL), 0);
	*state = rig;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *rig = *state;

	ambit_scope_destroy(rig->scope);
	scratch_remove(rig->top);
	free(rig);
	return 0;
}

static bool
writes(const struct rig *rig, const struct ambit_scope *scope, const char *name, bool strictly)
{
	char path[160];

	snprintf(path, sizeof(path), "%s%s", rig->top, name);
	return scope_writes(scope, path, strictly);
}

/* To one directory; "": a text that is no path. */
static void
narrow(const struct rig *rig, const char *name)
{
	char path[160];
	const char *dir = path;

	snprintf(path, sizeof(path), "%s%s", name[0] == '/' ? rig->top : "", name);
	assert_int_equal(scope_narrow(rig->scope, &dir, 1, "somebody", NULL), 0);
}

static void
all_of_it_is_open_at_first(void **state)
{
	struct rig *rig = *state;

	assert_true(writes(rig, rig->scope, "/folder", false));
	assert_false(writes(rig, rig->scope, "/folder", true));
	assert_true(writes(rig, rig->scope, "/folder/x", true));
	assert_false(writes(rig, rig->scope, "/outside/x", false));
	assert_false(writes(rig, rig->scope, "/folder-2", false));
}

static void
one_inside_is_what_is_left(void **state)
{
	struct rig *rig = *state;
	char link[160];

	narrow(rig, "/folder/a");
	assert_true(writes(rig, rig->scope, "/folder/a/b/c", true));
	assert_true(writes(rig, rig->scope, "/folder/a", false));
	assert_false(writes(rig, rig->scope, "/folder/a", true));
	assert_false(writes(rig, rig->scope, "/folder/ab", false));
	assert_false(writes(rig, rig->scope, "/folder", false));
	assert_true(scope_holds(rig->scope, rig->folder));
	/* By its real place, not by its name. */
	snprintf(link, sizeof(link), "%s/link", rig->folder);
	assert_int_equal(symlink("a/b", link), 0);
	narrow(rig, "/folder/link");
	assert_true(writes(rig, rig->scope, "/folder/a/b/c", true));
	assert_false(writes(rig, rig->scope, "/folder/a/x", true));
}

static void
one_around_is_all_and_one_elsewhere_nothing(void **state)
{
	static const char *const nothing[] = { "/outside", "/folder/none", "/folder-2", "a", "",
		"." };
	struct rig *rig = *state;

	narrow(rig, "/");
	assert_true(writes(rig, rig->scope, "/folder/x", true));
	assert_false(writes(rig, rig->scope, "/folder", true));
	assert_false(writes(rig, rig->scope, "/outside/x", true));
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		narrow(rig, nothing[i]);
		assert_false(writes(rig, rig->scope, "/folder/a/x", false));
		assert_false(writes(rig, rig->scope, "/outside/x", false));
		assert_true(rig->scope->narrowed && rig->scope->only == NULL);
	}
	assert_int_equal(scope_narrow(rig->scope, NULL, 0, NULL, NULL), 0);
	assert_true(writes(rig, rig->scope, "/folder/x", true));
}

static int
open_child(const struct rig *rig, const char *root, struct ambit_scope **ret_child)
{
	const struct ambit_scope_options options = { .root = root, .enforce_write = true };

	return ambit_scope_child(rig->scope, &options, ret_child, NULL);
}

static void
a_child_has_no_more(void **state)
{
	struct rig *rig = *state;
	struct ambit_scope *child = NULL;

	narrow(rig, "/folder/a/b");
	assert_int_equal(open_child(rig, "a", &child), 0);
	assert_true(writes(rig, child, "/folder/a/b/c", true));
	assert_false(writes(rig, child, "/folder/a/x", true));
	ambit_scope_destroy(child);
	assert_int_equal(open_child(rig, "ab", &child), 0);
	assert_false(writes(rig, child, "/folder/ab/x", true));
	ambit_scope_destroy(child);
}

static void
it_moves_with_the_folder(void **state)
{
	struct rig *rig = *state;
	char moved[96];

	narrow(rig, "/folder/a");
	snprintf(moved, sizeof(moved), "%s/moved", rig->top);
	assert_int_equal(rename(rig->folder, moved), 0);
	assert_int_equal(scope_refresh(rig->scope, NULL), 0);
	assert_true(writes(rig, rig->scope, "/moved/a/x", true));
	assert_false(writes(rig, rig->scope, "/moved/x", true));
	assert_false(writes(rig, rig->scope, "/folder/a/x", true));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_of_it_is_open_at_first, setup, teardown),
		cmocka_unit_test_setup_teardown(one_inside_is_what_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(
			one_around_is_all_and_one_elsewhere_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_child_has_no_more, setup, teardown),
		cmocka_unit_test_setup_teardown(it_moves_with_the_folder, setup, teardown),
	};

	return cmocka_run_group_tests_name("narrow", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the model has read of a file, and that somebody else was there since. */

#include "unit-world.h"

#include "tools/registry/own-tool.h"

struct rig {
	struct world w;
	struct tool_run run;
};

static int
open_rig(void **state)
{
	struct rig *rig = world_create(sizeof(*rig));

	rig->run.seen = seen_create();
	*state = rig;
	return 0;
}

static int
close_rig(void **state)
{
	struct rig *rig = *state;

	free(rig->run.hint);
	seen_destroy(rig->run.seen);
	world_destroy(&rig->w);
	return 0;
}

static void
note(struct rig *rig, const char *name)
{
	struct stat st;

	assert_int_equal(lstat(name, &st), 0);
	seen_note(rig->run.seen, name, &st);
}

static int
check(struct rig *rig, const char *name)
{
	struct ambit_place place = { .parent = AT_FDCWD,
		.real = (char *)name,
		.shown = (char *)name,
		.exists = access(name, F_OK) == 0 };
	struct ambit_error err = { 0 };
	int r;

	snprintf(place.name, sizeof(place.name), "%s", name);
	r = seen_check(&rig->run, &place, &err);
	if (r < 0) {
		assert_non_null(strstr(err.text, name));
		assert_non_null(rig->run.hint);
	}
	return r;
}

static void
what_was_not_read_may_be_written(void **state)
{
	struct rig *rig = *state;

	world_file("f", "x");
	assert_int_equal(check(rig, "f"), 0);
	assert_int_equal(check(rig, "none"), 0);
}

static void
what_changed_since_it_was_read_is_told(void **state)
{
	struct rig *rig = *state;

	world_file("f", "x");
	note(rig, "f");
	assert_int_equal(check(rig, "f"), 0);
	world_file("f", "longer");
	assert_int_equal(check(rig, "f"), -ESTALE);
	note(rig, "f");
	assert_int_equal(check(rig, "f"), 0);
	/* Another file of the same size and time. */
	world_file("g", "longer");
	assert_int_equal(rename("g", "f"), 0);
	assert_int_equal(check(rig, "f"), -ESTALE);
	seen_forget(rig->run.seen, "f");
	assert_int_equal(check(rig, "f"), 0);
	note(rig, "f");
	assert_int_equal(unlink("f"), 0);
	assert_int_equal(check(rig, "f"), 0);
}

static void
the_oldest_are_forgotten(void **state)
{
	struct rig *rig = *state;
	struct stat st;
	char name[32];

	world_file("f", "x");
	world_file("late", "x");
	note(rig, "f");
	assert_int_equal(lstat("f", &st), 0);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "/some/file/%d", i);
		seen_note(rig->run.seen, name, &st);
		if (i == 19000)
			note(rig, "late");
	}
	world_file("f", "changed");
	world_file("late", "changed");
	assert_int_equal(check(rig, "f"), 0);
	assert_int_equal(check(rig, "late"), -ESTALE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_not_read_may_be_written),
		TEST(what_changed_since_it_was_read_is_told),
		TEST(the_oldest_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in a folder between two looks: every kind of change, in order, and
 * nothing where there was none. Files are real. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/changes.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "scratch.h"

static char top[SCRATCH_PATH];

static int
set_up(void **state)
{
	(void)state;
	scratch_make(top, sizeof(top));
	return chdir(top) == 0 && mkdir("f", 0700) == 0 ? 0 : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	scratch_remove(top);
	return 0;
}

/* A change of the same size in the same tick as the look before it would not be seen. */
static void
next_tick(void)
{
	int64_t now = clock_of_files();

	while (clock_of_files() <= now)
		;
}

static struct changes *
begin_within(size_t max)
{
	auto_free char *folder = str_printf("%s/f", top);
	struct changes *changes = changes_begin_within(folder, max);

	assert_non_null(changes);
	next_tick();
	return changes;
}

static struct changes *
begin(void)
{
	return begin_within(CHANGES_ENTRIES);
}

static int
note(void *data, const char *path, enum change change)
{
	static const char marks[] = { '+', '~', '-' };

	buf_printf(data, "%c%s ", marks[change], path);
	return 0;
}

static void
expect(struct changes *changes, const char *expected, bool expected_cut)
{
	auto_buf struct buf got = { 0 };
	bool cut = !expected_cut;

	assert_int_equal(changes_end(changes, note, &got, &cut), 0);
	assert_string_equal(got.data ? got.data : "", expected);
	assert_int_equal(cut, expected_cut);
}

static void
nothing_changed(void **state)
{
	(void)state;
	expect(begin(), "", false);
	assert_int_equal(mkdir("f/d", 0700), 0);
	scratch_file("f/d/a", "a");
	assert_int_equal(symlink("d", "f/l"), 0);
	assert_int_equal(mkfifo("f/p", 0600), 0);
	expect(begin(), "", false);
}

static void
every_kind_of_change_in_order(void **state)
{
	struct changes *changes;

	(void)state;
	assert_int_equal(mkdir("f/d", 0700), 0);
	assert_int_equal(mkdir("f/d/gone", 0700), 0);
	scratch_file("f/d/gone/x", "x");
	scratch_file("f/d/same", "same");
	scratch_file("f/d/text", "one");
	scratch_file("f/d-", "1");
	scratch_file("f/mode", "1");
	scratch_file("f/kind", "1");
	scratch_file("f/old", "1");
	scratch_file("f/swapped", "1");
	changes = begin();
	scratch_file("f/d/text", "two"); /* the same size */
	assert_int_equal(unlink("f/d/gone/x"), 0);
	assert_int_equal(rmdir("f/d/gone"), 0);
	assert_int_equal(mkdir("f/d/new", 0700), 0);
	scratch_file("f/d/new/a", "");
	scratch_file("f/d/new/.b", "");
	assert_int_equal(chmod("f/mode", 0644), 0);
	assert_int_equal(unlink("f/kind"), 0);
	assert_int_equal(symlink("mode", "f/kind"), 0);
	assert_int_equal(rename("f/old", "f/older"), 0);
	assert_int_equal(unlink("f/swapped"), 0);
	assert_int_equal(mkdir("f/swapped", 0700), 0);
	scratch_file("f/swapped/in", "");
	expect(changes,
		"-d/gone -d/gone/x +d/new +d/new/.b +d/new/a ~d/text ~kind ~mode -old +older "
		"-swapped +swapped +swapped/in ",
		false);
}

static void
a_file_that_has_its_old_times_again_is_seen(void **state)
{
	struct changes *changes;
	struct stat st;

	(void)state;
	scratch_file("f/a", "one");
	assert_int_equal(stat("f/a", &st), 0);
	changes = begin();
	scratch_file("f/a", "two");
	assert_int_equal(
		utimensat(AT_FDCWD, "f/a", (struct timespec[]){ st.st_atim, st.st_mtim }, 0), 0);
	expect(changes, "~a ", false);
}

static void
links_are_not_followed(void **state)
{
	struct changes *changes;

	(void)state;
	assert_int_equal(mkdir("out", 0700), 0);
	assert_int_equal(symlink("../out", "f/l"), 0);
	scratch_file("out/a", "one");
	changes = begin();
	scratch_file("out/a", "changed");
	scratch_file("out/b", "");
	expect(changes, "", false);
	changes = begin();
	/* A directory that becomes a link is gone, and so is what was in it. */
	assert_int_equal(unlink("f/l"), 0);
	assert_int_equal(mkdir("f/l", 0700), 0);
	scratch_file("f/l/a", "");
	expect(changes, "-l +l +l/a ", false);
}

static void
what_git_keeps_is_left_out(void **state)
{
	struct changes *changes;

	(void)state;
	assert_int_equal(mkdir("f/.git", 0700), 0);
	scratch_file("f/.git/HEAD", "one");
	changes = begin();
	scratch_file("f/.git/HEAD", "another");
	assert_int_equal(mkdir("f/sub", 0700), 0);
	assert_int_equal(mkdir("f/sub/.git", 0700), 0);
	scratch_file("f/sub/.git/HEAD", "");
	scratch_file("f/.gitignore", "");
	expect(changes, "+.gitignore +sub +sub/.git ", false);
}

static void
any_name_and_any_depth(void **state)
{
	struct changes *changes = begin();
	struct changes *more;
	auto_buf struct buf path = { 0 };

	(void)state;
	scratch_file("f/\xff\n", "");
	buf_puts(&path, "f");
	for (int i = 0; i < 300; i++) {
		buf_puts(&path, "/d");
		assert_int_equal(mkdir(path.data, 0700), 0);
	}
	buf_puts(&path, "/x");
	more = begin();
	scratch_file(path.data, "");
	auto_free char *deepest = str_printf("+%s ", path.data + 2);

	expect(more, deepest, false);
	auto_buf struct buf got = { 0 };
	bool cut = true;

	assert_int_equal(changes_end(changes, note, &got, &cut), 0);
	assert_false(cut);
	assert_non_null(strstr(got.data, deepest));
	assert_non_null(strstr(got.data, "+\xff\n "));
}

static void
a_path_that_is_longer_than_a_path_can_be_is_told(void **state)
{
	char name[201];
	struct changes *changes = begin();
	auto_buf struct buf got = { 0 };
	bool cut = false;

	(void)state;
	memset(name, 'n', 200);
	name[200] = '\0';
	assert_int_equal(chdir("f"), 0);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(mkdir(name, 0700), 0);
		assert_int_equal(chdir(name), 0);
	}
	assert_int_equal(changes_end(changes, note, &got, &cut), 0);
	assert_true(cut);
	assert_int_equal(chdir(top), 0);
}

static void
a_directory_that_cannot_be_read_is_told(void **state)
{
	struct changes *changes;

	(void)state;
	if (geteuid() == 0)
		skip();
	assert_int_equal(mkdir("f/d", 0700), 0);
	scratch_file("f/d/a", "");
	scratch_file("f/z", "");
	changes = begin();
	assert_int_equal(chmod("f/d", 0), 0);
	scratch_file("f/z", "z");
	expect(changes, "~z ", true); /* d/a is not called deleted */
	changes = begin();
	assert_int_equal(chmod("f/d", 0700), 0);
	expect(changes, "", true); /* nor created */
}

static int
stop(void *data, const char *path, enum change change)
{
	(void)path;
	(void)change;
	++*(int *)data;
	return 7;
}

static void
each_can_stop_it(void **state)
{
	struct changes *changes = begin();
	int n = 0;
	bool cut;

	(void)state;

	scratch_file("f/a", "");
	scratch_file("f/b", "");
	assert_int_equal(changes_end(changes, stop, &n, &cut), 7);
	assert_int_equal(n, 1);
}

static void
what_is_not_a_folder_is_refused(void **state)
{
	(void)state;
	scratch_file("f/a", "");
	assert_null(changes_begin("f/a"));
	assert_int_equal(errno, ENOTDIR);
	assert_null(changes_begin("f/none"));
	assert_int_equal(errno, ENOENT);
	changes_destroy(NULL);
	changes_destroy(begin());
}

static void
make_files(const char *dir, int n)
{
	auto_close int fd = -1;
	char name[16];

	assert_int_equal(mkdir(dir, 0700), 0);
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%d", i);
		if (mknodat(fd, name, S_IFREG | 0600, 0) < 0)
			fail_msg("%s/%s", dir, name);
	}
}

/* What is too much is left out whole: what was there before never looks new. */
static void
there_is_an_end_to_how_many(void **state)
{
	struct changes *changes;

	(void)state;
	make_files("f/a", 500);
	make_files("f/b", 500);
	make_files("f/c", 10);
	scratch_file("f/z", "");
	changes = begin_within(1000);
	assert_int_equal(unlink("f/a/7"), 0);
	scratch_file("f/b/7", "changed");
	scratch_file("f/c/7", "changed");
	scratch_file("f/z", "changed");
	expect(changes, "-a/7 ~c/7 ~z ", true);
	/* It comes to fit, or no longer does: neither created nor deleted. */
	changes = begin_within(1010);
	assert_int_equal(unlink("f/a/8"), 0);
	expect(changes, "-a/8 ", true);
	changes = begin_within(1012);
	scratch_file("f/a/8", "");
	expect(changes, "+a/8 ", true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_changed),
		TEST(every_kind_of_change_in_order),
		TEST(a_file_that_has_its_old_times_again_is_seen),
		TEST(links_are_not_followed),
		TEST(what_git_keeps_is_left_out),
		TEST(any_name_and_any_depth),
		TEST(a_path_that_is_longer_than_a_path_can_be_is_told),
		TEST(a_directory_that_cannot_be_read_is_told),
		TEST(each_can_stop_it),
		TEST(what_is_not_a_folder_is_refused),
		TEST(there_is_an_end_to_how_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The private temp directory goes with all that a hostile program left in it,
 * and nothing else does. */

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/own.h"
#include "base/str.h"
#include "line/process/temp-dir.h"
#include "perform/clear.h"
#include "rounds.h"
#include "scratch.h"

struct place {
	char dir[SCRATCH_PATH];
	struct leftover made;
	char *temp;
	char *beside; /* a directory that must stay */
	char *precious;
};

static void
touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static int
begin(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	scratch_make(place->dir, sizeof(place->dir));
	place->beside = str_printf("%s/beside", place->dir);
	place->precious = str_printf("%s/precious", place->beside);
	assert_int_equal(mkdir(place->beside, 0755), 0);
	touch(place->precious);
	assert_int_equal(temp_dir_create(place->dir, NULL, &place->made, &place->temp, NULL), 0);
	*state = place;
	return 0;
}

static int
end(void **state)
{
	struct place *place = *state;
	int dir = open(place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(clear_directory(dir, CLEAR_ALL), 0);
	assert_int_equal(rmdir(place->dir), 0);
	close(dir);
	leftover_finish(&place->made);
	free(place->temp);
	free(place->beside);
	free(place->precious);
	free(place);
	return 0;
}

static void
assert_only_temp_is_gone(const struct place *place)
{
	assert_int_equal(leftover_remove(&place->made), 0);
	assert_int_equal(access(place->temp, F_OK), -1);
	assert_int_equal(access(place->precious, F_OK), 0);
	assert_int_equal(leftover_remove(&place->made), 0);
}

static void
links_are_not_followed(void **state)
{
	struct place *place = *state;
	auto_free char *link = str_printf("%s/link", place->temp);
	auto_free char *name = str_printf("%s/file", place->temp);

	assert_int_equal(symlink(place->beside, link), 0);
	assert_int_equal(linkat(AT_FDCWD, place->precious, AT_FDCWD, name, 0), 0);
	assert_only_temp_is_gone(place);
}

static void
depth_and_modes_do_not_matter(void **state)
{
	struct place *place = *state;
	int at = open(place->temp, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < 200; i++) {
		int next;

		assert_int_equal(mkdirat(at,
					 "a long enough name that no path can hold them all, "
					 "one beneath the other, for it would be too long",
					 0755),
			0);
		assert_int_equal(mkdirat(at, "b", 0755), 0);
		assert_int_equal(mkdirat(at, "b/c", 0700), 0);
		assert_int_equal(fchmodat(at, "b", i % 2 ? 0 : 0500, 0), 0);
		next = openat(at,
			"a long enough name that no path can hold them all, "
			"one beneath the other, for it would be too long",
			O_PATH | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(at);
		at = next;
	}
	close(at);
	assert_only_temp_is_gone(place);
}

struct mover {
	int temp, beside;
	int most; /* moves; who never stops keeps the other one from ending for long */
	atomic_bool done;
};

/* Takes directories out from under the one who empties them. */
static void *
move_out(void *data)
{
	struct mover *mover = data;
	char name[32];

	for (int i = 0, moves = 0; moves < mover->most && !atomic_load(&mover->done);
		i = (i + 1) % 50) {
		snprintf(name, sizeof(name), "d%d", i);
		if (renameat(mover->temp, "deep/er", mover->beside, name) == 0 ||
			renameat(mover->beside, name, mover->temp, "deep/er") == 0)
			moves++;
	}
	return NULL;
}

static void
what_is_moved_away_leads_nowhere(void **state)
{
	struct place *place = *state;
	struct mover mover = {
		.beside = open(place->beside, O_PATH | O_CLOEXEC),
		.most = rounds(6, INT_MAX),
	};
	/* Often and short, or long. */
	int n = rounds(6, 200), many = rounds(200, 30);
	pthread_t thread;
	char name[64];

	for (int round = 0; round < many; round++) {
		leftover_finish(&place->made);
		free(place->temp);
		assert_int_equal(
			temp_dir_create(place->dir, NULL, &place->made, &place->temp, NULL), 0);
		mover.temp = open(place->temp, O_PATH | O_CLOEXEC);
		assert_int_equal(mkdirat(mover.temp, "deep", 0700), 0);
		assert_int_equal(mkdirat(mover.temp, "deep/er", 0700), 0);
		for (int i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "deep/er/%d", i);
			assert_int_equal(mkdirat(mover.temp, name, 0700), 0);
			snprintf(name, sizeof(name), "deep/er/%d/x", i);
			assert_int_equal(mkdirat(mover.temp, name, 0700), 0);
		}
		atomic_store(&mover.done, false);
		assert_int_equal(pthread_create(&thread, NULL, move_out, &mover), 0);
		leftover_remove(&place->made);
		atomic_store(&mover.done, true);
		pthread_join(thread, NULL);
		/* What was put back meanwhile. */
		leftover_remove(&place->made);
		close(mover.temp);
		assert_int_equal(access(place->precious, F_OK), 0);
	}
	close(mover.beside);
}

/* A mode that keeps its owner out is changed on the directory that is being emptied. By name, it
 * would be changed on whatever the name leads to by then. */
static void
closed_directories_are_opened_by_descriptor(void **state)
{
	struct place *place = *state;
	auto_free char *closed = str_printf("%s/closed", place->temp);
	auto_free char *link = str_printf("%s/link", place->temp);
	int temp = open(place->temp, O_PATH | O_CLOEXEC), fd;
	struct stat st;

	assert_int_equal(mkdir(closed, 0), 0);
	assert_int_equal(chmod(place->beside, 0755), 0);
	assert_int_equal(symlink(place->beside, link), 0);
	/* By name, the control: the mode changes behind the link. */
	assert_int_equal(fchmodat(temp, "link", 0750, 0), 0);
	assert_int_equal(stat(place->beside, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	/* Here not, and a link is not entered. */
	fd = clear_enter(temp, "closed");
	assert_true(fd >= 0);
	close(fd);
	assert_true(clear_enter(temp, "link") < 0);
	assert_int_equal(stat(place->beside, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	close(temp);
	assert_only_temp_is_gone(place);
}

struct flipper {
	int dir;
	atomic_bool done;
	unsigned long flips;
};

/* "name" is a closed directory, then a link to another one, and so on. */
static void *
flip_name(void *data)
{
	struct flipper *flipper = data;

	while (!atomic_load(&flipper->done))
		if (syscall(SYS_renameat2, flipper->dir, "name", flipper->dir, "other",
			    RENAME_EXCHANGE) == 0)
			flipper->flips++;
	return NULL;
}

static void
a_swapped_link_gets_no_mode(void **state)
{
	struct place *place = *state;
	struct flipper flipper = { .dir = open(place->temp, O_PATH | O_CLOEXEC) };
	unsigned long entered = 0;
	pthread_t thread;
	struct stat st;

	if (geteuid() == 0)
		skip(); /* nothing is closed to it */
	assert_int_equal(chmod(place->beside, 0), 0);
	assert_int_equal(mkdirat(flipper.dir, "name", 0), 0);
	assert_int_equal(symlinkat(place->beside, flipper.dir, "other"), 0);
	assert_int_equal(pthread_create(&thread, NULL, flip_name, &flipper), 0);
	for (int i = 0; i < rounds(20000, 1000000) || entered == 0; i++) {
		int fd = clear_enter(flipper.dir, "name");

		if (fd < 0)
			continue;
		entered++;
		fchmod(fd, 0);
		close(fd);
	}
	atomic_store(&flipper.done, true);
	pthread_join(thread, NULL);
	assert_true(flipper.flips > 0);
	assert_int_equal(stat(place->beside, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0);
	assert_int_equal(chmod(place->beside, 0755), 0);
	close(flipper.dir);
}

/* Another session's command may rename the temp directory, and put another thing there. */
static void
a_name_that_is_another_by_now_stays(void **state)
{
	struct place *place = *state;
	auto_free char *moved = str_printf("%s/moved", place->dir);
	auto_free char *file = str_printf("%s/file", place->temp);

	touch(file);
	assert_int_equal(rename(place->temp, moved), 0);
	assert_int_equal(mkdir(place->temp, 0700), 0);
	touch(file);
	assert_int_equal(leftover_remove(&place->made), 0);
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(rmdir(moved), 0); /* it was emptied all the same */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(place->temp), 0);
	assert_int_equal(symlink(place->beside, place->temp), 0);
	assert_int_equal(leftover_remove(&place->made), 0);
	assert_int_equal(access(place->precious, F_OK), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(links_are_not_followed, begin, end),
		cmocka_unit_test_setup_teardown(depth_and_modes_do_not_matter, begin, end),
		cmocka_unit_test_setup_teardown(what_is_moved_away_leads_nowhere, begin, end),
		cmocka_unit_test_setup_teardown(
			closed_directories_are_opened_by_descriptor, begin, end),
		cmocka_unit_test_setup_teardown(a_swapped_link_gets_no_mode, begin, end),
		cmocka_unit_test_setup_teardown(a_name_that_is_another_by_now_stays, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

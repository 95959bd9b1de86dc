/* SPDX-License-Identifier: Apache-2.0 */
/* The store of what ambit makes for itself: what dead sessions left goes, what is another thing
 * by now stays, and the live are seen. */

#include "unit-world.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "perform/leftover.h"
#include "rounds.h"

struct rig {
	struct world w;
	char temp[700]; /* a directory that others can write */
	char own[800];	/* STATE/own */
};

static int
open_rig(void **state)
{
	struct rig *rig = world_create(sizeof(*rig));

	snprintf(rig->w.state, sizeof(rig->w.state), "%s/state", rig->w.top);
	snprintf(rig->own, sizeof(rig->own), "%s/own", rig->w.state);
	snprintf(rig->temp, sizeof(rig->temp), "%s/tmp", rig->w.top);
	assert_int_equal(mkdir(rig->w.state, 0700), 0);
	world_dir(rig->temp);
	*state = rig;
	return 0;
}

static int
close_rig(void **state)
{
	struct rig *rig = *state;

	world_destroy(&rig->w);
	return 0;
}

static struct leftovers *
open_store(struct rig *rig)
{
	struct leftovers *store = NULL;

	assert_int_equal(leftovers_open(rig->w.state, &store, NULL), 0);
	return store;
}

/* As a session that starts next. */
static void
collect(struct rig *rig)
{
	struct leftovers *store = open_store(rig);
	char **pools = NULL;

	assert_int_equal(leftovers_collect(store, &pools), 0);
	assert_null(pools);
	leftovers_destroy(store);
}

/* A session that makes a directory with something in it, and is killed. */
static char *
leave_one(struct rig *rig)
{
	struct leftovers *store = open_store(rig);
	struct leftover made;
	char *path = NULL;
	auto_free char *file = NULL;

	assert_int_equal(leftovers_make(store, rig->temp, LEFTOVER_DIR, &made, &path), 0);
	file = str_printf("%s/file", path);
	world_file(file, "x");
	leftover_finish(&made);
	leftovers_destroy(store);
	assert_int_equal(access(file, F_OK), 0);
	return path;
}

static void
what_a_dead_session_left_is_collected(void **state)
{
	struct rig *rig = *state;
	auto_free char *one = leave_one(rig), *two = leave_one(rig);

	assert_int_equal(scratch_count(rig->own), 2);
	collect(rig);
	assert_int_equal(access(one, F_OK), -1);
	assert_int_equal(access(two, F_OK), -1);
	assert_int_equal(scratch_count(rig->own), 0);
	assert_int_equal(scratch_count(rig->temp), 0);
}

static void
what_a_live_session_holds_stays(void **state)
{
	struct rig *rig = *state;
	struct leftovers *store = open_store(rig);
	struct leftover made;
	auto_free char *path = NULL;
	int lock;

	assert_int_equal(leftovers_make(store, rig->temp, LEFTOVER_DIR, &made, &path), 0);
	collect(rig);
	assert_int_equal(access(path, F_OK), 0);
	/* The keeper has the lock still when the supervisor is gone. */
	lock = dup(leftovers_file(store)->fd);
	leftovers_destroy(store);
	collect(rig);
	assert_int_equal(access(path, F_OK), 0);
	close(lock);
	collect(rig);
	assert_int_equal(access(path, F_OK), -1);
	leftover_finish(&made);
}

static void
move_away(struct rig *rig, const char *path)
{
	auto_free char *to = str_printf("%s%s", rig->w.top, strrchr(path, '/'));

	assert_int_equal(rename(path, to), 0);
}

/* Whoever can write in the directory puts something else there: that is not ours to remove. */
static void
what_took_its_name_stays(void **state)
{
	struct rig *rig = *state;
	auto_free char *a = leave_one(rig), *b = leave_one(rig), *c = leave_one(rig);
	auto_free char *d = leave_one(rig), *e = leave_one(rig);
	auto_free char *kept = str_printf("%s/kept", rig->w.out), *in_b = NULL, *moved = NULL;

	world_file(kept, "x");
	moved = str_printf("%s/moved", rig->temp);
	in_b = str_printf("%s/other", b);
	/* A link to a directory; a full directory; an empty one; a file; and the whole parent. */
	assert_int_equal(rename(a, moved), 0);
	assert_int_equal(symlink(rig->w.out, a), 0);
	move_away(rig, b);
	world_dir(b);
	world_file(in_b, "x");
	move_away(rig, c);
	world_dir(c);
	move_away(rig, d);
	world_file(d, "x");
	collect(rig);
	assert_int_equal(access(kept, F_OK), 0);
	assert_int_equal(access(in_b, F_OK), 0);
	assert_int_equal(access(c, F_OK), 0);
	assert_int_equal(access(d, F_OK), 0);
	assert_int_equal(access(moved, F_OK), 0);
	assert_int_equal(access(e, F_OK), -1); /* nobody touched this one */
}

static void
a_link_on_the_way_is_not_followed(void **state)
{
	struct rig *rig = *state;
	auto_free char *path = leave_one(rig), *away = str_printf("%s/away", rig->w.top);
	auto_free char *file = str_printf("%s/%s/file", away, strrchr(path, '/') + 1);

	/* The very directory, but reached by a link: by path it would go. */
	assert_int_equal(rename(rig->temp, away), 0);
	assert_int_equal(symlink(away, rig->temp), 0);
	collect(rig);
	assert_int_equal(access(file, F_OK), 0);
}

/* Killed between the plan and the directory, or before it was moved to its place. */
static void
half_made_directories_are_collected(void **state)
{
	struct rig *rig = *state;
	auto_free char *path = leave_one(rig);
	auto_free char *own = str_printf("%s%s", rig->own, strrchr(path, '/'));

	assert_int_equal(rename(path, own), 0);
	collect(rig);
	assert_int_equal(access(own, F_OK), -1);
	assert_int_equal(scratch_count(rig->own), 0);
}

static void
world_file_at(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void
stage_file(struct leftovers *store, int parent, const char *name, bool recorded)
{
	int fd;

	assert_int_equal(leftovers_note(store, parent, name), 0);
	fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (recorded)
		assert_int_equal(leftovers_staged(store, parent, name, fd), 0);
	close(fd);
}

static void
staged_files_are_collected(void **state)
{
	struct rig *rig = *state;
	struct leftovers *store = open_store(rig);
	int parent = open(rig->temp, O_PATH | O_CLOEXEC);
	struct leftover made;
	struct stat before, after;

	assert_int_equal(leftovers_make(store, rig->temp, LEFTOVER_DIR, &made, NULL), 0);
	assert_int_equal(fstat(leftovers_file(store)->fd, &before), 0);
	/* What ended well does not stay in the file. */
	for (int i = 0; i < 1000; i++) {
		stage_file(store, parent, ".ambit-done", true);
		assert_int_equal(unlinkat(parent, ".ambit-done", 0), 0);
		leftovers_forget(store);
	}
	assert_int_equal(fstat(leftovers_file(store)->fd, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	stage_file(store, parent, ".ambit-done", true);
	leftovers_forget(store);
	stage_file(store, parent, ".ambit-whole", true);
	stage_file(store, parent, ".ambit-empty", false);
	stage_file(store, parent, ".ambit-full", false);
	stage_file(store, parent, ".ambit-taken", true);
	world_file_at(parent, ".ambit-full", "x");
	world_file_at(parent, "target", "somebody's only copy");
	assert_int_equal(
		syscall(SYS_renameat2, parent, ".ambit-taken", parent, "target", RENAME_EXCHANGE),
		0);
	leftover_finish(&made);
	leftovers_destroy(store);
	collect(rig);
	assert_int_equal(faccessat(parent, ".ambit-whole", F_OK, 0), -1);
	assert_int_equal(faccessat(parent, ".ambit-empty", F_OK, 0), -1);
	assert_int_equal(faccessat(parent, ".ambit-full", F_OK, 0), 0);
	assert_int_equal(faccessat(parent, ".ambit-taken", F_OK, 0), 0);
	assert_int_equal(faccessat(parent, "target", F_OK, 0), 0);
	assert_int_equal(faccessat(parent, ".ambit-done", F_OK, 0), 0);
	assert_int_equal(leftovers_note(NULL, parent, "x"), 0);
	assert_int_equal(leftovers_staged(NULL, parent, "x", parent), 0);
	leftovers_forget(NULL);
	close(parent);
}

static void
damaged_files_do_no_harm(void **state)
{
	struct rig *rig = *state;
	auto_free char *kept = str_printf("%s/kept", rig->w.out);
	auto_free char *file = str_printf("%s/s-damaged", rig->own);
	struct leftovers *store = open_store(rig);
	FILE *out;

	leftovers_destroy(store);
	world_dir(kept);
	out = fopen(file, "w");
	assert_non_null(out);
	fprintf(out, "nonsense%c%c", 0, 0);
	fprintf(out, "d 1:2 3 4 relative%c", 0);
	fprintf(out, "d 0:0 0 0 %s%c", kept, 0);
	fprintf(out, "s 0:0 0 0 %s%c", kept, 0);
	fprintf(out, "x 0:0 0 0 %s%c", kept, 0);
	fprintf(out, "d 0:0 0 0 /%cd 0:0 0 0 /..%cs 0:0 0 0 /.%c", 0, 0, 0);
	fprintf(out, "d 0:0 0 0 %s", kept); /* cut */
	fclose(out);
	collect(rig);
	assert_int_equal(access(kept, F_OK), 0);
	assert_int_equal(scratch_count(rig->own), 0);
}

/* Nobody takes a file away that a session has just made and not locked yet. */
static void *
start_and_end(void *data)
{
	struct rig *rig = data;
	int n = rounds(40, 2000);

	for (int i = 0; i < n; i++) {
		struct leftovers *store = open_store(rig);
		struct leftover made;
		auto_free char *path = NULL;
		char **pools = NULL;
		struct stat st;

		assert_int_equal(leftovers_collect(store, &pools), 0);
		assert_int_equal(leftovers_make(store, rig->temp, LEFTOVER_DIR, &made, &path), 0);
		assert_int_equal(fstat(leftovers_file(store)->fd, &st), 0);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(access(path, F_OK), 0);
		/* One in three is killed. */
		if (i % 3 != 0) {
			assert_int_equal(leftover_remove(&made), 0);
			leftovers_end(leftovers_file(store));
		}
		leftover_finish(&made);
		leftovers_destroy(store);
	}
	return NULL;
}

static void
many_at_once_do_not_meet(void **state)
{
	struct rig *rig = *state;
	pthread_t threads[25];

	for (size_t i = 0; i < 25; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, start_and_end, rig), 0);
	for (size_t i = 0; i < 25; i++)
		pthread_join(threads[i], NULL);
	/* Where many were there, one start may leave some to the next. */
	for (int i = 0; i < 200 && scratch_count(rig->own) > 0; i++)
		collect(rig);
	assert_int_equal(scratch_count(rig->own), 0);
	assert_int_equal(scratch_count(rig->temp), 0);
}

/* More than one start looks at. */
static void
many_live_sessions_stay(void **state)
{
	enum {
		MANY = 400
	};
	struct rig *rig = *state;
	struct leftovers *stores[MANY];
	auto_free char *left = leave_one(rig);

	for (size_t i = 0; i < MANY; i++)
		stores[i] = open_store(rig);
	for (int i = 0; i < 200 && access(left, F_OK) == 0; i++)
		collect(rig);
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(scratch_count(rig->own), MANY);
	for (size_t i = 0; i < MANY; i++)
		leftovers_destroy(stores[i]);
	assert_int_equal(scratch_count(rig->own), 0);
}

static void
the_store_is_the_owners(void **state)
{
	struct rig *rig = *state;
	struct leftovers *store = open_store(rig);
	struct ambit_error err = { 0 };
	struct stat st;

	assert_int_equal(stat(rig->own, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(fstat(leftovers_file(store)->fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* Nothing was made: nothing is left. */
	leftovers_destroy(store);
	assert_int_equal(scratch_count(rig->own), 0);
	assert_int_equal(chmod(rig->own, 0777), 0);
	assert_int_equal(leftovers_open(rig->w.state, &store, &err), -EPERM);
	assert_int_equal(rmdir(rig->own), 0);
	assert_int_equal(symlink(rig->w.out, rig->own), 0);
	assert_true(leftovers_open(rig->w.state, &store, &err) < 0);
	assert_non_null(strstr(err.text, "state/own"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
		TEST(what_a_dead_session_left_is_collected),
		TEST(what_a_live_session_holds_stays),
		TEST(what_took_its_name_stays),
		TEST(a_link_on_the_way_is_not_followed),
		TEST(half_made_directories_are_collected),
		TEST(staged_files_are_collected),
		TEST(damaged_files_do_no_harm),
		TEST(many_at_once_do_not_meet),
		TEST(many_live_sessions_stay),
		TEST(the_store_is_the_owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

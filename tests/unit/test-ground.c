/* SPDX-License-Identifier: Apache-2.0 */
/* Which directory stands how, by name and inode; and the pool: directories that
 * are made by being renamed. */

#include "world.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <ambit/engine.h>

#include "kernel/ground.h"
#include "kernel/pool.h"

struct rig {
	struct world w;
	struct grounds *grounds;
};

static int
open_rig(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	world_open(&rig->w);
	rig->grounds = grounds_create();
	assert_non_null(rig->grounds);
	*state = rig;
	return 0;
}

static int
close_rig(void **state)
{
	struct rig *rig = *state;

	grounds_destroy(rig->grounds);
	world_close(&rig->w);
	free(rig);
	return 0;
}

static char *
in(const struct rig *rig, const char *name)
{
	static char path[4][1024];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", rig->w.root, name);
	return path[at];
}

static void
add_open(struct rig *rig, const char *name)
{
	struct stat st;

	world_dir(in(rig, name));
	assert_int_equal(lstat(in(rig, name), &st), 0);
	assert_int_equal(grounds_add(rig->grounds, in(rig, name), GROUND_OPEN, false, &st), 0);
}

static void
the_nearest_directory_above_counts(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(grounds_of(rig->grounds, in(rig, "a")), GROUND_NONE);
	assert_int_equal(grounds_add(rig->grounds, rig->w.root, GROUND_SPINE, false, NULL), 0);
	assert_int_equal(grounds_add(rig->grounds, "/dev/null", GROUND_OPEN, true, NULL), 0);
	add_open(rig, "src");
	assert_int_equal(grounds_of(rig->grounds, rig->w.root), GROUND_NONE);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "a")), GROUND_SPINE);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "src")), GROUND_SPINE);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "src/a/b")), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "src-other/a")), GROUND_SPINE);
	assert_int_equal(grounds_of(rig->grounds, "/dev/null"), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, "/dev/null/x"), GROUND_NONE);
	assert_int_equal(grounds_of(rig->grounds, "/"), GROUND_NONE);
	assert_int_equal(grounds_add(rig->grounds, "/", GROUND_SPINE, false, NULL), 0);
	assert_int_equal(grounds_of(rig->grounds, "/x"), GROUND_SPINE);
	assert_int_equal(grounds_of(rig->grounds, "/"), GROUND_NONE);
}

/* Somebody else moved it away, and made another. */
static void
a_name_with_another_inode_has_no_rights(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(grounds_add(rig->grounds, rig->w.root, GROUND_SPINE, false, NULL), 0);
	add_open(rig, "src");
	assert_int_equal(rename(in(rig, "src"), in(rig, "old")), 0);
	world_dir(in(rig, "src"));
	assert_int_equal(grounds_of(rig->grounds, in(rig, "src/a")), GROUND_SPINE);
	assert_int_equal(rmdir(in(rig, "src")), 0);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "src/a")), GROUND_SPINE);
	assert_int_equal(rename(in(rig, "old"), in(rig, "src")), 0);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "src/a")), GROUND_OPEN);
}

static void
names_follow_what_is_done(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(grounds_add(rig->grounds, rig->w.root, GROUND_SPINE, false, NULL), 0);
	assert_int_equal(grounds_add(rig->grounds, in(rig, "sub"), GROUND_SPINE, false, NULL), 0);
	world_dir(in(rig, "sub"));
	add_open(rig, "sub/a");
	add_open(rig, "b");
	assert_true(grounds_open_beneath(rig->grounds, in(rig, "sub")));
	assert_true(grounds_open_beneath(rig->grounds, in(rig, "b")));
	assert_false(grounds_open_beneath(rig->grounds, in(rig, "c")));
	assert_int_equal(rename(in(rig, "sub"), in(rig, "moved")), 0);
	grounds_moved(rig->grounds, in(rig, "sub"), in(rig, "moved"), false);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "moved/a/x")), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "sub/a/x")), GROUND_SPINE);
	assert_int_equal(syscall(SYS_renameat2, AT_FDCWD, in(rig, "moved/a"), AT_FDCWD, in(rig, "b"),
				 RENAME_EXCHANGE), 0);
	grounds_moved(rig->grounds, in(rig, "moved/a"), in(rig, "b"), true);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "b/x")), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "moved/a/x")), GROUND_OPEN);
	assert_int_equal(rmdir(in(rig, "b")), 0);
	grounds_gone(rig->grounds, in(rig, "b"));
	world_dir(in(rig, "b"));
	assert_int_equal(grounds_of(rig->grounds, in(rig, "b/x")), GROUND_SPINE);
	for (int i = 0; i < 1000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(grounds_add(rig->grounds, in(rig, name), GROUND_OPEN, false, NULL), 0);
	}
	assert_int_equal(grounds_of(rig->grounds, in(rig, "n77/x")), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "moved/a/x")), GROUND_OPEN);
}

/* -- the pool --------------------------------------------------------------------- */

static int
restricted_touch(struct floor *floor, const char *path)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int fd;

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			syscall(SYS_landlock_restrict_self, floor_fd(floor), 0) < 0)
			_exit(100);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		_exit(fd >= 0 ? 0 : errno);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

/* Any engine will do: a pass only says that somebody decided. */
#define PASS (&(struct ambit_pass){ .engine = (struct ambit_engine *)(void *)&anything })
static int anything;

static void
a_directory_of_the_pool_has_rights(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *pool = NULL;
	struct stat st, now;
	int root;

	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	assert_int_equal(pool_create(rig->w.root, floor, &pool, NULL), 0);
	assert_non_null(pool);
	root = open(rig->w.root, O_PATH | O_CLOEXEC);
	assert_int_equal(pool_mkdir(pool, PASS, root, "new", 0750, &st), 1);
	assert_int_equal(lstat(in(rig, "new"), &now), 0);
	assert_int_equal(now.st_ino, st.st_ino);
	assert_int_equal(now.st_mode & 07777, 0750);
	assert_int_equal(restricted_touch(floor, in(rig, "new/file")), 0);
	assert_int_equal(restricted_touch(floor, in(rig, "file")), EACCES);
	/* As mkdir has it. */
	assert_int_equal(pool_mkdir(pool, PASS, root, "new", 0750, &st), -EEXIST);
	assert_int_equal(chmod(rig->w.root, 02755), 0);
	assert_int_equal(pool_mkdir(pool, PASS, root, "group", 0700, &st), 1);
	assert_int_equal(lstat(in(rig, "group"), &now), 0);
	assert_int_equal(now.st_mode & 07777, 02700);
	/* No pass, no directory. */
	assert_int_equal(pool_mkdir(pool, &(struct ambit_pass){ 0 }, root, "no", 0700, &st), -EPERM);
	assert_int_equal(access(in(rig, "no"), F_OK), -1);
	/* Used up: made all the same. */
	for (int i = 0; i < 20; i++) {
		char name[16];

		snprintf(name, sizeof(name), "d%d", i);
		assert_in_range(pool_mkdir(pool, PASS, root, name, 0700, &st), 0, 1);
		assert_int_equal(access(in(rig, name), F_OK), 0);
	}
	assert_int_equal(pool_mkdir(pool, PASS, root, "last", 0700, &st), 0);
	assert_int_equal(restricted_touch(floor, in(rig, "last/file")), EACCES);
	pool_clear(pool_path(pool));
	assert_int_equal(access(pool_path(pool), F_OK), -1);
	close(root);
	pool_destroy(pool);
	floor_destroy(floor);
}

static void
what_was_filled_ahead_is_not_handed_out(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *pool = NULL;
	struct stat st;
	char path[1200];
	int root;

	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	assert_int_equal(pool_create(rig->w.root, floor, &pool, NULL), 0);
	snprintf(path, sizeof(path), "%s/0/planted", pool_path(pool));
	assert_int_equal(restricted_touch(floor, path), 0);
	root = open(rig->w.root, O_PATH | O_CLOEXEC);
	assert_int_equal(pool_mkdir(pool, PASS, root, "new", 0700, &st), 1);
	assert_int_equal(rmdir(in(rig, "new")), 0);
	pool_clear(pool_path(pool));
	close(root);
	pool_destroy(pool);
	floor_destroy(floor);
}

/* Killed, keeper and all: the next one clears up, but not what somebody holds. */
static void
what_a_killed_session_left_is_collected(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *dead = NULL, *live = NULL, *next = NULL;
	char left[1024];

	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	assert_int_equal(pool_create(rig->w.root, floor, &dead, NULL), 0);
	assert_int_equal(pool_create(rig->w.root, floor, &live, NULL), 0);
	snprintf(left, sizeof(left), "%s", pool_path(dead));
	assert_int_equal(access(left, F_OK), 0);
	pool_destroy(dead);
	assert_int_equal(access(left, F_OK), 0);
	assert_int_equal(pool_create(rig->w.root, floor, &next, NULL), 0);
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(access(pool_path(live), F_OK), 0);
	pool_clear(pool_path(live));
	pool_clear(pool_path(next));
	pool_destroy(live);
	pool_destroy(next);
	*strrchr(left, '/') = '\0';
	assert_int_equal(access(left, F_OK), -1);
	floor_destroy(floor);
}

/* A parent that cannot be written: in .git, or not at all. */
static void
where_there_is_no_room_there_is_none(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *pool = NULL;
	char *deep = strdup(in(rig, "closed/folder")), *git = strdup(in(rig, "closed/folder/.git"));

	if (geteuid() == 0)
		skip();
	world_dir(in(rig, "closed"));
	world_dir(deep);
	assert_int_equal(chmod(in(rig, "closed"), 0500), 0);
	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	assert_int_equal(pool_create(deep, floor, &pool, NULL), 0);
	assert_null(pool);
	world_dir(git);
	assert_int_equal(pool_create(deep, floor, &pool, NULL), 0);
	assert_non_null(pool);
	assert_int_equal(strncmp(pool_path(pool), git, strlen(git)), 0);
	pool_clear(pool_path(pool));
	pool_destroy(pool);
	assert_int_equal(chmod(in(rig, "closed"), 0700), 0);
	floor_destroy(floor);
	free(deep);
	free(git);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
		TEST(the_nearest_directory_above_counts),
		TEST(a_name_with_another_inode_has_no_rights),
		TEST(names_follow_what_is_done),
		TEST(a_directory_of_the_pool_has_rights),
		TEST(what_was_filled_ahead_is_not_handed_out),
		TEST(what_a_killed_session_left_is_collected),
		TEST(where_there_is_no_room_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

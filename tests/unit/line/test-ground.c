/* SPDX-License-Identifier: Apache-2.0 */
/* Which directory stands how, by name and inode; and the pool: directories that
 * are made by being renamed. */

#include "unit-world.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <ambit/engine.h>

#include "line/floor/ground.h"
#include "perform/permit.h"
#include "perform/tree-look.h"
#include "line/floor/pool.h"
#include "perform/act.h"

struct rig {
	struct world w;
	struct grounds *grounds;
	struct leftovers *store;
	char pool[1200]; /* where the last one lies */
};

static void
make_dirs(const char *path)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *at = copy + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(copy, 0700);
		*at = '/';
	}
	assert_int_equal(mkdir(copy, 0700), 0);
}

static int
open_rig(void **state)
{
	struct rig *rig = world_create(sizeof(*rig));

	rig->grounds = grounds_create();
	assert_non_null(rig->grounds);
	make_dirs(rig->w.state);
	assert_int_equal(leftovers_open(rig->w.state, &rig->store, NULL), 0);
	*state = rig;
	return 0;
}

static int
close_rig(void **state)
{
	struct rig *rig = *state;

	grounds_destroy(rig->grounds);
	leftovers_destroy(rig->store);
	world_destroy(&rig->w);
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
	assert_int_equal(rename(in(rig, "sub"), in(rig, "moved")), 0);
	grounds_moved(rig->grounds, in(rig, "sub"), in(rig, "moved"), false);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "moved/a/x")), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "sub/a/x")), GROUND_SPINE);
	assert_int_equal(syscall(SYS_renameat2, AT_FDCWD, in(rig, "moved/a"), AT_FDCWD,
				 in(rig, "b"), RENAME_EXCHANGE),
		0);
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
		assert_int_equal(
			grounds_add(rig->grounds, in(rig, name), GROUND_OPEN, false, NULL), 0);
	}
	assert_int_equal(grounds_of(rig->grounds, in(rig, "n77/x")), GROUND_OPEN);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "moved/a/x")), GROUND_OPEN);
}

/* -- inodes ----------------------------------------------------------------------- */

static bool
has_rights(void *data, dev_t dev, ino_t ino)
{
	return grounds_has_inode(data, dev, ino);
}

static int
carries(struct rig *rig, const char *name)
{
	int fd = open(in(rig, name), O_PATH | O_DIRECTORY | O_CLOEXEC), r;

	assert_true(fd >= 0);
	r = tree_has_rights(fd, has_rights, rig->grounds);
	close(fd);
	return r;
}

static bool
has_inode(struct rig *rig, const char *name)
{
	struct stat st;

	assert_int_equal(lstat(in(rig, name), &st), 0);
	return grounds_has_inode(rig->grounds, st.st_dev, st.st_ino);
}

/* Nobody tells the table of what the kernel renames by itself. */
static void
rights_are_known_wherever_they_go(void **state)
{
	struct rig *rig = *state;

	world_dir(in(rig, "sub"));
	world_dir(in(rig, "sub/deep"));
	world_dir(in(rig, "other"));
	assert_false(has_inode(rig, "sub"));
	add_open(rig, "a");
	assert_true(has_inode(rig, "a"));
	assert_int_equal(carries(rig, "a"), 1);
	assert_int_equal(carries(rig, "sub"), 0);
	assert_int_equal(rename(in(rig, "a"), in(rig, "sub/deep/b")), 0);
	assert_true(has_inode(rig, "sub/deep/b"));
	assert_int_equal(carries(rig, "sub"), 1);
	grounds_gone(rig->grounds, in(rig, "a"));
	grounds_moved(rig->grounds, in(rig, "other"), in(rig, "a"), false);
	assert_int_equal(carries(rig, "sub"), 1);
	assert_int_equal(carries(rig, "other"), 0);
	for (ino_t i = 1; i < 5000; i++)
		assert_int_equal(grounds_add_inode(rig->grounds, 77, i), 0);
	assert_true(grounds_has_inode(rig->grounds, 77, 4999));
	assert_false(grounds_has_inode(rig->grounds, 78, 4999));
	assert_true(has_inode(rig, "sub/deep/b"));
}

/* The spine and what has no rights of its own is not meant; a git directory is. */
static void
only_rights_count(void **state)
{
	struct rig *rig = *state;
	struct stat st;

	world_dir(in(rig, "spine"));
	world_dir(in(rig, "git"));
	assert_int_equal(lstat(in(rig, "spine"), &st), 0);
	assert_int_equal(grounds_add(rig->grounds, in(rig, "spine"), GROUND_SPINE, false, &st), 0);
	assert_int_equal(carries(rig, "spine"), 0);
	assert_int_equal(lstat(in(rig, "git"), &st), 0);
	assert_int_equal(grounds_add(rig->grounds, in(rig, "git"), GROUND_GIT, false, &st), 0);
	assert_int_equal(carries(rig, "git"), 1);
	assert_int_equal(grounds_of(rig->grounds, in(rig, "git/x")), GROUND_GIT);
}

/* Too deep, or closed: then it may carry anything. */
static void
a_tree_that_is_not_seen_whole_carries(void **state)
{
	struct rig *rig = *state;
	char path[1024];

	world_dir(in(rig, "deep"));
	snprintf(path, sizeof(path), "%s", in(rig, "deep"));
	for (int i = 0; i < 70; i++) {
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "/d");
		world_dir(path);
	}
	assert_int_equal(carries(rig, "deep"), 1);
	assert_int_equal(carries(rig, "deep/d/d/d/d/d/d/d/d"), 0);
	world_dir(in(rig, "shut"));
	world_dir(in(rig, "shut/in"));
	assert_int_equal(carries(rig, "shut"), 0);
	if (geteuid() == 0)
		return;
	assert_int_equal(chmod(in(rig, "shut/in"), 0), 0);
	assert_int_equal(carries(rig, "shut"), 1);
	assert_int_equal(chmod(in(rig, "shut/in"), 0700), 0);
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
#define PASS (&(struct pass){ .engine = (struct ambit_engine *)(void *)&anything })
static int anything;

static struct pool *
make_pool(struct rig *rig, const char *folder, struct floor *floor)
{
	struct pool *pool = NULL;

	assert_int_equal(pool_create(folder, rig->store, floor, &pool, NULL), 0);
	if (pool)
		snprintf(rig->pool, sizeof(rig->pool), "%s/own/%s", rig->w.state,
			pool_made(pool)->name);
	return pool;
}

static void
clear_pool(struct pool *pool)
{
	assert_int_equal(leftover_remove(pool_made(pool)), 0);
	pool_destroy(pool);
}

static void
a_directory_of_the_pool_has_rights(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *pool;
	struct stat st, now;
	int root;

	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	pool = make_pool(rig, rig->w.root, floor);
	assert_non_null(pool);
	assert_int_equal(access(rig->pool, F_OK), 0);
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
	assert_int_equal(pool_mkdir(pool, &(struct pass){ 0 }, root, "no", 0700, &st), -EPERM);
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
	clear_pool(pool);
	assert_int_equal(access(rig->pool, F_OK), -1);
	close(root);
	floor_destroy(floor);
}

static void
what_was_filled_ahead_is_not_handed_out(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *pool;
	struct stat st;
	char path[1300];
	int root;

	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	pool = make_pool(rig, rig->w.root, floor);
	snprintf(path, sizeof(path), "%s/0/planted", rig->pool);
	assert_int_equal(restricted_touch(floor, path), 0);
	root = open(rig->w.root, O_PATH | O_CLOEXEC);
	assert_int_equal(pool_mkdir(pool, PASS, root, "new", 0700, &st), 1);
	assert_int_equal(rmdir(in(rig, "new")), 0);
	clear_pool(pool);
	close(root);
	floor_destroy(floor);
}

/* Something else lies where the pool's directory was: it is neither used nor told as ours. */
static void
another_directory_than_the_one_held_is_refused(void **state)
{
	struct rig *rig = *state;
	bool moved = true;
	int from, held, root = open(rig->w.root, O_PATH | O_CLOEXEC);

	world_dir(in(rig, "from"));
	world_dir(in(rig, "from/0"));
	from = open(in(rig, "from"), O_PATH | O_CLOEXEC);
	held = openat(from, "0", O_PATH | O_CLOEXEC);
	/* As it should be. */
	assert_int_equal(act_mkdir_by_move(PASS, from, "0", held, root, "new", 0700, &moved), 0);
	assert_true(moved);
	world_dir(in(rig, "from/0"));
	assert_int_equal(
		act_mkdir_by_move(PASS, from, "0", held, root, "wrong", 0700, &moved), -ESTALE);
	assert_false(moved);
	close(held);
	close(from);
	close(root);
}

/* On another mount than the state directory the pool lies beside the folder, but not where a
 * live session may write. A tmpfs of the machine is such a mount. */
static void
beside_the_folder_only_where_nobody_writes(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct leftovers *other = NULL;
	char top[] = "/dev/shm/ambit-test-XXXXXX", folder[64];
	char *covering[] = { top, NULL };
	struct stat a, b;
	struct pool *pool;

	if (!mkdtemp(top) || stat(top, &a) < 0 || stat(rig->w.state, &b) < 0 ||
		a.st_dev == b.st_dev)
		skip();
	snprintf(folder, sizeof(folder), "%s/folder", top);
	world_dir(folder);
	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	pool = make_pool(rig, folder, floor);
	assert_non_null(pool);
	assert_int_equal(strncmp(pool_made(pool)->name, ".ambit-pool-", 12), 0);
	snprintf(rig->pool, sizeof(rig->pool), "%s/%s", top, pool_made(pool)->name);
	assert_int_equal(access(rig->pool, F_OK), 0);
	clear_pool(pool);
	assert_int_equal(access(rig->pool, F_OK), -1);
	/* Somebody lives who may write there. */
	assert_int_equal(leftovers_open(rig->w.state, &other, NULL), 0);
	assert_int_equal(leftovers_note_writable(other, covering), 0);
	leftovers_destroy(rig->store);
	assert_int_equal(leftovers_open(rig->w.state, &rig->store, NULL), 0);
	assert_null(make_pool(rig, folder, floor));
	leftovers_destroy(other);
	leftovers_destroy(rig->store);
	assert_int_equal(leftovers_open(rig->w.state, &rig->store, NULL), 0);
	pool = make_pool(rig, folder, floor);
	assert_non_null(pool);
	clear_pool(pool);
	floor_destroy(floor);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(top), 0);
}

static void
without_a_store_there_is_no_pool(void **state)
{
	struct rig *rig = *state;
	struct floor *floor = NULL;
	struct pool *pool = NULL;

	assert_int_equal(floor_create(&(struct floor_options){ 0 }, &floor, NULL), 0);
	assert_int_equal(pool_create(rig->w.root, NULL, floor, &pool, NULL), 0);
	assert_null(pool);
	floor_destroy(floor);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
		TEST(the_nearest_directory_above_counts),
		TEST(a_name_with_another_inode_has_no_rights),
		TEST(names_follow_what_is_done),
		TEST(rights_are_known_wherever_they_go),
		TEST(only_rights_count),
		TEST(a_tree_that_is_not_seen_whole_carries),
		TEST(a_directory_of_the_pool_has_rights),
		TEST(what_was_filled_ahead_is_not_handed_out),
		TEST(another_directory_than_the_one_held_is_refused),
		TEST(beside_the_folder_only_where_nobody_writes),
		TEST(without_a_store_there_is_no_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/calls/call-name.c and call-move.c. */

#include "scene.h"

#define PATH(text) scene_path(s, text)
#define MKDIR(path, mode) CALL(s, "mkdirat", AT_CWD, path, mode)
#define MKNOD(path, mode) CALL(s, "mknodat", AT_CWD, path, mode, 0)
#define SYMLINK(text, path) CALL(s, "symlinkat", scene_text(s, text), AT_CWD, path)
#define UNLINK(path, flags) CALL(s, "unlinkat", AT_CWD, path, flags)
#define RENAME(from, to, flags) CALL(s, "renameat2", AT_CWD, from, AT_CWD, to, flags)
#define LINK(from, to, flags) CALL(s, "linkat", AT_CWD, from, AT_CWD, to, flags)

static struct scene *
of(void **state)
{
	return *state;
}

/* -- names that come -------------------------------------------------------------- */

static void
new_names_fail_as_they_would(void **state)
{
	struct scene *s = of(state);

	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out/shut", 0555), 0);
	assert_int_equal(symlinkat("nowhere", s->dir, "out/dangling"), 0);
	assert_int_equal(MKDIR(PATH("out/dir"), 0755), -EEXIST);
	assert_int_equal(MKDIR(PATH("out/dir/"), 0755), -EEXIST);
	assert_int_equal(MKDIR(PATH("out/."), 0755), -EEXIST);
	assert_int_equal(MKDIR(PATH("out/dir/.."), 0755), -EEXIST);
	assert_int_equal(MKDIR(scene_text(s, "/"), 0755), -EEXIST);
	assert_int_equal(MKDIR(PATH("out/dangling"), 0755), -EEXIST);
	assert_int_equal(MKDIR(PATH("out/dangling/"), 0755), -EEXIST);
	assert_int_equal(MKDIR(PATH("none/dir"), 0755), -ENOENT);
	assert_int_equal(MKDIR(PATH("out/shut/dir"), 0755), -EACCES);
	assert_int_equal(MKDIR(scene_text(s, "/proc/self/x"), 0755), -ENOENT);
	assert_int_equal(MKNOD(PATH("out/x"), S_IFCHR | 0600), -EPERM);
	assert_int_equal(MKNOD(PATH("out/x"), S_IFBLK | 0600), -EPERM);
	assert_int_equal(MKNOD(PATH("out/x"), S_IFDIR | 0700), -EPERM);
	assert_int_equal(MKNOD(PATH("out/x"), S_IFLNK | 0700), -EINVAL);
	assert_int_equal(MKNOD(PATH("out/x/"), S_IFIFO | 0600), -ENOENT);
	assert_int_equal(SYMLINK("", PATH("out/x")), -ENOENT);
	assert_int_equal(SYMLINK("text", PATH("out/x/")), -ENOENT);
	assert_int_equal(SYMLINK("text", PATH("out/dir")), -EEXIST);
	assert_int_equal(CALL(s, "symlinkat", 0, AT_CWD, PATH("out/x")), -EFAULT);
}

static void
new_names_are_made(void **state)
{
	struct scene *s = of(state);
	char text[16] = "";

	assert_int_equal(MKDIR(PATH("out/d/"), 06777), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_MKDIR, 0 });
	assert_true(s->call.may_continue);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(s->call.answer.kind, ANSWER_VALUE);
	assert_int_equal(s->call.answer.value, 0);
	assert_int_equal(scene_stat(s, "out/d").st_mode, S_IFDIR | 0750);

	assert_int_equal(MKNOD(PATH("out/p"), S_IFIFO | 0666), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/p").st_mode, S_IFIFO | 0640);
	assert_int_equal(MKNOD(PATH("out/f"), 0666), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/f").st_mode, S_IFREG | 0640);

	assert_int_equal(SYMLINK("to/there", PATH("out/l")), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	/* What the memory says afterwards does not matter. */
	memset(s->memory, 'x', s->used);
	s->call.round = ROUND_AGAIN;
	assert_int_equal(call_op_of(OP_SYMLINK)->prepare(&s->call), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(readlinkat(s->dir, "out/l", text, sizeof(text) - 1), 8);
	assert_string_equal(text, "to/there");
}

static void
a_default_acl_takes_the_umasks_place(void **state)
{
	struct scene *s = of(state);
	/* u::rwx g::rwx o::--- in the kernel's own form. */
	static const unsigned char acl[] = {
		2, 0, 0, 0,			 /* version */
		1, 0, 7, 0, 255, 255, 255, 255,	 /* user */
		4, 0, 7, 0, 255, 255, 255, 255,	 /* group */
		32, 0, 0, 0, 255, 255, 255, 255, /* others */
	};
	char path[80];

	snprintf(path, sizeof(path), "%s/out", s->top);
	if (syscall(SYS_setxattr, path, "system.posix_acl_default", acl, sizeof(acl), 0) < 0) {
		assert_int_equal(errno, EOPNOTSUPP);
		skip();
		return;
	}
	assert_int_equal(MKDIR(PATH("out/d"), 0777), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/d").st_mode & 0777, 0770);
}

static void
scratch_directories_hold_ones_own(void **state)
{
	struct scene *s = of(state);
	char dir[64], file[80];

	snprintf(dir, sizeof(dir), "/tmp/ambit-own-%d", (int)getpid());
	snprintf(file, sizeof(file), "%s/file", dir);
	assert_int_equal(MKDIR(scene_text(s, dir), 0700), CALL_DECIDE);
	assert_true(call_is_own(&s->call, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(MKNOD(scene_text(s, file), S_IFREG | 0600), CALL_DECIDE);
	assert_true(call_is_own(&s->call, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(UNLINK(scene_text(s, file), 0), CALL_DECIDE);
	assert_true(call_is_own(&s->call, 0));
	assert_int_equal(session_objects_has(s->gate.made, s->call.object[0].fd), true);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(session_objects_has(s->gate.made, s->call.object[0].fd), false);
	assert_int_equal(UNLINK(scene_text(s, dir), AT_REMOVEDIR), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(access(dir, F_OK), -1);
}

static void
nothing_is_made_where_nothing_is(void **state)
{
	struct scene *s = of(state);
	int fd;

	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	fd = openat(s->dir, "out/dir", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scene_fork(s);
	assert_int_equal(unlinkat(s->dir, "out/dir", AT_REMOVEDIR), 0);
	assert_int_equal(CALL(s, "mkdirat", (uint64_t)fd, scene_text(s, "x"), 0755), -ENOENT);
	assert_int_equal(
		CALL(s, "openat", (uint64_t)fd, scene_text(s, "x"), O_WRONLY | O_CREAT, 0644),
		-ENOENT);
	close(fd);
}

/* -- names that go ------------------------------------------------------------------- */

static void
removals_fail_as_they_would(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/file", "");
	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out/full", 0755), 0);
	scene_file(s, "out/full/x", "");
	assert_int_equal(symlinkat("dir", s->dir, "out/link"), 0);
	assert_int_equal(UNLINK(PATH("out/none"), 0), -ENOENT);
	assert_int_equal(UNLINK(PATH("out/dir"), 0), -EISDIR);
	assert_int_equal(UNLINK(PATH("out/file/"), 0), -ENOTDIR);
	assert_int_equal(UNLINK(PATH("out/link/"), 0), -ENOTDIR);
	assert_int_equal(UNLINK(PATH("out/file"), AT_REMOVEDIR), -ENOTDIR);
	assert_int_equal(UNLINK(PATH("out/link/"), AT_REMOVEDIR), -ENOTDIR);
	assert_int_equal(UNLINK(PATH("out/full"), AT_REMOVEDIR), -ENOTEMPTY);
	assert_int_equal(UNLINK(PATH("out/dir/."), AT_REMOVEDIR), -EINVAL);
	assert_int_equal(UNLINK(PATH("out/dir/.."), AT_REMOVEDIR), -ENOTEMPTY);
	assert_int_equal(UNLINK(scene_text(s, "/"), AT_REMOVEDIR), -EBUSY);
	assert_int_equal(UNLINK(PATH("out/file"), 1), -EINVAL);
	assert_int_equal(UNLINK(scene_text(s, "/proc/self/comm"), 0), -EPERM);
	assert_int_equal(fchmodat(s->dir, "out", 0555, 0), 0);
	assert_int_equal(UNLINK(PATH("out/file"), 0), -EACCES);
}

static void
names_are_removed(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/file", "");
	assert_int_equal(symlinkat("file", s->dir, "out/link"), 0);
	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	assert_int_equal(UNLINK(PATH("out/link"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 });
	assert_int_equal(scene_perform(s), 0);
	assert_false(scene_has(s, "out/link"));
	assert_true(scene_has(s, "out/file"));
	assert_int_equal(UNLINK(PATH("out/dir/"), AT_REMOVEDIR), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_false(scene_has(s, "out/dir"));
	/* Another lies there by now: it stays. */
	assert_int_equal(UNLINK(PATH("out/file"), 0), CALL_DECIDE);
	assert_int_equal(renameat(s->dir, "out/file", s->dir, "out/old"), 0);
	scene_file(s, "out/file", "");
	assert_int_equal(scene_perform(s), -ESTALE);
	assert_true(scene_has(s, "out/file"));
}

/* A name there that no file system takes. */
static uint64_t
long_path(struct scene *s, const char *dir)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%0256d", dir, 0);
	return scene_path(s, text);
}

/* -- rename --------------------------------------------------------------------------- */

static void
moves_fail_as_they_would(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/a", "");
	scene_file(s, "out/b", "");
	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out/dir/sub", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out/empty", 0755), 0);
	assert_int_equal(RENAME(PATH("out/none"), PATH("out/x"), 0), -ENOENT);
	assert_int_equal(RENAME(PATH("out/a"), PATH("none/x"), 0), -ENOENT);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/b"), RENAME_NOREPLACE), -EEXIST);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/none"), RENAME_EXCHANGE), -ENOENT);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/x"), 64), -EINVAL);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/x"), RENAME_WHITEOUT), -EPERM);
	assert_int_equal(
		RENAME(PATH("out/a"), PATH("out/b"), RENAME_EXCHANGE | RENAME_NOREPLACE), -EINVAL);
	assert_int_equal(RENAME(PATH("out/."), PATH("out/x"), 0), -EBUSY);
	assert_int_equal(RENAME(PATH("out/dir"), PATH("out/.."), 0), -EBUSY);
	assert_int_equal(RENAME(PATH("out/a/"), PATH("out/x"), 0), -ENOTDIR);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/x/"), 0), -ENOTDIR);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/dir"), 0), -EISDIR);
	assert_int_equal(RENAME(PATH("out/dir"), PATH("out/a"), 0), -ENOTDIR);
	assert_int_equal(RENAME(PATH("out/dir"), PATH("out/dir/sub/x"), 0), -EINVAL);
	assert_int_equal(RENAME(PATH("out/dir/sub"), PATH("out/dir"), 0), -ENOTEMPTY);
	assert_int_equal(RENAME(PATH("out/empty"), PATH("out/dir"), 0), -ENOTEMPTY);
	assert_int_equal(RENAME(PATH("out/a"), scene_text(s, "/proc/x"), 0), -EXDEV);
	/* Both directories come before both names. */
	assert_int_equal(RENAME(PATH("out/none"), scene_text(s, "/proc/x"), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("out/none"), long_path(s, "out/"), 0), -ENOENT);
	assert_int_equal(RENAME(long_path(s, "out/"), PATH("none/x"), 0), -ENOENT);
	assert_int_equal(RENAME(PATH("out/dir/."), long_path(s, "out/"), 0), -EBUSY);
	assert_int_equal(RENAME(PATH("out/a"), long_path(s, "out/"), 0), -ENAMETOOLONG);
	assert_int_equal(RENAME(PATH("out/dir"), PATH("out/dir"), 0), CALL_ANSWERED);
	assert_int_equal(fchmodat(s->dir, "out/dir", 0555, 0), 0);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/dir/x"), 0), -EACCES);
	assert_int_equal(RENAME(PATH("out/dir/sub"), PATH("out/x"), 0), -EACCES);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/dir/sub"), 0), -EACCES);
}

static void
nothing_moves_between_places(void **state)
{
	struct scene *s = of(state);
	char scratch[64];

	snprintf(scratch, sizeof(scratch), "/tmp/ambit-move-%d", (int)getpid());
	scene_file(s, "out/a", "");
	scene_file(s, "in/a", "");
	assert_int_equal(RENAME(PATH("out/a"), PATH("in/b"), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("in/a"), PATH("out/b"), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("out/a"), scene_text(s, scratch), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("in/a"), scene_text(s, scratch), 0), -EXDEV);
	assert_int_equal(LINK(PATH("out/a"), PATH("in/b"), 0), -EXDEV);
	assert_int_equal(LINK(PATH("in/a"), PATH("out/b"), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("in/a"), PATH("in/b"), 0), CALL_DECIDE);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/b"), 0), CALL_DECIDE);
}

static void
names_are_moved(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/a", "1");
	scene_file(s, "out/b", "22");
	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/b"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_REPLACE, 1 });
	assert_true(s->call.may_continue);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/b").st_size, 1);
	assert_false(scene_has(s, "out/a"));

	scene_file(s, "out/a", "22");
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/b"), RENAME_EXCHANGE), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_REPLACE, 1 },
		{ AMBIT_ACCESS_DELETE, 1 }, { AMBIT_ACCESS_REPLACE, 0 });
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/a").st_size, 1);

	assert_int_equal(RENAME(PATH("out/dir/"), PATH("out/dir2/"), 0), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_true(scene_has(s, "out/dir2"));
	/* Something came to lie there. */
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/new"), 0), CALL_DECIDE);
	scene_file(s, "out/new", "theirs");
	assert_int_equal(scene_perform(s), -ESTALE);
	assert_int_equal(scene_stat(s, "out/new").st_size, 6);
	/* Two names of one file: done already, says the kernel. */
	assert_int_equal(linkat(s->dir, "out/a", s->dir, "out/a2", 0), 0);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/a2"), 0), CALL_ANSWERED);
	assert_int_equal(s->call.answer.kind, ANSWER_VALUE);
	assert_true(scene_has(s, "out/a"));
}

/* Symlinks in it would come along. */
static void
a_directory_is_not_moved_into_a_git_directory(void **state)
{
	struct scene *s = of(state);

	assert_int_equal(mkdirat(s->dir, "out/.git", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out/.git/refs", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	scene_file(s, "out/a", "");
	assert_int_equal(RENAME(PATH("out/dir"), PATH("out/.git/dir"), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("out/.git/refs"), PATH("out/refs"), 0), -EXDEV);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/.git/refs"), RENAME_EXCHANGE), -EXDEV);
	assert_int_equal(RENAME(PATH("out/.git/refs"), PATH("out/.git/refs2"), 0), CALL_DECIDE);
	assert_int_equal(RENAME(PATH("out/a"), PATH("out/.git/a"), 0), CALL_DECIDE);
}

static void
a_plain_git_config_is_no_replacement(void **state)
{
	struct scene *s = of(state);

	static const char plain[] = "[core]\n\tbare = false\n[user]\n\tname = x\n";

	assert_int_equal(mkdirat(s->dir, "in/.git", 0755), 0);
	assert_int_equal(mkdirat(s->dir, "in/bare", 0755), 0);
	scene_file(s, "in/.git/config", "[core]\n\tbare = false\n");
	scene_file(s, "in/.git/config.lock", plain);
	assert_int_equal(
		RENAME(PATH("in/.git/config.lock"), PATH("in/.git/config"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_WRITE, 0 });
	/* Somewhere else: no repository's. */
	assert_int_equal(
		RENAME(PATH("in/.git/config.lock"), PATH("in/bare/config"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_REPLACE, 1 });
	scene_file(s, "in/bare/config.lock", plain);
	assert_int_equal(
		RENAME(PATH("in/bare/config.lock"), PATH("in/bare/config"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_REPLACE, 1 });
	scene_file(s, "in/bare/HEAD", "ref: refs/heads/main\n");
	assert_int_equal(
		RENAME(PATH("in/bare/config.lock"), PATH("in/bare/config"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_WRITE, 0 });
	scene_file(s, "in/.git/config.lock", "[core]\n\tfsmonitor = ./evil\n");
	assert_int_equal(
		RENAME(PATH("in/.git/config.lock"), PATH("in/.git/config"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_DELETE, 0 }, { AMBIT_ACCESS_REPLACE, 1 });
}

/* -- link ------------------------------------------------------------------------------- */

static void
links_fail_as_they_would(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/a", "");
	assert_int_equal(mkdirat(s->dir, "out/dir", 0755), 0);
	assert_int_equal(LINK(PATH("out/none"), PATH("out/x"), 0), -ENOENT);
	assert_int_equal(LINK(PATH("out/a"), PATH("out/dir"), 0), -EEXIST);
	assert_int_equal(LINK(PATH("out/a"), PATH("out/x/"), 0), -ENOENT);
	assert_int_equal(LINK(PATH("out/dir"), PATH("out/x"), 0), -EPERM);
	assert_int_equal(LINK(PATH("out/a"), PATH("out/x"), 1), -EINVAL);
	assert_int_equal(LINK(scene_text(s, ""), PATH("out/x"), 0), -ENOENT);
	assert_int_equal(LINK(scene_text(s, "/proc/self/comm"), PATH("out/x"), 0), -EXDEV);
}

static void
the_source_of_a_link_counts_as_written(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/a", "1");
	assert_int_equal(symlinkat("a", s->dir, "out/link"), 0);
	assert_int_equal(LINK(PATH("out/a"), PATH("out/b"), 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 }, { AMBIT_ACCESS_WRITE, 1 });
	/* It is the file that was decided about, whatever has its name now. */
	assert_int_equal(renameat(s->dir, "out/a", s->dir, "out/a1"), 0);
	scene_file(s, "out/a", "bait");
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/b").st_ino, scene_stat(s, "out/a1").st_ino);
	assert_int_equal(LINK(PATH("out/link"), PATH("out/l2"), 0), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_true(S_ISLNK(scene_stat(s, "out/l2").st_mode));
	assert_int_equal(LINK(PATH("out/link"), PATH("out/l3"), AT_SYMLINK_FOLLOW), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_true(S_ISREG(scene_stat(s, "out/l3").st_mode));
}

static void
a_nameless_file_needs_only_its_new_name(void **state)
{
	struct scene *s = of(state);
	int fd = openat(s->dir, "out", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[32];

	if (fd < 0) {
		assert_int_equal(errno, EOPNOTSUPP);
		skip();
		return;
	}
	scene_fork(s);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(
		LINK(scene_text(s, path), PATH("out/born"), AT_SYMLINK_FOLLOW), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 1 });
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/born").st_nlink, 1);
	/* Now it has one, which its descriptor does not tell. */
	assert_int_equal(CALL(s, "linkat", (uint64_t)fd, scene_text(s, ""), AT_CWD, PATH("out/two"),
				 AT_EMPTY_PATH),
		-ENOENT);
	close(fd);
}

#define T(name) cmocka_unit_test_setup_teardown(name, scene_open, scene_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(new_names_fail_as_they_would),
		T(new_names_are_made),
		T(a_default_acl_takes_the_umasks_place),
		T(scratch_directories_hold_ones_own),
		T(nothing_is_made_where_nothing_is),
		T(removals_fail_as_they_would),
		T(names_are_removed),
		T(moves_fail_as_they_would),
		T(nothing_moves_between_places),
		T(names_are_moved),
		T(a_directory_is_not_moved_into_a_git_directory),
		T(a_plain_git_config_is_no_replacement),
		T(links_fail_as_they_would),
		T(the_source_of_a_link_counts_as_written),
		T(a_nameless_file_needs_only_its_new_name),
	};

	/* As the gate's own thread is. */
	act_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

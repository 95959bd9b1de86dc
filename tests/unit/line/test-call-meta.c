/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/calls/call-meta.c, call-times.c and call-xattr.c. */

#include "scene.h"

#include <sys/time.h>
#include <sys/xattr.h>
#include <time.h>

#define PATH(text) scene_path(s, text)
#define EMPTY scene_text(s, "")

static struct scene *
of(void **state)
{
	return *state;
}

static void
assert_asked(const struct scene *s, int step)
{
	assert_int_equal(step, CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_false(s->call.may_continue);
}

static void
assert_free(const struct scene *s, int step)
{
	assert_int_equal(step, CALL_DECIDE);
	assert_int_equal(s->call.n_needs, 0);
	assert_false(s->call.may_continue);
}

/* -- truncate ---------------------------------------------------------------------- */

static void
truncate_is_bounded_by_newer_floors(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/file", "abcdef");
	assert_int_equal(mkfifoat(s->dir, "out/fifo", 0600), 0);
	assert_int_equal(CALL(s, "truncate", PATH("out/none"), 0), -ENOENT);
	assert_int_equal(CALL(s, "truncate", PATH("out"), 0), -EISDIR);
	assert_int_equal(CALL(s, "truncate", PATH("out/fifo"), 0), -EINVAL);
	assert_int_equal(CALL(s, "truncate", PATH("out/file"), (uint64_t)-1), -EINVAL);
	assert_int_equal(CALL(s, "truncate", PATH("out/file"), 2), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_true(s->call.may_continue);
	s->gate.abi = 2;
	assert_int_equal(CALL(s, "truncate", PATH("out/file"), 2), CALL_DECIDE);
	assert_false(s->call.may_continue);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_size, 2);
	assert_int_equal(fchmodat(s->dir, "out/file", 0444, 0), 0);
	assert_int_equal(CALL(s, "truncate", PATH("out/file"), 2), -EACCES);
}

/* -- modes and owners --------------------------------------------------------------- */

static void
modes_are_never_left_to_the_floor(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "in/file", "");
	assert_int_equal(symlinkat("file", s->dir, "in/link"), 0);
	assert_asked(s, CALL(s, "fchmodat", AT_CWD, PATH("in/link"), 0601));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "in/file").st_mode & 07777, 0601);
	assert_asked(s, CALL(s, "fchmodat2", AT_CWD, PATH("in/file"), 0602, AT_SYMLINK_NOFOLLOW));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "in/file").st_mode & 07777, 0602);
	assert_int_equal(CALL(s, "fchmodat2", AT_CWD, PATH("in/link"), 0600, AT_SYMLINK_NOFOLLOW),
		-EOPNOTSUPP);
	assert_int_equal(CALL(s, "fchmodat2", AT_CWD, PATH("in/file"), 0600, 1), -EINVAL);
	assert_int_equal(CALL(s, "fchmodat", AT_CWD, PATH("in/none"), 0600), -ENOENT);
	assert_int_equal(CALL(s, "fchmodat", AT_CWD, EMPTY, 0600), -ENOENT);
	assert_int_equal(
		CALL(s, "fchmodat", AT_CWD, scene_text(s, "/proc/self/comm"), 0600), -EPERM);
	/* The folder itself, by an empty path. */
	assert_int_equal(CALL(s, "fchmodat2", AT_CWD, EMPTY, 0701, AT_EMPTY_PATH), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_MKDIR, 0 });
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "in").st_mode & 07777, 0701);
}

static void
the_object_that_was_decided_about_is_changed(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "in/file", "");
	scene_file(s, "out/bait", "");
	assert_asked(s, CALL(s, "fchmodat", AT_CWD, PATH("in/file"), 0777));
	assert_int_equal(renameat(s->dir, "in/file", s->dir, "in/moved"), 0);
	assert_int_equal(symlinkat("../out/bait", s->dir, "in/file"), 0);
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "in/moved").st_mode & 07777, 0777);
	assert_int_equal(scene_stat(s, "out/bait").st_mode & 07777, 0644);
}

static void
descriptors_open_for_writing_are_free(void **state)
{
	struct scene *s = of(state);
	int w, r, o, d, p[2];

	scene_file(s, "out/file", "");
	scene_file(s, "out/gone", "");
	w = openat(s->dir, "out/file", O_WRONLY | O_CLOEXEC);
	r = openat(s->dir, "out/file", O_RDONLY | O_CLOEXEC);
	o = openat(s->dir, "out/file", O_PATH | O_CLOEXEC);
	d = openat(s->dir, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	scene_fork(s);

	assert_free(s, CALL(s, "fchmod", (uint64_t)w, 0600));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_mode & 07777, 0600);
	assert_free(s, CALL(s, "fchmodat2", (uint64_t)w, EMPTY, 0604, AT_EMPTY_PATH));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_mode & 07777, 0604);
	assert_free(s, CALL(s, "fchmod", (uint64_t)p[0], 0600));

	assert_asked(s, CALL(s, "fchmod", (uint64_t)r, 0640));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_mode & 07777, 0640);
	assert_asked(s, CALL(s, "fchmod", (uint64_t)d, 0755));
	assert_asked(s, CALL(s, "fchmodat2", (uint64_t)o, EMPTY, 0600, AT_EMPTY_PATH));
	assert_int_equal(CALL(s, "fchmod", (uint64_t)o, 0600), -EBADF);
	assert_int_equal(CALL(s, "fchmod", 999, 0600), -EBADF);
	assert_int_equal(CALL(s, "fchmod", (uint64_t)-1, 0600), -EBADF);
	/* Its name is gone: nobody can be asked. */
	assert_int_equal(unlinkat(s->dir, "out/file", 0), 0);
	assert_free(s, CALL(s, "fchmod", (uint64_t)w, 0600));
	assert_int_equal(CALL(s, "fchmod", (uint64_t)r, 0600), -EACCES);
	close(w);
	close(r);
	close(o);
	close(d);
	close(p[0]);
	close(p[1]);
}

static void
owners(void **state)
{
	struct scene *s = of(state);
	uint64_t me = getuid(), group = getgid(), keep = (uint32_t)-1;

	scene_file(s, "out/file", "");
	assert_int_equal(symlinkat("nowhere", s->dir, "out/link"), 0);
	assert_asked(s, CALL(s, "fchownat", AT_CWD, PATH("out/file"), me, group, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_asked(
		s, CALL(s, "fchownat", AT_CWD, PATH("out/link"), keep, group, AT_SYMLINK_NOFOLLOW));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(CALL(s, "fchownat", AT_CWD, PATH("out/link"), me, group, 0), -ENOENT);
	assert_int_equal(CALL(s, "fchownat", AT_CWD, PATH("out/file"), me + 1, group, 0), -EPERM);
#ifdef SYS_lchown
	assert_asked(s, CALL(s, "lchown", PATH("out/link"), me, group));
	assert_int_equal(CALL(s, "chown", PATH("out/link"), me, group), -ENOENT);
#endif
}

static void
what_belongs_to_others_is_not_asked_about(void **state)
{
	struct scene *s = of(state);
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct stat st;
	const char *name = "/etc/hostname";

	/* As root all files there are one's own. */
	if (stat(name, &st) < 0 || st.st_uid == geteuid()) {
		skip();
		return;
	}
	assert_int_equal(CALL(s, "fchmodat", AT_CWD, scene_text(s, name), 0777), -EPERM);
	assert_int_equal(
		CALL(s, "fchownat", AT_CWD, scene_text(s, name), getuid(), getgid(), 0), -EPERM);
	assert_int_equal(CALL(s, "utimensat", AT_CWD, scene_text(s, name), 0, 0), -EACCES);
	assert_int_equal(CALL(s, "utimensat", AT_CWD, scene_text(s, name),
				 scene_put(s, times, sizeof(times)), 0),
		-EPERM);
}

/* -- times ------------------------------------------------------------------------------ */

static void
times_by_path(void **state)
{
	struct scene *s = of(state);
	struct timespec times[2] = { { 11, 7 }, { 22, 8 } };
	struct stat st;

	scene_file(s, "out/file", "");
	assert_int_equal(symlinkat("file", s->dir, "out/link"), 0);
#define TIMES scene_put(s, times, sizeof(times))
	assert_asked(s, CALL(s, "utimensat", AT_CWD, PATH("out/file"), TIMES, 0));
	/* The copy counts. */
	memset(s->memory, 0, s->used);
	s->call.round = ROUND_AGAIN;
	assert_int_equal(call_op_of(OP_UTIME)->prepare(&s->call), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	st = scene_stat(s, "out/file");
	assert_int_equal(st.st_atim.tv_sec, 11);
	assert_int_equal(st.st_atim.tv_nsec, 7);
	assert_int_equal(st.st_mtim.tv_sec, 22);
	times[1].tv_sec = 33;
	assert_asked(s, CALL(s, "utimensat", AT_CWD, PATH("out/link"), TIMES, AT_SYMLINK_NOFOLLOW));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/link").st_mtim.tv_sec, 33);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_sec, 22);
	times[0].tv_nsec = UTIME_OMIT;
	assert_asked(s, CALL(s, "utimensat", AT_CWD, PATH("out/file"), TIMES, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_atim.tv_sec, 11);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_sec, 33);
	assert_asked(s, CALL(s, "utimensat", AT_CWD, PATH("out/file"), 0, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_true(scene_stat(s, "out/file").st_mtim.tv_sec > 1000);

	times[1].tv_nsec = UTIME_OMIT;
	assert_int_equal(CALL(s, "utimensat", AT_CWD, PATH("out/none"), TIMES, 0), CALL_ANSWERED);
	assert_int_equal(s->call.answer.kind, ANSWER_VALUE);
	times[1].tv_nsec = 2000000000;
	assert_int_equal(CALL(s, "utimensat", AT_CWD, PATH("out/file"), TIMES, 0), -EINVAL);
	assert_int_equal(CALL(s, "utimensat", AT_CWD, PATH("out/file"), 8, 0), -EFAULT);
	assert_int_equal(CALL(s, "utimensat", AT_CWD, PATH("out/file"), 0, 1), -EINVAL);
	assert_int_equal(CALL(s, "utimensat", AT_CWD, 0, 0, 0), -EFAULT);
}

static void
times_in_old_forms(void **state)
{
#ifdef SYS_utimes
	struct scene *s = of(state);
	struct timeval val[2] = { { 100, 5 }, { 200, 6 } };
	long old[2] = { 300, 400 };

	scene_file(s, "out/file", "");
	assert_asked(s, CALL(s, "utimes", PATH("out/file"), scene_put(s, val, sizeof(val))));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_sec, 200);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_nsec, 6000);
	assert_asked(s, CALL(s, "utime", PATH("out/file"), scene_put(s, old, sizeof(old))));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_atim.tv_sec, 300);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_sec, 400);
	assert_asked(
		s, CALL(s, "futimesat", AT_CWD, PATH("out/file"), scene_put(s, val, sizeof(val))));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_sec, 200);
	val[0].tv_usec = 1000000;
	assert_int_equal(
		CALL(s, "utimes", PATH("out/file"), scene_put(s, val, sizeof(val))), -EINVAL);
#else
	(void)state;
	skip();
#endif
}

static void
times_by_descriptor(void **state)
{
	struct scene *s = of(state);
	const struct timespec times[2] = { { .tv_sec = 11 }, { .tv_sec = 22 } };
	int w, r;

	scene_file(s, "out/file", "");
	w = openat(s->dir, "out/file", O_WRONLY | O_CLOEXEC);
	r = openat(s->dir, "out/file", O_RDONLY | O_CLOEXEC);
	scene_fork(s);
	assert_free(s, CALL(s, "utimensat", (uint64_t)w, 0, TIMES, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(scene_stat(s, "out/file").st_mtim.tv_sec, 22);
	assert_asked(s, CALL(s, "utimensat", (uint64_t)r, 0, TIMES, 0));
	assert_int_equal(CALL(s, "utimensat", (uint64_t)w, 0, TIMES, AT_SYMLINK_NOFOLLOW), -EINVAL);
	assert_int_equal(CALL(s, "utimensat", 999, 0, TIMES, 0), -EBADF);
	close(w);
	close(r);
}

/* -- attributes ---------------------------------------------------------------------------- */

/* False: this file system has none. */
static bool
has_attributes(const struct scene *s)
{
	int fd = openat(s->dir, "out/probe", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int r = fsetxattr(fd, "user.x", "", 0, 0);

	close(fd);
	return r == 0;
}

static void
attributes(void **state)
{
	struct scene *s = of(state);
	const struct {
		uint64_t value;
		uint32_t size, flags;
	} at = { scene_text(s, "three"), 5, 0 };
	char path[80], value[8] = "";
	uint64_t name, text;

	scene_file(s, "out/file", "");
	snprintf(path, sizeof(path), "%s/out/file", s->top);
	name = scene_text(s, "user.a");
	text = scene_text(s, "one");
	assert_int_equal(CALL(s, "setxattr", PATH("out/file"), EMPTY, text, 3, 0), -ERANGE);
	assert_int_equal(CALL(s, "setxattr", PATH("out/file"), name, text, 65537, 0), -E2BIG);
	assert_int_equal(CALL(s, "setxattr", PATH("out/file"), name, text, 3, 8), -EINVAL);
	assert_int_equal(CALL(s, "setxattr", PATH("out/file"), name, 8, 3, 0), -EFAULT);
	assert_int_equal(CALL(s, "setxattr", PATH("out/none"), name, text, 3, 0), -ENOENT);
	assert_int_equal(
		CALL(s, "setxattrat", AT_CWD, PATH("out/file"), 0, name, scene_put(s, &at, 16), 8),
		-EINVAL);
	assert_asked(s, CALL(s, "setxattr", PATH("out/file"), name, text, 3, 0));
	if (!has_attributes(s)) {
		skip();
		return;
	}
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(getxattr(path, "user.a", value, sizeof(value)), 3);
	assert_memory_equal(value, "one", 3);
	assert_asked(s, CALL(s, "setxattr", PATH("out/file"), name, text, 3, XATTR_CREATE));
	assert_int_equal(scene_perform(s), -EEXIST);
	assert_asked(s, CALL(s, "setxattrat", AT_CWD, PATH("out/file"), 0, name,
				scene_put(s, &at, 16), 16));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(getxattr(path, "user.a", value, sizeof(value)), 5);
	assert_asked(s, CALL(s, "removexattrat", AT_CWD, PATH("out/file"), 0, name));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(getxattr(path, "user.a", value, sizeof(value)), -1);
	assert_asked(s, CALL(s, "lremovexattr", PATH("out/file"), name));
	assert_int_equal(scene_perform(s), -ENODATA);
	assert_int_equal(fchmodat(s->dir, "out/file", 0444, 0), 0);
	assert_int_equal(CALL(s, "setxattr", PATH("out/file"), name, text, 3, 0), -EACCES);
}

static void
attributes_by_descriptor(void **state)
{
	struct scene *s = of(state);
	uint64_t name = scene_text(s, "user.a"), text = scene_text(s, "one");
	int w, r;

	scene_file(s, "out/file", "");
	w = openat(s->dir, "out/file", O_RDWR | O_CLOEXEC);
	r = openat(s->dir, "out/file", O_RDONLY | O_CLOEXEC);
	scene_fork(s);
	assert_asked(s, CALL(s, "fsetxattr", (uint64_t)r, name, text, 3, 0));
	assert_free(s, CALL(s, "fsetxattr", (uint64_t)w, name, text, 3, 0));
	if (has_attributes(s)) {
		assert_int_equal(scene_perform(s), 0);
		assert_int_equal(fgetxattr(w, "user.a", NULL, 0), 3);
		assert_free(s, CALL(s, "fremovexattr", (uint64_t)w, name));
		assert_int_equal(scene_perform(s), 0);
		assert_int_equal(fgetxattr(w, "user.a", NULL, 0), -1);
	}
	close(w);
	close(r);
}

static void
inode_flags(void **state)
{
	struct scene *s = of(state);
	char attr[64] = { 0 };

	scene_file(s, "out/file", "");
#define SETATTR(size)                                                                              \
	CALL(s, "file_setattr", AT_CWD, PATH("out/file"), scene_put(s, attr, 64), size, 0)
	assert_int_equal(SETATTR(8), -EINVAL);
	assert_int_equal(SETATTR(8192), -E2BIG);
	assert_asked(s, SETATTR(64));
	assert_int_equal(s->call.len, 24);
	attr[63] = 1;
	assert_int_equal(SETATTR(64), -E2BIG);
	assert_asked(s, SETATTR(24));
}

#define T(name) cmocka_unit_test_setup_teardown(name, scene_open, scene_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(truncate_is_bounded_by_newer_floors),
		T(modes_are_never_left_to_the_floor),
		T(the_object_that_was_decided_about_is_changed),
		T(descriptors_open_for_writing_are_free),
		T(owners),
		T(what_belongs_to_others_is_not_asked_about),
		T(times_by_path),
		T(times_in_old_forms),
		T(times_by_descriptor),
		T(attributes),
		T(attributes_by_descriptor),
		T(inode_flags),
	};

	/* As the gate's own thread is. */
	act_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

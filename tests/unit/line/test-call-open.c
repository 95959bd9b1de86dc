/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/calls/call-open.c. */

#include "scene.h"

#define PATH(text) scene_path(s, text)
#define OPEN(path, flags, mode) CALL(s, "openat", AT_CWD, path, (uint64_t)(flags), mode)

static struct scene *
of(void **state)
{
	return *state;
}

static void
assert_continued(const struct scene *s, int step)
{
	assert_int_equal(step, CALL_ANSWERED);
	assert_int_equal(s->call.answer.kind, ANSWER_CONTINUE);
}

static void
what_would_fail_fails_unasked(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/file", "x");
	scene_file(s, "out/closed", "x");
	assert_int_equal(fchmodat(s->dir, "out/closed", 0444, 0), 0);
	assert_int_equal(mkdirat(s->dir, "out/shut", 0555), 0);
	assert_int_equal(symlinkat("file", s->dir, "out/link"), 0);
	assert_int_equal(symlinkat("loop", s->dir, "out/loop"), 0);

	assert_int_equal(OPEN(PATH("out/none"), O_WRONLY, 0), -ENOENT);
	assert_int_equal(OPEN(PATH("none/x"), O_WRONLY | O_CREAT, 0), -ENOENT);
	assert_int_equal(OPEN(PATH("out/file"), O_WRONLY | O_CREAT | O_EXCL, 0), -EEXIST);
	assert_int_equal(OPEN(PATH("out/link"), O_WRONLY | O_CREAT | O_EXCL, 0), -EEXIST);
	assert_int_equal(OPEN(PATH("out"), O_WRONLY, 0), -EISDIR);
	assert_int_equal(OPEN(PATH("out/new/"), O_WRONLY | O_CREAT, 0), -EISDIR);
	assert_int_equal(OPEN(PATH("out/file/"), O_WRONLY | O_CREAT, 0), -EISDIR);
	assert_int_equal(OPEN(PATH("out/file/x/"), O_WRONLY | O_CREAT, 0), -ENOTDIR);
	assert_int_equal(OPEN(PATH("out/file/"), O_WRONLY, 0), -ENOTDIR);
	assert_int_equal(OPEN(PATH("out/file"), O_RDWR | O_DIRECTORY, 0), -ENOTDIR);
	assert_int_equal(OPEN(PATH("out/link"), O_WRONLY | O_NOFOLLOW, 0), -ELOOP);
	assert_int_equal(OPEN(PATH("out/loop"), O_WRONLY, 0), -ELOOP);
	assert_int_equal(OPEN(PATH("out/closed"), O_WRONLY, 0), -EACCES);
	assert_int_equal(OPEN(PATH("out/closed"), O_RDONLY | O_TRUNC, 0), -EACCES);
	assert_int_equal(OPEN(PATH("out/shut/new"), O_WRONLY | O_CREAT, 0), -EACCES);
	assert_int_equal(OPEN(PATH("out/d"), O_RDONLY | O_CREAT | O_DIRECTORY, 0), -EINVAL);
	assert_int_equal(OPEN(PATH("out"), O_TMPFILE | O_RDONLY, 0), -EINVAL);
	assert_int_equal(OPEN(0, O_WRONLY, 0), -EFAULT);
	assert_int_equal(OPEN(scene_text(s, ""), O_WRONLY, 0), -ENOENT);
}

static void
what_only_reads_is_the_floors(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/lock", "");
	assert_continued(s, OPEN(PATH("out/lock"), O_PATH | O_WRONLY, 0));
	/* flock(1): created if need be, never written. */
	assert_continued(s, OPEN(PATH("out/lock"), O_RDONLY | O_CREAT, 0666));
}

static void
flags_say_what_is_needed(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/file", "x");
	assert_int_equal(OPEN(PATH("out/file"), O_WRONLY, 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_true(s->call.may_continue);
	assert_int_equal(OPEN(PATH("out/file"), O_RDWR, 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 }, { AMBIT_ACCESS_READ, 0 });
	assert_int_equal(OPEN(PATH("out/new"), O_RDWR | O_CREAT, 0644), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_int_equal(OPEN(PATH("out/file"), O_RDONLY | O_TRUNC, 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	s->gate.abi = 2;
	assert_int_equal(OPEN(PATH("out/file"), O_WRONLY | O_TRUNC, 0), CALL_DECIDE);
	assert_false(s->call.may_continue);
	assert_int_equal(OPEN(PATH("out/file"), O_WRONLY, 0), CALL_DECIDE);
	assert_true(s->call.may_continue);
#ifdef SYS_creat
	assert_int_equal(CALL(s, "creat", PATH("out/new"), 0640), CALL_DECIDE);
	assert_int_equal(s->call.open.flags, O_CREAT | O_WRONLY | O_TRUNC);
	assert_int_equal(s->call.open.mode, 0640);
#endif
}

static void
relative_paths_are_the_targets(void **state)
{
	struct scene *s = of(state);
	int fd = openat(s->dir, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char want[128];

	assert_int_equal(OPEN(scene_text(s, "here"), O_WRONLY | O_CREAT, 0644), CALL_DECIDE);
	snprintf(want, sizeof(want), "%s/in/here", s->top);
	assert_string_equal(s->call.object[0].real, want);
	assert_int_equal(
		CALL(s, "openat", (uint64_t)fd, scene_text(s, "there"), O_WRONLY | O_CREAT, 0),
		CALL_DECIDE);
	snprintf(want, sizeof(want), "%s/out/there", s->top);
	assert_string_equal(s->call.object[0].real, want);
	assert_int_equal(CALL(s, "openat", 999, scene_text(s, "x"), O_WRONLY | O_CREAT, 0), -EBADF);
	close(fd);
}

/* The answer's descriptor, checked for its flags, and closed. */
static void
write_to_answer(struct scene *s, const char *text, int flags)
{
	struct answer *answer = &s->call.answer;

	assert_int_equal(answer->kind, ANSWER_FD);
	assert_int_equal(fcntl(answer->fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK), flags);
	assert_int_equal(write(answer->fd, text, strlen(text)), strlen(text));
}

static void
new_files_have_the_targets_umask(void **state)
{
	struct scene *s = of(state);

	assert_int_equal(OPEN(PATH("out/new"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	assert_true(s->call.answer.cloexec);
	write_to_answer(s, "abc", O_WRONLY);
	assert_int_equal(scene_stat(s, "out/new").st_mode, S_IFREG | 0640);
	assert_int_equal(scene_stat(s, "out/new").st_size, 3);
}

static void
what_exists_is_opened_as_it_was(void **state)
{
	struct scene *s = of(state);

	scene_file(s, "out/file", "abcdef");
	assert_int_equal(
		OPEN(PATH("out/file"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666), CALL_DECIDE);
	/* Somebody puts another thing there: it stays as it is. */
	assert_int_equal(renameat(s->dir, "out/file", s->dir, "out/moved"), 0);
	scene_file(s, "out/bait", "bait");
	assert_int_equal(symlinkat("bait", s->dir, "out/file"), 0);
	assert_int_equal(scene_perform(s), 0);
	assert_false(s->call.answer.cloexec);
	write_to_answer(s, "x", O_WRONLY | O_APPEND);
	assert_int_equal(scene_stat(s, "out/moved").st_size, 1);
	assert_int_equal(scene_stat(s, "out/bait").st_size, 4);
}

static void
what_is_new_must_still_be(void **state)
{
	struct scene *s = of(state);

	assert_int_equal(OPEN(PATH("out/new"), O_WRONLY | O_CREAT | O_TRUNC, 0666), CALL_DECIDE);
	scene_file(s, "out/new", "theirs");
	assert_int_equal(scene_perform(s), -ESTALE);
	assert_int_equal(OPEN(PATH("out/new2"), O_WRONLY | O_CREAT | O_EXCL, 0666), CALL_DECIDE);
	assert_int_equal(symlinkat("new", s->dir, "out/new2"), 0);
	assert_int_equal(scene_perform(s), -EEXIST);
	assert_int_equal(scene_stat(s, "out/new").st_size, 6);
	/* The second look is at the copy, and sees it. */
	assert_int_equal(OPEN(PATH("out/new3"), O_WRONLY | O_CREAT, 0666), CALL_DECIDE);
	memset(s->memory, 'x', s->used);
	scene_file(s, "out/new3", "");
	s->call.round = ROUND_AGAIN;
	assert_int_equal(call_op_of(OP_OPEN)->prepare(&s->call), CALL_DECIDE);
	assert_true(s->call.object[0].exists);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
}

static void
links_are_followed_to_what_they_name(void **state)
{
	struct scene *s = of(state);
	char want[128];

	assert_int_equal(symlinkat("../out/target", s->dir, "in/link"), 0);
	assert_int_equal(OPEN(scene_text(s, "link"), O_WRONLY | O_CREAT, 0666), CALL_DECIDE);
	snprintf(want, sizeof(want), "%s/out/target", s->top);
	assert_string_equal(s->call.object[0].real, want);
	assert_int_equal(scene_perform(s), 0);
	assert_true(scene_has(s, "out/target"));
}

static void
nameless_files_are_names_to_be(void **state)
{
	struct scene *s = of(state);
	char want[128];
	int r;

	assert_int_equal(OPEN(PATH("out"), O_TMPFILE | O_RDWR, 0666), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_false(s->call.object[0].exists);
	snprintf(want, sizeof(want), "%s/out/#tmpfile", s->top);
	assert_string_equal(s->call.object[0].real, want);
	r = scene_perform(s);
	if (r == -EOPNOTSUPP) {
		skip();
		return;
	}
	assert_int_equal(r, 0);
	write_to_answer(s, "x", O_RDWR);
	assert_int_equal(OPEN(scene_text(s, "/tmp"), O_TMPFILE | O_RDWR, 0666), CALL_DECIDE);
	assert_true(call_is_own(&s->call, 0));
}

static void
scratch_is_ones_own(void **state)
{
	struct scene *s = of(state);
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/ambit-scratch-%d", (int)getpid());
	assert_int_equal(OPEN(scene_text(s, path), O_WRONLY | O_CREAT, 0666), CALL_DECIDE);
	assert_true(call_is_own(&s->call, 0));
	assert_int_equal(scene_perform(s), 0);
	assert_int_equal(OPEN(scene_text(s, path), O_WRONLY, 0), CALL_DECIDE);
	assert_true(call_is_own(&s->call, 0));
	/* The same name, but not what was made. */
	assert_int_equal(unlink(path), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	assert_int_equal(OPEN(scene_text(s, path), O_WRONLY, 0), CALL_DECIDE);
	assert_false(call_is_own(&s->call, 0));
	assert_int_equal(unlink(path), 0);
	/* A directory in /tmp is somebody's. */
	assert_int_equal(OPEN(PATH("out/new"), O_WRONLY | O_CREAT, 0666), CALL_DECIDE);
	assert_false(call_is_own(&s->call, 0));
}

static void
assert_special(struct scene *s, int step, enum object_special special)
{
	assert_int_equal(step, CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	assert_int_equal(s->call.special, special);
}

static void
devices_and_terminals_are_the_floors(void **state)
{
	struct scene *s = of(state);

	assert_continued(s, OPEN(scene_text(s, "/dev/null"), O_WRONLY | O_CREAT | O_TRUNC, 0666));
	/* Nobody else's terminal is asked about. */
	assert_special(s, OPEN(scene_text(s, "/dev/tty"), O_RDWR, 0), SPECIAL_OTHER_TERMINAL);
	/* Not covered: asked about, and nothing that may hold the gate up. */
	assert_int_equal(OPEN(scene_text(s, "/dev/zero"), O_WRONLY, 0), CALL_DECIDE);
	assert_int_equal(s->call.pace, PACE_SLOW);
	/* Before ABI 3, a device that is only read and emptied might become a
	 * file on the way. */
	s->gate.abi = 2;
	assert_int_equal(OPEN(scene_text(s, "/dev/null"), O_RDONLY | O_TRUNC, 0), -EACCES);
	assert_continued(s, OPEN(scene_text(s, "/dev/null"), O_WRONLY | O_TRUNC, 0));
}

static void
a_fifo_waits_aside(void **state)
{
	struct scene *s = of(state);
	int reader;

	assert_int_equal(mkfifoat(s->dir, "out/fifo", 0600), 0);
	assert_int_equal(OPEN(PATH("out/fifo"), O_WRONLY, 0), CALL_DECIDE);
	assert_int_equal(s->call.pace, PACE_SLOW);
	s->give_up = 2;
	assert_int_equal(scene_perform(s), -EINTR);
	assert_int_equal(OPEN(PATH("out/fifo"), O_WRONLY | O_NONBLOCK, 0), CALL_DECIDE);
	assert_int_equal(scene_perform(s), -ENXIO);
	reader = openat(s->dir, "out/fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(OPEN(PATH("out/fifo"), O_WRONLY, 0), CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	write_to_answer(s, "x", O_WRONLY);
	close(reader);
}

static void
settings_of_the_tree_in_proc(void **state)
{
	struct scene *s = of(state);
	char path[64];

	scene_fork(s);
	assert_special(s, OPEN(scene_text(s, "/proc/self/comm"), O_WRONLY, 0), SPECIAL_OWN_PROC);
	assert_false(s->call.may_continue);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)s->child);
	assert_string_equal(s->call.object[0].real, path);
	assert_int_equal(OPEN(scene_text(s, "/proc/self/oom_score_adj"), O_WRONLY | O_TRUNC, 0),
		CALL_DECIDE);
	assert_int_equal(scene_perform(s), 0);
	write_to_answer(s, "500", O_WRONLY);

	assert_int_equal(OPEN(scene_text(s, "/proc/self/mem"), O_RDWR, 0), -EACCES);
	assert_special(s, OPEN(scene_text(s, "/proc/self/uid_map"), O_WRONLY, 0), SPECIAL_PROC);
	/* Not of the tree: the supervisor itself. */
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)getpid());
	assert_special(s, OPEN(scene_text(s, path), O_WRONLY, 0), SPECIAL_PROC);
	if (geteuid() != 0) { /* root's: that is nothing to decide */
		assert_int_equal(OPEN(scene_text(s, "/proc/1/comm"), O_WRONLY, 0), -EACCES);
		return;
	}
	assert_special(s, OPEN(scene_text(s, "/proc/1/comm"), O_WRONLY, 0), SPECIAL_PROC);
	assert_special(
		s, OPEN(scene_text(s, "/proc/sys/kernel/hostname"), O_WRONLY, 0), SPECIAL_PROC);
}

static void
its_own_descriptors_can_be_opened_again(void **state)
{
	struct scene *s = of(state);
	int w, r, p[2];
	char path[32];

	scene_file(s, "out/log", "old");
	w = openat(s->dir, "out/log", O_WRONLY | O_CLOEXEC);
	r = openat(s->dir, "out/log", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	scene_fork(s);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", w);
	assert_special(s, OPEN(scene_text(s, path), O_WRONLY | O_TRUNC, 0), SPECIAL_DESCRIPTOR);
	assert_false(s->call.may_continue);
	assert_int_equal(scene_perform(s), 0);
	write_to_answer(s, "x", O_WRONLY);
	assert_int_equal(scene_stat(s, "out/log").st_size, 1);
	/* More than it has is asked about. */
	assert_int_equal(OPEN(scene_text(s, path), O_RDWR, 0), CALL_DECIDE);
	assert_int_equal(s->call.n_needs, 2);
	snprintf(path, sizeof(path), "/dev/fd/%d", r);
	assert_int_equal(OPEN(scene_text(s, path), O_WRONLY, 0), CALL_DECIDE);
	NEEDS(s, { AMBIT_ACCESS_WRITE, 0 });
	snprintf(path, sizeof(path), "/dev/fd/%d", p[1]);
	assert_continued(s, OPEN(scene_text(s, path), O_WRONLY, 0));
	close(w);
	close(r);
	close(p[0]);
	close(p[1]);
}

#define T(name) cmocka_unit_test_setup_teardown(name, scene_open, scene_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_would_fail_fails_unasked),
		T(what_only_reads_is_the_floors),
		T(flags_say_what_is_needed),
		T(relative_paths_are_the_targets),
		T(new_files_have_the_targets_umask),
		T(what_exists_is_opened_as_it_was),
		T(what_is_new_must_still_be),
		T(links_are_followed_to_what_they_name),
		T(nameless_files_are_names_to_be),
		T(scratch_is_ones_own),
		T(devices_and_terminals_are_the_floors),
		T(a_fifo_waits_aside),
		T(settings_of_the_tree_in_proc),
		T(its_own_descriptors_can_be_opened_again),
	};

	/* As the gate's own thread is. */
	act_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

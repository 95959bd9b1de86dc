/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/object against a hostile target: magic links, other processes, things
 * without a name, and what changes in between. */

#include "object-rig.h"

static void
proc_self_is_the_targets(void **state)
{
	static const char *const ways[] = { "/proc/self/oom_score_adj", "self/oom_score_adj",
		"/proc/self/../self/oom_score_adj", "a/../self/./oom_score_adj",
		"/proc/../proc/self//oom_score_adj", "/proc/mounts/../x", NULL };
	W;
	char want[128], path[128];

	snprintf(want, sizeof(want), "!/proc/%d/oom_score_adj", (int)w->pid);
	for (size_t i = 0; ways[i + 1]; i++) {
		expect(w, ways[i], want, true);
		assert_true(object.proc);
	}
	refuse(w, "/proc/mounts/../x", ENOTDIR);
	snprintf(want, sizeof(want), "!/proc/%d/task/%d/comm", (int)w->pid, (int)w->pid);
	expect(w, "/proc/thread-self/comm", want, true);
	snprintf(want, sizeof(want), "!/proc/%d/mounts", (int)w->pid);
	expect(w, "/proc/mounts", want, true);
	/* By a number that is its own and not ours. */
	snprintf(path, sizeof(path), "/proc/self/task/%d/../../../../usr", (int)w->pid);
	expect(w, path, "!/usr", true);
	/* Relative to a directory in /proc. */
	expect(w, "/proc", "!/proc", true);
	assert_true(object.proc);
	expect(w, "/usr", "!/usr", true);
	assert_false(object.proc);
	/* The link itself is nobody's. */
	assert_int_equal(resolve(w, AT_FDCWD, "/proc/self", OBJECT_NOFOLLOW), 0);
	assert_string_equal(object.real, "/proc/self");
}

static void
magic_links_are_the_targets(void **state)
{
	W;
	char path[128];

	expect(w, "/proc/self/cwd/x", "/x", false);
	expect(w, "/proc/thread-self/cwd/a/file", "/a/file", true);
	expect(w, "selfcwd", "", true);
	expect(w, "selfcwd/dangling", "/a/new", false);
	expect(w, "/proc/self/root/usr/../etc", "!/etc", true);
	expect(w, "self/root", "!/", true);
	expect(w, "self/cwd/self/root/proc/self/cwd/file", "/file", true);
	expect(w, "/dev/fd/31", "/a/file", true);
	assert_int_equal(object.parent, -1);
	assert_string_equal(object.name, "");
	expect(w, "fds/30", "/other", true);
	assert_true(object.parent >= 0);
	expect(w, "/proc/self/fd/30/new", "/other/new", false);
	expect(w, "fds/30/../a/up/file", "/file", true);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/fd/30/a", (int)w->pid, (int)w->pid);
	expect(w, path, "/other/a", true);
	refuse(w, "/dev/fd/31/", ENOTDIR);
	refuse(w, "/dev/fd/31/x", ENOTDIR);
	assert_int_equal(resolve(w, AT_FDCWD, "/dev/fd/99", OBJECT_FOLLOW), 0);
	assert_true(object.proc && !object.exists);
	refuse(w, "/dev/fd/99/x", ENOENT);
	refuse(w, "/proc/self/fd/37/x", ENOTDIR);
	expect(w, "/proc/self/fd/37", "/tofile", true); /* the link, not followed on */
	assert_true(S_ISLNK(object.st.st_mode));
	assert_int_equal(resolve(w, AT_FDCWD, "/proc/self/exe", OBJECT_FOLLOW), 0);
	assert_true(object.exists && S_ISREG(object.st.st_mode));
	assert_int_equal(resolve(w, AT_FDCWD, "/proc/self/fd/31", OBJECT_NOFOLLOW), 0);
	assert_true(S_ISLNK(object.st.st_mode) && object.proc);
}

static void
other_processes_are_closed(void **state)
{
	static const char *const inside[] = { "cwd", "cwd/x", "root", "root/etc", "exe", "fd/0",
		"fd/0/x", "ns/mnt", NULL };
	const pid_t others[] = { getpid(), getppid() };
	W;
	char path[256];

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; inside[k]; k++) {
			snprintf(path, sizeof(path), "/proc/%d/%s", (int)others[i], inside[k]);
			refuse(w, path, EACCES);
			snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)others[i],
				(int)others[i], inside[k]);
			refuse(w, path, EACCES);
			snprintf(path, sizeof(path), "self/../%d/%s", (int)others[i], inside[k]);
			refuse(w, path, EACCES);
		}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)getpid());
	refuse(w, path, EACCES);
	refuse(w, "/proc/1/cwd", EACCES);
	/* What is no link is found, and said to lie there. */
	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)getpid());
	assert_int_equal(resolve(w, AT_FDCWD, path, OBJECT_FOLLOW), 0);
	assert_true(object.proc);
}

static void
memory_of_processes_is_never_an_object(void **state)
{
	static const char *const ways[] = { "/proc/self/mem", "self/mem", "/proc/thread-self/mem",
		"self/task/../mem", "/proc/self/fd/36", "/dev/fd/36",
		"/proc/self/root/proc/self/mem", "/proc/1/mem", NULL };
	W;

	for (size_t i = 0; ways[i]; i++) {
		refuse(w, ways[i], EACCES);
		if (!strstr(ways[i], "fd/"))
			assert_int_equal(resolve(w, AT_FDCWD, ways[i], OBJECT_NOFOLLOW), -EACCES);
	}
}

static void
things_without_a_name_say_so(void **state)
{
	W;

	expect(w, "/proc/self/fd/30", "/other", true);
	assert_false(object.gone || object.nameless);
	for (const char *const *way = (const char *[]){ "/proc/self/fd/32", "/dev/fd/33",
		     "/proc/self/fd/33/", NULL };
		*way; way++) {
		assert_int_equal(resolve(w, AT_FDCWD, *way, OBJECT_FOLLOW), 0);
		assert_true(object.gone && !object.nameless && object.exists);
	}
	assert_int_equal(resolve(w, AT_FDCWD, "fds/35", OBJECT_FOLLOW), 0);
	assert_true(object.nameless);
	assert_int_equal(resolve(w, AT_FDCWD, "fds/34", OBJECT_FOLLOW), 0);
	assert_true(object.nameless);
	assert_int_equal(resolve(w, FD_GONE_DIR, "x", OBJECT_FOLLOW), 0);
	assert_true(object.gone && !object.exists);
	assert_int_equal(resolve(w, FD_GONE_DIR, "../file", OBJECT_FOLLOW), 0);
	assert_false(object.gone);
	real_is(w, "/file");
	/* It is just called so. */
	expect(w, "x (deleted)/new", "/x (deleted)/new", false);
	assert_false(object.gone);
	expect(w, "x (deleted)/.", "/x (deleted)", true);
	assert_false(object.gone);
}

static void
from_fd(const struct place_of_test *w, int fd)
{
	object_finish(&object);
	assert_int_equal(object_from_fd(&object, &w->target, fd), 0);
	assert_true(object.exists && object.fd >= 0 && object.parent < 0);
}

static void
descriptors_are_objects(void **state)
{
	W;

	from_fd(w, FD_FILE);
	real_is(w, "/a/file");
	assert_false(object.gone || object.nameless || object.proc);
	from_fd(w, FD_DIR);
	real_is(w, "/other");
	from_fd(w, FD_GONE);
	assert_true(object.gone && !object.nameless);
	from_fd(w, FD_PIPE);
	assert_true(object.nameless && S_ISFIFO(object.st.st_mode));
	from_fd(w, FD_MEMORY);
	assert_true(object.nameless);
	from_fd(w, FD_MEM);
	assert_true(object.proc);
	from_fd(w, FD_LINK);
	real_is(w, "/tofile");
	object_finish(&object);
	assert_int_equal(object_from_fd(&object, &w->target, 999), -EBADF);
	assert_int_equal(object_from_fd(&object, &w->target, -1), -EBADF);
	assert_int_equal(object.fd, -1);
}

static bool
still_same(struct place_of_test *w, const char *path, void (*change)(void))
{
	static struct object before, after;
	bool same;

	assert_int_equal(chdir(w->root), 0);
	assert_int_equal(object_resolve(&before, &w->target, AT_FDCWD, path, OBJECT_FOLLOW), 0);
	if (change)
		change();
	assert_int_equal(object_resolve(&after, &w->target, AT_FDCWD, path, OBJECT_FOLLOW), 0);
	same = object_same(&before, &after);
	object_finish(&before);
	object_finish(&after);
	assert_int_equal(chdir("/"), 0);
	return same;
}

static void
replace_file(void)
{
	file("other/copy");
	assert_int_equal(rename("other/copy", "other/kept"), 0);
}

static void
appear(void)
{
	file("other/fresh");
}

static void
turn_link(void)
{
	assert_int_equal(unlink("other/turn"), 0);
	link_to("../a/b/file", "other/turn");
}

static void
replace_parent(void)
{
	assert_int_equal(rename("other/p", "other/q"), 0);
	assert_int_equal(mkdir("other/p", 0700), 0);
}

static void
what_changed_is_not_the_same(void **state)
{
	W;

	assert_int_equal(chdir(w->root), 0);
	file("other/kept");
	link_to("../a/file", "other/turn");
	assert_int_equal(mkdir("other/p", 0700), 0);
	assert_true(still_same(w, "other/kept", NULL));
	assert_true(still_same(w, "other/new", NULL));
	assert_true(still_same(w, "/dev/fd/31", NULL));
	assert_false(still_same(w, "other/kept", replace_file));
	assert_false(still_same(w, "other/fresh", appear));
	assert_false(still_same(w, "other/turn", turn_link));
	assert_false(still_same(w, "other/p/new", replace_parent));
}

/* fs.protected_symlinks, on or off: as the kernel. */
static void
a_link_of_a_third_one_in_a_shared_place_is_as_in_the_kernel(void **state)
{
	W;

	if (geteuid() != 0) {
		print_message("skipped: only root can make links of others\n");
		skip();
	}
	assert_int_equal(chdir(w->root), 0);
	assert_int_equal(mkdir("shared", 0700), 0);
	assert_int_equal(chmod("shared", 01777), 0);
	link_to("../file", "shared/planted");
	link_to("../a", "shared/dir");
	link_to("shared/planted", "toplanted");
	assert_int_equal(lchown("shared/planted", 1001, 1001), 0);
	assert_int_equal(lchown("shared/dir", 1001, 1001), 0);
	assert_int_equal(chdir("/"), 0);
	for (const char *const *path = (const char *[]){ "shared/planted", "shared/dir",
		     "shared/dir/", "shared/dir/file", "toplanted", NULL };
		*path; path++)
		compare(w, AT_FDCWD, *path, true);
}

/* A directory and a symlink change places all the time: the name always belongs
 * to the directory that is held. */
static void
a_name_fits_what_is_held_whoever_renames(void **state)
{
	W;
	struct stat dir, other, st;
	unsigned seen[2] = { 0 };
	pid_t pid;

	assert_int_equal(chdir(w->root), 0);
	assert_int_equal(mkdir("flip", 0700), 0);
	link_to("other", "flop");
	assert_int_equal(stat("flip", &dir), 0);
	assert_int_equal(stat("other", &other), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			renameat2(AT_FDCWD, "flip", AT_FDCWD, "flop", RENAME_EXCHANGE);
	}
	assert_int_equal(chdir("/"), 0);
	for (int i = 0; i < 20000 && (i < 2000 || !seen[0] || !seen[1]); i++) {
		int r = resolve(w, AT_FDCWD, "flip/new", OBJECT_FOLLOW);

		/* The name was the link when it was looked at. */
		if (r == -ENOENT || r == -ENOTDIR)
			continue;
		assert_int_equal(r, 0);
		assert_int_equal(fstat(object.parent, &st), 0);
		seen[st.st_ino == other.st_ino]++;
		if (st.st_ino == other.st_ino)
			real_is(w, "/other/new");
		else {
			assert_int_equal(st.st_ino, dir.st_ino);
			if (!strstr(object.real, "/flop/new"))
				real_is(w, "/flip/new");
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(seen[0] > 0 && seen[1] > 0);
}

static void
nothing_stays_open(void **state)
{
	static const char *const paths[] = { "a/file", "dangling", "loop", "/proc/self/cwd/x",
		"/proc/self/mem", "/proc/1/cwd", "file/", "missing/x", "/dev/fd/31", "n40",
		"/proc/self/fd/30/new", ".", "/", NULL };
	W;
	int before, after;

	object_finish(&object);
	before = dup(0);
	close(before);
	for (size_t i = 0; paths[i]; i++) {
		resolve(w, i % 2 ? AT_FDCWD : FD_DIR, paths[i], OBJECT_FOLLOW);
		object_finish(&object);
	}
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proc_self_is_the_targets),
		cmocka_unit_test(magic_links_are_the_targets),
		cmocka_unit_test(other_processes_are_closed),
		cmocka_unit_test(memory_of_processes_is_never_an_object),
		cmocka_unit_test(things_without_a_name_say_so),
		cmocka_unit_test(descriptors_are_objects),
		cmocka_unit_test(what_changed_is_not_the_same),
		cmocka_unit_test(a_link_of_a_third_one_in_a_shared_place_is_as_in_the_kernel),
		cmocka_unit_test(a_name_fits_what_is_held_whoever_renames),
		cmocka_unit_test(nothing_stays_open),
	};

	object_init(&object);
	return cmocka_run_group_tests_name("object", tests, set_up, take_down);
}

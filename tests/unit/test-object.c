/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/line/object/object.c: a path of a real other process means what the
 * kernel would make of it there, and never anything of our own. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "line/object/object.h"
#include "scratch.h"

enum {
	FD_DIR = 30,  /* the child's: the folder "other" */
	FD_FILE = 31, /* "a/file" */
	FD_GONE = 32, /* a file that was removed */
	FD_GONE_DIR = 33,
	FD_MEMORY = 34, /* memfd */
	FD_PIPE = 35,
	FD_MEM = 36,  /* its own /proc/self/mem */
	FD_LINK = 37, /* O_PATH of the symlink "tofile" */
};

struct ask {
	bool create; /* make it, and take it away again */
	int dirfd;
	int flags;
	unsigned long long resolve;
	char path[PATH_MAX + 8];
};

struct told {
	int error;
	dev_t dev;
	ino_t ino;
	char real[PATH_MAX];
};

/* A temporary folder, and a child that waits in it and tries paths. */
struct place_of_test {
	char root[PATH_MAX];
	pid_t pid;
	int socket;
	struct target target;
};

#define W struct place_of_test *w = *state

/* -- the child ----------------------------------------------------------------- */

static void
tell(int socket, const struct ask *ask)
{
	struct told told = { 0 };
	struct open_how how = { .flags = (unsigned long long)ask->flags, .resolve = ask->resolve };
	struct stat st;
	char link[64];
	int fd;

	if (ask->create)
		how.mode = 0600;
	/* Whoever renames anything meanwhile makes a ".." to be tried again. */
	do
		fd = (int)syscall(SYS_openat2, ask->dirfd, ask->path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN);
	told.error = fd < 0 ? errno : 0;
	if (fd >= 0 && fstat(fd, &st) == 0) {
		told.dev = st.st_dev;
		told.ino = st.st_ino;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		(void)!readlink(link, told.real, sizeof(told.real) - 1);
		if (ask->create)
			unlink(told.real);
		close(fd);
	}
	if (write(socket, &told, sizeof(told)) != sizeof(told))
		_exit(1);
}

static void
put(int fd, int number)
{
	if (fd < 0 || dup2(fd, number) != number)
		_exit(2);
}

static void
live(int socket)
{
	struct ask ask;
	int pair[2];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	put(open("other", O_RDONLY), FD_DIR);
	put(open("a/file", O_RDONLY), FD_FILE);
	put(open("soon-gone", O_RDWR | O_CREAT, 0600), FD_GONE);
	if (unlink("soon-gone") < 0 || mkdir("gone-dir", 0700) < 0)
		_exit(2);
	put(open("gone-dir", O_RDONLY), FD_GONE_DIR);
	if (rmdir("gone-dir") < 0 || pipe(pair) < 0)
		_exit(2);
	put(memfd_create("memory", 0), FD_MEMORY);
	put(pair[1], FD_PIPE);
	put(open("/proc/self/mem", O_RDONLY), FD_MEM);
	put(open("tofile", O_PATH | O_NOFOLLOW), FD_LINK);
	if (write(socket, "r", 1) != 1)
		_exit(2);
	while (read(socket, &ask, sizeof(ask)) == sizeof(ask))
		tell(socket, &ask);
	_exit(0);
}

static struct told
try(const struct place_of_test *w, bool create, int dirfd, const char *path, int flags,
	unsigned long long resolve)
{
	struct ask ask = { .create = create, .dirfd = dirfd, .flags = flags, .resolve = resolve };
	struct told told;

	snprintf(ask.path, sizeof(ask.path), "%s", path);
	assert_int_equal(write(w->socket, &ask, sizeof(ask)), sizeof(ask));
	assert_int_equal(read(w->socket, &told, sizeof(told)), sizeof(told));
	return told;
}

/* -- the folder ---------------------------------------------------------------- */

static void
file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void
link_to(const char *text, const char *path)
{
	assert_int_equal(symlink(text, path), 0);
}

static void
furnish(const char *root)
{
	char text[PATH_MAX + 16];

	assert_int_equal(chdir(root), 0);
	for (const char *const *dir = (const char *[]){ "a", "a/b", "a/b/c", "other", "other/a",
		     "x (deleted)", NULL };
		*dir; dir++)
		assert_int_equal(mkdir(*dir, 0700), 0);
	file("file");
	file("a/file");
	file("a/b/file");
	link_to("a", "todir");
	link_to("../other", "a/toother");
	link_to("a/file", "tofile");
	link_to("tofile", "totofile");
	link_to("a/new", "dangling");
	link_to("dangling", "todangling");
	link_to("missing/new", "nowhere");
	link_to("loop2", "loop");
	link_to("loop", "loop2");
	link_to("..", "a/up");
	link_to("b/", "a/slash");
	link_to("new/", "newslash");
	link_to("a/b/../../other/", "long");
	link_to("/proc/self", "self");
	link_to("self/cwd", "selfcwd");
	link_to("/dev/fd", "fds");
	snprintf(text, sizeof(text), "%s/other", root);
	link_to(text, "abs");
	snprintf(text, sizeof(text), "%s/other/new", root);
	link_to(text, "absnew");
	/* n0 -> file, n1 -> n0, ... */
	link_to("file", "n0");
	for (int i = 1; i <= 45; i++) {
		char to[32], from[32];

		snprintf(to, sizeof(to), "n%d", i - 1);
		snprintf(from, sizeof(from), "n%d", i);
		link_to(to, from);
	}
}

static int
set_up(void **state)
{
	struct place_of_test *w = calloc(1, sizeof(*w));
	char c;
	int pair[2];

	assert_non_null(w);
	scratch_make(w->root, sizeof(w->root));
	furnish(w->root);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (w->pid == 0) {
		close(pair[0]);
		live(pair[1]);
	}
	close(pair[1]);
	w->socket = pair[0];
	assert_int_equal(read(w->socket, &c, 1), 1);
	target_init(&w->target, w->pid);
	/* Not where the child is: what is relative must not be ours. */
	assert_int_equal(chdir("/"), 0);
	*state = w;
	return 0;
}

static int
take_down(void **state)
{
	W;

	close(w->socket);
	assert_int_equal(waitpid(w->pid, NULL, 0), w->pid);
	target_finish(&w->target);
	scratch_remove(w->root);
	free(w);
	return 0;
}

/* -- expectations ---------------------------------------------------------------- */

static struct object object;

static int
resolve(struct place_of_test *w, int dirfd, const char *path, enum object_follow follow,
	unsigned long long flags)
{
	object_finish(&object);
	return object_resolve(&object, &w->target, dirfd, path, follow, flags);
}

static void
real_is(const struct place_of_test *w, const char *rest)
{
	char want[PATH_MAX + 256];

	snprintf(want, sizeof(want), "%s%s", rest[0] == '!' ? "" : w->root,
		rest[0] == '!' ? rest + 1 : rest);
	assert_string_equal(object.real, want);
}

static void
expect(struct place_of_test *w, const char *path, const char *rest, bool exists)
{
	int r = resolve(w, AT_FDCWD, path, OBJECT_FOLLOW, 0);

	if (r != 0)
		print_error("%s: %s\n", path, strerror(-r));
	assert_int_equal(r, 0);
	real_is(w, rest);
	assert_int_equal(object.exists, exists);
	assert_int_equal(object.fd >= 0, exists);
}

static void
refuse(struct place_of_test *w, const char *path, int error)
{
	int r = resolve(w, AT_FDCWD, path, OBJECT_FOLLOW, 0);

	if (r != -error)
		print_error("%s: %d, not %d: %s\n", path, r, -error, object.real);
	assert_int_equal(r, -error);
	assert_int_equal(object.fd, -1);
	assert_int_equal(object.parent, -1);
}

/* -- the same as the kernel ---------------------------------------------------------- */

static unsigned
dice(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % n;
}

static void
make_path(const struct place_of_test *w, unsigned *seed, char path[PATH_MAX])
{
	static const char *const words[] = { "a", "b", "c", "file", "other", "todir", "toother",
		"tofile", "totofile", "dangling", "todangling", "nowhere", "loop", "up", "slash",
		"newslash", "long", "abs", "absnew", ".", "..", "missing", "", "new", "a", "b",
		"..", "x (deleted)", "n39", "n40", "n41", "n5" };
	/* Mostly what can be walked through. */
	static const char *const ways[] = { "a", "b", "up", "todir", "slash", "..", ".", "", "a",
		"other", "long", "abs" };
	unsigned n = 1 + dice(seed, 5);
	size_t len = 0;

	if (dice(seed, 4) == 0)
		len = (size_t)snprintf(path, PATH_MAX, "%s/", w->root);
	for (unsigned i = 0; i < n; i++)
		len += (size_t)snprintf(path + len, PATH_MAX - len, "%s%s", i ? "/" : "",
			i + 1 < n && dice(seed, 8)
				? ways[dice(seed, sizeof(ways) / sizeof(ways[0]))]
				: words[dice(seed, sizeof(words) / sizeof(words[0]))]);
	if (dice(seed, 5) == 0)
		snprintf(path + len, PATH_MAX - len, "/");
	/* A leading "" makes it absolute; not every "/file" is ours to try. */
	if (path[0] == '\0' || (path[0] == '/' && !str_prefix(path, w->root)))
		snprintf(path, PATH_MAX, "a//file");
}

/* Not there for the one must be not there for the other, and what would be
 * created is created at the same place. */
static void
compare_missing(const struct place_of_test *w, int dirfd, const char *path, int r, bool follow)
{
	struct told told;

	size_t n = strlen(path);

	/* Of what can be no file the kernel says so first. */
	if (!follow || object.slash || path[n - 1] == '/' || path[n - 1] == '.')
		return;
	told = try(w, true, dirfd, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0);
	if (r < 0)
		assert_int_equal(told.error, -r);
	else {
		assert_int_equal(told.error, 0);
		assert_string_equal(told.real, object.real);
	}
}

/* Without its parent it is the same thing. */
static void
compare_itself(struct place_of_test *w, int dirfd, const char *path, int r, bool follow)
{
	static struct object itself;
	int r2 = object_resolve_itself(
		&itself, &w->target, dirfd, path, follow ? OBJECT_FOLLOW : OBJECT_NOFOLLOW);

	assert_int_equal(r2, r);
	assert_int_equal(itself.exists, object.exists);
	if (r == 0 && itself.exists) {
		assert_true(itself.fd >= 0);
		assert_int_equal(itself.st.st_ino, object.st.st_ino);
		assert_int_equal(itself.st.st_mode, object.st.st_mode);
		assert_string_equal(itself.real, object.real);
		assert_string_equal(itself.written, object.written);
		assert_true(itself.gone == object.gone && itself.nameless == object.nameless &&
			    itself.proc == object.proc);
	}
	object_finish(&itself);
}

static unsigned
compare(struct place_of_test *w, int dirfd, const char *path, bool follow, unsigned long long flags)
{
	int how = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW), r;
	struct told told = try(w, false, dirfd, path, how, flags);

	r = resolve(w, dirfd, path, follow ? OBJECT_FOLLOW : OBJECT_NOFOLLOW, flags);
	if (r != -told.error && !(told.error == ENOENT && r == 0 && !object.exists))
		fail_msg("'%s' follow %d flags %llx: %d, the kernel says %d", path, follow, flags,
			r, told.error);
	if (!flags)
		compare_itself(w, dirfd, path, r, follow);
	if (r == 0 && object.exists) {
		if (object.st.st_dev != told.dev || object.st.st_ino != told.ino ||
			!streq(object.real, told.real))
			fail_msg("'%s' follow %d flags %llx: %s, the kernel says %s", path, follow,
				flags, object.real, told.real);
		return 1;
	}
	if (told.error == ENOENT && !flags)
		compare_missing(w, dirfd, path, r, follow);
	return 0;
}

static void
paths_mean_what_the_kernel_makes_of_them(void **state)
{
	W;
	unsigned seed = 7, found = 0, tried = 0;
	char path[PATH_MAX];

	for (int i = 0; i < 3000; i++) {
		int dirfd = dice(&seed, 3) ? AT_FDCWD : FD_DIR;
		bool follow = dice(&seed, 2);

		make_path(w, &seed, path);
		/* Lookups follow what has a slash behind it. */
		if (path[strlen(path) - 1] == '/')
			follow = true;
		found += compare(w, dirfd, path, follow, 0);
		tried++;
	}
	print_message("%u paths, %u of them lead somewhere\n", tried, found);
	assert_true(found > tried / 6);
}

static void
flags_of_openat2_are_honoured(void **state)
{
	static const unsigned long long flags[] = { RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS,
		RESOLVE_NO_XDEV, RESOLVE_BENEATH, RESOLVE_IN_ROOT,
		RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, RESOLVE_IN_ROOT | RESOLVE_NO_XDEV };
	W;
	unsigned seed = 99, found = 0;
	char path[PATH_MAX];

	for (int i = 0; i < 3000; i++) {
		int dirfd = dice(&seed, 3) ? AT_FDCWD : FD_DIR;
		bool follow = dice(&seed, 2);

		make_path(w, &seed, path);
		if (path[strlen(path) - 1] == '/')
			follow = true;
		found += compare(w, dirfd, path, follow,
			flags[dice(&seed, sizeof(flags) / sizeof(flags[0]))]);
	}
	assert_true(found > 300);
	/* Across mounts and through magic links. */
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		compare(w, AT_FDCWD, "/proc/version", true, flags[i]);
		compare(w, AT_FDCWD, "/proc/self/cwd/file", true, flags[i]);
		compare(w, AT_FDCWD, "/dev/fd/31", true, flags[i]);
		compare(w, AT_FDCWD, "selfcwd/a", true, flags[i]);
	}
	assert_int_equal(resolve(w, AT_FDCWD, "file", OBJECT_FOLLOW, RESOLVE_CACHED), -EAGAIN);
	assert_int_equal(resolve(w, AT_FDCWD, "file", OBJECT_FOLLOW, 1u << 30), -EINVAL);
	assert_int_equal(
		resolve(w, AT_FDCWD, "file", OBJECT_FOLLOW, RESOLVE_BENEATH | RESOLVE_IN_ROOT),
		-EINVAL);
	assert_int_equal(resolve(w, FD_DIR, "/a/../../new", OBJECT_FOLLOW, RESOLVE_IN_ROOT), 0);
	real_is(w, "/other/new");
	assert_int_equal(resolve(w, FD_DIR, "../new", OBJECT_FOLLOW, RESOLVE_BENEATH), -EXDEV);
}

static void
edges_of_text(void **state)
{
	W;
	char path[PATH_MAX + 8], name[NAME_MAX + 2];

	refuse(w, "", ENOENT);
	memset(path, 'a', sizeof(path));
	for (size_t i = 2; i < sizeof(path); i += 3)
		path[i] = '/';
	path[PATH_MAX] = '\0';
	refuse(w, path, ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	refuse(w, path, ENOENT);
	memset(name, 'n', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	refuse(w, name, ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	assert_int_equal(resolve(w, AT_FDCWD, name, OBJECT_NOFOLLOW, 0), 0);
	assert_string_equal(object.name, name);
	assert_int_equal(resolve(w, 999, "x", OBJECT_FOLLOW, 0), -EBADF);
	assert_int_equal(resolve(w, -5, "x", OBJECT_FOLLOW, 0), -EBADF);
	assert_int_equal(resolve(w, FD_FILE, "x", OBJECT_FOLLOW, 0), -ENOTDIR);
	assert_int_equal(resolve(w, FD_PIPE, "x", OBJECT_FOLLOW, 0), -ENOTDIR);
	assert_int_equal(resolve(w, 999, "/usr", OBJECT_FOLLOW, 0), 0);
	/* A directory itself: no name, and the parent is the thing. */
	for (const char *const *self = (const char *[]){ ".", "a/..", "a/b/../..", "./.", NULL };
		*self; self++) {
		struct stat st;

		expect(w, *self, "", true);
		assert_string_equal(object.name, "");
		assert_int_equal(fstat(object.parent, &st), 0);
		assert_int_equal(st.st_ino, object.st.st_ino);
	}
	expect(w, "/", "!/", true);
	expect(w, "///", "!/", true);
	expect(w, "/..", "!/", true);
	expect(w, "/new-at-the-top", "!/new-at-the-top", false);
	assert_int_equal(resolve(w, AT_FDCWD, "todir/", OBJECT_NOFOLLOW, 0), 0);
	real_is(w, "/todir");
	assert_true(object.slash && S_ISLNK(object.st.st_mode));
	refuse(w, "file/", ENOTDIR);
	expect(w, "a/", "/a", true);
	assert_true(object.slash);
	expect(w, "new/", "/new", false);
	assert_true(object.slash);
}

static void
links_are_followed_to_what_is_not_there_yet(void **state)
{
	W;

	expect(w, "dangling", "/a/new", false);
	expect(w, "todangling", "/a/new", false);
	expect(w, "absnew", "/other/new", false);
	assert_false(object.slash);
	expect(w, "newslash", "/new", false);
	assert_true(object.slash);
	refuse(w, "nowhere", ENOENT);
	refuse(w, "dangling/x", ENOENT);
	refuse(w, "loop", ELOOP);
	refuse(w, "loop/x", ELOOP);
	expect(w, "n39", "/file", true); /* forty of them */
	refuse(w, "n40", ELOOP);
	assert_int_equal(resolve(w, AT_FDCWD, "dangling", OBJECT_NOFOLLOW, 0), 0);
	real_is(w, "/dangling");
	assert_true(object.exists);
	assert_int_equal(resolve(w, AT_FDCWD, "loop", OBJECT_NOFOLLOW, 0), 0);
}

static void
what_was_written_is_kept_as_text(void **state)
{
	W;
	char want[PATH_MAX + 64];

	expect(w, "todir/./b//../file", "/a/file", true);
	snprintf(want, sizeof(want), "%s/todir/file", w->root);
	assert_string_equal(object.written, want);
	assert_int_equal(resolve(w, FD_DIR, "../abs/new", OBJECT_FOLLOW, 0), 0);
	snprintf(want, sizeof(want), "%s/abs/new", w->root);
	assert_string_equal(object.written, want);
	expect(w, "/usr/../../proc/./version", "!/proc/version", true);
	assert_string_equal(object.written, "/proc/version");
	assert_true(object.proc);
	expect(w, "/..", "!/", true);
	assert_string_equal(object.written, "/");
}

/* -- hostile ------------------------------------------------------------------------ */

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
	assert_int_equal(resolve(w, AT_FDCWD, "/proc/self", OBJECT_NOFOLLOW, 0), 0);
	assert_string_equal(object.real, "/proc/self");
	/* Bounded by the root, the kernel would take us for it. */
	assert_int_equal(
		resolve(w, AT_FDCWD, "/proc/self/oom_score_adj", OBJECT_FOLLOW, RESOLVE_BENEATH),
		-EXDEV);
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
	assert_int_equal(resolve(w, AT_FDCWD, "/dev/fd/99", OBJECT_FOLLOW, 0), 0);
	assert_true(object.proc && !object.exists);
	refuse(w, "/dev/fd/99/x", ENOENT);
	refuse(w, "/proc/self/fd/37/x", ENOTDIR);
	expect(w, "/proc/self/fd/37", "/tofile", true); /* the link, not followed on */
	assert_true(S_ISLNK(object.st.st_mode));
	assert_int_equal(resolve(w, AT_FDCWD, "/proc/self/exe", OBJECT_FOLLOW, 0), 0);
	assert_true(object.exists && S_ISREG(object.st.st_mode));
	assert_int_equal(resolve(w, AT_FDCWD, "/proc/self/fd/31", OBJECT_NOFOLLOW, 0), 0);
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
	assert_int_equal(resolve(w, AT_FDCWD, path, OBJECT_FOLLOW, 0), 0);
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
			assert_int_equal(
				resolve(w, AT_FDCWD, ways[i], OBJECT_NOFOLLOW, 0), -EACCES);
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
		assert_int_equal(resolve(w, AT_FDCWD, *way, OBJECT_FOLLOW, 0), 0);
		assert_true(object.gone && !object.nameless && object.exists);
	}
	assert_int_equal(resolve(w, AT_FDCWD, "fds/35", OBJECT_FOLLOW, 0), 0);
	assert_true(object.nameless);
	assert_int_equal(resolve(w, AT_FDCWD, "fds/34", OBJECT_FOLLOW, 0), 0);
	assert_true(object.nameless);
	assert_int_equal(resolve(w, FD_GONE_DIR, "x", OBJECT_FOLLOW, 0), 0);
	assert_true(object.gone && !object.exists);
	assert_int_equal(resolve(w, FD_GONE_DIR, "../file", OBJECT_FOLLOW, 0), 0);
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
	assert_int_equal(object_resolve(&before, &w->target, AT_FDCWD, path, OBJECT_FOLLOW, 0), 0);
	if (change)
		change();
	assert_int_equal(object_resolve(&after, &w->target, AT_FDCWD, path, OBJECT_FOLLOW, 0), 0);
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
		*path; path++) {
		compare(w, AT_FDCWD, *path, true, 0);
		compare(w, AT_FDCWD, *path, true, RESOLVE_BENEATH);
	}
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
		int r = resolve(w, AT_FDCWD, "flip/new", OBJECT_FOLLOW, 0);

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
	for (size_t i = 0; paths[i]; i++)
		for (unsigned long long flags = 0; flags <= RESOLVE_IN_ROOT; flags++) {
			resolve(w, i % 2 ? AT_FDCWD : FD_DIR, paths[i], OBJECT_FOLLOW, flags);
			object_finish(&object);
		}
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void
figures(void **state)
{
	static const char *const paths[] = { "a/file", "file", "a/b/c/new", "/usr/bin/env",
		"tofile", "/dev/fd/31", NULL };
	W;
	struct timespec from, to;

	for (size_t i = 0; paths[i]; i++) {
		const int n = 2000;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		for (int k = 0; k < n; k++) {
			resolve(w, AT_FDCWD, paths[i], OBJECT_FOLLOW, 0);
			object_finish(&object);
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		print_message("%-14s %5.2f us\n", paths[i],
			((double)(to.tv_sec - from.tv_sec) * 1e9 +
				(double)(to.tv_nsec - from.tv_nsec)) /
				1e3 / n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_mean_what_the_kernel_makes_of_them),
		cmocka_unit_test(flags_of_openat2_are_honoured),
		cmocka_unit_test(edges_of_text),
		cmocka_unit_test(links_are_followed_to_what_is_not_there_yet),
		cmocka_unit_test(what_was_written_is_kept_as_text),
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
		cmocka_unit_test(figures),
	};

	object_init(&object);
	return cmocka_run_group_tests_name("object", tests, set_up, take_down);
}

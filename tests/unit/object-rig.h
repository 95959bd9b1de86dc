/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_OBJECT_RIG_H
#define TESTS_UNIT_OBJECT_RIG_H

/* A child in a furnished folder that tries paths as the kernel takes them, and the same paths
 * as lib/line/object resolves them. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

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

static inline void
tell(int socket, const struct ask *ask)
{
	struct told told = { 0 };
	struct stat st;
	char link[64];
	int fd = openat(ask->dirfd, ask->path, ask->flags, 0600);

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

static inline void
put(int fd, int number)
{
	if (fd < 0 || dup2(fd, number) != number)
		_exit(2);
}

static inline void
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

static inline struct told
try(const struct place_of_test *w, bool create, int dirfd, const char *path, int flags)
{
	struct ask ask = { .create = create, .dirfd = dirfd, .flags = flags };
	struct told told;

	snprintf(ask.path, sizeof(ask.path), "%s", path);
	assert_int_equal(write(w->socket, &ask, sizeof(ask)), sizeof(ask));
	assert_int_equal(read(w->socket, &told, sizeof(told)), sizeof(told));
	return told;
}

static inline void
file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static inline void
link_to(const char *text, const char *path)
{
	assert_int_equal(symlink(text, path), 0);
}

static inline void
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

static inline int
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

static inline int
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

static struct object object;

static inline int
resolve(struct place_of_test *w, int dirfd, const char *path, enum object_follow follow)
{
	object_finish(&object);
	return object_resolve(&object, &w->target, dirfd, path, follow);
}

static inline void
real_is(const struct place_of_test *w, const char *rest)
{
	char want[PATH_MAX + 256];

	snprintf(want, sizeof(want), "%s%s", rest[0] == '!' ? "" : w->root,
		rest[0] == '!' ? rest + 1 : rest);
	assert_string_equal(object.real, want);
}

static inline void
expect(struct place_of_test *w, const char *path, const char *rest, bool exists)
{
	int r = resolve(w, AT_FDCWD, path, OBJECT_FOLLOW);

	if (r != 0)
		print_error("%s: %s\n", path, strerror(-r));
	assert_int_equal(r, 0);
	real_is(w, rest);
	assert_int_equal(object.exists, exists);
	assert_int_equal(object.fd >= 0, exists);
}

static inline void
refuse(struct place_of_test *w, const char *path, int error)
{
	int r = resolve(w, AT_FDCWD, path, OBJECT_FOLLOW);

	if (r != -error)
		print_error("%s: %d, not %d: %s\n", path, r, -error, object.real);
	assert_int_equal(r, -error);
	assert_int_equal(object.fd, -1);
	assert_int_equal(object.parent, -1);
}

/* Not there for the one must be not there for the other, and what would be
 * created is created at the same place. */
static inline void
compare_missing(const struct place_of_test *w, int dirfd, const char *path, int r, bool follow)
{
	struct told told;

	size_t n = strlen(path);

	/* Of what can be no file the kernel says so first. */
	if (!follow || object.slash || path[n - 1] == '/' || path[n - 1] == '.')
		return;
	told = try(w, true, dirfd, path, O_CREAT | O_WRONLY | O_CLOEXEC);
	if (r < 0)
		assert_int_equal(told.error, -r);
	else {
		assert_int_equal(told.error, 0);
		assert_string_equal(told.real, object.real);
	}
}

/* Without its parent it is the same thing. */
static inline void
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

static inline unsigned
compare(struct place_of_test *w, int dirfd, const char *path, bool follow)
{
	int how = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW), r;
	struct told told = try(w, false, dirfd, path, how);

	r = resolve(w, dirfd, path, follow ? OBJECT_FOLLOW : OBJECT_NOFOLLOW);
	if (r != -told.error && !(told.error == ENOENT && r == 0 && !object.exists))
		fail_msg("'%s' follow %d: %d, the kernel says %d", path, follow, r, told.error);
	compare_itself(w, dirfd, path, r, follow);
	if (r == 0 && object.exists) {
		if (object.st.st_dev != told.dev || object.st.st_ino != told.ino ||
			!streq(object.real, told.real))
			fail_msg("'%s' follow %d: %s, the kernel says %s", path, follow,
				object.real, told.real);
		return 1;
	}
	if (told.error == ENOENT)
		compare_missing(w, dirfd, path, r, follow);
	return 0;
}

#endif

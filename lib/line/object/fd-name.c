/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a descriptor into the name that the kernel has for it, and finds out
 * whether that name can be believed: it is text, made from what was mounted and
 * linked when it was opened. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "line/object/fd-name.h"
#include "line/object/path-walk.h"

#define VERIFY_TRIES 4

static int
stat_place(int fd, const char *path, int flags, struct statx *stx)
{
	/* As it is known here: a remote file system need not be asked again. */
	return statx(fd, path, flags | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		       STATX_TYPE | STATX_INO | STATX_NLINK, stx) < 0
		       ? -errno
		       : 0;
}

static bool
on_same(const struct statx *a, const struct statx *b)
{
	return a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

static int
read_name(int fd, struct fd_name *fd_name)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, fd_name->real, sizeof(fd_name->real));
	if (n < 0)
		return -errno;
	if (n == 0 || (size_t)n >= sizeof(fd_name->real))
		return -ENAMETOOLONG;
	fd_name->real[n] = '\0';
	fd_name->len = (size_t)n;
	return 0;
}

static bool
is_marked(const struct fd_name *fd_name)
{
	static const char mark[] = " (deleted)";
	size_t n = sizeof(mark) - 1;

	return fd_name->len > n && streq(fd_name->real + fd_name->len - n, mark);
}

/* Whether the name leads back to it. It does not if it was removed, if it lies
 * in a mount that was taken away (then the kernel gives a name from that mount's
 * own root, which may be anything), or if something was mounted over it. */
static bool
is_name_of_object(const struct fd_name *fd_name, const struct statx *of)
{
	struct statx stx;
	int r = stat_place(AT_FDCWD, fd_name->real, AT_SYMLINK_NOFOLLOW, &stx);

	/* Its own way there is closed to us: nothing says that it is not so. */
	if (r == -EACCES)
		return !is_marked(fd_name);
	return r == 0 && stx.stx_ino == of->stx_ino && on_same(&stx, of);
}

/* Shared memory without a name has one like a file that was removed from "/". */
static bool
is_memory(const struct fd_name *fd_name, const struct statx *of)
{
	struct statx root;

	return str_prefix(fd_name->real, "/memfd:") && is_marked(fd_name) &&
	       stat_place(AT_FDCWD, "/", 0, &root) == 0 && !on_same(&root, of);
}

static int
stat_fd_place(int fd, struct fd_name *fd_name, struct statx *stx)
{
	int r = stat_place(fd, "", AT_EMPTY_PATH, stx);

	if (r < 0)
		return r;
	fd_name->major = stx->stx_dev_major;
	fd_name->block = stx->stx_blksize;
	fd_name->gone = fd_name->nameless = false;
	return 0;
}

int
fd_name_fill(int fd, const char *real, struct fd_name *fd_name)
{
	struct statx stx;

	fd_name->len = strlen(real);
	if (fd_name->len >= sizeof(fd_name->real))
		return -ENAMETOOLONG;
	memcpy(fd_name->real, real, fd_name->len + 1);
	return stat_fd_place(fd, fd_name, &stx);
}

int
fd_name_read(int fd, bool verify, struct fd_name *fd_name)
{
	struct statx stx;
	int r = stat_fd_place(fd, fd_name, &stx);

	if (r < 0)
		return r;
	for (int tries = 0;; tries++) {
		r = read_name(fd, fd_name);
		if (r < 0)
			return r;
		if (fd_name->real[0] != '/') {
			/* "(unreachable)/x" has a name, though not for us. */
			fd_name->nameless = fd_name->real[0] != '(';
			fd_name->gone = !fd_name->nameless;
			return 0;
		}
		/* A directory may really be called "x (deleted)". */
		if ((!verify && !is_marked(fd_name)) || is_name_of_object(fd_name, &stx))
			return 0;
		/* Or it was renamed between the two looks. */
		if (tries + 1 < VERIFY_TRIES && stx.stx_nlink > 0)
			continue;
		fd_name->nameless = is_memory(fd_name, &stx);
		fd_name->gone = true;
		return 0;
	}
}

/* A component that could be a process: all digits. */
static bool
has_number(const char *path)
{
	for (const char *at = path; *at;) {
		size_t n = strspn(at, "0123456789");

		if (n > 0 && (at[n] == '/' || at[n] == '\0'))
			return true;
		at += strcspn(at, "/");
		at += strspn(at, "/");
	}
	return false;
}

bool
fd_name_is_on_proc(int fd, unsigned major, unsigned block, const char *real)
{
	/* statfs would tell at once, but asks a remote file system each time: only
	 * where it may be one. Those have no device of their own and blocks of 1
	 * KiB; a name that looks like one will do too, should that ever change. */
	if (major != 0)
		return false;
	if (block != 1024 && !str_beneath(real, "/proc") && !has_number(real))
		return false;
	return walk_on_proc(fd);
}

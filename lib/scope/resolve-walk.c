/* SPDX-License-Identifier: Apache-2.0 */
/* Does the work of openat2 where that is refused: behind ambit's own line, and in some
 * containers. One component at a time, each held by O_PATH and none followed blindly, so that
 * nobody who renames meanwhile leads it astray. It differs from the kernel only by
 * refusing more: with RESOLVE_BENEATH neither ".." nor a symlink is followed, and with
 * RESOLVE_NO_MAGICLINKS no symlink of /proc. The text of the path is not trusted. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "scope/resolve-private.h"

#define LINKS_MAX 40 /* as the kernel */
#define KNOWN (RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH)

struct steps {
	int at; /* O_PATH: where the rest begins */
	char rest[2 * PATH_MAX];
	unsigned long long resolve;
	uint64_t mount; /* of the start, for RESOLVE_NO_XDEV */
	int links;
};

static int
read_mount(int fd, uint64_t *ret_mount)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) < 0)
		return -errno;
	if (!(stx.stx_mask & STATX_MNT_ID))
		return -ENOSYS;
	*ret_mount = stx.stx_mnt_id;
	return 0;
}

static int
check_mount(const struct steps *steps, int fd)
{
	uint64_t mount;
	int r;

	if (!(steps->resolve & RESOLVE_NO_XDEV))
		return 0;
	r = read_mount(fd, &mount);
	return r < 0 ? r : mount == steps->mount ? 0 : -EXDEV;
}

/* Takes fd. */
static int
step_to(struct steps *steps, int fd)
{
	int r = fd < 0 ? -errno : check_mount(steps, fd);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return r;
	}
	fd_close_at(&steps->at);
	steps->at = fd;
	return 0;
}

static int
step_to_root(struct steps *steps)
{
	if (steps->resolve & RESOLVE_BENEATH)
		return -EXDEV;
	return step_to(steps, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

static bool
is_on_proc(int fd)
{
	struct statfs fs;

	/* If it cannot be told, it is taken for /proc. */
	return fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC;
}

/* The target of the link comes before the rest. */
static int
expand_link(struct steps *steps, int link)
{
	size_t len = strlen(steps->rest), slash = len > 0;
	char text[PATH_MAX];
	ssize_t n;

	if ((steps->resolve & (RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH)) ||
		((steps->resolve & RESOLVE_NO_MAGICLINKS) && is_on_proc(link)) ||
		++steps->links > LINKS_MAX)
		return -ELOOP;
	n = readlinkat(link, "", text, sizeof(text));
	if (n < 0)
		return -errno;
	if (n == 0)
		return -ENOENT;
	if (n == PATH_MAX || (size_t)n + slash + len >= sizeof(steps->rest))
		return -ENAMETOOLONG;
	memmove(steps->rest + n + slash, steps->rest, len + 1);
	if (slash)
		steps->rest[n] = '/';
	memcpy(steps->rest, text, (size_t)n);
	return text[0] == '/' ? step_to_root(steps) : 0;
}

/* Cuts the first component off. The rest is "" only behind the last one. */
static void
take_component(struct steps *steps, char name[NAME_MAX + 2])
{
	size_t skip = strspn(steps->rest, "/");
	size_t len = strcspn(steps->rest + skip, "/");
	size_t keep = len > NAME_MAX + 1 ? NAME_MAX + 1 : len; /* too long: the kernel says so */

	memcpy(name, steps->rest + skip, keep);
	name[keep] = '\0';
	skip += len;
	if (steps->rest[skip] != '\0' &&
		steps->rest[skip + strspn(steps->rest + skip, "/")] == '\0')
		memcpy(steps->rest, ".", 2); /* "a/" is "a/." */
	else
		memmove(steps->rest, steps->rest + skip, strlen(steps->rest + skip) + 1);
}

static bool
is_parent_name(const char *name)
{
	return streq(name, "..");
}

/* A directory on the way, or a symlink that is expanded. */
static int
step_into(struct steps *steps, const char *name)
{
	auto_close int fd = -1;
	struct stat st;

	if (is_parent_name(name) && (steps->resolve & RESOLVE_BENEATH))
		return -EXDEV;
	fd = openat(steps->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return expand_link(steps, fd);
	return S_ISDIR(st.st_mode) ? step_to(steps, steal_fd(&fd)) : -ENOTDIR;
}

static bool
is_link(int dir, const char *name, int *ret_fd)
{
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	*ret_fd = fd;
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
}

/* The last component. 1: it was a link, and there is more to walk. */
static int
open_last(struct steps *steps, const char *name, int flags, mode_t mode, int *ret_fd)
{
	bool follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
	auto_close int link = -1, fd = -1;
	int r;

	if (is_parent_name(name) && (steps->resolve & RESOLVE_BENEATH))
		return -EXDEV;
	if (follow && is_link(steps->at, name, &link)) {
		r = expand_link(steps, link);
		return r < 0 ? r : 1;
	}
	fd = openat(steps->at, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	r = check_mount(steps, fd);
	if (r == 0)
		*ret_fd = steal_fd(&fd);
	return r;
}

static int
start_walk(struct steps *steps, int dirfd)
{
	int r;

	steps->at = dirfd == AT_FDCWD ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)
				      : fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
	if (steps->at < 0)
		return -errno;
	r = steps->resolve & RESOLVE_NO_XDEV ? read_mount(steps->at, &steps->mount) : 0;
	if (r == 0 && steps->rest[0] == '/')
		r = step_to_root(steps);
	return r;
}

static int
walk_steps(struct steps *steps, int flags, mode_t mode, int *ret_fd)
{
	char name[NAME_MAX + 2];
	int r = 0;

	while (r == 0 || r == 1) {
		take_component(steps, name);
		if (steps->rest[0] != '\0')
			r = step_into(steps, name);
		else
			r = open_last(steps, name[0] ? name : ".", flags, mode, ret_fd);
		if (r == 0 && *ret_fd >= 0)
			break;
	}
	return r;
}

int
resolve_walk(int dirfd, const char *path, int flags, mode_t mode, unsigned long long resolve)
{
	struct steps steps = { .at = -1, .resolve = resolve };
	int r, fd = -1;

	if (resolve & ~(unsigned long long)KNOWN)
		return -ENOSYS;
	if (path[0] == '\0')
		return -ENOENT;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(steps.rest, path, strlen(path) + 1);
	r = start_walk(&steps, dirfd);
	if (r == 0)
		r = walk_steps(&steps, flags, mode, &fd);
	fd_close_at(&steps.at);
	return r < 0 ? r : fd;
}

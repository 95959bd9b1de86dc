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
read_name(int fd, struct place *place)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, place->real, sizeof(place->real));
	if (n < 0)
		return -errno;
	if (n == 0 || (size_t)n >= sizeof(place->real))
		return -ENAMETOOLONG;
	place->real[n] = '\0';
	place->len = (size_t)n;
	return 0;
}

static bool
is_marked(const struct place *place)
{
	static const char mark[] = " (deleted)";
	size_t n = sizeof(mark) - 1;

	return place->len > n && streq(place->real + place->len - n, mark);
}

/* Whether the name leads back to it. It does not if it was removed, if it lies
 * in a mount that was taken away (then the kernel gives a name from that mount's
 * own root, which may be anything), or if something was mounted over it. */
static bool
leads_back(const struct place *place, const struct statx *of)
{
	struct statx stx;
	int r = stat_place(AT_FDCWD, place->real, AT_SYMLINK_NOFOLLOW, &stx);

	/* Its own way there is closed to us: nothing says that it is not so. */
	if (r == -EACCES)
		return !is_marked(place);
	return r == 0 && stx.stx_ino == of->stx_ino && on_same(&stx, of);
}

/* Shared memory without a name has one like a file that was removed from "/". */
static bool
is_memory(const struct place *place, const struct statx *of)
{
	struct statx root;

	return str_prefix(place->real, "/memfd:") && is_marked(place) &&
	       stat_place(AT_FDCWD, "/", 0, &root) == 0 && !on_same(&root, of);
}

static int
look_at(int fd, struct place *place, struct statx *stx)
{
	int r = stat_place(fd, "", AT_EMPTY_PATH, stx);

	if (r < 0)
		return r;
	place->major = stx->stx_dev_major;
	place->block = stx->stx_blksize;
	place->gone = place->nameless = false;
	return 0;
}

int
place_named(int fd, const char *real, struct place *place)
{
	struct statx stx;

	place->len = strlen(real);
	if (place->len >= sizeof(place->real))
		return -ENAMETOOLONG;
	memcpy(place->real, real, place->len + 1);
	return look_at(fd, place, &stx);
}

int
place_of(int fd, bool verify, struct place *place)
{
	struct statx stx;
	int r = look_at(fd, place, &stx);

	if (r < 0)
		return r;
	for (int tries = 0;; tries++) {
		r = read_name(fd, place);
		if (r < 0)
			return r;
		if (place->real[0] != '/') {
			/* "(unreachable)/x" has a name, though not for us. */
			place->nameless = place->real[0] != '(';
			place->gone = !place->nameless;
			return 0;
		}
		/* A directory may really be called "x (deleted)". */
		if ((!verify && !is_marked(place)) || leads_back(place, &stx))
			return 0;
		/* Or it was renamed between the two looks. */
		if (tries + 1 < VERIFY_TRIES && stx.stx_nlink > 0)
			continue;
		place->nameless = is_memory(place, &stx);
		place->gone = true;
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
place_on_proc(int fd, unsigned major, unsigned block, const char *real)
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

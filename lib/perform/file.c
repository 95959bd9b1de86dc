/* SPDX-License-Identifier: Apache-2.0 */
/* A place and content, into a changed name in a directory that is held. Somebody
 * may rename, replace and link whatever lies there at any time: so what the place
 * found is looked at once more, the object is held by a descriptor, and the one
 * step that changes something is a rename or an unlink of a single name beneath
 * the held parent. A link that is put there in between is replaced or refused,
 * never written through. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "perform/act-private.h"
#include "perform/file-private.h"
#include "perform/leftover.h"
#include "perform/permit.h"

#define BENEATH (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

const char *
file_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "a file";
	case S_IFDIR:
		return "a directory";
	case S_IFLNK:
		return "a symlink";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFBLK:
	case S_IFCHR:
		return "a device";
	default:
		return "of an unknown kind";
	}
}

/* The directory may have been moved with all that is in it: then it is held, but
 * another name was decided about. */
static bool
parent_stays(const struct ambit_place *place)
{
	const char *slash = strrchr(place->real, '/');
	size_t len = slash == place->real ? 1 : (size_t)(slash - place->real);
	auto_free char *now = NULL;

	if (resolve_fd(place->parent, &now, NULL) < 0)
		return false;
	/* Of "/" the place is "." in itself. */
	return (strlen(now) == len && memcmp(now, place->real, len) == 0) ||
	       streq(now, place->real);
}

static int
report_stale_place(const struct ambit_place *place, struct ambit_error *err)
{
	return err_set(err, ESTALE, "%s is not what it was when this was decided", place->shown);
}

int
file_check(const struct ambit_place *place, int *ret_held, struct stat *ret_st,
	struct ambit_error *err)
{
	auto_close int held = -1;
	struct stat st = { 0 };

	if (!parent_stays(place))
		return report_stale_place(place, err);
	held = resolve_open(
		place->parent, place->name[0] ? place->name : ".", O_PATH | O_NOFOLLOW, 0, BENEATH);
	if (held < 0 && held != -ENOENT)
		return err_sys(err, -held, "%s", place->shown);
	if (held >= 0 && fstat(held, &st) < 0)
		return err_sys(err, errno, "%s", place->shown);
	if (place->exists != (held >= 0))
		return report_stale_place(place, err);
	if (held >= 0 && (st.st_dev != place->dev || st.st_ino != place->ino ||
				 (st.st_mode & S_IFMT) != (place->mode & S_IFMT)))
		return report_stale_place(place, err);
	*ret_held = held < 0 ? -1 : steal_fd(&held);
	*ret_st = st;
	return 0;
}

bool
file_same(const struct ambit_place *place)
{
	struct stat st;

	if (fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && !place->exists;
	return place->exists && st.st_dev == place->dev && st.st_ino == place->ino;
}

bool
file_is_as(int dir, const char *name, const struct stat *was)
{
	struct stat st;

	/* Not when its inode last changed, which another name of it does. */
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == was->st_dev &&
	       st.st_ino == was->st_ino && st.st_size == was->st_size &&
	       st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       st.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

static int
open_held(const struct ambit_place *place, int held, const struct stat *st, int *ret_fd,
	struct ambit_error *err)
{
	char link[ACT_LINK_SIZE];
	int fd;

	/* Opening a FIFO waits, and opening a device may do things: neither is. */
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return err_set(err, EINVAL, "%s is %s: it has no content to read", place->shown,
			file_kind(st->st_mode));
	act_link_of(held, link);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", place->shown);
	*ret_fd = fd;
	return 0;
}

int
file_open(struct pass *pass, const struct ambit_place *place, int *ret_fd, struct ambit_error *err)
{
	auto_close int held = -1;
	struct stat st;
	int r = pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", place->shown);
	r = file_check(place, &held, &st, err);
	if (r < 0)
		return r;
	if (held < 0)
		return err_sys(err, ENOENT, "%s", place->shown);
	return open_held(place, held, &st, ret_fd, err);
}

int
file_look(
	const struct ambit_place *place, int *ret_fd, struct stat *ret_st, struct ambit_error *err)
{
	auto_close int held = -1;
	int r = file_check(place, &held, ret_st, err);

	if (r < 0)
		return r;
	if (held < 0)
		return err_sys(err, ENOENT, "%s", place->shown);
	if (S_ISDIR(ret_st->st_mode))
		return err_sys(err, EISDIR, "%s", place->shown);
	return open_held(place, held, ret_st, ret_fd, err);
}

int
file_check_writable(
	const struct ambit_place *place, int held, const struct stat *st, struct ambit_error *err)
{
	if (S_ISDIR(st->st_mode))
		return err_sys(err, EISDIR, "%s", place->shown);
	if (!S_ISREG(st->st_mode))
		return err_set(err, EINVAL, "%s is %s: only plain files are written", place->shown,
			file_kind(st->st_mode));
	/* A rename needs no right to the file. Somebody took that right away, though, and
	 * from root too: a file that is read-only for all is not to be changed in passing. */
	if (!(st->st_mode & 0222) || faccessat(held, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) < 0)
		return err_set(err, (st->st_mode & 0222) && errno != 0 ? errno : EACCES,
			"%s cannot be written to: its mode is %04o, and it belongs to user %u",
			place->shown, (unsigned)st->st_mode & 07777, (unsigned)st->st_uid);
	return 0;
}

int
file_rename_new(int from, const char *name, int to, const char *to_name)
{
	struct stat st;

	if (renameat2(from, name, to, to_name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* A file system that has no such flag. A link never replaces anything; of
	 * directories a rename replaces at most an empty one. */
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode)) {
		if (linkat(from, name, to, to_name, 0) < 0)
			return -errno;
		return unlinkat(from, name, 0) < 0 ? -errno : 0;
	}
	if (fstatat(to, to_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(from, name, to, to_name) < 0 ? -errno : 0;
}

bool
file_is_other(int dir, const char *name, dev_t dev, ino_t ino)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (st.st_dev != dev || st.st_ino != ino);
}

/* Whoever writes at the same time has seen the old one, too; so it is taken out by the same
 * step that puts the new one in, and whoever finds another in his hands puts that back.
 * Between two of ambit's that does not happen (file-turn.c). */
int
file_replace(int from, const char *name, const struct ambit_place *place, const struct stat *was)
{
	struct stat put = { 0 };
	int r = -ESTALE;

	if (!file_is_as(place->parent, place->name, was))
		return -ESTALE;
	if (renameat2(from, name, place->parent, place->name, RENAME_EXCHANGE) < 0) {
		if (errno != EINVAL && errno != ENOSYS)
			return errno == ENOENT ? -ESTALE : -errno;
		return renameat(from, name, place->parent, place->name) < 0 ? -errno : 0;
	}
	/* Somebody who writes into it does not take turns: it may have grown since. */
	if (file_is_as(from, name, was)) {
		if (unlinkat(from, name, 0) == 0 || errno == ENOENT)
			return 0;
		r = -errno;
	}
	/* What comes back must be what was there just now, or it is the next one's. */
	fstatat(place->parent, place->name, &put, AT_SYMLINK_NOFOLLOW);
	renameat2(from, name, place->parent, place->name, RENAME_EXCHANGE);
	if (put.st_ino && file_is_other(from, name, put.st_dev, put.st_ino))
		renameat2(from, name, place->parent, place->name, RENAME_EXCHANGE);
	return r;
}

/* -- put ---------------------------------------------------------------------------- */

static int
put_in_place(const struct ambit_place *place, int held, const char *data, size_t len,
	struct ambit_error *err)
{
	struct stage_old old = { 0 };
	int r = stage_hold(place, held, &old, err);

	if (r == 0)
		r = stage_overwrite(place, &old, data, len, err);
	stage_old_finish(&old);
	return r;
}

/* The staged file gets its name. 1: not by a rename. */
static int
put_staged(const struct ambit_place *place, const struct stat *was, const char *temp,
	struct ambit_error *err)
{
	int r = place->exists ? file_replace(place->parent, temp, place, was)
			      : file_rename_new(place->parent, temp, place->parent, place->name);

	if (r == 0)
		return 0;
	unlinkat(place->parent, temp, 0);
	/* In a sticky directory, or mounted by itself. */
	if (place->exists && (r == -EPERM || r == -EACCES || r == -EBUSY))
		return 1;
	if (r == -ESTALE || r == -EEXIST)
		return report_stale_place(place, err);
	return err_sys(err, -r, "%s", place->shown);
}

int
file_put(struct pass *pass, const struct ambit_place *place, const struct stat *was,
	const char *data, size_t len, mode_t mode, struct ambit_error *err)
{
	struct leftovers *list = pass ? pass->leftovers : NULL;
	char temp[RESOLVE_TEMP];
	auto_close int held = -1;
	auto_file_turn struct file_turn turn = { { -1, -1 } };
	struct stat st;
	int r = pass_use(pass);

	if (r < 0)
		return err_set(err, EPERM, "%s: no pass", place->shown);
	r = file_check(place, &held, &st, err);
	if (r == 0 && held >= 0)
		r = file_check_writable(place, held, &st, err);
	if (r < 0)
		return r;
	r = stage_write(place, held, &st, data, len, mode, list, temp, err);
	if (r < 0)
		return r;
	was = was ? was : &st;
	file_turn_take(&turn, place->parent, -1, NULL);
	if (r == 0) {
		r = put_staged(place, was, temp, err);
		leftovers_forget(list);
	}
	if (r == 1 && !file_is_as(place->parent, place->name, was))
		return report_stale_place(place, err);
	return r == 1 ? put_in_place(place, held, data, len, err) : r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Content, into a file of a name that nobody knows, complete and on the disk
 * before anybody can see it. If the disk is full or the process is killed, what
 * was there before is still there. Only a file that others know by more than its
 * name (links, an owner who is not us, attributes that cannot be copied) is written in
 * place, and put back if that fails. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/str.h"
#include "perform/act-private.h"
#include "perform/file-private.h"
#include "perform/leftover.h"

/* Held in memory, so that it can be put back. */
#define IN_PLACE_MAX ((size_t)256 << 20)
#define XATTRS_MAX 4096

/* Notes of the person's and access lists. Never security.capability: that was for
 * the program that was here before. */
static bool
is_kept(const char *name)
{
	return str_prefix(name, "user.") || streq(name, "system.posix_acl_access");
}

/* 1: one of them cannot be: with an access list goes who may read the file. */
static int
keep_xattrs(int held, int fd)
{
	char from[ACT_LINK_SIZE], names[XATTRS_MAX], value[XATTRS_MAX];
	ssize_t len;

	act_link_of(held, from);
	len = listxattr(from, names, sizeof(names));
	if (len < 0)
		return errno != ENOTSUP;
	for (ssize_t i = 0; i < len; i += (ssize_t)strlen(names + i) + 1) {
		ssize_t n;

		if (!is_kept(names + i))
			continue;
		n = getxattr(from, names + i, value, sizeof(value));
		if (n < 0 && errno == ENODATA)
			continue; /* taken away by now */
		if (n < 0 || fsetxattr(fd, names + i, value, (size_t)n, 0) < 0)
			return 1;
	}
	return 0;
}

/* 1: owner or attributes cannot be kept. The right to run as somebody else is for the
 * content that was there, as the kernel has it for every write. */
static int
keep_attributes(int fd, int held, const struct stat *old)
{
	struct stat now;

	if (fstat(fd, &now) < 0)
		return -errno;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
		fchown(fd, now.st_uid == old->st_uid ? (uid_t)-1 : old->st_uid, old->st_gid) < 0)
		return 1;
	if (keep_xattrs(held, fd) != 0)
		return 1;
	return fchmod(fd, old->st_mode & 0777) < 0 ? -errno : 0;
}

static int
write_staged(int fd, int held, const struct stat *old, const char *data, size_t len, mode_t mode)
{
	int r = fd_write_all(fd, data, len);

	if (r == 0)
		r = held >= 0 ? keep_attributes(fd, held, old)
			      : (fchmod(fd, mode & 0777 & ~022u) < 0 ? -errno : 0);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return r;
}

static int
write_noted(const struct ambit_place *place, int held, const struct stat *old, const char *data,
	size_t len, mode_t mode, const char *name, struct leftovers *list, struct ambit_error *err)
{
	auto_close int fd = -1;
	int r;

	fd = openat(
		place->parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* The directory is not to be changed; the file in it is. */
	if (fd < 0 && held >= 0 && (errno == EACCES || errno == EPERM))
		return 1;
	/* One that made it for a call that failed has taken it away again. */
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ESTALE, "%s: its directory is gone", place->shown);
	if (fd < 0)
		return err_sys(
			err, errno, "%s: no file can be made in its directory", place->shown);
	r = leftovers_staged(list, place->parent, name, fd);
	if (r == 0)
		r = write_staged(fd, held, old, data, len, mode);
	if (r != 0)
		unlinkat(place->parent, name, 0);
	return r < 0 ? err_sys(err, -r, "%s", place->shown) : r;
}

int
stage_write(const struct ambit_place *place, int held, const struct stat *old, const char *data,
	size_t len, mode_t mode, struct leftovers *list, char ret_name[RESOLVE_TEMP],
	struct ambit_error *err)
{
	int r;

	if (held >= 0 && old->st_nlink > 1)
		return 1;
	resolve_temp_name(ret_name);
	r = leftovers_note(list, place->parent, ret_name);
	if (r < 0)
		return err_sys(err, -r, "%s: cannot write the clean-up list", place->shown);
	r = write_noted(place, held, old, data, len, mode, ret_name, list, err);
	if (r != 0)
		leftovers_forget(list);
	return r;
}

/* -- in place -------------------------------------------------------------------------- */

void
stage_old_finish(struct stage_old *old)
{
	if (old->held)
		close(old->fd);
	free(old->data);
	*old = (struct stage_old){ 0 };
}

int
stage_hold(const struct ambit_place *place, int held, struct stage_old *ret_old,
	struct ambit_error *err)
{
	struct stage_old old = { 0 };
	char link[ACT_LINK_SIZE];
	struct stat st;
	int r;

	act_link_of(held, link);
	old.fd = open(link, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (old.fd < 0)
		return err_sys(err, errno, "%s", place->shown);
	old.held = true;
	r = fstat(old.fd, &st) < 0 ? -errno
				   : fd_read_open(old.fd, IN_PLACE_MAX, &old.data, &old.len);
	if (r < 0) {
		stage_old_finish(&old);
		return err_sys(err, -r, "%s: it has to be written in place, and cannot be kept",
			place->shown);
	}
	old.mode = st.st_mode & 0777;
	*ret_old = old;
	return 0;
}

static int
overwrite_fd(int fd, const char *data, size_t len)
{
	int r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd_write_all(fd, data, len);

	if (r == 0 && ftruncate(fd, (off_t)len) < 0)
		r = -errno;
	return r < 0 ? r : fsync(fd) < 0 ? -errno : 0;
}

int
stage_restore(const struct stage_old *old)
{
	return overwrite_fd(old->fd, old->data, old->len);
}

int
stage_overwrite(const struct ambit_place *place, const struct stage_old *old, const char *data,
	size_t len, struct ambit_error *err)
{
	int r = 0;

	/* A disk that is full says so before anything is lost. */
	if (len > old->len && fallocate(old->fd, 0, (off_t)old->len, (off_t)(len - old->len)) < 0 &&
		errno != EOPNOTSUPP && errno != ENOSYS)
		r = -errno;
	if (r == 0)
		r = overwrite_fd(old->fd, data, len);
	if (r == 0 && fchmod(old->fd, old->mode) < 0 && errno != EPERM)
		r = -errno;
	if (r == 0)
		return 0;
	err_sys(err, -r, "%s", place->shown);
	if (stage_restore(old) < 0)
		err_context(err, "what was there could not be put back");
	return r;
}

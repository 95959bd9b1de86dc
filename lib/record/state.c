/* SPDX-License-Identifier: Apache-2.0 */
/* The state directory and the database file as objects of the file system:
 * made for the owner alone, or checked before SQLite sees them. Trusts
 * neither the umask nor what already lies there. */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "record/store.h"

static int
make_state_dir(const char *path, struct ambit_error *err)
{
	if (mkdir(path, 0700) == 0) {
		auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		/* Whatever the umask took away. */
		if (fd < 0 || fchmod(fd, 0700) < 0)
			return err_sys(err, errno, "%s: cannot be made the state directory", path);
		return 0;
	}
	if (errno == EEXIST)
		return 0;
	return err_sys(err, errno,
		"%s: cannot be made: check the permissions above it, or choose another state "
		"directory (XDG_STATE_HOME says where)",
		path);
}

/* Like mkdir -p, for the owner alone. path is changed and restored. */
static int
make_parents(char *path, struct ambit_error *err)
{
	int r = 0;

	for (char *at = path + 1; r == 0 && (at = strchr(at, '/')); at++) {
		struct stat st;

		*at = '\0';
		/* Look first: on a read-only file system mkdir of what exists
		 * says EROFS, not EEXIST. */
		if (stat(path, &st) < 0)
			r = make_state_dir(path, err);
		*at = '/';
	}
	if (r == 0 && access(path, F_OK) < 0)
		r = make_state_dir(path, err);
	return r;
}

/* Others must not be able to change what decides about their requests. */
static int
check_owner(const char *path, const struct stat *st, const char *what, struct ambit_error *err)
{
	if (st->st_uid != geteuid())
		return err_set(err, EPERM,
			"%s: the %s belongs to user %u, not to you (%u): move it away or choose "
			"another state directory",
			path, what, (unsigned)st->st_uid, (unsigned)geteuid());
	if (st->st_mode & 022)
		return err_set(err, EPERM, "%s: the %s can be written by others: chmod go-w it",
			path, what);
	return 0;
}

/* dir is changed and restored. */
static int
open_dir(char *dir, enum ambit_record_open how, int *ret_fd, struct ambit_error *err)
{
	auto_close int fd = open(dir, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (fd < 0 && how == AMBIT_RECORD_WRITE) {
		r = make_parents(dir, err);
		if (r < 0)
			return r;
		fd = open(dir, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ENOENT, "%s: nothing has been recorded yet", dir);
	if (fd < 0)
		return err_sys(err, errno, "%s: cannot be opened", dir);
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s: cannot be looked at", dir);
	if (S_ISLNK(st.st_mode))
		return err_set(err, ELOOP,
			"%s: the state directory is a symbolic link: name the real directory", dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ENOTDIR, "%s: not a directory: move it away", dir);
	r = check_owner(dir, &st, "state directory", err);
	if (r < 0)
		return r;
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* The file is opened here only when it is new. Closing a descriptor drops
 * every lock that this process holds on the file, and a second connection of
 * this process may hold some. */
static int
make_file(int dirfd, const char *path, struct ambit_error *err)
{
	auto_close int fd = -1;

	if (faccessat(dirfd, STORE_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	fd = openat(dirfd, STORE_FILE, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return 0;
	if (fd < 0)
		return err_sys(err, errno,
			"%s: cannot be made: check the permissions of its directory", path);
	if (fchmod(fd, 0600) < 0)
		return err_sys(err, errno, "%s: cannot be made private", path);
	return 0;
}

static int
check_file(int dirfd, const char *path, struct ambit_error *err)
{
	struct stat st;

	if (fstatat(dirfd, STORE_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return err_set(err, ENOENT, "%s: nothing has been recorded yet", path);
		return err_sys(err, errno, "%s: cannot be looked at", path);
	}
	if (S_ISLNK(st.st_mode))
		return err_set(err, ELOOP, "%s: a symbolic link: move it away", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: not a regular file: move it away", path);
	return check_owner(path, &st, "file", err);
}

/* "dir/" would follow a link that "dir" is. */
static char *
without_slashes(const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return strndup(dir, len);
}

int
state_prepare(
	const char *state_dir, enum ambit_record_open how, char **ret_path, struct ambit_error *err)
{
	auto_free char *dir = without_slashes(state_dir);
	auto_close int dirfd = -1;
	int r;

	if (!dir)
		return err_nomem(err);
	if (dir[0] == '\0')
		return err_set(err, EINVAL, "the state directory has no name");
	r = open_dir(dir, how, &dirfd, err);
	if (r < 0)
		return r;
	/* SQLite refuses links anywhere in the name; those above the state
	 * directory are the person's own. */
	auto_free char *real = realpath(dir, NULL);

	if (!real)
		return err_sys(err, errno, "%s: cannot be resolved", dir);
	auto_free char *path = str_printf("%s/" STORE_FILE, streq(real, "/") ? "" : real);

	if (!path)
		return err_nomem(err);
	if (how == AMBIT_RECORD_WRITE)
		r = make_file(dirfd, path, err);
	if (r == 0)
		r = check_file(dirfd, path, err);
	if (r == 0)
		*ret_path = steal_ptr(&path);
	return r;
}

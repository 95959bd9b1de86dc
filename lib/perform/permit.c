/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the object that was decided on, and no other: its parent without any
 * symlink from the root down, its last name never followed, and for what
 * existed the same inode. Between the decision and this call somebody may
 * have put a link or another file there; then it fails. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "perform/permit.h"

#define RESOLVE_PLAIN (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

static int
check_flags(const struct permit_path *path, int flags, struct ambit_error *err)
{
	int how = flags & O_ACCMODE;
	bool writes = how != O_RDONLY || (flags & (O_CREAT | O_TRUNC | O_APPEND));

	if (flags & (O_PATH | O_TMPFILE) & ~O_DIRECTORY)
		return err_set(err, EINVAL, "a permit opens plain files and directories only");
	if (path->access == AMBIT_ACCESS_WRITE && how == O_WRONLY)
		return 0;
	if ((path->access == AMBIT_ACCESS_READ || path->access == AMBIT_ACCESS_READ_TREE) &&
		!writes)
		return 0;
	return err_set(
		err, EACCES, "the permit is for another kind of access to %s", path->resolved.real);
}

static int
open_parent(const char *real, const char **ret_name, struct ambit_error *err)
{
	const char *slash = strrchr(real, '/');
	auto_free char *dir = strndup(real, slash == real ? 1 : (size_t)(slash - real));
	int fd;

	if (!dir)
		return err_nomem(err);
	fd = resolve_open(AT_FDCWD, dir, O_PATH | O_DIRECTORY, 0, RESOLVE_PLAIN);
	if (fd < 0)
		return err_sys(err, fd == -ELOOP ? ESTALE : -fd, "%s", dir);
	*ret_name = slash[1] ? slash + 1 : ".";
	return fd;
}

static int
open_existing(int parent, const char *name, const struct path_facts *resolved, int flags,
	struct ambit_error *err)
{
	auto_close int fd = resolve_open(parent, name,
		(flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0,
		RESOLVE_PLAIN);
	struct stat st;

	if (fd < 0)
		return err_sys(err, fd == -ELOOP ? ESTALE : -fd, "%s", resolved->real);
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", resolved->real);
	if (st.st_dev != resolved->dev || st.st_ino != resolved->ino)
		return err_set(
			err, ESTALE, "%s is not what it was when it was decided", resolved->real);
	if (flags & O_EXCL)
		return err_sys(err, EEXIST, "%s", resolved->real);
	if ((flags & O_TRUNC) && S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
		return err_sys(err, errno, "%s", resolved->real);
	if (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags & (O_APPEND | O_SYNC | O_DSYNC)) < 0)
		return err_sys(err, errno, "%s", resolved->real);
	return steal_fd(&fd);
}

int
permit_open(struct permit_path *path, int flags, mode_t mode, int *ret_fd, struct ambit_error *err)
{
	const char *name = NULL;
	int r = check_flags(path, flags, err), fd;

	if (r < 0)
		return r;
	if (path->used)
		return err_set(err, EPERM, "this permit was used before");
	path->used = true;
	auto_close int parent = open_parent(path->resolved.real, &name, err);

	if (parent < 0)
		return parent;
	if (!path->resolved.exists && !(flags & O_CREAT))
		return err_sys(err, ENOENT, "%s", path->resolved.real);
	if (path->resolved.exists) {
		fd = open_existing(parent, name, &path->resolved, flags, err);
		if (fd < 0)
			return fd;
	} else {
		/* What was not there when it was decided must still not be. */
		fd = resolve_open(
			parent, name, flags | O_EXCL | O_NOFOLLOW, mode & 07777, RESOLVE_PLAIN);
		if (fd < 0)
			return err_sys(err, fd == -EEXIST || fd == -ELOOP ? ESTALE : -fd, "%s",
				path->resolved.real);
	}
	*ret_fd = fd;
	return 0;
}

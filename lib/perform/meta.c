/* SPDX-License-Identifier: Apache-2.0 */
/* A pass and one held descriptor, into changed metadata of just that object.
 * The descriptor may be an open file (then the plain f-call does it) or O_PATH
 * (which that call refuses with EBADF: then by another way to the same inode).
 * No name is looked up, so nothing can be swapped. */

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "perform/act-private.h"
#include "perform/permit.h"

#ifndef SYS_file_setattr
#define SYS_file_setattr 469 /* the same number everywhere */
#endif

int
act_truncate(struct pass *pass, int fd, int64_t length)
{
	char link[ACT_LINK_SIZE];
	int r = pass_use(pass);

	if (r < 0)
		return r;
	act_link_of(fd, link);
	return truncate(link, length) < 0 ? -errno : 0;
}

int
act_chmod(struct pass *pass, int fd, mode_t mode)
{
	char link[ACT_LINK_SIZE];
	struct stat st;
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (fchmod(fd, mode & 07777) == 0)
		return 0;
	if (errno != EBADF)
		return -errno;
	/* Some kernels change the mode of the link here, and say that they did
	 * not. */
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -EOPNOTSUPP;
	act_link_of(fd, link);
	return chmod(link, mode & 07777) < 0 ? -errno : 0;
}

int
act_chown(struct pass *pass, int fd, uid_t uid, gid_t gid)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	return fchownat(fd, "", uid, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

int
act_utimens(struct pass *pass, int fd, const struct timespec times[2])
{
	char link[ACT_LINK_SIZE];
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (utimensat(fd, "", times, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	/* A kernel that does not know AT_EMPTY_PATH here. */
	act_link_of(fd, link);
	return utimensat(AT_FDCWD, link, times, 0) < 0 ? -errno : 0;
}

int
act_setxattr(struct pass *pass, int fd, const char *name, const void *value, size_t size, int flags)
{
	char link[ACT_LINK_SIZE];
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (fsetxattr(fd, name, value, size, flags) == 0)
		return 0;
	if (errno != EBADF)
		return -errno;
	act_link_of(fd, link);
	return setxattr(link, name, value, size, flags) < 0 ? -errno : 0;
}

int
act_removexattr(struct pass *pass, int fd, const char *name)
{
	char link[ACT_LINK_SIZE];
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (fremovexattr(fd, name) == 0)
		return 0;
	if (errno != EBADF)
		return -errno;
	act_link_of(fd, link);
	return removexattr(link, name) < 0 ? -errno : 0;
}

int
act_setattr(struct pass *pass, int fd, const void *attr, size_t size)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	return syscall(SYS_file_setattr, fd, "", attr, size, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a path into a parent directory held open, a name and what lies there:
 * by one walk of the kernel's for all but the last component, which is looked
 * at and never followed by the kernel (path-walk-careful.c: where the kernel would
 * mistake us for the target). The path is hostile, and so is everybody who
 * renames meanwhile; what counts is what was opened.
 *
 * The target's root is taken to be this process' own: chroot, pivot_root,
 * setns, mounts and new namespaces are refused by the filter, and the command
 * is started in our root. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/object/path-walk.h"

#define TRIES_MAX 128

static int
kernel_open(int dir, const char *path, int flags, unsigned long long resolve)
{
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_CLOEXEC),
		.resolve = resolve,
	};

	/* EAGAIN: a rename raced with "..", and the kernel asks to try again. */
	for (int tries = 0;; tries++) {
		long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

		if (fd < 0 && (errno == EINTR || errno == EAGAIN) && tries < TRIES_MAX)
			continue;
		return fd < 0 ? -errno : (int)fd;
	}
}

int
walk_copy_fd(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

static bool
is_dots(const char *name, size_t n)
{
	return (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.');
}

/* -- where a walk ends --------------------------------------------------------- */

int
walk_end_at_dir(struct object *object, int *dir, bool slash)
{
	auto_close int copy = walk_copy_fd(*dir);

	if (copy < 0)
		return copy;
	if (fstat(*dir, &object->st) < 0)
		return -errno;
	object->name[0] = '\0';
	object->exists = true;
	object->slash = slash;
	object->fd = steal_fd(&copy);
	object->parent = steal_fd(dir);
	return 0;
}

int
walk_end_at_name(struct object *object, int *parent, const char *name, int *fd, bool slash,
	enum object_follow follow)
{
	object->exists = *fd >= 0;
	/* Without following, the caller knows better what "link/" is to it. */
	if (object->exists && slash && follow && !S_ISDIR(object->st.st_mode))
		return -ENOTDIR;
	memcpy(object->name, name, strlen(name) + 1);
	object->slash = slash;
	object->fd = object->exists ? steal_fd(fd) : -1;
	object->parent = steal_fd(parent);
	return 0;
}

/* -- quickly ------------------------------------------------------------------- */

struct parts {
	char parent[PATH_MAX]; /* "": the start itself */
	char name[NAME_MAX + 1];
	bool slash;
};

static int
split_last_name(const char *path, struct parts *parts)
{
	size_t len = strlen(path), end = len, name;

	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	while (end > 0 && path[end - 1] == '/')
		end--;
	name = end;
	while (name > 0 && path[name - 1] != '/')
		name--;
	parts->slash = end < len;
	if (end == 0 || is_dots(path + name, end - name))
		name = end = len;
	if (end - name > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(parts->parent, path, name);
	parts->parent[name] = '\0';
	memcpy(parts->name, path + name, end - name);
	parts->name[end - name] = '\0';
	return 0;
}

/* The parent by one walk of the kernel's. Without a symlink or ".." on the way
 * the text is its name already. */
static int
open_parent(int start, const char *parent, bool *ret_plain)
{
	int dir = start >= 0 ? start : AT_FDCWD, fd;

	if (parent[0] == '\0')
		return walk_copy_fd(start);
	if (*ret_plain) {
		fd = kernel_open(dir, parent, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
		if (fd != -ELOOP)
			return fd;
	}
	*ret_plain = false;
	return kernel_open(dir, parent, O_PATH | O_DIRECTORY, RESOLVE_NO_MAGICLINKS);
}

static bool
has_dotdot_part(const char *path)
{
	for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

int
walk_quickly(struct object *object, int start, const char *path, enum object_follow follow,
	bool *ret_plain)
{
	struct parts parts;
	auto_close int parent = -1;
	auto_close int fd = -1;
	int r = split_last_name(path, &parts);

	if (r < 0)
		return r;
	*ret_plain = !has_dotdot_part(path);
	parent = open_parent(start, parts.parent, ret_plain);
	if (parent < 0)
		return parent;
	if (parts.name[0] == '\0')
		return walk_end_at_dir(object, &parent, parts.slash);
	fd = openat(parent, parts.name, WALK_LOOK);
	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0 && fstat(fd, &object->st) < 0)
		return -errno;
	if (fd >= 0 && S_ISLNK(object->st.st_mode) && follow)
		return -ELOOP;
	return walk_end_at_name(object, &parent, parts.name, &fd, parts.slash, follow);
}

/* -- links ---------------------------------------------------------------------- */

int
walk_read_link(int link, char *text)
{
	ssize_t n = readlinkat(link, "", text, PATH_MAX);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -ENOENT;
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	text[n] = '\0';
	return 0;
}

bool
walk_is_planted(int dir, const struct stat *link)
{
	auto_close int fd = -1;
	struct stat st;
	char state = '1';

	if (fstat(dir, &st) < 0)
		return true;
	if ((st.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) ||
		link->st_uid == st.st_uid || link->st_uid == (uid_t)setfsuid((uid_t)-1))
		return false;
	fd = open("/proc/sys/fs/protected_symlinks", O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, &state, 1) != 1 || state != '0';
}

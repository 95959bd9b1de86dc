/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a symlink on a proc file system into what it means to the target.
 * "/proc/self" names whoever reads it, and a magic link (fd/3, cwd) is no text
 * but an open object: followed by the supervisor they would give its own things
 * away. Only the proc file system at /proc is known, since the numbers in
 * another one may count another pid namespace; what cannot be told is refused. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/object/path-walk.h"

#define ROOT_INODE 1 /* of every proc file system, as the kernel promises */
#define DEPTH_MAX 16

bool
walk_is_proc(const struct statfs *fs)
{
	return fs->f_type == PROC_SUPER_MAGIC;
}

bool
walk_on_proc(int fd)
{
	struct statfs fs;

	/* What cannot be told is taken for the worse. */
	return fstatfs(fd, &fs) < 0 || walk_is_proc(&fs);
}

/* How many directories lie between dir and the root of /proc's own file system. */
static int
depth_of(int dir)
{
	auto_close int up = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	struct stat root, st;

	if (up < 0)
		return -errno;
	if (stat("/proc", &root) < 0 || root.st_ino != ROOT_INODE)
		return -EACCES;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		int next;

		/* Another device: another proc, or a part of one mounted elsewhere. */
		if (fstat(up, &st) < 0 || st.st_dev != root.st_dev)
			return -EACCES;
		if (st.st_ino == ROOT_INODE)
			return depth;
		next = openat(up, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(up);
		up = next;
	}
	return -EACCES;
}

/* The last n components of a path. */
static const char *
tail_of(const char *path, int n)
{
	const char *at = path + strlen(path);

	while (at > path && n > 0)
		if (*--at == '/')
			n--;
	return n == 0 && *at == '/' ? at + 1 : NULL;
}

/* "123" of "123/fd", "123/": 0 if it is no number. */
static pid_t
parse_pid_component(const char *text, const char **ret_rest)
{
	char *end;
	long n;

	if (*text < '1' || *text > '9')
		return 0;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || n > INT_MAX || (*end != '/' && *end != '\0'))
		return 0;
	*ret_rest = end + (*end == '/');
	return (pid_t)n;
}

/* inside: the directory of the link, "123/fd" or "123/task/124". */
static int
process_link(const struct target *target, pid_t pid, const char *inside, const char *name)
{
	const struct target other = { .tid = pid, .pidfd = -1 };
	const char *rest;
	pid_t own = target_pid(target);

	if (own < 0)
		return own;
	/* By the number of one of its threads, or of the process. */
	if (pid != own && target_pid(&other) != own)
		return -EACCES;
	if (str_prefix(inside, "task/") && parse_pid_component(inside + strlen("task/"), &rest))
		inside = rest;
	if (*inside == '\0' && (streq(name, "cwd") || streq(name, "root") || streq(name, "exe")))
		return WALK_LINK_MAGIC;
	if (streq(inside, "fd") || streq(inside, "ns"))
		return WALK_LINK_MAGIC;
	/* Needs a capability, which nobody in the tree has. */
	return streq(inside, "map_files") ? -EPERM : -EACCES;
}

int
walk_proc_link(const struct target *target, int dir, const char *name, char *text)
{
	char link[64], real[PATH_MAX];
	const char *inside;
	int depth = depth_of(dir);
	ssize_t n;
	pid_t pid, own;

	if (depth < 0)
		return depth;
	if (depth == 0) {
		bool thread = streq(name, "thread-self");

		if (!thread && !streq(name, "self"))
			return WALK_LINK_TEXT;
		own = target_pid(target);
		if (own < 0)
			return own;
		if (thread)
			snprintf(text, PATH_MAX, "%d/task/%d", (int)own, (int)target->tid);
		else
			snprintf(text, PATH_MAX, "%d", (int)own);
		return WALK_LINK_OWN;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, real, sizeof(real));
	if (n < 0 || (size_t)n >= sizeof(real))
		return n < 0 ? -errno : -ENAMETOOLONG;
	real[n] = '\0';
	inside = tail_of(real, depth);
	if (!inside)
		return -EACCES;
	pid = parse_pid_component(inside, &inside);
	return pid ? process_link(target, pid, inside, name) : WALK_LINK_TEXT;
}

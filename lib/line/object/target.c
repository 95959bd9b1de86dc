/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the number of a thread into what a call needs of it: bytes of its
 * memory, copies of its descriptors (its ids and signals: target-status.c). All
 * of it is looked up anew each time; what is kept are handles, a pidfd, a link
 * and a status file in /proc, which mean this thread or nobody. The thread is not trusted:
 * what it says (memory, its name) is data, and what the kernel says about it is
 * only as old as the look-up. That the number still means the same thread is
 * for the caller to check, with the notification's id. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/object/target.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */
#endif

/* The least page size there is; larger ones are multiples of it. */
#define PAGE 4096

void
target_init(struct target *target, pid_t tid)
{
	*target = (struct target){ .tid = tid, .pidfd = -1, .base = -1, .link = -1, .status = -1 };
}

void
target_finish(struct target *target)
{
	if (!target)
		return;
	if (target->pidfd >= 0)
		close(target->pidfd);
	if (target->link >= 0)
		close(target->link);
	if (target->status >= 0)
		close(target->status);
	target->pidfd = target->link = target->base = target->status = -1;
}

/* -- memory ------------------------------------------------------------------- */

/* How many bytes of one stretch could be read; at least one, or -errno. */
static ssize_t
read_target_memory(const struct target *target, uint64_t address, void *data, size_t len)
{
	struct iovec here = { .iov_base = data, .iov_len = len };
	struct iovec there = { .iov_base = (void *)(uintptr_t)address, .iov_len = len };
	ssize_t n = process_vm_readv(target->tid, &here, 1, &there, 1, 0);

	if (n > 0)
		return n;
	return n == 0 ? -EFAULT : errno == EPERM ? -EACCES : -errno;
}

int
target_read(const struct target *target, uint64_t address, void *data, size_t len)
{
	ssize_t n;

	if (len == 0)
		return 0;
	n = read_target_memory(target, address, data, len);
	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EFAULT;
}

ssize_t
target_string(const struct target *target, uint64_t address, char *data, size_t size)
{
	size_t have = 0;

	/* One page at a time: behind the end of the string there may be nothing
	 * mapped, or something that faults for minutes (userfaultfd, FUSE). */
	while (have < size) {
		size_t want = PAGE - (size_t)((address + have) % PAGE);
		const char *end;
		ssize_t n;

		if (want > size - have)
			want = size - have;
		n = read_target_memory(target, address + have, data + have, want);
		if (n < 0)
			return n;
		end = memchr(data + have, '\0', (size_t)n);
		if (end)
			return end - data;
		if ((size_t)n < want)
			return -EFAULT;
		have += want;
	}
	return -ENAMETOOLONG;
}

int
target_write(const struct target *target, uint64_t address, const void *data, size_t len)
{
	struct iovec here = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
	struct iovec there = { .iov_base = (void *)(uintptr_t)address, .iov_len = len };
	ssize_t n;

	if (len == 0)
		return 0;
	n = process_vm_writev(target->tid, &here, 1, &there, 1, 0);
	if (n < 0)
		return errno == EPERM ? -EACCES : -errno;
	return (size_t)n == len ? 0 : -EFAULT;
}

/* -- descriptors -------------------------------------------------------------- */

static int
open_of(const struct target *target, const char *what)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)target->tid, what);
	fd = open(path, O_PATH | O_CLOEXEC);
	/* EPERM: a security module said it. */
	return fd >= 0 ? fd : errno == EPERM ? -EACCES : errno == ENOENT ? -ESRCH : -errno;
}

int
target_cwd(const struct target *target)
{
	return open_of(target, "cwd");
}

int
target_fd_path(const struct target *target, int fd)
{
	char what[32];
	int copy;

	if (fd < 0)
		return -EBADF;
	snprintf(what, sizeof(what), "fd/%d", fd);
	copy = open_of(target, what);
	return copy == -ESRCH ? -EBADF : copy;
}

static void
drop_link(struct target *target)
{
	if (target->link >= 0)
		close(target->link);
	target->link = -1;
}

/* Finding the link costs as much as reading it, and programs name many files
 * from one directory: the second time it is kept. It is read anew each time,
 * and what it belongs to is the thread, not its number: once that is gone,
 * there is an error, and the number is asked. */
ssize_t
target_name_of(struct target *target, int dirfd, char *name, size_t size)
{
	bool again = target->base == dirfd;
	char link[64];
	ssize_t n;

	if (dirfd < 0 && dirfd != AT_FDCWD)
		return -EBADF;
	if (again && target->link >= 0) {
		n = readlinkat(target->link, "", name, size);
		if (n > 0)
			return n;
	}
	drop_link(target);
	target->base = dirfd;
	if (dirfd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)target->tid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)target->tid, dirfd);
	if (again)
		target->link = open(link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	n = target->link >= 0 ? readlinkat(target->link, "", name, size)
			      : readlink(link, name, size);
	return n < 0 ? -errno : n;
}

/* Before Linux 6.9 a pidfd is the whole process', and a thread may have a table
 * of descriptors of its own: what came must be what the thread has. */
static bool
is_its(const struct target *target, int fd, int copy)
{
	char path[64];
	struct stat a, b;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)target->tid, fd);
	return stat(path, &a) == 0 && fstat(copy, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static int
open_pidfd(struct target *target)
{
	pid_t pid;

	target->pidfd = (int)syscall(SYS_pidfd_open, target->tid, PIDFD_THREAD);
	if (target->pidfd < 0 && errno == EINVAL) {
		pid = target_pid(target);
		if (pid < 0)
			return pid;
		target->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		target->whole = true;
	}
	return target->pidfd < 0 ? -errno : 0;
}

int
target_fd(struct target *target, int fd)
{
	bool kept = target->pidfd >= 0;
	auto_close int copy = -1;
	int r = fd < 0 ? -EBADF : kept ? 0 : open_pidfd(target);

	if (r < 0)
		return r;
	copy = (int)syscall(SYS_pidfd_getfd, target->pidfd, fd, 0);
	/* Kept from an earlier call, and that thread is gone: another has the
	 * number now. */
	if (copy < 0 && errno == ESRCH && kept) {
		close(steal_fd(&target->pidfd));
		r = open_pidfd(target);
		if (r < 0)
			return r;
		copy = (int)syscall(SYS_pidfd_getfd, target->pidfd, fd, 0);
	}
	if (copy < 0)
		return -errno;
	return !target->whole || is_its(target, fd, copy) ? steal_fd(&copy) : -EBADF;
}

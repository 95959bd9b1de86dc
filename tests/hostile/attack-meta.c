/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on what Landlock does not bound: modes, owners, times, attributes and
 * flags of files outside, by path and by descriptors that can only read. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "attack.h"

#define SYS_FCHMODAT2 452
#define SYS_SETXATTRAT 463
#define SYS_REMOVEXATTRAT 466
#define SYS_FILE_SETATTR 469
#define GET_FLAGS 0x80086601	/* FS_IOC_GETFLAGS */
#define SET_FLAGS 0x40086602	/* FS_IOC_SETFLAGS */
#define SET_VERSION 0x40087602	/* FS_IOC_SETVERSION */
#define FS_SET_XATTR 0x401c5820 /* FS_IOC_FSSETXATTR */
#define NO_DUMP 0x40		/* FS_NODUMP_FL */
#define X_NO_DUMP 0x80		/* FS_XFLAG_NODUMP */

static const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

static int
to_read(const struct world *w)
{
	return open(w->file, O_RDONLY);
}

static void
chmod_path(const struct world *w)
{
	chmod(w->file, 0777);
}

static void
chmod_at(const struct world *w)
{
	syscall(SYS_fchmodat, open(w->outside, O_PATH), "file", 0777);
}

static void
chmod_descriptor(const struct world *w)
{
	fchmod(to_read(w), 0777);
}

static void
chmod_proc(const struct world *w)
{
	chmod(proc_fd(open(w->file, O_PATH)), 0777);
}

static void
chmod_directory(const struct world *w)
{
	chmod(w->outside, 0777);
}

static void
chmod_2(const struct world *w)
{
	if (syscall(SYS_FCHMODAT2, AT_FDCWD, w->file, 0777, AT_SYMLINK_NOFOLLOW) < 0 && w->plain)
		cannot("no fchmodat2");
}

static void
chmod_2_empty(const struct world *w)
{
	if (syscall(SYS_FCHMODAT2, open(w->file, O_PATH), "", 0777, AT_EMPTY_PATH) < 0 && w->plain)
		cannot("no fchmodat2");
}

/* Somebody who cannot be looked into gets no more than others. */
static void
chmod_not_dumpable(const struct world *w)
{
	prctl(PR_SET_DUMPABLE, 0);
	chmod(w->file, 0777);
	spoil(open(w->file, O_WRONLY));
	unlink(in(w->outside, "full/two"));
}

static void
chmod_victims(const struct world *w)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)w->victim, VICTIM_FILE_FD);
	chmod(name, 0777);
}

static void
chown_path(const struct world *w)
{
	(void)!chown(w->file, getuid(), getgid());
}

static void
chown_link(const struct world *w)
{
	(void)!lchown(in(w->outside, "link"), getuid(), getgid());
}

static void
chown_descriptor(const struct world *w)
{
	(void)!fchown(to_read(w), getuid(), getgid());
}

static void
chown_empty(const struct world *w)
{
	(void)!fchownat(open(w->file, O_PATH), "", getuid(), getgid(), AT_EMPTY_PATH);
}

static void
chown_working_directory(const struct world *w)
{
	if (chdir(in(w->outside, "full")) == 0)
		(void)!fchownat(AT_FDCWD, "", getuid(), getgid(), AT_EMPTY_PATH);
}

static void
chown_to_other(const struct world *w)
{
	(void)!chown(w->file, 12345, 12345);
}

static void
time_utime(const struct world *w)
{
	const struct utimbuf both = { 1000000000, 1000000000 };

	utime(w->file, &both);
}

static void
time_utimes(const struct world *w)
{
	const struct timeval both[2] = { { 1000000000, 0 }, { 1000000000, 0 } };

	utimes(w->file, both);
}

static void
time_legacy(const struct world *w)
{
#ifdef SYS_futimesat
	const struct timeval both[2] = { { 1000000000, 0 }, { 1000000000, 0 } };

	syscall(SYS_utimes, w->file, both);
	syscall(SYS_futimesat, open(w->outside, O_PATH), "file", both);
	syscall(SYS_futimesat, to_read(w), NULL, both);
#else
	(void)w;
	cannot("no futimesat here");
#endif
}

static void
time_at(const struct world *w)
{
	utimensat(open(w->outside, O_RDONLY), "file", NULL, 0);
}

static void
time_link(const struct world *w)
{
	utimensat(AT_FDCWD, in(w->outside, "link"), times, AT_SYMLINK_NOFOLLOW);
}

static void
time_descriptor(const struct world *w)
{
	futimens(to_read(w), times);
}

static void
time_empty(const struct world *w)
{
	syscall(SYS_utimensat, open(w->file, O_PATH), "", times, AT_EMPTY_PATH);
}

static void
time_proc(const struct world *w)
{
	utimensat(AT_FDCWD, proc_fd(open(w->file, O_PATH)), times, 0);
}

/* Some file systems have none; then every attack on them is no attack. */
static void
need_xattr(const struct world *w)
{
	char value[8];

	if (w->plain && getxattr(w->file, "user.old", value, sizeof(value)) < 0)
		cannot("no extended attributes here");
}

static void
xattr_set(const struct world *w)
{
	need_xattr(w);
	setxattr(w->file, "user.new", "1", 1, 0);
}

static void
xattr_set_link(const struct world *w)
{
	need_xattr(w);
	lsetxattr(w->file, "user.new", "1", 1, XATTR_CREATE);
}

static void
xattr_set_descriptor(const struct world *w)
{
	need_xattr(w);
	fsetxattr(to_read(w), "user.old", "22", 2, XATTR_REPLACE);
}

static void
xattr_set_proc(const struct world *w)
{
	need_xattr(w);
	setxattr(proc_fd(open(w->file, O_PATH)), "user.new", "1", 1, 0);
}

static void
xattr_remove(const struct world *w)
{
	need_xattr(w);
	removexattr(w->file, "user.old");
}

static void
xattr_remove_link(const struct world *w)
{
	need_xattr(w);
	lremovexattr(w->file, "user.old");
}

static void
xattr_remove_descriptor(const struct world *w)
{
	need_xattr(w);
	fremovexattr(to_read(w), "user.old");
}

static void
xattr_at(const struct world *w)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = { (uintptr_t) "1", 1, 0 };

	need_xattr(w);
	if (syscall(SYS_SETXATTRAT, AT_FDCWD, w->file, 0, "user.new", &args, sizeof(args)) < 0 &&
		w->plain)
		cannot("no setxattrat");
	syscall(SYS_SETXATTRAT, to_read(w), "", AT_EMPTY_PATH, "user.newer", &args, sizeof(args));
	syscall(SYS_REMOVEXATTRAT, AT_FDCWD, w->file, 0, "user.old");
}

static void
acl_set(const struct world *w)
{
	/* version 2; owner rw, group rw, others rwx */
	static const unsigned char acl[] = { 2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 4, 0, 6, 0,
		255, 255, 255, 255, 32, 0, 7, 0, 255, 255, 255, 255 };

	if (setxattr(w->file, "system.posix_acl_access", acl, sizeof(acl), 0) < 0 && w->plain)
		cannot("no access control lists here");
}

static void
flags_set(const struct world *w)
{
	int flags = 0, fd = to_read(w);

	ioctl(fd, GET_FLAGS, &flags);
	flags |= NO_DUMP;
	if (ioctl(fd, SET_FLAGS, &flags) < 0 && w->plain)
		cannot("no inode flags here");
}

static void
flags_set_high_bits(const struct world *w)
{
	int flags = 0, fd = to_read(w);

	ioctl(fd, GET_FLAGS, &flags);
	flags |= NO_DUMP;
	/* The same command with bits that the kernel takes off. */
	if (syscall(SYS_ioctl, fd, 0xdead000000000000UL | SET_FLAGS, &flags) < 0 && w->plain)
		cannot("no inode flags here");
}

static void
flags_set_extended(const struct world *w)
{
	uint32_t attributes[7] = { X_NO_DUMP };

	if (ioctl(to_read(w), FS_SET_XATTR, attributes) < 0 && w->plain)
		cannot("no extended inode flags here");
}

static void
version_set(const struct world *w)
{
	int version = 4711;

	if (ioctl(to_read(w), SET_VERSION, &version) < 0 && w->plain)
		cannot("no generation numbers here");
}

static void
file_attributes_set(const struct world *w)
{
	struct {
		uint64_t xflags;
		uint32_t extsize, nextents, projid, cowextsize;
	} a = { .xflags = X_NO_DUMP };

	if (syscall(SYS_FILE_SETATTR, AT_FDCWD, w->file, &a, sizeof(a), 0) < 0 && w->plain)
		cannot("no file_setattr");
}

static void
lease(const struct world *w)
{
	int fd = open(in(w->outside, "full/two"), O_RDONLY);

	fcntl(fd, F_SETLEASE, F_RDLCK);
	if (fcntl(fd, F_GETLEASE) == F_RDLCK)
		loot(w, "a lease");
}

static const struct attack list[] = {
	{ "chmod", chmod_path, 0 },
	{ "fchmodat", chmod_at, 0 },
	{ "fchmod-read-only", chmod_descriptor, 0 },
	{ "chmod-proc-fd", chmod_proc, 0 },
	{ "chmod-directory", chmod_directory, 0 },
	{ "fchmodat2", chmod_2, 0 },
	{ "fchmodat2-empty-path", chmod_2_empty, 0 },
	{ "chmod-not-dumpable", chmod_not_dumpable, 0 },
	{ "chmod-victims-descriptor", chmod_victims, 0 },
	{ "chown", chown_path, 0 },
	{ "lchown", chown_link, 0 },
	{ "fchown-read-only", chown_descriptor, 0 },
	{ "fchownat-empty-path", chown_empty, 0 },
	{ "fchownat-working-directory", chown_working_directory, 0 },
	{ "chown-to-other", chown_to_other, AS_ROOT },
	{ "utime", time_utime, 0 },
	{ "utimes", time_utimes, 0 },
	{ "futimesat", time_legacy, 0 },
	{ "utimensat", time_at, 0 },
	{ "utimensat-link", time_link, 0 },
	{ "futimens-read-only", time_descriptor, 0 },
	{ "utimensat-empty-path", time_empty, 0 },
	{ "utimensat-proc-fd", time_proc, 0 },
	{ "setxattr", xattr_set, 0 },
	{ "lsetxattr", xattr_set_link, 0 },
	{ "fsetxattr-read-only", xattr_set_descriptor, 0 },
	{ "setxattr-proc-fd", xattr_set_proc, 0 },
	{ "removexattr", xattr_remove, 0 },
	{ "lremovexattr", xattr_remove_link, 0 },
	{ "fremovexattr-read-only", xattr_remove_descriptor, 0 },
	{ "setxattrat", xattr_at, 0 },
	{ "set-acl", acl_set, 0 },
	{ "ioctl-set-flags", flags_set, 0 },
	{ "ioctl-set-flags-high-bits", flags_set_high_bits, 0 },
	{ "ioctl-set-extended-flags", flags_set_extended, 0 },
	{ "ioctl-set-version", version_set, 0 },
	{ "file-setattr", file_attributes_set, 0 },
	{ "lease", lease, 0 },
};

const struct attacks attacks_meta = { list, COUNT(list) };

/* SPDX-License-Identifier: Apache-2.0 */
/* What this kernel and machine offer to hold the line with. Every row but one
 * is found out by trying, not by version numbers. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <ambit/probe.h>

#include "base/fd.h"
#include "kernel/floor.h"
#include "kernel/probe.h"

#ifndef SECCOMP_GET_NOTIF_SIZES
#define SECCOMP_GET_NOTIF_SIZES 3
#endif
#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* The kernel looks at the flags before it reads the program, so without a
 * program nothing is installed: EFAULT says that the flags are known. */
static int
try_listener_flags(void)
{
	unsigned long flags =
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, NULL) < 0 && errno != EFAULT)
		return -errno;
	return 0;
}

static int
try_notify(void)
{
	struct seccomp_notif_sizes sizes;

	return syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0 ? 0 : -errno;
}

/* 0 where there is no Yama. */
static int
yama_scope(bool *ret_there)
{
	auto_close int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char byte = '0';

	*ret_there = fd >= 0 && read(fd, &byte, 1) == 1;
	return *ret_there ? byte - '0' : 0;
}

static int
line_seccomp(struct ambit_error *err)
{
	int r = try_notify();

	if (r == -EPERM || r == -EACCES)
		return err_set(err, -r,
			"seccomp is forbidden here, probably by a container's seccomp profile");
	if (r < 0)
		return err_set(err, -r,
			"this kernel cannot hold system calls: seccomp user notification is missing");
	r = try_listener_flags();
	if (r == -EBUSY)
		return err_set(err, EBUSY,
			"a supervisor is already in force here: ambit run does not work inside itself");
	if (r < 0)
		return err_set(err, -r,
			"this kernel cannot hold system calls safely: Linux 5.19 or newer is needed");
	return 0;
}

int
probe_line(struct ambit_error *err)
{
	bool there;
	int r = floor_abi(err);

	if (r >= 0)
		r = line_seccomp(err);
	if (r < 0)
		return r;
	if (access("/proc/self/fd", X_OK) != 0)
		return err_set(err, ENOENT, "/proc is not mounted, and paths cannot be resolved without");
	r = yama_scope(&there);
	if (r >= 2)
		return err_set(err, EPERM,
			"kernel.yama.ptrace_scope is %d, which forbids to look into the command: it "
			"must be 0 or 1",
			r);
	return 0;
}

static void
probe_kernel(struct ambit_probe *p)
{
	struct utsname name;

	p->ok = uname(&name) == 0;
	snprintf(p->detail, sizeof(p->detail), "%s %s", p->ok ? name.sysname : "?",
		p->ok ? name.release : "");
}

static void
probe_proc(struct ambit_probe *p)
{
	p->ok = access("/proc/self/fd", X_OK) == 0;
	snprintf(p->detail, sizeof(p->detail), p->ok ? "/proc is mounted" : "/proc is missing");
}

static void
probe_openat2(struct ambit_probe *p)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	p->ok = fd >= 0;
	snprintf(p->detail, sizeof(p->detail), p->ok ? "resolves paths" : "errno %d", errno);
	if (fd >= 0)
		close((int)fd);
}

/* What an older ABI leaves to the gate alone. */
static const struct {
	int abi;
	const char *what;
} brought[] = {
	{ 3, "truncating" },
	{ 6, "signals, abstract sockets" },
};

static void
probe_landlock(struct ambit_probe *p)
{
	int abi = floor_abi(NULL), n;

	p->ok = abi >= FLOOR_ABI_LEAST;
	if (!p->ok) {
		snprintf(p->detail, sizeof(p->detail), "%s",
			abi == -ENOSYS ? "not in this kernel" : "switched off, too old or forbidden");
		return;
	}
	n = snprintf(p->detail, sizeof(p->detail), "ABI %d", abi);
	for (size_t i = 0; i < sizeof(brought) / sizeof(brought[0]); i++)
		if (abi < brought[i].abi && (size_t)n < sizeof(p->detail))
			n += snprintf(p->detail + n, sizeof(p->detail) - (size_t)n, "%s%s",
				strchr(p->detail, ':') ? ", " : "; left to the gate: ",
				brought[i].what);
}

static void
probe_notify(struct ambit_probe *p)
{
	int r = try_notify();

	p->ok = r == 0;
	snprintf(p->detail, sizeof(p->detail), p->ok ? "user notification works" : "errno %d", -r);
}

static void
probe_killable(struct ambit_probe *p)
{
	int r = try_listener_flags();

	p->ok = r == 0;
	if (r == -EBUSY)
		snprintf(p->detail, sizeof(p->detail), "a supervisor is already in force here");
	else
		snprintf(p->detail, sizeof(p->detail),
			p->ok ? "held calls survive signals" : "errno %d", -r);
}

/* The one that cannot be tried: it is a property of a listener, and a process
 * that has one never loses it. */
static void
probe_wake(struct ambit_probe *p)
{
	struct utsname name;
	unsigned long major = 0, minor = 0;
	char *end;

	if (uname(&name) == 0) {
		major = strtoul(name.release, &end, 10);
		minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	}
	p->ok = major > 6 || (major == 6 && minor >= 6);
	snprintf(p->detail, sizeof(p->detail),
		p->ok ? "answers come back on the same core" : "not before Linux 6.6: slower");
}

static void
probe_getfd(struct ambit_probe *p)
{
	auto_close int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	auto_close int copy = -1;

	if (pidfd >= 0)
		copy = (int)syscall(SYS_pidfd_getfd, pidfd, pidfd, 0);
	p->ok = copy >= 0;
	snprintf(p->detail, sizeof(p->detail), p->ok ? "sockets can be acted on" : "errno %d", errno);
}

/* Yama 2 and 3 forbid reading a child's memory, which the gate must. */
static void
probe_yama(struct ambit_probe *p)
{
	bool there;
	int scope = yama_scope(&there);

	p->ok = scope < 2;
	snprintf(p->detail, sizeof(p->detail), there ? "ptrace_scope %d" : "not there", scope);
}

static const struct {
	const char *name;
	void (*look)(struct ambit_probe *p);
	const char *advice;
} probes[] = {
	{ "kernel", probe_kernel, NULL },
	{ "proc", probe_proc, "mount /proc: paths cannot be resolved without it" },
	{ "openat2", probe_openat2, "needs Linux 5.6, and a seccomp profile that lets openat2 through" },
	{ "landlock", probe_landlock,
		"needs Linux 5.19 with landlock in /sys/kernel/security/lsm (boot with lsm=landlock,...)" },
	{ "seccomp", probe_notify, "needs Linux 5.19 with CONFIG_SECCOMP_FILTER" },
	{ "seccomp-killable", probe_killable, "needs Linux 5.19, and no other supervisor" },
	{ "seccomp-wake-up", probe_wake, "Linux 6.6 or newer makes every notified call cheaper" },
	{ "pidfd_getfd", probe_getfd,
		"in a container: --cap-add=SYS_PTRACE, or a seccomp profile that lets it through" },
	{ "yama", probe_yama, "sysctl kernel.yama.ptrace_scope=1" },
};

int
ambit_probe_each(int (*each)(void *data, const struct ambit_probe *probe), void *data)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct ambit_probe p = { .name = probes[i].name, .advice = probes[i].advice };
		int r;

		probes[i].look(&p);
		r = each(data, &p);
		if (r != 0)
			return r;
	}
	return 0;
}

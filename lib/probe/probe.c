/* SPDX-License-Identifier: Apache-2.0 */
/* What this kernel and machine offer to hold the line with. Every row but one
 * is found out by trying, not by version numbers. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include "probe/probe.h"
#include "probe/probe-restart.h"

#include "base/fd.h"
#include "egress/dns/resolv.h"
#include "line/floor/floor.h"

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

/* -- calls that are made, not installed ------------------------------------------ */

static int
try_openat2(void)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
	auto_close int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	return fd < 0 ? -errno : 0;
}

/* glibc does without it only where the answer is ENOSYS. */
static int
try_faccessat2(void)
{
	return faccessat(AT_FDCWD, "/", F_OK, AT_EACCESS) < 0 ? -errno : 0;
}

static int
try_pidfd_open(void)
{
	auto_close int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 ? -errno : 0;
}

static int
try_memory(void)
{
	char from = 1, to = 0;
	struct iovec here = { &to, 1 }, there = { &from, 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 ? 0 : -errno;
}

static int
try_memfd(void)
{
	auto_close int fd = memfd_create("ambit", MFD_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

static int
try_close_range(void)
{
	return close_range(~0U, ~0U, 0) < 0 ? -errno : 0;
}

/* Nothing stands in for these, and every profile of a container that ambit was
 * tried in lets them through. */
static const struct {
	const char *name;
	int (*try)(void);
	const char *since;
} calls[] = {
	{ "openat2", try_openat2, "5.6" },
	{ "faccessat2", try_faccessat2, "5.8" },
	{ "pidfd_open", try_pidfd_open, "5.3" },
	{ "process_vm_readv", try_memory, "3.2" },
	{ "memfd_create", try_memfd, "3.17" },
	{ "close_range", try_close_range, "5.9" },
};

/* -- the line ------------------------------------------------------------------------ */

static int
line_calls(struct ambit_error *err)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int r = calls[i].try();

		if (r == -ENOSYS)
			return err_set(err, ENOSYS,
				"the line needs %s, which is not there: Linux %s or newer has it, "
				"unless a container's seccomp profile takes it away",
				calls[i].name, calls[i].since);
		if (r == -EPERM || r == -EACCES)
			return err_set(err, EPERM,
				"the line needs %s, which is forbidden here, probably by a "
				"container's seccomp profile",
				calls[i].name);
	}
	return 0;
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
			"this kernel cannot hold system calls: seccomp user notification is "
			"missing");
	r = try_listener_flags();
	if (r == -EBUSY)
		return err_set(err, EBUSY,
			"a supervisor is already in force here: ambit run does not work inside "
			"itself");
	if (r == -EPERM || r == -EACCES)
		return err_set(err, -r,
			"seccomp is forbidden here, probably by a container's seccomp profile");
	if (r < 0)
		return err_set(err, -r,
			"this kernel cannot hold system calls safely: Linux 5.19 or newer is "
			"needed");
	return 0;
}

int
probe_line(struct ambit_error *err)
{
	bool there;
	int r = floor_abi(err);

	if (r >= 0)
		r = line_seccomp(err);
	if (r >= 0)
		r = line_calls(err);
	if (r < 0)
		return r;
	if (access("/proc/self/fd", X_OK) != 0)
		return err_set(
			err, ENOENT, "/proc is not mounted, and paths cannot be resolved without");
	r = yama_scope(&there);
	if (r >= 2)
		return err_set(err, EPERM,
			"kernel.yama.ptrace_scope is %d, which forbids to look into the "
			"command: it "
			"must be 0 or 1",
			r);
	return 0;
}

static void
probe_kernel(struct probe *p)
{
	struct utsname name;

	p->ok = uname(&name) == 0;
	snprintf(p->detail, sizeof(p->detail), "%s %s", p->ok ? name.sysname : "?",
		p->ok ? name.release : "");
}

static void
probe_proc(struct probe *p)
{
	p->ok = access("/proc/self/fd", X_OK) == 0;
	snprintf(p->detail, sizeof(p->detail), p->ok ? "/proc is mounted" : "/proc is missing");
}

/* The first that fails. */
static void
probe_calls(struct probe *p)
{
	p->ok = true;
	snprintf(p->detail, sizeof(p->detail), "all that are needed are there");
	for (size_t i = 0; p->ok && i < sizeof(calls) / sizeof(calls[0]); i++) {
		int r = calls[i].try();

		p->ok = r == 0;
		if (r < 0)
			snprintf(p->detail, sizeof(p->detail), "%s: %s", calls[i].name,
				strerror(-r));
	}
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
probe_landlock(struct probe *p)
{
	int abi = floor_abi(NULL), n;

	p->ok = abi >= FLOOR_ABI_LEAST;
	if (!p->ok) {
		snprintf(p->detail, sizeof(p->detail), "%s",
			abi == -ENOSYS ? "not in this kernel"
				       : "switched off, too old or forbidden");
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
probe_notify(struct probe *p)
{
	int r = try_notify();

	p->ok = r == 0;
	snprintf(p->detail, sizeof(p->detail), "%s",
		p->ok ? "user notification works" : strerror(-r));
}

static void
probe_killable(struct probe *p)
{
	int r = try_listener_flags();

	p->ok = r == 0;
	if (r == -EBUSY)
		snprintf(p->detail, sizeof(p->detail), "a supervisor is already in force here");
	else
		snprintf(p->detail, sizeof(p->detail), "%s",
			p->ok ? "signals do not cancel a held call" : strerror(-r));
}

static void
probe_signals(struct probe *p)
{
	bool traced = false;

	if (try_listener_flags() == -EBUSY) {
		snprintf(p->detail, sizeof(p->detail), "cannot be tried behind the line");
		p->advice = NULL;
		return;
	}
	p->ok = probe_try_restart(&traced);
	snprintf(p->detail, sizeof(p->detail), "%s",
		!p->ok	 ? "held calls are not restarted after a signal"
		: traced ? "handlers run while a call is held, in processes with threads too"
			 : "handlers run while a call is held; with several threads some wait "
			   "for the answer (no ptrace)");
}

/* The one that cannot be tried: it is a property of a listener, and a process
 * that has one never loses it. */
static void
check_wake_support(struct probe *p)
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
probe_getfd(struct probe *p)
{
	auto_close int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	auto_close int copy = -1;

	if (pidfd >= 0)
		copy = (int)syscall(SYS_pidfd_getfd, pidfd, pidfd, 0);
	p->ok = copy >= 0;
	snprintf(p->detail, sizeof(p->detail), "%s",
		p->ok ? "sockets can be acted on" : strerror(errno));
}

/* Yama 2 and 3 forbid reading a child's memory, which the gate must. */
static void
probe_yama(struct probe *p)
{
	bool there;
	int scope = yama_scope(&there);

	p->ok = scope < 2;
	snprintf(p->detail, sizeof(p->detail), there ? "ptrace_scope %d" : "not there", scope);
}

/* Where names that are allowed are looked up. */
static void
probe_names(struct probe *p)
{
	struct resolv resolv;
	char ip[INET6_ADDRSTRLEN] = "";
	int r = resolv_read(&resolv);

	if (r == 0)
		inet_ntop(resolv.server[0].ss_family,
			resolv.server[0].ss_family == AF_INET6
				? (const void *)&((struct sockaddr_in6 *)&resolv.server[0])
					  ->sin6_addr
				: &((struct sockaddr_in *)&resolv.server[0])->sin_addr,
			ip, sizeof(ip));
	p->ok = r == 0;
	if (r < 0)
		snprintf(p->detail, sizeof(p->detail), "/etc/resolv.conf: %s", strerror(-r));
	else
		snprintf(p->detail, sizeof(p->detail), "looked up at %s%s", ip,
			resolv.n > 1 ? " and others" : "");
}

static const struct {
	const char *name;
	void (*look)(struct probe *p);
	const char *advice;
} probes[] = {
	{ "kernel", probe_kernel, NULL },
	{ "proc", probe_proc, "mount /proc: paths cannot be resolved without it" },
	{ "calls", probe_calls,
		"needs Linux 5.9, and in a container a seccomp profile that lets it through" },
	{ "landlock", probe_landlock,
		"needs Linux 5.19 with landlock in /sys/kernel/security/lsm (boot with "
		"lsm=landlock,...)" },
	{ "seccomp", probe_notify, "needs Linux 5.19 with CONFIG_SECCOMP_FILTER" },
	{ "seccomp-killable", probe_killable, "needs Linux 5.19, and no other supervisor" },
	{ "signals", probe_signals,
		"programs with timers get EINTR, and their questions are asked again" },
	{ "seccomp-wake-up", check_wake_support,
		"Linux 6.6 or newer makes every notified call cheaper" },
	{ "pidfd_getfd", probe_getfd,
		"sockets of ambit's stand in; passing descriptors needs it: "
		"--cap-add=SYS_PTRACE in a "
		"container" },
	{ "yama", probe_yama, "sysctl kernel.yama.ptrace_scope=1" },
	{ "names", probe_names, "no host can be decided by its name without a name server" },
};

int
probe_each(int (*each)(void *data, const struct probe *probe), void *data)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct probe p = { .name = probes[i].name, .advice = probes[i].advice };
		int r;

		probes[i].look(&p);
		r = each(data, &p);
		if (r != 0)
			return r;
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What this kernel and machine offer to hold the line with. Every row is
 * found out by trying, not by version numbers. */

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <ambit/probe.h>

#include "base/fd.h"

#ifndef SECCOMP_GET_NOTIF_SIZES
#define SECCOMP_GET_NOTIF_SIZES 3
#endif

#define LANDLOCK_LEAST 2

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

static void
probe_landlock(struct ambit_probe *p)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	p->ok = abi >= LANDLOCK_LEAST;
	if (abi < 0)
		snprintf(p->detail, sizeof(p->detail), "%s",
			errno == ENOSYS ? "not in this kernel" : "switched off at boot");
	else
		snprintf(p->detail, sizeof(p->detail), "ABI %ld", abi);
}

static void
probe_notify(struct ambit_probe *p)
{
	struct seccomp_notif_sizes sizes;

	p->ok = syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
	snprintf(p->detail, sizeof(p->detail), p->ok ? "user notification works" : "errno %d", errno);
}

/* Yama 2 and 3 forbid reading a child's memory, which the gate must. */
static void
probe_yama(struct ambit_probe *p)
{
	long scope = 0;
	auto_close int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char byte = '0';

	if (fd >= 0 && read(fd, &byte, 1) == 1)
		scope = byte - '0';
	p->ok = scope < 2;
	snprintf(p->detail, sizeof(p->detail), fd < 0 ? "not there" : "ptrace_scope %ld", scope);
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

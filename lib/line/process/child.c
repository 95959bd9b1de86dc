/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a fresh task into the confined command. It shares memory and the table
 * of descriptors with the keeper, which sleeps until exec: nothing is copied,
 * and the listener, made here, is the keeper's without being sent. In return
 * nothing here may allocate, lock or return early; what fails ends the task,
 * naming the step. The command is not trusted and runs only after the last
 * step; the order of the steps matters and is argued where it does. */

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/own.h"
#include "line/process/child.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

#define STACK_SIZE (64 * 1024)
#define SHELL "/bin/sh"

/* On a stack that the sanitizer does not know. */
#define ON_OWN_STACK __attribute__((no_sanitize_address))

struct start {
	struct child *child;
	pid_t keeper;
	char **script; /* argv for a file without "#!" */
};

ON_OWN_STACK __attribute__((noreturn)) static void
die(struct child *child, const char *step)
{
	child->error = errno;
	child->step = step;
	_exit(127);
}

/* Own group in the foreground: then the keeper, in another group of the same
 * session, is what keeps ^Z from being ignored. SIGTTOU is blocked. */
ON_OWN_STACK static void
take_terminal(struct child *child)
{
	const struct keeper_options *options = child->options;

	/* A client that has ended meanwhile takes the command along soon. */
	if (child->join)
		(void)!setpgid(0, getpgid(options->manner.client));
	if (options->pty < 0)
		return;
	if (setpgid(0, 0) < 0)
		die(child, "setpgid");
	if (tcsetpgrp(options->pty, getpid()) < 0)
		die(child, "tcsetpgrp");
	for (int fd = 0; fd <= 2; fd++)
		if (options->replace[fd] && dup2(options->pty, fd) < 0)
			die(child, "dup2");
}

/* Emptying the permitted set is what counts: with no_new_privs an exec by root
 * cannot get back what is not in it. The rest needs CAP_SETPCAP, which root in
 * a container may not have, and is a second bolt. */
ON_OWN_STACK static void
drop_capabilities(struct child *child)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
	const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
				   SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned long cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			break; /* EPERM at once, EINVAL behind the last */
	prctl(PR_SET_SECUREBITS, bits, 0, 0, 0);
	memset(none, 0, sizeof(none));
	if (syscall(SYS_capset, &header, none) < 0)
		die(child, "capset");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die(child, "no_new_privs");
}

/* Changed credentials may clear it: only behind drop_capabilities. */
ON_OWN_STACK static void
die_with_keeper(struct child *child, pid_t keeper)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		die(child, "pdeathsig");
	if (getppid() != keeper) {
		errno = ESRCH;
		die(child, "pdeathsig");
	}
}

ON_OWN_STACK static void
restrict_self(struct child *child)
{
	const struct keeper_options *options = child->options;
	const struct sock_fprog program = {
		.len = (unsigned short)options->n_filter,
		.filter = (struct sock_filter *)options->filter,
	};
	long fd;

	/* From the outermost inward, as they would be without us. */
	for (size_t i = 0; i < options->n_outer; i++)
		if (syscall(SYS_landlock_restrict_self, options->outer[i], 0) < 0)
			die(child, "landlock_restrict_self");
	if (options->ruleset >= 0 && syscall(SYS_landlock_restrict_self, options->ruleset, 0) < 0)
		die(child, "landlock_restrict_self");
	/* Falls on the keeper's table too, which never execs; exec unshares the
	 * table before it closes. */
	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		die(child, "close_range");
	/* Tried once: with a listener in the chain already it is EBUSY for good,
	 * and failing installs are not free for the kernel. */
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		&program);
	if (fd < 0)
		die(child, "seccomp");
	child->listener = (int)fd;
}

/* As who asked for it is, not as we are; only this process, although it shares
 * the keeper's memory. */
ON_OWN_STACK static void
take_manner(struct child *child)
{
	const struct keeper_manner *manner = &child->options->manner;

	if (manner->client == 0)
		return;
	umask(manner->umask);
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, manner->ignored >> (sig - 1) & 1 ? SIG_IGN : SIG_DFL);
}

/* Behind the filter, which needed a descriptor. A hard limit cannot be raised,
 * and need not be: what the client has came from where we come from. */
ON_OWN_STACK static void
take_limits(struct child *child)
{
	const struct keeper_manner *manner = &child->options->manner;

	for (int i = 0; manner->client > 0 && i < RLIM_NLIMITS; i++) {
		struct rlimit now, want = manner->limits[i];

		if (getrlimit(i, &now) < 0)
			continue;
		if (want.rlim_max > now.rlim_max)
			want.rlim_max = now.rlim_max;
		if (want.rlim_cur > want.rlim_max)
			want.rlim_cur = want.rlim_max;
		setrlimit(i, &want);
	}
}

/* What was asked for; those who hold the line have to live without it. */
ON_OWN_STACK static void
lower_limits(struct child *child)
{
	const struct ambit_limits *limits = &child->options->limits;

	if (limit_lower(RLIMIT_CPU, limits->cpu_seconds) < 0 ||
		limit_lower(RLIMIT_AS, limits->memory) < 0 ||
		limit_lower(RLIMIT_NPROC, limits->processes) < 0 ||
		limit_lower(RLIMIT_FSIZE, limits->file_size) < 0)
		die(child, "setrlimit");
}

/* Everything is in place: may it run? The supervisor has recorded it by then.
 * If that is gone, there is no command. */
ON_OWN_STACK static void
wait_for_run(struct child *child)
{
	struct order order;
	ssize_t n;

	do
		n = read(child->socket, &order, sizeof(order));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(order) || order.kind != ORDER_RUN) {
		errno = EPIPE;
		die(child, "supervisor");
	}
}

/* From here on a notified call would wait for somebody who waits for us:
 * nothing but reading, the mask and exec. */
ON_OWN_STACK static int
start_main(void *data)
{
	struct start *start = data;
	struct child *child = start->child;
	const struct keeper_options *options = child->options;

	take_terminal(child);
	if (chdir(options->cwd) < 0)
		die(child, "chdir");
	if (child->ignore_children)
		signal(SIGCHLD, SIG_IGN);
	take_manner(child);
	drop_capabilities(child);
	die_with_keeper(child, start->keeper);
	restrict_self(child);
	take_limits(child);
	lower_limits(child);
	wait_for_run(child);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	execve(options->program, options->argv, options->envp);
	if (errno == ENOEXEC) {
		execve(SHELL, start->script, options->envp);
		errno = ENOEXEC;
	}
	die(child, "exec");
}

/* sh -- PROGRAM ARGS: the name may begin with a dash. */
static char **
script_argv(const struct keeper_options *options)
{
	size_t n = 0;
	char **argv;

	while (options->argv[n])
		n++;
	argv = calloc(n + 4, sizeof(*argv));
	if (!argv)
		return NULL;
	argv[0] = (char *)SHELL;
	argv[1] = (char *)"--";
	argv[2] = (char *)options->program;
	for (size_t i = 1; i < n; i++)
		argv[i + 2] = options->argv[i];
	return argv;
}

/* The stack stays mapped: 64 KiB of which a page or two were ever used. */
int
child_start(struct child *child)
{
	auto_free char **script = script_argv(child->options);
	struct start start = { .child = child, .keeper = getpid(), .script = script };
	char *stack;
	pid_t pid;

	child->step = NULL;
	child->error = 0;
	child->listener = -1;
	if (!script)
		return -ENOMEM;
	stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return -errno;
	pid = clone(start_main, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD,
		&start);
	if (pid < 0)
		return -errno;
	child->pid = pid;
	return 0;
}

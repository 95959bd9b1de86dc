/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about other processes: their limits, priorities, scheduling, and where
 * the floor does not scope them, signals. A process number is in a register and
 * cannot be changed after the look, so a yes is CONTINUE. Between look and deed
 * the number could pass to a new process; for that the old one must end and the
 * numbers wrap around within microseconds. A pidfd can be exchanged by another
 * thread, so that one is used here, on the copy that was looked at. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/gate/gate-private.h"
#include "line/gate/self-restricted.h"
#include "line/process/tree.h"
#include "perform/permit.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

/* Which argument is the signal; -1: none. */
static int
find_signal_arg(enum sys_form form)
{
	switch (form) {
	case FORM_PROCESS_KILL:
	case FORM_PROCESS_SIGNAL:
	case FORM_PROCESS_SIGNAL_PIDFD:
		return 1;
	case FORM_PROCESS_SIGNAL_THREAD:
		return 2;
	default:
		return -1;
	}
}

static int
about_pid(struct call *call, pid_t pid)
{
	if (pid == 0 || tree_holds(&call->gate->o.tree, pid))
		return call_continue(call);
	/* A number that cannot be, or is not there, gets its natural error. */
	if (pid < 0 || (kill(pid, 0) < 0 && errno == ESRCH))
		return -ESRCH;
	return -EPERM;
}

static int
about_group(struct call *call, pid_t group)
{
	if (group == 0)
		group = getpgid(call->target.tid);
	if (group <= 0 || (kill(-group, 0) < 0 && errno == ESRCH))
		return -ESRCH;
	return tree_holds_group(&call->gate->o.tree, group) ? call_continue(call) : -EPERM;
}

/* The command may share its session with processes outside: the keeper, the person's jobs, an
 * outer run's. In their group, kill(0) and what the terminal sends to a group would reach them. A
 * group whose first process is in the tree was made there. */
static int
join_group(struct call *call, pid_t pid, pid_t group)
{
	const struct tree *tree = &call->gate->o.tree;

	if (pid == 0)
		pid = target_pid(&call->target);
	if (group == pid || tree_holds(tree, group) || tree_holds_group(tree, group))
		return call_continue(call);
	return -EPERM;
}

static int
about_kill(struct call *call, pid_t pid)
{
	if (pid > 0)
		return about_pid(call, pid);
	if (pid == -1) /* everybody that the user has */
		return -EPERM;
	return about_group(call, -pid);
}

/* "which" counts from 0 in one call and from 1 in the other; users are whole
 * desktops. */
static int
decide_priority_target(struct call *call, int which)
{
	pid_t who = (pid_t)call->args[1];

	switch (which) {
	case PRIO_PROCESS:
		return about_pid(call, who);
	case PRIO_PGRP:
		return about_group(call, who);
	case PRIO_USER:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

/* The process behind a pidfd of our own, or -errno. */
static pid_t
pidfd_process(int pidfd)
{
	char path[64], *at;
	auto_free char *text = NULL;
	size_t len;
	int pid, r;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	r = fd_read_file(AT_FDCWD, path, 4096, &text, &len);
	if (r < 0)
		return r;
	at = strstr(text, "\nPid:");
	if (!at || sscanf(at, "\nPid: %d", &pid) != 1)
		return -EBADF;
	return pid > 0 ? pid : -ESRCH;
}

static int
about_pidfd(struct call *call)
{
	pid_t pid;

	call->subject_fd = target_fd(&call->target, (int)call->args[0]);
	if (call->subject_fd < 0)
		return call->subject_fd;
	pid = pidfd_process(call->subject_fd);
	if (pid < 0)
		return pid;
	if (!tree_holds(&call->gate->o.tree, pid))
		return -EPERM;
	return CALL_DECIDE;
}

static int
process_prepare(struct call *call)
{
	int signal = find_signal_arg(call->row->form);
	pid_t pid = (pid_t)call->args[0];

	call_begin(call);
	/* Signal 0 only asks whether there is one. */
	if (signal >= 0 && (int)call->args[signal] == 0)
		return call_continue(call);
	switch (call->row->form) {
	case FORM_PROCESS_PID:
	case FORM_PROCESS_SIGNAL:
	case FORM_PROCESS_SIGNAL_THREAD:
		return about_pid(call, pid);
	case FORM_PROCESS_GROUP:
		return join_group(call, pid, (pid_t)call->args[1]);
	case FORM_PROCESS_KILL:
		return about_kill(call, pid);
	case FORM_PROCESS_PRIORITY:
		return decide_priority_target(call, (int)call->args[0]);
	case FORM_PROCESS_IOPRIO:
		return decide_priority_target(call, (int)call->args[0] - 1);
	case FORM_PROCESS_SIGNAL_PIDFD:
	case FORM_PROCESS_RELEASE:
		return about_pidfd(call);
	default:
		return -EPERM;
	}
}

static int
send_signal(struct call *call)
{
	siginfo_t info;
	int r = 0;

	if (call->args[2])
		r = target_read(&call->target, call->args[2], &info, sizeof(info));
	if (r < 0)
		return r;
	if ((unsigned)call->args[3] & ~3U) /* to the thread or the process, not to a group */
		return -EINVAL;
	r = (int)syscall(SYS_pidfd_send_signal, call->subject_fd, (int)call->args[1],
		call->args[2] ? &info : NULL, (unsigned)call->args[3]);
	return r < 0 ? -errno : 0;
}

static int
release_memory(struct call *call)
{
	long r = syscall(SYS_process_mrelease, call->subject_fd, (unsigned)call->args[1]);

	return r < 0 ? -errno : 0;
}

static int
process_perform(struct call *call, struct pass *pass)
{
	int r = pass_use(pass);

	if (r == 0)
		r = call->row->form == FORM_PROCESS_RELEASE ? release_memory(call)
							    : send_signal(call);
	if (r == 0)
		call_value(call, 0);
	return r;
}

const struct call_op call_process = {
	.prepare = process_prepare,
	.perform = process_perform,
};

/* -- what changes what can be done ------------------------------------------------- */

static int
cannot_perform(struct call *call, struct pass *pass)
{
	(void)call;
	(void)pass;
	return -EPERM;
}

static int
restrict_prepare(struct call *call)
{
	self_restricted_add(call->gate, call->target.tid);
	return call_continue(call);
}

const struct call_op call_restrict = {
	.prepare = restrict_prepare,
	.perform = cannot_perform,
};

/* Programs that need more rights ask whether they can get any (sudo; whatever uses PAM, by a
 * library). The answer is the kernel's own; if theirs is a file that would give them some, the
 * person is told why it does not. */
static int
prctl_prepare(struct call *call)
{
	if ((int)call->args[0] == PR_SET_CHILD_SUBREAPER)
		gate_subreaper(call->gate);
	else if (target_is_privileged(&call->target))
		gate_tell_closed(call->gate, &call->target, CLOSED_PRIVILEGES);
	return call_continue(call);
}

const struct call_op call_prctl = {
	.prepare = prctl_prepare,
	.perform = cannot_perform,
};

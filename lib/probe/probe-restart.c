/* SPDX-License-Identifier: Apache-2.0 */
/* Tries in a child process whether a held call survives a signal: a thread makes a call that is
 * held, a signal for it comes, and the call is answered with the error that makes the kernel run
 * the handler and restart the call. The line relies on exactly this (gate-restart.c). */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/probe-restart.h"

#define RESTART_ALWAYS 513 /* ERESTARTNOINTR, the kernel's own */
#define RESULT 0x7fff0000  /* of the held call: above every number of a process */
#define LIMIT_S 5

static atomic_int handled;
static atomic_int listener = -1;

static void
count_signal(int sig)
{
	(void)sig;
	handled++;
}

/* Notifies getppid and lets every other call through. */
static int
make_listener(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		&program);
}

/* The listener is for the other thread: descriptors are shared, filters are not. */
static void *
make_held_call(void *data)
{
	bool *ok = data;
	int fd = make_listener();

	listener = fd >= 0 ? fd : -2;
	*ok = fd >= 0 && syscall(SYS_getppid) == RESULT;
	return NULL;
}

static int
receive_call(uint64_t *ret_id)
{
	union {
		struct seccomp_notif notif;
		char room[512];
	} in = { 0 };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in) < 0)
		return -errno;
	*ret_id = in.notif.id;
	return 0;
}

static int
answer_call(uint64_t id, int error, int64_t value)
{
	struct seccomp_notif_resp resp = { .id = id, .error = -error, .val = value };

	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp) < 0 ? -errno : 0;
}

/* Never returns. The alarm ends the child if it hangs. */
static void
run_restart_child(int go)
{
	struct sigaction action = { .sa_handler = count_signal }; /* without SA_RESTART */
	pthread_t thread;
	bool ok = false;
	uint64_t id = 0;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(1);
	alarm(LIMIT_S);
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, make_held_call, &ok) != 0)
		_exit(1);
	while (listener == -1)
		usleep(100);
	if (listener == -2 || receive_call(&id) < 0 || pthread_kill(thread, SIGUSR1) != 0 ||
		answer_call(id, RESTART_ALWAYS, 0) < 0 || receive_call(&id) < 0 ||
		answer_call(id, 0, RESULT) < 0)
		_exit(1);
	pthread_join(thread, NULL);
	_exit(ok && handled == 1 ? 0 : 1);
}

static bool
wait_for(pid_t child, int *ret_status)
{
	pid_t pid;

	do
		pid = waitpid(child, ret_status, __WALL);
	while (pid < 0 && errno == EINTR);
	return pid == child;
}

static bool
try_trace(pid_t child)
{
	int status;

	if (ptrace(PTRACE_SEIZE, child, NULL, NULL) < 0)
		return false;
	return ptrace(PTRACE_INTERRUPT, child, NULL, NULL) == 0 && wait_for(child, &status) &&
	       WIFSTOPPED(status) && ptrace(PTRACE_DETACH, child, NULL, NULL) == 0;
}

bool
probe_try_restart(bool *ret_traced)
{
	int go[2], status;
	pid_t child;
	bool told;

	*ret_traced = false;
	if (pipe2(go, O_CLOEXEC) < 0)
		return false;
	child = fork();
	if (child == 0) {
		close(go[1]);
		run_restart_child(go[0]);
	}
	close(go[0]);
	if (child > 0)
		*ret_traced = try_trace(child);
	told = child > 0 && write(go[1], "", 1) == 1;
	close(go[1]);
	if (child < 0)
		return false;
	return wait_for(child, &status) && told && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

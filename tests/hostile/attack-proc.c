/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on a process outside the tree, on the supervisor and on the keeper:
 * signals, tracing, memory, limits and priorities; and daemons that want to
 * outlive the run. */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static void
signal_kill(const struct world *w)
{
	kill(w->victim, SIGKILL);
}

static void
signal_stop(const struct world *w)
{
	kill(w->victim, SIGSTOP);
}

static void
signal_user(const struct world *w)
{
	kill(w->victim, SIGUSR1);
}

static void
signal_group(const struct world *w)
{
	kill(-w->victim, SIGUSR1);
}

static void
signal_thread(const struct world *w)
{
	syscall(SYS_tgkill, w->victim, w->victim, SIGUSR1);
}

static void
signal_tkill(const struct world *w)
{
	syscall(SYS_tkill, w->victim, SIGUSR1);
}

static void
signal_queue(const struct world *w)
{
	sigqueue(w->victim, SIGRTMIN, (union sigval){ .sival_int = 1 });
}

static void
signal_queue_thread(const struct world *w)
{
	siginfo_t info = { .si_code = SI_QUEUE, .si_pid = getpid(), .si_uid = getuid() };

	syscall(SYS_rt_tgsigqueueinfo, w->victim, w->victim, SIGUSR2, &info);
}

static void
signal_pidfd(const struct world *w)
{
	syscall(SYS_pidfd_send_signal, (int)syscall(SYS_pidfd_open, w->victim, 0), SIGUSR1, NULL,
		0);
}

static void
signal_proc_directory(const struct world *w)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d", (int)w->victim);
	syscall(SYS_pidfd_send_signal, open(name, O_RDONLY | O_DIRECTORY), SIGUSR1, NULL, 0);
}

/* The kernel sends it when something can be read. */
static void
own_descriptor(int how, pid_t pid)
{
	const struct f_owner_ex owner = { F_OWNER_PID, pid };
	int pair[2];

	if (pipe(pair) < 0)
		return;
	if (how == F_SETOWN)
		fcntl(pair[0], F_SETOWN, pid);
	else if (how == F_SETOWN_EX)
		fcntl(pair[0], F_SETOWN_EX, &owner);
	fcntl(pair[0], F_SETSIG, SIGUSR1);
	fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	(void)!write(pair[1], "x", 1);
}

static void
signal_by_owner(const struct world *w)
{
	own_descriptor(F_SETOWN, w->victim);
}

static void
signal_by_owner_group(const struct world *w)
{
	own_descriptor(F_SETOWN, -w->victim);
}

static void
signal_by_owner_ex(const struct world *w)
{
	own_descriptor(F_SETOWN_EX, w->victim);
}

static void
signal_by_child(const struct world *w)
{
	int ends[2];
	char c;
	pid_t pid;

	if (pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		setsid();
		if (fork() == 0)
			kill(w->victim, SIGTERM);
		_exit(0);
	}
	close(ends[1]);
	reap(pid);
	/* Until the last who has it is gone. */
	(void)!read(ends[0], &c, 1);
	close(ends[0]);
}

static void
trace_attach(const struct world *w)
{
	if (ptrace(PTRACE_ATTACH, w->victim, NULL, NULL) < 0)
		return;
	waitpid(w->victim, NULL, __WALL);
	ptrace(PTRACE_POKEDATA, w->victim, (void *)w->word, (void *)1L);
	ptrace(PTRACE_DETACH, w->victim, NULL, NULL);
}

static void
trace_seize(const struct world *w)
{
	if (ptrace(PTRACE_SEIZE, w->victim, NULL, NULL) == 0)
		loot(w, "a tracee");
}

static void
memory_write(const struct world *w)
{
	int64_t word = 1;
	struct iovec mine = { &word, sizeof(word) }, its = { (void *)w->word, sizeof(word) };

	process_vm_writev(w->victim, &mine, 1, &its, 1, 0);
}

static void
memory_read(const struct world *w)
{
	int64_t word = 0;
	struct iovec mine = { &word, sizeof(word) }, its = { (void *)w->word, sizeof(word) };

	if (process_vm_readv(w->victim, &mine, 1, &its, 1, 0) > 0 && word == 4711)
		loot(w, "its memory");
}

static void
memory_file(const struct world *w)
{
	int64_t word = 1;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)w->victim);
	fd = open(name, O_RDWR);
	(void)!pwrite(fd, &word, sizeof(word), (off_t)w->word);
}

static void
memory_file_read(const struct world *w)
{
	int64_t word = 0;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)w->victim);
	fd = open(name, O_RDONLY);
	if (pread(fd, &word, sizeof(word), (off_t)w->word) > 0 && word == 4711)
		loot(w, "its memory");
}

static void
memory_advise(const struct world *w)
{
	struct iovec its = { (void *)(w->word & ~4095UL), 4096 };
	int pidfd = (int)syscall(SYS_pidfd_open, w->victim, 0);

	/* MADV_COLD; needs CAP_SYS_NICE as well */
	if (syscall(SYS_process_madvise, pidfd, &its, 1, 20, 0) > 0)
		loot(w, "advice about its memory");
	else if (w->plain)
		cannot("no process_madvise for this user");
}

static void
set_limit(const struct world *w)
{
	const struct rlimit limit = { 100, 100 };

	prlimit(w->victim, RLIMIT_NOFILE, &limit, NULL);
}

static void
set_nice(const struct world *w)
{
	setpriority(PRIO_PROCESS, (id_t)w->victim, 5);
}

static void
set_nice_group(const struct world *w)
{
	setpriority(PRIO_PGRP, (id_t)w->victim, 5);
}

static void
set_scheduler(const struct world *w)
{
	const struct sched_param param = { 0 };

	sched_setscheduler(w->victim, SCHED_BATCH, &param);
}

static void
set_scheduler_attributes(const struct world *w)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} a = { .size = 48, .policy = SCHED_IDLE };

	syscall(SYS_sched_setattr, w->victim, &a, 0);
}

static void
set_affinity(const struct world *w)
{
	cpu_set_t one;

	if (w->plain && sysconf(_SC_NPROCESSORS_ONLN) < 2)
		cannot("one processor");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(w->victim, sizeof(one), &one);
}

static void
set_io_priority(const struct world *w)
{
	syscall(SYS_ioprio_set, 1, w->victim, 3 << 13);
}

static void
set_io_priority_group(const struct world *w)
{
	syscall(SYS_ioprio_set, 2, w->victim, 2 << 13 | 7);
}

static void
write_proc(const struct world *w, const char *file, const char *text)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/%s", (int)w->victim, file);
	fd = open(name, O_WRONLY);
	if (write(fd, text, strlen(text)) < 0 && w->plain)
		cannot("this file is not there, or not for this user");
}

static void
set_oom_score(const struct world *w)
{
	write_proc(w, "oom_score_adj", "500");
}

static void
set_core_filter(const struct world *w)
{
	write_proc(w, "coredump_filter", "0x7f");
}

/* ---- the supervisor and the keeper ---- */

/* 0 is the parent, which behind the line is the keeper; 1 is its parent. Without
 * a line the victim stands for both. */
static pid_t
above(const struct world *w, int up)
{
	pid_t pid = getppid();
	char name[64];
	FILE *stat;

	if (w->plain)
		return w->victim;
	while (up-- > 0) {
		snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
		stat = fopen(name, "re");
		if (stat == NULL || fscanf(stat, "%*d %*s %*c %d", &pid) != 1)
			pid = -1;
		if (stat != NULL)
			fclose(stat);
	}
	return pid;
}

static void
each_above(const struct world *w, void (*hurt)(pid_t pid))
{
	for (int up = 0; up < 2; up++) {
		pid_t pid = above(w, up);

		if (pid > 1)
			hurt(pid);
	}
}

static void
hurt_by_signals(pid_t pid)
{
	kill(pid, SIGTERM);
	kill(pid, SIGSTOP);
	kill(pid, SIGKILL);
	syscall(SYS_pidfd_send_signal, (int)syscall(SYS_pidfd_open, pid, 0), SIGKILL, NULL, 0);
}

static void
ancestors_kill(const struct world *w)
{
	each_above(w, hurt_by_signals);
}

/* A supervisor that cannot open anything, or that gets no processor. */
static void
hurt_by_limits(pid_t pid)
{
	const struct rlimit none = { 3, 3 };
	const struct sched_param param = { 0 };

	prlimit(pid, RLIMIT_NOFILE, &none, NULL);
	prlimit(pid, RLIMIT_CPU, &none, NULL);
	setpriority(PRIO_PROCESS, (id_t)pid, 19);
	sched_setscheduler(pid, SCHED_IDLE, &param);
	syscall(SYS_ioprio_set, 1, pid, 3 << 13);
}

static void
ancestors_limit(const struct world *w)
{
	struct rlimit limit;

	each_above(w, hurt_by_limits);
	for (int up = 0; up < 2; up++) {
		pid_t pid = above(w, up);

		if (prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur == 3)
			loot(w, "no descriptors left");
		if (getpriority(PRIO_PROCESS, (id_t)pid) == 19 ||
			sched_getscheduler(pid) == SCHED_IDLE)
			loot(w, "no processor left");
	}
}

static void
ancestors_trace(const struct world *w)
{
	for (int up = 0; up < 2; up++) {
		pid_t pid = above(w, up);
		char name[64];

		if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0)
			loot(w, "a tracee");
		snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
		if (open(name, O_RDWR) >= 0 || open(name, O_RDONLY) >= 0)
			loot(w, "memory");
	}
}

static void
ancestors_group(const struct world *w)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	/* Without a line the own group is the attack alone. */
	kill(w->plain ? -w->victim : 0, SIGUSR1);
	kill(w->plain ? -w->victim : 0, SIGTERM);
}

/* ---- daemons ---- */

/* The lock is on what all copies of the descriptor share: whoever tries it later
 * knows whether any process that came from here is alive. */
static int
take_lock(const struct world *w)
{
	char text[32];
	int fd = open(in(w->folder, "daemon.new"), O_RDWR | O_CREAT | O_TRUNC, 0644);

	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	(void)!write(fd, text, strlen(text));
	flock(fd, LOCK_EX);
	rename(in(w->folder, "daemon.new"), in(w->folder, "daemon"));
	return fd;
}

static void
be_daemon(const struct world *w, bool stubborn)
{
	static const int ignored[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGPIPE };

	setsid();
	if (fork() != 0)
		_exit(0);
	for (size_t i = 0; stubborn && i < COUNT(ignored); i++)
		signal(ignored[i], SIG_IGN);
	(void)!chdir("/");
	dup2(take_lock(w), 3);
	closefrom(4);
	/* Gives up in the end, whoever forgets it. */
	for (int i = 0; i < 600; i++)
		usleep(50000);
	_exit(0);
}

static void
start_daemon(const struct world *w, bool stubborn)
{
	pid_t pid = fork();

	if (pid == 0)
		be_daemon(w, stubborn);
	reap(pid);
	for (int i = 0; i < 2000 && access(in(w->folder, "daemon"), F_OK) < 0; i++)
		usleep(1000);
}

static void
daemon_plain(const struct world *w)
{
	start_daemon(w, false);
}

static void
daemon_stubborn(const struct world *w)
{
	start_daemon(w, true);
}

/* It waits in a call that is held, or would be, when the run ends. */
static void
daemon_stopped(const struct world *w)
{
	char text[32] = "";
	int fd;

	start_daemon(w, true);
	fd = open(in(w->folder, "daemon"), O_RDONLY);
	if (read(fd, text, sizeof(text) - 1) > 0)
		kill((pid_t)strtol(text, NULL, 10), SIGSTOP);
}

/* Always a new one before the old one ends, until nobody wants it any more. */
static void
daemon_running_away(const struct world *w)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		take_lock(w);
		for (int i = 0; i < 3000 && access(in(w->folder, "daemon"), F_OK) == 0; i++) {
			if (fork() != 0)
				_exit(0);
			usleep(300);
		}
		_exit(0);
	}
	reap(pid);
}

static const struct attack list[] = {
	{ "signal-kill", signal_kill, 0 },
	{ "signal-stop", signal_stop, 0 },
	{ "signal-user", signal_user, 0 },
	{ "signal-group", signal_group, 0 },
	{ "signal-tgkill", signal_thread, 0 },
	{ "signal-tkill", signal_tkill, 0 },
	{ "signal-queue", signal_queue, 0 },
	{ "signal-queue-thread", signal_queue_thread, 0 },
	{ "signal-pidfd", signal_pidfd, 0 },
	{ "signal-proc-directory", signal_proc_directory, 0 },
	{ "signal-by-owner", signal_by_owner, 0 },
	{ "signal-by-owner-group", signal_by_owner_group, 0 },
	{ "signal-by-owner-ex", signal_by_owner_ex, 0 },
	{ "signal-by-grandchild", signal_by_child, 0 },
	{ "trace-attach", trace_attach, 0 },
	{ "trace-seize", trace_seize, 0 },
	{ "memory-write", memory_write, 0 },
	{ "memory-read", memory_read, 0 },
	{ "memory-file-write", memory_file, 0 },
	{ "memory-file-read", memory_file_read, 0 },
	{ "memory-advise", memory_advise, 0 },
	{ "prlimit", set_limit, 0 },
	{ "setpriority", set_nice, 0 },
	{ "setpriority-group", set_nice_group, 0 },
	{ "sched-setscheduler", set_scheduler, 0 },
	{ "sched-setattr", set_scheduler_attributes, 0 },
	{ "sched-setaffinity", set_affinity, 0 },
	{ "ioprio-set", set_io_priority, 0 },
	{ "ioprio-set-group", set_io_priority_group, 0 },
	{ "oom-score", set_oom_score, 0 },
	{ "coredump-filter", set_core_filter, 0 },
	{ "supervisor-kill", ancestors_kill, 0 },
	{ "supervisor-limits", ancestors_limit, 0 },
	{ "supervisor-trace", ancestors_trace, 0 },
	{ "supervisor-group", ancestors_group, 0 },
	{ "daemon", daemon_plain, 0 },
	{ "daemon-stubborn", daemon_stubborn, 0 },
	{ "daemon-stopped", daemon_stopped, 0 },
	{ "daemon-running-away", daemon_running_away, 0 },
};

const struct attacks attacks_proc = { list, COUNT(list) };

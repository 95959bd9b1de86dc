/* SPDX-License-Identifier: Apache-2.0 */
/* Other processes again: the calls that ask as for ptrace, or by a pidfd, and
 * have no other file; and the same calls on processes of the session's own, and
 * shared objects of its own, which must work as if there were no line. */

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <mqueue.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

#define OWN_FD 75 /* a descriptor of the own process, on a file without a name */

static int
pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* ---- the victim ---- */

static void
robust_list(const struct world *w)
{
	size_t len = 0;
	void *head = NULL;

	if (syscall(SYS_get_robust_list, w->victim, &head, &len) == 0)
		loot(w, "where its locks are");
}

static void
compare(const struct world *w)
{
	if (syscall(SYS_kcmp, getpid(), w->victim, KCMP_VM, 0, 0) >= 0)
		loot(w, "a comparison");
	else if (w->plain && errno == ENOSYS)
		cannot("no kcmp");
}

/* Without nodes to move to it only says where the pages are. */
static void
pages_move(const struct world *w)
{
	void *page = (void *)(w->word & ~4095UL);
	int where = -1;

	if (syscall(SYS_move_pages, w->victim, 1UL, &page, NULL, &where, 0) == 0)
		loot(w, "where its pages are");
	else if (w->plain && errno == ENOSYS)
		cannot("no move_pages");
}

static void
pages_migrate(const struct world *w)
{
	unsigned long node = 1;

	if (syscall(SYS_migrate_pages, w->victim, 64UL, &node, &node) >= 0)
		loot(w, "its pages moved");
	else if (w->plain && errno == ENOSYS)
		cannot("no migrate_pages");
}

/* To whom the call is open the kernel says that this one is not dying. */
static void
memory_release(const struct world *w)
{
	if (syscall(SYS_process_mrelease, pidfd(w->victim), 0) == 0 || errno == EINVAL)
		loot(w, "its memory, as soon as it is killed");
	else if (w->plain)
		cannot("no process_mrelease");
}

/* It has priority 0 already: that the kernel takes it is all there is to see. */
static void
set_scheduler_parameter(const struct world *w)
{
	const struct sched_param param = { 0 };

	if (sched_setparam(w->victim, &param) == 0)
		loot(w, "its priority");
}

static void
schedule_together(const struct world *w)
{
	if (prctl(PR_SCHED_CORE, 1 /* CREATE */, w->victim, 1 /* its threads */, 0) == 0)
		loot(w, "a core of its own");
	else if (w->plain)
		cannot("no core scheduling");
}

static void
own_socket(const struct world *w, unsigned long command)
{
	int pair[2], one = 1;
	pid_t pid = w->victim;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return;
	ioctl(pair[0], command, &pid);
	ioctl(pair[0], FIOASYNC, &one);
	(void)!write(pair[1], "x", 1);
}

static void
signal_by_ioctl(const struct world *w)
{
	own_socket(w, 0x8901 /* FIOSETOWN */);
}

static void
signal_by_socket_group(const struct world *w)
{
	own_socket(w, 0x8902 /* SIOCSPGRP */);
}

static void
write_setting(const struct world *w, const char *file, const char *text)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/%s", (int)w->victim, file);
	fd = open(name, O_WRONLY);
	if (fd >= 0 && write(fd, text, strlen(text)) > 0)
		loot(w, file);
	else if (w->plain)
		cannot("this file is not there, or not for this user");
}

static void
set_autogroup(const struct world *w)
{
	write_setting(w, "autogroup", "3");
}

static void
set_timer_slack(const struct world *w)
{
	write_setting(w, "timerslack_ns", "1000000");
}

static void
clear_references(const struct world *w)
{
	write_setting(w, "clear_refs", "1");
}

static void
read_environment(const struct world *w)
{
	char name[64], bytes[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/environ", (int)w->victim);
	fd = open(name, O_RDONLY);
	if (read(fd, bytes, sizeof(bytes)) > 0)
		loot(w, "its environment");
	else if (w->plain)
		cannot("it has no environment");
}

/* ---- processes of the own tree ---- */

/* What the own process and this one share: where its word is, what it got. */
struct shared {
	volatile pid_t pid;
	volatile int signals;
	volatile int64_t word;
};

static struct shared *shared;
static int64_t *own_word; /* at the same address on both sides, but not shared */
static unsigned wrong;

static void
on_signal(int sig)
{
	(void)sig;
	__atomic_fetch_add(&shared->signals, 1, __ATOMIC_SEQ_CST);
}

static void
own_main(void)
{
	static const int caught[] = { SIGUSR1, SIGUSR2, SIGTERM };
	int fd = memfd_create("own", 0);

	for (size_t i = 0; i < COUNT(caught); i++)
		signal(caught[i], on_signal);
	signal(SIGRTMIN, on_signal);
	prctl(PR_SET_PTRACER, -1L); /* where Yama lets only parents trace */
	(void)!write(fd, SECRET, strlen(SECRET));
	dup2(fd, OWN_FD);
	*own_word = 4711;
	setpgid(0, 0);
	__atomic_store_n(&shared->pid, getpid(), __ATOMIC_SEQ_CST);
	for (int i = 0; i < 400; i++) /* gives up in the end, whoever forgets it */
		usleep(50000);
	_exit(0);
}

/* A child, or one whose parent has ended: the subreaper's child then. */
static pid_t
own_start(bool orphan)
{
	pid_t pid;

	if (shared == NULL) {
		shared =
			mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		own_word = mmap(
			NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (shared == MAP_FAILED || own_word == MAP_FAILED)
		cannot("no memory");
	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (pid == 0) {
		if (orphan && (setsid() < 0 || fork() != 0))
			_exit(0);
		own_main();
	}
	if (orphan)
		reap(pid);
	for (int i = 0; i < 5000 && __atomic_load_n(&shared->pid, __ATOMIC_SEQ_CST) == 0; i++)
		usleep(1000);
	return shared->pid;
}

static void
own_end(pid_t pid)
{
	if (pid > 1)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}

/* What did not work is said, and then there is no proof. */
static void
must(bool so, const char *what)
{
	if (so)
		return;
	printf("%s did not work on a process of the tree: %s\n", what, strerror(errno));
	fflush(stdout);
	wrong++;
}

static bool
signalled(int times)
{
	for (int i = 0; i < 2000; i++) {
		if (__atomic_load_n(&shared->signals, __ATOMIC_SEQ_CST) >= times)
			return true;
		usleep(1000);
	}
	return false;
}

static void
own_signals_one(pid_t pid)
{
	siginfo_t info = { .si_code = SI_QUEUE, .si_pid = getpid(), .si_uid = getuid() };

	must(kill(pid, SIGUSR1) == 0 && signalled(1), "kill");
	must(syscall(SYS_tkill, pid, SIGUSR1) == 0 && signalled(2), "tkill");
	must(syscall(SYS_tgkill, pid, pid, SIGUSR1) == 0 && signalled(3), "tgkill");
	must(sigqueue(pid, SIGRTMIN, (union sigval){ 0 }) == 0 && signalled(4), "rt_sigqueueinfo");
	must(syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGUSR2, &info) == 0 && signalled(5),
		"rt_tgsigqueueinfo");
	must(syscall(SYS_pidfd_send_signal, pidfd(pid), SIGUSR1, NULL, 0) == 0 && signalled(6),
		"pidfd_send_signal");
	must(kill(-pid, SIGTERM) == 0 && signalled(7), "kill of a group");
}

static void
own_trace_one(pid_t pid)
{
	int64_t word = 0, mine = 8;
	struct iovec here = { &word, sizeof(word) }, there = { own_word, sizeof(word) };
	char bytes[32] = "";
	int fd;

	must(process_vm_readv(pid, &here, 1, &there, 1, 0) > 0 && word == 4711, "process_vm_readv");
	here.iov_base = &mine;
	must(process_vm_writev(pid, &here, 1, &there, 1, 0) > 0, "process_vm_writev");
	must(ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0, "ptrace");
	waitpid(pid, NULL, __WALL);
	must(ptrace(PTRACE_PEEKDATA, pid, own_word, NULL) == 8, "ptrace, to read");
	must(ptrace(PTRACE_POKEDATA, pid, own_word, (void *)9L) == 0, "ptrace, to write");
	must(ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0, "ptrace, to let go");
	here.iov_base = &word;
	must(process_vm_readv(pid, &here, 1, &there, 1, 0) > 0 && word == 9, "what was written");
	fd = (int)syscall(SYS_pidfd_getfd, pidfd(pid), OWN_FD, 0);
	must(pread(fd, bytes, sizeof(bytes), 0) > 0 && strcmp(bytes, SECRET) == 0, "pidfd_getfd");
}

static void
own_settings_one(pid_t pid)
{
	struct rlimit limit = { 100, 100 };
	struct sched_param param = { 0 };
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = { .size = 48, .policy = SCHED_IDLE };
	cpu_set_t one;

	must(prlimit(pid, RLIMIT_NOFILE, &limit, NULL) == 0, "prlimit");
	limit.rlim_cur = 0;
	must(prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur == 100, "a limit");
	must(setpriority(PRIO_PROCESS, (id_t)pid, 5) == 0 &&
			getpriority(PRIO_PROCESS, (id_t)pid) == 5,
		"setpriority");
	must(setpriority(PRIO_PGRP, (id_t)pid, 6) == 0 && getpriority(PRIO_PROCESS, (id_t)pid) == 6,
		"setpriority of a group");
	must(syscall(SYS_ioprio_set, 1, pid, 2 << 13 | 7) == 0 &&
			syscall(SYS_ioprio_get, 1, pid) == (2 << 13 | 7),
		"ioprio_set");
	must(sched_setparam(pid, &param) == 0, "sched_setparam");
	must(sched_setscheduler(pid, SCHED_BATCH, &param) == 0 &&
			sched_getscheduler(pid) == SCHED_BATCH,
		"sched_setscheduler");
	must(syscall(SYS_sched_setattr, pid, &attributes, 0) == 0 &&
			sched_getscheduler(pid) == SCHED_IDLE,
		"sched_setattr");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	must(sched_setaffinity(pid, sizeof(one), &one) == 0, "sched_setaffinity");
}

static void
own_looks_one(pid_t pid)
{
	void *page = own_word, *head = NULL;
	unsigned long node = 1;
	size_t len;
	int where = -1;

	must(syscall(SYS_move_pages, pid, 1UL, &page, NULL, &where, 0) == 0 || errno == ENOSYS,
		"move_pages");
	must(syscall(SYS_migrate_pages, pid, 64UL, &node, &node) >= 0 || errno == ENOSYS,
		"migrate_pages");
	must(syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0) > 0 || errno == ENOSYS, "kcmp");
	must(syscall(SYS_get_robust_list, pid, &head, &len) == 0, "get_robust_list");
}

/* Stopped by its tracer on its last way, it is dying, and has its memory. */
static void
own_release_one(pid_t pid)
{
	int fd = pidfd(pid);

	must(ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXIT) == 0, "ptrace");
	must(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0, "ptrace, to stop it");
	waitpid(pid, NULL, __WALL);
	/* The next signal ends it. */
	must(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0, "ptrace, to go on");
	must(kill(pid, SIGALRM) == 0, "kill");
	waitpid(pid, NULL, __WALL); /* the signal */
	ptrace(PTRACE_CONT, pid, NULL, (void *)(long)SIGALRM);
	waitpid(pid, NULL, __WALL); /* its end */
	if (syscall(SYS_process_mrelease, fd, 0) < 0 && errno == ENOSYS)
		return;
	must(syscall(SYS_process_mrelease, fd, 0) == 0, "process_mrelease");
	ptrace(PTRACE_CONT, pid, NULL, NULL);
}

/* What one process of the tree makes, another one uses; the other one here is
 * the process itself, or a child of it. */
static void
own_sysv(key_t key, bool make)
{
	int flags = make ? IPC_CREAT | IPC_EXCL | 0600 : 0600;
	int shm = shmget(key, 4096, flags), sem = semget(key, 1, flags), msg = msgget(key, flags);
	struct sembuf up = { 0, 1, 0 };
	struct timespec soon = { .tv_sec = 5 };
	struct {
		long type;
		char text[8];
	} message = { 1, "own" };
	char *at = shmat(shm, NULL, 0);

	must(at != (void *)-1, "shmget, shmat");
	if (at == (void *)-1)
		return;
	must(make || strcmp(at, "own") == 0, "what is in the memory");
	memcpy(at, "own", 4);
	must(shmdt(at) == 0, "shmdt");
	must(semop(sem, &up, 1) == 0 && semtimedop(sem, &up, 1, &soon) == 0, "semget, semop");
	must(semctl(sem, 0, GETVAL) == (make ? 2 : 4), "semctl");
	must(msgsnd(msg, &message, sizeof(message.text), IPC_NOWAIT) == 0, "msgget, msgsnd");
	must(msgrcv(msg, &message, sizeof(message.text), 0, IPC_NOWAIT) == 8, "msgrcv");
	if (make)
		return;
	must(shmctl(shm, IPC_RMID, NULL) == 0, "shmctl");
	must(semctl(sem, 0, IPC_RMID) == 0, "semctl, to remove");
	must(msgctl(msg, IPC_RMID, NULL) == 0, "msgctl");
	must(semctl(sem, 0, GETVAL) < 0 && (errno == EINVAL || errno == EIDRM), "what is gone");
}

static void
own_posix(const char *name, bool make)
{
	int flags = O_RDWR | (make ? O_CREAT | O_EXCL : 0), fd = shm_open(name, flags, 0600);
	sem_t *sem = make ? sem_open(name, O_CREAT | O_EXCL, 0600, 1) : sem_open(name, 0);
	mqd_t mq = mq_open(name, flags | O_NONBLOCK, 0600, NULL);
	char *at = MAP_FAILED;

	must(fd >= 0 && (!make || ftruncate(fd, 4096) == 0), "shm_open");
	if (fd >= 0)
		at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap of it");
	if (at != MAP_FAILED) {
		must(make || strcmp(at, "own") == 0, "what is in it");
		memcpy(at, "own", 4);
	}
	must(sem != SEM_FAILED, "sem_open");
	if (sem != SEM_FAILED)
		must(sem_trywait(sem) == 0 && sem_post(sem) == 0, "sem_wait");
	must(mq >= 0 && mq_send(mq, "own", 3, 0) == 0, "mq_open, mq_send");
	if (make)
		return;
	must(shm_unlink(name) == 0, "shm_unlink");
	must(sem_unlink(name) == 0, "sem_unlink");
	must(mq_unlink(name) == 0, "mq_unlink");
}

/* What a child found wrong counts, too. */
static void
own_ipc(const struct world *w)
{
	key_t key = (key_t)(0x49000000 | (getpid() & 0xffffff));
	char name[80];
	int status = 0;
	pid_t pid;

	snprintf(name, sizeof(name), "%s.own", w->shm_name);
	own_sysv(key, true);
	own_posix(name, true);
	pid = fork();
	if (pid == 0) {
		own_sysv(key, false);
		own_posix(name, false);
		_exit(wrong != 0);
	}
	waitpid(pid, &status, 0);
	if (wrong == 0 && status == 0)
		loot(w, "all of it works");
}

static void
own_each(const struct world *w, void (*act)(pid_t pid))
{
	for (int orphan = 0; orphan < 2; orphan++) {
		pid_t pid = own_start(orphan);

		act(pid);
		own_end(pid);
	}
	if (wrong == 0)
		loot(w, "all of it works");
}

static void
own_signals(const struct world *w)
{
	own_each(w, own_signals_one);
}

static void
own_trace(const struct world *w)
{
	own_each(w, own_trace_one);
}

static void
own_settings(const struct world *w)
{
	own_each(w, own_settings_one);
}

static void
own_looks(const struct world *w)
{
	own_each(w, own_looks_one);
}

static void
own_release(const struct world *w)
{
	own_each(w, own_release_one);
}

static const struct attack list[] = {
	{ "robust-list", robust_list, 0 },
	{ "kcmp", compare, 0 },
	{ "pages-move", pages_move, 0 },
	{ "pages-migrate", pages_migrate, 0 },
	{ "memory-release", memory_release, 0 },
	{ "sched-setparam", set_scheduler_parameter, 0 },
	{ "sched-core", schedule_together, 0 },
	{ "signal-by-ioctl", signal_by_ioctl, 0 },
	{ "signal-by-socket-group", signal_by_socket_group, 0 },
	{ "autogroup", set_autogroup, 0 },
	{ "timer-slack", set_timer_slack, 0 },
	{ "clear-references", clear_references, 0 },
	{ "environment", read_environment, 0 },
	{ "tree-signals", own_signals, WORKS },
	{ "tree-trace", own_trace, WORKS },
	{ "tree-settings", own_settings, WORKS },
	{ "tree-pages-and-locks", own_looks, WORKS },
	{ "tree-memory-release", own_release, WORKS },
	{ "tree-ipc", own_ipc, WORKS },
};

const struct attacks attacks_other = { list, COUNT(list) };

/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on the supervisor's patience: memory that ends where it should not,
 * numbers without sense, floods of calls, threads and processes, and locks on
 * its record. Nothing may hang, and nothing outside may change meanwhile. */

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define THREADS 300
#define PROCESSES 60
#define FLOOD 20000

/* Memory of n bytes with nothing behind it. */
static char *
before_nothing(size_t n)
{
	char *at = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		cannot("no memory");
	munmap(at + 2 * 4096, 4096);
	return at + 2 * 4096 - n;
}

static const char *
at_page_end(const char *path)
{
	char *at = before_nothing(strlen(path) + 1);

	memcpy(at, path, strlen(path) + 1);
	return at;
}

static void
page_end_create(const struct world *w)
{
	spoil(open(at_page_end(in(w->outside, "new")), O_WRONLY | O_CREAT, 0644));
	chmod(at_page_end(w->file), 0777);
	unlink(at_page_end(in(w->outside, "full/two")));
}

/* The same inside is nothing but an unusual place for a name. */
static void
page_end_inside(const struct world *w)
{
	mkdir(at_page_end(in(w->folder, "born")), 0755);
}

static void
no_end(const struct world *w)
{
	char *at = before_nothing(100);

	(void)w;
	memset(at, 'a', 100);
	close(open(at, O_WRONLY | O_CREAT, 0644));
	mkdir(at, 0755);
	rename(at, "sub/x");
	rename("sub/mine", at);
	chmod(at, 0777);
	(void)!symlink(at, "sub/s");
}

static void
bad_pointers(const struct world *w)
{
	static const long bad[] = { 0, 8, -1, -4096, (long)0x7ffffffff000,
		(long)0x8000000000000000 };
	static const int path_first[] = { SYS_truncate, SYS_setxattr, SYS_removexattr };
	static const int path_second[] = { SYS_openat, SYS_mkdirat, SYS_unlinkat, SYS_fchmodat,
		SYS_fchownat, SYS_utimensat, SYS_renameat2, SYS_linkat, SYS_openat2, SYS_mknodat };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), local = socket(AF_UNIX, SOCK_DGRAM, 0);

	(void)w;
	for (size_t i = 0; i < COUNT(bad); i++) {
		for (size_t j = 0; j < COUNT(path_first); j++)
			syscall(path_first[j], bad[i], bad[i], bad[i], bad[i], bad[i]);
		for (size_t j = 0; j < COUNT(path_second); j++)
			syscall(path_second[j], AT_FDCWD, bad[i], O_WRONLY | O_CREAT, bad[i],
				bad[i], 0);
		syscall(SYS_symlinkat, bad[i], AT_FDCWD, bad[i]);
		syscall(SYS_connect, fd, bad[i], 16);
		syscall(SYS_connect, local, bad[i], 110);
		syscall(SYS_bind, fd, bad[i], 16);
		syscall(SYS_sendto, fd, bad[i], 10, 0, bad[i], 16);
		syscall(SYS_sendmsg, fd, bad[i], 0);
		syscall(SYS_sendmmsg, fd, bad[i], 4, 0);
		syscall(SYS_mq_open, bad[i], O_RDWR, 0, bad[i]);
		syscall(SYS_shmctl, bad[i], 0, bad[i]);
		syscall(SYS_setxattr, "sub/mine", bad[i], bad[i], bad[i], 0);
		syscall(SYS_prlimit64, getppid(), 7, bad[i], bad[i]);
		syscall(SYS_landlock_restrict_self, bad[i], 0);
	}
}

static void
huge_numbers(const struct world *w)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	static struct iovec iov[4] = { { "x", SIZE_MAX / 2 }, { "x", 1 } };
	struct msghdr msg = { .msg_name = &a,
		.msg_namelen = UINT32_MAX,
		.msg_iov = iov,
		.msg_iovlen = 1UL << 40,
		.msg_control = &a,
		.msg_controllen = SIZE_MAX / 2 };
	static struct mmsghdr many[8];
	struct open_how how = { .flags = UINT64_MAX, .mode = UINT64_MAX, .resolve = UINT64_MAX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char *path = malloc(70000);

	memset(path, '/', 69999);
	path[69999] = '\0';
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", w->dgram_path);
	syscall(SYS_sendmsg, fd, &msg, ~0);
	msg.msg_namelen = sizeof(a);
	syscall(SYS_sendmsg, fd, &msg, 0);
	for (size_t i = 0; i < COUNT(many); i++)
		many[i].msg_hdr = msg;
	syscall(SYS_sendmmsg, fd, many, UINT32_MAX, 0);
	syscall(SYS_sendto, fd, path, 1UL << 40, 0, &a, UINT32_MAX);
	syscall(SYS_connect, fd, &a, -1);
	syscall(SYS_bind, fd, &a, INT32_MAX);
	syscall(SYS_setxattr, "sub/mine", "user.big", path, 1UL << 62, 0);
	syscall(SYS_setxattr, "sub/mine", path, path, 10, 0);
	syscall(SYS_openat2, AT_FDCWD, "sub/mine", &how, 1UL << 40);
	syscall(SYS_openat2, AT_FDCWD, "sub/mine", &how, sizeof(how));
	syscall(SYS_openat2, AT_FDCWD, path, &how, 3);
	close(open(path, O_WRONLY | O_CREAT, 0644));
	mkdir(path, 0755);
	syscall(SYS_fchmod, -1, 0777);
	syscall(SYS_fchmod, INT32_MAX, 0777);
	syscall(SYS_openat, 900000, "x", O_WRONLY | O_CREAT, 0644);
	free(path);
}

static void
deep_symlinks(const struct world *w)
{
	char from[32], to[32];

	for (int i = 0; i < 60; i++) {
		snprintf(from, sizeof(from), "sub/l%d", i);
		snprintf(to, sizeof(to), "l%d", i + 1);
		(void)!symlink(to, from);
	}
	(void)!symlink(w->file, "sub/l60");
	(void)!symlink("loop", "sub/loop");
	spoil(open("sub/l0", O_WRONLY));
	spoil(open("sub/loop/x", O_WRONLY | O_CREAT, 0644));
	chmod("sub/l5", 0777);
	/* Not so deep: the kernel follows forty. */
	chmod("sub/l30", 0777);
}

/* Each is refused, as often as it is asked. */
static void
flood_refused(const struct world *w)
{
	for (int i = 0; i < FLOOD; i++)
		close(open(in(w->outside, "new"), O_WRONLY | O_CREAT, 0644));
}

static void
flood_names(const struct world *w)
{
	char name[LENGTH + 20];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%s/new-%d", w->outside, i % (w->plain ? 3 : 1000));
		close(open(name, O_WRONLY | O_CREAT, 0644));
	}
}

struct worker {
	const struct world *w;
	int number;
};

static void *
busy_thread(void *arg)
{
	struct worker *me = arg;
	char name[LENGTH + 40];

	snprintf(name, sizeof(name), "%s/sub/t%d", me->w->folder, me->number);
	for (int i = 0; i < 4; i++) {
		mkdir(name, 0755);
		chmod(name, 0700);
		rmdir(name);
		chmod(me->w->file, 0777);
		close(open(in(me->w->outside, "new"), O_WRONLY | O_CREAT, 0644));
	}
	return NULL;
}

static void
flood_threads(const struct world *w)
{
	static struct worker workers[THREADS];
	static pthread_t threads[THREADS];
	pthread_attr_t attr;
	int n = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (n < THREADS) {
		workers[n] = (struct worker){ w, n };
		if (pthread_create(&threads[n], &attr, busy_thread, &workers[n]) != 0)
			break;
		n++;
	}
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

/* They are killed in the middle of their calls. */
static void
flood_killed(const struct world *w)
{
	pid_t pids[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct worker me = { w, i };

			for (int j = 0; j < 200; j++)
				busy_thread(&me);
			_exit(0);
		}
	}
	usleep(50000);
	for (int i = 0; i < PROCESSES; i++) {
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	}
	for (int i = 0; i < PROCESSES; i++)
		reap(pids[i]);
}

/* Questions that nobody waits for any more. */
static void
on_alarm(int sig)
{
	(void)sig;
}

static void
flood_interrupted(const struct world *w)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval timer = { { 0, 300 }, { 0, 300 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 1000; i++) {
		mkdir("sub/i", 0755);
		rmdir("sub/i");
		chmod(w->file, 0777);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static void
lock_all(int fd)
{
	static const off_t starts[] = { 0, 120, 0x40000000, 0x40000001, 0x40000002 };

	for (size_t i = 0; i < COUNT(starts); i++) {
		struct flock lock = { .l_type = F_RDLCK,
			.l_whence = SEEK_SET,
			.l_start = starts[i],
			.l_len = starts[i] == 120 ? 8 : 510 };

		fcntl(fd, F_SETLK, &lock);
		fcntl(fd, F_OFD_SETLK, &lock);
	}
	flock(fd, LOCK_EX | LOCK_NB);
}

/* Whoever can read a file can lock it; the person's own commands must work all
 * the same, and this session's must go on. */
static void
record_locks(const struct world *w)
{
	struct dirent *e;
	DIR *dir;

	if (w->plain) {
		loot(w, "whether it works without a line is not the question");
		return;
	}
	for (int again = 0; again < 2; again++) {
		dir = opendir(w->state);
		while (dir != NULL && (e = readdir(dir)) != NULL)
			lock_all(open(in(w->state, e->d_name), O_RDONLY));
		if (dir != NULL)
			lock_all(dirfd(dir));
		if (again == 0)
			ask_runner(w, "log");
	}
	spoil(open(w->file, O_WRONLY));
	ask_runner(w, "log");
}

static void
lock_own_program(const struct world *w)
{
	if (w->plain) {
		loot(w, "whether it works without a line is not the question");
		return;
	}
	lock_all(open(w->config, O_RDONLY));
	lock_all(open(in(w->folder, ".ambit.json"), O_RDONLY));
	lock_all(open(w->folder, O_RDONLY));
	lock_all(open("/proc/self/exe", O_RDONLY));
	ask_runner(w, "log");
}

static const struct attack list[] = {
	{ "page-end", page_end_create, 0 },
	{ "page-end-inside", page_end_inside, WORKS },
	{ "string-without-end", no_end, HARMLESS },
	{ "bad-pointers", bad_pointers, HARMLESS },
	{ "huge-numbers", huge_numbers, HARMLESS },
	{ "deep-symlinks", deep_symlinks, 0 },
	{ "flood-refused", flood_refused, 0 },
	{ "flood-names", flood_names, 0 },
	{ "flood-threads", flood_threads, 0 },
	{ "flood-killed", flood_killed, 0 },
	{ "flood-interrupted", flood_interrupted, 0 },
	{ "record-locks", record_locks, 0 },
	{ "settings-locks", lock_own_program, 0 },
};

const struct attacks attacks_edge = { list, COUNT(list) };

/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured: one program that does one thing many times and prints the
 * nanoseconds it took, started natively, by ambit and by bubblewrap. */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static void
work_read_open(long n)
{
	for (long i = 0; i < n; i++) {
		int fd = open("sub/file", O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			fail("open");
		close(fd);
	}
}

static void
work_stat(long n)
{
	struct stat st;

	for (long i = 0; i < n; i++)
		if (stat("sub/file", &st) < 0)
			fail("stat");
}

static void
create_at(const char *name, long n)
{
	for (long i = 0; i < n; i++) {
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

		if (fd < 0)
			fail(name);
		close(fd);
		if (unlink(name) < 0)
			fail(name);
	}
}

static void
work_create_sub(long n)
{
	create_at("sub/new", n);
}

static void
work_create_top(long n)
{
	create_at("new", n);
}

static void
work_create_tmp(long n)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/ambit-bench.%d", (int)getpid());
	create_at(name, n);
}

static void
work_exec(long n)
{
	char *const argv[] = { (char *)"/bin/true", NULL };
	int status;
	pid_t pid;

	for (long i = 0; i < n; i++)
		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
			waitpid(pid, &status, 0) < 0 || status != 0)
			fail("true");
}

static void
work_sendmsg(long n)
{
	int pair[2];
	char byte[64] = { 0 };
	struct iovec iov = { byte, sizeof(byte) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		fail("socketpair");
	for (long i = 0; i < n; i++)
		if (sendmsg(pair[0], &msg, 0) < 0 || read(pair[1], byte, sizeof(byte)) < 0)
			fail("sendmsg");
}

static void
run_shell(const char *line)
{
	char *const argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)line, NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
		waitpid(pid, &status, 0) < 0 || status != 0)
		fail(line);
}

static const struct work {
	const char *name;
	void (*run)(long n);
} works[] = {
	{ "read-open", work_read_open },
	{ "stat", work_stat },
	{ "create-sub", work_create_sub },
	{ "create-top", work_create_top },
	{ "create-tmp", work_create_tmp },
	{ "exec", work_exec },
	{ "sendmsg", work_sendmsg },
};

/* argv: work NAME N, or work shell LINE. */
static int
work_main(char **argv)
{
	double begun;

	if (strcmp(argv[0], "shell") == 0) {
		begun = now_ns();
		run_shell(argv[1]);
		printf("%.0f\n", now_ns() - begun);
		return 0;
	}
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (strcmp(works[i].name, argv[0]) == 0) {
			works[i].run(strtol(argv[1], NULL, 10) / 10 + 1); /* warm */
			begun = now_ns();
			works[i].run(strtol(argv[1], NULL, 10));
			printf("%.0f\n", now_ns() - begun);
			return 0;
		}
	return 2;
}

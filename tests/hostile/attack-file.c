/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on the content of a file outside: every call that opens, creates or
 * cuts, by every way to spell the same file. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static void
open_write(const struct world *w)
{
	spoil(open(w->file, O_WRONLY));
}

static void
open_read_write(const struct world *w)
{
	spoil(open(w->file, O_RDWR));
}

static void
open_append(const struct world *w)
{
	spoil(open(w->file, O_WRONLY | O_APPEND));
}

static void
open_truncate_read(const struct world *w)
{
	close(open(w->file, O_RDONLY | O_TRUNC));
}

static void
open_access_3(const struct world *w)
{
	close(open(w->file, O_ACCMODE | O_TRUNC));
}

static void
open_create(const struct world *w)
{
	spoil(open(in(w->outside, "new"), O_WRONLY | O_CREAT, 0644));
}

static void
open_create_read(const struct world *w)
{
	close(open(in(w->outside, "new"), O_RDONLY | O_CREAT, 0644));
}

static void
open_create_exclusive(const struct world *w)
{
	spoil(open(in(w->outside, "new"), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
}

/* The kernel drops O_CREAT beside O_PATH; a filter that knows one of the two
 * must not let the other by. */
static void
open_path_and_more(const struct world *w)
{
	int fd = open(w->file, O_PATH | O_WRONLY | O_TRUNC | O_CREAT, 0644);

	spoil(open(proc_fd(fd), O_WRONLY | O_TRUNC));
}

static void
legacy_creat(const struct world *w)
{
	spoil(creat(w->file, 0644));
}

static void
legacy_open(const struct world *w)
{
#ifdef SYS_open
	spoil((int)syscall(SYS_open, w->file, O_WRONLY | O_TRUNC, 0));
#else
	(void)w;
	cannot("no open() here");
#endif
}

/* High bits that the kernel ignores. */
static void
open_high_bits(const struct world *w)
{
	spoil((int)syscall(SYS_openat, (long)AT_FDCWD, w->file, 0x7777000000000000L | O_WRONLY, 0));
}

static void
openat_directory(const struct world *w)
{
	int dir = open(w->outside, O_RDONLY | O_DIRECTORY);

	spoil(openat(dir, "file", O_WRONLY));
}

static void
openat_path_directory(const struct world *w)
{
	int dir = open(w->outside, O_PATH | O_DIRECTORY);

	spoil(openat(dir, "full/../file", O_WRONLY | O_TRUNC));
}

static void
open_relative(const struct world *w)
{
	(void)w;
	spoil(open("../../outside/file", O_WRONLY));
}

static void
open_dots(const struct world *w)
{
	spoil(open(in(w->folder, "sub/../../..//./outside/full/../file"), O_WRONLY));
}

static void
open_changed_directory(const struct world *w)
{
	if (chdir(w->outside) == 0)
		spoil(open("file", O_WRONLY));
}

static void
open2(const struct world *w, int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = flags, .mode = flags & O_CREAT ? 0644 : 0, .resolve = resolve
	};

	(void)w;
	spoil((int)syscall(SYS_openat2, dir, path, &how, sizeof(how)));
}

static void
openat2_write(const struct world *w)
{
	open2(w, AT_FDCWD, w->file, O_WRONLY, 0);
}

static void
openat2_truncate(const struct world *w)
{
	open2(w, AT_FDCWD, w->file, O_RDONLY | O_TRUNC, RESOLVE_NO_MAGICLINKS);
}

static void
openat2_in_root(const struct world *w)
{
	open2(w, open(w->outside, O_PATH), "/file", O_WRONLY, RESOLVE_IN_ROOT);
}

/* As seen from that root, it looks like a name in the folder. */
static void
openat2_in_root_lies(const struct world *w)
{
	open2(w, open(w->outside, O_PATH), in("../../../..", "file"), O_WRONLY | O_CREAT,
		RESOLVE_IN_ROOT);
}

static void
openat2_beneath(const struct world *w)
{
	open2(w, open(w->outside, O_PATH), "file", O_WRONLY, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

static void
openat2_create(const struct world *w)
{
	open2(w, AT_FDCWD, in(w->outside, "new"), O_WRONLY | O_CREAT, RESOLVE_NO_XDEV);
}

/* A bigger structure whose further bytes are zero is valid. */
static void
openat2_big(const struct world *w)
{
	struct {
		struct open_how how;
		char zero[64];
	} big = { .how = { .flags = O_WRONLY } };

	spoil((int)syscall(SYS_openat2, AT_FDCWD, w->file, &big, sizeof(big)));
}

static void
truncate_path(const struct world *w)
{
	(void)!truncate(w->file, 1);
}

static void
tmpfile_outside(const struct world *w)
{
	int fd = open(w->outside, O_WRONLY | O_TMPFILE, 0644);

	if (fd < 0 && w->plain)
		cannot("no O_TMPFILE here");
	linkat(AT_FDCWD, proc_fd(fd), AT_FDCWD, in(w->outside, "new"), AT_SYMLINK_FOLLOW);
}

static void
tmpfile_link_out(const struct world *w)
{
	int fd = open(w->folder, O_WRONLY | O_TMPFILE, 0644);

	if (fd < 0 && w->plain)
		cannot("no O_TMPFILE here");
	linkat(AT_FDCWD, proc_fd(fd), AT_FDCWD, in(w->outside, "new"), AT_SYMLINK_FOLLOW);
}

static void
tmpfile_link_out_empty(const struct world *w)
{
	int fd = open(w->folder, O_WRONLY | O_TMPFILE, 0644);

	if (linkat(fd, "", AT_FDCWD, in(w->outside, "new"), AT_EMPTY_PATH) < 0 && w->plain)
		cannot("no link by an empty path");
}

static void
reopen_read(const struct world *w)
{
	spoil(open(proc_fd(open(w->file, O_RDONLY)), O_WRONLY));
}

static void
reopen_path(const struct world *w)
{
	spoil(open(proc_fd(open(w->file, O_PATH)), O_RDWR));
}

static void
reopen_truncate(const struct world *w)
{
	(void)!truncate(proc_fd(open(w->file, O_PATH)), 1);
}

static void
reopen_dev_fd(const struct world *w)
{
	char name[64];

	snprintf(name, sizeof(name), "/dev/fd/%d", open(w->file, O_RDONLY));
	spoil(open(name, O_WRONLY | O_APPEND));
}

static void
reopen_thread_self(const struct world *w)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/thread-self/fd/%d", open(w->file, O_RDONLY));
	spoil(open(name, O_WRONLY));
}

static void
reopen_task(const struct world *w)
{
	char name[96];

	snprintf(name, sizeof(name), "/proc/%d/task/%d/fd/%d", (int)getpid(), (int)getpid(),
		open(w->file, O_RDONLY));
	spoil(open(name, O_WRONLY));
}

/* Through a link in the folder to the magic link. */
static void
reopen_by_symlink(const struct world *w)
{
	(void)!symlink(proc_fd(open(w->file, O_RDONLY)), "magic");
	spoil(open("magic", O_WRONLY));
}

static void
reopen_by_directory(const struct world *w)
{
	char name[32];
	int fd = open(w->file, O_RDONLY), dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);

	snprintf(name, sizeof(name), "%d", fd);
	spoil(openat(dir, name, O_WRONLY));
}

/* /proc/self/fd/DIR/file */
static void
reopen_beneath_directory(const struct world *w)
{
	spoil(open(in(proc_fd(open(w->outside, O_RDONLY)), "file"), O_WRONLY));
}

static void
reopen_of_child(const struct world *w)
{
	int fd = open(w->file, O_RDONLY), gate[2];
	char name[64], byte;
	pid_t pid;

	if (pipe(gate) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		(void)!read(gate[0], &byte, 1);
		_exit(0);
	}
	close(gate[0]);
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, fd);
	spoil(open(name, O_WRONLY));
	close(gate[1]);
	reap(pid);
}

static void
proc_self_root(const struct world *w)
{
	spoil(open(in("/proc/self/root", w->file), O_WRONLY));
}

static void
proc_root_of_init(const struct world *w)
{
	if (w->plain && access("/proc/1/root", X_OK) < 0)
		cannot("/proc/1/root is closed to this user");
	spoil(open(in("/proc/1/root", w->file), O_WRONLY));
}

static void
proc_root_of_victim(const struct world *w)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%d/root", (int)w->victim);
	spoil(open(in(root, w->file), O_WRONLY));
}

static void
proc_self_cwd(const struct world *w)
{
	if (chdir(w->outside) == 0)
		spoil(open("/proc/self/cwd/file", O_WRONLY));
}

static void
proc_cwd_of_child(const struct world *w)
{
	int ready[2], gate[2];
	char name[64], byte;
	pid_t pid;

	if (pipe(ready) < 0 || pipe(gate) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		(void)!chdir(w->outside);
		(void)!write(ready[1], "r", 1);
		(void)!read(gate[0], &byte, 1);
		_exit(0);
	}
	(void)!read(ready[0], &byte, 1);
	snprintf(name, sizeof(name), "/proc/%d/cwd/file", (int)pid);
	spoil(open(name, O_WRONLY));
	close(gate[1]);
	reap(pid);
}

static void
proc_fd_of_victim(const struct world *w)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)w->victim, VICTIM_FILE_FD);
	spoil(open(name, O_WRONLY));
}

static void
fifo_write(const struct world *w)
{
	spoil(open(in(w->outside, "fifo"), O_WRONLY | O_NONBLOCK));
}

static void
copy_into(const struct world *w)
{
	int from = open(in(w->folder, "sub/mine"), O_RDONLY), to = open(w->file, O_WRONLY);

	if (syscall(SYS_copy_file_range, from, NULL, to, NULL, 4, 0) != 4)
		(void)!sendfile(to, from, NULL, 4);
}

/* Shared, so that what is written into memory is written to the file. */
static void
map_shared(const struct world *w)
{
	char *at = mmap(NULL, 5, PROT_READ | PROT_WRITE, MAP_SHARED, open(w->file, O_RDWR), 0);

	if (at != MAP_FAILED)
		memcpy(at, "MAPPD", 5);
}

/* The kernel itself writes the core, where the process stands. */
static void
core_dump(const struct world *w)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	char pattern[64] = "";
	int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY);
	pid_t pid;

	if (fd >= 0)
		(void)!read(fd, pattern, sizeof(pattern) - 1);
	if (pattern[0] == '|' || pattern[0] == '/' || pattern[0] == '@' || pattern[0] == '\0')
		cannot("cores do not go to the directory of a process");
	pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &limit);
		(void)!chdir(w->outside);
		abort();
	}
	reap(pid);
}

/* The thread that does it goes on when the first of the process has ended: no
 * /proc/PID to look at, but /proc/PID/task/TID. */
static void *
orphan_thread(void *arg)
{
	const struct world *w = arg;

	for (int i = 0; i < 200; i++) {
		char text[256] = "";
		int fd = open("/proc/self/stat", O_RDONLY);

		(void)!read(fd, text, sizeof(text) - 1);
		close(fd);
		if (strstr(text, ") Z ") != NULL)
			break;
		usleep(1000);
	}
	chmod(w->file, 0606);
	spoil(open(w->file, O_WRONLY));
	_exit(0);
}

static void
thread_without_leader(const struct world *w)
{
	pid_t pid = fork();
	pthread_t thread;

	if (pid == 0) {
		if (pthread_create(&thread, NULL, orphan_thread, (void *)(uintptr_t)w) != 0)
			_exit(1);
		syscall(SYS_exit, 0);
	}
	reap(pid);
}

static void
exec_memfd(const struct world *w)
{
	char *const argv[] = { "sh", "-c", "echo SPOILT >\"$0\"", (char *)(uintptr_t)w->file,
		NULL };
	char *const envp[] = { NULL };
	int fd = memfd_create("program", 0), from = open("/bin/sh", O_RDONLY);
	struct stat st;
	pid_t pid;

	if (fstat(from, &st) < 0 || sendfile(fd, from, NULL, (size_t)st.st_size) != st.st_size)
		cannot("no copy of the shell");
	pid = fork();
	if (pid == 0) {
		syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
		_exit(127);
	}
	reap(pid);
}

static void
shell_redirection(const struct world *w)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c",
			"echo SPOILT >>\"$0\"; cp \"$0\" \"$0.copy\"; rm \"$0\"", w->file,
			(char *)NULL);
		_exit(127);
	}
	reap(pid);
}

static const struct attack list[] = {
	{ "open-write", open_write, 0 },
	{ "open-read-write", open_read_write, 0 },
	{ "open-append", open_append, 0 },
	{ "open-truncate-read-only", open_truncate_read, 0 },
	{ "open-access-mode-3", open_access_3, 0 },
	{ "open-create", open_create, 0 },
	{ "open-create-read-only", open_create_read, 0 },
	{ "open-create-exclusive", open_create_exclusive, 0 },
	{ "open-path-and-more", open_path_and_more, 0 },
	{ "open-high-bits", open_high_bits, 0 },
	{ "open-legacy", legacy_open, 0 },
	{ "creat", legacy_creat, 0 },
	{ "openat-directory", openat_directory, 0 },
	{ "openat-path-directory", openat_path_directory, 0 },
	{ "open-relative", open_relative, 0 },
	{ "open-dots", open_dots, 0 },
	{ "open-after-chdir", open_changed_directory, 0 },
	{ "openat2-write", openat2_write, 0 },
	{ "openat2-truncate", openat2_truncate, 0 },
	{ "openat2-in-root", openat2_in_root, 0 },
	{ "openat2-in-root-dots", openat2_in_root_lies, 0 },
	{ "openat2-beneath", openat2_beneath, 0 },
	{ "openat2-create", openat2_create, 0 },
	{ "openat2-bigger-structure", openat2_big, 0 },
	{ "truncate", truncate_path, 0 },
	{ "tmpfile-outside", tmpfile_outside, 0 },
	{ "tmpfile-link-out", tmpfile_link_out, 0 },
	{ "tmpfile-link-out-empty-path", tmpfile_link_out_empty, 0 },
	{ "reopen-read-only", reopen_read, 0 },
	{ "reopen-path-descriptor", reopen_path, 0 },
	{ "reopen-truncate", reopen_truncate, 0 },
	{ "reopen-dev-fd", reopen_dev_fd, 0 },
	{ "reopen-thread-self", reopen_thread_self, 0 },
	{ "reopen-task", reopen_task, 0 },
	{ "reopen-by-symlink", reopen_by_symlink, 0 },
	{ "reopen-by-directory", reopen_by_directory, 0 },
	{ "reopen-beneath-directory", reopen_beneath_directory, 0 },
	{ "reopen-of-child", reopen_of_child, 0 },
	{ "proc-self-root", proc_self_root, 0 },
	{ "proc-root-of-init", proc_root_of_init, 0 },
	{ "proc-root-of-victim", proc_root_of_victim, 0 },
	{ "proc-self-cwd", proc_self_cwd, 0 },
	{ "proc-cwd-of-child", proc_cwd_of_child, 0 },
	{ "proc-fd-of-victim", proc_fd_of_victim, 0 },
	{ "fifo-write", fifo_write, 0 },
	{ "copy-file-range", copy_into, 0 },
	{ "map-shared", map_shared, 0 },
	{ "core-dump", core_dump, 0 },
	{ "thread-without-leader", thread_without_leader, 0 },
	{ "exec-memfd", exec_memfd, 0 },
	{ "shell-redirection", shell_redirection, 0 },
};

const struct attacks attacks_file = { list, COUNT(list) };

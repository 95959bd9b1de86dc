/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_TARGET_H
#define LINE_OBJECT_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The thread that made a notified call, seen from outside. Nothing here is
 * trusted twice: memory is copied once, and what was copied is what counts.
 * The thread stands still, but others of its process do not. */

struct target {
	pid_t tid;
	int pidfd;  /* of the thread, opened when first needed; -1 */
	bool whole; /* it is of the whole process: an older kernel */
	/* Where its last relative path began (a dirfd; -1: none), and O_PATH of
	 * the link in /proc that says what that is, once it was asked for twice. */
	int base;
	int link;
	bool makes; /* its umask was asked for, and then its status file is kept; or -1 */
	int status;
};

/* The process behind a target: read when a person or the record is told. */
struct target_who {
	pid_t pid; /* its thread group */
	pid_t parent;
	uint64_t start;
	uint64_t layout;  /* where its code, stack and arguments lie, as one number */
	char program[64]; /* comm; as the process says, so: shown escaped */
};

void target_init(struct target *target, pid_t tid);
void target_finish(struct target *target);

/* len bytes, all of them, or -EFAULT; -EACCES if its memory cannot be read at
 * all (not dumpable). */
int target_read(const struct target *target, uint64_t address, void *data, size_t len);

/* A NUL-terminated string of at most size-1 bytes; never reads past the page
 * that the string ends in. Its length, -EFAULT, -ENAMETOOLONG, -EACCES. */
ssize_t target_string(const struct target *target, uint64_t address, char *data, size_t size);

/* Writes to its memory (msg lengths of sendmmsg, socket option results). */
int target_write(const struct target *target, uint64_t address, const void *data, size_t len);

/* An O_PATH copy of its cwd or of one of its descriptors: fresh
 * descriptions, so that nothing done to them is seen by the target. -EBADF.
 * -EACCES if it cannot be looked into. */
int target_cwd(const struct target *target);
int target_fd_path(const struct target *target, int fd);

/* The kernel's name for its cwd (AT_FDCWD) or for one of its descriptors, as
 * readlink gives it: not terminated. The length; -errno. */
ssize_t target_name_of(struct target *target, int dirfd, char *name, size_t size);

/* Its very descriptor (pidfd_getfd), sharing the open file. -EBADF; -EPERM
 * where that call is refused. */
int target_fd(struct target *target, int fd);

/* Its umask. */
int target_umask(struct target *target, mode_t *ret_umask);

/* Its thread group. -ESRCH. */
pid_t target_pid(const struct target *target);

int target_who(const struct target *target, struct target_who *ret_who);

/* When the thread itself began: with its number it means this thread and no other. -ESRCH. */
int target_start(const struct target *target, uint64_t *ret_start);

/* The file that this process runs: its name, as readlink gives it and terminated, and which
 * it is. -EACCES where it cannot be looked into. */
int target_exe(pid_t pid, char path[PATH_MAX], struct stat *ret_st);

/* Whether it runs a file that gives rights to whoever runs it (setuid, setgid, file
 * capabilities), or a file that nobody may look into, as such files are on some systems. */
bool target_is_privileged(const struct target *target);

/* Whether it has the supervisor's own credentials and no capability: real,
 * effective, saved and file system ids, groups. What is done on behalf of
 * another would be done with rights that it does not have. */
bool target_is_us(const struct target *target);

/* Whether a signal waits for it that it does not block or ignore: a call that
 * waits for its peer must end. */
bool target_signalled(const struct target *target);

/* Signals that wait and that the thread does not block, one bit each. The kernel drops an
 * ignored signal when it is sent, so each of these acts as soon as the thread can take it. */
struct target_signals {
	uint64_t own;	 /* for this thread */
	uint64_t shared; /* for any thread of its process */
	uint64_t caught; /* have a handler, whether they wait or not */
	long threads;	 /* of its process */
};

/* -ESRCH. */
int target_signals(const struct target *target, struct target_signals *ret_signals);

/* Whether another thread of its process has stopped for a signal (SIGSTOP, SIGTSTP). The kernel has
 * then told this one to stop, too, and marked a signal as pending for it. */
bool target_must_stop(const struct target *target);

#endif

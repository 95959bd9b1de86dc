/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_ACT_H
#define PERFORM_ACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <ambit/engine.h>

#include "perform/permit.h"

/* Changes to the file system, each on a parent directory that is held open and a last
 * component that is never followed, or on the object itself held by an O_PATH descriptor.
 * 0 or -errno as the plain call would give. Each uses up the pass first: no pass, no act.
 * Thread-safe: the umask of this process is not used (modes are given as they shall be) and
 * must be 0 in the thread that acts (see act_thread). Moves, links and new names: hand.h. */

/* Gives the calling thread a file system context of its own (umask 0), once,
 * and puts its capabilities out of effect: nobody has any in whose place it
 * acts. -errno if that is refused here: then the umask is set for the process. */
int act_thread(void);

int act_open(struct pass *pass, int parent, const char *name, int flags, mode_t mode,
	int *ret_fd); /* O_NOFOLLOW and O_CLOEXEC are added; name "": parent itself, O_TMPFILE */
/* The object behind an O_PATH descriptor, opened anew with these flags. */
int act_reopen(struct pass *pass, int fd, int flags, int *ret_fd);
/* The same for a FIFO to write to that has no reader yet: waits for one, asking
 * give_up every few milliseconds (-EINTR). The result is O_NONBLOCK. */
int act_reopen_wait(
	struct pass *pass, int fd, int flags, bool (*give_up)(void *data), void *data, int *ret_fd);
int act_mkdir(struct pass *pass, int parent, const char *name, mode_t mode);
/* The same by renaming an empty directory of ours, held open, so that it is that one; if it
 * cannot be moved there, a new one is made. -ESTALE: another one lay at from_name. */
int act_mkdir_by_move(struct pass *pass, int from, const char *from_name, int held, int parent,
	const char *name, mode_t mode, bool *ret_moved);
int act_unlink(struct pass *pass, int parent, const char *name, bool dir);
/* A fresh file with this text and mode takes the place of name, and the file
 * lock beside it (or NULL) is gone. */
int act_put_text(struct pass *pass, int parent, const char *lock, const char *name, mode_t mode,
	const char *text, size_t len);
int act_truncate(struct pass *pass, int fd, int64_t length);

/* On the object itself, also if it is a symlink (where the kernel can). */
int act_chmod(struct pass *pass, int fd, mode_t mode);
int act_chown(struct pass *pass, int fd, uid_t uid, gid_t gid);
int act_utimens(struct pass *pass, int fd, const struct timespec times[2]); /* NULL: now */
int act_setxattr(
	struct pass *pass, int fd, const char *name, const void *value, size_t size, int flags);
int act_removexattr(struct pass *pass, int fd, const char *name);
int act_setattr(struct pass *pass, int fd, const void *attr, size_t size);

/* On a socket shared with the one who asked (pidfd_getfd). */
struct sockaddr;
struct msghdr;
/* The file of a unix socket gets 0777 less the umask of this thread, which is
 * 0: who binds one sets the umask around it. */
int act_connect(struct pass *pass, int socket, const struct sockaddr *address, size_t len);
int act_bind(struct pass *pass, int socket, const struct sockaddr *address, size_t len);
ssize_t act_send(struct pass *pass, int socket, const struct msghdr *message, int flags);
/* One act can take several calls: a connect that has to wait, the pieces and
 * messages of one send. It begins with a pass, and these go on with it: only on
 * the socket and to the address that it began with, in the same perform. */
int act_connect_again(int socket, const struct sockaddr *address, size_t len);
int act_bind_undo(int dir, const char *name); /* the file that act_bind has just made */
ssize_t act_send_again(int socket, const struct msghdr *message, int flags);

#endif

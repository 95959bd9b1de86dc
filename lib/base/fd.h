/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/own.h"

/* A descriptor that is declared auto_close is closed when the block ends. */

static inline void
fd_close_at(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define auto_close __attribute__((cleanup(fd_close_at)))

static inline int
steal_fd(int *fd)
{
	int out = *fd;

	*fd = -1;
	return out;
}

/* Reads a whole regular file of at most max bytes; NUL-terminated, caller
 * frees. 0 or -errno (-EFBIG when larger, -EISDIR, -EINVAL when not a file). */
int fd_read_file(int dirfd, const char *name, size_t max, char **ret_text, size_t *ret_len);

/* The same of a descriptor opened for reading (O_NONBLOCK, so that a FIFO
 * cannot hold the opener up). Does not take it. */
int fd_read_open(int fd, size_t max, char **ret_text, size_t *ret_len);

/* Whether what it is open on came to be at this time or later, in milliseconds since the epoch.
 * False where the file system does not tell, or tells of a copy. */
bool fd_is_born_since(int fd, int64_t time);

/* All of it, or -errno. */
int fd_write_all(int fd, const void *data, size_t len);

#endif

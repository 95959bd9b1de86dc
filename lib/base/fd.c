/* SPDX-License-Identifier: Apache-2.0 */
/* Whole-file reading and writing. Reading opens without blocking and looks at
 * what was opened: a FIFO or a device under the name of a settings file must
 * not hang or feed the program. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"

int
fd_read_open(int fd, size_t max, char **ret_text, size_t *ret_len)
{
	auto_free char *text = NULL;
	struct stat st;
	size_t len = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size < 0 || (size_t)st.st_size > max)
		return -EFBIG;
	text = malloc(max < (size_t)st.st_size + 4096 ? max + 2 : (size_t)st.st_size + 4096 + 2);
	if (!text)
		return -ENOMEM;
	size_t room = (max < (size_t)st.st_size + 4096 ? max : (size_t)st.st_size + 4096) + 1;
	for (;;) {
		ssize_t n = read(fd, text + len, room - len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (n == 0)
			break;
		len += (size_t)n;
		if (len >= room) /* it grew while we read */
			return -EFBIG;
	}
	text[len] = '\0';
	*ret_text = steal_ptr(&text);
	*ret_len = len;
	return 0;
}

int
fd_read_file(int dirfd, const char *name, size_t max, char **ret_text, size_t *ret_len)
{
	auto_close int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	return fd_read_open(fd, max, ret_text, ret_len);
}

int
fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

bool
fd_is_born_since(int fd, int64_t time)
{
	struct statfs fs;
	struct statx st;

	/* An overlay makes a copy of an old directory when something in it changes. */
	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type == OVERLAYFS_SUPER_MAGIC ||
		statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_BTIME,
			&st) < 0 ||
		!(st.stx_mask & STATX_BTIME))
		return false;
	return (int64_t)st.stx_btime.tv_sec * 1000 + st.stx_btime.tv_nsec / 1000000 >= time;
}

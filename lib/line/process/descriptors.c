/* SPDX-License-Identifier: Apache-2.0 */
/* Looks through /proc/PID/fd. The kernel writes it, so it is trusted; but the process may
 * change it meanwhile, so the caller must check again whatever it builds on. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/process/descriptors.h"

int
descriptors_open_process(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool
descriptors_search(int process, bool (*found)(void *data, const char *fd, const char *file),
	void *data, int *left)
{
	int list = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = list >= 0 ? fdopendir(list) : NULL;
	const struct dirent *entry;
	char file[64];
	bool any = false;

	if (!dir) {
		fd_close_at(&list);
		return false;
	}
	while (!any && *left > 0 && (entry = readdir(dir))) {
		ssize_t n = readlinkat(list, entry->d_name, file, sizeof(file) - 1);

		--*left;
		file[n > 0 ? n : 0] = '\0';
		any = n > 0 && found(data, entry->d_name, file);
	}
	closedir(dir);
	return any;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A directory, held open, into an empty one. The things in it may be links to anywhere,
 * directories without permissions, nested deeper than any path is long, or moved while we are
 * at it: only descriptors and single names are used, and few descriptors at a time. Never "..":
 * a directory that somebody moves away would lead us to its new place, and all that is there
 * would go. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/clear.h"
#include "scope/resolve.h"

#define WAY_MAX 32 /* descriptors held on the way down */
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* By name, the mode would be set on whatever the name leads to by then. */
static int
open_closed(int parent, const char *name)
{
	auto_close int held = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char link[40];
	int fd;

	if (held < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", held);
	if (chmod(link, 0700) < 0)
		return -EACCES;
	fd = openat(held, ".", OPEN_DIR);
	return fd < 0 ? -errno : fd;
}

int
clear_enter(int parent, const char *name)
{
	struct stat st;
	int fd = openat(parent, name, OPEN_DIR);

	if (fd < 0)
		fd = errno == EACCES ? open_closed(parent, name) : -errno;
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	return fd;
}

/* Removes what is no directory, and directories that are empty; the first that
 * is not goes into ret_name. 1: there is one; 0: empty now; -errno. */
static int
clear_level(int fd, char ret_name[NAME_MAX + 1])
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (!dir) {
		r = -errno;
		if (copy >= 0)
			close(copy);
		return r;
	}
	while (r == 0 && (entry = readdir(dir)) != NULL) {
		if (streq(entry->d_name, ".") || streq(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT ||
			unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			continue;
		if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES) {
			r = -errno;
		} else {
			memcpy(ret_name, entry->d_name, strlen(entry->d_name) + 1);
			r = 1;
		}
	}
	closedir(dir);
	return r;
}

/* A directory that lies too deep is moved up to the top: otherwise the way down to it would be
 * gone again and again. */
static bool
lift_directory(int fd, const char *name, int top)
{
	char lifted[RESOLVE_TEMP];

	resolve_temp_name(lifted);
	return renameat2(fd, name, top, lifted, RENAME_NOREPLACE) == 0;
}

/* Down into what is not empty, and back by the descriptors that were held on
 * the way. If a directory too deep cannot be lifted, the descriptors are let go, and
 * the way is begun again from the top. */
int
clear_directory(int top, unsigned long steps)
{
	char name[NAME_MAX + 1];
	int way[WAY_MAX], depth = 0, r = -EAGAIN;

	while (r == -EAGAIN && steps-- > 0) {
		int fd = depth > 0 ? way[depth - 1] : top, found = clear_level(fd, name);
		int child = found == 1 ? clear_enter(fd, name) : -1;

		if (found < 0 || (found == 1 && child < 0)) {
			r = found < 0 ? found : child;
		} else if (found == 0 && depth == 0) {
			r = 0;
		} else if (found == 0) {
			close(way[--depth]);
		} else {
			if (depth == WAY_MAX && lift_directory(fd, name, top)) {
				close(child);
				continue;
			}
			if (depth == WAY_MAX)
				while (depth > 0)
					close(way[--depth]);
			way[depth++] = child;
		}
	}
	while (depth > 0)
		close(way[--depth]);
	return r;
}

bool
clear_is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), n = 0;
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;

	if (!dir) {
		fd_close_at(&copy);
		return false;
	}
	while (n <= 2 && readdir(dir))
		n++;
	closedir(dir);
	return n <= 2;
}

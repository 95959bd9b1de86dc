/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and clears away a directory that hostile programs fill. Clearing
 * happens when they are gone, but what they left may be links to anywhere,
 * directories without permissions, or nested deeper than any path is long:
 * only descriptors and single names are used, and few descriptors at a time. */

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "kernel/temp.h"

#define WAY_MAX 32	   /* descriptors held on the way down */
#define STEPS_MAX 10000000 /* somebody who adds as fast as we remove must lose */

int
temp_create(const char *parent, char **ret_path, struct ambit_error *err)
{
	auto_free char *base = realpath(parent, NULL);
	auto_free char *path = base ? str_printf("%s/ambit-XXXXXX", streq(base, "/") ? "" : base)
				    : NULL;

	if (!base)
		return err_sys(err, errno, "the directory for temporary files, %s (TMPDIR says where)",
			parent);
	if (!path)
		return err_nomem(err);
	if (!mkdtemp(path))
		return err_sys(err, errno, "a private directory in %s (TMPDIR says where)", base);
	*ret_path = steal_ptr(&path);
	return 0;
}

/* A directory to be emptied; one without permissions for its owner gets them.
 * Its own names, never "..": a directory that somebody moves away while we are
 * in it would lead us to where it is now, and all that is there would go. */
static int
enter(int parent, const char *name)
{
	struct stat st;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == EACCES) {
		if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) ||
			fchmodat(parent, name, 0700, 0) < 0)
			return -EACCES;
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
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

/* Down into what is not empty, and back by the descriptors that were held on
 * the way. Deeper than there is room, the top ones are let go, and the way is
 * begun again from the top. */
static int
clear_tree(int top)
{
	char name[NAME_MAX + 1];
	int way[WAY_MAX], depth = 0, r = 0;

	for (unsigned long steps = 0; r == 0 && steps < STEPS_MAX; steps++) {
		int fd = depth > 0 ? way[depth - 1] : top, found = clear_level(fd, name);
		int child = found == 1 ? enter(fd, name) : -1;

		if (found < 0 || (found == 1 && child < 0)) {
			r = found < 0 ? found : child;
		} else if (found == 0 && depth == 0) {
			break;
		} else if (found == 0) {
			close(way[--depth]);
		} else {
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

int
temp_remove(const char *path)
{
	auto_close int top = enter(AT_FDCWD, path);
	int r;

	if (top < 0)
		return top == -ENOENT ? 0 : top;
	r = clear_tree(top);
	if (rmdir(path) < 0 && errno != ENOENT && r == 0)
		r = -errno;
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock's rights hang on inodes, so a directory keeps them wherever it is moved, under any
 * name. This goes through a tree by descriptors and asks about each directory's inode. */

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/tree-look.h"

#define ENTRIES_MAX 16384
#define DEPTH_MAX 64

struct rights_look {
	bool (*has_rights)(void *data, dev_t dev, ino_t ino);
	void *data;
	int left; /* entries still to look at */
};

static bool look_in(struct rights_look *look, int dir, int depth);

static bool
look_at(struct rights_look *look, int dir, const struct dirent *e, int depth)
{
	auto_close int fd = -1;

	if (streq(e->d_name, ".") || streq(e->d_name, ".."))
		return false;
	if (look->left-- <= 0)
		return true;
	if (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN)
		return false;
	fd = openat(dir, e->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* Gone, or not a directory. */
	return fd >= 0 && look_in(look, fd, depth + 1);
}

static bool
look_in(struct rights_look *look, int dir, int depth)
{
	auto_close int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 && depth <= DEPTH_MAX ? fdopendir(fd) : NULL;
	bool found = false;
	struct dirent *e;
	struct stat st;

	if (!list)
		return true;
	steal_fd(&fd);
	if (fstat(dirfd(list), &st) < 0 || look->has_rights(look->data, st.st_dev, st.st_ino))
		found = true;
	while (!found && (e = readdir(list)))
		found = look_at(look, dir, e, depth);
	closedir(list);
	return found;
}

bool
tree_has_rights(int dir, bool (*has_rights)(void *data, dev_t dev, ino_t ino), void *data)
{
	struct rights_look look = { has_rights, data, ENTRIES_MAX };

	return !has_rights || look_in(&look, dir, 0);
}

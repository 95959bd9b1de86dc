/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock's rights hang on inodes, so a directory keeps them wherever it is moved, under any
 * name. This goes through a tree by descriptors and asks about each directory's inode. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/tree-look.h"

#define ENTRIES_MAX 65536
#define DEPTH_MAX 64 /* each level holds a descriptor */

struct rights_look {
	bool (*has_rights)(void *data, dev_t dev, ino_t ino);
	void *data;
	dev_t dev;
	int left; /* entries that may still be looked at */
};

static bool
may_be_dir(const struct dirent *e)
{
	return (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN) && !streq(e->d_name, ".") &&
	       !streq(e->d_name, "..");
}

static bool is_clean(struct rights_look *look, int dir, const char *name, int depth);

static bool
entries_are_clean(struct rights_look *look, DIR *list, int depth)
{
	struct dirent *e;
	bool clean = true;

	while (clean && (errno = 0, e = readdir(list)))
		clean = look->left-- > 0 &&
			(!may_be_dir(e) || is_clean(look, dirfd(list), e->d_name, depth));
	return clean && errno == 0;
}

/* A directory that vanishes, cannot be read or is another mount was not looked at. */
static bool
is_clean(struct rights_look *look, int dir, const char *name, int depth)
{
	auto_close int fd =
		openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool clean;
	DIR *list;

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP; /* of d_type unknown: no directory */
	if (depth >= DEPTH_MAX || fstat(fd, &st) < 0 || (depth > 0 && st.st_dev != look->dev) ||
		look->has_rights(look->data, st.st_dev, st.st_ino))
		return false;
	look->dev = st.st_dev;
	list = fdopendir(fd);
	if (!list)
		return false;
	steal_fd(&fd);
	clean = entries_are_clean(look, list, depth + 1);
	closedir(list);
	return clean;
}

bool
tree_has_rights(int dir, bool (*has_rights)(void *data, dev_t dev, ino_t ino), void *data)
{
	struct rights_look look = { .has_rights = has_rights, .data = data, .left = ENTRIES_MAX };

	return !has_rights || !is_clean(&look, dir, ".", 0);
}

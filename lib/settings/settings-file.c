/* SPDX-License-Identifier: Apache-2.0 */
/* From a settings file to its text. The person's file says who may do what,
 * so it must be one that only the person (or root) can have written. The
 * folder's is anybody's and can only narrow; but it must be a file of the
 * folder's: a link would let its author choose which file of the person's
 * gets quoted in an error. */

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "settings/settings-file.h"

#define HOW (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int
read_text(int fd, const char *name, char **ret_text, size_t *ret_len, struct ambit_error *err)
{
	int r = fd_read_open(fd, FILE_MAX, ret_text, ret_len);

	if (r == -EFBIG)
		return err_set(err, EFBIG, "%s: larger than 1 MiB", name);
	if (r == -EINVAL)
		return err_set(err, EINVAL, "%s: not a regular file", name);
	if (r < 0)
		return err_sys(err, -r, "%s", name);
	return 0;
}

static int
check_owner(int fd, const char *path, struct ambit_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(err, EPERM,
			"%s: belongs to user %u, who could open any door with it; make a copy of "
			"your own",
			path, (unsigned)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(
			err, EPERM, "%s: others can write to it; run: chmod go-w '%s'", path, path);
	return 0;
}

int
file_read_person(
	const char *path, bool required, char **ret_text, size_t *ret_len, struct ambit_error *err)
{
	auto_close int fd = open(path, HOW);
	int r;

	if (fd < 0) {
		if (errno != ENOENT || required)
			return err_sys(err, errno, "%s", path);
		*ret_text = NULL;
		*ret_len = 0;
		return 0;
	}
	r = check_owner(fd, path, err);
	return r < 0 ? r : read_text(fd, path, ret_text, ret_len, err);
}

int
file_read_folder(const char *folder, char **ret_name, char **ret_text, size_t *ret_len,
	struct ambit_error *err)
{
	auto_close int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int fd = -1;
	size_t len = strlen(folder);
	auto_free char *name = str_printf(
		"%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/", FILE_FOLDER);
	int r;

	if (dir < 0)
		return err_sys(err, errno, "%s", folder);
	if (!name)
		return err_nomem(err);
	fd = openat(dir, FILE_FOLDER, HOW | O_NOFOLLOW);
	*ret_text = NULL;
	*ret_len = 0;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, ELOOP,
			"%s: is a symbolic link, which could lead anywhere; put a file in its "
			"place",
			name);
	if (fd < 0 && errno != ENOENT)
		return err_sys(err, errno, "%s", name);
	if (fd >= 0) {
		r = read_text(fd, name, ret_text, ret_len, err);
		if (r < 0)
			return r;
	}
	*ret_name = steal_ptr(&name);
	return 0;
}

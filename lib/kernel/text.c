/* SPDX-License-Identifier: Apache-2.0 */
/* A path as text. The kernel names the directory it starts from, and walks
 * what comes of it in one go, refusing to follow any symlink: then the text is
 * the real name, and no second question has to be asked. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "kernel/text.h"

#define DELETED " (deleted)"

/* Where a relative path begins. A directory that is really called so takes the
 * longer way. */
static ssize_t
read_base(const struct target *target, int dirfd, char *path)
{
	char link[64];
	ssize_t n;

	if (dirfd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)target->tid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)target->tid, dirfd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n <= 1 || n >= PATH_MAX - 1 || path[0] != '/')
		return -1;
	path[n] = '\0';
	if (n > (ssize_t)strlen(DELETED) && streq(path + n - strlen(DELETED), DELETED))
		return -1;
	return n;
}

/* Nothing in it that would have to be folded. */
static bool
is_plain(const char *path)
{
	const char *at = path;

	for (;;) {
		size_t len = strcspn(at, "/");

		if (len == 0 || len > NAME_MAX || (len == 1 && at[0] == '.') ||
			(len == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		if (!at[len])
			return true;
		at += len + 1;
	}
}

bool
text_absolute(const struct target *target, int dirfd, const char *path, char out[PATH_MAX])
{
	const char *at = path;
	ssize_t base = 0;
	size_t len;

	while (at[0] == '.' && at[1] == '/' && at[2] != '/')
		at += 2;
	if (at[0] == '/')
		at++;
	else
		base = read_base(target, dirfd, out);
	len = strlen(at);
	if (base < 0 || (size_t)base + 1 + len >= PATH_MAX || !is_plain(at))
		return false;
	out[base] = '/';
	memcpy(out + base + 1, at, len + 1);
	return !str_beneath(out, "/proc");
}

int
text_open_parent(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0;
	long fd;

	if (!slash || len >= sizeof(dir))
		return -EINVAL;
	memcpy(dir, path, len);
	memcpy(dir + len, len > 0 ? "" : "/", len > 0 ? 1 : 2);
	fd = syscall(SYS_openat2, AT_FDCWD, dir, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

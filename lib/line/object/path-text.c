/* SPDX-License-Identifier: Apache-2.0 */
/* A path as text. The kernel names the directory it starts from, and walks
 * what comes of it in one go, refusing to follow any symlink: then the text is
 * the real name, and no second question has to be asked. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/str.h"
#include "line/object/path-text.h"

#define DELETED " (deleted)"

/* Where a relative path begins. A directory that is really called so takes the
 * longer way. */
static ssize_t
read_base(struct target *target, int dirfd, char *path)
{
	ssize_t n = target_name_of(target, dirfd, path, PATH_MAX - 1);

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
path_text_absolute(struct target *target, int dirfd, const char *path, char out[PATH_MAX])
{
	const char *at = path;
	ssize_t base = 0;
	size_t len;

	while (at[0] == '.' && at[1] == '/' && at[2] != '/')
		at += 2;
	if (!is_plain(at[0] == '/' ? at + 1 : at))
		return false;
	if (at[0] == '/')
		at++;
	else
		base = read_base(target, dirfd, out);
	len = strlen(at);
	if (base < 0 || (size_t)base + 1 + len >= PATH_MAX)
		return false;
	out[base] = '/';
	memcpy(out + base + 1, at, len + 1);
	return !str_beneath(out, "/proc");
}

static int
open_plain(const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_PATH | O_CLOEXEC),
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int
path_text_open(const char *path)
{
	return open_plain(path, O_NOFOLLOW);
}

int
path_text_open_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (!slash || len >= sizeof(dir))
		return -EINVAL;
	memcpy(dir, path, len);
	memcpy(dir + len, len > 0 ? "" : "/", len > 0 ? 1 : 2);
	return open_plain(dir, O_DIRECTORY);
}

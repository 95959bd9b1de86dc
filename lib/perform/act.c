/* SPDX-License-Identifier: Apache-2.0 */
/* A pass and held descriptors, into a changed name in a directory. Nothing is
 * looked up here but one component beneath a parent that somebody else
 * resolved and decided about, and that component is never followed: whoever
 * replaces it by a link in between gets an error. The only things trusted are
 * the descriptors and the pass. */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "perform/act-private.h"
#include "perform/leftover.h"
#include "perform/permit.h"
#include "scope/resolve.h"

#define FIFO_STEP_MS 10

void
act_link_of(int fd, char *text)
{
	/* Also where the process is not dumpable: a process may always look
	 * into its own descriptors. */
	snprintf(text, ACT_LINK_SIZE, "/proc/self/fd/%d", fd);
}

/* A command has none; what is done for it by root would be done with all of
 * them. Those that are permitted stay, without being in effect. */
static int
drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	if (data[0].effective == 0 && data[1].effective == 0)
		return 0;
	data[0].effective = 0;
	data[1].effective = 0;
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

int
act_thread(void)
{
	int r = unshare(CLONE_FS) < 0 ? -errno : 0;
	int r2 = drop_capabilities();

	umask(0);
	return r < 0 ? r : r2;
}

bool
act_is_component(const char *name)
{
	return name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

int
act_open(struct pass *pass, int parent, const char *name, int flags, mode_t mode, int *ret_fd)
{
	int r = pass_use(pass), fd;

	if (r < 0)
		return r;
	if (name[0] && !act_is_component(name))
		return -EINVAL;
	fd = resolve_open(parent, name[0] ? name : ".", flags | O_NOFOLLOW | O_NOCTTY,
		flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? mode & 07777 : 0,
		RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

static int
reopen_by_link(int fd, int flags, int *ret_fd)
{
	char link[ACT_LINK_SIZE];
	int r;

	act_link_of(fd, link);
	r = open(link, (flags & ~(O_NOFOLLOW | O_CREAT | O_EXCL)) | O_CLOEXEC | O_NOCTTY);
	if (r < 0)
		return -errno;
	*ret_fd = r;
	return 0;
}

int
act_reopen(struct pass *pass, int fd, int flags, int *ret_fd)
{
	int r = pass_use(pass);

	return r < 0 ? r : reopen_by_link(fd, flags, ret_fd);
}

int
act_reopen_wait(
	struct pass *pass, int fd, int flags, bool (*give_up)(void *data), void *data, int *ret_fd)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	/* A FIFO tells nobody that its first reader came: look again. */
	for (;;) {
		r = reopen_by_link(fd, flags | O_NONBLOCK, ret_fd);
		if (r != -ENXIO)
			return r;
		if (give_up(data))
			return -EINTR;
		poll(NULL, 0, FIFO_STEP_MS);
	}
}

int
act_mkdir(struct pass *pass, int parent, const char *name, mode_t mode)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (!act_is_component(name))
		return -EINVAL;
	return mkdirat(parent, name, mode & 07777) < 0 ? -errno : 0;
}

/* Whether the directory name in parent is the one behind held. One that somebody moved on
 * already was here. */
static bool
has_landed(int held, int parent, const char *name)
{
	struct stat own, at;

	if (fstat(held, &own) < 0)
		return false;
	if (fstatat(parent, name, &at, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	return at.st_dev == own.st_dev && at.st_ino == own.st_ino;
}

int
act_mkdir_by_move(struct pass *pass, int from, const char *from_name, int held, int parent,
	const char *name, mode_t mode, bool *ret_moved)
{
	int r = pass_use(pass);

	*ret_moved = false;
	if (r < 0)
		return r;
	if (!act_is_component(name) || !act_is_component(from_name))
		return -EINVAL;
	if (renameat2(from, from_name, parent, name, RENAME_NOREPLACE) == 0)
		return (*ret_moved = has_landed(held, parent, name)) ? 0 : -ESTALE;
	if (errno == EEXIST || errno == ENOENT || mkdirat(parent, name, mode & 07777) < 0)
		return -errno;
	return 0;
}

int
act_unlink(struct pass *pass, int parent, const char *name, bool dir)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if (!act_is_component(name))
		return -EINVAL;
	return unlinkat(parent, name, dir ? AT_REMOVEDIR : 0) < 0 ? -errno : 0;
}

int
act_put_text(struct pass *pass, int parent, const char *lock, const char *name, mode_t mode,
	const char *text, size_t len)
{
	struct leftovers *list = pass ? pass->leftovers : NULL;
	char fresh[RESOLVE_TEMP];
	auto_close int fd = -1;
	int r = pass_use(pass);

	if (r < 0)
		return r;
	if ((lock && !act_is_component(lock)) || !act_is_component(name))
		return -EINVAL;
	resolve_temp_name(fresh);
	r = leftovers_note(list, parent, fresh);
	if (r < 0)
		return r;
	fd = openat(parent, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		r = -errno;
		leftovers_forget(list);
		return r;
	}
	r = leftovers_staged(list, parent, fresh, fd);
	if (r == 0)
		r = fd_write_all(fd, text, len);
	if (r == 0 && fchmod(fd, mode & 0777) < 0)
		r = -errno;
	if (r == 0 && renameat(parent, fresh, parent, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(parent, fresh, 0);
	else if (lock)
		unlinkat(parent, lock, 0);
	leftovers_forget(list);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops on files share: the errors that a call would meet anyway, so
 * that nobody is asked about it; where an object lies; what of it is this
 * session's own. The checks of permissions are a courtesy, the kernel makes
 * them again when the act is done; the ones about places are law. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/call-file.h"
#include "line/gate/call-once.h"
#include "line/floor/ground.h"
#include "line/gate/gate-private.h"
#include "line/object/session-objects.h"
#include "perform/hand.h"
#include "perform/permit.h"

/* Where anybody may create. */
static const char *const scratch[] = { "/tmp", "/var/tmp", "/dev/shm" };

int
call_name(struct call *call, unsigned n, int dirfd_arg, int path_arg, bool *ret_slash)
{
	bool first = !call->path[n];
	int r = call_copy(call, n, path_arg);
	size_t len;

	if (r < 0)
		return r;
	/* The second time it is gone from the copy. */
	len = strlen(call->path[n]);
	if (first)
		call->slash[n] = len > 1 && call->path[n][len - 1] == '/';
	*ret_slash = call->slash[n];
	while (len > 1 && call->path[n][len - 1] == '/')
		call->path[n][--len] = '\0';
	return call_resolve(call, n, dirfd_arg, path_arg, OBJECT_NOFOLLOW);
}

static const char *
last_part(const struct call *call, unsigned n)
{
	const char *path = call->path[n], *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool
call_last_is_long(const struct call *call, unsigned n)
{
	return call->path[n] && strlen(last_part(call, n)) > NAME_MAX;
}

enum last
call_last(const struct call *call, unsigned n)
{
	const char *last = last_part(call, n);

	return !last[0]		   ? LAST_ROOT
	       : streq(last, ".")  ? LAST_DOT
	       : streq(last, "..") ? LAST_DOTDOT
				   : LAST_NAME;
}

/* -- what would fail anyway ------------------------------------------------------ */

static int
check_fd_access(int fd, int mode)
{
	/* By the effective ids, which are those of the file system here. */
	if (syscall(SYS_faccessat2, fd, "", mode, AT_EMPTY_PATH | AT_EACCESS) == 0)
		return 0;
	return errno == EACCES || errno == EROFS || errno == ETXTBSY ? -errno : 0;
}

int
call_may(const struct call *call, unsigned n, int mode)
{
	const struct object *object = &call->object[n];

	return gate_covers(call->gate, object->real) ? 0 : check_fd_access(object->fd, mode);
}

int
call_may_create(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];
	struct stat st;

	if (object->parent < 0)
		return 0;
	/* In a directory that was removed. */
	if (object->gone && fstat(object->parent, &st) == 0 && st.st_nlink == 0)
		return -ENOENT;
	return gate_covers(call->gate, object->real) ? 0
						     : check_fd_access(object->parent, W_OK | X_OK);
}

int
call_may_delete(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];
	struct stat st;
	int r = call_may_create(call, n);

	if (r < 0 || object->parent < 0 || gate_covers(call->gate, object->real))
		return r;
	if (fstat(object->parent, &st) < 0)
		return -errno;
	if ((st.st_mode & S_ISVTX) && object->st.st_uid != geteuid() && st.st_uid != geteuid())
		return -EPERM;
	return 0;
}

int
call_may_own(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];

	if (gate_covers(call->gate, object->real) || object->st.st_uid == geteuid())
		return 0;
	return -EPERM;
}

int
call_is_empty(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];
	struct dirent *entry;
	int fd, entries = 0;
	DIR *dir;

	if (gate_covers(call->gate, object->real))
		return 0;
	fd = openat(object->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		/* Then the kernel says it when the time comes. */
		fd_close_at(&fd);
		return 0;
	}
	while (entries == 0 && (entry = readdir(dir)))
		entries += !streq(entry->d_name, ".") && !streq(entry->d_name, "..");
	closedir(dir);
	return entries > 0 ? -ENOTEMPTY : 0;
}

/* -- places ------------------------------------------------------------------------ */

static bool
is_scratch_dir(const char *path, size_t len)
{
	for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++)
		if (strlen(scratch[i]) == len && memcmp(path, scratch[i], len) == 0)
			return true;
	return false;
}

static bool
in_scratch(const char *real)
{
	for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++)
		if (str_beneath(real, scratch[i]) && !streq(real, scratch[i]))
			return true;
	return false;
}

/* The object's name lies in a scratch directory itself, or in one made there.
 * Not anywhere beneath: a directory in /tmp is somebody's. */
static bool
lies_in_scratch(const struct call *call, const struct object *object)
{
	const char *slash = strrchr(object->real, '/');

	if (object->parent < 0 || !object->name[0] || !slash || object->gone)
		return false;
	return is_scratch_dir(object->real, (size_t)(slash - object->real)) ||
	       (in_scratch(object->real) && session_objects_has(call->gate->made, object->parent));
}

enum place
call_place(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];

	if (grounds_of(gate_grounds(call->gate), object->real) != GROUND_NONE)
		return PLACE_COVERED;
	if (lies_in_scratch(call, object))
		return PLACE_SCRATCH;
	return gate_opens_beside(call->gate, object->real) ? PLACE_GRANTED : PLACE_OUTSIDE;
}

bool
call_in_git_dir(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];
	const char *end = strrchr(object->real, '/');
	struct stat st;

	if (object->parent < 0 || !end)
		return false;
	return (end - object->real > 5 && memcmp(end - 5, "/.git", 5) == 0) ||
	       fstatat(object->parent, "HEAD", &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int
call_leads(struct call *call, unsigned n, const char *text, int fd)
{
	struct object *object = &call->object[n];
	char own[PATH_MAX] = "/";
	ssize_t len;

	if (!text) {
		/* A text that cannot be read may lead anywhere. */
		len = readlinkat(fd, "", own, sizeof(own) - 1);
		own[len > 0 ? len : 1] = '\0';
		text = own;
	}
	free(object->leads);
	object->leads = strdup(text);
	return object->leads ? 0 : -ENOMEM;
}

bool
call_is_own(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];

	/* The cheap questions first: this is asked of every call. */
	if (!in_scratch(object->real) || gate_covers(call->gate, object->real))
		return false;
	if (!object->exists)
		return lies_in_scratch(call, object);
	return object->fd >= 0 && session_objects_has(call->gate->made, object->fd);
}

int
call_unchanged(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];
	struct stat st;

	if (fstatat(object->parent, object->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && !object->exists ? 0 : -ESTALE;
	return object->exists && st.st_dev == object->st.st_dev && st.st_ino == object->st.st_ino
		       ? 0
		       : -ESTALE;
}

/* -- what was made ------------------------------------------------------------------ */

/* An ACL that the parent hands down takes the place of the umask. */
static bool
has_default_acl(int parent)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", parent);
	return getxattr(link, "system.posix_acl_default", NULL, 0) > 0;
}

bool
call_hands_down(const struct call *call, unsigned n)
{
	return has_default_acl(call->object[n].parent);
}

int
call_mode(struct call *call, unsigned n, mode_t mode, mode_t *ret_mode)
{
	mode_t mask = 0;
	int r = 0;

	if (!call_hands_down(call, n))
		r = target_umask(&call->target, &mask);
	*ret_mode = mode & ~mask;
	return r;
}

bool
call_opens(const struct call *call, unsigned n)
{
	return gate_opens(call->gate, call->object[n].real);
}

bool
call_lies_in_git(const struct call *call, unsigned n)
{
	const char *real = call->object[n].real;
	auto_free char *dir = str_dup(real);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (grounds_of(gate_grounds(call->gate), real) == GROUND_OPEN)
		return false;
	if (!slash)
		return true;
	*slash = '\0';
	return gate_in_git(call->gate, dir);
}

void
call_made_fd(struct call *call, unsigned n, int fd)
{
	/* Not to be had: then it is not ours, and will be asked about. */
	if (call_place(call, n) == PLACE_SCRATCH)
		session_objects_add(call->gate->made, fd);
	call_made_once(call, fd);
}

int
call_make(struct call *call, struct pass *pass, mode_t mode, const char *text)
{
	const struct object *object = &call->object[0];
	bool own = call_place(call, 0) == PLACE_SCRATCH;
	auto_close int fd = -1;
	bool once = permit_is_once(call->permit);
	int r = hand_make(pass, object->parent, object->name, mode, text, own || once ? &fd : NULL);

	if (r == 0 && fd >= 0 && own)
		session_objects_add(call->gate->made, fd);
	if (r == 0 && fd >= 0 && once)
		call_made_once(call, fd);
	return r;
}

void
call_dropped(struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];
	bool shared = in_scratch(object->real), once = permit_is_once(call->permit);
	struct stat st;

	if (!(shared || once) || object->fd < 0 || fstat(object->fd, &st) < 0 || st.st_nlink > 0)
		return;
	if (shared)
		session_objects_drop(call->gate->made, object->fd);
	if (once)
		call_dropped_once(call, object->fd);
}

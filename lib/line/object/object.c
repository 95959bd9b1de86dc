/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a path copied from a target, or one of its descriptors, into an object:
 * held open, with the name it really has. The walk is path-walk.c's; here it is
 * decided where it starts, which walk may be believed, and what the thing found
 * is called (fd-name.c). Nothing of the path is trusted. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/object/object.h"
#include "line/object/fd-name.h"
#include "line/object/path-text.h"
#include "line/object/path-walk.h"

void
object_init(struct object *object)
{
	/* Not all of it: two paths of 4 KiB are not worth clearing for each call. */
	object->parent = object->fd = -1;
	object->name[0] = object->real[0] = object->written[0] = '\0';
	object->exists = object->slash = false;
	object->gone = object->nameless = object->proc = false;
	object->leads = NULL;
	memset(&object->st, 0, sizeof(object->st));
}

void
object_finish(struct object *object)
{
	if (!object)
		return;
	if (object->parent >= 0)
		close(object->parent);
	if (object->fd >= 0)
		close(object->fd);
	free(object->leads);
	object->leads = NULL;
	object->parent = object->fd = -1;
	object->name[0] = '\0';
	object->exists = object->slash = false;
}

/* -- the text as written --------------------------------------------------------- */

/* base + "/" + path with ".", ".." and slashes folded away; "" if too long. */
static void
fold_path_dots(char out[PATH_MAX], const char *base, const char *path)
{
	size_t len = strlen(base);

	if (streq(base, "/"))
		len = 0;
	memcpy(out, base, len);
	for (const char *at = path; *at;) {
		size_t n = strcspn(at, "/");

		if (n == 2 && at[0] == '.' && at[1] == '.') {
			while (len > 0 && out[--len] != '/')
				;
		} else if (n > 0 && !(n == 1 && at[0] == '.')) {
			if (len + 1 + n >= PATH_MAX) {
				out[0] = '\0';
				return;
			}
			out[len++] = '/';
			memcpy(out + len, at, n);
			len += n;
		}
		at += n + (at[n] == '/');
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
}

/* -- objects ----------------------------------------------------------------------- */

static bool
is_on_proc(const struct object *object, int holder, const struct fd_name *fd_name)
{
	if (fd_name_is_on_proc(holder, fd_name->major, fd_name->block, object->real))
		return true;
	return object->exists && fd_name_is_on_proc(object->fd, major(object->st.st_dev),
					 (unsigned)object->st.st_blksize, object->real);
}

/* Fills in what the walk did not: the real name, and what is to be known of it.
 * known: the real name, if the walk itself has shown it; or NULL. */
static int
describe_object(struct object *object, const char *known, bool verify)
{
	int holder = object->parent >= 0 ? object->parent : object->fd;
	struct fd_name fd_name;
	size_t n = strlen(object->name);
	int r = known ? fd_name_fill(holder, known, &fd_name)
		      : fd_name_read(holder, verify || object->parent < 0, &fd_name);

	if (r < 0)
		return r;
	if (n > 0 && !known) {
		if (fd_name.len > 1)
			fd_name.real[fd_name.len++] = '/';
		if (fd_name.len + n >= sizeof(fd_name.real))
			return -ENAMETOOLONG;
		memcpy(fd_name.real + fd_name.len, object->name, n + 1);
		fd_name.len += n;
	}
	memcpy(object->real, fd_name.real, fd_name.len + 1);
	object->gone = fd_name.gone;
	object->nameless = fd_name.nameless;
	object->proc = is_on_proc(object, holder, &fd_name);
	return 0;
}

/* A way into the memory of a process, however it was come to: the file is as
 * good as a debugger, and what it opens outlives every check. */
static bool
is_memory_file(const struct object *object)
{
	const char *last = strrchr(object->real, '/');

	return object->proc && last && (streq(last, "/mem") || streq(object->name, "mem"));
}

/* Where the path starts: "/" is -1, with no fd_name. */
static int
open_start(const struct target *target, int dirfd, const char *path, int *ret_start,
	struct fd_name *fd_name)
{
	auto_close int start = -1;
	int r;

	*ret_start = -1;
	fd_name->gone = fd_name->nameless = false;
	memcpy(fd_name->real, "/", 2);
	if (path[0] == '/')
		return 0;
	start = dirfd == AT_FDCWD ? target_cwd(target) : target_fd_path(target, dirfd);
	if (start < 0)
		return start;
	r = fd_name_read(start, true, fd_name);
	if (r < 0)
		return r;
	*ret_start = steal_fd(&start);
	return 0;
}

static int
resolve_by_walk(struct object *object, const struct target *target, int start,
	const struct fd_name *fd_name, const char *path, enum object_follow follow)
{
	bool lost = fd_name->gone || fd_name->nameless, plain;
	int r;

	if (walk_quickly(object, start, path, follow, &plain) == 0) {
		bool known = plain && !lost && object->written[0];

		r = describe_object(object, known ? object->written : NULL, lost);
		/* On a proc file system it may be our own "self" that was walked. */
		if (r < 0 || !object->proc)
			return r;
	}
	object_finish(object);
	r = walk_carefully(object, target, start, path, follow);
	/* It may have come through a descriptor, to anywhere. */
	return r < 0 ? r : describe_object(object, NULL, true);
}

/* The text is the real name; what lies there is open, or does not exist. */
static bool
check_text(struct object *object, enum object_follow follow)
{
	object->exists = object->fd >= 0;
	if (object->exists && fstat(object->fd, &object->st) < 0)
		return false;
	if (object->exists && follow == OBJECT_FOLLOW && S_ISLNK(object->st.st_mode))
		return false;
	/* What may lie on a proc file system is looked at closely. */
	if (object->exists && fd_name_is_on_proc(object->fd, major(object->st.st_dev),
				      (unsigned)object->st.st_blksize, object->real))
		return false;
	memcpy(object->written, object->real, strlen(object->real) + 1);
	return true;
}

/* The common case: the text is the real name. False: it is not, or not known. */
static bool
resolve_text(struct object *object, struct target *target, int dirfd, const char *path,
	enum object_follow follow)
{
	const char *name;

	if (!path_text_absolute(target, dirfd, path, object->real))
		return false;
	name = strrchr(object->real, '/') + 1;
	memcpy(object->name, name, strlen(name) + 1);
	object->parent = path_text_open_parent(object->real);
	if (object->parent < 0)
		return false;
	object->fd = openat(object->parent, object->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (object->fd < 0 && errno != ENOENT)
		return false;
	return check_text(object, follow);
}

int
object_resolve_itself(struct object *object, struct target *target, int dirfd, const char *path,
	enum object_follow follow)
{
	object_init(object);
	if (strnlen(path, PATH_MAX) < PATH_MAX &&
		path_text_absolute(target, dirfd, path, object->real)) {
		object->fd = path_text_open(object->real);
		if (object->fd >= 0 && check_text(object, follow))
			return 0;
	}
	object_finish(object);
	return object_resolve(object, target, dirfd, path, follow);
}

int
object_resolve(struct object *object, struct target *target, int dirfd, const char *path,
	enum object_follow follow)
{
	auto_close int start = -1;
	struct fd_name fd_name;
	int r;

	object_init(object);
	if (path[0] == '\0')
		return -ENOENT;
	if (strnlen(path, PATH_MAX) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (resolve_text(object, target, dirfd, path, follow))
		return 0;
	object_finish(object);
	object_init(object);
	r = open_start(target, dirfd, path, &start, &fd_name);
	if (r < 0)
		return r;
	fold_path_dots(object->written, fd_name.real, path);
	r = resolve_by_walk(object, target, start, &fd_name, path, follow);
	if (r == 0 && is_memory_file(object))
		r = -EACCES;
	if (r < 0) {
		object_finish(object);
		object_init(object);
		return r;
	}
	if (object->written[0] == '\0')
		memcpy(object->written, object->real, strlen(object->real) + 1);
	return 0;
}

int
object_from_fd(struct object *object, const struct target *target, int fd)
{
	int r;

	object_init(object);
	object->fd = target_fd_path(target, fd);
	if (object->fd < 0) {
		r = object->fd;
		object->fd = -1;
		return r;
	}
	r = fstat(object->fd, &object->st) < 0 ? -errno : 0;
	object->exists = r == 0;
	if (r == 0)
		r = describe_object(object, NULL, true);
	if (r < 0) {
		object_finish(object);
		object_init(object);
		return r;
	}
	memcpy(object->written, object->real, strlen(object->real) + 1);
	return 0;
}

static bool
same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

bool
object_same(const struct object *a, const struct object *b)
{
	struct stat in_a, in_b;

	if (!streq(a->real, b->real) || !streq(a->name, b->name) || a->exists != b->exists ||
		a->slash != b->slash || a->gone != b->gone || a->nameless != b->nameless)
		return false;
	/* Both are held open, so that no number was given out again meanwhile. */
	if (a->exists && !same_inode(&a->st, &b->st))
		return false;
	if ((a->parent < 0) != (b->parent < 0))
		return false;
	return a->parent < 0 || (fstat(a->parent, &in_a) == 0 && fstat(b->parent, &in_b) == 0 &&
					same_inode(&in_a, &in_b));
}

/* The kernel has set all these numbers aside for slaves, and uses the first. */
bool
object_is_pty_slave(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) >= 136 && major(st->st_rdev) <= 143;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_OBJECT_H
#define LINE_OBJECT_OBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "line/object/target.h"

/* What a path of a target means: a parent directory held open, a last
 * component that is no symlink any more, and what lies there. Everything that
 * follows is decided about and done to this, never to the path again. */

enum object_follow {
	/* A symlink as last component is meant itself, also as "link/": so do
	 * mkdir, unlink, rename. Calls that look a path up (lchown, utimensat)
	 * follow it there: they give OBJECT_FOLLOW if the path ends in '/'. */
	OBJECT_NOFOLLOW = 0,
	/* It is followed; what it names may not exist yet. */
	OBJECT_FOLLOW,
};

struct object {
	int parent; /* O_PATH of the directory; -1 if only the object itself was asked for */
	char name[NAME_MAX + 1]; /* last component; "" if parent itself or fd is the object */
	int fd;			 /* O_PATH of the object (O_NOFOLLOW), or -1 if it does not exist */
	bool exists;
	bool slash;		/* the path ended in '/': only a directory will do */
	bool gone;		/* its name was removed: real means nothing */
	bool nameless;		/* a pipe, socket, memfd or other inode without a path */
	bool proc;		/* lies on a proc file system */
	struct stat st;		/* of fd, if it exists */
	char real[PATH_MAX];	/* parent's real path + "/" + name */
	char written[PATH_MAX]; /* as the program wrote it: cwd + path, folded by text alone */
	char *leads;		/* the text of a symlink that gets this name; owned; or NULL */
};

void object_init(struct object *object);
void object_finish(struct object *object);

/* dirfd as the program gave it (AT_FDCWD, one of its descriptors). path is a
 * copy from its memory. Symlinks are walked with the target's root and in its
 * place: "/proc/self", "/proc/thread-self", "/dev/fd" and "/dev/stdout" are the
 * target's own. A magic link (/proc/PID/fd/N, cwd, root, exe) of the target's
 * own process is opened once and the result is the object; of any other
 * process: -EACCES. Natural errors: -ENOENT (a parent is missing), -ENOTDIR,
 * -ELOOP, -ENAMETOOLONG, -EACCES, -EBADF. */
int object_resolve(struct object *object, struct target *target, int dirfd, const char *path,
	enum object_follow follow);

/* The same for who acts on the thing itself, not on its name: where it exists,
 * parent may be -1. */
int object_resolve_itself(struct object *object, struct target *target, int dirfd, const char *path,
	enum object_follow follow);

/* The object behind one of the target's descriptors (fchmod, f*xattr,
 * AT_EMPTY_PATH). */
int object_from_fd(struct object *object, const struct target *target, int fd);

/* Whether both are the same thing at the same place: what was asked about is
 * what is there now. */
bool object_same(const struct object *a, const struct object *b);

/* Whether it is the slave of a pseudo-terminal: no master, no console. */
bool object_is_pty_slave(const struct stat *st);

#endif

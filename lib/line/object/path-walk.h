/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_PATH_WALK_H
#define LINE_OBJECT_PATH_WALK_H

#include "line/object/object.h"

/* From a starting directory and a path to a parent, a name and what lies there:
 * parent, name, fd, st, exists and slash of the object. start is borrowed; -1
 * for an absolute path that starts at "/". On failure the object is as
 * object_init left it. */

/* One walk by the kernel. Only its success counts: what failed may succeed for
 * the target, and a symlink to be followed is -ELOOP. What it found may be this
 * process' own "/proc/self": the caller looks whether it lies on a proc file
 * system. walk_carefully gives the answer then. ret_plain: no symlink and no
 * ".." was met, so that the folded text is the real path. */
int walk_quickly(struct object *object, int start, const char *path, enum object_follow follow,
	bool *ret_plain);

/* One component at a time, in the target's place. */
int walk_carefully(struct object *object, const struct target *target, int start, const char *path,
	enum object_follow follow);

/* -- the steps of both (path-walk.c) --------------------------------------------- */

#define WALK_LINKS_MAX 40 /* as the kernel */
#define WALK_LOOK (O_PATH | O_NOFOLLOW | O_CLOEXEC)

int walk_copy_fd(int fd);

/* The end is a directory itself: "/", ".", "..". Takes *dir. */
int walk_end_at_dir(struct object *object, int *dir, bool slash);
/* The end is a name in *parent; *fd below 0: it does not exist, else st is
 * filled. Takes both. -ENOTDIR: followed, with a slash behind it, no directory. */
int walk_end_at_name(struct object *object, int *parent, const char *name, int *fd, bool slash,
	enum object_follow follow);

/* The text of a symlink, PATH_MAX bytes. */
int walk_read_link(int link, char *text);

/* fs.protected_symlinks: the kernel does not follow a last component that a
 * third one put into a shared sticky directory. It cannot say so about a link
 * that is read here. */
bool walk_is_planted(int dir, const struct stat *link);

/* -- proc file systems (path-walk-proc.c) ------------------------------------------- */

struct statfs;
bool walk_is_proc(const struct statfs *fs);
bool walk_on_proc(int fd);

enum walk_link {
	WALK_LINK_TEXT = 0, /* a link like any other */
	WALK_LINK_OWN,	    /* "self", "thread-self": text is the target's */
	WALK_LINK_MAGIC,    /* leads to an open object of the target's own process */
};

/* What the symlink dir/name on a proc file system is. -EACCES: it is another
 * process', or cannot be told. text: PATH_MAX bytes. */
int walk_proc_link(const struct target *target, int dir, const char *name, char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_FLOOR_GROUND_H
#define LINE_FLOOR_GROUND_H

#include <stdbool.h>
#include <sys/stat.h>

/* Which directories have rights in the floor, by the names they bear now. The
 * rights hang on inodes and were given at the start; names change, by what the
 * gate does and by what others do, so that a directory is looked at again
 * before it is believed to be the one that has them. Whether a directory has
 * rights of its own, wherever it lies, is known by its inode. Thread-safe. */

enum ground {
	GROUND_NONE = 0,
	GROUND_SPINE, /* ours to write, but only on behalf */
	GROUND_GIT,   /* the floor has it, but for symlinks and moves between directories */
	GROUND_OPEN,  /* the floor has it */
};

struct grounds;

struct grounds *grounds_create(void);
void grounds_destroy(struct grounds *grounds);

/* A directory (or with file a single file, open) that stands at path. st: what
 * it is now; for the spine, or for what nobody can put something else in the
 * place of, NULL. -ENOMEM. */
int grounds_add(struct grounds *grounds, const char *path, enum ground kind, bool file,
	const struct stat *st);

/* What a name stands on: the nearest directory above it that is known. */
enum ground grounds_of(struct grounds *grounds, const char *real);
/* And what the name itself stands on: a rule for one file is not about its name. */
enum ground grounds_of_name(struct grounds *grounds, const char *real);

/* A rule of the floor hangs on this inode. It is never forgotten: the rule pins the
 * inode, so that its number belongs to nothing else while the floor lives. -ENOMEM.
 * grounds_add does the same for whatever has rights. */
int grounds_add_inode(struct grounds *grounds, dev_t dev, ino_t ino);
bool grounds_has_inode(struct grounds *grounds, dev_t dev, ino_t ino);

/* It was renamed, with all that is in it (swap: and the other way); removed. */
void grounds_moved(struct grounds *grounds, const char *from, const char *to, bool swap);
void grounds_gone(struct grounds *grounds, const char *path);

#endif

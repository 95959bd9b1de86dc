/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_HAND_H
#define PERFORM_HAND_H

#include <stdbool.h>
#include <sys/stat.h>

#include <ambit/engine.h>

#include "perform/permit.h"

/* The hand: how something that exists gets another name. The gate on behalf, the file tools
 * and extract all move, link and replace with these functions, so that the rules about moves
 * stand in one place:
 *
 *   - the object that was decided about gets the name, and no other: a file is moved by
 *     linking the inode that is held; a directory is looked at where it landed
 *   - nothing is replaced but what lay there when it was decided
 *   - a directory that carries rights of its own, or holds one that does, does not go where a
 *     guard may lie: -EXDEV, as between file systems, so that programs copy
 *   - a directory brings no guard, and no symlink into .git, that was not decided about
 *
 * -ESTALE: something else lies at one of the two names by now; nothing was done, or it was
 * taken away again. A directory that landed and must not stay is moved to the attic, where
 * no session can write, and the person is told. */

/* One name: its directory, held open, and what lay there when it was decided. */
struct hand_end {
	int parent;
	const char *name; /* one component, never followed */
	const char *real; /* absolute */
	int fd;		  /* O_PATH of the object; -1: nothing lay there */
	struct stat st;	  /* of fd */
	bool unwritten;	  /* nor may it have been written to since: its size and time count */
};

enum hand_evicted {
	HAND_NOT_EVICTED = 0, /* it could not be taken away */
	HAND_EVICTED_BESIDE,  /* no attic on this mount: beside real, by a name refused to all */
	HAND_EVICTED_TO_ATTIC,
	HAND_REMOVED, /* a symlink, where there is no attic */
};

/* The rules, as far as only the caller can tell. All callbacks may be called from the thread
 * that acts, without any lock held. */
struct hand_law {
	/* A directory that no session can write, borrowed; or -1. */
	int (*attic)(void *data);
	/* No guard lies, or can come to lie, beneath a directory at this path. */
	bool (*is_clear)(void *data, const char *real);
	/* This directory carries rights of its own. NULL: nobody here knows, so each may. */
	bool (*has_rights)(void *data, dev_t dev, ino_t ino);
	/* 0: nothing in the tree behind dir is guarded at its new path. -ESTALE: something is.
	 * -EXDEV: it is too large to tell. landed: it stands there already. */
	int (*may_stand)(void *data, int dir, const char *real, bool landed);
	/* The guards that a directory brings were decided about, and allowed. */
	bool guarded;
	/* Something stood at real that must not, and was taken away: its name there now. */
	void (*tell)(void *data, const char *real, enum hand_evicted where, const char *name);
	void *data;
};

/* rename(2) with flags 0, RENAME_NOREPLACE or RENAME_EXCHANGE. */
int hand_move(struct pass *pass, const struct hand_law *law, const struct hand_end *from,
	const struct hand_end *to, unsigned flags);

/* The same for something that the caller has just made under a name of its own: no rights
 * can hang on it. A file replaces a file. */
int hand_settle(struct pass *pass, const struct hand_law *law, const struct hand_end *from,
	const struct hand_end *to);

/* The checks of hand_move before it moves anything: 0, -EXDEV or -ESTALE. */
int hand_look(const struct hand_law *law, const struct hand_end *from, const struct hand_end *to,
	unsigned flags);

/* unlink(2): the name goes if it still is this object, which is no directory; else -ESTALE. */
int hand_remove(struct pass *pass, const struct hand_law *law, const struct hand_end *end);

/* link(2): what fd (O_PATH) holds gets the name, which must be free. */
int hand_link(struct pass *pass, int fd, const struct hand_end *to);

/* Makes a directory, FIFO, socket or empty file (kind and permissions in mode), or a symlink
 * with this text. The name must be free: -EEXIST. With ret_fd, an O_PATH descriptor of the
 * very thing that was made; -1 where the file system cannot tell. */
int hand_make(struct pass *pass, int parent, const char *name, mode_t mode, const char *text,
	int *ret_fd);

#endif

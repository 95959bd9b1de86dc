/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_FILE_PRIVATE_H
#define PERFORM_FILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/fd.h"
#include "perform/file.h"
#include "perform/hand.h"
#include "scope/resolve.h"

/* What the files of file.h share. */

/* What lies there is still what the place found: *ret_held is it (O_PATH), or -1
 * if there was nothing. Else -ESTALE. */
int file_check(const struct ambit_place *place, int *ret_held, struct stat *ret_st,
	struct ambit_error *err);
/* The same of the name alone, right before it changes. */
bool file_same(const struct ambit_place *place);
/* "a FIFO", "a directory": for messages. */
const char *file_kind(mode_t mode);
/* -EISDIR, -EINVAL, -EACCES with words: what lies there cannot be written to. */
int file_check_writable(
	const struct ambit_place *place, int held, const struct stat *st, struct ambit_error *err);

/* renameat that never replaces: -EEXIST. Also where the kernel cannot say so. */
int file_rename_new(int from, const char *name, int to, const char *to_name);
/* name, a file of ours, takes the place of the file that is there, which must still be as it
 * was, and is gone afterwards. -ESTALE: all is as it was. */
int file_replace(
	int from, const char *name, const struct ambit_place *place, const struct stat *was);
/* Something is there, and it is not this. */
bool file_is_other(int dir, const char *name, dev_t dev, ino_t ino);

/* -- the hand (hand.c), within an act that has used its pass ---------------------------- */

int hand_move_passed(const struct hand_law *law, const struct hand_end *from,
	const struct hand_end *to, unsigned flags);
int hand_settle_passed(
	const struct hand_law *law, const struct hand_end *from, const struct hand_end *to);
/* law may be NULL: then nobody is told of a name that could not be given back. */
int hand_remove_passed(const struct hand_law *law, const struct hand_end *end);

/* -- one at a time (file-turn.c) ------------------------------------------------------- */

/* Whose turn it is to change names in these directories (other: or -1). Never long, and
 * not where it cannot be had. patience: what is left of file_turn_patience, for several that
 * belong together; or NULL. */
struct file_turn {
	int fds[2];
};
int file_turn_patience(void);
void file_turn_take(struct file_turn *turn, int dir, int other, int *patience);
void file_turn_end(struct file_turn *turn);

#define auto_file_turn __attribute__((cleanup(file_turn_end)))

/* -- staged content (file-stage.c) ----------------------------------------------------- */

/* Written beside the place and synced, with the attributes of held (or -1: mode).
 * 1: the old file has an owner or links that only it can keep: write in place.
 * list (or NULL): it is noted there, and forgotten unless this returns 0. */
int stage_write(const struct ambit_place *place, int held, const struct stat *old, const char *data,
	size_t len, mode_t mode, struct leftovers *list, char ret_name[RESOLVE_TEMP],
	struct ambit_error *err);

/* A file that is written in place, and what it held before. */
struct stage_old {
	int fd; /* 0 is none: opened by stage_hold */
	bool held;
	mode_t mode;
	char *data;
	size_t len;
};
int stage_hold(const struct ambit_place *place, int held, struct stage_old *ret_old,
	struct ambit_error *err);
/* If it fails, what was there is there again. */
int stage_overwrite(const struct ambit_place *place, const struct stage_old *old, const char *data,
	size_t len, struct ambit_error *err);
int stage_restore(const struct stage_old *old);
void stage_old_finish(struct stage_old *old);

/* -- trees (file-tree.c) ----------------------------------------------------------------- */

/* A directory (held) and all that is in it; nothing is removed if something in it
 * can be seen not to be removable. */
int tree_remove(const struct ambit_place *place, int held, const struct file_watch *watch,
	struct ambit_error *err);
/* Without words, and as far as it goes: what was made here and is not wanted. */
void tree_discard(int parent, const char *name);
/* Copies name, which must be was, to a name that is free and noted in list. */
int tree_copy(int from, const char *name, const struct stat *was, int to, const char *to_name,
	struct leftovers *list, const struct file_watch *watch, struct ambit_error *err);

#endif

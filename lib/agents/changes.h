/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENTS_CHANGES_H
#define AGENTS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/* What changed beneath a folder between two looks. Looks at names, kinds, sizes, inodes
 * and times, never into a file; symlinks are not followed, other file systems and what is
 * in a .git not entered. */

#define CHANGES_ENTRIES 200000 /* what is beyond it is not looked at, and `cut` says so */

struct changes;

enum change {
	CHANGE_CREATED,
	CHANGE_MODIFIED, /* content, mode or owner; a directory never is */
	CHANGE_DELETED,
};

/* The first look. NULL: errno says why. */
struct changes *changes_begin(const char *folder);
/* The same with another limit. */
struct changes *changes_begin_within(const char *folder, size_t max);

/* The second look, and what is different: sorted by name, a directory before what is in
 * it. The path is relative to the folder, any bytes but NUL. each returns non-zero to
 * stop, which comes back; else 0 or -errno. *ret_cut: not all could be looked at, and
 * there may be more. Takes changes. */
int changes_end(struct changes *changes,
	int (*each)(void *data, const char *relative_path, enum change change), void *data,
	bool *ret_cut);

/* Without a second look. NULL is fine. */
void changes_destroy(struct changes *changes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PATCH_PATCH_H
#define PATCH_PATCH_H

#include <stddef.h>

#include <ambit/words.h>

/* The files a patch touches: unified diff (git's extended headers included)
 * and the "*** Begin Patch" dialect. A patch in which a file could be hidden
 * or that cannot be understood is an error, never an empty list.
 * each gets every (path, access); non-zero stops. 0, -EINVAL with a static
 * *ret_why and the line number, or what each returned. */
int patch_paths(const char *text, size_t len,
	int (*each)(void *data, const char *path, size_t len, enum ambit_access access), void *data,
	const char **ret_why, size_t *ret_line);

/* What the "@@" above this line says of its hunk, and how many lines that has:
 * for one that does not add up. Caller frees; NULL: there is no hunk, or no memory. */
char *patch_hunk_counts(const char *text, size_t len, size_t line);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_GITLINK_H
#define SCOPE_GITLINK_H

#include <stdbool.h>
#include <stddef.h>

/* The files by which git finds one directory from another, and what may stand
 * in them unasked: nothing but the way to a git directory that lies, guarded,
 * in a repository of this very folder. Paths are real. */

enum gitlink {
	GITLINK_NONE = 0,
	GITLINK_DOTGIT, /* .git, as a file: "gitdir: PATH" */
	GITLINK_COMMON, /* .git/worktrees/NAME/commondir */
	GITLINK_BACK,	/* .git/worktrees/NAME/gitdir */
};

enum gitlink gitlink_kind(const char *path);

/* Whether text is plain for the file at path, which lies in root. False:
 * *ret_why says why (may be NULL; static), *ret_later (likewise) that it may
 * become so: what it names is not there yet. Looks at the file system. */
bool gitlink_plain(const char *root, const char *path, const char *text, size_t len,
	const char **ret_why, bool *ret_later);

/* The .git that holds the git directory which such a text leads to, or NULL.
 * Caller frees. */
char *gitlink_repository(const char *path, const char *text, size_t len);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_GITLINK_H
#define SCOPE_GITLINK_H

#include <stdbool.h>
#include <stddef.h>

/* The files by which git finds one directory from another, and what may stand
 * in them unasked: nothing but the way to a git directory that lies, guarded,
 * in a repository of the folder or of a folder that was granted. Paths are real. */

enum gitlink {
	GITLINK_NONE = 0,
	GITLINK_DOTGIT, /* .git, as a file: "gitdir: PATH" */
	GITLINK_COMMON, /* .git/worktrees/NAME/commondir */
	GITLINK_BACK,	/* .git/worktrees/NAME/gitdir */
};

enum gitlink gitlink_kind(const char *path);

/* What only the caller knows: the folder whose own repository is the person's choice, and
 * whether a path lies in the folder or in one that was granted. */
struct gitlink_law {
	const char *root;
	bool (*is_open)(void *data, const char *path);
	void *data;
};

/* Whether text is plain for the file at path. False: *ret_why says why (may be
 * NULL; static), *ret_later (likewise) that it may become so: what it names is
 * not there yet. Looks at the file system. */
bool gitlink_plain(const struct gitlink_law *law, const char *path, const char *text, size_t len,
	const char **ret_why, bool *ret_later);

/* The .git that holds the git directory which such a text leads to, or NULL.
 * Caller frees. */
char *gitlink_repository(const char *path, const char *text, size_t len);

#endif

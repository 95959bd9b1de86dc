/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_GITCONFIG_H
#define SCOPE_GITCONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* The text of a repository's config, read as git reads it, and whether a new
 * one differs from the old in plain keys only: those that git's everyday work
 * changes and from which nothing is ever run. */

#define GITCONFIG_MAX (1024 * 1024)
#define GITCONFIG_ENTRIES_MAX 4096

struct gitconfig_entry {
	char *name;  /* "branch.main.remote": section and key in lower case */
	char *value; /* NULL: the key stands alone, which means true */
};

struct gitconfig {
	struct gitconfig_entry *entries; /* in the order of the text */
	size_t n;
};

/* Includes are entries like others, and not followed. -EINVAL: git would
 * refuse it, or others might read it otherwise than git; -E2BIG, -ENOMEM. */
int gitconfig_parse(const char *text, size_t len, struct gitconfig *ret_config);
void gitconfig_finish(struct gitconfig *config);

/* Whether a config may become new_text. place: its real path, which tells where a
 * submodule's files are; NULL: it is not known. old_len 0: there was none. Entries
 * that are not plain, but were there before, in the same order, are fine. False:
 * *ret_why (may be NULL) says why; static. */
bool gitconfig_plain_at(const char *place, const char *old_text, size_t old_len,
	const char *new_text, size_t new_len, const char **ret_why);

/* Whether a .gitmodules says nothing but where submodules are and come from. */
bool gitmodules_plain(const char *text, size_t len, const char **ret_why);

#endif

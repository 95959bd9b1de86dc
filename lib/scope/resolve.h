/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_RESOLVE_H
#define SCOPE_RESOLVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "scope/path-facts.h"

/* Frees the strings. */
void resolved_finish(struct path_facts *facts);
/* The real path becomes the caller's. */
static inline char *
resolved_take(struct path_facts *facts)
{
	char *real = (char *)facts->real;

	facts->real = NULL;
	return real;
}

/* base_fd (O_PATH) and base (its real path) are where relative paths begin.
 * follow: whether a symlink as last component is followed; a trailing slash
 * always follows. Fails, with the reason in err, for everything that has no
 * one meaning: empty, NUL inside, too long, a loop, a magic link of /proc,
 * /proc/self (it names another process for whoever asked), a parent that
 * cannot be entered or is no directory, a name that was deleted. */
int resolve_path(int base_fd, const char *base, const char *path, size_t len, bool follow,
	struct path_facts *ret, struct ambit_error *err);

/* The real path of an open (O_PATH) descriptor; -ENOENT if it was deleted. */
int resolve_fd(int fd, char **ret_path, struct ambit_error *err);

#define RESOLVE_TEMP 28 /* a name, 20 letters of it by chance, and a NUL */

/* A name for what is beside its place until it is whole. Nobody can guess it, and
 * whoever sees it may remove it, and nothing else: in a directory above a guard, where
 * the kernel holds that, nobody else has it open when it becomes the guard. */
void resolve_temp_name(char name[RESOLVE_TEMP]);
/* Whether it is one, or beneath one. */
bool resolve_is_temp(const char *path);

#define RESOLVE_POOL ".ambit-pool-" /* and letters by chance: directories made ahead */
#define RESOLVE_POOL_LETTERS 8
/* Whether it is a session's pool beside its folder, or lies beneath one. */
bool resolve_is_pool(const char *path);

/* openat2 with O_CLOEXEC, or -errno. If openat2 is refused, the same step by step. */
int resolve_open(int dirfd, const char *path, int flags, mode_t mode, unsigned long long resolve);

/* base + "/" + path with "//", "." and ".." folded by text alone. */
char *resolve_fold(const char *base, const char *path);

#endif

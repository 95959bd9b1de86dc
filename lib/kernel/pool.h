/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_POOL_H
#define KERNEL_POOL_H

#include <sys/types.h>

#include "kernel/floor.h"

/* Rights hang on inodes from the start, so that a directory made later in the
 * spine would have none, and everything in it would be done on behalf. A few
 * empty directories are therefore made ahead, beside the folder, with rights;
 * a new one in the spine is one of them, renamed. Where there is no room for
 * them (another mount, a parent that cannot be written) there is no pool. */

struct ambit_pass;
struct pool;

/* Also clears away what sessions left behind that were killed. ret_pool may be
 * NULL: none here. -errno only if the floor cannot take them. */
int pool_create(const char *folder, struct floor *floor, struct pool **ret_pool,
	struct ambit_error *err);
/* To be removed with pool_clear, by whoever lives longest. */
const char *pool_path(const struct pool *pool);
void pool_clear(const char *path);
void pool_destroy(struct pool *pool);

/* Makes the directory name in parent, as mkdir would (mode: less the umask), if
 * possible of one with rights: then ret_st is filled and 1 returned; else 0; or
 * -errno of the mkdir. */
int pool_mkdir(struct pool *pool, struct ambit_pass *pass, int parent, const char *name,
	mode_t mode, struct stat *ret_st);

#endif

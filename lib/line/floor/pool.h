/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_FLOOR_POOL_H
#define LINE_FLOOR_POOL_H

#include <sys/types.h>

#include "line/floor/floor.h"
#include "perform/leftover.h"

/* Rights hang on inodes from the start, so that a directory made later in the
 * spine would have none, and everything in it would be done on behalf. A few
 * empty directories are therefore made ahead, with rights; a new one in the spine
 * is one of them, renamed. They lie in the state directory if that is on the
 * folder's mount, else beside the folder if no live session may write there; else
 * there is no pool. */

struct pass;
struct pool;

/* ret_pool may be NULL: none here, also where store is NULL. -errno only if the floor cannot
 * take them. */
int pool_create(const char *folder, struct leftovers *store, struct floor *floor,
	struct pool **ret_pool, struct ambit_error *err);
/* To be removed with leftover_remove, by whoever lives longest; NULL: no pool. Borrowed. */
const struct leftover *pool_made(const struct pool *pool);
void pool_destroy(struct pool *pool);

/* Makes the directory name in parent, as mkdir would (mode: less the umask), if
 * possible of one with rights: then ret_st is filled and 1 returned; else 0; or
 * -errno of the mkdir. */
int pool_mkdir(struct pool *pool, struct pass *pass, int parent, const char *name, mode_t mode,
	struct stat *ret_st);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* PLACE/0 ... : the tree may write into 0 ..., but not move them, for it has no rights above
 * them. One that is not empty when it is wanted is not used. PLACE lies in the state directory,
 * where no session can write, or beside the folder where no live session may; in both cases
 * it is held from the moment it is made, and everything goes through that descriptor. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/floor/pool.h"
#include "perform/act.h"
#include "perform/clear.h"
#include "perform/permit.h"

#define POOL_N 8
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct pool {
	pthread_mutex_t lock;
	struct leftover made;
	unsigned next;
};

/* -- places --------------------------------------------------------------------- */

/* The directory that the folder lies in; NULL for the root, and without memory. */
static char *
parent_of(const char *folder)
{
	const char *slash = strrchr(folder, '/');

	if (streq(folder, "/") || !slash)
		return NULL;
	return slash == folder ? strdup("/") : strndup(folder, (size_t)(slash - folder));
}

static bool
is_on_mount(const char *place, int folder)
{
	auto_close int fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && leftover_same_mount(fd, folder);
}

/* -errno: there is no room for a pool. */
static int
make_place(const char *folder, struct leftovers *store, struct leftover *ret_made)
{
	auto_close int held = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *parent = parent_of(folder);

	if (held < 0)
		return -errno;
	if (is_on_mount(leftovers_place(store), held))
		return leftovers_make(store, leftovers_place(store), LEFTOVER_POOL, ret_made, NULL);
	if (!parent || !is_on_mount(parent, held))
		return -EXDEV;
	return leftovers_make(store, parent, LEFTOVER_POOL, ret_made, NULL);
}

/* -- the pool -------------------------------------------------------------------- */

static int
create_pool_dirs(struct pool *pool, struct floor *floor, struct ambit_error *err)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < POOL_N; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		if (mkdirat(pool->made.fd, name, 0700) < 0)
			return 0; /* a full disk: then there are fewer */
		auto_close int fd = openat(pool->made.fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0)
			r = floor_grant(floor, fd, err);
	}
	return r;
}

int
pool_create(const char *folder, struct leftovers *store, struct floor *floor,
	struct pool **ret_pool, struct ambit_error *err)
{
	struct pool *pool = store ? calloc(1, sizeof(*pool)) : NULL;

	*ret_pool = NULL;
	if (!pool)
		return store ? err_nomem(err) : 0;
	pthread_mutex_init(&pool->lock, NULL);
	pool->made = LEFTOVER_NONE;
	if (make_place(folder, store, &pool->made) < 0) {
		pool_destroy(pool);
		return 0;
	}
	*ret_pool = pool;
	return create_pool_dirs(pool, floor, err);
}

const struct leftover *
pool_made(const struct pool *pool)
{
	return pool ? &pool->made : NULL;
}

void
pool_destroy(struct pool *pool)
{
	if (!pool)
		return;
	leftover_finish(&pool->made);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

/* The next one that is still empty, open; its name in ret_name. */
static int
open_empty_dir(struct pool *pool, char ret_name[16])
{
	int fd = -1;

	pthread_mutex_lock(&pool->lock);
	while (fd < 0 && pool->next < POOL_N) {
		snprintf(ret_name, 16, "%u", pool->next++);
		fd = openat(pool->made.fd, ret_name, OPEN_DIR);
		if (fd >= 0 && !clear_is_empty(fd)) {
			close(fd);
			fd = -1;
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return fd;
}

/* As a directory made in parent would be. */
static int
set_dir_attributes(int fd, int parent, mode_t mode)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
	struct stat st;

	if (fstat(parent, &st) < 0)
		return -errno;
	if ((st.st_mode & S_ISGID) && fchown(fd, (uid_t)-1, st.st_gid) < 0)
		return -errno;
	if (fchmod(fd, mode | (st.st_mode & S_ISGID)) < 0 || futimens(fd, now) < 0)
		return -errno;
	return 0;
}

int
pool_mkdir(struct pool *pool, struct pass *pass, int parent, const char *name, mode_t mode,
	struct stat *ret_st)
{
	char own[16];
	auto_close int fd = -1;
	bool moved = false;
	int r;

	if (pool && leftover_same_mount(parent, pool->made.fd))
		fd = open_empty_dir(pool, own);
	if (fd < 0 || set_dir_attributes(fd, parent, mode) < 0)
		return act_mkdir(pass, parent, name, mode);
	r = act_mkdir_by_move(pass, pool->made.fd, own, fd, parent, name, mode, &moved);
	if (r < 0 || !moved)
		return r;
	return fstat(fd, ret_st) < 0 ? 0 : 1;
}

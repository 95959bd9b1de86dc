/* SPDX-License-Identifier: Apache-2.0 */
/* PARENT/.ambit-pool/SESSION/0 ... : the tree may write into 0 ..., but not move
 * them, for it has no rights above them. What is not empty when it is wanted is
 * not used. The names come from here, the directory above may be anybody's: no
 * link is followed, and what is not this user's own is left alone. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "kernel/pool.h"
#include "kernel/temp.h"
#include "perform/act.h"

#define POOL ".ambit-pool"
#define POOL_N 8
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct pool {
	pthread_mutex_t lock;
	char *path; /* of the session's directory */
	int fd;	    /* of it; locked as long as the session lives */
	uint64_t mount;
	unsigned next;
};

static int
mount_of(int fd, const char *path, uint64_t *ret_mount)
{
	struct statx st;

	if (statx(fd, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0 ||
		!(st.stx_mask & STATX_MNT_ID))
		return -ENOSYS;
	*ret_mount = st.stx_mnt_id;
	return 0;
}

/* -- places --------------------------------------------------------------------- */

/* What nobody holds any more: its session was killed, keeper and all. */
static void
collect(const char *path)
{
	auto_close int fd = open(path, OPEN_DIR);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir)
		return;
	steal_fd(&fd);
	while ((entry = readdir(dir))) {
		auto_free char *one = NULL;
		auto_close int session = -1;

		if (entry->d_name[0] == '.')
			continue;
		session = openat(dirfd(dir), entry->d_name, OPEN_DIR);
		one = str_printf("%s/%s", path, entry->d_name);
		if (session >= 0 && one && flock(session, LOCK_EX | LOCK_NB) == 0)
			temp_remove(one);
	}
	closedir(dir);
}

/* PARENT/.ambit-pool, ours alone. */
static int
enter(const char *place)
{
	auto_close int fd = -1;
	bool made = mkdir(place, 0700) == 0;
	struct stat st;

	if (!made && errno != EEXIST)
		return -errno;
	fd = open(place, OPEN_DIR);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & 0777) != 0700)
		return -EPERM;
	if (!made)
		collect(place);
	return steal_fd(&fd);
}

/* A directory of the session's own in parent, on the folder's mount. */
static int
settle(const char *parent, uint64_t mount, struct pool *pool)
{
	auto_free char *place = str_printf("%s/" POOL, streq(parent, "/") ? "" : parent);
	auto_free char *path = place ? str_printf("%s/XXXXXX", place) : NULL;
	auto_close int fd = -1, above = -1;
	uint64_t here;

	if (!path)
		return -ENOMEM;
	if (mount_of(AT_FDCWD, parent, &here) < 0 || here != mount)
		return -EXDEV;
	/* Somebody who leaves may take the empty one away between two steps. */
	for (int i = 0; i < 3 && fd < 0; i++) {
		fd_close_at(&above);
		above = enter(place);
		if (above < 0)
			return above;
		snprintf(path + strlen(path) - 6, 7, "XXXXXX");
		if (mkdtemp(path))
			fd = open(path, OPEN_DIR);
	}
	if (fd < 0)
		return -errno;
	flock(fd, LOCK_EX | LOCK_NB);
	pool->path = steal_ptr(&path);
	pool->fd = steal_fd(&fd);
	pool->mount = mount;
	return 0;
}

void
pool_clear(const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *place = slash ? strndup(path, (size_t)(slash - path)) : NULL;

	/* Most of them are empty. */
	auto_close int fd = open(path, OPEN_DIR);
	for (unsigned i = 0; fd >= 0 && i < POOL_N; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		unlinkat(fd, name, AT_REMOVEDIR);
	}
	if (rmdir(path) < 0)
		temp_remove(path);
	/* Not if another session has its own in it. */
	if (place)
		rmdir(place);
}

/* -- the pool -------------------------------------------------------------------- */

static int
fill(struct pool *pool, struct floor *floor, struct ambit_error *err)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < POOL_N; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		if (mkdirat(pool->fd, name, 0700) < 0)
			return 0; /* a full disk: then there are fewer */
		auto_close int fd = openat(pool->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0)
			r = floor_grant(floor, fd, err);
	}
	return r;
}

int
pool_create(const char *folder, struct floor *floor, struct pool **ret_pool,
	struct ambit_error *err)
{
	const char *slash = strrchr(folder, '/');
	auto_free char *parent = slash > folder ? strndup(folder, (size_t)(slash - folder))
						: strdup("/");
	auto_free char *git = str_printf("%s/.git", folder);
	struct pool *pool = calloc(1, sizeof(*pool));
	uint64_t mount;
	int r;

	*ret_pool = NULL;
	if (!parent || !git || !pool) {
		free(pool);
		return err_nomem(err);
	}
	pool->fd = -1;
	pthread_mutex_init(&pool->lock, NULL);
	r = mount_of(AT_FDCWD, folder, &mount);
	if (r == 0 && !streq(folder, "/"))
		r = settle(parent, mount, pool);
	if (r < 0 && r != -ENOSYS)
		r = settle(git, mount, pool);
	if (r == 0 && pool->path) {
		r = fill(pool, floor, err);
		*ret_pool = pool;
		return r;
	}
	pool_destroy(pool);
	return 0;
}

const char *
pool_path(const struct pool *pool)
{
	return pool ? pool->path : NULL;
}

void
pool_destroy(struct pool *pool)
{
	if (!pool)
		return;
	fd_close_at(&pool->fd);
	pthread_mutex_destroy(&pool->lock);
	free(pool->path);
	free(pool);
}

/* Whether the directory behind fd has nothing in it. */
static bool
is_empty(int fd)
{
	int copy = openat(fd, ".", OPEN_DIR), n = 0;
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;

	if (!dir) {
		fd_close_at(&copy);
		return false;
	}
	while (n <= 2 && readdir(dir))
		n++;
	closedir(dir);
	return n <= 2;
}

/* The next one that is still empty, open; its name in ret_name. */
static int
take(struct pool *pool, char ret_name[16])
{
	int fd = -1;

	pthread_mutex_lock(&pool->lock);
	while (fd < 0 && pool->next < POOL_N) {
		snprintf(ret_name, 16, "%u", pool->next++);
		fd = openat(pool->fd, ret_name, OPEN_DIR);
		if (fd >= 0 && !is_empty(fd)) {
			close(fd);
			fd = -1;
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return fd;
}

/* As a directory made in parent would be. */
static int
dress(int fd, int parent, mode_t mode)
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
pool_mkdir(struct pool *pool, struct ambit_pass *pass, int parent, const char *name, mode_t mode,
	struct stat *ret_st)
{
	char own[16];
	uint64_t mount;
	auto_close int fd = -1;
	bool moved = false;
	int r;

	if (pool && mount_of(parent, "", &mount) == 0 && mount == pool->mount)
		fd = take(pool, own);
	if (fd < 0 || dress(fd, parent, mode) < 0)
		return act_mkdir(pass, parent, name, mode);
	r = act_mkdir_by_move(pass, pool->fd, own, parent, name, mode, &moved);
	if (r < 0 || !moved)
		return r;
	return fstat(fd, ret_st) < 0 ? 0 : 1;
}

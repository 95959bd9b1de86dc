/* SPDX-License-Identifier: Apache-2.0 */
/* One session's file in the store, and the directories that it lists. The store lies where no
 * session can write and is trusted; the directories outside it may be moved, replaced and
 * filled by other sessions' commands at any moment. So each is made in the store, known by its
 * descriptor, and moved to its place; only across mounts it is made in its place, and then it
 * must be what was made: ours, new and empty. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "perform/clear.h"
#include "perform/leftover-private.h"
#include "scope/resolve.h"

#define OWN "own"
#define LETTERS RESOLVE_POOL_LETTERS
#define TRIES 16
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define SECOND 1000000000LL

/* -- identity ---------------------------------------------------------------------- */

/* Old containers refuse statx: then the birth is not known. */
static int
identity_by_stat(int fd, const char *name, struct identity *ret_identity)
{
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) < 0)
		return -errno;
	*ret_identity = (struct identity){
		.major = major(st.st_dev),
		.minor = minor(st.st_dev),
		.inode = st.st_ino,
	};
	return 0;
}

int
identity_of(int fd, const char *name, struct identity *ret_identity)
{
	struct statx st;

	if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) < 0)
		return errno == EPERM || errno == ENOSYS ? identity_by_stat(fd, name, ret_identity)
							 : -errno;
	*ret_identity = (struct identity){
		.major = st.stx_dev_major,
		.minor = st.stx_dev_minor,
		.inode = st.stx_ino,
		.birth = st.stx_mask & STATX_BTIME
				 ? st.stx_btime.tv_sec * SECOND + st.stx_btime.tv_nsec
				 : 0,
	};
	return 0;
}

bool
identity_equal(const struct identity *a, const struct identity *b)
{
	return a->major == b->major && a->minor == b->minor && a->inode == b->inode &&
	       a->birth == b->birth;
}

static bool
names_same(int parent, const char *name, int fd)
{
	struct identity at = { 0 }, own = { 0 };

	return identity_of(parent, name, &at) == 0 && identity_of(fd, "", &own) == 0 &&
	       identity_equal(&at, &own);
}

bool
leftover_same_mount(int a, int b)
{
	struct statx x, y;
	const int flags = AT_EMPTY_PATH;

	return statx(a, "", flags, STATX_MNT_ID, &x) == 0 &&
	       statx(b, "", flags, STATX_MNT_ID, &y) == 0 &&
	       (x.stx_mask & y.stx_mask & STATX_MNT_ID) && x.stx_mnt_id == y.stx_mnt_id;
}

int
leftover_open(const char *path)
{
	return resolve_open(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0,
		RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* -- one directory ----------------------------------------------------------------- */

int
leftover_remove(const struct leftover *made)
{
	struct stat st;
	int r;

	if (made->fd < 0 || fstat(made->fd, &st) < 0 || st.st_nlink == 0)
		return 0;
	if ((st.st_mode & 0700) != 0700)
		fchmod(made->fd, 0700);
	r = clear_directory(made->fd, CLEAR_ALL);
	/* An empty directory that somebody puts here now is removed. */
	if (names_same(made->parent, made->name, made->fd) &&
		unlinkat(made->parent, made->name, AT_REMOVEDIR) < 0 && errno != ENOENT && r == 0)
		r = -errno;
	return r;
}

void
leftover_finish(struct leftover *made)
{
	fd_close_at(&made->fd);
	fd_close_at(&made->parent);
	*made = LEFTOVER_NONE;
}

/* -- records ------------------------------------------------------------------------ */

static char *
format_record(enum record_kind kind, const struct identity *of, const char *path)
{
	const struct identity none = { 0 };

	of = of ? of : &none;
	return str_printf("%c %x:%x %llx %llx %s", kind, of->major, of->minor, of->inode,
		(unsigned long long)of->birth, path);
}

/* One write, so that whoever reads meanwhile sees it whole or cut at its end. */
static int
append_record(struct leftovers *store, const char *record, size_t len, enum record_kind kind)
{
	struct stat st;
	int r;

	pthread_mutex_lock(&store->lock);
	r = fstat(store->file.fd, &st) < 0 ? -errno : fd_write_all(store->file.fd, record, len);
	/* A part of a record would spoil the next one. */
	if (r < 0)
		(void)!ftruncate(store->file.fd, st.st_size);
	else if (kind == RECORD_FILE)
		store->notes++;
	else if (kind != RECORD_STAGED)
		store->base = st.st_size + (off_t)len;
	pthread_mutex_unlock(&store->lock);
	return r;
}

static int
record_path(
	struct leftovers *store, enum record_kind kind, const struct identity *of, const char *path)
{
	auto_free char *record = store ? format_record(kind, of, path) : NULL;

	if (!store)
		return 0;
	return record ? append_record(store, record, strlen(record) + 1, kind) : -ENOMEM;
}

int
leftovers_note_writable(struct leftovers *store, char *const *paths)
{
	int r = 0;

	for (; store && r == 0 && paths && *paths; paths++)
		r = record_path(store, RECORD_WRITABLE, NULL, *paths);
	return r;
}

/* The path is for finding it again; that it is the same directory, its identity says. */
static int
note_name(struct leftovers *store, enum record_kind kind, const struct identity *of, int parent,
	const char *name)
{
	char link[40], dir[4096];
	auto_free char *path = NULL, *record = NULL;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", parent);
	n = readlink(link, dir, sizeof(dir) - 1);
	if (n <= 0 || n >= (ssize_t)sizeof(dir) - 1)
		return n < 0 ? -errno : -ENAMETOOLONG;
	dir[n] = '\0';
	path = str_printf("%s/%s", streq(dir, "/") ? "" : dir, name);
	record = path ? format_record(kind, of, path) : NULL;
	return record ? append_record(store, record, strlen(record) + 1, kind) : -ENOMEM;
}

int
leftovers_note(struct leftovers *store, int parent, const char *name)
{
	struct identity above;
	int r = store ? identity_of(parent, "", &above) : 0;

	return r < 0 || !store ? r : note_name(store, RECORD_FILE, &above, parent, name);
}

int
leftovers_staged(struct leftovers *store, int parent, const char *name, int fd)
{
	struct identity of;
	int r = store ? identity_of(fd, "", &of) : 0;

	return r < 0 || !store ? r : note_name(store, RECORD_STAGED, &of, parent, name);
}

/* Notes that stand behind everything else are cut off when none is needed any more: a server
 * that writes all day does not fill its file. */
void
leftovers_forget(struct leftovers *store)
{
	struct stat st;

	if (!store)
		return;
	pthread_mutex_lock(&store->lock);
	if (store->notes > 0 && --store->notes == 0 && fstat(store->file.fd, &st) == 0 &&
		st.st_size > store->base && ftruncate(store->file.fd, store->base) < 0)
		errno = 0; /* then it is read once more than needed */
	pthread_mutex_unlock(&store->lock);
}

/* -- the store ---------------------------------------------------------------------- */

static int
open_place(const char *state, char **ret_place, int *ret_fd)
{
	auto_close int above = leftover_open(state), fd = -1;
	auto_free char *place = str_printf("%s/" OWN, state);
	struct stat st;

	if (above < 0)
		return above;
	if (!place)
		return -ENOMEM;
	fd = openat(above, OWN, OPEN_DIR);
	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(above, OWN, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(above, OWN, OPEN_DIR);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & 022))
		return -EPERM;
	*ret_place = steal_ptr(&place);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static void
make_name(const char *prefix, char ret_name[LEFTOVER_NAME])
{
	int n = snprintf(ret_name, LEFTOVER_NAME - LETTERS, "%s", prefix);

	hash_random_name(ret_name + n, LETTERS);
}

/* Somebody who collects may lock a new file before we do, and take it for a dead session's:
 * then it has no name any more when we get the lock. */
static int
make_file(struct leftover *file)
{
	for (int i = 0; i < TRIES; i++) {
		auto_close int fd = -1;
		struct stat st;

		make_name(STORE_PLAIN, file->name);
		fd = openat(file->parent, file->name,
			O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -errno;
		while (flock(fd, LOCK_EX) < 0)
			if (errno != EINTR)
				return -errno;
		if (fstat(fd, &st) < 0)
			return -errno;
		if (st.st_nlink == 0)
			continue;
		file->fd = steal_fd(&fd);
		return 0;
	}
	return -EAGAIN;
}

int
leftovers_open(const char *state, struct leftovers **ret_store, struct ambit_error *err)
{
	struct leftovers *store = calloc(1, sizeof(*store));
	int r;

	if (!store)
		return err_nomem(err);
	store->refs = 1;
	store->file = LEFTOVER_NONE;
	pthread_mutex_init(&store->lock, NULL);
	r = open_place(state, &store->place, &store->file.parent);
	if (r == 0)
		r = make_file(&store->file);
	if (r < 0) {
		leftovers_destroy(store);
		return err_sys(err, -r, "cannot note in %s/" OWN " what this session makes", state);
	}
	*ret_store = store;
	return 0;
}

struct leftovers *
leftovers_ref(struct leftovers *store)
{
	if (store)
		__atomic_add_fetch(&store->refs, 1, __ATOMIC_RELAXED);
	return store;
}

void
leftovers_destroy(struct leftovers *store)
{
	if (!store || __atomic_sub_fetch(&store->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	if (!store->made)
		leftovers_end(&store->file);
	leftover_finish(&store->file);
	pthread_mutex_destroy(&store->lock);
	free(store->place);
	free(store);
}

const struct leftover *
leftovers_file(const struct leftovers *store)
{
	return &store->file;
}

const char *
leftovers_place(const struct leftovers *store)
{
	return store->place;
}

void
leftovers_end(const struct leftover *file)
{
	if (file->fd >= 0 && names_same(file->parent, file->name, file->fd))
		unlinkat(file->parent, file->name, 0);
}

/* -- making directories ---------------------------------------------------------------- */

/* Somebody who can write in the parent may have put another directory there since. One that is
 * ours, empty, closed to others and born a moment ago is as good as the one that was made. */
static bool
is_fresh(int fd, long long since)
{
	struct identity is;
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0077) == 0 &&
	       identity_of(fd, "", &is) == 0 && (is.birth == 0 || is.birth >= since) &&
	       clear_is_empty(fd);
}

/* In its place, where it cannot be moved to. */
static int
make_dir_in_place(struct leftovers *store, const char *path, struct leftover *made)
{
	auto_close int fd = -1;
	struct identity is;
	struct timespec now;
	int r;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if (mkdirat(made->parent, made->name, 0700) < 0)
		return -errno;
	fd = openat(made->parent, made->name, OPEN_DIR);
	if (fd < 0)
		return -errno;
	if (!is_fresh(fd, (now.tv_sec - 1) * SECOND))
		return -ESTALE;
	r = identity_of(fd, "", &is);
	if (r == 0)
		r = record_path(store, RECORD_DIR, &is, path);
	if (r == 0)
		made->fd = steal_fd(&fd);
	return r;
}

/* In the store, recorded, and moved: nobody can put another in its place before it is known.
 * -EXDEV: it cannot be moved there. */
static int
make_and_move(struct leftovers *store, const char *path, bool outside, struct leftover *made)
{
	const int dir = store->file.parent;
	auto_close int fd = -1;
	struct identity is;
	int r;

	if (mkdirat(dir, made->name, 0700) < 0)
		return -errno;
	fd = openat(dir, made->name, OPEN_DIR);
	r = fd < 0 ? -errno : identity_of(fd, "", &is);
	if (r == 0)
		r = record_path(store, RECORD_DIR, &is, path);
	if (r == 0 && outside &&
		renameat2(dir, made->name, made->parent, made->name, RENAME_NOREPLACE) < 0)
		r = errno == EINVAL ? -EXDEV : -errno; /* NFS knows no flags */
	if (r < 0)
		unlinkat(dir, made->name, AT_REMOVEDIR);
	else
		made->fd = steal_fd(&fd);
	return r;
}

/* The plan comes first: whoever is killed in between leaves at most an empty directory, and
 * the next start knows where. */
static int
plan_directory(struct leftovers *store, const char *path, int parent, bool pool)
{
	char name[LEFTOVER_NAME];
	struct identity above;
	int r = identity_of(parent, "", &above);

	if (r == 0)
		r = record_path(store, pool ? RECORD_POOL : RECORD_PLAN, &above, path);
	store->made = true;
	if (r < 0 || !pool)
		return r;
	snprintf(name, sizeof(name), STORE_POOL "%s", store->file.name + strlen(STORE_PLAIN));
	if (renameat(store->file.parent, store->file.name, store->file.parent, name) < 0)
		return -errno;
	memcpy(store->file.name, name, sizeof(name));
	return leftovers_covered(store, path) ? -EBUSY : 0;
}

static int
make_planned(
	struct leftovers *store, const char *path, bool outside, bool pool, struct leftover *made)
{
	int r = store ? plan_directory(store, path, made->parent, pool && outside) : 0;

	if (r < 0)
		return r;
	r = store && (!outside || leftover_same_mount(store->file.parent, made->parent))
		    ? make_and_move(store, path, outside, made)
		    : -EXDEV;
	return r == -EXDEV ? make_dir_in_place(store, path, made) : r;
}

static int
make_once(struct leftovers *store, const char *dir, enum leftover_kind kind,
	struct leftover *ret_made, char **ret_path)
{
	bool outside = !store || !streq(dir, store->place);
	struct leftover made = LEFTOVER_NONE;
	auto_free char *path = NULL;
	int r;

	make_name(kind == LEFTOVER_DIR ? "ambit-" : outside ? RESOLVE_POOL : "pool-", made.name);
	path = str_printf("%s/%s", streq(dir, "/") ? "" : dir, made.name);
	if (!path)
		return -ENOMEM;
	made.parent = leftover_open(dir);
	if (made.parent < 0)
		return made.parent;
	r = make_planned(store, path, outside, kind == LEFTOVER_POOL, &made);
	if (r < 0) {
		leftover_finish(&made);
		return r;
	}
	*ret_made = made;
	if (ret_path)
		*ret_path = steal_ptr(&path);
	return 0;
}

int
leftovers_make(struct leftovers *store, const char *dir, enum leftover_kind kind,
	struct leftover *ret_made, char **ret_path)
{
	int r = -EEXIST;

	for (int i = 0; i < TRIES && r == -EEXIST; i++)
		r = make_once(store, dir, kind, ret_made, ret_path);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The shared memory of SQLite's write-ahead log (its index, and the locks on
 * it), done in place of SQLite's. Between ambits the locks are those of lock.c,
 * which the command behind the line cannot take.
 *
 * A person's sqlite3 knows only the locks of fcntl. While an ambit has the
 * record open, read locks that nobody can refuse it keep such programs from
 * moving, restarting or removing the log; they can read, and add to it in
 * their turn, for ambit takes the lock of writers as well. Their reading is
 * waited for. But a read lock where honest programs have none, or one that
 * would stop the record, is passed over: it is a stranger's. On the database
 * itself SQLite's own locks stay: with a log only read locks are taken there. */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "record/vfs.h"

/* From SQLite's file format: locks on bytes of the -shm file from BASE on. */
#define BASE 120
#define WRITE 0
#define CHECKPOINT 1
#define RECOVER 2
#define READ_0 3
#define READ_LAST 7
#define ALIVE 8	   /* a read lock there says: in use */
#define ENTER 9	   /* ambit's own, without a byte: one at a time comes in */
#define HEADER 136 /* bytes of the index; zeros mean: read the log again */
#define MX_FRAME 4 /* the word in it that counts frames */

#define FRAMES_MAX 1000 /* a stranger's read lock lets the log grow up to here */

/* Held by every ambit: nobody else moves the log, starts it over, reads it
 * again from its start, or finds himself alone. */
static const int kept[] = { ALIVE, CHECKPOINT, RECOVER, READ_LAST };

struct vfs {
	sqlite3_vfs vfs;
	sqlite3_io_methods methods; /* of the database, with ours in them */
	sqlite3_vfs *real;
	struct locks *locks;
	const char *path;
	char *shm_path;
	char *log_path;
	char name[40];
	char boot[64]; /* which start of the machine this is; empty: not read yet */
	int shm;
	uint32_t **regions;
	int n_regions;
	size_t region_size;
};

static struct vfs *
vfs_of(sqlite3_file *file)
{
	return (struct vfs *)((char *)file->pMethods - offsetof(struct vfs, methods));
}

/* -- the index --------------------------------------------------------------------- */

static uint64_t
mix_file(uint64_t hash, const struct stat *st)
{
	const uint64_t fields[] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino,
		(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec };

	return hash_fnv(hash, fields, sizeof(fields));
}

static bool
knows_boot(struct vfs *vfs)
{
	auto_close int fd =
		vfs->boot[0] ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	return vfs->boot[0] || (fd >= 0 && read(fd, vfs->boot, sizeof(vfs->boot)) > 0);
}

/* What the files are at this moment, and since when the machine runs: if all
 * that is as it was when the index was last used, the index is right. 0: it
 * cannot be told. */
static uint64_t
compute_stamp(struct vfs *vfs)
{
	uint64_t hash;
	char header[HEADER] = "";
	struct stat db, log, shm;

	if (!knows_boot(vfs) || stat(vfs->path, &db) < 0 || stat(vfs->log_path, &log) < 0 ||
		fstat(vfs->shm, &shm) < 0 || pread(vfs->shm, header, sizeof(header), 0) < 0)
		return 0;
	shm.st_mtim = (struct timespec){ 0 }; /* memory that is mapped changes it at will */
	hash = hash_fnv(HASH_FNV_START, vfs->boot, sizeof(vfs->boot));
	hash = hash_fnv(hash, header, sizeof(header));
	hash = mix_file(hash, &db);
	hash = mix_file(hash, &log);
	return mix_file(hash, &shm) | 1;
}

static bool
is_right(struct vfs *vfs)
{
	uint64_t was = locks_stamp(vfs->locks);

	return was != 0 && was == compute_stamp(vfs);
}

/* Whoever finds no other ambit there does not trust an index that may be from
 * before a power cut, or of another log. (An honest outsider finds it empty,
 * and reads the log again as well.) */
static int
enter_shared_index(struct vfs *vfs, off_t size)
{
	static const char zeros[HEADER];
	const unsigned door = 1u << ENTER, in = 1u << ALIVE;
	struct locks_wait wait = { 0 };
	int rc = SQLITE_OK;

	/* SQLite would ask again a hundred times and then give up. */
	while (locks_take(vfs->locks, door, true) < 0)
		if (!locks_wait(vfs->locks, &wait))
			return SQLITE_BUSY;
	for (size_t i = 0; rc == SQLITE_OK && i < sizeof(kept) / sizeof(kept[0]); i++)
		if (lock_bytes(vfs->shm, BASE + kept[i], 1, F_RDLCK) < 0)
			rc = SQLITE_BUSY;
	if (rc == SQLITE_OK && size > 0 && locks_alone(vfs->locks, in) && !is_right(vfs) &&
		pwrite(vfs->shm, zeros, sizeof(zeros), 0) != sizeof(zeros))
		rc = SQLITE_IOERR_SHMOPEN;
	if (rc == SQLITE_OK)
		locks_take(vfs->locks, in, false);
	locks_drop(vfs->locks, door, true);
	return rc;
}

static int
open_shm(struct vfs *vfs)
{
	struct stat st;
	int rc = SQLITE_CANTOPEN;

	vfs->shm =
		open(vfs->shm_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (vfs->shm < 0)
		return rc;
	if (fstat(vfs->shm, &st) == 0 && S_ISREG(st.st_mode) &&
		((st.st_mode & 0777) == 0600 || fchmod(vfs->shm, 0600) == 0))
		rc = enter_shared_index(vfs, st.st_size);
	if (rc != SQLITE_OK) {
		close(vfs->shm);
		vfs->shm = -1;
	}
	return rc;
}

static int
add_region(struct vfs *vfs)
{
	off_t at = (off_t)((size_t)vfs->n_regions * vfs->region_size);
	uint32_t **more = realloc(vfs->regions, ((size_t)vfs->n_regions + 1) * sizeof(*more));
	void *map;

	if (!more)
		return SQLITE_IOERR_NOMEM;
	vfs->regions = more;
	map = mmap(NULL, vfs->region_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		vfs->shm, at);
	if (map == MAP_FAILED)
		return SQLITE_IOERR_SHMMAP;
	more[vfs->n_regions++] = map;
	return SQLITE_OK;
}

static int
shm_map(sqlite3_file *file, int n, int size, int extend, void volatile **ret_at)
{
	struct vfs *vfs = vfs_of(file);
	off_t need = (off_t)(n + 1) * size;
	struct stat st;
	int rc = vfs->shm >= 0 ? SQLITE_OK : open_shm(vfs);

	*ret_at = NULL;
	vfs->region_size = (size_t)size;
	if (rc == SQLITE_OK && n >= vfs->n_regions) {
		if (fstat(vfs->shm, &st) < 0)
			return SQLITE_IOERR_SHMSIZE;
		if (st.st_size < need && !extend)
			return SQLITE_OK;
		/* No holes: a full disk must be an error here, not a signal later. */
		if (st.st_size < need && posix_fallocate(vfs->shm, 0, need) != 0)
			return SQLITE_IOERR_SHMSIZE;
	}
	while (rc == SQLITE_OK && n >= vfs->n_regions)
		rc = add_region(vfs);
	if (rc == SQLITE_OK)
		*ret_at = vfs->regions[n];
	return rc;
}

static void
shm_barrier(sqlite3_file *file)
{
	(void)file;
	atomic_thread_fence(memory_order_seq_cst);
}

void
vfs_leave(struct vfs *vfs)
{
	if (vfs->shm >= 0)
		locks_set_stamp(vfs->locks, compute_stamp(vfs));
}

/* It stays for the next: making it is most of the work of opening. Unlocked by
 * hand, as a forked process may still have the descriptor. */
static int
shm_unmap(sqlite3_file *file, int remove)
{
	struct vfs *vfs = vfs_of(file);

	for (int i = 0; i < vfs->n_regions; i++)
		munmap(vfs->regions[i], vfs->region_size);
	free(vfs->regions);
	vfs->regions = NULL;
	vfs->n_regions = 0;
	if (vfs->shm < 0)
		return SQLITE_OK;
	if (remove)
		unlink(vfs->shm_path);
	vfs_leave(vfs);
	locks_drop(vfs->locks, (1u << ENTER) - 1, false);
	locks_drop(vfs->locks, (1u << ENTER) - 1, true);
	lock_bytes(vfs->shm, BASE, ALIVE + 1, F_UNLCK);
	close(vfs->shm);
	vfs->shm = -1;
	return SQLITE_OK;
}

/* -- its locks ---------------------------------------------------------------------- */

/* Whether a read lock of somebody who is not an ambit is passed over. Honest
 * programs have none on the writers' byte. Those on the others are of readers,
 * which are waited for while the log is short; but to begin reading must always
 * be possible, and the last lock for it is never refused. */
static bool
may_ignore_lock(const struct vfs *vfs, int lock)
{
	if (lock == WRITE)
		return true;
	return locks_held(vfs->locks) & (1u << WRITE | 1u << CHECKPOINT) && vfs->n_regions > 0 &&
	       ((volatile uint32_t *)vfs->regions[0])[MX_FRAME] > FRAMES_MAX;
}

/* Shared locks, and those whose bytes are kept, are between ambits. */
static bool
has_byte(int lock, bool exclusive)
{
	return exclusive && (lock == WRITE || (lock >= READ_0 && lock < READ_LAST));
}

static bool
take_byte(const struct vfs *vfs, int lock)
{
	return lock_bytes(vfs->shm, BASE + lock, 1, F_WRLCK) == 0 ||
	       (!lock_written(vfs->shm, BASE + lock, 1) && may_ignore_lock(vfs, lock));
}

static int
shm_lock(sqlite3_file *file, int from, int n, int flags)
{
	struct vfs *vfs = vfs_of(file);
	unsigned mask = ((1u << n) - 1) << from;
	bool exclusive = flags & SQLITE_SHM_EXCLUSIVE, taken = true;

	if (vfs->shm < 0)
		return SQLITE_IOERR_SHMLOCK;
	if (flags & SQLITE_SHM_LOCK) {
		if (locks_take(vfs->locks, mask, exclusive) < 0)
			return SQLITE_BUSY;
		for (int i = from; taken && i < from + n; i++)
			taken = !has_byte(i, exclusive) || take_byte(vfs, i);
		if (taken)
			return SQLITE_OK;
	}
	for (int i = from; i < from + n; i++)
		if (has_byte(i, exclusive))
			lock_bytes(vfs->shm, BASE + i, 1, F_UNLCK);
	locks_drop(vfs->locks, mask, exclusive);
	return taken ? SQLITE_OK : SQLITE_BUSY;
}

/* -- the layer ------------------------------------------------------------------------ */

static int
open_file(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	struct vfs *vfs = base->pAppData;
	int rc = vfs->real->xOpen(vfs->real, name, file, flags, ret_flags);

	if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
		return rc;
	vfs->methods = *file->pMethods;
	vfs->methods.xShmMap = shm_map;
	vfs->methods.xShmLock = shm_lock;
	vfs->methods.xShmBarrier = shm_barrier;
	vfs->methods.xShmUnmap = shm_unmap;
	file->pMethods = &vfs->methods;
	return rc;
}

/* state_prepare has resolved it. */
static int
full_path(sqlite3_vfs *base, const char *name, int size, char *ret_path)
{
	(void)base;
	if (snprintf(ret_path, (size_t)size, "%s", name) >= size)
		return SQLITE_CANTOPEN;
	return SQLITE_OK;
}

int
vfs_create(const char *path, struct locks *locks, struct vfs **ret_vfs)
{
	struct vfs *vfs = calloc(1, sizeof(*vfs));

	if (!vfs)
		return -ENOMEM;
	vfs->shm = -1;
	vfs->locks = locks;
	vfs->path = path;
	vfs->shm_path = str_printf("%s-shm", path);
	vfs->log_path = str_printf("%s-wal", path);
	vfs->real = sqlite3_vfs_find("unix"); /* initializes SQLite, too */
	if (!vfs->shm_path || !vfs->log_path || !vfs->real) {
		vfs_destroy(vfs);
		return -ENOMEM;
	}
	vfs->vfs = *vfs->real;
	vfs->vfs.pNext = NULL;
	vfs->vfs.pAppData = vfs;
	vfs->vfs.xOpen = open_file;
	vfs->vfs.xFullPathname = full_path;
	/* Its address makes the name one that nobody else in this process has. */
	snprintf(vfs->name, sizeof(vfs->name), "ambit-%p", (void *)vfs);
	vfs->vfs.zName = vfs->name;
	*ret_vfs = vfs;
	return 0;
}

void
vfs_destroy(struct vfs *vfs)
{
	if (!vfs)
		return;
	free(vfs->shm_path);
	free(vfs->log_path);
	free(vfs);
}

/* Known to SQLite by its name only while that is needed. */
int
vfs_connect(struct vfs *vfs, const char *path, int flags, sqlite3 **ret_db)
{
	int rc = sqlite3_vfs_register(&vfs->vfs, 0);

	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2(path, ret_db, flags, vfs->name);
	sqlite3_vfs_unregister(&vfs->vfs);
	return rc;
}

int
vfs_vacuum(struct vfs *vfs, sqlite3 *db)
{
	int rc = sqlite3_vfs_register(&vfs->vfs, 0);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "VACUUM", NULL, NULL, NULL);
	sqlite3_vfs_unregister(&vfs->vfs);
	return rc;
}

bool
vfs_has_log(const struct vfs *vfs)
{
	return vfs->shm >= 0;
}

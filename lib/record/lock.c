/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that a reader cannot take. fcntl's can be: a command behind the line
 * may read the record's files, and a read lock on the right byte would stop
 * every writer for as long as it likes. So the locks are bits in a mapped file
 * that only those who may write it can set; each connection has a seat with
 * its own bits, and a lock is free if no seat of a living one has it.
 *
 * Who lives, the kernel knows: the owner of a seat holds a write lock on a
 * byte of its own. Where somebody sits on that byte with a read lock, the
 * owner is told by process and start time instead. Trusts whoever can write
 * the file, and survives the death of any of them at any instruction. */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "record/lock.h"

#define TABLE_MAGIC UINT64_C(0x31656c626174626d) /* "mbtable1", the form of the table */
#define SEATS 254
#define LIFE ((off_t)sizeof(struct table)) /* the byte of seat 0; behind the content */
#define MAKING (LIFE + SEATS)
#define MAKING_MS 2000

#define BY_ID (UINT64_C(1) << 63)
#define EXCLUSIVE LOCKS_MAX /* where the exclusive bits begin */
#define BITS UINT64_C(0xffffffff)

struct seat {
	_Atomic uint64_t owner; /* 0: free; unique, or BY_ID and who it is */
	_Atomic uint64_t held;	/* shared bits, exclusive bits, and a check of the owner */
};

struct table {
	_Atomic uint64_t magic;
	_Atomic uint64_t stamp; /* see locks_stamp */
	_Atomic uint64_t used;	/* no seat from here on was ever taken */
	uint64_t unused;
	struct seat seats[SEATS];
};
_Static_assert(sizeof(struct table) == 4096, "one page");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "between processes");

struct locks {
	int fd;
	struct table *table;
	struct seat *seat; /* NULL: none yet */
	uint64_t id; /* who this process is, once it was needed */
};

int
lock_bytes(int fd, off_t at, off_t n, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = n };

	return fcntl(fd, F_OFD_SETLK, &l) < 0 ? -errno : 0;
}

bool
lock_written(int fd, off_t at, off_t n)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = n };

	return fcntl(fd, F_OFD_GETLK, &l) < 0 || l.l_type != F_UNLCK;
}

/* -- who lives ---------------------------------------------------------------- */

/* The start time of a process, in ticks: field 22, counted from behind the
 * name, which may hold anything. */
static int
start_of(pid_t pid, uint64_t *ret_start)
{
	char path[32], text[1024], *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -EIO;
	*ret_start = strtoull(at, NULL, 10);
	return 0;
}

/* 15 bits of the pid namespace, 26 of the start time, 22 of the pid. */
static int
make_id(pid_t pid, uint64_t *ret_id)
{
	uint64_t start = 0;
	struct stat st;
	int r = start_of(pid, &start);

	if (r == 0 && stat("/proc/self/ns/pid", &st) < 0)
		r = -EIO;
	if (r == 0)
		*ret_id = BY_ID | ((uint64_t)st.st_ino & 0x7fff) << 48 |
			  (start & 0x3ffffff) << 22 | ((uint64_t)pid & 0x3fffff);
	return r;
}

/* Bits that were left by an earlier owner do not have this one's check. */
static uint64_t
check_of(uint64_t owner)
{
	return (owner ^ owner << 32) & ~BITS;
}

/* Where it cannot be told, it lives: a lock too many makes wait, one too few
 * breaks the file. That it is an owner at all, and not noise, the check says. */
static bool
id_lives(const struct seat *seat, uint64_t id)
{
	uint64_t now, self;
	int r;

	if (make_id(getpid(), &self) < 0 || ((self ^ id) >> 48) != 0)
		return (atomic_load(&seat->held) & ~BITS) == check_of(id);
	r = make_id((pid_t)(id & 0x3fffff), &now);
	return r == 0 ? now == id : r != -ENOENT && r != -ESRCH;
}

static bool
lives(const struct locks *locks, size_t i, uint64_t owner)
{
	return owner & BY_ID ? id_lives(&locks->table->seats[i], owner)
			     : lock_written(locks->fd, LIFE + (off_t)i, 1);
}

/* -- seats ---------------------------------------------------------------------- */

/* Never the same again, so that nobody who saw a dead owner here takes the
 * seat of the next. */
static uint64_t
unique(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) | 1) & ~BY_ID;
}

static bool
claim(struct locks *locks, size_t i)
{
	struct seat *seat = &locks->table->seats[i];
	off_t life = LIFE + (off_t)i;
	bool locked = lock_bytes(locks->fd, life, 1, F_WRLCK) == 0;
	uint64_t owner = atomic_load(&seat->owner), mine = unique();
	uint64_t used = atomic_load(&locks->table->used);
	bool vacant = locked || !lock_written(locks->fd, life, 1);

	if (vacant && owner & BY_ID)
		vacant = !id_lives(seat, owner);
	if (vacant && !locked) { /* a stranger sits on the byte */
		vacant = locks->id || make_id(getpid(), &locks->id) == 0;
		mine = locks->id;
	}
	if (!vacant || !atomic_compare_exchange_strong(&seat->owner, &owner, mine)) {
		if (locked)
			lock_bytes(locks->fd, life, 1, F_UNLCK);
		return false;
	}
	while (used <= i && !atomic_compare_exchange_weak(&locks->table->used, &used, i + 1))
		;
	atomic_store(&seat->held, check_of(mine));
	locks->seat = seat;
	return true;
}

/* Free ones first: looking at one that is taken costs a call to the kernel. */
static int
find_seat(struct locks *locks, const char *path, struct ambit_error *err)
{
	for (int taken = 0; taken < 2; taken++)
		for (size_t i = 0; i < SEATS; i++)
			if ((atomic_load(&locks->table->seats[i].owner) != 0) == taken &&
				claim(locks, i))
				return 0;
	return err_set(err, EBUSY, "%s: %d connections use the record already: end some", path,
		SEATS);
}

/* -- the file --------------------------------------------------------------------- */

static int
fill(const struct locks *locks, const char *path, struct ambit_error *err)
{
	static const struct table empty = { 0 };
	uint64_t magic = 0;

	if (pread(locks->fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == TABLE_MAGIC)
		return 0; /* somebody else has made it meanwhile */
	if (lock_written(locks->fd, LIFE, SEATS))
		return err_set(err, EBADMSG,
			"%s: damaged while it is in use: end every ambit, then remove it", path);
	magic = TABLE_MAGIC; /* last: until then nobody takes a seat */
	errno = ENOSPC;
	if (pwrite(locks->fd, &empty, sizeof(empty), 0) != sizeof(empty) ||
		pwrite(locks->fd, &magic, sizeof(magic), 0) != sizeof(magic))
		return err_sys(err, errno, "%s: cannot be written", path);
	return 0;
}

/* One at a time; a stranger's read lock does not count. */
static int
make_table(const struct locks *locks, const char *path, struct ambit_error *err)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	int r;

	for (int left = MAKING_MS; lock_bytes(locks->fd, MAKING, 1, F_WRLCK) < 0 &&
		lock_written(locks->fd, MAKING, 1); left--) {
		if (left == 0)
			return err_set(err, EBUSY,
				"%s: another process has kept it locked for too long: try again",
				path);
		nanosleep(&pause, NULL);
	}
	r = fill(locks, path, err);
	lock_bytes(locks->fd, MAKING, 1, F_UNLCK);
	return r;
}

static int
check_file(const struct locks *locks, const char *path, off_t *ret_size, struct ambit_error *err)
{
	struct stat st;

	if (fstat(locks->fd, &st) < 0)
		return err_sys(err, errno, "%s: cannot be looked at", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: not a regular file: move it away", path);
	if (st.st_uid != geteuid())
		return err_set(err, EPERM, "%s: belongs to user %u, not to you: move it away", path,
			(unsigned)st.st_uid);
	if ((st.st_mode & 0777) != 0600 && fchmod(locks->fd, 0600) < 0)
		return err_sys(err, errno, "%s: cannot be made private", path);
	*ret_size = st.st_size;
	return 0;
}

static int
open_table(struct locks *locks, const char *path, struct ambit_error *err)
{
	off_t size = 0;
	void *at;
	int r;

	locks->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (locks->fd < 0)
		return err_sys(err, errno,
			"%s: cannot be opened: check the permissions of the file and its directory",
			path);
	r = check_file(locks, path, &size, err);
	if (r == 0 && size < (off_t)sizeof(struct table))
		r = make_table(locks, path, err);
	if (r < 0)
		return r;
	at = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		locks->fd, 0);
	if (at == MAP_FAILED)
		return err_sys(err, errno, "%s: cannot be mapped", path);
	locks->table = at;
	if (atomic_load(&locks->table->magic) != TABLE_MAGIC)
		r = make_table(locks, path, err);
	return r < 0 ? r : find_seat(locks, path, err);
}

int
locks_open(const char *path, struct locks **ret_locks, struct ambit_error *err)
{
	struct locks *locks = calloc(1, sizeof(*locks));
	int r = locks ? open_table(locks, path, err) : err_nomem(err);

	if (r < 0) {
		locks_close(locks);
		return r;
	}
	*ret_locks = locks;
	return 0;
}

void
locks_leave(struct locks *locks)
{
	atomic_store(&locks->seat->held, 0);
	atomic_store(&locks->seat->owner, 0);
}

void
locks_close(struct locks *locks)
{
	if (!locks)
		return;
	if (locks->seat) {
		locks_leave(locks);
		lock_bytes(locks->fd, LIFE + (locks->seat - locks->table->seats), 1, F_UNLCK);
	}
	if (locks->table)
		munmap(locks->table, sizeof(*locks->table));
	if (locks->fd >= 0)
		close(locks->fd);
	free(locks);
}

/* -- locks ------------------------------------------------------------------------- */

/* Whether another that lives stands in the way; the dead are cleared away. */
static bool
in_the_way(struct locks *locks, unsigned mask, bool exclusive)
{
	uint64_t used = atomic_load(&locks->table->used);

	for (size_t i = 0; i < used && i < SEATS; i++) {
		struct seat *seat = &locks->table->seats[i];
		uint64_t owner = atomic_load(&seat->owner), held;

		if (owner == 0 || seat == locks->seat)
			continue;
		held = atomic_load(&seat->held);
		if ((held & ~BITS) != check_of(owner))
			continue; /* it has just come, and has nothing yet */
		if (!((held >> EXCLUSIVE | (exclusive ? held : 0)) & mask))
			continue;
		if (lives(locks, i, owner))
			return true;
		atomic_compare_exchange_strong(&seat->owner, &owner, 0);
	}
	return false;
}

/* First say it, then look: of two that come at once, one sees the other, or
 * both do. */
int
locks_take(struct locks *locks, unsigned mask, bool exclusive)
{
	atomic_fetch_or(&locks->seat->held, (uint64_t)mask << (exclusive ? EXCLUSIVE : 0));
	if (!in_the_way(locks, mask, exclusive))
		return 0;
	locks_drop(locks, mask, exclusive);
	return -EBUSY;
}

void
locks_drop(struct locks *locks, unsigned mask, bool exclusive)
{
	atomic_fetch_and(&locks->seat->held, ~((uint64_t)mask << (exclusive ? EXCLUSIVE : 0)));
}

bool
locks_alone(struct locks *locks, unsigned mask)
{
	return !in_the_way(locks, mask, true);
}

unsigned
locks_held(const struct locks *locks)
{
	return (unsigned)(atomic_load(&locks->seat->held) >> EXCLUSIVE) & 0xffffu;
}

uint64_t
locks_stamp(const struct locks *locks)
{
	return atomic_load(&locks->table->stamp);
}

void
locks_set_stamp(struct locks *locks, uint64_t stamp)
{
	atomic_store(&locks->table->stamp, stamp);
}

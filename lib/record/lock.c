/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that a reader cannot take. fcntl's can be: a command behind the line
 * may read the record's files, and a read lock on the right byte would stop
 * every writer for as long as it likes. So the locks are bits in a mapped file
 * that only those who may write it can set: each connection has a seat with a
 * bit for each lock that it shares, and for each lock there is a word that says
 * who has it alone. A lock is free if nobody who lives has it.
 *
 * Who lives, the kernel knows: the owner of a seat holds a write lock on a
 * byte of its own. Where somebody sits on that byte with a read lock, the
 * owner is told by process and start time instead. Trusts whoever can write
 * the file, and survives the death of any of them at any instruction. */

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/program.h"
#include "record/lock.h"

#define TABLE_MAGIC UINT64_C(0x32656c626174626d) /* "mbtable2", the form of the table */
#define SEATS 8355 /* 4096 sessions, and as many that look at them or work beside them */
/* The byte of seat 0. It is the same in every form of the table, so that each
 * ambit sees that another, older or newer, uses the file. */
#define LIFE 4096
#define MAKING (LIFE + SEATS)
#define MAKING_MS 20000 /* a thousand may come to a new directory at once */
#define WHILE_MAX_MS 2000
#define DEAD_LOOKS 4 /* seats that are looked at before the table is used further */

#define BY_ID (UINT64_C(1) << 63)
#define BITS UINT64_C(0xffffffff)

struct seat {
	_Atomic uint64_t owner; /* 0: free; unique, or BY_ID and who it is */
	_Atomic uint64_t held;	/* its shared locks, and a check of the owner */
	_Atomic uint64_t mark;	/* see locks_mark */
};

struct table {
	_Atomic uint64_t magic;
	_Atomic uint64_t stamp;	  /* see locks_stamp */
	_Atomic uint64_t used;	  /* no seat from here on is taken; and how often that was said */
	_Atomic uint32_t turns;	  /* how often an exclusive lock was given back */
	_Atomic uint32_t waiting; /* for one; more than there are, if one of them was killed */
	_Atomic uint64_t exclusive[LOCKS_MAX]; /* who has it: see word_of; 0: nobody */
	_Atomic uint64_t cared[2];	       /* when, see locks_turn_to_care */
	uint64_t unused;
	struct seat seats[SEATS];
};
/* Whoever damaged the file may have put any number there. */
#define USED(used) (((used)&UINT32_MAX) < SEATS ? (size_t)((used)&UINT32_MAX) : SEATS)
#define USED_AGAIN(used, n) ((((used) >> 32) + 1) << 32 | (uint64_t)(n))
#define PAGE 4096
_Static_assert(sizeof(struct table) % PAGE == 0, "whole pages");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "between processes");

struct locks {
	int fd;
	struct table *table;
	struct seat *seat; /* NULL: none yet */
	uint64_t id;	   /* who this process is, once it was needed */
	uint64_t word;	   /* in the table's exclusive locks */
	unsigned held;	   /* exclusively */
	uint64_t met;	   /* the word of another that had one at the last try */
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
		*ret_id = BY_ID | ((uint64_t)st.st_ino & 0x7fff) << 48 | (start & 0x3ffffff) << 22 |
			  ((uint64_t)pid & 0x3fffff);
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
is_owner_alive(const struct locks *locks, size_t i, uint64_t owner)
{
	return owner & BY_ID ? id_lives(&locks->table->seats[i], owner)
			     : lock_written(locks->fd, LIFE + (off_t)i, 1);
}

/* Who has an exclusive lock: the seat, and of its owner as much as has room. */
static uint64_t
word_of(size_t i, uint64_t owner)
{
	return (owner ^ owner >> 48) << 16 | (i + 1);
}

static bool
word_lives(const struct locks *locks, uint64_t word)
{
	size_t i = (size_t)(word & 0xffff) - 1;
	uint64_t owner = i < SEATS ? atomic_load(&locks->table->seats[i].owner) : 0;

	return owner != 0 && word_of(i, owner) == word && is_owner_alive(locks, i, owner);
}

/* -- seats ---------------------------------------------------------------------- */

/* Never the same again, so that nobody who saw a dead owner here takes the
 * seat of the next. */
static uint64_t
make_unique_number(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) | 1) & ~BY_ID;
}

/* Said even where it changes nothing: then whoever is about to lower it, and
 * did not see this seat taken, finds another number and leaves it. */
static void
raise_used(struct table *table, size_t n)
{
	uint64_t used = atomic_load(&table->used);

	while (!atomic_compare_exchange_weak(
		&table->used, &used, USED_AGAIN(used, n > USED(used) ? n : USED(used))))
		;
}

/* Every lock looks at all seats in use: after a crowd has left, at few again. */
static void
lower_used(struct table *table)
{
	uint64_t used = atomic_load(&table->used);
	size_t n = USED(used);

	while (n > 0 && atomic_load(&table->seats[n - 1].owner) == 0)
		n--;
	if (n < (used & UINT32_MAX))
		atomic_compare_exchange_strong(&table->used, &used, USED_AGAIN(used, n));
}

static bool
claim_seat(struct locks *locks, size_t i)
{
	struct seat *seat = &locks->table->seats[i];
	off_t life = LIFE + (off_t)i;
	bool locked = lock_bytes(locks->fd, life, 1, F_WRLCK) == 0;
	uint64_t owner = atomic_load(&seat->owner), mine = make_unique_number();
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
	atomic_store(&seat->mark, 0);
	raise_used(locks->table, i + 1);
	atomic_store(&seat->held, check_of(mine));
	locks->seat = seat;
	locks->word = word_of(i, mine);
	return true;
}

static bool
claim_free(struct locks *locks, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (atomic_load(&locks->table->seats[i].owner) == 0 && claim_seat(locks, i))
			return true;
	return false;
}

/* Takes the seat of a dead process. */
static bool
claim_dead(struct locks *locks, size_t from, size_t n, size_t used)
{
	for (size_t i = 0; i < n && i < used; i++)
		if (claim_seat(locks, (from + i) % used))
			return true;
	return false;
}

/* Free ones first: looking at one that is taken costs a call to the kernel. A
 * few of those are looked at before the table is used further than before, so
 * that the dead do not fill it. */
static int
find_seat(struct locks *locks, const char *path, struct ambit_error *err)
{
	size_t used = USED(atomic_load(&locks->table->used));

	if (claim_free(locks, 0, used) ||
		claim_dead(locks, make_unique_number() >> 1, DEAD_LOOKS, used) ||
		claim_free(locks, used, SEATS) || claim_dead(locks, 0, SEATS, SEATS))
		return 0;
	return err_set(
		err, EBUSY, "%s: %d connections use the record already: end some", path, SEATS);
}

/* -- the file --------------------------------------------------------------------- */

static bool
is_table(int fd)
{
	uint64_t magic = 0;
	struct stat st;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == TABLE_MAGIC &&
	       fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(struct table);
}

/* Written, not left as a hole: a full disk is an error here, not a signal later. */
static bool
write_zeros(int fd)
{
	static const char zeros[PAGE];

	for (off_t at = 0; at < (off_t)sizeof(struct table); at += PAGE)
		if (pwrite(fd, zeros, PAGE, at) != PAGE)
			return false;
	return true;
}

static int
write_empty_table(const struct locks *locks, const char *path, struct ambit_error *err)
{
	uint64_t magic;

	if (is_table(locks->fd))
		return 0; /* somebody else has made it meanwhile */
	if (lock_written(locks->fd, LIFE, SEATS))
		return err_set(err, EBADMSG,
			"%s: damaged while it is in use: end every ambit, then remove it", path);
	magic = TABLE_MAGIC; /* last: until then nobody takes a seat */
	errno = ENOSPC;
	if (!write_zeros(locks->fd) || pwrite(locks->fd, &magic, sizeof(magic), 0) != sizeof(magic))
		return err_sys(err, errno, "%s: cannot be written", path);
	return 0;
}

/* One at a time; a stranger's read lock does not count. */
static int
make_table(const struct locks *locks, const char *path, struct ambit_error *err)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	int r;

	for (int left = MAKING_MS;
		lock_bytes(locks->fd, MAKING, 1, F_WRLCK) < 0 && lock_written(locks->fd, MAKING, 1);
		left--) {
		if (left == 0)
			return err_set(err, EBUSY,
				"%s: another process has kept it locked for too long: try again",
				path);
		nanosleep(&pause, NULL);
	}
	r = write_empty_table(locks, path, err);
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
	at = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, locks->fd, 0);
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
	locks_drop(locks, locks->held, true);
	atomic_store(&locks->seat->held, 0);
	atomic_store(&locks->seat->owner, 0);
	lower_used(locks->table);
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

/* Whether another that lives has it exclusively; the dead are cleared away. To
 * ask the kernel costs most of all, and is done about whoever is met twice: in a
 * crowd the next to come meets another already. */
static bool
is_taken(struct locks *locks, size_t lock, bool sure)
{
	_Atomic uint64_t *at = &locks->table->exclusive[lock];
	uint64_t word = atomic_load(at), met = locks->met;

	if (word == 0 || word == locks->word)
		return false;
	locks->met = word;
	if ((word != met && !sure) || word_lives(locks, word))
		return true;
	atomic_compare_exchange_strong(at, &word, 0);
	return word != 0 && word != locks->met;
}

static bool
any_taken(struct locks *locks, unsigned mask, bool sure)
{
	for (size_t lock = 0; lock < LOCKS_MAX; lock++)
		if (mask >> lock & 1 && is_taken(locks, lock, sure))
			return true;
	return false;
}

/* Whether another that lives has any of them shared. */
static bool
is_shared(struct locks *locks, unsigned mask)
{
	size_t used = USED(atomic_load(&locks->table->used));

	for (size_t i = 0; i < used; i++) {
		struct seat *seat = &locks->table->seats[i];
		uint64_t owner = atomic_load(&seat->owner), held;

		if (owner == 0 || seat == locks->seat)
			continue;
		held = atomic_load(&seat->held);
		if ((held & ~BITS) != check_of(owner))
			continue; /* it has just come, and has nothing yet */
		if (!(held & mask))
			continue;
		if (is_owner_alive(locks, i, owner))
			return true;
		atomic_compare_exchange_strong(&seat->owner, &owner, 0);
	}
	return false;
}

static void
drop_words(struct locks *locks, unsigned mask)
{
	for (size_t lock = 0; lock < LOCKS_MAX; lock++) {
		uint64_t word = locks->word;

		if (mask >> lock & 1)
			atomic_compare_exchange_strong(&locks->table->exclusive[lock], &word, 0);
	}
}

static bool
take_words(struct locks *locks, unsigned mask)
{
	for (size_t lock = 0; lock < LOCKS_MAX; lock++) {
		uint64_t nobody = 0;

		if (!(mask >> lock & 1))
			continue;
		if (!is_taken(locks, lock, false) &&
			atomic_compare_exchange_strong(
				&locks->table->exclusive[lock], &nobody, locks->word))
			continue;
		drop_words(locks, mask & ((1u << lock) - 1));
		return false;
	}
	return true;
}

static int
take_shared(struct locks *locks, unsigned mask)
{
	atomic_fetch_or(&locks->seat->held, (uint64_t)mask);
	if (!any_taken(locks, mask, false))
		return 0;
	atomic_fetch_and(&locks->seat->held, ~(uint64_t)mask);
	return -EBUSY;
}

/* First say it, then look: of two that come at once, one shared and one not,
 * one sees the other, or both do. Of those who want it alone, one is first. */
int
locks_take(struct locks *locks, unsigned mask, bool exclusive)
{
	if (!exclusive)
		return take_shared(locks, mask);
	if (!take_words(locks, mask))
		return -EBUSY;
	if (is_shared(locks, mask)) {
		drop_words(locks, mask);
		return -EBUSY;
	}
	locks->held |= mask;
	return 0;
}

static void
wake_lock_waiter(struct table *table)
{
	atomic_fetch_add(&table->turns, 1);
	if (atomic_load(&table->waiting) > 0)
		syscall(SYS_futex, &table->turns, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void
locks_drop(struct locks *locks, unsigned mask, bool exclusive)
{
	if (!exclusive) {
		atomic_fetch_and(&locks->seat->held, ~(uint64_t)mask);
		return;
	}
	if (!(locks->held & mask))
		return;
	drop_words(locks, locks->held & mask);
	locks->held &= ~mask;
	wake_lock_waiter(locks->table);
}

/* Until a lock is given back, or for a while: whoever had it may have been
 * killed, and who was woken may have waited for another. In a crowd that while
 * is long, for a thousand that look all the time keep the one at work from
 * working; and not equally long for all. */
static void
sleep_a_while(struct locks *locks, uint32_t turns, unsigned tries)
{
	struct table *table = locks->table;
	uint32_t most = atomic_fetch_add(&table->waiting, 1) / 2;

	if (most > WHILE_MAX_MS)
		most = WHILE_MAX_MS;
	most += tries < 16 ? tries : 16;
	uint64_t us = 500 + make_unique_number() / 64 % (1000 * (most + 1));
	struct timespec timeout = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};

	syscall(SYS_futex, &table->turns, FUTEX_WAIT, turns, &timeout, NULL, 0);
	atomic_fetch_sub(&table->waiting, 1);
}

bool
locks_wait(struct locks *locks, struct locks_wait *wait)
{
	uint32_t turns = atomic_load(&locks->table->turns);
	int64_t now = clock_steady();

	if (wait->tries == 0)
		wait->began = wait->moved = now;
	if (turns != wait->turns)
		wait->moved = now;
	wait->turns = turns;
	if (now - wait->moved > LOCKS_STUCK_MS || now - wait->began > LOCKS_WAIT_MS)
		return false;
	sleep_a_while(locks, turns, wait->tries++);
	return true;
}

bool
locks_alone(struct locks *locks, unsigned mask)
{
	return !any_taken(locks, mask, true) && !is_shared(locks, mask);
}

unsigned
locks_held(const struct locks *locks)
{
	return locks->held;
}

void
locks_mark(struct locks *locks, uint64_t mark)
{
	uint64_t was = atomic_load(&locks->seat->mark);

	atomic_store(&locks->seat->mark, was == 0 || was == mark ? mark : LOCKS_MARK_ALL);
}

bool
locks_marked(struct locks *locks, uint64_t mark)
{
	size_t used = USED(atomic_load(&locks->table->used));

	for (size_t i = 0; i < used; i++) {
		struct seat *seat = &locks->table->seats[i];
		uint64_t owner = atomic_load(&seat->owner), has = atomic_load(&seat->mark);

		if (owner != 0 && (has == mark || has == LOCKS_MARK_ALL) &&
			(seat == locks->seat || is_owner_alive(locks, i, owner)))
			return true;
	}
	return false;
}

/* The clock may have been wrong: a time to come is none. */
bool
locks_turn_to_care(struct locks *locks, int which, int64_t now, int64_t every)
{
	_Atomic uint64_t *at = &locks->table->cared[which];
	uint64_t was = atomic_load(at);

	if ((int64_t)was <= now && (int64_t)was + every > now)
		return false;
	return atomic_compare_exchange_strong(at, &was, (uint64_t)now);
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

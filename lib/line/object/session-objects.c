/* SPDX-License-Identifier: Apache-2.0 */
/* Things that the session made, as one map of byte strings: a letter for the kind
 * of thing, then its identity. Filled by acts of the supervisor itself, never by
 * the word of a program. Bounded: past the bound
 * a thing is simply not ours, and is asked about. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/map.h"
#include "line/object/session-objects.h"

#define MADE_MAX 262144 /* about 20 MB when it is full */
#define HELD_MAX 256	/* descriptors, where there are no handles */
#define TERMINALS_MAX 256
#define KEY_MAX 288 /* the name of a queue, 255 bytes, and its inode */

#define KIND_FILE 'f'
#define KIND_ONCE 'o'
#define KIND_COOKIE 'c'
#define KIND_QUEUE 'p'
#define QUEUE_NAME (1 + 2 * sizeof(uint64_t)) /* where its name is in a key */

struct thing {
	bool holds;
	int held; /* O_PATH of it, so that its number stays its own */
};

struct session_objects {
	pthread_mutex_t lock;
	struct map things; /* struct thing, by kind and what follows it */
	size_t n_held;
	int terminals[TERMINALS_MAX]; /* O_PATH of their slaves */
	size_t n_terminals;
};

struct key {
	unsigned char bytes[KEY_MAX];
	size_t len;
};

static int
make_key(struct key *key, char kind, const void *data, size_t len)
{
	if (len > sizeof(key->bytes) - 1)
		return -ENAMETOOLONG;
	key->bytes[0] = (unsigned char)kind;
	memcpy(key->bytes + 1, data, len);
	key->len = len + 1;
	return 0;
}

#define HANDLE_MAX 64

/* An inode number is given out again at once, within the tick of the clock that a birth time
 * has. The handle has the inode's generation, too. False: there is none here. */
static bool
add_handle(struct key *key, int fd)
{
	struct {
		struct file_handle head;
		unsigned char bytes[HANDLE_MAX];
	} handle = { .head.handle_bytes = HANDLE_MAX };
	int mount;

	if (name_to_handle_at(fd, "", &handle.head, &mount, AT_EMPTY_PATH) < 0 ||
		handle.head.handle_bytes > HANDLE_MAX)
		return false;
	memcpy(key->bytes + key->len, &handle.head.handle_type, sizeof(handle.head.handle_type));
	key->len += sizeof(handle.head.handle_type);
	memcpy(key->bytes + key->len, handle.head.f_handle, handle.head.handle_bytes);
	key->len += handle.head.handle_bytes;
	return true;
}

#define ID_WORDS 4 /* of a file: device, inode, birth */
#define MAKER_WORDS (sizeof(struct session_maker) / sizeof(uint64_t))

/* maker: or NULL. *ret_sure: nothing else can come to have this key. */
static int
file_key(struct key *key, const struct session_maker *maker, int fd, bool *ret_sure)
{
	struct statx st;
	uint64_t id[ID_WORDS + MAKER_WORDS] = { 0 };
	size_t words = maker ? ID_WORDS + MAKER_WORDS : ID_WORDS;
	int r;

	if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
		    STATX_INO | STATX_BTIME, &st) < 0)
		return -errno;
	id[0] = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor;
	id[1] = st.stx_ino;
	if (st.stx_mask & STATX_BTIME) {
		id[2] = (uint64_t)st.stx_btime.tv_sec;
		id[3] = st.stx_btime.tv_nsec;
	}
	if (maker)
		memcpy(id + ID_WORDS, maker, sizeof(*maker));
	r = make_key(key, maker ? KIND_ONCE : KIND_FILE, id, words * sizeof(id[0]));
	*ret_sure = r == 0 && add_handle(key, fd);
	return r;
}

struct session_objects *
session_objects_create(void)
{
	struct session_objects *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->things.value_size = sizeof(struct thing);
	if (pthread_mutex_init(&made->lock, NULL) != 0) {
		free(made);
		return NULL;
	}
	return made;
}

void
session_objects_destroy(struct session_objects *made)
{
	struct thing *thing = NULL;

	if (!made)
		return;
	while ((thing = map_next(&made->things, thing)))
		if (thing->holds)
			close(thing->held);
	for (size_t i = 0; i < made->n_terminals; i++)
		close(made->terminals[i]);
	map_finish(&made->things);
	pthread_mutex_destroy(&made->lock);
	free(made);
}

/* Locked. */
static struct thing *
find_thing(struct session_objects *made, const struct key *key)
{
	return map_find(&made->things, key->bytes, key->len);
}

/* Locked. */
static int
insert_made_thing(struct session_objects *made, const struct key *key)
{
	if (made->things.n >= MADE_MAX)
		return find_thing(made, key) ? 0 : -ENOSPC;
	return map_add(&made->things, key->bytes, key->len) ? 0 : -ENOMEM;
}

static int
add_made_thing(struct session_objects *made, const struct key *key)
{
	int r;

	pthread_mutex_lock(&made->lock);
	r = insert_made_thing(made, key);
	pthread_mutex_unlock(&made->lock);
	return r;
}

static bool
has_made_thing(struct session_objects *made, const struct key *key)
{
	bool found;

	pthread_mutex_lock(&made->lock);
	found = find_thing(made, key) != NULL;
	pthread_mutex_unlock(&made->lock);
	return found;
}

static void
drop_made_thing(struct session_objects *made, const struct key *key)
{
	struct thing *thing;

	pthread_mutex_lock(&made->lock);
	thing = find_thing(made, key);
	if (thing && thing->holds) {
		made->n_held--;
		close(thing->held);
	}
	if (thing)
		map_remove(&made->things, thing);
	pthread_mutex_unlock(&made->lock);
}

/* Without a handle the inode is held open: a number that is in use is nobody else's. */
static int
add_held(struct session_objects *made, const struct key *key, int fd)
{
	auto_close int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	struct thing *thing;
	int r = copy < 0 ? -errno : 0;

	pthread_mutex_lock(&made->lock);
	thing = find_thing(made, key);
	if (r == 0 && (!thing || !thing->holds))
		r = made->n_held >= HELD_MAX ? -ENOSPC : insert_made_thing(made, key);
	thing = find_thing(made, key);
	if (r == 0 && thing && !thing->holds) {
		*thing = (struct thing){ .holds = true, .held = steal_fd(&copy) };
		made->n_held++;
	}
	pthread_mutex_unlock(&made->lock);
	return r;
}

int
session_objects_add_by(struct session_objects *made, const struct session_maker *maker, int fd)
{
	struct key key;
	bool sure;
	int r = file_key(&key, maker, fd, &sure);

	return r < 0 ? r : sure ? add_made_thing(made, &key) : add_held(made, &key, fd);
}

bool
session_objects_has_by(struct session_objects *made, const struct session_maker *maker, int fd)
{
	struct key key;
	bool sure;

	return file_key(&key, maker, fd, &sure) == 0 && has_made_thing(made, &key);
}

void
session_objects_drop_by(struct session_objects *made, const struct session_maker *maker, int fd)
{
	struct key key;
	bool sure;

	if (file_key(&key, maker, fd, &sure) == 0)
		drop_made_thing(made, &key);
}

int
session_objects_add(struct session_objects *made, int fd)
{
	return session_objects_add_by(made, NULL, fd);
}

bool
session_objects_has(struct session_objects *made, int fd)
{
	return session_objects_has_by(made, NULL, fd);
}

void
session_objects_drop(struct session_objects *made, int fd)
{
	session_objects_drop_by(made, NULL, fd);
}

int
session_objects_add_cookie(struct session_objects *made, uint64_t cookie)
{
	struct key key;
	int r = make_key(&key, KIND_COOKIE, &cookie, sizeof(cookie));

	return r < 0 ? r : add_made_thing(made, &key);
}

bool
session_objects_has_cookie(struct session_objects *made, uint64_t cookie)
{
	struct key key;

	return make_key(&key, KIND_COOKIE, &cookie, sizeof(cookie)) == 0 &&
	       has_made_thing(made, &key);
}

/* The kernel takes its name away when the master is closed, and only then gives the number out
 * again. So a held slave that still has its name is the terminal of that number. */
static bool
is_terminal_alive(int slave, struct stat *ret_st)
{
	return fstat(slave, ret_st) == 0 && ret_st->st_nlink > 0;
}

/* Locked. */
static void
drop_ended_terminals(struct session_objects *made)
{
	struct stat st;
	size_t n = 0;

	for (size_t i = 0; i < made->n_terminals; i++) {
		if (is_terminal_alive(made->terminals[i], &st))
			made->terminals[n++] = made->terminals[i];
		else
			close(made->terminals[i]);
	}
	made->n_terminals = n;
}

int
session_objects_add_terminal(struct session_objects *made, int slave)
{
	auto_close int copy = fcntl(slave, F_DUPFD_CLOEXEC, 3);
	int r = copy < 0 ? -errno : 0;

	pthread_mutex_lock(&made->lock);
	drop_ended_terminals(made);
	if (r == 0 && made->n_terminals == TERMINALS_MAX)
		r = -ENOSPC;
	if (r == 0)
		made->terminals[made->n_terminals++] = steal_fd(&copy);
	pthread_mutex_unlock(&made->lock);
	return r;
}

bool
session_objects_has_terminal(struct session_objects *made, const struct stat *slave)
{
	bool found = false;

	pthread_mutex_lock(&made->lock);
	for (size_t i = 0; !found && i < made->n_terminals; i++) {
		struct stat st;

		found = is_terminal_alive(made->terminals[i], &st) && st.st_dev == slave->st_dev &&
			st.st_ino == slave->st_ino;
	}
	pthread_mutex_unlock(&made->lock);
	return found;
}

int
session_objects_add_ipc(struct session_objects *made, char kind, uint64_t id)
{
	struct key key;
	int r = make_key(&key, kind, &id, sizeof(id));

	return r < 0 ? r : add_made_thing(made, &key);
}

/* The kernel gives an id out again when it has counted once around: some four
 * million makings and removings, which a program can do. What it removed it must
 * not get back as another's. All segments of the session were made by this very
 * process, and the kernel keeps that in mind. */
static bool
is_own_shm(uint64_t id)
{
	struct shmid_ds ds;

	return shmctl((int)id, IPC_STAT, &ds) == 0 && ds.shm_cpid == getpid();
}

bool
session_objects_has_ipc(struct session_objects *made, char kind, uint64_t id)
{
	struct key key;

	return make_key(&key, kind, &id, sizeof(id)) == 0 && has_made_thing(made, &key) &&
	       (kind != 'm' || is_own_shm(id));
}

void
session_objects_drop_ipc(struct session_objects *made, char kind, uint64_t id)
{
	struct key key;

	if (make_key(&key, kind, &id, sizeof(id)) == 0)
		drop_made_thing(made, &key);
}

/* These inodes have no birth time; their numbers come from one counter of the
 * kernel's, 32 bits wide. */
static int
queue_key(struct key *key, const char *name, int fd)
{
	char bytes[KEY_MAX];
	uint64_t id[2];
	size_t len = strlen(name);
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (len > sizeof(bytes) - QUEUE_NAME)
		return -ENAMETOOLONG;
	id[0] = st.st_dev;
	id[1] = st.st_ino;
	memcpy(bytes, id, sizeof(id));
	memcpy(bytes + sizeof(id), name, len);
	return make_key(key, KIND_QUEUE, bytes, sizeof(id) + len);
}

int
session_objects_add_queue(struct session_objects *made, const char *name, int fd)
{
	struct key key;
	int r = queue_key(&key, name, fd);

	return r < 0 ? r : add_made_thing(made, &key);
}

bool
session_objects_has_queue(struct session_objects *made, const char *name, int fd)
{
	struct key key;

	return queue_key(&key, name, fd) == 0 && has_made_thing(made, &key);
}

void
session_objects_drop_queue(struct session_objects *made, const char *name, int fd)
{
	struct key key;

	if (queue_key(&key, name, fd) == 0)
		drop_made_thing(made, &key);
}

int
session_objects_open_queue(const char *name)
{
	static const int ways[] = { O_RDONLY, O_WRONLY };
	long fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(ways) / sizeof(ways[0]); i++)
		fd = syscall(SYS_mq_open, name, ways[i] | O_NONBLOCK | O_CLOEXEC, 0, NULL);
	return fd < 0 ? -errno : (int)fd;
}

/* Ids of segments stay here after IPC_RMID, since they live on while they are
 * attached. */
static void
remove_shm(int id)
{
	if (is_own_shm((uint64_t)id))
		shmctl(id, IPC_RMID, NULL);
}

/* Unless the name is another's by now. */
static void
remove_queue(const unsigned char *bytes, size_t bytes_len)
{
	size_t len = bytes_len - QUEUE_NAME;
	char name[KEY_MAX];
	struct key key;

	memcpy(name, bytes + QUEUE_NAME, len);
	name[len] = '\0';
	auto_close int fd = session_objects_open_queue(name);
	if (fd >= 0 && queue_key(&key, name, fd) == 0 && key.len == bytes_len &&
		memcmp(key.bytes, bytes, key.len) == 0)
		syscall(SYS_mq_unlink, name);
}

static void
remove_ipc_thing(const unsigned char *bytes, size_t len)
{
	uint64_t id = 0;

	if (len == 1 + sizeof(id))
		memcpy(&id, bytes + 1, sizeof(id));
	switch (bytes[0]) {
	case 'm':
		remove_shm((int)id);
		break;
	case 's':
		semctl((int)id, 0, IPC_RMID);
		break;
	case 'q':
		msgctl((int)id, IPC_RMID, NULL);
		break;
	case KIND_QUEUE:
		remove_queue(bytes, len);
		break;
	default:
		break;
	}
}

void
session_objects_sweep(struct session_objects *made)
{
	void *next;

	pthread_mutex_lock(&made->lock);
	for (void *thing = map_next(&made->things, NULL); thing; thing = next) {
		size_t len;
		const unsigned char *bytes = map_key(&made->things, thing, &len);

		next = map_next(&made->things, thing);
		if (strchr("msqp", bytes[0])) {
			remove_ipc_thing(bytes, len);
			map_remove(&made->things, thing);
		}
	}
	pthread_mutex_unlock(&made->lock);
}

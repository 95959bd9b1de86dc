/* SPDX-License-Identifier: Apache-2.0 */
/* A table from paths to how they stand, asked for every notified call: each
 * directory above a name is looked up by its hash, which is made on the way.
 * Entries are few (the floor's rules) and change seldom. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/program.h"
#include "base/str.h"
#include "line/floor/ground.h"

#define BELIEVED_MS 10 /* how long an inode is believed to stand where it was seen */

struct entry {
	char *path; /* NULL: was removed */
	size_t len;
	uint64_t hash;
	enum ground kind;
	bool file;
	bool known; /* dev and ino are to be compared */
	dev_t dev;
	ino_t ino;
	_Atomic int64_t until;
};

struct inode {
	dev_t dev;
	ino_t ino;
};

struct grounds {
	pthread_rwlock_t lock;
	struct inode *inodes; /* by hash, a power of two; ino 0: empty */
	size_t n_inodes, inode_slots;
	struct entry **entries; /* all of them */
	size_t n, room;
	struct entry **slots; /* by hash; a power of two */
	size_t n_slots;
};

struct grounds *
grounds_create(void)
{
	struct grounds *grounds = calloc(1, sizeof(*grounds));

	if (grounds)
		pthread_rwlock_init(&grounds->lock, NULL);
	return grounds;
}

void
grounds_destroy(struct grounds *grounds)
{
	if (!grounds)
		return;
	for (size_t i = 0; i < grounds->n; i++) {
		free(grounds->entries[i]->path);
		free(grounds->entries[i]);
	}
	free(grounds->entries);
	free(grounds->slots);
	free(grounds->inodes);
	pthread_rwlock_destroy(&grounds->lock);
	free(grounds);
}

/* -- the table ------------------------------------------------------------------ */

static uint64_t
hash_of(const char *path)
{
	return hash_fnv_text(HASH_FNV_START, path);
}

static void
insert_into_slot(struct grounds *grounds, struct entry *entry)
{
	size_t at = entry->hash & (grounds->n_slots - 1);

	while (grounds->slots[at])
		at = (at + 1) & (grounds->n_slots - 1);
	grounds->slots[at] = entry;
}

/* Fills the slots anew; names may have changed. */
static int
rebuild_slots(struct grounds *grounds)
{
	size_t n_slots = 64;
	struct entry **slots;

	while (n_slots < grounds->n * 3)
		n_slots *= 2;
	slots = n_slots == grounds->n_slots ? grounds->slots : calloc(n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	if (slots == grounds->slots)
		memset(slots, 0, n_slots * sizeof(*slots));
	else
		free(grounds->slots);
	grounds->slots = slots;
	grounds->n_slots = n_slots;
	for (size_t i = 0; i < grounds->n; i++)
		if (grounds->entries[i]->path)
			insert_into_slot(grounds, grounds->entries[i]);
	return 0;
}

static struct entry *
find_ground_entry(const struct grounds *grounds, const char *path, size_t len, uint64_t hash)
{
	size_t at;

	if (grounds->n_slots == 0)
		return NULL;
	for (at = hash & (grounds->n_slots - 1); grounds->slots[at];
		at = (at + 1) & (grounds->n_slots - 1)) {
		struct entry *entry = grounds->slots[at];

		if (entry->hash == hash && entry->len == len && memcmp(entry->path, path, len) == 0)
			return entry;
	}
	return NULL;
}

static int
make_room(struct grounds *grounds)
{
	size_t room = grounds->room ? grounds->room * 2 : 32;
	struct entry **entries;

	if (grounds->n < grounds->room)
		return 0;
	entries = reallocarray(grounds->entries, room, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	grounds->entries = entries;
	grounds->room = room;
	return 0;
}

static int
add_ground_entry(struct grounds *grounds, struct entry *entry)
{
	int r = make_room(grounds);

	if (r < 0)
		return r;
	grounds->entries[grounds->n++] = entry;
	if (grounds->n * 3 > grounds->n_slots * 2)
		r = rebuild_slots(grounds);
	else
		insert_into_slot(grounds, entry);
	if (r < 0)
		grounds->n--;
	return r;
}

/* -- inodes --------------------------------------------------------------------- */

/* The slot that holds it, or the empty one for it. */
static struct inode *
find_inode(struct inode *inodes, size_t slots, dev_t dev, ino_t ino)
{
	size_t at = ((uint64_t)ino * 0x9e3779b97f4a7c15u ^ (uint64_t)dev) & (slots - 1);

	while (inodes[at].ino != 0 && (inodes[at].ino != ino || inodes[at].dev != dev))
		at = (at + 1) & (slots - 1);
	return &inodes[at];
}

static int
make_inode_room(struct grounds *grounds)
{
	size_t slots = grounds->inode_slots ? grounds->inode_slots * 2 : 128;
	struct inode *inodes;

	if (grounds->n_inodes * 2 < grounds->inode_slots)
		return 0;
	inodes = calloc(slots, sizeof(*inodes));
	if (!inodes)
		return -ENOMEM;
	for (size_t i = 0; i < grounds->inode_slots; i++)
		if (grounds->inodes[i].ino != 0)
			*find_inode(inodes, slots, grounds->inodes[i].dev, grounds->inodes[i].ino) =
				grounds->inodes[i];
	free(grounds->inodes);
	grounds->inodes = inodes;
	grounds->inode_slots = slots;
	return 0;
}

int
grounds_add_inode(struct grounds *grounds, dev_t dev, ino_t ino)
{
	int r;

	pthread_rwlock_wrlock(&grounds->lock);
	r = make_inode_room(grounds);
	if (r == 0) {
		struct inode *slot = find_inode(grounds->inodes, grounds->inode_slots, dev, ino);

		grounds->n_inodes += slot->ino == 0;
		*slot = (struct inode){ dev, ino };
	}
	pthread_rwlock_unlock(&grounds->lock);
	return r;
}

bool
grounds_has_inode(struct grounds *grounds, dev_t dev, ino_t ino)
{
	bool has;

	pthread_rwlock_rdlock(&grounds->lock);
	has = grounds->inode_slots > 0 &&
	      find_inode(grounds->inodes, grounds->inode_slots, dev, ino)->ino != 0;
	pthread_rwlock_unlock(&grounds->lock);
	return has;
}

static bool
has_rights(enum ground kind)
{
	return kind == GROUND_OPEN || kind == GROUND_GIT;
}

int
grounds_add(struct grounds *grounds, const char *path, enum ground kind, bool file,
	const struct stat *st)
{
	struct entry *entry;
	int r = st && has_rights(kind) ? grounds_add_inode(grounds, st->st_dev, st->st_ino) : 0;

	if (r < 0)
		return r;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	*entry = (struct entry){
		.path = strdup(path),
		.len = strlen(path),
		.hash = hash_of(path),
		.kind = kind,
		.file = file,
		.known = st,
		.dev = st ? st->st_dev : 0,
		.ino = st ? st->st_ino : 0,
	};
	if (!entry->path) {
		free(entry);
		return -ENOMEM;
	}
	pthread_rwlock_wrlock(&grounds->lock);
	/* The last word counts: of a directory that was replaced, and of one that
	 * is told twice. */
	struct entry *old = find_ground_entry(grounds, path, entry->len, entry->hash);
	if (old && has_rights(old->kind) && kind == GROUND_SPINE && old->known) {
		r = 1;
	} else if (old) {
		old->kind = kind;
		old->file = file;
		old->known = entry->known;
		old->dev = entry->dev;
		old->ino = entry->ino;
		atomic_store(&old->until, 0);
		r = 1;
	} else {
		r = add_ground_entry(grounds, entry);
	}
	pthread_rwlock_unlock(&grounds->lock);
	if (r != 0) {
		free(entry->path);
		free(entry);
	}
	return r < 0 ? r : 0;
}

/* -- looking up ------------------------------------------------------------------ */

/* Whether it still is the inode that has the rights. */
static bool
is_same_inode(struct entry *entry)
{
	struct stat st;
	int64_t now;

	if (!entry->known)
		return true;
	now = clock_coarse();
	if (atomic_load(&entry->until) >= now)
		return true;
	if (lstat(entry->path, &st) < 0 || st.st_dev != entry->dev || st.st_ino != entry->ino)
		return false;
	atomic_store(&entry->until, now + BELIEVED_MS);
	return true;
}

/* name: a file's own rule is about what it holds, not about its name. */
static struct entry *
find_nearest_entry(const struct grounds *grounds, const char *real, bool name)
{
	struct entry *found = NULL, *one;
	uint64_t hash = HASH_FNV_START;
	size_t i;

	for (i = 0; real[i]; i++) {
		/* "/" itself is above everything. */
		if (real[i] == '/' && i > 0 && (one = find_ground_entry(grounds, real, i, hash)) &&
			!one->file)
			found = one;
		hash = hash_fnv_byte(hash, (unsigned char)real[i]);
		if (i == 0 && real[1] && (one = find_ground_entry(grounds, real, 1, hash)))
			found = one;
	}
	one = find_ground_entry(grounds, real, i, hash);
	return one && one->file && !name ? one : found;
}

static enum ground
find_ground(struct grounds *grounds, const char *real, bool name)
{
	enum ground ground = GROUND_NONE;
	struct entry *entry;

	pthread_rwlock_rdlock(&grounds->lock);
	entry = find_nearest_entry(grounds, real, name);
	if (entry)
		ground = has_rights(entry->kind) && !is_same_inode(entry) ? GROUND_SPINE
									  : entry->kind;
	pthread_rwlock_unlock(&grounds->lock);
	return ground;
}

enum ground
grounds_of(struct grounds *grounds, const char *real)
{
	return find_ground(grounds, real, false);
}

enum ground
grounds_of_name(struct grounds *grounds, const char *real)
{
	return find_ground(grounds, real, true);
}

/* -- changes ----------------------------------------------------------------------- */

/* Without memory the old name stays, which stands for nothing any more. */
static void
rename_entry(struct entry *entry, const char *from, const char *to)
{
	char *path = str_printf("%s%s", to, entry->path + strlen(from));

	if (!path)
		return;
	free(entry->path);
	entry->path = path;
	entry->len = strlen(path);
	entry->hash = hash_of(path);
	atomic_store(&entry->until, 0);
}

static void
clear_entry_path(struct entry *entry)
{
	free(entry->path);
	entry->path = NULL;
}

void
grounds_moved(struct grounds *grounds, const char *from, const char *to, bool swap)
{
	pthread_rwlock_wrlock(&grounds->lock);
	for (size_t i = 0; i < grounds->n; i++) {
		struct entry *entry = grounds->entries[i];

		if (!entry->path)
			continue;
		if (str_beneath(entry->path, from))
			rename_entry(entry, from, to);
		else if (swap && str_beneath(entry->path, to))
			rename_entry(entry, to, from);
		else if (str_beneath(entry->path, to))
			clear_entry_path(entry);
	}
	rebuild_slots(grounds);
	pthread_rwlock_unlock(&grounds->lock);
}

void
grounds_gone(struct grounds *grounds, const char *path)
{
	pthread_rwlock_wrlock(&grounds->lock);
	struct entry *entry = find_ground_entry(grounds, path, strlen(path), hash_of(path));
	if (entry) {
		clear_entry_path(entry);
		rebuild_slots(grounds);
	}
	pthread_rwlock_unlock(&grounds->lock);
}

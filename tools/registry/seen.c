/* SPDX-License-Identifier: Apache-2.0 */
/* What the model knows of a file: the inode, size and times it had when it was last
 * read or written through a tool. If they differ when it is to be written, somebody
 * else was there in between, and what the model is about to write is about another
 * text. Bounded: the file that was looked at longest ago is forgotten. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "tools/registry/own-tool.h"

#define FILES_MAX 8192

struct known {
	struct known *older, *newer; /* of all */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

#define TURNS 64 /* as many as seen_turn's answer has bits */

struct seen {
	pthread_mutex_t turns[TURNS];
	pthread_mutex_t lock;
	struct map files; /* struct known, by real path */
	struct known *oldest, *newest;
};

struct seen *
seen_create(void)
{
	struct seen *seen = calloc(1, sizeof(*seen));

	if (!seen)
		return NULL;
	seen->files.value_size = sizeof(struct known);
	pthread_mutex_init(&seen->lock, NULL);
	for (int i = 0; i < TURNS; i++)
		pthread_mutex_init(&seen->turns[i], NULL);
	return seen;
}

void
seen_destroy(struct seen *seen)
{
	if (!seen)
		return;
	map_finish(&seen->files);
	for (int i = 0; i < TURNS; i++)
		pthread_mutex_destroy(&seen->turns[i]);
	pthread_mutex_destroy(&seen->lock);
	free(seen);
}

static struct known *
find_known_file(struct seen *seen, const char *real)
{
	return map_find(&seen->files, real, strlen(real));
}

static void
remove_known_file(struct seen *seen, struct known *known)
{
	if (!known)
		return;
	*(known->older ? &known->older->newer : &seen->oldest) = known->newer;
	*(known->newer ? &known->newer->older : &seen->newest) = known->older;
	map_remove(&seen->files, known);
}

void
seen_note(struct seen *seen, const char *real, const struct stat *st)
{
	struct known *known;

	pthread_mutex_lock(&seen->lock);
	remove_known_file(seen, find_known_file(seen, real));
	if (seen->files.n >= FILES_MAX)
		remove_known_file(seen, seen->oldest);
	known = map_add(&seen->files, real, strlen(real));
	if (known) {
		*known = (struct known){
			.older = seen->newest,
			.dev = st->st_dev,
			.ino = st->st_ino,
			.size = st->st_size,
			.mtime = st->st_mtim,
			.ctime = st->st_ctim,
		};
		*(seen->newest ? &seen->newest->newer : &seen->oldest) = known;
		seen->newest = known;
	}
	pthread_mutex_unlock(&seen->lock);
}

void
seen_forget(struct seen *seen, const char *real)
{
	pthread_mutex_lock(&seen->lock);
	remove_known_file(seen, find_known_file(seen, real));
	pthread_mutex_unlock(&seen->lock);
}

/* -- in turn -------------------------------------------------------------------------------- */

uint64_t
seen_turn(const char *real)
{
	return (uint64_t)1 << (hash_fnv_text(HASH_FNV_START, real) >> 32) % TURNS;
}

/* All who want several take them in this order. */
void
seen_hold(struct seen *seen, uint64_t turns)
{
	for (int i = 0; i < TURNS; i++)
		if (turns >> i & 1)
			pthread_mutex_lock(&seen->turns[i]);
}

void
seen_release(struct seen *seen, uint64_t turns)
{
	for (int i = 0; i < TURNS; i++)
		if (turns >> i & 1)
			pthread_mutex_unlock(&seen->turns[i]);
}

/* -- is it still so -------------------------------------------------------------------------- */

static bool
same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Also true of what was never seen. */
static bool
is_as_seen(struct seen *seen, const char *real, const struct stat *st)
{
	const struct known *known;
	bool same;

	pthread_mutex_lock(&seen->lock);
	known = find_known_file(seen, real);
	same = !known ||
	       (known->dev == st->st_dev && known->ino == st->st_ino &&
		       known->size == st->st_size && same_time(&known->mtime, &st->st_mtim) &&
		       same_time(&known->ctime, &st->st_ctim));
	pthread_mutex_unlock(&seen->lock);
	return same;
}

int
seen_check(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	uint64_t turn = seen_turn(place->real);
	struct stat st;
	bool same = true;
	int r = 0;

	if (!place->exists)
		return 0;
	seen_hold(run->seen, turn);
	if (fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	else
		same = is_as_seen(run->seen, place->real, &st);
	seen_release(run->seen, turn);
	if (r < 0)
		return err_sys(err, -r, "%s", place->shown);
	if (same)
		return 0;
	run->outdated = true;
	return run_fail(run, err, ESTALE,
		"Read it again, then make the change to what it says now.",
		"%s has changed since it was last read here", place->shown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* From the files of all sessions to what the dead ones left, and to what the live ones hold.
 * The files were written by ambit where no session can write; the paths in them lead to where
 * sessions can. So a path only says where to look: a directory is removed if device, inode and
 * birth are those that were recorded, and then through its descriptor. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "perform/clear.h"
#include "perform/leftover-private.h"

#define FILE_MAX_SIZE (4 << 20)
#define LOOKED_MAX 256	      /* files of others that one start looks at, about */
#define CLEAR_AT_START 200000 /* steps: the rest is for the next one */

/* Of a file that a later ambit wrote, only these are understood. */
static const char kinds[] = { RECORD_DIR, RECORD_PLAN, RECORD_POOL, RECORD_FILE, RECORD_STAGED,
	RECORD_WRITABLE, '\0' };

struct record {
	enum record_kind kind;
	struct identity of;
	const char *path;
	const char *rest, *end; /* the records that follow it */
};

/* -- reading ------------------------------------------------------------------------ */

static bool
parse_record(const char *text, struct record *ret_record)
{
	struct record record = { 0 };
	unsigned long long birth;
	char kind;
	int n = 0;

	if (sscanf(text, "%c %x:%x %llx %llx %n", &kind, &record.of.major, &record.of.minor,
		    &record.of.inode, &birth, &n) != 5 ||
		n == 0 || text[n] != '/' || !strchr(kinds, kind))
		return false;
	record.kind = (enum record_kind)kind;
	record.of.birth = (long long)birth;
	record.path = text + n;
	*ret_record = record;
	return true;
}

/* The next record that stands there whole; false at the end. */
static bool
next_record(const char **at, const char *end, struct record *ret_record)
{
	while (*at < end) {
		const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

		*at = nul ? nul + 1 : end;
		if (nul && parse_record(text, ret_record)) {
			ret_record->rest = *at;
			ret_record->end = end;
			return true;
		}
	}
	return false;
}

/* Calls each for every record until it returns what is not 0. -errno of the file. */
static int
read_records(int fd, int (*each)(void *data, const struct record *record), void *data)
{
	auto_free char *text = NULL;
	struct record record;
	size_t len = 0;
	int r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd_read_open(fd, FILE_MAX_SIZE, &text, &len);
	const char *at = text, *end = r == 0 ? text + len : text;

	while (r == 0 && next_record(&at, end, &record))
		r = each(data, &record);
	return r;
}

/* -- the dead ------------------------------------------------------------------------- */

struct collection {
	int store;
	bool failed; /* something is left that the next start can try again */
};

/* Also 0 if the name now belongs to another object. */
static int
remove_known(int parent, const char *name, const struct identity *of)
{
	auto_close int held = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_close int fd = -1;
	struct identity is;
	int r;

	if (held < 0 || identity_of(held, "", &is) < 0 || !identity_equal(&is, of))
		return 0;
	fd = clear_enter(parent, name);
	if (fd < 0)
		return fd;
	/* It was opened by its name a second time. */
	if (identity_of(fd, "", &is) < 0 || !identity_equal(&is, of))
		return 0;
	r = clear_directory(fd, CLEAR_AT_START);
	if (r == 0 && identity_of(parent, name, &is) == 0 && identity_equal(&is, of) &&
		unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		r = -errno;
	return r;
}

/* Whether what was planned was made and recorded: then its own record counts. */
static bool
was_made(const struct record *plan)
{
	enum record_kind kind = plan->kind == RECORD_FILE ? RECORD_STAGED : RECORD_DIR;
	const char *at = plan->rest;
	struct record record;

	while (next_record(&at, plan->end, &record))
		if (record.kind == kind && streq(record.path, plan->path))
			return true;
	return false;
}

/* A name that nobody could foresee, in the very directory: a directory or a file that is still
 * empty. */
static void
remove_planned(int parent, const char *name, const struct record *record)
{
	struct identity is;
	struct stat st;

	if (identity_of(parent, "", &is) < 0 || !identity_equal(&is, &record->of))
		return;
	if (record->kind != RECORD_FILE)
		unlinkat(parent, name, AT_REMOVEDIR);
	else if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		 st.st_size == 0)
		unlinkat(parent, name, 0);
}

static void
remove_staged(int parent, const char *name, const struct identity *of)
{
	struct identity is;

	if (identity_of(parent, name, &is) < 0 || !identity_equal(&is, of))
		return;
	/* A directory goes with all that is in it: it was being filled. */
	if (unlinkat(parent, name, 0) < 0 && (errno == EISDIR || errno == EPERM))
		remove_known(parent, name, of);
}

static void
remove_recorded_path(
	struct collection *collection, int parent, const char *name, const struct record *record)
{
	if (record->kind == RECORD_DIR) {
		if (parent >= 0 && remove_known(parent, name, &record->of) < 0)
			collection->failed = true;
		/* It was not moved to its place any more. */
		if (remove_known(collection->store, name, &record->of) < 0)
			collection->failed = true;
	} else if (record->kind == RECORD_STAGED) {
		if (parent >= 0)
			remove_staged(parent, name, &record->of);
	} else if (!was_made(record)) {
		if (parent >= 0)
			remove_planned(parent, name, record);
		if (record->kind != RECORD_FILE)
			unlinkat(collection->store, name, AT_REMOVEDIR);
	}
}

static int
remove_record(void *data, const struct record *record)
{
	const char *slash = strrchr(record->path, '/'), *name = slash + 1;
	auto_free char *dir = NULL;
	auto_close int parent = -1;

	if (record->kind == RECORD_WRITABLE || !*name || streq(name, ".") || streq(name, ".."))
		return 0;
	dir = slash == record->path ? strdup("/")
				    : strndup(record->path, (size_t)(slash - record->path));
	if (!dir)
		return -ENOMEM;
	parent = leftover_open(dir);
	/* Not mounted, closed for now: the next start tries again. */
	if (parent < 0 && parent != -ENOENT && parent != -ENOTDIR && parent != -ELOOP)
		((struct collection *)data)->failed = true;
	remove_recorded_path(data, parent, name, record);
	return 0;
}

/* fd is locked. One that has no name any more was somebody else's to collect. */
static void
collect_file(int store, const char *name, int fd)
{
	struct collection collection = { .store = store };
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return;
	if (read_records(fd, remove_record, &collection) == 0 && !collection.failed)
		unlinkat(store, name, 0);
}

/* -- the live -------------------------------------------------------------------------- */

static int
add_pool(void *data, const struct record *record)
{
	return record->kind == RECORD_POOL ? strv_append(data, record->path) : 0;
}

static bool
is_store_name(const char *name)
{
	return str_prefix(name, STORE_PLAIN) || str_prefix(name, STORE_POOL);
}

/* A copy to read from the beginning, that the descriptor of the store does not share. */
static DIR *
list_store(const struct leftovers *store)
{
	auto_close int fd = openat(store->file.parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir)
		steal_fd(&fd);
	return dir;
}

static int
open_other(const struct leftovers *store, const char *name)
{
	return openat(store->file.parent, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Locked by somebody: its session lives. */
static bool
is_live(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) < 0;
}

int
leftovers_collect(struct leftovers *store, char ***ret_pools)
{
	DIR *dir = list_store(store);
	struct dirent *entry;
	char chosen[2];
	int looked = 0, r = 0;

	*ret_pools = NULL;
	if (!dir)
		return -errno;
	hash_random_name(chosen, 1);
	while (r == 0 && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		bool pool = str_prefix(name, STORE_POOL);
		auto_close int fd = -1;

		if (!is_store_name(name) || streq(name, store->file.name))
			continue;
		/* If very many sessions live, each start looks at a part of them for dead ones. */
		if (!pool && ++looked > LOOKED_MAX && name[strlen(STORE_PLAIN)] != chosen[0])
			continue;
		fd = open_other(store, name);
		if (fd < 0)
			continue;
		if (!is_live(fd))
			collect_file(store->file.parent, name, fd);
		else if (pool)
			r = read_records(fd, add_pool, ret_pools);
	}
	closedir(dir);
	if (r < 0) {
		strv_free(*ret_pools);
		*ret_pools = NULL;
	}
	return r;
}

static int
compare_writable(void *data, const struct record *record)
{
	const char *path = data;

	return (record->kind == RECORD_WRITABLE || record->kind == RECORD_DIR) &&
			       str_beneath(path, record->path)
		       ? -EBUSY
		       : 0;
}

bool
leftovers_covered(const struct leftovers *store, const char *path)
{
	DIR *dir = list_store(store);
	struct dirent *entry;
	int r = dir ? 0 : -errno;

	while (r == 0 && (entry = readdir(dir))) {
		auto_close int fd =
			is_store_name(entry->d_name) ? open_other(store, entry->d_name) : -1;

		if (fd >= 0 && is_live(fd))
			r = read_records(fd, compare_writable, (void *)path);
	}
	if (dir)
		closedir(dir);
	return r != 0;
}

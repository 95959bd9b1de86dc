/* SPDX-License-Identifier: Apache-2.0 */
/* What the tree may read, as rules. Landlock cannot subtract: to leave out one
 * path, everything beside it is granted instead, level by level from above.
 * /dev is always left out that way. Names come from directories that others
 * may change meanwhile; a name that is gone or became a link grants nothing. */

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/floor/floor-private.h"
#include "scope/system-places.h"

#define DEV "/dev"

struct reads {
	struct floor *floor;
	const struct floor_options *options;
	uint64_t rights;
	struct ambit_error *err;
};

static bool
is_hidden(const struct floor_options *options, const char *path)
{
	if (streq(path, DEV))
		return true;
	for (size_t i = 0; i < options->n_hidden; i++)
		if (streq(options->hidden[i], path))
			return true;
	return false;
}

bool
floor_hides(const struct floor_options *options, const char *path)
{
	for (size_t i = 0; i < options->n_hidden; i++)
		if (str_beneath(options->hidden[i], path))
			return true;
	return false;
}

static size_t
measure_nearest(const char *const *paths, size_t n, const char *path)
{
	size_t best = 0;

	for (size_t i = 0; i < n; i++)
		if (str_beneath(path, paths[i]) && strlen(paths[i]) > best)
			best = strlen(paths[i]);
	return best;
}

bool
floor_may_read(const struct floor_options *options, const char *path)
{
	size_t open = measure_nearest(options->readable, options->n_readable, path);
	size_t hidden = measure_nearest(options->hidden, options->n_hidden, path);

	if (open == 0 && options->limit_reads)
		return system_places_hold(path) && hidden == 0;
	return hidden == 0 || open > hidden;
}

static int grant_read(const struct reads *reads, int fd, const char *path, bool dir);

/* One name in a directory that has something hidden beneath it. */
static int
grant_entry(const struct reads *reads, int parent, const char *path, const struct dirent *entry)
{
	char child[PATH_MAX];
	int n = snprintf(
		child, sizeof(child), "%s/%s", streq(path, "/") ? "" : path, entry->d_name);
	auto_close int fd = -1;
	bool dir = entry->d_type == DT_DIR;
	struct stat st;

	if (n < 0 || (size_t)n >= sizeof(child) || entry->d_type == DT_LNK ||
		entry->d_type == DT_SOCK || is_hidden(reads->options, child))
		return 0;
	fd = openat(parent, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (entry->d_type == DT_UNKNOWN) {
		if (fstat(fd, &st) != 0 || S_ISLNK(st.st_mode))
			return 0;
		dir = S_ISDIR(st.st_mode);
	}
	return grant_read(reads, fd, child, dir);
}

/* A directory that cannot be listed grants nothing beneath it. */
static int
grant_around(const struct reads *reads, int fd, const char *path)
{
	int r = floor_add(
		reads->floor, fd, true, reads->rights & LANDLOCK_ACCESS_FS_READ_DIR, reads->err);
	int list = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = list >= 0 ? fdopendir(list) : NULL;
	const struct dirent *entry;

	if (stream == NULL) {
		if (list >= 0)
			close(list);
		return r;
	}
	while (r == 0 && (entry = readdir(stream)) != NULL)
		if (!streq(entry->d_name, ".") && !streq(entry->d_name, ".."))
			r = grant_entry(reads, list, path, entry);
	closedir(stream);
	return r;
}

static int
grant_read(const struct reads *reads, int fd, const char *path, bool dir)
{
	if (is_hidden(reads->options, path))
		return 0;
	if (dir && (streq(path, "/") || floor_hides(reads->options, path)))
		return grant_around(reads, fd, path);
	return floor_add(reads->floor, fd, dir, reads->rights, reads->err);
}

static int
grant_path(const struct reads *reads, const char *path)
{
	auto_close int fd = floor_open(path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || S_ISLNK(st.st_mode))
		return 0;
	return grant_read(reads, fd, path, S_ISDIR(st.st_mode));
}

static int
grant_paths(const struct reads *reads, const char *const *paths, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = grant_path(reads, paths[i]);
	return r;
}

int
floor_add_reads(struct floor *floor, const struct floor_options *options, struct ambit_error *err)
{
	const struct reads reads = {
		.floor = floor, .options = options, .rights = FLOOR_READ, .err = err
	};
	int r = 0;

	if (!options->limit_reads)
		r = grant_path(&reads, "/");
	else
		for (const char *const *place = system_places; r == 0 && *place; place++)
			r = grant_path(&reads, *place);
	if (r == 0 && !options->limit_reads)
		r = grant_path(&reads, DEV "/shm");
	if (r == 0)
		r = grant_paths(&reads, options->readable, options->n_readable);
	return r;
}

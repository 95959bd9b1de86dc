/* SPDX-License-Identifier: Apache-2.0 */
/* Directories with all that is in them. Each is opened by one name beneath the one
 * before, never through a link and never onto another mount: whoever swaps parts of
 * the tree while it is walked gets parts of it removed or copied that lie in it, and
 * nothing else. Names come from the disk and may be any bytes. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "perform/file-private.h"
#include "perform/leftover.h"
#include "scope/resolve.h"

/* One descriptor for each level, two for a copy. */
#define DEPTH_MAX 128
#define AGAIN_MAX 64
#define CHUNK 65536
#define WITHIN (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

struct walk {
	const struct file_watch *watch; /* or NULL */
	size_t done;			/* names that are gone */
	bool ours;			/* made here, and not wanted */
	bool sync;			/* one file alone: it is on the disk before it has a name */
	struct leftovers *list;		/* where the top of the copy is noted; or NULL */
	struct ambit_error *err;
};

static bool
is_cancelled(const struct walk *walk)
{
	return walk->watch && walk->watch->cancelled(walk->watch->data);
}

static void
close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
#define auto_dir __attribute__((cleanup(close_dir)))

static int
open_dir(int parent, const char *name, DIR **ret_dir)
{
	int fd = resolve_open(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, WITHIN);

	if (fd < 0)
		return fd;
	*ret_dir = fdopendir(fd);
	if (!*ret_dir) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

/* The next name that is one, or NULL; *ret_mode its kind. */
static const char *
next_entry(DIR *dir, mode_t *ret_mode, int *ret_error)
{
	struct dirent *entry;
	struct stat st;

	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			*ret_error = -errno;
			return NULL;
		}
		if (streq(entry->d_name, ".") || streq(entry->d_name, ".."))
			continue;
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT)
				continue; /* gone by now */
			*ret_error = -errno;
			return NULL;
		}
		*ret_mode = st.st_mode;
		return entry->d_name;
	}
}

static int
report_tree_error(struct ambit_error *err, int r, const char *name)
{
	if (r == -ECANCELED)
		return err_set(err, ECANCELED, "cancelled");
	if (r == -EXDEV)
		return err_set(err, EXDEV,
			"'%s' is a mount point, or of no kind that can be copied", name);
	if (r == -ENAMETOOLONG)
		return err_set(
			err, ENAMETOOLONG, "'%s' lies deeper than %d directories", name, DEPTH_MAX);
	return err_sys(err, -r, "'%s'", name);
}

/* -- removal ---------------------------------------------------------------------------- */

/* Whether all of it can be removed, as far as that can be seen. */
static int
check_dir(int parent, const char *name, int depth, struct walk *walk)
{
	auto_dir DIR *dir = NULL;
	const char *entry;
	bool any = false;
	mode_t mode;
	int r = depth > DEPTH_MAX ? -ENAMETOOLONG : open_dir(parent, name, &dir), end = 0;

	if (r < 0)
		return report_tree_error(walk->err, r, name);
	while (r == 0 && (entry = next_entry(dir, &mode, &end))) {
		any = true;
		if (S_ISDIR(mode))
			r = check_dir(dirfd(dir), entry, depth + 1, walk);
		if (r == 0 && is_cancelled(walk))
			r = report_tree_error(walk->err, -ECANCELED, name);
	}
	if (r < 0 || end < 0)
		return r < 0 ? r : report_tree_error(walk->err, end, name);
	if (any && faccessat(dirfd(dir), ".", W_OK | X_OK, AT_EACCESS) < 0)
		return report_tree_error(walk->err, -errno, name);
	return 0;
}

static int remove_dir(int parent, const char *name, int depth, struct walk *walk);

/* All that is in dir once; how many that were. */
static int
empty_dir(DIR *dir, int depth, struct walk *walk)
{
	const char *entry;
	mode_t mode;
	int n = 0, r = 0, end = 0;

	rewinddir(dir);
	while (r == 0 && (entry = next_entry(dir, &mode, &end))) {
		if (is_cancelled(walk))
			r = report_tree_error(walk->err, -ECANCELED, entry);
		else if (S_ISDIR(mode))
			r = remove_dir(dirfd(dir), entry, depth + 1, walk);
		else if (unlinkat(dirfd(dir), entry, 0) < 0 && errno != ENOENT)
			r = report_tree_error(walk->err, -errno, entry);
		walk->done += r == 0;
		n++;
	}
	return r < 0 ? r : end < 0 ? report_tree_error(walk->err, end, "a directory in it") : n;
}

/* Some file systems skip names when others go: until it is empty. */
static int
empty_dir_fully(DIR *dir, int depth, struct walk *walk)
{
	int r = 1;

	for (int i = 0; r > 0 && i < AGAIN_MAX; i++)
		r = empty_dir(dir, depth, walk);
	return r < 0 ? r : 0;
}

static int
remove_dir(int parent, const char *name, int depth, struct walk *walk)
{
	auto_dir DIR *dir = NULL;
	int r = depth > DEPTH_MAX ? -ENAMETOOLONG : open_dir(parent, name, &dir);

	if (r < 0)
		return report_tree_error(walk->err, r, name);
	/* A copy has the mode of what it was made of, by which it may not be emptied. */
	if (walk->ours)
		(void)!fchmod(dirfd(dir), 0700);
	r = empty_dir_fully(dir, depth, walk);
	if (r == 0 && unlinkat(parent, name, AT_REMOVEDIR) < 0)
		r = report_tree_error(walk->err, -errno, name);
	return r;
}

int
tree_remove(const struct ambit_place *place, int held, const struct file_watch *watch,
	struct ambit_error *err)
{
	struct walk walk = { .watch = watch, .err = err };
	auto_dir DIR *dir = NULL;
	int r = check_dir(place->parent, place->name, 0, &walk);

	if (r < 0)
		return err_context(err, "%s: nothing was removed", place->shown);
	/* Through what is held: whatever has the name by now, its content is not lost. */
	r = open_dir(held, ".", &dir);
	if (r < 0)
		return err_sys(err, -r, "%s", place->shown);
	r = empty_dir_fully(dir, 0, &walk);
	if (r < 0)
		return walk.done == 0
			       ? err_context(err, "%s: nothing was removed", place->shown)
			       : err_context(err,
					 "%s: %zu of what was in it are gone, the rest is there",
					 place->shown, walk.done);
	if (unlinkat(place->parent, place->name, AT_REMOVEDIR) < 0)
		return err_sys(err, errno, "%s", place->shown);
	return 0;
}

void
tree_discard(int parent, const char *name)
{
	struct walk walk = { .ours = true };

	if (unlinkat(parent, name, 0) < 0 && (errno == EISDIR || errno == EPERM))
		remove_dir(parent, name, 0, &walk);
}

/* -- copies ------------------------------------------------------------------------------- */

static int
copy_range(int in, int out, off_t from, off_t to, const struct walk *walk)
{
	char chunk[CHUNK];

	while (from < to) {
		size_t want = to - from < CHUNK ? (size_t)(to - from) : CHUNK;
		ssize_t n = pread(in, chunk, want, from);
		ssize_t done = 0;

		if (is_cancelled(walk))
			return -ECANCELED;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break; /* cut short meanwhile */
		while (done < n) {
			ssize_t w = pwrite(out, chunk + done, (size_t)(n - done), from + done);

			if (w < 0 && errno != EINTR)
				return -errno;
			done += w > 0 ? w : 0;
		}
		from += n;
	}
	return 0;
}

/* Holes stay holes: a file of many gigabytes may hold next to nothing. */
static int
copy_data(int in, int out, off_t size, const struct walk *walk)
{
	off_t at = 0;
	int r = ftruncate(out, size) < 0 ? -errno : 0;

	while (r == 0 && at < size) {
		off_t data = lseek(in, at, SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO)
			break;
		if (data < 0)
			return copy_range(in, out, at, size, walk);
		hole = lseek(in, data, SEEK_HOLE);
		if (hole < 0 || hole > size)
			hole = size;
		if (data >= hole)
			break;
		r = copy_range(in, out, data, hole, walk);
		at = hole;
	}
	return r;
}

/* The right to run as somebody else is not copied. */
static int
copy_mode_times(int fd, const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };

	if (fchmod(fd, st->st_mode & (S_ISDIR(st->st_mode) ? 01777 : 0777)) < 0)
		return -errno;
	return futimens(fd, times) < 0 ? -errno : 0;
}

static int
copy_file(int from, const char *name, const struct stat *was, int to, const char *to_name,
	const struct walk *walk)
{
	auto_close int in =
		resolve_open(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0, WITHIN);
	auto_close int out = -1;
	struct stat st;
	int r;

	if (in < 0)
		return in;
	if (fstat(in, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_ino != was->st_ino || st.st_dev != was->st_dev)
		return -ESTALE;
	out = openat(to, to_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	if (walk->sync)
		leftovers_staged(walk->list, to, to_name, out);
	r = copy_data(in, out, st.st_size, walk);
	if (r == 0)
		r = copy_mode_times(out, &st);
	if (r == 0 && walk->sync && fsync(out) < 0)
		r = -errno;
	return r;
}

static int
copy_link(int from, const char *name, int to, const char *to_name)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(from, name, target, sizeof(target));

	if (n < 0 || n == sizeof(target))
		return n < 0 ? -errno : -ENAMETOOLONG;
	target[n] = '\0';
	return symlinkat(target, to, to_name) < 0 ? -errno : 0;
}

static int copy_tree_entry(int from, const char *name, const struct stat *was, int to,
	const char *to_name, int depth, struct walk *walk);

static int
copy_dir(int from, const char *name, const struct stat *was, int to, const char *to_name, int depth,
	struct walk *walk)
{
	auto_dir DIR *dir = NULL;
	auto_close int out = -1;
	const char *entry;
	struct stat st;
	mode_t mode;
	int r = depth > DEPTH_MAX ? -ENAMETOOLONG : open_dir(from, name, &dir), end = 0;

	if (r == 0)
		r = fstat(dirfd(dir), &st) < 0				   ? -errno
		    : st.st_ino != was->st_ino || st.st_dev != was->st_dev ? -ESTALE
									   : 0;
	if (r == 0 && mkdirat(to, to_name, 0700) < 0)
		r = -errno;
	if (r < 0)
		return report_tree_error(walk->err, r, name);
	out = resolve_open(to, to_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, WITHIN);
	if (out < 0)
		return report_tree_error(walk->err, out, name);
	if (depth == 0)
		leftovers_staged(walk->list, to, to_name, out);
	while (r == 0 && (entry = next_entry(dir, &mode, &end)))
		r = copy_tree_entry(dirfd(dir), entry, NULL, out, entry, depth + 1, walk);
	if (r < 0)
		return r;
	r = end < 0 ? end : copy_mode_times(out, &st);
	return r < 0 ? report_tree_error(walk->err, r, name) : 0;
}

/* was: it must be this, or NULL. */
static int
copy_tree_entry(int from, const char *name, const struct stat *was, int to, const char *to_name,
	int depth, struct walk *walk)
{
	struct stat st;
	int r = 0;

	if (is_cancelled(walk))
		return report_tree_error(walk->err, -ECANCELED, name);
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return report_tree_error(walk->err, -errno, name);
	if (was && (st.st_dev != was->st_dev || st.st_ino != was->st_ino))
		return err_set(
			walk->err, ESTALE, "'%s' is not what it was when this was decided", name);
	if (S_ISDIR(st.st_mode))
		return copy_dir(from, name, &st, to, to_name, depth, walk);
	if (S_ISREG(st.st_mode))
		r = copy_file(from, name, &st, to, to_name, walk);
	else if (S_ISLNK(st.st_mode))
		r = copy_link(from, name, to, to_name);
	else
		return err_set(walk->err, EXDEV, "'%s' is %s: it cannot be copied", name,
			file_kind(st.st_mode));
	return r < 0 ? report_tree_error(walk->err, r, name) : 0;
}

int
tree_copy(int from, const char *name, const struct stat *was, int to, const char *to_name,
	struct leftovers *list, const struct file_watch *watch, struct ambit_error *err)
{
	struct walk walk = {
		.watch = watch, .sync = S_ISREG(was->st_mode), .list = list, .err = err
	};

	return copy_tree_entry(from, name, was, to, to_name, 0, &walk);
}

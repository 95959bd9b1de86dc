/* SPDX-License-Identifier: Apache-2.0 */
/* From a folder to a list of what is in it, and from two such lists to what changed. An
 * agent may have made what is found: any names, any depth, any number. So directories
 * are opened from the folder's own descriptor, without symlinks, one at a time and the
 * upper ones first; what is too much is left out whole, so that nothing that was there
 * before can look new. Changes within one tick of the kernel's clock before the first
 * look and after it cannot be told apart, if the size is the same. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agents/changes.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"

#define NO_DIR UINT32_MAX
#define ANY_DIR (UINT32_MAX - 1) /* it is one, and is not among dirs yet */

struct entry {
	uint32_t name;	/* where it begins in names */
	uint32_t dir;	/* which of dirs it is; NO_DIR: not a directory */
	uint64_t print; /* of all that tells one state of a file from another */
};

struct dir {
	uint32_t parent; /* NO_DIR: the folder itself */
	uint32_t name;
	uint32_t first, n; /* its entries, sorted */
	bool closed;	   /* what is in it is not known */
};

/* One look. */
struct look {
	struct entry *entries;
	size_t n_entries, entries_size;
	struct dir *dirs;
	size_t n_dirs, dirs_size;
	struct buf names; /* each with its NUL */
};

struct changes {
	int folder;
	size_t max;
	/* With a key of its own nobody can make two states look the same. */
	unsigned char key[crypto_shorthash_KEYBYTES];
	struct look before;
};

static void
look_finish(struct look *look)
{
	free(look->entries);
	free(look->dirs);
	buf_finish(&look->names);
}

#define auto_look __attribute__((cleanup(look_finish)))

static const char *
name_of(const struct look *look, uint32_t name)
{
	return look->names.data + name;
}

/* -- looking ------------------------------------------------------------------------ */

static int
grow_array(void **list, size_t *size, size_t n, size_t each)
{
	size_t bigger = *size ? *size * 2 : 64;
	void *more;

	if (n < *size)
		return 0;
	more = realloc(*list, bigger * each);
	if (!more)
		return -ENOMEM;
	*list = more;
	*size = bigger;
	return 0;
}

static int
add_dir(struct look *look, uint32_t parent, uint32_t name)
{
	if (grow_array((void **)&look->dirs, &look->dirs_size, look->n_dirs, sizeof(*look->dirs)) <
		0)
		return -ENOMEM;
	look->dirs[look->n_dirs++] = (struct dir){ .parent = parent, .name = name };
	return 0;
}

static uint64_t
hash_file_state(const struct changes *changes, const struct stat *st)
{
	const uint64_t state[] = {
		st->st_ino,
		(uint64_t)st->st_size,
		(uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec,
		st->st_mode & S_IFMT,
	};
	uint64_t print;

	_Static_assert(crypto_shorthash_BYTES == sizeof(print), "a print");
	crypto_shorthash(
		(unsigned char *)&print, (const unsigned char *)state, sizeof(state), changes->key);
	return print;
}

static int
add_entry(const struct changes *changes, struct look *look, const char *name, const struct stat *st)
{
	struct entry entry = { .name = (uint32_t)look->names.len };

	if (grow_array((void **)&look->entries, &look->entries_size, look->n_entries,
		    sizeof(*look->entries)) < 0)
		return -ENOMEM;
	buf_append(&look->names, name, strlen(name) + 1);
	entry.dir = S_ISDIR(st->st_mode) ? ANY_DIR : NO_DIR;
	entry.print = hash_file_state(changes, st);
	look->entries[look->n_entries++] = entry;
	return look->names.failed ? -ENOMEM : 0;
}

/* "a/b" of the dir; "." of the folder. */
static int
path_of(const struct look *look, uint32_t i, struct buf *path)
{
	uint32_t chain[PATH_MAX / 2];
	size_t n = 0, len = 0;

	for (; look->dirs[i].parent != NO_DIR; i = look->dirs[i].parent) {
		len += strlen(name_of(look, look->dirs[i].name)) + 1;
		if (len >= PATH_MAX)
			return -ENAMETOOLONG;
		chain[n++] = look->dirs[i].name;
	}
	path->len = 0;
	if (n == 0)
		buf_putc(path, '.');
	while (n > 0) {
		if (path->len > 0)
			buf_putc(path, '/');
		buf_puts(path, name_of(look, chain[--n]));
	}
	return path->failed ? -ENOMEM : 0;
}

static int
open_dir(const struct changes *changes, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};

	return (int)syscall(SYS_openat2, changes->folder, path, &how, sizeof(how));
}

static int
by_name(const void *a, const void *b, void *data)
{
	const struct look *look = data;

	return strcmp(name_of(look, ((const struct entry *)a)->name),
		name_of(look, ((const struct entry *)b)->name));
}

/* Sorted before it is known in which order they are entered: so both looks leave out the
 * same where there is too much. */
static int
keep_entries(struct look *look, uint32_t i, size_t first)
{
	uint32_t n = (uint32_t)(look->n_entries - first);

	look->dirs[i].first = (uint32_t)first;
	look->dirs[i].n = n;
	if (n > 1)
		qsort_r(look->entries + first, n, sizeof(*look->entries), by_name, look);
	for (size_t k = first; k < look->n_entries; k++) {
		if (look->entries[k].dir != ANY_DIR)
			continue;
		look->entries[k].dir = (uint32_t)look->n_dirs;
		if (add_dir(look, i, look->entries[k].name) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int
read_entries(const struct changes *changes, struct look *look, DIR *open)
{
	struct dirent *entry;
	struct stat st;
	int r = 0;

	while (r == 0 && (errno = 0, entry = readdir(open))) {
		if (streq(entry->d_name, ".") || streq(entry->d_name, ".."))
			continue;
		if (look->n_entries >= changes->max)
			return -EOVERFLOW;
		/* One that went meanwhile is not there. */
		if (fstatat(dirfd(open), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			r = add_entry(changes, look, entry->d_name, &st);
	}
	return r == 0 && errno != 0 ? -errno : r;
}

/* -ENOMEM; whatever else goes wrong closes the directory to us. */
static int
read_dir(const struct changes *changes, struct look *look, uint32_t i, struct buf *path)
{
	size_t first = look->n_entries, names = look->names.len;
	int r = path_of(look, i, path), fd = r < 0 ? -1 : open_dir(changes, path->data);
	DIR *open = fd >= 0 ? fdopendir(fd) : NULL;

	if (!open) {
		if (fd >= 0)
			close(fd);
		look->dirs[i].closed = true;
		return r == -ENOMEM ? r : 0;
	}
	r = read_entries(changes, look, open);
	closedir(open);
	if (r == 0)
		return keep_entries(look, i, first);
	/* Nothing of it rather than some. */
	look->n_entries = first;
	look->names.len = names;
	look->dirs[i].closed = true;
	return r == -ENOMEM ? r : 0;
}

static int
scan_folder_tree(const struct changes *changes, struct look *look)
{
	auto_buf struct buf path = { 0 };
	int r = 0;

	buf_append(&look->names, "", 1);
	if (look->names.failed || add_dir(look, NO_DIR, 0) < 0)
		return -ENOMEM;
	/* What git keeps is many files, and says nothing that the work tree does not. */
	for (uint32_t i = 0; r == 0 && i < look->n_dirs; i++)
		if (!streq(name_of(look, look->dirs[i].name), ".git"))
			r = read_dir(changes, look, i, &path);
	return r;
}

/* -- comparing ------------------------------------------------------------------------ */

struct report {
	const struct look *before, *after;
	int (*each)(void *data, const char *path, enum change change);
	void *data;
	bool cut;
	struct buf path;
};

static int
report_change(struct report *report, enum change change)
{
	if (report->path.failed)
		return -ENOMEM;
	return report->each(report->data, report->path.data, change);
}

/* Puts a name behind the path; its length before that, to go back to. */
static size_t
append_path_name(struct report *report, const char *name)
{
	size_t len = report->path.len;

	if (len > 0)
		buf_putc(&report->path, '/');
	buf_puts(&report->path, name);
	return len;
}

static void
cut_report_path(struct report *report, size_t len)
{
	report->path.len = len;
	if (report->path.data)
		report->path.data[len] = '\0';
}

/* The entry of one look alone, and all that is beneath it. */
static int
report_subtree(struct report *report, const struct look *look, const struct entry *entry,
	enum change change)
{
	size_t len = append_path_name(report, name_of(look, entry->name));
	int r = report_change(report, change);

	if (r == 0 && entry->dir != NO_DIR) {
		const struct dir *dir = &look->dirs[entry->dir];

		report->cut |= dir->closed;
		for (uint32_t i = 0; r == 0 && i < dir->n; i++)
			r = report_subtree(report, look, &look->entries[dir->first + i], change);
	}
	cut_report_path(report, len);
	return r;
}

static int compare_dirs(struct report *report, const struct dir *a, const struct dir *b);

static int
compare_entries(struct report *report, const struct entry *a, const struct entry *b)
{
	size_t len;
	int r = 0;

	if ((a->dir == NO_DIR) != (b->dir == NO_DIR)) {
		r = report_subtree(report, report->before, a, CHANGE_DELETED);
		return r != 0 ? r : report_subtree(report, report->after, b, CHANGE_CREATED);
	}
	if (a->dir == NO_DIR && a->print == b->print)
		return 0;
	len = append_path_name(report, name_of(report->after, b->name));
	if (a->dir == NO_DIR)
		r = report_change(report, CHANGE_MODIFIED);
	else
		r = compare_dirs(
			report, &report->before->dirs[a->dir], &report->after->dirs[b->dir]);
	cut_report_path(report, len);
	return r;
}

static int
compare_dirs(struct report *report, const struct dir *a, const struct dir *b)
{
	const struct entry *x = a->n > 0 ? &report->before->entries[a->first] : NULL;
	const struct entry *y = b->n > 0 ? &report->after->entries[b->first] : NULL;
	uint32_t i = 0, k = 0;
	int r = 0;

	if (a->closed || b->closed) {
		report->cut = true;
		return 0;
	}
	while (r == 0 && (i < a->n || k < b->n)) {
		int order = i == a->n	? 1
			    : k == b->n ? -1
					: strcmp(name_of(report->before, x[i].name),
						  name_of(report->after, y[k].name));

		if (order < 0)
			r = report_subtree(report, report->before, &x[i++], CHANGE_DELETED);
		else if (order > 0)
			r = report_subtree(report, report->after, &y[k++], CHANGE_CREATED);
		else
			r = compare_entries(report, &x[i++], &y[k++]);
	}
	return r;
}

/* -- from outside ----------------------------------------------------------------------- */

static void
changes_destroy_at(struct changes **changes)
{
	changes_destroy(*changes);
}

#define auto_changes __attribute__((cleanup(changes_destroy_at)))

struct changes *
changes_begin(const char *folder)
{
	return changes_begin_within(folder, CHANGES_ENTRIES);
}

struct changes *
changes_begin_within(const char *folder, size_t max)
{
	auto_changes struct changes *changes = calloc(1, sizeof(*changes));
	int r;

	if (!changes)
		return NULL;
	changes->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (changes->folder < 0)
		return NULL;
	changes->max = max;
	randombytes_buf(changes->key, sizeof(changes->key));
	r = scan_folder_tree(changes, &changes->before);
	if (r < 0) {
		errno = -r;
		return NULL;
	}
	return steal_ptr(&changes);
}

int
changes_end(struct changes *changes,
	int (*each)(void *data, const char *relative_path, enum change change), void *data,
	bool *ret_cut)
{
	auto_changes struct changes *owned = changes;
	auto_look struct look after = { 0 };
	struct report report = {
		.before = &owned->before,
		.after = &after,
		.each = each,
		.data = data,
	};
	int r = scan_folder_tree(owned, &after);

	if (r == 0)
		r = compare_dirs(&report, &owned->before.dirs[0], &after.dirs[0]);
	buf_finish(&report.path);
	if (r >= 0)
		*ret_cut = report.cut;
	return r;
}

void
changes_destroy(struct changes *changes)
{
	int saved = errno;

	if (!changes)
		return;
	if (changes->folder >= 0)
		close(changes->folder);
	look_finish(&changes->before);
	free(changes);
	errno = saved;
}

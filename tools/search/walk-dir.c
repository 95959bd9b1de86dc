/* SPDX-License-Identifier: Apache-2.0 */
/* One directory: its entries, less what nobody wants, in order. Names are whatever
 * bytes somebody chose; a type that the file system does not tell is looked up
 * without following. The entries are all read before the first is judged, for the
 * .gitignore among them has a say. */

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "tools/search/walk-private.h"

#define NAME_STEPS 16	 /* what a name costs besides .gitignore */
#define LOOK_STEPS 16384 /* then it is asked whether to stop: 1000 names or less */

struct entry {
	unsigned char type;
	const char *name;
};

/* As the kernel fills the buffer. */
struct dirent64_raw {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

void
walk_dir_destroy(struct walk_dir *dir)
{
	if (!dir)
		return;
	free(dir->path);
	free(dir->text);
	free(dir->names);
	free(dir->dirs);
	free(dir);
}

/* What the kernel makes up as it is read has no end, and some of it waits. */
static bool
is_made_up(int fd)
{
	static const long long types[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
		TRACEFS_MAGIC, SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		BPF_FS_MAGIC, DEVPTS_SUPER_MAGIC, SELINUX_MAGIC, PSTOREFS_MAGIC, BINFMTFS_MAGIC,
		EFIVARFS_MAGIC, 0x62656570 /* configfs */, 0x65735543 /* fusectl */,
		0x19800202 /* mqueue */ };
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((long long)fs.f_type == types[i])
			return true;
	return false;
}

static int
append_entry(struct walk_desk *desk, unsigned char type, const char *name)
{
	size_t n = strlen(name) + 2;

	if (desk->len + n > desk->size) {
		size_t size = (desk->size + n) * 2;
		char *text = realloc(desk->text, size);

		if (!text)
			return -ENOMEM;
		desk->text = text;
		desk->size = size;
	}
	desk->text[desk->len] = (char)type;
	memcpy(desk->text + desk->len + 1, name, n - 1);
	desk->len += n;
	return 0;
}

/* All entries into the desk. ".git" stays out of it: *ret_git. */
static int
read_entries(struct walk_desk *desk, int fd, size_t *ret_n, bool *ret_git, bool *ret_ignore)
{
	size_t n = 0, before = 0;
	int r = 0;

	desk->len = 0;
	*ret_git = *ret_ignore = false;
	for (;;) {
		long got = syscall(SYS_getdents64, fd, desk->read, WALK_READ_SIZE);

		if (got <= 0) {
			*ret_n = n;
			if (got == 0 || n == 0)
				return got < 0 ? -errno : 0;
			/* What was read of it counts, but it is not all. */
			atomic_fetch_add(&desk->job->unreadable, 1);
			return 0;
		}
		for (long at = 0; r == 0 && at < got;) {
			const struct dirent64_raw *e = (const void *)(desk->read + at);

			at += e->len;
			if (streq(e->name, ".") || streq(e->name, ".."))
				continue;
			if (streq(e->name, ".git")) {
				*ret_git = e->type != DT_LNK;
				continue;
			}
			*ret_ignore |= streq(e->name, ".gitignore");
			r = append_entry(desk, e->type, e->name);
			n++;
		}
		if (r < 0)
			return r;
		if (walk_count(desk->job, n - before)) {
			*ret_n = n;
			return 0;
		}
		before = n;
	}
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static bool
kind_of(int fd, const struct entry *entry, enum walk_kind *ret_kind)
{
	unsigned char type = entry->type;
	struct stat st;

	if (type == DT_UNKNOWN &&
		fstatat(fd, entry->name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0)
		type = IFTODT(st.st_mode);
	*ret_kind = type == DT_REG ? WALK_FILE : type == DT_LNK ? WALK_LINK : WALK_DIR;
	return type == DT_REG || type == DT_LNK || type == DT_DIR;
}

/* Puts name behind dir's path, both from the top. The whole length; 0: too long. */
static size_t
append_to_path(struct walk_desk *desk, size_t dir_len, const char *name)
{
	size_t n = strlen(name);

	if (dir_len + n >= sizeof(desk->path))
		return 0;
	memcpy(desk->path + dir_len, name, n + 1);
	return dir_len + n;
}

static int
add_dir(struct walk_job *job, struct walk_dir *dir, dev_t dev, const char *path)
{
	struct walk_dir *child = calloc(1, sizeof(*child));

	if (child)
		child->path = strdup(path);
	if (!child || !child->path) {
		walk_dir_destroy(child);
		return -ENOMEM;
	}
	child->depth = dir->depth + 1;
	child->dev = dev;
	child->rules = dir->rules;
	dir->dirs[dir->n_dirs++] = child;
	atomic_fetch_add(&job->n_dirs, 1);
	if (child->depth > (job->options->depth ? job->options->depth : WALK_DEPTH_MAX)) {
		atomic_store(&job->cut, true);
		child->depth = 0; /* not to be read */
	}
	return 0;
}

static void
add_name(struct walk_job *job, struct walk_dir *dir, int fd, const char *name)
{
	struct walk_name *at = &dir->names[dir->n_names++];
	struct stat st;

	at->name = name;
	if (job->options->times &&
		fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0)
		at->time = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* A name for which the steps did not suffice is left out: the walk ends with it. */
static bool
is_hidden(struct walk_desk *desk, const struct walk_dir *dir, size_t len, bool is_dir)
{
	size_t left = WALK_NAME_STEPS_MAX;
	bool hidden = walk_rules_hide(dir->rules, desk->path, len, is_dir, &left);

	desk->steps += WALK_NAME_STEPS_MAX - left;
	if (left == 0)
		atomic_store(&desk->job->costly, true);
	return hidden || left == 0;
}

static int
add_wanted_entry(struct walk_desk *desk, struct walk_dir *dir, int fd, dev_t dev, size_t dir_len,
	const struct entry *entry)
{
	const struct walk_options *o = desk->job->options;
	size_t len = append_to_path(desk, dir_len, entry->name);
	const char *path = desk->path + desk->job->above_len;
	enum walk_kind kind;

	if (len == 0)
		atomic_store(&desk->job->cut, true);
	if (len == 0 || !kind_of(fd, entry, &kind))
		return 0;
	if (kind != WALK_DIR && !(o->kinds & (1u << kind)))
		return 0;
	if (!o->all && is_hidden(desk, dir, len, kind == WALK_DIR))
		return 0;
	if ((o->kinds & (1u << kind)) && o->want(o->data, path, kind))
		add_name(desk->job, dir, fd, entry->name);
	if (kind == WALK_DIR && (!o->enter || o->enter(o->data, path)))
		return add_dir(desk->job, dir, dev, path);
	return 0;
}

/* Between two names: whether to go no further, which is asked now and then. */
static bool
is_enough(struct walk_desk *desk)
{
	struct walk_job *job = desk->job;
	size_t max = job->options->steps ? job->options->steps : WALK_STEPS_MAX;

	desk->steps += NAME_STEPS;
	if (desk->steps < LOOK_STEPS)
		return false;
	if (atomic_fetch_add(&job->steps, desk->steps) + desk->steps > max)
		atomic_store(&job->costly, true);
	desk->steps = 0;
	return walk_stopped(job);
}

/* The entries, sorted; they point into dir->text. */
static struct entry *
sort_entries(struct walk_desk *desk, struct walk_dir *dir, size_t n)
{
	struct entry *entries = malloc(n * sizeof(*entries));

	dir->text = malloc(desk->len);
	dir->names = malloc(n * sizeof(*dir->names));
	dir->dirs = malloc(n * sizeof(struct walk_dir *));
	if (!entries || !dir->text || !dir->names || !dir->dirs) {
		free(entries);
		return NULL;
	}
	memcpy(dir->text, desk->text, desk->len);
	for (size_t i = 0, at = 0; i < n; i++) {
		entries[i].type = (unsigned char)dir->text[at];
		entries[i].name = dir->text + at + 1;
		at += strlen(entries[i].name) + 2;
	}
	qsort(entries, n, sizeof(*entries), by_name);
	return entries;
}

/* What is not wanted takes no memory for as long as the walk lives. */
static void
free_unused_lists(struct walk_dir *dir)
{
	if (dir->n_names == 0) {
		free(dir->text);
		free(dir->names);
		dir->text = NULL;
		dir->names = NULL;
	}
	if (dir->n_dirs == 0) {
		free(dir->dirs);
		dir->dirs = NULL;
	}
}

int
walk_read_dir(struct walk_desk *desk, struct walk_dir *dir)
{
	struct walk_job *job = desk->job;
	auto_close int fd =
		walk_open(job->options->root, dir->path[0] ? dir->path : ".", O_DIRECTORY);
	size_t n = 0, len = job->above_len;
	auto_free struct entry *entries = NULL;
	bool git, ignore;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0) {
		atomic_fetch_add(&job->unreadable, 1);
		return 0;
	}
	if (dir->depth > 1 && st.st_dev != dir->dev && is_made_up(fd))
		return 0;
	r = read_entries(desk, fd, &n, &git, &ignore);
	if (r < 0 || n == 0) {
		if (r < 0 && r != -ENOMEM)
			atomic_fetch_add(&job->unreadable, 1);
		return r == -ENOMEM ? r : 0;
	}
	memcpy(desk->path, job->above, len);
	if (dir->path[0])
		len += (size_t)snprintf(
			desk->path + len, sizeof(desk->path) - len, "%s/", dir->path);
	if (!job->options->all && (git || ignore))
		r = walk_rules_at(fd, git, ignore, len, dir->rules, &desk->made, &dir->rules);
	entries = r == 0 ? sort_entries(desk, dir, n) : NULL;
	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < n && !is_enough(desk); i++)
		r = add_wanted_entry(desk, dir, fd, st.st_dev, len, &entries[i]);
	free_unused_lists(dir);
	return r;
}

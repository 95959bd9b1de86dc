/* SPDX-License-Identifier: Apache-2.0 */
/* What is guarded by its name, lies deeper than the floor could know, and came
 * or changed while a command ran: looked for when the command is gone. An honest
 * program was asked; one that raced the gate is found here. In git directories the
 * floor lets no link in, and the gate no guard: they are looked at first all the same,
 * for symlinks and for programs that git runs in a module. Bounded. Findings are told,
 * nothing is taken away. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"

#define DIRS_MAX 4096
#define ENTRIES_MAX 65536
#define FOUND_MAX 64
#define CLOSED_MAX 16 /* directories that are named; more are no more of a reason to look */

struct todo {
	char *path;
	bool open; /* the tree could write there natively */
};

struct after {
	struct ambit_engine *engine;
	struct decide_input in;
	int64_t since; /* nanoseconds */
	int (*each)(void *data, const char *path, bool seen);
	void *data;
	struct todo *todo;
	size_t next, n, n_git; /* the first n_git are git directories */
	size_t entries, found, closed;
	bool unseen; /* something could not be looked at */
};

static int
add_todo(struct after *a, char *path, bool open)
{
	struct todo *todo = a->n < DIRS_MAX ? realloc(a->todo, (a->n + 1) * sizeof(*todo)) : NULL;

	if (!todo) {
		free(path);
		a->unseen = true;
		return a->n < DIRS_MAX ? -ENOMEM : 0;
	}
	a->todo = todo;
	todo[a->n++] = (struct todo){ path, open };
	return 0;
}

/* One of git's own files that can be judged by its text, and is plain. */
static bool
is_plain_git(const struct after *a, int dirfd, const char *name, const char *path)
{
	auto_close int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_free char *text = NULL;
	size_t len;

	return fd >= 0 && engine_git_read(a->engine, path, fd, -1, &text, &len, NULL) == 0;
}

static bool
is_older(const struct after *a, const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec < a->since;
}

/* A guard that nobody said yes to. */
static bool
is_planted(struct after *a, int dirfd, const char *name, const char *path, const struct stat *st)
{
	struct path_facts at = { .real = (char *)path,
		.written = (char *)path,
		.exists = true,
		.mode = st->st_mode,
		.dev = st->st_dev,
		.ino = st->st_ino,
		.nlink = st->st_nlink };
	struct ambit_outcome_path out = { 0 };
	const struct guard *guard = NULL;
	bool hard;

	if (is_older(a, st))
		return false;
	paths_decide_one(&a->in, &at, AMBIT_ACCESS_WRITE, &out, &hard, &guard);
	/* Beneath a name that is ambit's own it is what it is by its own. */
	if (out.code == AMBIT_CODE_PROTECTED)
		guard = guards_match(a->in.guards, &at, AMBIT_ACCESS_WRITE);
	if (!guard || memory_allows(&a->in, &out, path))
		return false;
	return !is_plain_git(a, dirfd, name, path);
}

/* -- git directories ----------------------------------------------------------------- */

static bool
lies_in_modules(const char *path)
{
	for (const char *at = path; (at = strchr(at, '/')); at++)
		if (str_fold_equal(at, "/modules/", 9))
			return true;
	return false;
}

/* The directories of loose objects are many, and nothing is written through what lies in
 * one. */
static bool
holds_objects(const char *dir, const char *name)
{
	const char *slash = strrchr(dir, '/');

	return slash && streq(slash, "/objects") && strlen(name) == 2;
}

/* As every door asks about it: guards_match_link. A link that cannot be read may lead anywhere. */
static bool
is_link_planted(
	const struct after *a, int dirfd, const char *name, const char *path, const struct stat *st)
{
	struct ambit_outcome_path out = {
		.access = AMBIT_ACCESS_WRITE,
		.code = AMBIT_CODE_GUARDED,
		.verdict = AMBIT_ASK,
	};
	char text[PATH_MAX] = "/";
	ssize_t n;

	if (!S_ISLNK(st->st_mode) || is_older(a, st) || memory_allows(&a->in, &out, path))
		return false;
	n = readlinkat(dirfd, name, text, sizeof(text) - 1);
	text[n > 0 ? n : 1] = '\0';
	return guards_match_link(a->in.guards, path, text) != NULL;
}

/* Its own list, and not what the walk through the folder finds: that may be cut short. */
static int
add_git_dir(struct after *a, const char *dir, const char *name)
{
	char *path = *name ? str_printf("%s/%s", streq(dir, "/") ? "" : dir, name) : strdup(dir);
	struct stat st;
	int r = path ? 0 : -ENOMEM;

	if (path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		r = add_todo(a, steal_ptr(&path), false);
	free(path);
	a->n_git = a->n;
	return r;
}

static int
add_git_dirs(struct after *a)
{
	char *const *dir;
	int r = add_git_dir(a, a->engine->scope->root.real, ".git");

	for (dir = guards_repositories(a->in.guards); r == 0 && dir && *dir; dir++)
		r = add_git_dir(a, *dir, ".git");
	for (dir = guards_gitdirs(a->in.guards); r == 0 && dir && *dir; dir++)
		r = add_git_dir(a, *dir, "");
	return r;
}

static bool
is_listed(const struct after *a, const char *path)
{
	for (size_t i = 0; i < a->n_git; i++)
		if (streq(a->todo[i].path, path))
			return true;
	return false;
}

/* -- the walk -------------------------------------------------------------------------- */

/* A directory whose mode keeps its owner out as well, and with it the look: to change
 * the mode would be to change what is the person's. It is named; but for one whose mode
 * and entries are as they were when the command began, which is no news. */
static int
tell_closed(struct after *a, const char *dir)
{
	struct stat st;

	if (lstat(dir, &st) == 0 && is_older(a, &st))
		return 0;
	a->unseen = true;
	return a->closed++ < CLOSED_MAX ? a->each(a->data, dir, false) : 0;
}

struct dir {
	int fd;
	const char *path;
	bool open; /* the tree could write there natively */
	bool git;
	bool closed; /* it can be listed, and no more */
};

static bool
is_news(struct after *a, const struct dir *dir, const char *name, const char *path,
	const struct stat *st)
{
	if (dir->git && is_link_planted(a, dir->fd, name, path, st))
		return true;
	return (dir->open || (dir->git && lies_in_modules(path))) &&
	       is_planted(a, dir->fd, name, path, st);
}

static int
scan_dir_entry(struct after *a, struct dir *dir, const char *name)
{
	auto_free char *path = str_printf("%s/%s", streq(dir->path, "/") ? "" : dir->path, name);
	struct stat st;

	if (!path)
		return -ENOMEM;
	if (fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		dir->closed = dir->closed || errno == EACCES;
		return 0;
	}
	if (S_ISDIR(st.st_mode)) {
		bool open = dir->open || engine_may_open_dir(a->engine, path);

		if (is_listed(a, path) || (dir->git && holds_objects(dir->path, name)))
			return 0;
		return add_todo(a, steal_ptr(&path), open);
	}
	if (!is_news(a, dir, name, path, &st))
		return 0;
	a->found++;
	return a->each(a->data, path, true);
}

static int
scan_todo_dir(struct after *a, const struct todo *todo)
{
	auto_close int fd = open(todo->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	int why = list ? 0 : errno;
	auto_free char *path = strdup(todo->path);
	struct dir dir = {
		.path = path,
		.open = todo->open,
		.git = path && guards_in_git(a->in.guards, path),
		.closed = !list && why != ENOENT,
	};
	struct dirent *e;
	int r = 0;

	if (list)
		dir.fd = steal_fd(&fd);
	while (list && path && r == 0 && a->entries < ENTRIES_MAX && a->found < FOUND_MAX &&
		(e = readdir(list))) {
		a->entries++;
		if (!streq(e->d_name, ".") && !streq(e->d_name, ".."))
			r = scan_dir_entry(a, &dir, e->d_name);
	}
	if (list)
		closedir(list);
	return r == 0 && dir.closed && path ? tell_closed(a, path) : r;
}

int
engine_planted(struct ambit_engine *engine, int64_t since,
	int (*each)(void *data, const char *path, bool seen), void *data)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct after a = { .engine = engine, .since = since * 1000000, .each = each, .data = data };
	char *root = strdup(engine->scope->root.real);
	int r;

	engine_look(engine, &request, &a.in);
	r = add_git_dirs(&a);
	if (r == 0)
		r = root ? add_todo(&a, steal_ptr(&root), false) : -ENOMEM;
	free(root);
	while (r == 0 && a.next < a.n && a.found < FOUND_MAX && a.entries < ENTRIES_MAX)
		r = scan_todo_dir(&a, &a.todo[a.next++]);
	if (a.next < a.n || a.entries >= ENTRIES_MAX)
		a.unseen = true;
	for (size_t i = 0; i < a.n; i++)
		free(a.todo[i].path);
	free(a.todo);
	return r < 0 ? r : a.unseen;
}

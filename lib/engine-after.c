/* SPDX-License-Identifier: Apache-2.0 */
/* What is guarded by its name, lies deeper than the floor could know, and came
 * or changed while a command ran: looked for when the command is gone. An honest
 * program was asked; one that raced the gate is found here. Bounded. What is
 * found is told, nothing is taken away. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine.h"

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
	size_t next, n;
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

	return fd >= 0 &&
		ambit_engine_git_read(a->engine, path, fd, -1, &text, &len, NULL) == 0;
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
	struct resolved at = { .real = (char *)path, .written = (char *)path, .exists = true,
		.mode = st->st_mode, .dev = st->st_dev, .ino = st->st_ino, .nlink = st->st_nlink };
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

static int
look_at(struct after *a, int dirfd, const char *dir, bool open, const char *name, bool *closed)
{
	auto_free char *path = str_printf("%s/%s", streq(dir, "/") ? "" : dir, name);
	struct stat st;

	if (!path)
		return -ENOMEM;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		*closed = *closed || errno == EACCES; /* it can be listed, and no more */
		return 0;
	}
	if (S_ISDIR(st.st_mode)) {
		open = open || ambit_engine_opens(a->engine, path);
		return add_todo(a, steal_ptr(&path), open);
	}
	if (!open || !is_planted(a, dirfd, name, path, &st))
		return 0;
	a->found++;
	return a->each(a->data, path, true);
}

static int
look_in(struct after *a, const struct todo *todo)
{
	auto_close int fd = open(todo->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	bool open = todo->open, closed = !list && errno != ENOENT;
	auto_free char *dir = strdup(todo->path);
	struct dirent *e;
	int r = 0;

	if (list)
		steal_fd(&fd);
	while (list && dir && r == 0 && a->entries < ENTRIES_MAX && a->found < FOUND_MAX &&
		(e = readdir(list))) {
		a->entries++;
		if (!streq(e->d_name, ".") && !streq(e->d_name, ".."))
			r = look_at(a, dirfd(list), dir, open, e->d_name, &closed);
	}
	if (list)
		closedir(list);
	return r == 0 && closed && dir ? tell_closed(a, dir) : r;
}

int
ambit_engine_planted(struct ambit_engine *engine, int64_t since,
	int (*each)(void *data, const char *path, bool seen), void *data)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct after a = { .engine = engine, .since = since * 1000000, .each = each, .data = data };
	char *root = strdup(engine->scope->root.real);
	int r = root ? add_todo(&a, root, false) : -ENOMEM;

	engine_look(engine, &request, &a.in);
	while (r == 0 && a.next < a.n && a.found < FOUND_MAX && a.entries < ENTRIES_MAX)
		r = look_in(&a, &a.todo[a.next++]);
	if (a.next < a.n || a.entries >= ENTRIES_MAX)
		a.unseen = true;
	for (size_t i = 0; i < a.n; i++)
		free(a.todo[i].path);
	free(a.todo);
	return r < 0 ? r : a.unseen;
}

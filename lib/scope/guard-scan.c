/* SPDX-License-Identifier: Apache-2.0 */
/* Looks which guards exist when a session starts: at the top of the folder
 * for floating patterns, in the home and at the root for anchored ones. A
 * name tells nothing about a hard link to a hook, about an .envrc that is a
 * symlink to another file, or about the directory that core.hooksPath names:
 * those are found here. A guard that appears later was asked about when it
 * was made. Bounded, and what cannot be read is passed over: the names stay
 * guarded. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/glob.h"
#include "base/str.h"
#include "scope/gitfile.h"
#include "scope/guard-private.h"

#define DEPTH_MAX 4
#define LOOK_DEPTH_MAX 64
#define GIT_CONFIG_MAX (1u << 20)

struct scan {
	struct guards *guards;
	const struct guard_compiled *row;
	int left; /* entries still to look at */
	int r;
};

static int
add_place(struct guard_place **list, size_t *n, const char *real, const struct guard *guard)
{
	struct guard_place *more = realloc(*list, (*n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	*list = more;
	more[*n].guard = guard;
	more[*n].real = strdup(real);
	if (!more[*n].real)
		return -ENOMEM;
	++*n;
	return 0;
}

static int
add_inode(struct guards *guards, const struct stat *st, const struct guard *guard)
{
	struct guard_inode *more =
		realloc(guards->inodes, (guards->n_inodes + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	guards->inodes = more;
	more[guards->n_inodes++] =
		(struct guard_inode){ .dev = st->st_dev, .ino = st->st_ino, .guard = guard };
	return 0;
}

/* What a symlink leads to is guarded like the link, also if it is not there
 * yet: writing it fills the guard. */
static void
note_target(struct scan *s, int dirfd, const char *name)
{
	auto_free char *dir = NULL;
	struct resolved target;

	if (resolve_fd(dirfd, &dir, NULL) < 0 ||
		resolve_path(dirfd, dir, name, strlen(name), true, &target, NULL) < 0)
		return;
	s->r = add_place(&s->guards->aliases, &s->guards->n_aliases, target.real, s->row->guard);
	if (s->r == 0)
		s->r = add_place(&s->guards->places, &s->guards->n_places, target.real,
			s->row->guard);
	resolved_finish(&target);
}

/* A guard, or something in a guarded directory, at dirfd/name. */
static void
note(struct scan *s, int dirfd, const char *name)
{
	struct stat st;

	if (s->r < 0 || fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (s->row->guard->except &&
		glob_match(s->row->guard->except, strlen(s->row->guard->except), name,
			strlen(name), false))
		return;
	if (S_ISLNK(st.st_mode))
		note_target(s, dirfd, name);
	else if (S_ISREG(st.st_mode) && st.st_nlink > 1)
		s->r = add_inode(s->guards, &st, s->row->guard);
}

static void
note_place(struct scan *s, int dirfd, const char *name)
{
	auto_close int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	auto_free char *real = NULL;

	if (fd < 0 || s->r < 0 || resolve_fd(fd, &real, NULL) < 0)
		return;
	s->r = add_place(&s->guards->places, &s->guards->n_places, real, s->row->guard);
}

/* The entries of an O_PATH directory, or NULL. */
static DIR *
open_list(int dirfd)
{
	auto_close int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir)
		steal_fd(&fd);
	return dir;
}

static void expand(struct scan *s, int dirfd, size_t j, int depth);

/* Everything beneath a guarded directory. */
static void
beneath(struct scan *s, int dirfd, int depth)
{
	DIR *dir = open_list(dirfd);
	struct dirent *e;

	if (!dir)
		return;
	while (s->r == 0 && s->left > 0 && (e = readdir(dir))) {
		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		s->left--;
		note(s, dirfd, e->d_name);
		if (depth < DEPTH_MAX && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)) {
			auto_close int sub = openat(dirfd, e->d_name,
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub >= 0)
				beneath(s, sub, depth + 1);
		}
	}
	closedir(dir);
}

/* dirfd/name meets part j of the pattern. */
static void
enter(struct scan *s, int dirfd, const char *name, size_t j, int depth)
{
	const struct guard_compiled *c = s->row;
	bool tail = j + 2 == c->n_parts && c->parts[j + 1].any;

	s->left--;
	if (j + 1 == c->n_parts || tail) {
		note_place(s, dirfd, name);
		note(s, dirfd, name);
	}
	if (j + 1 == c->n_parts)
		return;
	auto_close int sub = openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (sub < 0)
		return;
	if (tail)
		beneath(s, sub, 0);
	else
		expand(s, sub, j + 1, depth + 1);
}

/* The parts from j on, in the directory dirfd. */
static void
expand(struct scan *s, int dirfd, size_t j, int depth)
{
	const struct guard_part *part = &s->row->parts[j];
	char name[NAME_MAX + 1];

	if (depth > DEPTH_MAX + GUARD_PARTS_MAX || s->left <= 0 || s->r < 0)
		return;
	if (part->any && j + 1 < s->row->n_parts)
		expand(s, dirfd, j + 1, depth + 1); /* no component at all */
	if (!part->glob) {
		memcpy(name, part->text, part->len);
		name[part->len] = '\0';
		if (faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			enter(s, dirfd, name, j, depth);
		return;
	}
	DIR *dir = open_list(dirfd);
	struct dirent *e;

	if (!dir)
		return;
	while (s->r == 0 && s->left > 0 && (e = readdir(dir))) {
		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		s->left--;
		if (part->any && depth < DEPTH_MAX) {
			auto_close int sub = openat(dirfd, e->d_name,
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub >= 0)
				expand(s, sub, j, depth + 1);
		} else if (!part->any &&
			glob_match(part->text, part->len, e->d_name, strlen(e->d_name), true)) {
			enter(s, dirfd, e->d_name, j, depth);
		}
	}
	closedir(dir);
}

static const struct guard hooks_path_guard = {
	.pattern = "core.hooksPath",
	.text = "git runs it as a hook (core.hooksPath)",
};

static const struct guard gitdir_guard = {
	.pattern = "gitdir",
	.text = "git runs programs it names",
};

static const struct guard record_guard = {
	.pattern = "ambit's record",
	.reads = true,
	.text = "it holds what was decided and why",
};

/* A directory or file that is a guard although its name does not say so. */
static int
add_alias(struct guards *guards, const struct ambit_scope *scope, const char *path,
	const struct guard *guard)
{
	struct resolved resolved;
	int r;

	if (resolve_path(scope->root.fd, scope->root.real, path, strlen(path), true, &resolved,
		    NULL) < 0)
		return 0;
	r = add_place(&guards->aliases, &guards->n_aliases, resolved.real, guard);
	if (r == 0)
		r = add_place(&guards->places, &guards->n_places, resolved.real, guard);
	resolved_finish(&resolved);
	return r;
}

/* core.hooksPath of one config file, relative to the folder. */
static int
scan_config(struct guards *guards, const struct ambit_scope *scope, int dirfd, const char *file)
{
	auto_free char *text = NULL, *path = NULL, *full = NULL;
	size_t len;

	if (fd_read_file(dirfd, file, GIT_CONFIG_MAX, &text, &len) < 0)
		return 0;
	path = gitfile_hooks_path(text);
	if (!path || !*path)
		return 0;
	full = str_prefix(path, "~/") && scope->home ? str_printf("%s/%s", scope->home, path + 2)
						      : strdup(path);
	return full ? add_alias(guards, scope, full, &hooks_path_guard) : -ENOMEM;
}

/* The configs of a git directory. */
static int
scan_configs(struct guards *guards, const struct ambit_scope *scope, const char *dir)
{
	auto_free char *config = str_printf("%s/config", dir);
	auto_free char *worktree = str_printf("%s/config.worktree", dir);
	int r = config && worktree ? scan_config(guards, scope, scope->root.fd, config) : -ENOMEM;

	return r < 0 ? r : scan_config(guards, scope, scope->root.fd, worktree);
}

/* The parts of a git directory that run programs, wherever it lies. */
static int
scan_gitdir(struct guards *guards, const struct ambit_scope *scope, const char *dir)
{
	static const char *const parts[] = { "hooks", "config", "config.worktree", "commondir" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		auto_free char *path = str_printf("%s/%s", dir, parts[i]);

		r = path ? add_alias(guards, scope, path, &gitdir_guard) : -ENOMEM;
	}
	return r;
}

/* .git may be a file that names the directory, which may name another. */
static int
scan_git(struct guards *guards, const struct ambit_scope *scope, int home)
{
	auto_free char *text = NULL, *dir = NULL, *common = NULL, *name = NULL;
	size_t len;
	int r = 0;

	if (home >= 0)
		r = scan_config(guards, scope, home, ".gitconfig");
	if (r == 0 && home >= 0)
		r = scan_config(guards, scope, home, ".config/git/config");
	if (r < 0)
		return r;
	if (fd_read_file(scope->root.fd, ".git", PATH_MAX, &text, &len) == 0)
		dir = gitfile_line(text, "gitdir:");
	else
		dir = strdup(".git");
	if (!dir)
		return 0;
	name = str_printf("%s/commondir", dir);
	if (!name)
		return -ENOMEM;
	free(text);
	text = NULL;
	if (fd_read_file(scope->root.fd, name, PATH_MAX, &text, &len) == 0)
		common = gitfile_line(text, "");
	/* Of a plain .git the rows of the table speak, and know its samples. */
	if (!streq(dir, ".git"))
		r = scan_gitdir(guards, scope, dir);
	if (r == 0)
		r = scan_configs(guards, scope, dir);
	if (r == 0 && common) {
		auto_free char *path =
			common[0] == '/' ? strdup(common) : str_printf("%s/%s", dir, common);

		r = path ? scan_gitdir(guards, scope, path) : -ENOMEM;
		if (r == 0)
			r = scan_configs(guards, scope, path);
	}
	return r;
}

int
guards_scan(struct guards *guards, const struct ambit_scope *scope, struct ambit_error *err)
{
	auto_close int home = guards->home
		? open(guards->home, O_PATH | O_DIRECTORY | O_CLOEXEC)
		: -1;
	auto_close int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct scan s = { .guards = guards };

	for (size_t i = 0; s.r == 0 && i < guards->n_rows; i++) {
		s.row = &guards->rows[i];
		/* Each row has its own budget: a crowded directory of one must not
		 * leave the others unseen. */
		s.left = GUARD_FOUND_MAX;
		if (s.row->anchor == ANCHOR_ROOT && top >= 0)
			expand(&s, top, 0, 0);
		if (s.row->anchor == ANCHOR_NONE)
			expand(&s, scope->root.fd, 0, 0);
		/* "~/.bashrc" may be a link into the folder. */
		if (s.row->anchor != ANCHOR_ROOT && home >= 0)
			expand(&s, home, 0, 0);
	}
	if (s.r == 0)
		s.r = scan_git(guards, scope, home);
	/* Reading the record is a hard no; reading a tree that holds it is asked. */
	if (s.r == 0 && scope->state)
		s.r = add_place(&guards->places, &guards->n_places, scope->state, &record_guard);
	return s.r < 0 ? err_nomem(err) : 0;
}

/* -- what a tree brings along ------------------------------------------------ */

static const struct guard own_guard = {
	.pattern = "ambit's own",
	.text = "ambit's settings or record would be among what it brings",
};

static const struct guard link_guard = {
	.pattern = "a symlink in the way",
	.text = "it may lead outside",
};

struct look {
	const struct guards *guards;
	const struct ambit_scope *scope;
	enum ambit_access access;
	bool moved; /* the tree will stand elsewhere */
	int left;
	char path[PATH_MAX]; /* where the entry will stand */
};

static const struct guard *
look_at(struct look *l)
{
	struct resolved there = { .real = l->path, .written = l->path };
	const struct guard *found;
	struct stat st = { 0 };

	/* What stands there already is written through, if it is a link. */
	if (l->moved && lstat(l->path, &st) == 0) {
		there.exists = true;
		there.dev = st.st_dev;
		there.ino = st.st_ino;
	}
	if (scope_protects(l->scope, &there, l->access))
		return &own_guard;
	if (S_ISLNK(st.st_mode))
		return &link_guard;
	found = guards_match_name(l->guards, l->path, l->access);
	/* Removing a hook runs nothing later; removing a repository loses it. */
	if (found && !l->moved && !streq(found->pattern, ".git"))
		found = NULL;
	return found ? found : l->moved ? guards_match_other(l->guards, &there, l->access) : NULL;
}

static const struct guard *
look_through(struct look *l, int dirfd, size_t len, int depth)
{
	const struct guard *found = NULL;
	DIR *dir = depth > LOOK_DEPTH_MAX ? NULL : open_list(dirfd);
	struct dirent *e;

	while (dir && !found && l->left > 0 && (e = readdir(dir))) {
		int n = streq(e->d_name, ".") || streq(e->d_name, "..")
			? 0
			: snprintf(l->path + len, sizeof(l->path) - len, "/%s", e->d_name);

		if (n == 0 || (size_t)n >= sizeof(l->path) - len)
			continue;
		l->left--;
		found = look_at(l);
		if (!found && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)) {
			auto_close int sub = openat(dirfd, e->d_name,
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub >= 0)
				found = look_through(l, sub, len + (size_t)n, depth + 1);
		}
	}
	if (dir)
		closedir(dir);
	l->path[len] = '\0';
	return found;
}

const struct guard *
guards_look(const struct guards *guards, const struct ambit_scope *scope, const char *from,
	const char *to, enum ambit_access access)
{
	struct look l = {
		.guards = guards,
		.scope = scope,
		.access = access,
		.moved = !streq(from, to),
		.left = GUARD_FOUND_MAX,
	};
	auto_close int fd = open(from, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int n = snprintf(l.path, sizeof(l.path), "%s", streq(to, "/") ? "" : to);

	if (fd < 0 || n < 0 || (size_t)n >= sizeof(l.path))
		return NULL;
	return look_through(&l, fd, (size_t)n, 0);
}

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
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/glob.h"
#include "base/str.h"
#include "scope/guard-private.h"

#define DEPTH_MAX 4
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

/* A guard, or something in a guarded directory, at dirfd/name. */
static void
note(struct scan *s, int dirfd, const char *name)
{
	struct stat link, st;

	if (fstatat(dirfd, name, &link, AT_SYMLINK_NOFOLLOW) < 0 ||
		fstatat(dirfd, name, &st, 0) < 0 || s->r < 0)
		return;
	if (s->row->guard->except &&
		glob_match(s->row->guard->except, strlen(s->row->guard->except), name,
			strlen(name), false))
		return;
	if (S_ISREG(st.st_mode) && (S_ISLNK(link.st_mode) || st.st_nlink > 1))
		s->r = add_inode(s->guards, &st, s->row->guard);
	if (S_ISDIR(st.st_mode) && S_ISLNK(link.st_mode)) {
		auto_close int fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		auto_free char *real = NULL;

		if (fd >= 0 && resolve_fd(fd, &real, NULL) == 0)
			s->r = add_place(&s->guards->aliases, &s->guards->n_aliases, real,
				s->row->guard);
	}
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

/* The value of core.hooksPath in a git config, or NULL. Only this key is
 * looked for, so that git's grammar need not be known beyond sections, keys
 * and quotes; a wrong guess guards a directory too many. */
static char *
hooks_path(const char *text)
{
	bool core = false;
	char *found = NULL;

	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *p = line + strspn(line, " \t\r");

		if (*p == '[') {
			core = str_fold_equal(p, "[core]", 6);
			p = core ? p + 6 + strspn(p + 6, " \t") : p;
		}
		if (core && str_fold_equal(p, "hookspath", 9)) {
			p += 9;
			p += strspn(p, " \t");
			if (*p == '=') {
				p++;
				p += strspn(p, " \t\"");
				free(found);
				found = strndup(p, strcspn(p, "\"\r\n#;"));
				for (size_t n = found ? strlen(found) : 0;
					n > 0 && (found[n - 1] == ' ' || found[n - 1] == '\t'); n--)
					found[n - 1] = '\0';
			}
		}
		line += len + (line[len] == '\n');
	}
	return found;
}

static const struct guard hooks_path_guard = {
	.pattern = "core.hooksPath",
	.text = "git runs it as a hook (core.hooksPath)",
};

static const struct guard record_guard = {
	.pattern = "ambit's record",
	.reads = true,
	.text = "it holds what was decided and why",
};

static int
scan_hooks_path(struct guards *guards, const struct ambit_scope *scope)
{
	auto_free char *text = NULL, *path = NULL, *full = NULL;
	struct resolved resolved;
	size_t len;
	int r;

	if (fd_read_file(scope->root.fd, ".git/config", GIT_CONFIG_MAX, &text, &len) < 0)
		return 0;
	path = hooks_path(text);
	if (!path || !*path)
		return 0;
	if (str_prefix(path, "~/") && scope->home)
		full = str_printf("%s/%s", scope->home, path + 2);
	else
		full = strdup(path);
	if (!full)
		return -ENOMEM;
	if (resolve_path(scope->root.fd, scope->root.real, full, strlen(full), true, &resolved,
		    NULL) < 0)
		return 0;
	r = add_place(&guards->aliases, &guards->n_aliases, resolved.real, &hooks_path_guard);
	if (r == 0)
		r = add_place(&guards->places, &guards->n_places, resolved.real,
			&hooks_path_guard);
	resolved_finish(&resolved);
	return r;
}

int
guards_scan(struct guards *guards, const struct ambit_scope *scope, struct ambit_error *err)
{
	auto_close int home = guards->home
		? open(guards->home, O_PATH | O_DIRECTORY | O_CLOEXEC)
		: -1;
	auto_close int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct scan s = { .guards = guards, .left = GUARD_FOUND_MAX };

	for (size_t i = 0; s.r == 0 && i < guards->n_rows; i++) {
		int start = scope->root.fd;

		s.row = &guards->rows[i];
		if (s.row->anchor == ANCHOR_HOME)
			start = home;
		if (s.row->anchor == ANCHOR_ROOT)
			start = top;
		if (start >= 0)
			expand(&s, start, 0, 0);
	}
	if (s.r == 0)
		s.r = scan_hooks_path(guards, scope);
	/* Reading the record is a hard no; reading a tree that holds it is asked. */
	if (s.r == 0 && scope->state)
		s.r = add_place(&guards->places, &guards->n_places, scope->state, &record_guard);
	return s.r < 0 ? err_nomem(err) : 0;
}

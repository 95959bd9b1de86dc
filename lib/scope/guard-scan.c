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

#include "base/buf.h"
#include "base/fd.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/str.h"
#include "scope/gitconfig.h"
#include "scope/gitfile.h"
#include "scope/guard-private.h"

#define DEPTH_MAX 4
#define LOOK_DEPTH_MAX 64
#define GIT_CONFIG_MAX (1u << 20)
#define NAMES_MAX GUARD_FOUND_MAX
#define INCLUDES_MAX 10 /* of one another, as in git */

/* What lies at the top of a directory, so that not every row has to ask: each
 * name with a NUL before and behind it, and a bit for its hash: most rows end there. */
struct names {
	struct buf text;
	uint64_t hashes[64];
	bool whole; /* else ask */
};

static uint64_t *
find_hash(struct names *names, const char *name, size_t len, uint64_t *ret_bit)
{
	uint64_t hash = hash_fnv(HASH_FNV_START, name, len);

	*ret_bit = (uint64_t)1 << (hash % 64);
	return &names->hashes[hash / 64 % 64];
}

struct scan {
	struct guards *guards;
	struct names *names; /* of the directory where the row begins */
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
	more[*n].len = strlen(real);
	++*n;
	return 0;
}

int
guards_add_name(struct guards *guards, const char *real, const struct guard *guard)
{
	return add_place(&guards->aliases, &guards->n_aliases, real, guard);
}

int
guards_add_alias(struct guards *guards, const char *real, const struct guard *guard)
{
	int r = guards_add_name(guards, real, guard);

	return r < 0 ? r : guards_add_place(guards, real, guard);
}

int
guards_add_place(struct guards *guards, const char *real, const struct guard *guard)
{
	return add_place(&guards->places, &guards->n_places, real, guard);
}

int
guards_add_inode(struct guards *guards, const struct stat *st, const struct guard *guard)
{
	struct guard_inode *more = realloc(guards->inodes, (guards->n_inodes + 1) * sizeof(*more));

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
	struct path_facts target = { 0 };

	if (resolve_fd(dirfd, &dir, NULL) < 0)
		return;
	if (resolve_path(dirfd, dir, name, strlen(name), true, &target, NULL) == 0)
		s->r = guards_add_alias(s->guards, target.real, s->row->guard);
	if (s->r == 0)
		s->r = guards_add_links(s->guards, dir, name, s->row->guard);
	resolved_finish(&target);
}

/* A guard, or something in a guarded directory, at dirfd/name. */
static void
note_guard_links(struct scan *s, int dirfd, const char *name)
{
	struct stat st;

	if (s->r < 0 || fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (s->row->guard->except &&
		glob_match(s->row->guard->except, strlen(s->row->guard->except), name, strlen(name),
			false))
		return;
	if (S_ISLNK(st.st_mode))
		note_target(s, dirfd, name);
	else if (S_ISREG(st.st_mode) && st.st_nlink > 1)
		s->r = guards_add_inode(s->guards, &st, s->row->guard);
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

static void
names_read(struct names *names, int dirfd)
{
	DIR *dir = dirfd >= 0 ? open_list(dirfd) : NULL;
	const struct dirent *e;
	int left = NAMES_MAX;

	buf_putc(&names->text, '\0');
	while (dir && left-- > 0 && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);
		uint64_t bit, *word = find_hash(names, e->d_name, len, &bit);

		*word |= bit;
		buf_append(&names->text, e->d_name, len + 1);
	}
	names->whole = dir && left >= 0 && !names->text.failed;
	if (dir)
		closedir(dir);
}

/* name has its NUL, and room for one before it. */
static bool
names_have(struct names *names, char *name, size_t len)
{
	uint64_t bit, *word = find_hash(names, name, len, &bit);

	name[-1] = '\0';
	return (*word & bit) != 0 &&
	       memmem(names->text.data, names->text.len, name - 1, len + 2) != NULL;
}

static void expand_pattern(struct scan *s, int dirfd, size_t j, int depth);

/* Everything beneath a guarded directory. */
static void
scan_guarded_dir(struct scan *s, int dirfd, int depth)
{
	DIR *dir = open_list(dirfd);
	struct dirent *e;

	if (!dir)
		return;
	while (s->r == 0 && s->left > 0 && (e = readdir(dir))) {
		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		s->left--;
		note_guard_links(s, dirfd, e->d_name);
		if (depth < DEPTH_MAX && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)) {
			auto_close int sub = openat(
				dirfd, e->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub >= 0)
				scan_guarded_dir(s, sub, depth + 1);
		}
	}
	closedir(dir);
}

/* dirfd/name meets part j of the pattern. */
static void
scan_matched_entry(struct scan *s, int dirfd, const char *name, size_t j, int depth)
{
	const struct guard_compiled *c = s->row;
	bool tail = j + 2 == c->n_parts && c->parts[j + 1].any;
	struct stat st;

	s->left--;
	if (j + 1 == c->n_parts || tail) {
		note_place(s, dirfd, name);
		note_guard_links(s, dirfd, name);
	}
	if (j + 1 == c->n_parts)
		return;
	/* A link in the middle: what is not there yet will come to lie behind it. */
	if (!tail && s->r == 0 && fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISLNK(st.st_mode))
		note_target(s, dirfd, name);
	auto_close int sub = openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (sub < 0)
		return;
	if (tail)
		scan_guarded_dir(s, sub, 0);
	else
		expand_pattern(s, sub, j + 1, depth + 1);
}

/* The first part has a wildcard: as many names are looked at as would be in the directory. */
static void
expand_names(struct scan *s, int dirfd)
{
	const struct guard_part *part = &s->row->parts[0];
	const char *name = s->names->text.data + 1, *end = name - 1 + s->names->text.len;

	for (; name < end && s->r == 0 && s->left > 0; name += strlen(name) + 1)
		if (glob_match(part->text, part->len, name, strlen(name), true) &&
			!streq(name, ".") && !streq(name, ".."))
			scan_matched_entry(s, dirfd, name, 0, 0);
}

/* The parts from j on, in the directory dirfd. */
static void
expand_pattern(struct scan *s, int dirfd, size_t j, int depth)
{
	const struct guard_part *part = &s->row->parts[j];
	char room[NAME_MAX + 2], *name = room + 1;
	bool there;

	if (depth > DEPTH_MAX + GUARD_PARTS_MAX || s->left <= 0 || s->r < 0)
		return;
	if (part->any && j + 1 < s->row->n_parts)
		expand_pattern(s, dirfd, j + 1, depth + 1); /* no component at all */
	if (!part->glob) {
		memcpy(name, part->text, part->len);
		name[part->len] = '\0';
		there = depth == 0 && s->names && s->names->whole
				? names_have(s->names, name, part->len)
				: faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
		if (there)
			scan_matched_entry(s, dirfd, name, j, depth);
		return;
	}
	if (depth == 0 && s->names && !part->any && !s->names->text.failed) {
		expand_names(s, dirfd);
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
			auto_close int sub = openat(
				dirfd, e->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub >= 0)
				expand_pattern(s, sub, j, depth + 1);
		} else if (!part->any &&
			   glob_match(part->text, part->len, e->d_name, strlen(e->d_name), true)) {
			scan_matched_entry(s, dirfd, e->d_name, j, depth);
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

static const struct guard commondir_guard = {
	.pattern = "commondir",
	.loose = true,
	.text = "git runs programs it names",
};

static const struct guard record_guard = {
	.pattern = "ambit's record",
	.reads = true,
	.text = "it holds what was decided and why",
};

static const struct guard include_guard = {
	.pattern = "include.path",
	.text = "git reads it as part of its config",
};

/* A work tree: paths in its git files are relative to it. */
struct tree {
	struct guards *guards;
	const char *home; /* or NULL */
	int fd;
	const char *real;
};

/* A directory or file that is a guard although its name does not say so. */
static int
add_alias(const struct tree *tree, const char *path, const struct guard *guard)
{
	struct guards *guards = tree->guards;
	struct path_facts resolved = { 0 };
	int r = 0;

	if (resolve_path(tree->fd, tree->real, path, strlen(path), true, &resolved, NULL) == 0)
		r = guards_add_alias(guards, resolved.real, guard);
	if (r == 0)
		r = guards_add_links(guards, tree->real, path, guard);
	resolved_finish(&resolved);
	return r;
}

/* A path in a config: from the home, from / or from base. */
static char *
config_path(const struct tree *tree, const char *base, const char *path)
{
	if (str_prefix(path, "~/"))
		return str_printf("%s/%s", tree->home ? tree->home : "", path + 2);
	return path[0] == '/' || !*base ? strdup(path) : str_printf("%s/%s", base, path);
}

static int scan_config(const struct tree *tree, int dirfd, const char *file, int depth);

/* Whether its condition holds today or not: it may tomorrow. */
static int
scan_include(const struct tree *tree, const char *file, const char *path, int depth)
{
	const char *slash = strrchr(file, '/');
	auto_free char *base = slash ? strndup(file, (size_t)(slash - file)) : strdup("");
	auto_free char *full = base ? config_path(tree, base, path) : NULL;
	int r = full ? add_alias(tree, full, &include_guard) : -ENOMEM;

	return r == 0 && depth < INCLUDES_MAX ? scan_config(tree, tree->fd, full, depth + 1) : r;
}

static int
scan_includes(const struct tree *tree, const char *file, const char *text, size_t len, int depth)
{
	struct gitconfig config;
	int r = 0;

	if (gitconfig_parse(text, len, &config) < 0)
		return 0;
	for (size_t i = 0; r == 0 && i < config.n; i++) {
		const struct gitconfig_entry *e = &config.entries[i];
		size_t n = strlen(e->name);

		if (e->value && *e->value &&
			(streq(e->name, "include.path") ||
				(str_prefix(e->name, "includeif.") && n > 5 &&
					streq(e->name + n - 5, ".path"))))
			r = scan_include(tree, file, e->value, depth);
	}
	gitconfig_finish(&config);
	return r;
}

/* core.hooksPath of one config file, relative to the work tree, and what else
 * it has read. */
static int
scan_config(const struct tree *tree, int dirfd, const char *file, int depth)
{
	auto_free char *text = NULL, *path = NULL, *full = NULL;
	size_t len;
	int r = 0;

	if (fd_read_file(dirfd, file, GIT_CONFIG_MAX, &text, &len) < 0)
		return 0;
	path = gitfile_hooks_path(text);
	if (path && *path) {
		full = config_path(tree, "", path);
		r = full ? add_alias(tree, full, &hooks_path_guard) : -ENOMEM;
	}
	return r < 0 || dirfd != tree->fd ? r : scan_includes(tree, file, text, len, depth);
}

/* The configs of a git directory. */
static int
scan_configs(const struct tree *tree, const char *dir)
{
	auto_free char *config = str_printf("%s/config", dir);
	auto_free char *worktree = str_printf("%s/config.worktree", dir);
	int r = config && worktree ? scan_config(tree, tree->fd, config, 0) : -ENOMEM;

	return r < 0 ? r : scan_config(tree, tree->fd, worktree, 0);
}

static int
add_gitdir(const struct tree *tree, const char *dir)
{
	struct path_facts resolved = { 0 };
	int r = 0;

	if (resolve_path(tree->fd, tree->real, dir, strlen(dir), true, &resolved, NULL) == 0)
		r = guards_add_gitdir(tree->guards, resolved.real);
	resolved_finish(&resolved);
	return r;
}

/* The parts of a git directory that run programs, wherever it lies. */
static int
scan_gitdir(const struct tree *tree, const char *dir)
{
	static const char *const parts[] = { "hooks", "config", "config.worktree", "commondir" };
	int r = add_gitdir(tree, dir);

	for (size_t i = 0; r == 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		auto_free char *path = str_printf("%s/%s", dir, parts[i]);

		r = !path ? -ENOMEM
			  : add_alias(tree, path,
				    streq(parts[i], "commondir") ? &commondir_guard
								 : &gitdir_guard);
	}
	return r;
}

static const struct guard beside_guard = {
	.pattern = "HEAD",
	.loose = true,
	.text = "with it git can take the directory itself for a repository, and run what its "
		"config "
		"says",
};

/* Whoever spoils .git in one of many ways makes git look at what lies beside it. Without
 * a HEAD that is no repository, whatever else is there. */
static int
guard_beside(struct guards *guards, int fd, const char *real)
{
	auto_free char *head = NULL;
	struct stat st;

	/* It is one already: of that scan_bare speaks. */
	if (fstatat(fd, "HEAD", &st, 0) == 0 && fstatat(fd, "objects", &st, 0) == 0 &&
		fstatat(fd, "refs", &st, 0) == 0)
		return 0;
	head = str_printf("%s/HEAD", streq(real, "/") ? "" : real);
	return head ? guards_add_alias(guards, head, &beside_guard) : -ENOMEM;
}

int
guards_scan_beside(struct guards *guards, const char *real)
{
	auto_close int fd = open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? 0 : guard_beside(guards, fd, real);
}

/* .git may be a file that names the directory, which may name another. */
static int
scan_git(const struct tree *tree)
{
	auto_free char *text = NULL, *dir = NULL, *common = NULL, *name = NULL;
	size_t len;
	int r = guard_beside(tree->guards, tree->fd, tree->real);

	if (r < 0)
		return r;
	if (fd_read_file(tree->fd, ".git", PATH_MAX, &text, &len) == 0)
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
	if (fd_read_file(tree->fd, name, PATH_MAX, &text, &len) == 0)
		common = gitfile_line(text, "");
	/* Of a plain .git the rows of the table speak, and know its samples. */
	if (!streq(dir, ".git"))
		r = scan_gitdir(tree, dir);
	if (r == 0)
		r = scan_configs(tree, dir);
	if (r == 0 && common) {
		auto_free char *path =
			common[0] == '/' ? strdup(common) : str_printf("%s/%s", dir, common);

		r = path ? scan_gitdir(tree, path) : -ENOMEM;
		if (r == 0)
			r = scan_configs(tree, path);
	}
	return r;
}

/* What is guarded in it and has other names, as at the top of the folder. */
static int
scan_rows(struct guards *guards, int fd)
{
	struct scan s = { .guards = guards };

	for (size_t i = 0; s.r == 0 && i < guards->n_rows; i++) {
		const struct guard_part *part = &guards->rows[i].parts[0];

		if (guards->rows[i].anchor != ANCHOR_NONE || guards->rows[i].n_parts < 2 ||
			part->len != 4 || memcmp(part->text, ".git", 4) != 0)
			continue;
		s.row = &guards->rows[i];
		s.left = GUARD_FOUND_MAX;
		expand_pattern(&s, fd, 0, 0);
	}
	return s.r;
}

int
guards_scan_repository(struct guards *guards, const char *real)
{
	auto_close int fd = open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct tree tree = { .guards = guards, .home = guards->home, .fd = fd, .real = real };
	int r = fd < 0 ? 0 : scan_rows(guards, fd);

	return fd < 0 || r < 0 ? r : scan_git(&tree);
}

int
guards_scan_bare(struct guards *guards, const char *real)
{
	auto_close int fd = open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct tree tree = { .guards = guards, .home = guards->home, .fd = fd, .real = real };
	int r = fd < 0 ? 0 : scan_gitdir(&tree, ".");

	return fd < 0 || r < 0 ? r : scan_configs(&tree, ".");
}

int
guards_scan(struct guards *guards, const struct ambit_scope *scope, struct ambit_error *err)
{
	auto_close int home =
		guards->home ? open(guards->home, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	auto_close int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct scan s = { .guards = guards };
	struct names in_folder = { 0 }, in_home = { 0 };
	struct tree tree = { .guards = guards,
		.home = guards->home,
		.fd = scope->root.fd,
		.real = scope->root.real };

	names_read(&in_folder, scope->root.fd);
	names_read(&in_home, home);
	for (size_t i = 0; s.r == 0 && i < guards->n_rows; i++) {
		s.row = &guards->rows[i];
		if (s.row->guard->passing)
			continue;
		/* Each row has its own budget: a crowded directory of one must not
		 * leave the others unseen. */
		s.left = GUARD_FOUND_MAX;
		s.names = NULL;
		/* What is the machine's own is no link into a folder, and by name it
		 * is guarded anyway. */
		if (s.row->anchor == ANCHOR_ROOT && top >= 0 && geteuid() == 0)
			expand_pattern(&s, top, 0, 0);
		s.names = &in_folder;
		if (s.row->anchor == ANCHOR_NONE)
			expand_pattern(&s, scope->root.fd, 0, 0);
		s.names = &in_home;
		/* "~/.bashrc" may be a link into the folder. */
		if (s.row->anchor != ANCHOR_ROOT && home >= 0)
			expand_pattern(&s, home, 0, 0);
	}
	buf_finish(&in_folder.text);
	buf_finish(&in_home.text);
	if (s.r == 0 && home >= 0)
		s.r = scan_config(&tree, home, ".gitconfig", 0);
	if (s.r == 0 && home >= 0)
		s.r = scan_config(&tree, home, ".config/git/config", 0);
	if (s.r == 0)
		s.r = scan_git(&tree);
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

enum look_kind {
	LOOK_REMOVED = 0, /* the tree goes */
	LOOK_MOVED,	  /* the tree will stand elsewhere, beside what stands there now */
	LOOK_LANDED,	  /* the tree stands there already */
};

struct look {
	const struct guards *guards;
	const struct ambit_scope *scope;
	enum ambit_access access;
	enum look_kind kind;
	bool made; /* a directory counts as one that is made, what it holds as written */
	bool cut;  /* something could not be looked at */
	int left;
	char path[PATH_MAX]; /* where the entry will stand */
};

static const struct guard *
find_entry_guard(struct look *l, enum ambit_access access)
{
	struct path_facts there = { .real = l->path, .written = l->path };
	const struct guard *found;
	struct stat st = { 0 };

	/* What stands there already is written through, if it is a link. */
	if (l->kind != LOOK_REMOVED && lstat(l->path, &st) == 0) {
		there.exists = true;
		there.dev = st.st_dev;
		there.ino = st.st_ino;
	}
	if (scope_protects(l->scope, &there, access))
		return &own_guard;
	if (S_ISLNK(st.st_mode) && l->kind == LOOK_MOVED)
		return &link_guard;
	found = guards_match_name(l->guards, l->path, access);
	/* Removing a hook runs nothing later; removing a repository loses it. */
	if (found && l->kind == LOOK_REMOVED && !streq(found->pattern, ".git"))
		found = NULL;
	if (found || l->kind == LOOK_REMOVED)
		return found;
	return guards_match_other(l->guards, &there, access);
}

/* A symlink of the tree that comes into a git directory. One that cannot be read may say
 * anything. */
static const struct guard *
look_at_link(const struct look *l, int dirfd, const struct dirent *e)
{
	char text[PATH_MAX] = "/";
	ssize_t n;

	if (l->kind == LOOK_REMOVED || (e->d_type != DT_LNK && e->d_type != DT_UNKNOWN))
		return NULL;
	n = readlinkat(dirfd, e->d_name, text, sizeof(text) - 1);
	if (n < 0 && errno == EINVAL)
		return NULL; /* not a symlink */
	text[n > 0 ? n : 1] = '\0';
	return guards_match_link(l->guards, l->path, text);
}

static const struct guard *
look_through(struct look *l, int dirfd, size_t len, int depth)
{
	const struct guard *found = NULL;
	DIR *dir = depth > LOOK_DEPTH_MAX ? NULL : open_list(dirfd);
	struct dirent *e;

	l->cut |= !dir;
	while (dir && !found && l->left > 0 && (e = readdir(dir))) {
		int n = streq(e->d_name, ".") || streq(e->d_name, "..")
				? 0
				: snprintf(l->path + len, sizeof(l->path) - len, "/%s", e->d_name);

		l->cut |= (size_t)n >= sizeof(l->path) - len;
		if (n == 0 || (size_t)n >= sizeof(l->path) - len)
			continue;
		l->left--;
		found = find_entry_guard(
			l, l->made && e->d_type == DT_DIR ? AMBIT_ACCESS_MKDIR : l->access);
		if (!found)
			found = look_at_link(l, dirfd, e);
		if (!found && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)) {
			auto_close int sub = openat(
				dirfd, e->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

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
		.kind = streq(from, to) ? LOOK_REMOVED : LOOK_MOVED,
		.left = GUARD_FOUND_MAX,
	};
	auto_close int fd = open(from, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int n = snprintf(l.path, sizeof(l.path), "%s", streq(to, "/") ? "" : to);
	const struct guard *above =
		l.kind == LOOK_MOVED ? guards_match_tree(guards, to, access) : NULL;

	if (above)
		return above;
	if (fd < 0 || n < 0 || (size_t)n >= sizeof(l.path))
		return NULL;
	return look_through(&l, fd, (size_t)n, 0);
}

int
guards_look_held(const struct guards *guards, const struct ambit_scope *scope, int dir,
	const char *to, bool landed)
{
	struct look l = {
		.guards = guards,
		.scope = scope,
		.access = AMBIT_ACCESS_WRITE,
		.kind = landed ? LOOK_LANDED : LOOK_MOVED,
		.made = true,
		.left = GUARD_FOUND_MAX,
	};
	int n = snprintf(l.path, sizeof(l.path), "%s", streq(to, "/") ? "" : to);

	if (n < 0 || (size_t)n >= sizeof(l.path))
		return -E2BIG;
	if (look_through(&l, dir, (size_t)n, 0))
		return 1;
	return l.left > 0 && !l.cut ? 0 : -E2BIG;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Looks through the folder, level by level, for repositories that are not at
 * its top. The place of everything that is guarded in one is known then. The
 * names belong to those who will be held: a name is compared, never followed,
 * and what cannot be read is passed over. Bounded, because a launch waits for
 * it; where the bound was met, it is told. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "scope/guard-private.h"

#define DIRS_MAX 1024
#define ENTRIES_MAX 32768
#define ENTRIES_EACH 4096 /* in one directory */
/* In one folder that was granted: those are many, and mostly caches. */
#define GRANTED_DIRS_MAX 64
#define GRANTED_ENTRIES_MAX 4096

static const struct guard repository_guard = {
	.pattern = ".git",
	.text = "it decides which repository git uses",
};

/* Full of directories, and seldom of repositories: looked at last. */
static const char *const crowds[] = { "node_modules", ".cache", ".venv", "venv", "target",
	"__pycache__" };

struct search {
	struct guards *guards;
	const char *root;
	char **todo; /* directories, a queue */
	size_t next, n, room;
	char **later;
	size_t entries, dirs_max, entries_max;
	bool cut;
	unsigned bare; /* which signs of a bare repository the directory has */
};

static int
add_todo(struct search *s, const char *dir, const char *name)
{
	if (s->n == s->dirs_max) {
		s->cut = true;
		return 0;
	}
	if (s->n == s->room) {
		size_t room = s->room ? s->room * 2 : 64;
		char **todo = reallocarray(s->todo, room, sizeof(*todo));

		if (!todo)
			return -ENOMEM;
		s->todo = todo;
		s->room = room;
	}
	s->todo[s->n] = str_printf("%s/%s", streq(dir, "/") ? "" : dir, name);
	if (!s->todo[s->n])
		return -ENOMEM;
	s->n++;
	return 0;
}

static bool
is_crowd(const char *name)
{
	for (size_t i = 0; i < sizeof(crowds) / sizeof(crowds[0]); i++)
		if (streq(name, crowds[i]))
			return true;
	return false;
}

static int
add_later(struct search *s, const char *dir, const char *name)
{
	auto_free char *path = str_printf("%s/%s", streq(dir, "/") ? "" : dir, name);

	return path ? strv_append(&s->later, path) : -ENOMEM;
}

static bool
is_dir(int dirfd, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* By these git takes a directory for a repository. */
static unsigned
sign_of(const char *name)
{
	return streq(name, "HEAD") ? 1 : streq(name, "objects") ? 2 : streq(name, "refs") ? 4 : 0;
}

static bool
is_dir_in_list(char *const *list, const char *dir)
{
	for (; list && *list; list++)
		if (streq(*list, dir))
			return true;
	return false;
}

/* Where git looks next, if the repository at dir is none any more. */
static int
look_above(struct search *s, const char *dir)
{
	auto_free char *at = strdup(dir);
	int r = at ? 0 : -ENOMEM;

	while (r == 0 && str_beneath(at, s->root) && !streq(at, s->root)) {
		char *slash = strrchr(at, '/');

		*(slash == at ? slash + 1 : slash) = '\0';
		if (is_dir_in_list(s->guards->above, at))
			return 0;
		r = strv_append(&s->guards->above, at);
		if (r == 0)
			r = guards_scan_beside(s->guards, at);
	}
	return r;
}

/* The repository at dir, if it was not found before. */
static int
look_at_repository(struct search *s, const char *dir, bool bare)
{
	auto_free char *path = NULL;
	int r;

	if (is_dir_in_list(s->guards->repositories, dir))
		return 0;
	r = strv_append(&s->guards->repositories, dir);
	if (r == 0)
		r = look_above(s, dir);
	if (r < 0 || bare)
		return r < 0 ? r : guards_scan_bare(s->guards, dir);
	path = str_printf("%s/.git", streq(dir, "/") ? "" : dir);
	r = path ? guards_add_place(s->guards, path, &repository_guard) : -ENOMEM;
	return r < 0 ? r : guards_scan_repository(s->guards, dir);
}

/* It is one: what is in it besides is git's own, and not looked through. */
static int
look_at_bare(struct search *s, const char *dir, size_t before)
{
	while (s->n > before)
		free(s->todo[--s->n]);
	return look_at_repository(s, dir, true);
}

static int
check_dir_entry(struct search *s, const char *dir, int fd, const struct dirent *e, bool top)
{
	if (!streq(e->d_name, ".git") && !is_dir(fd, e))
		return 0;
	if (!streq(e->d_name, ".git"))
		return is_crowd(e->d_name) ? add_later(s, dir, e->d_name)
					   : add_todo(s, dir, e->d_name);
	/* At the top guards_scan has looked. */
	return top ? 0 : look_at_repository(s, dir, false);
}

static int
search_directory(struct search *s, const char *dir, bool top)
{
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	size_t before = s->n, n = 0;
	int r = 0;

	/* What cannot be looked into may hold anything: no rights are granted on
	 * the way to it. */
	if (!list)
		return errno == EACCES ? guards_add_place(s->guards, dir, &repository_guard) : 0;
	steal_fd(&fd);
	s->bare = 0;
	while (r == 0 && (e = readdir(list))) {
		s->bare |= sign_of(e->d_name);
		if (++s->entries > s->entries_max || ++n > ENTRIES_EACH) {
			s->cut = true;
			break;
		}
		if (!streq(e->d_name, ".") && !streq(e->d_name, ".."))
			r = check_dir_entry(s, dir, dirfd(list), e, top);
	}
	closedir(list);
	return r == 0 && s->bare == 7 ? look_at_bare(s, dir, before) : r;
}

/* One that was there before, wherever the search ends now. */
static int
look_at_known(struct search *s, const char *dir)
{
	auto_close int fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || !str_beneath(dir, s->root) || streq(dir, s->root))
		return 0;
	return look_at_repository(s, dir, fstatat(fd, ".git", &st, AT_SYMLINK_NOFOLLOW) < 0);
}

/* Looks through the queue first, then the large directories. */
static int
look_through(struct search *s)
{
	int r = 0;

	while (r == 0 && s->next < s->n && s->entries <= s->entries_max)
		r = search_directory(s, s->todo[s->next++], false);
	for (size_t i = 0; r == 0 && s->later && s->later[i] && s->entries <= s->entries_max; i++) {
		auto_free char *dir = strdup(s->later[i]);

		r = dir ? search_directory(s, dir, false) : -ENOMEM;
		while (r == 0 && s->next < s->n && s->entries <= s->entries_max)
			r = search_directory(s, s->todo[s->next++], false);
	}
	return r;
}

static void
search_finish(struct search *s)
{
	strv_free(s->later);
	for (size_t i = 0; i < s->n; i++)
		free(s->todo[i]);
	free(s->todo);
}

int
guards_search(
	struct guards *guards, const struct ambit_scope *scope, char *const *known, bool *ret_cut)
{
	struct search s = { .guards = guards,
		.root = scope->root.real,
		.dirs_max = DIRS_MAX,
		.entries_max = ENTRIES_MAX };
	int r = 0;

	for (; r == 0 && known && *known; known++)
		r = look_at_known(&s, *known);
	if (r == 0)
		r = search_directory(&s, scope->root.real, true);
	if (r == 0)
		r = look_through(&s);
	search_finish(&s);
	*ret_cut = s.cut;
	return r;
}

int
guards_search_granted(struct guards *guards, const char *dir)
{
	struct search s = { .guards = guards,
		.root = dir,
		.dirs_max = GRANTED_DIRS_MAX,
		.entries_max = GRANTED_ENTRIES_MAX };
	int r = search_directory(&s, dir, false);

	if (r == 0)
		r = look_through(&s);
	search_finish(&s);
	return r;
}

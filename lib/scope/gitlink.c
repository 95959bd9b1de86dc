/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a file that leads git from one directory to another, judged by
 * where it leads. The text comes from those who are held by the line. What is
 * guarded in a git directory is guarded by the names on the way to it, so that
 * the way must be what it says: ".." at the beginning alone, and no symlink. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/str.h"
#include "scope/gitlink.h"
#include "scope/resolve.h"

#define DOT_GIT "/.git"
#define WORKTREES "/.git/worktrees/"
#define MODULES "/.git/modules/"

static bool
has_path_ending(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && streq(path + n - m, end);
}

/* The last one in path, or NULL. */
static const char *
last_of(const char *path, const char *part)
{
	const char *found = NULL;

	for (const char *next = path; (next = strstr(next, part)); next++)
		found = next;
	return found;
}

/* Directly in some .git/worktrees/NAME. */
static bool
in_worktrees(const char *path)
{
	const char *at = last_of(path, WORKTREES), *slash;

	if (!at)
		return false;
	at += strlen(WORKTREES);
	slash = strchr(at, '/');
	return slash && slash > at && !strchr(slash + 1, '/');
}

enum gitlink
gitlink_kind(const char *path)
{
	if (has_path_ending(path, DOT_GIT))
		return GITLINK_DOTGIT;
	if (has_path_ending(path, "/commondir") && in_worktrees(path))
		return GITLINK_COMMON;
	if (has_path_ending(path, "/gitdir") && in_worktrees(path))
		return GITLINK_BACK;
	return GITLINK_NONE;
}

/* -- where it leads ----------------------------------------------------------- */

/* The one line behind prefix; NULL: it is not that. */
static char *
one_line(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	if (len > 0 && text[len - 1] == '\n')
		len--;
	if (len <= n || memcmp(text, prefix, n) != 0)
		return NULL;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return NULL;
	return strndup(text + n, len - n);
}

/* A kernel walks "link/.." otherwise than the text says. */
static bool
climbs_late(const char *path)
{
	bool down = path[0] == '/';

	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && memcmp(path, "..", 2) == 0 && down)
			return true;
		down |= n > 0 && !(n <= 2 && memcmp(path, "..", n) == 0);
	}
	return false;
}

/* Where a path in a file at path leads, by its text; NULL: not to be told. */
static char *
leads_to(const char *path, const char *to)
{
	auto_free char *dir = strndup(path, (size_t)(strrchr(path, '/') - path));

	return !dir || climbs_late(to) ? NULL : resolve_fold(dir, to);
}

/* Whether it is a directory (1), nothing yet (0), or something else, or reached
 * through a link (-1). */
static int
probe_directory(const char *path)
{
	struct path_facts now;
	int is = -1;

	if (resolve_path(AT_FDCWD, "/", path, strlen(path), false, &now, NULL) < 0)
		return -1;
	if (streq(now.real, path))
		is = !now.exists ? 0 : S_ISDIR(now.mode) ? 1 : -1;
	resolved_finish(&now);
	return is;
}

/* Where the last "/.git/worktrees/" or "/.git/modules/" begins, or NULL. */
static const char *
find_repository(const char *dir)
{
	const char *worktree = last_of(dir, WORKTREES), *module = last_of(dir, MODULES);

	return !worktree || (module && module > worktree) ? module : worktree;
}

/* A git directory of a worktree or submodule, of a repository that is open. */
static const char *
check_gitdir(const struct gitlink_law *law, const char *dir, bool *ret_later)
{
	const char *at = find_repository(dir);
	auto_free char *repository = NULL;
	int is;

	if (!at || !law->is_open(law->data, dir))
		return "it leads out of the repositories that are open here";
	if (str_prefix(at, WORKTREES) && strchr(at + strlen(WORKTREES), '/'))
		return "it leads past a worktree's own directory";
	if (strstr(at + strlen(DOT_GIT), DOT_GIT))
		return "it leads into another repository";
	repository = strndup(dir, (size_t)(at - dir) + strlen(DOT_GIT));
	if (!repository || !law->is_open(law->data, repository) || probe_directory(repository) != 1)
		return "it leads to a repository that is not there";
	is = probe_directory(dir);
	*ret_later = is == 0;
	return is == 1 ? NULL : "it leads to a git directory that is not there";
}

static const char *
check_dotgit(const struct gitlink_law *law, const char *path, const char *text, size_t len,
	bool *ret_later)
{
	auto_free char *to = one_line(text, len, "gitdir: ");
	auto_free char *dir = to ? leads_to(path, to) : NULL;

	if (!dir)
		return "it is not one line that names a git directory";
	/* The folder's own repository is the person's choice. */
	if (strlen(path) == strlen(law->root) + strlen(DOT_GIT) && str_prefix(path, law->root))
		return "it decides which repository the folder is";
	return check_gitdir(law, dir, ret_later);
}

char *
gitlink_repository(const char *path, const char *text, size_t len)
{
	auto_free char *to = one_line(text, len, "gitdir: ");
	auto_free char *dir = to ? leads_to(path, to) : NULL;
	const char *at = dir ? find_repository(dir) : NULL;

	return at ? strndup(dir, (size_t)(at - dir) + strlen(DOT_GIT)) : NULL;
}

static const char *
check_gitdir_target(const struct gitlink_law *law, const char *path, const char *text, size_t len)
{
	auto_free char *to = one_line(text, len, "");
	auto_free char *file = to ? leads_to(path, to) : NULL;

	if (!file || !has_path_ending(file, DOT_GIT) || !law->is_open(law->data, file))
		return "it names a worktree outside what is open here";
	return NULL;
}

bool
gitlink_plain(const struct gitlink_law *law, const char *path, const char *text, size_t len,
	const char **ret_why, bool *ret_later)
{
	const char *why = "it is no such file";
	bool later = false;

	switch (gitlink_kind(path)) {
	case GITLINK_DOTGIT:
		why = check_dotgit(law, path, text, len, &later);
		break;
	case GITLINK_COMMON: {
		auto_free char *to = one_line(text, len, "");

		why = to && streq(to, "../..") ? NULL : "it leads to another repository";
		break;
	}
	case GITLINK_BACK:
		why = check_gitdir_target(law, path, text, len);
		break;
	case GITLINK_NONE:
		break;
	}
	if (ret_why)
		*ret_why = why;
	if (ret_later)
		*ret_later = later;
	return why == NULL;
}

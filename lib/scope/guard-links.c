/* SPDX-License-Identifier: Apache-2.0 */
/* The symlinks on the way to a guard. Who can put another in the place of one
 * decides what the guard's name leads to, so each is guarded like its end. The
 * way is walked by text, link by link; it may change meanwhile, which is a
 * matter of those outside, for nobody is held yet. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "scope/guard-private.h"

#define LINKS_MAX 40
#define STEPS_MAX 512

struct way {
	char at[PATH_MAX];   /* where it has come to, no link in it */
	char rest[PATH_MAX]; /* what is still to be walked */
	int links;
};

static void
cut_last_component(struct way *way)
{
	char *slash = strrchr(way->at, '/');

	if (slash)
		*slash = '\0';
}

/* A link at way->at: its text comes before the rest. */
static bool
follow_symlink(struct way *way)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlink(way->at, target, sizeof(target) - 1);

	if (n <= 0 || ++way->links > LINKS_MAX)
		return false;
	target[n] = '\0';
	memcpy(rest, way->rest, strlen(way->rest) + 1);
	if (snprintf(way->rest, sizeof(way->rest), "%s/%s", target, rest) >= (int)sizeof(way->rest))
		return false;
	cut_last_component(way);
	if (target[0] == '/')
		way->at[0] = '\0';
	return true;
}

/* The next component, in way->at. False: there is none. */
static bool
walk_next_component(struct way *way)
{
	const char *name = way->rest + strspn(way->rest, "/");
	size_t n = strcspn(name, "/"), len = strlen(way->at);

	if (n == 0)
		return false;
	if (n == 2 && memcmp(name, "..", 2) == 0) {
		cut_last_component(way);
	} else if (n != 1 || name[0] != '.') {
		if (len + 1 + n >= sizeof(way->at))
			return false;
		way->at[len] = '/';
		memcpy(way->at + len + 1, name, n);
		way->at[len + 1 + n] = '\0';
	}
	memmove(way->rest, name + n, strlen(name + n) + 1);
	return true;
}

static int
add_once(struct guards *guards, const char *real, const struct guard *guard)
{
	for (size_t i = 0; i < guards->n_aliases; i++)
		if (guards->aliases[i].guard == guard && streq(guards->aliases[i].real, real))
			return 0;
	return guards_add_alias(guards, real, guard);
}

static bool
has_parent_part(const char *path)
{
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && memcmp(path, "..", 2) == 0)
			return true;
	}
	return false;
}

/* It leads nowhere: nothing is there, a file is where a directory is meant, or links
 * lead in a circle. That can be another tomorrow, so what it will lead to then is
 * guarded now: the rest by its text. Behind a ".." that depends on what comes to
 * stand in the way, which is then guarded itself. */
static int
add_end(struct guards *guards, const struct way *way, const struct guard *guard)
{
	const char *rest = way->rest + strspn(way->rest, "/");
	auto_free char *end = resolve_fold(way->at, rest);
	int r = end ? add_once(guards, end, guard) : -ENOMEM;

	return r == 0 && has_parent_part(rest) && way->at[0] ? add_once(guards, way->at, guard) : r;
}

int
guards_add_links(
	struct guards *guards, const char *dir, const char *path, const struct guard *guard)
{
	struct way way = { .links = 0 };
	struct stat st;
	int r = 0;

	if (strlen(path) >= sizeof(way.rest) || strlen(dir) >= sizeof(way.at))
		return 0;
	memcpy(way.rest, path, strlen(path) + 1);
	if (path[0] != '/' && !streq(dir, "/"))
		memcpy(way.at, dir, strlen(dir) + 1);
	for (int i = 0; r == 0 && i < STEPS_MAX && walk_next_component(&way); i++) {
		if (lstat(way.at[0] ? way.at : "/", &st) < 0)
			return add_end(guards, &way, guard);
		if (!S_ISLNK(st.st_mode))
			continue;
		r = guards_add_alias(guards, way.at, guard);
		if (r == 0 && !follow_symlink(&way))
			return add_end(guards, &way, guard);
	}
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which .gitignore files hold in a directory. A repository begins where a ".git"
 * lies: what stands further out says nothing about what is in it. Files above the
 * searched directory are read for what they hide and are never shown; each is a
 * plain file, or is not there. */

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "tools/search/ignore.h"
#include "tools/search/walk.h"

static int
add_ignore_rules(struct walk_rules **made, const struct walk_rules *outer, struct ignore *ignore,
	size_t base, const struct walk_rules **ret_rules)
{
	struct walk_rules *rules = calloc(1, sizeof(*rules));

	if (!rules) {
		ignore_destroy(ignore);
		return -ENOMEM;
	}
	*rules = (struct walk_rules){
		.outer = outer,
		.ignore = ignore,
		.base = base,
		.next = *made,
	};
	*made = rules;
	*ret_rules = rules;
	return 0;
}

/* A file that cannot be read hides nothing. -ENOMEM. */
static int
load_ignore_file(int dir, const char *path, size_t base, struct walk_rules **made,
	const struct walk_rules **rules)
{
	auto_close int fd = walk_open(dir, path, O_NONBLOCK | O_NOCTTY);
	auto_free char *text = NULL;
	struct ignore *ignore;
	size_t len = 0;

	if (fd < 0 || fd_read_open(fd, IGNORE_FILE_MAX, &text, &len) < 0)
		return 0;
	ignore = ignore_parse(text, len);
	if (!ignore)
		return -ENOMEM;
	if (ignore_is_empty(ignore)) {
		ignore_destroy(ignore);
		return 0;
	}
	return add_ignore_rules(made, *rules, ignore, base, rules);
}

int
walk_rules_at(int dir, bool git, bool file, size_t base, const struct walk_rules *outer,
	struct walk_rules **made, const struct walk_rules **ret_rules)
{
	const struct walk_rules *rules = git ? NULL : outer;
	int r = git ? load_ignore_file(dir, ".git/info/exclude", base, made, &rules) : 0;

	if (r == 0 && file)
		r = load_ignore_file(dir, ".gitignore", base, made, &rules);
	*ret_rules = rules;
	return r;
}

static bool
has_git(int dir)
{
	struct stat st;

	return fstatat(dir, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(st.st_mode);
}

/* How long the path of the repository's top is, of a real path; 0: there is none. */
static size_t
find_top(const char *real)
{
	auto_free char *path = strdup(real);
	char *slash;

	if (!path || strlen(path) >= PATH_MAX)
		return 0;
	while ((slash = strrchr(path, '/')) && slash[1]) {
		auto_close int dir = walk_open(AT_FDCWD, path, O_PATH | O_DIRECTORY);

		if (dir >= 0 && has_git(dir))
			return strlen(path);
		*slash = '\0';
	}
	return 0;
}

int
walk_rules_above(const char *real, struct walk_rules **made, const struct walk_rules **ret_rules,
	char **ret_above)
{
	size_t top = find_top(real), len = strlen(real);
	bool within = top > 0 && top < len;
	auto_free char *above = within ? str_printf("%s/", real + top + 1) : strdup("");
	const struct walk_rules *rules = NULL;
	int r = above ? 0 : -ENOMEM;

	/* The root's own are found when it is read. */
	for (size_t at = top; r == 0 && within && at < len; at += 1 + strcspn(real + at + 1, "/")) {
		auto_free char *path = strndup(real, at);
		auto_close int dir = path ? walk_open(AT_FDCWD, path, O_PATH | O_DIRECTORY) : -1;

		if (dir >= 0)
			r = walk_rules_at(dir, at == top, true, at == top ? 0 : at - top, rules,
				made, &rules);
	}
	if (r == 0) {
		*ret_rules = rules;
		*ret_above = steal_ptr(&above);
	}
	return r;
}

bool
walk_rules_hide(
	const struct walk_rules *rules, const char *path, size_t len, bool dir, size_t *steps)
{
	for (; rules; rules = rules->outer) {
		enum ignore_says says = ignore_match(
			rules->ignore, path + rules->base, len - rules->base, dir, steps);

		if (says != IGNORE_NOTHING)
			return says == IGNORE_HIDE;
	}
	return false;
}

void
walk_rules_finish(struct walk_rules *made)
{
	while (made) {
		struct walk_rules *next = made->next;

		ignore_destroy(made->ignore);
		free(made);
		made = next;
	}
}

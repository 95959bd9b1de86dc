/* SPDX-License-Identifier: Apache-2.0 */
/* A new file of git's own, from its text to a word about it. It belongs to those
 * who are held by the line and may change while it is read, so that what was read
 * is what is judged, and what is handed back. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "scope/gitconfig.h"
#include "scope/gitlink.h"

/* Opened anew: the descriptor may be O_PATH, and its offset is not ours. A
 * regular file only; fd_read_open sees to that, and to its size. */
static int
read_config(int fd, char **ret_text, size_t *ret_len)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return fd_read_file(AT_FDCWD, name, GITCONFIG_MAX, ret_text, ret_len);
}

/* -- judging ----------------------------------------------------------------- */

static const char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool
is_config(const char *path)
{
	return streq(name_of(path), "config") || streq(name_of(path), "config.worktree");
}

struct text {
	const char *data;
	size_t len;
};

/* Where git works without a question, unless a person said no to this very file. */
static bool
is_open(void *data, const char *path)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	const struct ambit_rule *rule;
	struct decide_input in;

	if (!engine_opens_beside(data, path))
		return false;
	engine_look(data, &request, &in);
	rule = memory_find(&in, AMBIT_OP_WRITE, path, false);
	return !rule || rule->yes;
}

/* The folder whose own repository is the person's choice: the folder; or one that was granted
 * while it was a repository. */
static struct gitlink_law
link_law(struct ambit_engine *engine, const char *path)
{
	struct gitlink_law law = { engine->scope->root.real, is_open, engine };

	for (size_t i = 0; engine->opens && engine->opens[i]; i++)
		if (strlen(engine->opens[i]) + strlen("/.git") == strlen(path) &&
			str_beneath(path, engine->opens[i]) && guards_found(engine->guards, path))
			law.root = engine->opens[i];
	return law;
}

static bool
check_link(struct ambit_engine *engine, const char *path, struct text text, const char **ret_why,
	bool *ret_later)
{
	struct gitlink_law law = link_law(engine, path);

	return gitlink_plain(&law, path, text.data, text.len, ret_why, ret_later);
}

/* What is law in a repository that was there when all began must not depend on
 * one that came later. */
static bool
keeps_law(struct ambit_engine *engine, const char *path, struct text text)
{
	auto_free char *repository = NULL;

	if (!guards_found(engine->guards, path))
		return true;
	repository = gitlink_repository(path, text.data, text.len);
	return repository && guards_found(engine->guards, repository);
}

/* NULL: it is plain. *ret_later: it may become so. */
static const char *
find_git_objection(struct ambit_engine *engine, const char *path, struct text old, struct text new,
	bool *ret_later)
{
	const char *why = "only git's own files can be judged";

	if (is_config(path))
		gitconfig_plain_at(path, old.data, old.len, new.data, new.len, &why);
	else if (streq(name_of(path), ".gitmodules"))
		gitmodules_plain(new.data, new.len, &why);
	else if (gitlink_kind(path) == GITLINK_DOTGIT && !keeps_law(engine, path, new))
		why = "it leads to a repository that was not there before";
	else if (gitlink_kind(path) != GITLINK_NONE)
		check_link(engine, path, new, &why, ret_later);
	return why;
}

int
engine_git_read(struct ambit_engine *engine, const char *path, int fd, int old, char **ret_text,
	size_t *ret_len, struct ambit_error *err)
{
	const char *name = name_of(path), *why;
	auto_free char *before = NULL, *after = NULL;
	size_t before_len = 0, after_len = 0;
	bool later = false;
	int r = old >= 0 ? read_config(old, &before, &before_len) : 0;

	if (r == 0)
		r = read_config(fd, &after, &after_len);
	if (r < 0)
		return err_sys(err, -r, "%s", name);
	why = find_git_objection(engine, path, (struct text){ before, before_len },
		(struct text){ after, after_len }, &later);
	if (why)
		return err_set(err, later ? EAGAIN : EPERM, "%s: %s", name, why);
	*ret_text = steal_ptr(&after);
	*ret_len = after_len;
	return 0;
}

bool
engine_git_guards(struct ambit_engine *engine, const char *path)
{
	struct path_facts at = { .real = (char *)path, .written = (char *)path };
	const struct guard *guard = guards_ready(engine->guards, engine->guarded, NULL) < 0
					    ? NULL
					    : guards_match(engine->guards, &at, AMBIT_ACCESS_WRITE);

	/* A person's own guard has no source. */
	return guard &&
	       ((guard->source && str_prefix(guard->pattern, ".git")) ||
		       streq(guard->pattern, "gitdir")) &&
	       is_open(engine, path);
}

bool
engine_git_writes(struct ambit_engine *engine, const char *path)
{
	return (gitlink_kind(path) != GITLINK_NONE || streq(name_of(path), ".gitmodules") ||
		       streq(name_of(path), "config.worktree")) &&
	       is_open(engine, path);
}

bool
engine_git_leads(struct ambit_engine *engine, const char *path, int fd)
{
	auto_free char *text = NULL;
	bool later = false;
	size_t len;

	if (gitlink_kind(path) != GITLINK_DOTGIT || read_config(fd, &text, &len) < 0)
		return false;
	/* git removes the one before the other, in either order. */
	return check_link(engine, path, (struct text){ text, len }, NULL, &later) || later;
}

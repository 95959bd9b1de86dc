/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that is a worktree of a repository elsewhere, as a profile: the parts
 * of that repository which a commit writes. The .git file in the folder could be
 * anybody's; that it is the repository's own worktree, the repository says. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <ambit/tool.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "scope/gitfile.h"
#include "scope/profile.h"

#define FOLDERS 4

struct engine_worktree {
	struct profile profile;
	const char *folders[FOLDERS + 1];
	char *text;
};

static const char *const none[] = { NULL };
static const struct profile_add no_adds[] = { { 0 } };

void
engine_worktree_destroy(struct engine_worktree *worktree)
{
	if (!worktree)
		return;
	for (size_t i = 0; i < FOLDERS; i++)
		free((char *)worktree->folders[i]);
	free(worktree->text);
	free(worktree);
}

/* Where the path in a file of one line leads; NULL: it is not there. */
static char *
resolve_git_pointer(const char *dir, const char *name, const char *prefix)
{
	auto_close int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *text = NULL, *path = NULL;
	struct path_facts to;
	char *real;
	size_t len;

	if (fd < 0 || fd_read_file(fd, name, PATH_MAX, &text, &len) < 0)
		return NULL;
	path = gitfile_line(text, prefix);
	if (!path || resolve_path(fd, dir, path, strlen(path), true, &to, NULL) < 0)
		return NULL;
	real = to.exists ? resolved_take(&to) : NULL;
	resolved_finish(&to);
	return real;
}

static bool
is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The repository's own git directory, or NULL: not one that knows this folder. */
static char *
find_common(const char *root, const char *dir)
{
	auto_free char *common = resolve_git_pointer(dir, "commondir", "");
	auto_free char *back = resolve_git_pointer(dir, "gitdir", "");
	auto_free char *own = str_printf("%s/.git", root);
	auto_free char *above = common ? str_printf("%s/worktrees/", common) : NULL;

	if (!back || !own || !above || !streq(back, own) || str_beneath(dir, root) ||
		!str_prefix(dir, above) || strchr(dir + strlen(above), '/'))
		return NULL;
	return steal_ptr(&common);
}

static struct engine_worktree *
create_worktree(const char *common, const char *dir)
{
	static const char *const parts[] = { "objects", "refs", "logs" };
	auto_free char *shown = str_escape(common, strlen(common));
	struct engine_worktree *worktree = calloc(1, sizeof(*worktree));
	bool good = worktree && shown;

	for (size_t i = 0; good && i < sizeof(parts) / sizeof(parts[0]); i++) {
		worktree->folders[i] = str_printf("%s/%s", common, parts[i]);
		/* Of logs there may be none yet; a link is somebody's idea. */
		good = worktree->folders[i] && (i == 2 || is_dir(worktree->folders[i]));
	}
	if (good) {
		worktree->folders[FOLDERS - 1] = strdup(dir);
		worktree->text = str_printf("the folder is a worktree of %s", shown);
		good = worktree->folders[FOLDERS - 1] && worktree->text;
	}
	if (!good) {
		engine_worktree_destroy(worktree);
		return NULL;
	}
	worktree->profile = (struct profile){
		.name = "worktree",
		.kind = "repository",
		.commands = none,
		.folders = worktree->folders,
		.hosts = none,
		.adds = no_adds,
		.text = worktree->text,
	};
	return worktree;
}

const struct profile *
engine_worktree_profile(struct ambit_engine *engine)
{
	const char *root = engine->scope->root.real;
	auto_free char *dir = NULL, *common = NULL;

	if (!engine->worktree) {
		dir = resolve_git_pointer(root, ".git", "gitdir:");
		common = dir ? find_common(root, dir) : NULL;
		engine->worktree = common ? create_worktree(common, dir) : NULL;
	}
	return engine->worktree ? &engine->worktree->profile : NULL;
}

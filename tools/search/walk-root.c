/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a search to a descriptor: the text must lead where the
 * decision said, and only plain files and directories are opened at all. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "perform/file.h"
#include "perform/permit.h"
#include "tools/search/walk-root.h"

/* As the request has joined them. */
static char *
join_fixed_path(const char *path, const char *pattern, size_t fixed)
{
	if (fixed == 0)
		return strdup(path ? path : ".");
	if (!path || pattern[0] == '/')
		return strndup(pattern, fixed);
	return str_printf("%s/%.*s", path, (int)fixed, pattern);
}

static int
open_place(struct tool_run *run, struct walk_root *root, struct ambit_error *err)
{
	const struct ambit_place *place = &root->place;
	struct pass pass;

	if (!place->exists)
		return run_fail(run, err, ENOENT,
			"Look at what is there: ls of the folder above it, or glob with **/NAME.",
			"%s does not exist", place->shown);
	if (!S_ISDIR(place->mode) && !S_ISREG(place->mode))
		return run_fail(run, err, EINVAL, "Give a folder, or a file.",
			"%s is neither a file nor a folder, and only these are searched",
			place->shown);
	root->dir = S_ISDIR(place->mode);
	pass = run_pass(run);
	return file_open(&pass, place, &root->fd, err);
}

int
walk_root_open(struct tool_run *run, const char *path, const char *pattern, size_t fixed,
	enum ambit_access access, struct walk_root *ret_root, struct ambit_error *err)
{
	struct walk_root root = { .fd = -1 };
	auto_free char *text = join_fixed_path(path, pattern, fixed);
	int r = text ? run_place_of(run, text, access, true, false, &root.place, err)
		     : err_nomem(err);

	if (r == 0) {
		r = open_place(run, &root, err);
		if (r < 0)
			walk_root_finish(&root);
	}
	if (r == 0)
		*ret_root = root;
	return r;
}

void
walk_root_finish(struct walk_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
	ambit_place_finish(&root->place);
}

char *
walk_root_shown(const struct walk_root *root, const char *path)
{
	const char *shown = root->place.shown;
	size_t len = strlen(shown);
	auto_free char *rest = str_escape(path, strlen(path));

	if (!rest)
		return NULL;
	if (!path[0])
		return strdup(shown);
	if (streq(shown, "."))
		return steal_ptr(&rest);
	return str_printf("%s%s%s", shown, shown[len - 1] == '/' ? "" : "/", rest);
}

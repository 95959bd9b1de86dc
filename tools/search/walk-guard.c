/* SPDX-License-Identifier: Apache-2.0 */
/* The guards of a tree that is searched. Those that were found when the session began
 * are left out by their place. That list is neither complete nor new: so whatever is
 * about to be shown is decided by itself, as if read had been called for it, except
 * that nobody is asked. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "engine/line.h"
#include "request/request-object.h"
#include "tools/search/walk-guard.h"

static int
add_known_path(void *data, const char *real)
{
	struct walk_guard *guard = data;
	const char *root = guard->root->place.real;
	size_t len = strlen(root);

	if (streq(real, root) || !str_beneath(real, root))
		return 0;
	guard->failed = strv_append(&guard->known, real + len + (len > 1));
	return guard->failed;
}

void
walk_guard_finish(struct walk_guard *guard)
{
	strv_free(guard->known);
	guard->known = NULL;
}

bool
walk_guard_knows(struct walk_guard *guard, const char *path)
{
	for (size_t i = 0; guard->known && guard->known[i]; i++) {
		size_t n = strlen(guard->known[i]);

		if (strncmp(path, guard->known[i], n) == 0 && (path[n] == '\0' || path[n] == '/')) {
			atomic_fetch_add(&guard->n, 1);
			return true;
		}
	}
	return false;
}

static int
describe_path_object(const struct walk_guard *guard, const char *path, const struct stat *st,
	struct path_facts *ret_object)
{
	const char *root = guard->root->place.real;
	char *real = str_printf("%s/%s", streq(root, "/") ? "" : root, path);

	*ret_object = (struct path_facts){
		.access = AMBIT_ACCESS_READ,
		.real = real,
		.written = real,
	};
	if (st) {
		ret_object->exists = true;
		ret_object->mode = st->st_mode;
		ret_object->dev = st->st_dev;
		ret_object->ino = st->st_ino;
		ret_object->nlink = st->st_nlink;
	}
	return real ? 0 : -ENOMEM;
}

int
walk_guard_ask(struct walk_guard *guard, char *const *paths, const struct stat *sts, size_t n,
	bool *ret_hides)
{
	struct path_facts *objects = NULL;
	int r;

	memset(ret_hides, 0, n * sizeof(*ret_hides));
	if (guard->open || n == 0)
		return 0;
	objects = calloc(n, sizeof(*objects));
	r = objects ? 0 : -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = describe_path_object(guard, paths[i], sts ? &sts[i] : NULL, &objects[i]);
	if (r == 0) {
		engine_hides(run_lock(guard->run), objects, n, ret_hides);
		run_unlock(guard->run);
	}
	for (size_t i = 0; objects && i < n; i++) {
		free((char *)objects[i].real);
		if (r == 0 && ret_hides[i])
			atomic_fetch_add(&guard->n, 1);
	}
	free(objects);
	return r;
}

/* Whoever reads all of a guarded directory was asked, and the yes is for all of it. */
static int
find_open(struct walk_guard *guard)
{
	char anything[] = "-", *path = anything;

	return walk_guard_ask(guard, &path, NULL, 1, &guard->open);
}

int
walk_guard_init(struct walk_guard *guard, struct tool_run *run, const struct walk_root *root,
	enum ambit_access access, struct ambit_error *err)
{
	int r;

	*guard = (struct walk_guard){ .run = run, .root = root };
	r = engine_hidden(run_lock(run), true, add_known_path, guard);
	run_unlock(run);
	if (guard->failed < 0 || (access == AMBIT_ACCESS_READ_TREE && find_open(guard) < 0))
		return err_nomem(err);
	atomic_store(&guard->n, 0);
	return r < 0 ? err_sys(err, -r, "what is guarded cannot be told") : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of which less is open than all of it. Somebody who is not the person may
 * say so (a client with its roots), and so it can only take away: what lies elsewhere
 * is dropped, and what cannot be told opens nothing. Kept by what follows the folder's
 * own name, for the folder may be moved. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/str.h"
#include "scope/scope-narrow.h"
#include "scope/scope-private.h"

/* What follows root in a path that is beneath it: "" or "/...". */
static const char *
after_root(const struct ambit_scope *scope, const char *real)
{
	size_t n = strlen(scope->root.real);

	return real[n == 1 ? 0 : n] == '/' && real[1] ? real + (n == 1 ? 0 : n) : "";
}

static int
add_only(const struct ambit_scope *scope, const char *dir, char ***only)
{
	const char *root = scope->root.real;
	struct path_facts at = { 0 };
	int r = dir[0] == '/' ? resolve_path(AT_FDCWD, "/", dir, strlen(dir), true, &at, NULL)
			      : -EINVAL;

	if (r == 0 && (!at.exists || !S_ISDIR(at.mode)))
		r = -ENOTDIR;
	if (r == 0 && str_beneath(root, at.real))
		r = strv_append(only, "");
	else if (r == 0 && str_beneath(at.real, root))
		r = strv_append(only, after_root(scope, at.real));
	resolved_finish(&at);
	return r == -ENOMEM ? r : 0;
}

int
scope_narrow(struct ambit_scope *scope, const char *const *dirs, size_t n, const char *by,
	struct ambit_error *err)
{
	auto_free char *words = by ? strdup(by) : NULL;
	char **only = NULL;
	int r = by && !words ? -ENOMEM : 0;

	for (size_t i = 0; r == 0 && dirs && i < n; i++)
		r = add_only(scope, dirs[i], &only);
	/* What cannot be told opens nothing. */
	strv_free(scope->only);
	free(scope->only_by);
	scope->only = r == 0 ? only : NULL;
	scope->only_by = steal_ptr(&words);
	scope->narrowed = r < 0 || dirs;
	if (r < 0)
		strv_free(only);
	return r < 0 ? err_nomem(err) : 0;
}

int
scope_narrowed(
	const struct ambit_scope *scope, int (*each)(void *data, const char *path), void *data)
{
	const char *root = scope->root.real;
	int r = 0;

	if (!scope->narrowed)
		return 1;
	for (char **only = scope->only; r == 0 && only && *only; only++) {
		const char *start = streq(root, "/") && **only ? "" : root;
		auto_free char *path = str_printf("%s%s", start, *only);

		r = path ? each(data, path) : -ENOMEM;
	}
	return r;
}

bool
scope_writes(const struct ambit_scope *scope, const char *real, bool strictly)
{
	const char *rest;

	if (!scope_holds(scope, real))
		return false;
	rest = after_root(scope, real);
	if (!scope->narrowed)
		return !strictly || *rest;
	for (char **only = scope->only; only && *only; only++)
		if ((!**only || str_beneath(rest, *only)) && (!strictly || !streq(rest, *only)))
			return true;
	return false;
}

int
scope_copy_narrowing(
	const struct ambit_scope *from, struct ambit_scope *to, struct ambit_error *err)
{
	char **list = calloc(1, sizeof(*list));
	int r = list ? scope_narrowed(from, strv_append_to, &list) : -ENOMEM;

	if (r == 0)
		r = scope_narrow(to, (const char *const *)list, strv_len(list), from->only_by, err);
	strv_free(list);
	return r < 0 ? err_nomem(err) : 0;
}

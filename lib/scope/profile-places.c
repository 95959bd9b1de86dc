/* SPDX-License-Identifier: Apache-2.0 */
/* Where the folders of a profile are on this machine. The table is trusted, what its names lead to
 * is not: a link may lead anywhere. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/profile.h"
#include "scope/resolve.h"
#include "scope/scope-private.h"

/* A name that may be continued is taken as it is, in the directory that it is in: the file that it
 * names is replaced, whatever link it is now. */
static int
find_real(struct profile_place *place, const char *path, struct ambit_error *err)
{
	struct path_facts resolved;
	size_t len = strlen(path);
	int r;

	place->names = path[len - 1] == '*';
	if (place->names)
		len--;
	r = resolve_path(AT_FDCWD, "/", path, len, !place->names, &resolved, err);
	if (r < 0)
		return r;
	place->leads = !streq(resolved.real, resolved.written);
	place->real = resolved_take(&resolved);
	resolved_finish(&resolved);
	return 0;
}

#define RUNTIME "$XDG_RUNTIME_DIR/"

/* Where the table's name is on this machine; NULL: there is no such place. */
static int
find_written(const char *folder, const struct ambit_scope *scope, char **ret_path,
	struct ambit_error *err)
{
	const char *home = scope->home, *sockets = scope->runtime;

	*ret_path = NULL;
	if (str_prefix(folder, RUNTIME)) {
		/* ambit's own sockets are in a directory there. */
		int len = sockets ? (int)(strrchr(sockets, '/') - sockets) : 0;

		if (len == 0)
			return 0;
		*ret_path = str_printf("%.*s/%s", len, sockets, folder + strlen(RUNTIME));
	} else if (!str_prefix(folder, "~/")) {
		*ret_path = strdup(folder);
	} else if (home) {
		*ret_path = str_printf("%s/%s", home, folder + 2);
	} else {
		return err_set(err, ENOENT, "there is no home directory");
	}
	return *ret_path ? 0 : err_nomem(err);
}

/* 1: there is no such place here. */
static int
find_place(struct profile_place *place, const char *folder, const struct ambit_scope *scope,
	struct ambit_error *err)
{
	auto_free char *path = NULL;
	int r = find_written(folder, scope, &path, err);

	if (r < 0 || !path)
		return r < 0 ? r : 1;
	place->shown = strdup(str_prefix(folder, "~/") ? folder : path);
	if (!place->shown)
		return err_nomem(err);
	r = find_real(place, path, err);
	if (r == 0 && scope->home && str_beneath(scope->home, place->real))
		r = err_set(err, EPERM, "%s leads to %s: not to be opened", folder, place->real);
	return r;
}

int
profile_places_find(const struct profile *profile, const char *const *folders,
	const struct ambit_scope *scope, struct profile_places *ret_places, struct ambit_error *err)
{
	struct profile_places places = { 0 };
	size_t n = 0;
	int r = 0;

	while (folders && folders[n])
		n++;
	places.list = calloc(n + 1, sizeof(*places.list));
	if (!places.list)
		return err_nomem(err);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = find_place(&places.list[places.n], folders[i], scope, err);
		places.n += r == 0;
	}
	if (r < 0) {
		places.n++; /* half of it is there to be freed */
		profile_places_finish(&places);
		return err ? err_context(err, "the profile %s", profile->name) : r;
	}
	*ret_places = places;
	return 0;
}

bool
profile_places_hold(const struct profile_places *places, const char *real, bool makes_dir)
{
	for (size_t i = 0; i < places->n; i++) {
		const struct profile_place *place = &places->list[i];

		if (str_beneath(real, place->real) ||
			(place->names && str_prefix(real, place->real)) ||
			(makes_dir && str_beneath(place->real, real)))
			return true;
	}
	return false;
}

void
profile_places_finish(struct profile_places *places)
{
	for (size_t i = 0; i < places->n; i++) {
		free(places->list[i].shown);
		free(places->list[i].real);
	}
	free(places->list);
	*places = (struct profile_places){ 0 };
}

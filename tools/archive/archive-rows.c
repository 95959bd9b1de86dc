/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive holds, by name: each name is one thing, whatever the archive says
 * about it later. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/archive/archive-unpack.h"

void
unpack_init(struct unpack *unpack)
{
	*unpack = (struct unpack){
		.dir = -1,
		.parent = -1,
		.by_name.value_size = sizeof(size_t),
	};
	unpack->limits = (struct unpack_limits){
		.entries = 20000,
		.bytes = 512u << 20,
		/* Text packs ten to one, a bomb a thousand. */
		.ratio = 200,
		.ratio_from = 32u << 20,
	};
}

void
unpack_finish(struct unpack *unpack)
{
	for (size_t i = 0; i < unpack->n_rows; i++) {
		free(unpack->rows[i].name);
		free(unpack->rows[i].target);
	}
	for (size_t i = 0; i < unpack->n_left; i++) {
		free(unpack->left[i].name);
		free(unpack->left[i].why);
	}
	free(unpack->rows);
	map_finish(&unpack->by_name);
	free(unpack->left);
	free(unpack->parent_name);
	if (unpack->parent >= 0)
		close(unpack->parent);
	unpack_init(unpack);
}

struct unpack_row *
unpack_find(const struct unpack *unpack, const char *name)
{
	const size_t *at = map_find(&unpack->by_name, name, strlen(name));

	return at ? &unpack->rows[*at] : NULL;
}

static int
grow_rows(struct unpack *unpack)
{
	size_t size = unpack->rows_size ? unpack->rows_size * 2 : 32;
	struct unpack_row *rows;

	if (unpack->n_rows < unpack->rows_size)
		return 0;
	rows = reallocarray(unpack->rows, size, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	unpack->rows = rows;
	unpack->rows_size = size;
	return 0;
}

int
unpack_add(struct unpack *unpack, char *name, enum unpack_kind kind, size_t parent,
	struct unpack_row **ret_row, struct ambit_error *err)
{
	auto_free char *owned = name;
	size_t *at;

	if (!name)
		return err_nomem(err);
	if (unpack->n_rows >= unpack->limits.entries)
		return err_set(err, E2BIG, "the archive holds more than %zu files and directories",
			unpack->limits.entries);
	at = grow_rows(unpack) == 0 ? map_add(&unpack->by_name, name, strlen(name)) : NULL;
	if (!at)
		return err_nomem(err);
	*at = unpack->n_rows;
	unpack->rows[unpack->n_rows] = (struct unpack_row){
		.name = owned,
		.kind = kind,
		.parent = parent,
	};
	*ret_row = &unpack->rows[unpack->n_rows++];
	owned = NULL;
	return 0;
}

void
unpack_leave(struct unpack *unpack, const char *name, const char *why)
{
	struct unpack_left *list = unpack->left;

	unpack->n_left_all++;
	if (unpack->n_left == UNPACK_LEFT_MAX)
		return;
	if (!list) {
		list = calloc(UNPACK_LEFT_MAX, sizeof(*list));
		unpack->left = list;
	}
	if (!list)
		return;
	list[unpack->n_left] = (struct unpack_left){
		.name = str_escape(name, str_cut(name, strlen(name), 200)),
		.why = strdup(why),
	};
	unpack->n_left++;
}

size_t
unpack_count(const struct unpack *unpack, enum unpack_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < unpack->n_rows; i++)
		n += unpack->rows[i].kind == kind && !unpack->rows[i].gone;
	return n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive holds, by name: each name is one thing, whatever the archive says
 * about it later. */

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "tools/archive/archive-unpack.h"

void
unpack_init(struct unpack *unpack)
{
	*unpack = (struct unpack){ .dir = -1, .parent = -1 };
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
	free(unpack->table);
	free(unpack->left);
	free(unpack->parent_name);
	if (unpack->parent >= 0)
		close(unpack->parent);
	unpack_init(unpack);
}

static uint64_t
hash_row_name(const char *text)
{
	uint64_t h = hash_fnv_text(HASH_FNV_START, text);

	return h ^ h >> 29;
}

/* Where the name is in the table, or would be. */
static size_t *
find_table_slot(const struct unpack *unpack, const char *name)
{
	size_t mask = unpack->table_size - 1;

	for (size_t i = hash_row_name(name) & mask;; i = (i + 1) & mask)
		if (unpack->table[i] == 0 || streq(unpack->rows[unpack->table[i] - 1].name, name))
			return &unpack->table[i];
}

struct unpack_row *
unpack_find(const struct unpack *unpack, const char *name)
{
	size_t at = unpack->table_size > 0 ? *find_table_slot(unpack, name) : 0;

	return at > 0 ? &unpack->rows[at - 1] : NULL;
}

/* Never more than half full. */
static int
grow_row_table(struct unpack *unpack)
{
	size_t size = unpack->table_size ? unpack->table_size * 2 : 64;
	struct unpack_row *rows = reallocarray(unpack->rows, size / 2, sizeof(*rows));
	size_t *table;

	if (!rows)
		return -ENOMEM;
	unpack->rows = rows;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(unpack->table);
	unpack->table = table;
	unpack->table_size = size;
	for (size_t i = 0; i < unpack->n_rows; i++)
		*find_table_slot(unpack, rows[i].name) = i + 1;
	return 0;
}

int
unpack_add(struct unpack *unpack, char *name, enum unpack_kind kind, size_t parent,
	struct unpack_row **ret_row, struct ambit_error *err)
{
	auto_free char *owned = name;

	if (!name)
		return err_nomem(err);
	if (unpack->n_rows >= unpack->limits.entries)
		return err_set(err, E2BIG, "the archive holds more than %zu files and directories",
			unpack->limits.entries);
	if (unpack->n_rows * 2 >= unpack->table_size && grow_row_table(unpack) < 0)
		return err_nomem(err);
	unpack->rows[unpack->n_rows] = (struct unpack_row){
		.name = owned,
		.kind = kind,
		.parent = parent,
	};
	*find_table_slot(unpack, owned) = unpack->n_rows + 1;
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

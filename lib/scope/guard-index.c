/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rows whose first part may be a given name, so that a path costs a
 * few comparisons per component however long the table is. Rows are sorted into
 * slots: a row without a wildcard by first byte, last byte and length of its
 * first part, one with a wildcard by first byte, and what could be any name by
 * itself. Rows that begin in the home have slots of their own. Names are
 * compared without case, and so are they here. */

#include <stdlib.h>

#include "base/str.h"
#include "scope/guard-private.h"

/* The slots, in the order in which the rows stand. */
enum {
	SLOT_ANY = 0,
	SLOT_BYTE,		     /* + first byte: a wildcard comes later */
	SLOT_NAME = SLOT_BYTE + 128, /* + hash: no wildcard */
	SLOT_HOME = SLOT_NAME + 256, /* + hash: the same, in the home */
	SLOT_HOME_ANY = SLOT_HOME + 256,
	SLOT_ROOT,
	SLOT_END,
};

_Static_assert(SLOT_END == GUARD_SLOTS, "a start for each slot");

static size_t
hash_name(const char *name, size_t len)
{
	unsigned first = (unsigned char)str_lower(name[0]);
	unsigned last = (unsigned char)str_lower(name[len - 1]);

	return (first * 7 + last * 31 + (unsigned)len * 13) % 256;
}

static bool
is_ascii(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] >= 0x80)
			return false;
	return true;
}

static size_t
choose_slot(const struct guard_compiled *row)
{
	const struct guard_part *part = &row->parts[0];
	bool plain = !part->glob && is_ascii(part->text, part->len);
	unsigned char first = (unsigned char)part->text[0];

	if (row->anchor == ANCHOR_ROOT)
		return SLOT_ROOT;
	if (row->anchor == ANCHOR_HOME)
		return plain ? SLOT_HOME + hash_name(part->text, part->len) : SLOT_HOME_ANY;
	if (plain)
		return SLOT_NAME + hash_name(part->text, part->len);
	return first >= 0x80 || strchr("*?[\\", first) ? SLOT_ANY
						       : SLOT_BYTE + (size_t)str_lower((char)first);
}

static int
compare_slots(const void *a, const void *b)
{
	const struct guard_compiled *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
guards_index(struct guards *guards)
{
	size_t row = 0;

	for (size_t i = 0; i < guards->n_rows; i++) {
		guards->rows[i].order = i;
		guards->rows[i].slot = choose_slot(&guards->rows[i]);
	}
	qsort(guards->rows, guards->n_rows, sizeof(*guards->rows), compare_slots);
	for (size_t slot = 0; slot <= SLOT_END; slot++) {
		while (row < guards->n_rows && guards->rows[row].slot < slot)
			row++;
		guards->starts[slot] = row;
	}
}

/* Two letters outside ASCII fold into it (glob.c): with one of them, a name of
 * another length and other bytes may be the same. */
static bool
folds_into_ascii(const char *name, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (memcmp(name + i, "\xc5\xbf", 2) == 0 ||
			(i + 2 < len && memcmp(name + i, "\xe2\x84\xaa", 3) == 0))
			return true;
	return false;
}

static void
add_range(const struct guards *guards, struct guard_ranges *ranges, size_t from, size_t end)
{
	size_t a = guards->starts[from], b = guards->starts[end];

	if (a < b)
		ranges->at[ranges->n++] = (struct guard_range){ .from = a, .to = b };
}

void
guards_floating(const struct guards *guards, const char *name, size_t len, bool wide,
	struct guard_ranges *ret_ranges)
{
	unsigned char first = (unsigned char)str_lower(name[0]);
	size_t slot;

	ret_ranges->n = 0;
	if (wide && folds_into_ascii(name, len)) {
		add_range(guards, ret_ranges, SLOT_ANY, SLOT_HOME);
		return;
	}
	slot = SLOT_NAME + hash_name(name, len);
	add_range(guards, ret_ranges, slot, slot + 1);
	if (first < 0x80)
		add_range(guards, ret_ranges, SLOT_BYTE + (size_t)first,
			SLOT_BYTE + (size_t)first + 1);
	add_range(guards, ret_ranges, SLOT_ANY, SLOT_ANY + 1);
}

void
guards_in_home(const struct guards *guards, const char *name, size_t len, bool wide,
	struct guard_ranges *ret_ranges)
{
	ret_ranges->n = 0;
	if (len > 0 && wide && folds_into_ascii(name, len)) {
		add_range(guards, ret_ranges, SLOT_HOME, SLOT_ROOT);
		return;
	}
	if (len > 0) {
		size_t slot = SLOT_HOME + hash_name(name, len);

		add_range(guards, ret_ranges, slot, slot + 1);
	}
	add_range(guards, ret_ranges, SLOT_HOME_ANY, SLOT_HOME_ANY + 1);
}

void
guards_at_root(const struct guards *guards, struct guard_ranges *ret_ranges)
{
	ret_ranges->n = 0;
	add_range(guards, ret_ranges, SLOT_ROOT, SLOT_END);
}

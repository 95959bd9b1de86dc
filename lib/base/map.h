/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

/* Byte strings to values of one size. Threads need a lock of their own around it.
 * Paths that are looked up a part at a time (line/floor/ground.c) have their own table,
 * since a hash that is made on the way saves hashing each parent again; so have
 * addresses with several names each (egress/dns/names.c). */

struct map_entry;

struct map {
	size_t value_size; /* set by the caller; the rest begins as zero */
	size_t n;
	size_t n_buckets;
	struct map_entry **buckets;
};

/* Frees the keys and values, not what the values point to. */
void map_finish(struct map *map);

/* The value of a key, aligned to 8 bytes, or NULL. It stays where it is until it is
 * removed. */
void *map_find(const struct map *map, const void *key, size_t len);
/* The same, with a new value of zeros if there was none; NULL without memory. */
void *map_add(struct map *map, const void *key, size_t len);
void map_remove(struct map *map, void *value);

/* The key of a value, with a NUL behind it. ret_len may be NULL. */
const void *map_key(const struct map *map, const void *value, size_t *ret_len);

/* The value after this one, in no order, or NULL; before NULL comes the first. Find the
 * next one before you remove one, and add none meanwhile. */
void *map_next(const struct map *map, const void *value);

#endif

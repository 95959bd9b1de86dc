/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with chains: keys in, values out. Keys may be chosen by somebody who
 * wants them to collide: that makes a search slow, never wrong, so whoever fills a map
 * from such keys bounds it. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"

#define BUCKETS_FIRST 64 /* a power of two, as all that follow */

struct map_entry {
	struct map_entry *next;
	uint64_t hash;
	size_t len;
	uint64_t value[]; /* then the key and a NUL */
};

static size_t
value_words(const struct map *map)
{
	return (map->value_size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static struct map_entry *
entry_of(const void *value)
{
	return (struct map_entry *)((uintptr_t)value - offsetof(struct map_entry, value));
}

static uint64_t
hash_key(const void *key, size_t len)
{
	uint64_t hash = hash_fnv(HASH_FNV_START, key, len);

	return hash ^ (hash >> 29);
}

/* The pointer to the entry, or the one that a new entry is put at. The map has buckets. */
static struct map_entry **
find_entry_slot(const struct map *map, const void *key, size_t len, uint64_t hash)
{
	struct map_entry **at = &map->buckets[hash & (map->n_buckets - 1)];

	while (*at && !((*at)->hash == hash && (*at)->len == len &&
			      memcmp((*at)->value + value_words(map), key, len) == 0))
		at = &(*at)->next;
	return at;
}

/* Without memory the chains just get longer. */
static void
grow_buckets(struct map *map)
{
	size_t n = map->n_buckets > 0 ? map->n_buckets * 2 : BUCKETS_FIRST;
	struct map_entry **buckets = calloc(n, sizeof(struct map_entry *));

	if (!buckets)
		return;
	for (size_t i = 0; i < map->n_buckets; i++)
		for (struct map_entry *entry = map->buckets[i], *next; entry; entry = next) {
			struct map_entry **at = &buckets[entry->hash & (n - 1)];

			next = entry->next;
			entry->next = *at;
			*at = entry;
		}
	free(map->buckets);
	map->buckets = buckets;
	map->n_buckets = n;
}

void
map_finish(struct map *map)
{
	for (size_t i = 0; i < map->n_buckets; i++)
		for (struct map_entry *entry = map->buckets[i], *next; entry; entry = next) {
			next = entry->next;
			free(entry);
		}
	free(map->buckets);
	*map = (struct map){ .value_size = map->value_size };
}

void *
map_find(const struct map *map, const void *key, size_t len)
{
	struct map_entry *entry = NULL;

	if (map->n > 0)
		entry = *find_entry_slot(map, key, len, hash_key(key, len));
	return entry ? entry->value : NULL;
}

void *
map_add(struct map *map, const void *key, size_t len)
{
	uint64_t hash = hash_key(key, len);
	size_t words = value_words(map);
	struct map_entry **at, *entry;

	if (map->n >= map->n_buckets)
		grow_buckets(map);
	if (map->n_buckets == 0)
		return NULL;
	at = find_entry_slot(map, key, len, hash);
	if (*at)
		return (*at)->value;
	entry = calloc(1, sizeof(*entry) + words * sizeof(uint64_t) + len + 1);
	if (!entry)
		return NULL;
	entry->hash = hash;
	entry->len = len;
	memcpy(entry->value + words, key, len);
	*at = entry;
	map->n++;
	return entry->value;
}

void
map_remove(struct map *map, void *value)
{
	struct map_entry *entry = entry_of(value);
	struct map_entry **at = &map->buckets[entry->hash & (map->n_buckets - 1)];

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	map->n--;
	free(entry);
}

const void *
map_key(const struct map *map, const void *value, size_t *ret_len)
{
	const struct map_entry *entry = entry_of(value);

	if (ret_len)
		*ret_len = entry->len;
	return entry->value + value_words(map);
}

void *
map_next(const struct map *map, const void *value)
{
	const struct map_entry *entry = value ? entry_of(value) : NULL;
	size_t i = entry ? (entry->hash & (map->n_buckets - 1)) + 1 : 0;

	if (entry && entry->next)
		return entry->next->value;
	for (; i < map->n_buckets; i++)
		if (map->buckets[i])
			return map->buckets[i]->value;
	return NULL;
}

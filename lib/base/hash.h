/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_HEX 65 /* 64 digits and a NUL */

/* SHA-256 as hex, so that sha256sum(1) can check it. */
void hash_sha256(const void *data, size_t len, char ret_hex[HASH_HEX]);

#define HASH_LETTERS "abcdefghijkmnpqrstuvwxyz23456789"

/* n of them at random, NUL-terminated: out has n + 1 bytes. */
void hash_random_name(char *out, size_t n);

/* FNV-1a, for tables and marks. Not for hostile input that must not collide: two texts with the
 * same hash are easy to make. Begin with HASH_FNV_START; pass the result on for more bytes. Some
 * results are stored or compared across processes, so the function must not change. */
#define HASH_FNV_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t
hash_fnv_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t
hash_fnv(uint64_t hash, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = hash_fnv_byte(hash, ((const unsigned char *)data)[i]);
	return hash;
}

/* The same for a text, without its NUL. */
static inline uint64_t
hash_fnv_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = hash_fnv_byte(hash, (unsigned char)*text++);
	return hash;
}

#endif

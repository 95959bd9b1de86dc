/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

#define HASH_HEX 65 /* 64 digits and a NUL */

/* SHA-256 as hex, so that sha256sum(1) can check it. */
void hash_sha256(const void *data, size_t len, char ret_hex[HASH_HEX]);

#define HASH_LETTERS "abcdefghijkmnpqrstuvwxyz23456789"

/* n of them at random, NUL-terminated: out has n + 1 bytes. */
void hash_random_name(char *out, size_t n);

#endif

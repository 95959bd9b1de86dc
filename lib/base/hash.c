/* SPDX-License-Identifier: Apache-2.0 */
/* Digests and random names, by libsodium. */

#include <sodium.h>

#include "base/hash.h"

void
hash_sha256(const void *data, size_t len, char ret_hex[HASH_HEX])
{
	unsigned char digest[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(digest, data, len);
	sodium_bin2hex(ret_hex, HASH_HEX, digest, sizeof(digest));
}

void
hash_random_name(char *out, size_t n)
{
	static const char letters[] = HASH_LETTERS;

	/* 32 of them: each byte chooses evenly. */
	_Static_assert(sizeof(letters) - 1 == 32, "a power of two");
	randombytes_buf(out, n);
	for (size_t i = 0; i < n; i++)
		out[i] = letters[(unsigned char)out[i] % 32];
	out[n] = '\0';
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody has the word that opens the proxy. He may try as often as he likes:
 * how long a wrong one takes to be refused tells nothing about the right one. */

#include <sodium.h>
#include <string.h>

#include "base/str.h"
#include "egress/http/head.h"

#define SCHEME "Basic "
#define SCHEME_LEN (sizeof(SCHEME) - 1)
#define PAIR_MAX 256
#define VARIANT sodium_base64_VARIANT_ORIGINAL

bool
head_basic_is(const char *text, size_t len, const char *user, const char *password)
{
	size_t n = strlen(user), m = strlen(password), want;
	unsigned char pair[PAIR_MAX + 1];
	char coded[sodium_base64_ENCODED_LEN(sizeof(pair), VARIANT)];
	bool same;

	if (len < SCHEME_LEN || !str_fold_equal(text, SCHEME, SCHEME_LEN))
		return false;
	if (n > PAIR_MAX || m > PAIR_MAX - n)
		return false;
	memcpy(pair, user, n);
	pair[n] = ':';
	memcpy(pair + n + 1, password, m);
	sodium_bin2base64(coded, sizeof(coded), pair, n + 1 + m, VARIANT);
	want = strlen(coded);
	same = len - SCHEME_LEN == want && sodium_memcmp(text + SCHEME_LEN, coded, want) == 0;
	sodium_memzero(pair, sizeof(pair));
	sodium_memzero(coded, sizeof(coded));
	return same;
}

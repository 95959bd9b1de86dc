/* SPDX-License-Identifier: Apache-2.0 */
/* Globs and host patterns: matching ends, agrees with what it must, and a
 * pattern that is refused matches nothing it would have to. Input: pattern,
 * NUL, text. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "request/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_glob(const char *pattern, size_t pattern_len, const char *text, size_t text_len)
{
	bool plain = glob_match(pattern, pattern_len, text, text_len, false);

	assert(glob_match("*", 1, text, text_len, false));
	assert(glob_match("", 0, text, text_len, true) == (text_len == 0));
	/* Without any special character a pattern matches itself and nothing else. */
	if (!memchr(pattern, '*', pattern_len) && !memchr(pattern, '?', pattern_len) &&
		!memchr(pattern, '[', pattern_len) && !memchr(pattern, '\\', pattern_len)) {
		assert(plain == (pattern_len == text_len && memcmp(pattern, text, text_len) == 0));
		assert(glob_match(pattern, pattern_len, pattern, pattern_len, true));
		if (plain)
			assert(glob_match(pattern, pattern_len, text, text_len, true));
	}
}

static void
check_host(const char *pattern, const char *text)
{
	char *host = NULL, *again = NULL;
	int port = 0, port_again, r = host_parse(text, &host, &port);
	bool good = host_pattern_check(pattern) == 0;

	assert(r == 0 || r == -EINVAL);
	if (r < 0) {
		assert(!host_match(pattern, text, 0));
		return;
	}
	/* One spelling: parsing it again changes nothing. */
	assert(host_parse(host, &again, &port_again) == 0);
	assert(strcmp(host, again) == 0 && port_again == 0);
	assert(port >= 0 && port <= 65535);
	/* A socket keeps its bytes, but can never be read as a pattern. */
	if (host_is_unix(host))
		assert(port == 0 && strcmp(host, text) == 0 &&
			!host_match(host, "unix:/x", 0) == !!strcmp(host, "unix:/x"));
	else
		assert(!strpbrk(host, "/@\\ []%*"));
	assert(host_match(host, host, port));
	assert(!host_match(pattern, host, port) || good);
	if (host_match("*", host, port))
		assert(!host_is_local(host) && !strchr(host, ':'));
	free(host);
	free(again);
}

static void
check_url(const char *text)
{
	char *host = NULL, *again = NULL;
	int port = 0;

	if (host_parse_url(text, &host, &port) != 0)
		return;
	assert(port > 0 && port <= 65535);
	assert(host_parse(host, &again, &port) == 0 && strcmp(host, again) == 0);
	assert(!strpbrk(text, " \t\r\n\\"));
	free(host);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	size_t pattern_len = nul ? (size_t)(nul - data) : size;
	size_t text_len = nul ? size - pattern_len - 1 : 0;
	char *pattern = calloc(1, pattern_len + 1), *text = calloc(1, text_len + 1);

	assert(pattern && text);
	memcpy(pattern, data, pattern_len);
	if (text_len)
		memcpy(text, nul + 1, text_len);
	if (size < 4096) {
		check_glob(pattern, pattern_len, text, text_len);
		glob_check(pattern);
	}
	check_host(pattern, text);
	check_url(text);
	free(pattern);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A patch that is accepted names a file, and every name comes from its text:
 * an accepted patch without a file would be a write that nobody decided. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patch/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	size_t size;
	size_t n;
};

static int
each(void *data, const char *path, size_t len, enum ambit_access access)
{
	struct seen *seen = data;

	assert(path && len > 0 && len <= seen->size);
	/* A name never holds what some readers end a name at. */
	assert(!memchr(path, '\r', len) && !memchr(path, '\f', len) && !memchr(path, '\v', len));
	assert(access <= AMBIT_ACCESS_READ && access != AMBIT_ACCESS_MKDIR);
	seen->n++;
	return 0;
}

static int
stop(void *data, const char *path, size_t len, enum ambit_access access)
{
	(void)data;
	(void)path;
	(void)len;
	(void)access;
	return -E2BIG;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct seen seen = { .size = size };
	struct ambit_error err = { 0 };
	size_t line = 0;
	int r = patch_paths(text, size, each, &seen, &err);

	assert(r == 0 || r == -EINVAL);
	if (r == 0)
		assert(seen.n > 0);
	else
		assert(sscanf(err.text, "line %zu: ", &line) == 1 && line > 0 && line <= size + 1);
	if (seen.n > 0)
		assert(patch_paths(text, size, stop, NULL, &err) == -E2BIG);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ClientHellos: a shorter look says "more" or the same, and what is named has a name
 * that stands in the bytes. Input: what a client sent. */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "egress/http/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_name(const char *name)
{
	size_t len = strnlen(name, HELLO_NAME_MAX);

	assert(len > 0 && len < HELLO_NAME_MAX);
	assert(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == len);
	assert(name[0] != '.' && name[len - 1] != '.' && !strstr(name, ".."));
}

/* The name's letters, one behind the other in whatever record they are, in any case. */
static bool
substituted(const char *name, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size && *name; i++)
		if (str_lower((char)data[i]) == *name)
			name++;
	return !*name;
}

/* An exact-sized copy, so that a read past its end is seen. */
static enum hello
parse(const uint8_t *data, size_t size, char name[HELLO_NAME_MAX])
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	enum hello result;

	assert(copy);
	memcpy(copy, data, size);
	name[0] = '\0';
	result = hello_parse(copy, size, name);
	assert(result == HELLO_NAMED || !name[0]);
	free(copy);
	return result;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[HELLO_NAME_MAX], shorter[HELLO_NAME_MAX];
	enum hello result = hello_parse(data, size, name), part;

	if (result == HELLO_NAMED) {
		check_name(name);
		assert(substituted(name, data, size));
	}
	assert(result != HELLO_MORE || size < HELLO_MAX);
	if (result == HELLO_NOT)
		assert(data[0] != 0x16 || (size > 1 && data[1] != 3));
	/* All lengths of a short one, some of a long one. */
	for (size_t n = 0; n < size; n += 1 + size / 512) {
		part = parse(data, n, shorter);
		assert(part == HELLO_MORE || part == result);
		assert(part != HELLO_NAMED || streq(name, shorter));
	}
	if (size > 0) {
		part = parse(data, size - 1, shorter);
		assert(part == HELLO_MORE || part == result);
	}
	return 0;
}

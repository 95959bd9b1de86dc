/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without a fuzzer: the given files, then pseudo-random
 * changes of them and of nothing, from a fixed seed, so that `make check`
 * tries the same inputs on every machine and with every compiler. */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (1u << 16)
#define ROUNDS 4000

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t
next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Bytes that parsers care about come up more often than chance would have them. */
static uint8_t
byte(void)
{
	static const char likely[] = "{}[]\":,\\/.*?~@+- \n\t0\0a$`|&;<>()'=#%\xe2\xff\x80";

	return (next() & 3) ? (uint8_t)likely[next() % (sizeof(likely) - 1)] : (uint8_t)next();
}

static size_t
mutate(uint8_t *data, size_t size)
{
	size_t at = size > 0 ? next() % size : 0, n = 1 + next() % 8;

	switch (next() % 4) {
	case 0: /* change */
		for (size_t i = at; i < size && i < at + n; i++)
			data[i] = byte();
		return size;
	case 1: /* cut */
		if (n > size - at)
			n = size - at;
		memmove(data + at, data + at + n, size - at - n);
		return size - n;
	case 2: /* insert */
		if (size + n > INPUT_MAX)
			return size;
		memmove(data + at + n, data + at, size - at);
		for (size_t i = 0; i < n; i++)
			data[at + i] = byte();
		return size + n;
	default: /* repeat what is there */
		if (size == 0 || size * 2 > INPUT_MAX)
			return size;
		memcpy(data + size, data, size);
		return size * 2;
	}
}

/* An exact-sized copy, so that the address sanitizer sees a read past its end. */
static void
try_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(1, size > 0 ? size : 1);

	if (copy == NULL) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
try_around(const uint8_t *seed, size_t seed_size, int rounds)
{
	static uint8_t data[INPUT_MAX];

	for (int i = 0; i < rounds; i++) {
		size_t size = seed_size < INPUT_MAX ? seed_size : INPUT_MAX;

		memcpy(data, seed, size);
		for (uint64_t n = 1 + next() % 6; n > 0; n--)
			size = mutate(data, size);
		try_input(data, size);
	}
}

int
main(int argc, char **argv)
{
	try_input((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		char *text;
		size_t len;

		if (fd_read_file(AT_FDCWD, argv[i], 1u << 24, &text, &len) < 0) {
			fprintf(stderr, "%s: cannot read\n", argv[i]);
			return 1;
		}
		try_input((const uint8_t *)text, len);
		if (len <= INPUT_MAX / 2)
			try_around((const uint8_t *)text, len, 1 + ROUNDS / argc);
		free(text);
	}
	try_around((const uint8_t *)"", 0, ROUNDS);
	return 0;
}

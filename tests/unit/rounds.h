/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

/* How often something is tried: enough to see it fail, or, with AMBIT_LONG in the
 * environment, as often as anybody has patience for. */

#include <stdbool.h>
#include <stdlib.h>

static inline bool
rounds_long(void)
{
	const char *text = getenv("AMBIT_LONG");

	return text && text[0];
}

static inline int
rounds(int usual, int many)
{
	return rounds_long() ? many : usual;
}

#endif

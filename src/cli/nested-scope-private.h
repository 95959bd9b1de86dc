/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_NESTED_SCOPE_PRIVATE_H
#define CLI_NESTED_SCOPE_PRIVATE_H

#include "nested-scope.h"

/* Tables that nested-scope-write.c writes by and nested-scope.c reads by. */

/* What can be narrowed by a word; smaller is narrower. Ends in a row without key. */
struct cap {
	const char *key;
	const struct ambit_word *words;
	enum opt opt; /* that says it */
};
extern const struct cap around_caps[];

/* What each command may use: a limit is on those inside as well. Likewise. */
struct around_limit {
	const char *key;
	size_t offset; /* of the number in struct ambit_limits */
};
extern const struct around_limit around_limit_keys[];

static inline uint64_t *
around_limit_at(struct ambit_limits *of, const struct around_limit *limit)
{
	return (uint64_t *)((char *)of + limit->offset);
}

#endif

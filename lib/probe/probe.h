/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>

#include <ambit/error.h>

/* What this machine offers to hold the line with. */

struct probe {
	const char *name; /* static */
	bool ok;
	char detail[160];   /* what was found */
	const char *advice; /* what to do if it is not ok; static, may be NULL */
};

/* Looks, changes nothing. each returns non-zero to stop. */
int probe_each(int (*each)(void *data, const struct probe *probe), void *data);

/* 0 if the line can be held here as far as can be known before it is tried;
 * else -errno, and err says in one sentence why not. Changes nothing, costs a
 * few microseconds. */
int probe_line(struct ambit_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_FLOOR_FLOOR_PRIVATE_H
#define LINE_FLOOR_FLOOR_PRIVATE_H

#include <linux/landlock.h>
#include <stdint.h>

#include "line/floor/floor.h"

/* Between floor.c and floor-read.c. */

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#define FLOOR_RULES_MAX 4096

#define FLOOR_READ                                                                                 \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE)

struct floor {
	int fd; /* -1: an outline */
	int abi;
	uint64_t handled;
	unsigned n_rules;
	struct grounds *grounds; /* where writing is granted, and the spine */
};

/* What fd is and everything beneath gets these rights, as far as they are
 * handled and fit (dir: a directory). -E2BIG with words past the most rules. */
int floor_add(struct floor *floor, int fd, bool dir, uint64_t rights, struct ambit_error *err);

/* Everything that may be read, by options. */
int floor_add_reads(
	struct floor *floor, const struct floor_options *options, struct ambit_error *err);

/* Whether something that is hidden lies at path or beneath it. */
bool floor_hides(const struct floor_options *options, const char *path);

/* Whether what lies at path may be read: the nearest of what is readable and what is hidden counts,
 * at it or above it. */
bool floor_may_read(const struct floor_options *options, const char *path);

/* O_PATH of a real path: a symlink anywhere in it is -ELOOP. */
int floor_open(const char *real);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_WALK_PRIVATE_H
#define TOOLS_SEARCH_WALK_PRIVATE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tools/search/walk.h"

/* Shared by walk.c (who reads which directory when) and walk-dir.c (one directory). */

#define WALK_READ_SIZE 65536

struct walk_job {
	const struct walk_options *options;
	const char *above;
	size_t above_len;
	atomic_size_t n_found;
	atomic_size_t n_dirs; /* besides the root */
	atomic_size_t unreadable;
	atomic_size_t steps;
	atomic_bool cut;
	atomic_bool costly;
	atomic_bool stopped;
	atomic_int error; /* -errno: the first */

	pthread_mutex_t lock; /* what follows */
	pthread_cond_t more;
	struct walk_dir **todo;
	size_t n_todo, size;
	size_t busy;
	struct walk_rules *made;
};

/* What one thread needs, for all the directories it reads. */
struct walk_desk {
	struct walk_job *job;
	char *read; /* WALK_READ_SIZE */
	char *text; /* kind and name of each entry */
	size_t len, size;
	size_t steps; /* since it was last asked whether to stop */
	struct walk_rules *made;
	char path[PATH_MAX]; /* of an entry, from the top */
};

/* So many more names were found: whether that is too many, and the walk cut. Whoever
 * passes the limit sees it, also if several do so together. */
bool walk_count(struct walk_job *job, size_t n);

/* Whether to go no further, not even with what was read: asks. */
bool walk_stopped(struct walk_job *job);

/* Reads dir, which has its path, depth, dev and the rules around it: fills in the
 * rest. 0 also if it cannot be read; -ENOMEM. */
int walk_read_dir(struct walk_desk *desk, struct walk_dir *dir);
void walk_dir_destroy(struct walk_dir *dir);

#endif

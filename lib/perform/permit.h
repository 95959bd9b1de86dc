/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_PERMIT_H
#define PERFORM_PERMIT_H

#include <sys/types.h>

#include <ambit/error.h>
#include <ambit/words.h>

#include "scope/resolve.h"

/* The one-use right to act on what was decided. Only the engine makes one. */

struct permit_path {
	enum ambit_access access;
	struct path_facts resolved;
	bool used;
};

/* Opens the n-th object as it was resolved. The caller marks nothing: each
 * path of a permit opens once. */
int permit_open(
	struct permit_path *path, int flags, mode_t mode, int *ret_fd, struct ambit_error *err);

struct ambit_engine;
struct leftovers;

/* The right to one act, from the engine's fast answer or from a permit. Zeroed memory gives no
 * right. */
struct pass {
	const struct ambit_engine *engine;
	/* The list in which staged files are noted, in case of a kill; the engine's; or NULL. */
	struct leftovers *leftovers;
};
/* Uses it up: 0, or -EPERM if there was none. Whoever acts calls it first. */
int pass_use(struct pass *pass);

#endif

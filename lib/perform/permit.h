/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_PERMIT_H
#define PERFORM_PERMIT_H

#include <sys/types.h>

#include <ambit/words.h>

#include "scope/resolve.h"

/* The one-use right to act on what was decided. Only the engine makes one. */

struct permit_path {
	enum ambit_access access;
	struct resolved resolved;
	bool used;
};

/* Opens the n-th object as it was resolved. The caller marks nothing: each
 * path of a permit opens once. */
int permit_open(
	struct permit_path *path, int flags, mode_t mode, int *ret_fd, struct ambit_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_WALK_ROOT_H
#define TOOLS_SEARCH_WALK_ROOT_H

#include "tools/registry/own-tool.h"

/* Where a call of glob or grep begins: what was decided, held open. */

struct walk_root {
	struct ambit_place place;
	int fd; /* a directory or a regular file, open to read */
	bool dir;
};

/* The place that a call was decided to begin at: path (NULL: where the call stands)
 * and the fixed part of a pattern in it. -ENOENT, -EINVAL ... with words and a hint. */
int walk_root_open(struct tool_run *run, const char *path, const char *pattern, size_t fixed,
	enum ambit_access access, struct walk_root *ret_root, struct ambit_error *err);
void walk_root_finish(struct walk_root *root);

/* A path from the root (""; the root itself) as messages show it. Caller frees. */
char *walk_root_shown(const struct walk_root *root, const char *path);

#endif

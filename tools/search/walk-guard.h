/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_WALK_GUARD_H
#define TOOLS_SEARCH_WALK_GUARD_H

#include <stdatomic.h>

#include "tools/search/walk-root.h"

/* What in a tree is not to be shown, though the tree may be searched: keys and
 * credentials, and ambit's own. Nobody who allowed a search meant them. */

struct walk_guard {
	struct tool_run *run;
	const struct walk_root *root; /* it may be a guard itself: that was asked */
	bool open;		      /* it is one, and so is all in it */
	char **known;		      /* paths from the root */
	int failed;
	atomic_size_t n; /* that were met, and left out */
};

/* What is known beforehand, so that it is not even opened. access: what the root was
 * decided for. run and root are borrowed. */
int walk_guard_init(struct walk_guard *guard, struct tool_run *run, const struct walk_root *root,
	enum ambit_access access, struct ambit_error *err);
void walk_guard_finish(struct walk_guard *guard);

/* path: from the root. From any thread. */
bool walk_guard_knows(struct walk_guard *guard, const char *path);

/* The last word on what is about to be shown, n at a time: ret_hides has n. A file that
 * was read comes with its stat, and is also known by another's name; sts may be NULL.
 * -ENOMEM. */
struct stat;
int walk_guard_ask(struct walk_guard *guard, char *const *paths, const struct stat *sts, size_t n,
	bool *ret_hides);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_EDIT_EDIT_ENDS_H
#define TOOLS_EDIT_EDIT_ENDS_H

#include "tools/registry/own-tool.h"

/* Where move and copy begin and end: arguments src and dst. A dst that is a directory
 * is gone into, under the name that src was given by. */

struct edit_ends {
	struct ambit_place from, to;
};

/* access, follow: of src. to_access, to_follow: of dst, if it is no directory. Words and
 * run's code are set. */
int edit_ends_take(struct tool_run *run, enum ambit_access access, bool follow,
	enum ambit_access to_access, bool to_follow, struct edit_ends *ret_ends,
	struct ambit_error *err);
void edit_ends_finish(struct edit_ends *ends);

/* What to do about a failure of both: edit_failed, with what only they can say. */
int edit_ends_failed(struct tool_run *run, const struct edit_ends *ends, int r);

/* The result of both tools: done is "Moved" or "Copied". */
void edit_ends_tell(struct tool_run *run, const struct edit_ends *ends, const char *done);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SEARCH_GREP_REPORT_H
#define TOOLS_SEARCH_GREP_REPORT_H

#include "tools/search/grep.h"
#include "tools/search/walk-root.h"

/* What was found, in words and as an object, both of a bounded size. */

struct grep_report {
	struct tool_run *run;
	const struct walk_root *root;
	const struct grep_tree *tree;
	const struct grep_wants *wants;
	const struct walk *walk; /* or NULL: one file */
	size_t guarded;		 /* files and folders that were not looked at */
};

int grep_report(struct grep_report *report, struct ambit_error *err);

#endif

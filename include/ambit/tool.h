/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_TOOL_H
#define AMBIT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/words.h>

/* The table of tools, for help, completion and listings. */

struct ambit_tool_info {
	const char *name;
	bool offered;		    /* by ambit mcp and ambit serve; else it is only known */
	const char *const *aliases; /* ends in NULL */
	unsigned effects;
	enum ambit_danger danger;
	enum ambit_permission permission; /* default */
	const char *text;
};

/* The i-th tool, or 0 when there is none. */
int ambit_tool_at(size_t i, struct ambit_tool_info *ret_info);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_TOOL_H
#define AMBIT_TOOL_H

#include <stddef.h>

#include <ambit/words.h>

/* The tables of tools and profiles, for help, completion and listings. */

struct ambit_tool_info {
	const char *name;
	const char *const *aliases; /* ends in NULL */
	unsigned effects;
	enum ambit_danger danger;
	enum ambit_permission permission; /* default */
	const char *text;
};

/* The i-th tool, or 0 when there is none. */
int ambit_tool_at(size_t i, struct ambit_tool_info *ret_info);

struct ambit_profile {
	const char *name;
	const char *kind;	     /* "agent" or "cache" */
	const char *const *commands; /* names of the programs it is for; end in NULL */
	const char *const *folders;  /* "~/..." or absolute; end in NULL */
	const char *const *hosts;
	const char *const *args; /* switch off an agent's own sandbox */
	const char *const *env;	 /* likewise, "NAME=value" */
	const char *text;
};

/* The i-th profile, or NULL. */
const struct ambit_profile *ambit_profile_at(size_t i);
const struct ambit_profile *ambit_profile_find(const char *name);
/* The one for a command, by the last component of argv0; or NULL. */
const struct ambit_profile *ambit_profile_for(const char *argv0);

#endif

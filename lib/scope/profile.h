/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_PROFILE_H
#define SCOPE_PROFILE_H

#include <stddef.h>

/* The table of profiles: folders and hosts that an agent or a package manager needs. */

struct profile {
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
const struct profile *profile_at(size_t i);
const struct profile *profile_find(const char *name);

/* The one for a command, by the last component of argv0; or NULL. */
const struct profile *profile_for(const char *argv0);

#endif

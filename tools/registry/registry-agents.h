/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REGISTRY_REGISTRY_AGENTS_H
#define TOOLS_REGISTRY_REGISTRY_AGENTS_H

#include <stdbool.h>

#include <ambit/error.h>
#include <ambit/scope.h>
#include <ambit/settings.h>

#include "scope/profile.h"

/* A door as tools see it that start something narrower than the door:
 * ambit_registry_options.agents. */

/* A sub-agent that is to be started, or a command in a scope of its own. */
struct ambit_agent_child {
	const char *name, *turn; /* NULL: a command */
	/* Of the call; NULL: the door's. The agent is in a folder inside it, a command in all of
	 * it. */
	const struct ambit_scope *scope;
	char *const *envp;	       /* for the agent */
	const struct profile *profile; /* that is open here, and is to be there; or NULL */
	int depth;
	bool asks; /* what is outside is a question there, too */
};
/* The door that run_agent is called through. Borrowed. */
struct ambit_agents {
	const struct ambit_settings *settings; /* NULL: there are none */
	const char *turns;		       /* the directory that says whose turn it is */
	const char *turn;  /* in which this session itself runs; NULL or "": none */
	int depth;	   /* how many agents are above it */
	char *const *envp; /* theirs; secrets are taken out, but for those one keeps */
	/* Makes the descriptor that tells a child its surroundings (run_around). Called with the
	 * registry's lock. */
	int (*around)(void *data, const struct ambit_agent_child *child, int *ret_fd,
		struct ambit_error *err);
	void *data;
};

#endif

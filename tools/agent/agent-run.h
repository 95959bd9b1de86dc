/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_AGENT_AGENT_RUN_H
#define TOOLS_AGENT_AGENT_RUN_H

#include "settings/agents.h"

#include "agents/turn.h"
#include "tools/registry/own-tool.h"
#include "tools/registry/registry-agents.h"

/* One sub-agent on its way, from the call to its result. tool-run-agent.c runs it,
 * agent-tell.c has what comes of it. */

struct agent_run {
	struct tool_run *run;
	const struct ambit_agents *agents; /* of the registry */
	const struct agent *agent;
	int timeout_ms;
	char *folder;  /* its real path */
	char *shown;   /* as messages show it */
	char *session; /* of the agent */
	struct turn *turn;
	int64_t since;	   /* when it began, as the record counts */
	int64_t waited_ms; /* for its turn */
	struct ambit_executed executed;
	json_t *files;	      /* {"created": [...], "modified": [...], "deleted": [...]} */
	size_t n_files;	      /* also those that are not in it */
	bool cut;	      /* not all of the folder could be looked through */
	json_t *deferred;     /* rows of what was refused */
	size_t deferred_more; /* that are not in it */
	json_t *report;	      /* of its run; NULL: it has none */
};

/* Into run's text and structured. -ENOMEM. */
int agent_tell(struct agent_run *a);

#endif

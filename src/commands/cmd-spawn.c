/* SPDX-License-Identifier: Apache-2.0 */
/* ambit spawn: an agent in a folder, from a shell. The door itself is in src/spawn, or
 * elsewhere. */

#include <stdint.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/door.h"

const struct command cmd_spawn = {
	.name = "spawn",
	.args = "AGENT FOLDER TASK...",
	.text = "start an agent on a task, in a folder inside this one",
	.about = "Starts the agent that the settings have under that name (or one of the ready "
		 "ones:\n"
		 "claude, codex, gemini, opencode, copilot) with the task, in its own scope: it\n"
		 "reads anywhere, and writes and runs commands only inside FOLDER, which must lie\n"
		 "inside the folder. What is further out is OutOfScope there, and no question,\n"
		 "unless the setting children_ask says otherwise. FOLDER is seen from where you\n"
		 "are; if there is none, from the folder. The task '-' is read from standard\n"
		 "input.\n"
		 "\n"
		 "Agents in the same or overlapping folders wait for each other, in the order in "
		 "which\n"
		 "they were started; in disjoint ones they run side by side. The settings\n"
		 "agent_timeout, agent_depth, agents_at_once and agent_output bound them.\n"
		 "\n"
		 "It prints the agent's summary, what changed in its folder, and what the line "
		 "refused\n"
		 "it. This is the tool run_agent of 'ambit mcp' and 'ambit serve'; behind a "
		 "line, as in\n"
		 "an agent's own shell, it is what that line allows. The exit status is the "
		 "agent's.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_READS,
		OPT_READ_ONLY, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST, OPT_NET, OPT_ASK,
		OPT_GUARD_READS, OPT_KEEP_ENV, OPT_QUIET, OPT_JSON, OPT_TOOLS_VERSION, OPT_INNER,
		OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit spawn claude packages/adapters 'port the tests to the new runner'",
				"an agent that can write in packages/adapters alone" },
			{ "ambit spawn docs doc - <task.txt",
				"an agent of your own, its task from a file" },
			{ NULL, NULL },
		},
	.min = 3,
	.max = SIZE_MAX,
	.person = true,
	.run = door_spawn,
};

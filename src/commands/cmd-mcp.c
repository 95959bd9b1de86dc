/* SPDX-License-Identifier: Apache-2.0 */
/* ambit mcp: the tools for any agent that speaks MCP. The server itself is in
 * src/mcp, or elsewhere. */

#include "cli/cli.h"
#include "commands.h"
#include "cli/door.h"

const struct command cmd_mcp = {
	.name = "mcp",
	.args = "",
	.text = "file, shell and web tools for an agent, bound to the folder (MCP on stdio)",
	.about =
		"An MCP server on standard input and output, for the agent that starts it: read,\n"
		"write, edit, multi_edit, apply_patch, delete, move, copy, ls, glob, grep, "
		"extract,\n"
		"bash, bash_output, bash_stop, webfetch and run_agent. They read anywhere and "
		"write\n"
		"inside the folder; shell commands have the line of 'ambit run' around them. What\n"
		"goes further is asked: through the client, if it can show a form to a person\n"
		"(elicitation), else whom --ask names, else it is refused and the refusal says\n"
		"how a person can allow it.\n"
		"\n"
		"The folder is --folder, or the current directory; then not / or your home. "
		"What the\n"
		"client calls its roots narrows it, and never widens. Nobody is asked on the "
		"terminal\n"
		"unless --ask tty says so: it is the agent's.\n"
		"\n"
		"Where the line cannot be held there is no bash, unless --allow-bash: then each\n"
		"command is asked about. --backend prefix puts another sandbox in its place.\n"
		"\n"
		"doc/mcp.md says how to add it to an agent, and how to switch off the agent's own\n"
		"tools, which nothing of this holds.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_ASK_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST,
		OPT_NET, OPT_ASK, OPT_GUARD_READS, OPT_KEEP_ENV, OPT_ALLOW_BASH, OPT_BACKEND,
		OPT_PREFIX, OPT_LIMIT, OPT_TOOLS_VERSION, OPT_INNER, OPT_END },
	.examples =
		(const struct example[]){
			{ "claude mcp add ambit -- ambit mcp --folder ~/app", "for Claude Code" },
			{ "ambit mcp --folder ~/app --write ~/data",
				"one more folder to write in" },
			{ "ambit mcp --folder ~/app --ask exec:/usr/local/bin/answer",
				"a program answers where the client cannot" },
			{ "ambit mcp --prefix /usr/bin/bwrap --prefix --ro-bind --prefix / "
			  "--prefix /",
				"another sandbox for shell commands" },
			{ NULL, NULL },
		},
	.run = door_mcp,
};

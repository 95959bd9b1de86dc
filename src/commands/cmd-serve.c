/* SPDX-License-Identifier: Apache-2.0 */
/* ambit serve: the tools and decisions for a harness. The server itself is in
 * src/serve, or elsewhere. */

#include "cli/cli.h"
#include "commands.h"
#include "cli/door.h"

const struct command cmd_serve = {
	.name = "serve",
	.args = "",
	.text = "decisions, tools and the record for a harness (JSON-RPC)",
	.about =
		"JSON-RPC 2.0, one message a line, on standard input and output, or on a unix "
		"socket\n"
		"for several clients that share the session. The methods: session, decide, call,\n"
		"execute, answer, cancel, label, log. doc/serve.md has each with an example.\n"
		"\n"
		"A call that needs a person comes back with the question, if it was made with\n"
		"\"ask\": true, and goes on when 'answer' brings what the person said. "
		"Otherwise whom\n"
		"--ask names is asked; without one it is refused, and the refusal says how a "
		"person\n"
		"can allow it.\n"
		"\n"
		"The folder is --folder, or the current directory; then not / or your home. The\n"
		"socket belongs to you alone; it must lie where nobody else and no command of the\n"
		"session can write, best in $XDG_RUNTIME_DIR/ambit, and is removed at the end.\n"
		"\n"
		"Where the line cannot be held there is no bash, unless --allow-bash: then each\n"
		"command is asked about. --backend prefix puts another sandbox in its place.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_SOCKET, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_ASK_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST,
		OPT_NET, OPT_ASK, OPT_GUARD_READS, OPT_KEEP_ENV, OPT_ALLOW_BASH, OPT_BACKEND,
		OPT_PREFIX, OPT_LIMIT, OPT_TOOLS_VERSION, OPT_END },
	.examples =
		(const struct example[]){
			{ "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session\"}' | ambit "
			  "serve",
				"what holds here" },
			{ "ambit serve --folder ~/app --socket \"$XDG_RUNTIME_DIR/ambit/app\"",
				"for several clients" },
			{ NULL, NULL },
		},
	.run = door_serve,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* ambit watch: the open questions of all live sessions. The screen is in src/watch. */

#include "cli/cli.h"
#include "commands.h"
#include "cli/door.h"

const struct command cmd_watch = {
	.name = "watch",
	.args = "",
	.text = "answer the questions of all live sessions on a screen",
	.about =
		"Shows every question that waits in any live session (run, mcp, serve) in another\n"
		"terminal, answers it by the keys of the prompt, and shows the record as it "
		"grows.\n"
		"While it runs, questions come here and not over the terminal of the program; the\n"
		"first answer counts, whoever gives it.\n"
		"\n"
		"j, k and Tab select a question, Space and b scroll a long one, q and ^C quit and\n"
		"answer nothing. A question that was not shown to its end cannot be allowed, "
		"and for\n"
		"a moment after one came onto the screen by itself no key counts.\n"
		"\n"
		"With --json there is no screen: each question, its end and each event is a "
		"line of\n"
		"JSON on standard output, and a line on standard input answers one; it ends "
		"with its\n"
		"input. doc/watch.md has the lines.",
	.options = (const enum opt[]){ OPT_SESSION, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit watch", "in a second terminal or a pane of tmux" },
			{ "ambit watch --session fix-parser",
				"only the questions of that session" },
			{ NULL, NULL },
		},
	.run = watch_run,
};

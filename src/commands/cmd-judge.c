/* SPDX-License-Identifier: Apache-2.0 */
/* ambit judge: carries one question to a model, for ambit itself. Not for people, and in
 * no list. It is in src/judge, or elsewhere. */

#include "cli/cli.h"
#include "commands.h"
#include "cli/door.h"

const struct command cmd_judge = {
	.name = "judge",
	.args = "",
	.text = "carry a question to a model: started by ambit itself",
	.about = "Reads one question and where to put it from standard input, and prints what the\n"
		 "model says. doc/judge.md says how a judge is set.",
	.options = (const enum opt[]){ OPT_TOOLS_VERSION, OPT_END },
	.examples = (const struct example[]){ { NULL, NULL } },
	.run = door_judge,
};

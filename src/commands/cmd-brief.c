/* SPDX-License-Identifier: Apache-2.0 */
/* ambit brief: the text that tells a model its scope. */

#include <stdio.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"

static int
run_brief(const struct args *args, struct ambit_error *err)
{
	struct world world;
	auto_free char *text = NULL;
	int r = world_open(&world, args, WORLD_ENGINE, err);

	if (r == 0) {
		text = ambit_engine_brief(world.engine);
		if (text == NULL)
			r = err_nomem(err);
		else if (args_get(args, OPT_JSON) != NULL)
			r = out_json(json_pack("{s:s}", "brief", text), err);
		else
			printf("%s", text);
	}
	world_finish(&world);
	return r;
}

const struct command cmd_brief = {
	.name = "brief",
	.args = "",
	.text = "the text that tells a model its scope",
	.about = "Prints what to put into a model's instructions: where the line is, what holds "
		 "its\n"
		 "shell, what to do when something is refused, and how to treat what comes from "
		 "the\n"
		 "network. The line holds without it; with it the model does not waste its turns.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_JSON, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_ASK_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST,
		OPT_END },
	.run = run_brief,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* ambit version. */

#include <stdio.h>

#include <ambit/ambit.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"

static int
run_version(const struct args *args, struct ambit_error *err)
{
	if (args_get(args, OPT_JSON) != NULL)
		return out_json(json_pack("{s:s}", "version", AMBIT_VERSION), err);
	puts("ambit " AMBIT_VERSION);
	return EXIT_OK;
}

const struct command cmd_version = {
	.name = "version",
	.args = "",
	.text = "which version this is",
	.about = "Prints the version. 'ambit --version' is the same.",
	.options = (const enum opt[]){ OPT_JSON, OPT_END },
	.run = run_version,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* ambit help: the tables, as text; for the build, as man pages. */

#include <stdio.h>

#include "cli/cli.h"
#include "commands.h"

#include "base/str.h"

static void
print_names(void)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)) != NULL; i++)
		puts(command->name);
}

static int
run_help(const struct args *args, struct ambit_error *err)
{
	bool man = args_get(args, OPT_MAN) != NULL;
	const struct command *command;

	if (args_get(args, OPT_NAMES) != NULL) {
		print_names();
		return EXIT_OK;
	}
	if (args->n == 0) {
		man ? man_all() : help_all();
		return EXIT_OK;
	}
	if (streq(args->words[0], "profiles") && !man) {
		help_profiles();
		return EXIT_OK;
	}
	command = command_find(args->words[0]);
	if (command == NULL)
		return usage(err, "no command '%s'; see 'ambit help'", args->words[0]);
	man ? man_command(command) : help_command(command);
	return EXIT_OK;
}

const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND | profiles]",
	.text = "what the commands are, and what one of them does",
	.about = "Without a command, lists them all. 'ambit COMMAND --help' is the same as\n"
		 "'ambit help COMMAND'. 'ambit help profiles' lists what agents and package\n"
		 "managers keep outside, and which hosts they need.",
	.options = (const enum opt[]){ OPT_MAN, OPT_NAMES, OPT_END },
	.max = 1,
	.run = run_help,
};

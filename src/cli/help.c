/* SPDX-License-Identifier: Apache-2.0 */
/* The tables as text for a terminal. */

#include <stdio.h>

#include "cli.h"

#include "base/own.h"
#include "base/str.h"

static void
print_options(const struct command *command)
{
	for (int i = 0; i < OPT_N; i++) {
		const struct option_row *row = &option_rows[i];
		auto_free char *left = NULL;

		if (!command_takes(command, (enum opt)i) || row->hidden)
			continue;
		left = str_printf("--%s%s%s", row->name, row->arg != NULL ? " " : "",
			row->arg != NULL ? row->arg : "");
		printf("  %-22s %s\n", left != NULL ? left : row->name, row->text);
		for (const struct ambit_word *w = row->words;
			w != NULL && w->name != NULL && row->words != ambit_codes; w++)
			printf("  %-22s   %s: %s\n", "", w->name, w->text);
	}
}

void
help_command(const struct command *command)
{
	printf("ambit %s%s%s\n  %s\n\n%s\n\nOptions:\n", command->name,
		command->args[0] != '\0' ? " " : "", command->args, command->text, command->about);
	print_options(command);
	if (command->examples == NULL)
		return;
	printf("\nExamples:\n");
	for (const struct example *e = command->examples; e->line != NULL; e++)
		printf("  %s\n      %s\n", e->line, e->text);
}

void
help_all(void)
{
	const struct command *command;

	printf("ambit: a line around one folder, for coding agents\n\n"
	       "usage: ambit COMMAND [OPTION...] [--] [ARGUMENT...]\n\n");
	for (size_t i = 0; (command = command_at(i)) != NULL; i++)
		printf("  %-11s %s\n", command->name, command->text);
	printf("\n'ambit help COMMAND' tells more.\n");
}

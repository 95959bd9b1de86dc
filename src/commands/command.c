/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and what a mistyped one was probably meant to be. */

#include "cli/cli.h"
#include "commands.h"

#include "base/str.h"

static const struct command *const commands[] = {
	&cmd_run,
	&cmd_why,
	&cmd_decide,
	&cmd_mcp,
	&cmd_serve,
	&cmd_spawn,
	&cmd_watch,
	&cmd_log,
	&cmd_rules,
	&cmd_sessions,
	&cmd_forget,
	&cmd_stop,
	&cmd_mode,
	&cmd_perms,
	&cmd_perm,
	&cmd_sandbox,
	&cmd_brief,
	&cmd_settings,
	&cmd_doctor,
	&cmd_help,
	&cmd_version,
	&cmd_completion,
};

#define COMMANDS_N (sizeof(commands) / sizeof(commands[0]))

const struct exit_row exit_rows[] = {
	{ EXIT_OK, "Done. For why: allow." },
	{ EXIT_FAILED, "It could not be done, and a message says why. For log verify: a chain is "
		       "broken. For run with --fail-on-refusal: something was refused." },
	{ EXIT_USAGE, "The command line is wrong." },
	{ EXIT_ASK, "For why: a person would be asked." },
	{ EXIT_DENY, "For why: deny." },
	{ EXIT_TIMEOUT, "For run, whose status is otherwise the command's: the time was up." },
	{ EXIT_AMBIT,
		"For run: ambit itself failed. Unless a message says otherwise, nothing ran." },
	{ EXIT_CANNOT, "For run: the command cannot be executed." },
	{ EXIT_MISSING, "For run: there is no such command." },
	{ EXIT_SIGNAL, "For run: and more: the command was ended by the signal of that number less "
		       "128." },
	{ EXIT_OK, NULL },
};

const struct command *
command_at(size_t i)
{
	return i < COMMANDS_N ? commands[i] : NULL;
}

/* One that ambit starts itself is in no list. */
const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS_N; i++)
		if (streq(commands[i]->name, name))
			return commands[i];
	return streq(cmd_judge.name, name) ? &cmd_judge : NULL;
}

static const char *
get_command_name(const void *data, size_t i)
{
	(void)data;
	return i < COMMANDS_N ? commands[i]->name : NULL;
}

const char *
command_nearest(const char *name)
{
	return str_nearest(name, get_command_name, NULL);
}

bool
command_takes(const struct command *command, enum opt opt)
{
	if (opt == OPT_HELP || (command->predicts && option_rows[opt].decides))
		return true;
	for (const enum opt *o = command->options; *o != OPT_END; o++)
		if (*o == opt)
			return true;
	return false;
}

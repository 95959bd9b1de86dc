/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and what a mistyped one was probably meant to be. */

#include "cli.h"
#include "commands.h"

#include "base/str.h"

static const struct command *const commands[] = {
	&cmd_why,
	&cmd_decide,
	&cmd_log,
	&cmd_rules,
	&cmd_sessions,
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
		       "broken." },
	{ EXIT_USAGE, "The command line is wrong." },
	{ EXIT_ASK, "For why: a person would be asked." },
	{ EXIT_DENY, "For why: deny." },
	{ EXIT_AMBIT, "Reserved: ambit itself failed, where the status is otherwise a command's." },
	{ EXIT_OK, NULL },
};

const struct command *
command_at(size_t i)
{
	return i < COMMANDS_N ? commands[i] : NULL;
}

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS_N; i++)
		if (streq(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein, for words of at most 31 letters; longer ones are far from all. */
size_t
word_distance(const char *a, const char *b)
{
	size_t row[32], n = strlen(b);

	if (n >= 32 || strlen(a) >= 32)
		return 99;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1,
				diagonal + (a[i - 1] == b[j - 1] ? 0 : 1));
			diagonal = above;
		}
	}
	return row[n];
}

const char *
command_nearest(const char *name)
{
	size_t best = 3;
	const char *found = NULL;

	for (size_t i = 0; i < COMMANDS_N; i++) {
		size_t distance = word_distance(name, commands[i]->name);

		if (distance < best && distance < strlen(name)) {
			best = distance;
			found = commands[i]->name;
		}
	}
	return found;
}

bool
command_takes(const struct command *command, enum opt opt)
{
	if (opt == OPT_HELP)
		return true;
	for (const enum opt *o = command->options; *o != OPT_END; o++)
		if (*o == opt)
			return true;
	return false;
}

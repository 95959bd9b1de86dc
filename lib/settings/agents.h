/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_AGENTS_H
#define SETTINGS_AGENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/error.h>

/* The agents that can be started in a folder: those of the person's settings
 * ("agents"), and ready ones. The person's stand over ready ones of the same name. */

struct ambit_settings;

struct agent {
	const char *name; /* like a session's */
	/* Words, with a NULL end; {task}, {brief} and {folder} in them stand for what
	 * agent_argv gets. The first is a program's name or absolute path. */
	const char *const *command;
	const char *const *env; /* variables that it keeps although they look like secrets */
	int timeout;		/* seconds; 0: none; -1: what the setting agent_timeout says */
	const char *text;	/* one line about it */
	bool ready;		/* it is in ambit's own table */
};

/* The i-th, or NULL. Borrowed from the settings. */
const struct agent *agent_nth(const struct ambit_settings *settings, size_t i);

/* -ENOENT: the error has the names there are. */
int agent_find(const struct ambit_settings *settings, const char *name,
	const struct agent **ret_agent, struct ambit_error *err);

/* The command as it is to be run. What stands in a placeholder's place is not looked at
 * again. Without {brief} in the command, the briefing goes before the task, with a blank
 * line; without {task}, that goes to *ret_input, which is for the agent's stdin and else
 * NULL: then it gets none. brief may be "". A word never becomes an option by what was
 * put in. -E2BIG: longer than an argument can be. */
int agent_argv(const struct agent *agent, const char *task, const char *brief, const char *folder,
	char ***ret_argv, char **ret_input, struct ambit_error *err);
void agent_argv_free(char **argv);

#endif

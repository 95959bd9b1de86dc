/* SPDX-License-Identifier: Apache-2.0 */
/* One line before an interactive shell: where its user may write, and what happens
 * elsewhere. A shell that runs a script, or has no terminal, gets none. The command is the
 * person's own; the folder's name may hold anything and is shown escaped. */

#include <stdio.h>
#include <unistd.h>

#include "run-command.h"

#include "base/own.h"
#include "base/str.h"

static bool
is_listed(const char *text, const char *const *list)
{
	for (; *list != NULL; list++)
		if (streq(text, *list))
			return true;
	return false;
}

/* By its name, and no argument but those that keep it interactive: anything else may be a
 * script or a command. */
static bool
is_interactive_shell(char *const *argv)
{
	static const char *const shells[] = { "sh", "bash", "rbash", "dash", "ash", "ksh", "ksh93",
		"mksh", "zsh", "fish", "csh", "tcsh", "nu", "elvish", "xonsh", NULL };
	static const char *const plain[] = { "-i", "-l", "-il", "-li", "--login", "--interactive",
		NULL };
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash != NULL ? slash + 1 : argv[0];

	if (!is_listed(name[0] == '-' ? name + 1 : name, shells))
		return false;
	for (argv++; *argv != NULL; argv++)
		if (!is_listed(*argv, plain))
			return false;
	return true;
}

static int
get_mode(const struct run *run, const char *key)
{
	return ambit_engine_mode(run->world.engine, key, NULL);
}

static const char *
describe_elsewhere(const struct run *run)
{
	if (streq(run->who, "allow") || get_mode(run, "ask_mode") == AMBIT_BYPASS)
		return "writes elsewhere are allowed";
	return streq(run->who, "deny") ? "elsewhere it is refused" : "elsewhere ambit asks";
}

/* "~/app", as the person writes it. */
static char *
shorten_root(const struct run *run)
{
	const char *home = run->world.place.home;
	auto_free char *safe = str_show(run->root);

	if (safe != NULL && home != NULL && strlen(home) > 1 && str_beneath(safe, home))
		return str_printf("~%s", safe + strlen(home));
	return steal_ptr(&safe);
}

static char *
make_greeting(const struct run *run)
{
	auto_free char *root = shorten_root(run);

	if (root == NULL)
		return NULL;
	if (get_mode(run, "agent_mode") == AMBIT_PLAN ||
		get_mode(run, "sandbox_mode") == AMBIT_SANDBOX_READ_ONLY)
		return str_printf("this shell is in %s and may not write anywhere", root);
	if (get_mode(run, "ask_mode") == AMBIT_ASK_ANY_WRITE)
		return str_printf("this shell is in %s; every write is asked about", root);
	return str_printf("this shell may write in %s; %s", root, describe_elsewhere(run));
}

void
run_greet(const struct run *run)
{
	auto_free char *greeting = NULL;

	if (run->quiet || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
		!is_interactive_shell(run->argv))
		return;
	greeting = make_greeting(run);
	if (greeting != NULL)
		dprintf(STDOUT_FILENO, "ambit: %s\n", greeting);
}

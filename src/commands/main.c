/* SPDX-License-Identifier: Apache-2.0 */
/* The program: find the command, check its arguments, run it, print the one
 * error. Everything else is in the command's own file. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include <ambit/ambit.h>

#include "cli/cli.h"
#include "commands.h"

#include "base/err.h"
#include "base/str.h"
#include "record/upkeep.h"

/* A reader that has seen enough is no failure. A full file or disk must be an
 * error that is told, so its signal may not end the program first. */
static void
set_signals(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
}

/* A descriptor below 3 that came closed would be given to the next file that
 * is opened here, and then to a command that takes it for its own. What fills
 * the place can be neither read nor written, as if it were still closed. */
static int
fill_standard(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	return 0;
}

static const struct command *
choose_command(const char *name, struct ambit_error *err)
{
	const struct command *command;
	const char *near;

	if (name == NULL || streq(name, "--help") || streq(name, "-h"))
		return &cmd_help;
	if (streq(name, "--version") || streq(name, "-V"))
		return &cmd_version;
	command = command_find(name);
	if (command != NULL)
		return command;
	near = command_nearest(name);
	if (name[0] == '-')
		usage(err, "'%s': options come behind the command; see 'ambit help'", name);
	else if (near != NULL)
		usage(err, "no command '%s'; did you mean '%s'?", name, near);
	else
		usage(err, "no command '%s'; see 'ambit help'", name);
	return NULL;
}

/* In ambit-tools: the one it was started from may be of another version, and mean
 * something else by what it says. That comes before what cannot be understood. */
static int
check_version(const struct args *args, int r, struct ambit_error *err)
{
	const char *version = args_get(args, OPT_TOOLS_VERSION);

	if (version == NULL || streq(version, AMBIT_VERSION))
		return r;
	return err_set(err, EPROTO,
		"ambit is version %s and ambit-tools, which it has started, " AMBIT_VERSION
		": install both from one build",
		version);
}

static int
dispatch_command(const struct command *command, char **argv, size_t argc, struct ambit_error *err)
{
	struct args args;
	int r = args_parse(command, argv, argc, &args, err);

	r = check_version(&args, r, err);
	if (r == 0 && args_get(&args, OPT_HELP) != NULL)
		help_command(command);
	else if (r == 0)
		r = command->run(&args, err);
	args_finish(&args);
	if (r >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
		r = err_sys(err, errno != 0 ? errno : EIO, "standard output");
	return r;
}

int
main(int argc, char **argv)
{
	struct ambit_error err = { 0 };
	const struct command *command;
	int r = EXIT_USAGE;

	if (fill_standard() < 0)
		return EXIT_AMBIT;
	record_frugal();
	command = choose_command(argc > 1 ? argv[1] : NULL, &err);
	if (command == NULL || !command->wraps)
		set_signals();
	else /* whatever name it was started by: servers know the holder of a line by it */
		prctl(PR_SET_NAME, "ambit", 0, 0, 0);
	if (command != NULL)
		r = dispatch_command(command, argv + 2, argc > 2 ? (size_t)argc - 2 : 0, &err);
	if (err.code != 0 && (r < 0 || r == EXIT_USAGE || r == EXIT_FAILED))
		fprintf(stderr, "ambit: %s\n", err.text);
	if (r >= 0)
		return r;
	return command->wraps ? EXIT_AMBIT : EXIT_FAILED;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ambit run: any command with the line around it. */

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "line/process/run-doors.h"
#include "probe/probe.h"
#include "record/upkeep.h"
#include "run/run-command.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

/* Where the private temp directory is made. */
static const char *
temp_place(const struct run *run)
{
	const char *temp = run->inner != NULL ? run_inner_temp(run->inner->asked) : "";

	if (temp[0] != '\0')
		return temp;
	temp = getenv("TMPDIR");

	return temp != NULL && temp[0] == '/' ? temp : "/tmp";
}

static int
supervise_command(struct run *run, struct ambit_run_result *result, struct ambit_error *err)
{
	/* This very program, whatever lies at its path by now. */
	static const char *const nest[] = { "/proc/self/exe", "run", "--inner", "3", NULL };
	const struct ambit_run_options options = {
		.keeper = run->keeper,
		.engine = run->world.engine,
		.argv = run->argv,
		.envp = run->envp != NULL ? run->envp : run_environ(run),
		.path = run_env(run, "PATH"),
		.cwd = run->cwd,
		.temp = temp_place(run),
		.terminal = run->pty ? AMBIT_RUN_PTY : AMBIT_RUN_PLAIN,
		.tty = run->tty,
		.colour = run->tty >= 0 && out_colour(run->tty),
		.guard_reads = run->guard_reads,
		.for_call = run->leash > 0 || run->inner != NULL,
		/* A sub-agent is started without words for people; its model reads these. */
		.quiet = run->quiet && around_agent(run->inner) == NULL,
		.proxy = args_get(run->args, OPT_PROXY) != NULL,
		.timeout_ms = run->timeout_ms,
		.leash = run->leash,
		.limits = run->limits,
		.landlock = run->landlock,
		.approver = run->approver,
		.live = run->live,
		.watchers = run->watchers,
		.nest = (char *const *)nest,
		.nest_scope = run_scope_text,
		.nest_data = run,
		.inner = run->inner != NULL ? run->inner->asked : NULL,
		.inside = run->inner != NULL ? around_session(run->inner,
						       ambit_engine_session(run->world.engine))
					     : NULL,
	};

	run->keeper = NULL;
	return ambit_run(&options, result, err);
}

static void
say_not_started(const struct run *run, int error)
{
	auto_free char *name = str_escape(run->argv[0], strlen(run->argv[0]));

	fprintf(stderr, "ambit: %s: %s\n", name != NULL ? name : "?",
		error == ENOENT && strchr(run->argv[0], '/') == NULL ? "no such command in PATH"
								     : strerror(error));
}

/* Whoever is quiet and has a report reads it there. */
static void
say_unrecorded(const struct run *run, const struct ambit_run_result *result)
{
	if (run->quiet && (run->report.fd >= 0 || run->report.dir >= 0))
		return;
	fprintf(stderr, "ambit: the command ended with %d, and that is not in the record: %s\n",
		result->status, result->unrecorded);
}

static void
end_notify(struct run *run)
{
	engine_close_notify(run->world.engine);
	if (run->notify_failure[0] != '\0' && !run->quiet)
		fprintf(stderr, "ambit: notify_command failed: %s\n", run->notify_failure);
}

/* What the shell hears. The record and the report are part of what was asked for:
 * without them a command that went well did not. */
static int
report_run_result(struct run *run, const struct ambit_run_result *result)
{
	struct ambit_error err = { 0 };
	int status = result->status;

	if (result->unrecorded != NULL)
		say_unrecorded(run, result);

	if (result->unseen_live != NULL && !run->quiet)
		fprintf(stderr, "ambit: it could not be seen or steered while it ran: %s\n",
			result->unseen_live);
	if (result->error != 0)
		say_not_started(run, result->error);
	run_summary(run, result);
	run_ask_planted(run, result);
	end_notify(run);
	if (status == 0 && result->refused > 0 && args_get(run->args, OPT_FAIL_ON_REFUSAL) != NULL)
		status = EXIT_FAILED;
	if (status == 0 && result->unrecorded != NULL)
		status = EXIT_AMBIT;
	if (run_report_write(&run->report, run, result, &err) == 0)
		return status;
	fprintf(stderr, "ambit: %s%s\n", err.text,
		status == 0 ? "; the command exited with 0" : "");
	return status == 0 ? EXIT_AMBIT : status;
}

/* What fails first need not be the reason: a call that the line needs and that
 * is not there shows in whatever makes use of it. */
static int
blame_machine(int r, struct ambit_error *err)
{
	struct ambit_error why = { 0 };

	if ((r == -EPERM || r == -ENOSYS) && probe_line(&why) < 0)
		*err = why;
	return r;
}

int
run_command_in(const struct args *args, struct around *inner, struct ambit_error *err)
{
	struct ambit_run_result result = { 0 };
	struct ambit_run_keeper *keeper = NULL;
	struct run run;
	int r = run_keep(&keeper, err);
	/* A full disk must be an error that is told; the command gets the signal
	 * as it came, and a reader that is gone does not take its status away. */
	void (*full)(int) = signal(SIGXFSZ, SIG_IGN);

	if (r < 0)
		return blame_machine(r, err);
	r = run_begin(&run, args, inner, keeper, err);
	signal(SIGXFSZ, full);
	if (r == 0)
		run_greet(&run);
	if (r == 0)
		r = supervise_command(&run, &result, err);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* The process ends here, and its memory with it; only the record is left
	 * so that whoever opens it next finds it in order. */
	if (r == 0) {
		int status = report_run_result(&run, &result);

		if (inner != NULL)
			run_inner_end(&run, &result, status);
		record_leave(run.world.record);
		_exit(status);
	}
	run_finish(&run);
	return blame_machine(r, err);
}

static int
run_command(const struct args *args, struct ambit_error *err)
{
	int socket, r = getpid() == 1 ? run_init(err) : 0;

	if (r < 0)
		return r;
	if (args_get(args, OPT_INNER) != NULL)
		return run_inner(args, err);
	if (args_get(args, OPT_WITHIN) != NULL)
		return run_within(args, err);
	r = run_outside(&socket, err);
	if (r == 0)
		return run_through(args, RUN_DOOR_RUN, socket, err);
	return r == -ENOENT ? run_command_in(args, NULL, err) : r;
}

const struct command cmd_run = {
	.name = "run",
	.args = "[--] [COMMAND [ARGUMENT...]]",
	.text = "run a command that can write only inside the folder",
	.about =
		"Starts the command with the line around it, held by the kernel: it and "
		"everything it\n"
		"starts read anywhere and write inside the folder. A call that goes further is "
		"held,\n"
		"you are asked, and it goes on or fails as you say; other work goes on meanwhile.\n"
		"Without a command it is your shell, which begins with a line that says where "
		"it may\n"
		"write. The command starts in the folder, or where you are if that is inside.\n"
		"\n"
		"Options end at the first word that is none: what follows is the command's own.\n"
		"\n"
		"Where its input and output are your terminal, the command gets one of its own, "
		"and\n"
		"questions appear over it, or with whoever watches; in a pipeline it keeps "
		"yours. Without\n"
		"a terminal or one who watches, and unless --ask says who answers, what is "
		"outside is\n"
		"refused. A refused call fails with 'Permission denied', a line about it goes "
		"to the\n"
		"program's own standard error where that is a file, a pipe or a socket of its "
		"parent's,\n"
		"and a summary follows at the end.\n"
		"\n"
		"What it connects to is decided by the name of the host: one that is not allowed\n"
		"(--allow-host, --for, a rule) is asked about when its name is looked up.\n"
		"\n"
		"In /tmp, /var/tmp and /dev/shm the command can make files and change those it "
		"made.\n"
		"TMPDIR is a directory of its own, and gone afterwards; so is every process "
		"that the\n"
		"command left behind.\n"
		"\n"
		"Inside another ambit run it narrows: the command gets what the outer one has, "
		"less\n"
		"what the options say; what would be wider is refused.\n"
		"\n"
		"The exit status is the command's.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST, OPT_NET,
		OPT_PROXY, OPT_ASK, OPT_GUARD_READS, OPT_SCRUB_ENV, OPT_KEEP_ENV, OPT_TIMEOUT,
		OPT_REPORT, OPT_FAIL_ON_REFUSAL, OPT_QUIET, OPT_NO_PTY, OPT_LANDLOCK, OPT_INNER,
		OPT_WITHIN, OPT_ASK_FD, OPT_LEASH, OPT_ONLY, OPT_KNOWN, OPT_LIMIT, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit run -- make test",
				"a build that cannot write outside the folder" },
			{ "ambit run --folder ~/app -- claude", "an agent, in that folder" },
			{ "ambit run", "your shell" },
			{ "ambit run --write ~/data --net none python3 job.py",
				"one more folder, and no network" },
			{ "ambit run --allow-host '*.example.org' -- ./fetch",
				"one more host and all below it, whatever program reaches it" },
			{ "ambit run --ask deny --report result.json --fail-on-refusal make",
				"nobody is there to ask, as in CI" },
			{ NULL, NULL },
		},
	.max = SIZE_MAX,
	.wraps = true,
	.run = run_command,
};

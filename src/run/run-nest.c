/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit run` inside `ambit run`. The inner one, behind the line, has its command
 * supervised from outside: by a third ambit, which the outer one starts. That one
 * takes the inner one's words as its own command line, and may do with them what
 * the outer one may, less what they narrow (nested-scope.c). The environment in them is the
 * command's alone. A run that a door starts is told the same by the door. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/out.h"
#include "run-command.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "line/process/run-doors.h"

/* -- inside --------------------------------------------------------------------- */

/* What only the inner one can do, or what means nothing there. */
static bool
is_inner_option(enum opt opt)
{
	return opt == OPT_REPORT || opt == OPT_NO_PTY || opt == OPT_ASK_FD || opt == OPT_LEASH;
}

static int
make_words(const struct args *args, char ***ret_words)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_given; i++) {
		const struct given *given = &args->given[i];
		const struct option_row *row = &option_rows[given->opt];
		auto_free char *word = row->arg != NULL
					       ? str_printf("--%s=%s", row->name, given->value)
					       : str_printf("--%s", row->name);

		if (!is_inner_option(given->opt))
			r = word != NULL ? strv_append(ret_words, word) : -ENOMEM;
	}
	if (r == 0)
		r = strv_append(ret_words, "--");
	for (size_t i = 0; r == 0 && i < args->n; i++)
		r = strv_append(ret_words, args->words[i]);
	return r;
}

int
run_through(const struct args *args, enum run_door door, int socket, struct ambit_error *err)
{
	const char *path = args_get(args, OPT_REPORT);
	struct run_report report = { .dir = -1, .fd = -1 };
	auto_free char *cwd = getcwd(NULL, 0), *text = NULL;
	struct run_request request = {
		.door = door,
		.envp = environ,
		.cwd = cwd != NULL ? cwd : "/",
	};
	char **words = NULL;
	int status = EXIT_AMBIT;
	int r = make_words(args, &words) < 0 ? err_nomem(err) : 0;

	request.args = words;
	/* With our own rights: it is a file of the inner one's. */
	if (r == 0 && path != NULL)
		r = run_report_open(&report, path, err);
	if (r == 0)
		r = run_relay(socket, &request, &status, &text, err);
	else
		close(socket);
	if (r == 0 && text != NULL && run_report_put(&report, text, err) < 0) {
		fprintf(stderr, "ambit: %s\n", err->text);
		*err = (struct ambit_error){ 0 };
		status = status == 0 ? EXIT_AMBIT : status;
	}
	run_report_finish(&report);
	strv_free(words);
	return r == 0 ? status : r;
}

/* -- outside ------------------------------------------------------------------------ */

char *
run_scope_text(void *data)
{
	const struct run *run = data;
	const struct account account = {
		.world = &run->world,
		.around = run->inner,
		.who = run->who,
		.guard_reads = run->guard_reads,
		.limits = run->limits,
	};

	return around_tell(&account);
}

/* The person is asked by the outermost alone: who is asked from in here cannot
 * see where the question comes from. A door's own run asks the door. */
int
run_inner_who(struct run *run, struct ambit_error *err)
{
	const char *given = args_get(run->args, OPT_ASK), *outer = around_word(run->inner, "ask");
	const char *wanted = ambit_settings_get(run->world.settings, "ask");

	if (run->client > 0) {
		run->who = "client";
		return 0;
	}
	if (given != NULL && !streq(given, "deny") && (!streq(given, outer) || streq(given, "tty")))
		return err_set(err, EPERM,
			"--ask %s: this is inside another ambit run, from where nobody else can be "
			"asked",
			given);
	run->who = "deny";
	if (wanted != NULL && streq(wanted, outer) && !streq(wanted, "tty"))
		run->who = wanted;
	return 0;
}

static void
report_inner_end(struct around *inner, int status, const char *report)
{
	run_inner_finish(inner->asked, status, report);
	inner->asked = NULL;
}

void
run_inner_end(struct run *run, const struct ambit_run_result *result, int status)
{
	auto_free char *json =
		ambit_run_result_json(result, ambit_engine_session(run->world.engine), run->argv);

	report_inner_end(run->inner, status, json);
}

static int
inner_command(struct around *inner, struct args *args, struct ambit_error *err)
{
	char *const *words = run_inner_args(inner->asked);
	int r = 0;

	if (chdir(run_inner_cwd(inner->asked)) < 0)
		r = err_sys(err, errno, "the current directory");
	if (r == 0)
		r = args_parse(
			command_find("run"), (char **)words, strv_len((char **)words), args, err);
	if (r == 0)
		r = around_options(inner, args, err);
	if (r != 0)
		return r;
	around_settings(inner, args);
	return run_command_in(args, inner, err);
}

/* Never comes back with anything but an error: a run that was started ends the
 * process. */
int
run_inner(const struct args *args, struct ambit_error *err)
{
	struct around inner;
	struct args own = { 0 };
	int r = around_open(&inner, args_get(args, OPT_INNER), false, err);

	if (r != 0 && inner.asked == NULL)
		return r;
	if (r == 0)
		r = inner_command(&inner, &own, err);
	fprintf(stderr, "ambit: %s\n", err->text);
	report_inner_end(&inner, r > 0 ? r : EXIT_AMBIT, NULL);
	_exit(EXIT_AMBIT);
}

int
run_within(const struct args *args, struct ambit_error *err)
{
	struct args own = *args;
	struct around around;
	int r = around_open(&around, args_get(args, OPT_WITHIN), true, err);

	if (r != 0)
		return r;
	around_settings(&around, &own);
	return run_command_in(&own, &around, err);
}

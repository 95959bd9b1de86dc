/* SPDX-License-Identifier: Apache-2.0 */
/* Who runs shell commands, by the command line. Options that `ambit run` takes too are
 * handed on to it, so that commands stand behind the same line as file tools; where
 * the line cannot be held there is no bash unless the person says so. */

#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backend.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "engine/doors.h"
#include "line/process/run-doors.h"
#include "probe/probe.h"

/* `ambit` beside this program, or where it is installed from there; nothing in the
 * environment says where. */
static char *
find_program(void)
{
	static const char *const places[] = { "ambit", "../../bin/ambit", NULL };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	strrchr(self, '/')[1] = '\0';
	for (const char *const *place = places; *place != NULL; place++) {
		auto_free char *path = str_printf("%s%s", self, *place);
		char *real = path != NULL ? realpath(path, NULL) : NULL;

		if (real != NULL && access(real, X_OK) == 0)
			return real;
		free(real);
	}
	return NULL;
}

/* Said already as what the world is, or not for commands. */
static bool
is_own(enum opt opt)
{
	return opt == OPT_FOLDER || opt == OPT_SESSION || opt == OPT_SETTINGS || opt == OPT_ASK ||
	       opt == OPT_KEEP_ENV || opt == OPT_LIMIT || opt == OPT_HELP;
}

/* Commands start elsewhere than this program did: paths are made absolute. And for
 * them reads are limited from the start, or not at all. */
static char *
value_for_run(const struct given *given)
{
	if ((given->opt == OPT_WRITE || given->opt == OPT_READ) && given->value[0] != '~') {
		/* What it leads to now: an agent can put another link there. */
		char *real = around_real(given->value);

		return real != NULL ? real : str_absolute(given->value);
	}
	if (given->opt == OPT_READS && streq(given->value, "until-first-write"))
		return str_dup("folder");
	return str_dup(given->value);
}

static int
append_option(char ***list, const char *name, const char *value)
{
	auto_free char *text =
		value != NULL ? str_printf("--%s=%s", name, value) : str_printf("--%s", name);

	return text != NULL ? strv_append(list, text) : -ENOMEM;
}

static int
make_args(const struct toolbox *box, const struct args *args, char ***ret_list)
{
	const struct command *run = command_find("run");
	int r = append_option(ret_list, "folder", ambit_scope_root(box->world.scope));

	if (r == 0)
		r = append_option(ret_list, "session", ambit_engine_session(box->world.engine));
	if (r == 0 && args_get(args, OPT_SETTINGS) != NULL)
		r = append_option(ret_list, "settings", box->world.file);
	for (size_t i = 0; r == 0 && i < args->n_given; i++) {
		const struct given *given = &args->given[i];
		const struct option_row *row = &option_rows[given->opt];
		auto_free char *value = NULL;

		if (is_own(given->opt) || !command_takes(run, given->opt))
			continue;
		if (row->arg != NULL && (value = value_for_run(given)) == NULL)
			return -ENOMEM;
		r = append_option(ret_list, row->name, value);
	}
	return r;
}

/* What was there before any command ran is known to each of them, however much the ones
 * before it have put into the folder. */
static int
append_known(const struct toolbox *box, char ***list)
{
	char *const *known;
	int r = engine_search(box->world.engine, NULL);

	for (known = engine_repositories(box->world.engine); r == 0 && known && *known; known++)
		r = append_option(list, "known", *known);
	return r;
}

static int
collect_option_values(const struct args *args, enum opt opt, char ***ret_list)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_given; i++)
		if (args->given[i].opt == opt)
			r = strv_append(ret_list, args->given[i].value);
	return r;
}

static int
no_bash(struct toolbox *box, const char *why, struct ambit_error *err)
{
	box->why = str_printf("there is no bash: %s; --allow-bash runs commands without the line, "
			      "and asks about each",
		why);
	return box->why != NULL ? 0 : err_nomem(err);
}

/* -- the executor ---------------------------------------------------------------- */

#define NO_BASH 1

struct making {
	struct ambit_executor_options options;
	char **args, **prefix, **keep;
	char *program;
};

static void
making_finish(struct making *making)
{
	strv_free(making->args);
	strv_free(making->prefix);
	strv_free(making->keep);
	free(making->program);
}

/* NO_BASH: box->why says why. */
static int
find_backend(struct toolbox *box, const struct args *args, struct making *making,
	struct ambit_error *err)
{
	const char *backend = args_get(args, OPT_BACKEND);
	bool allow = args_get(args, OPT_ALLOW_BASH) != NULL;
	const struct ambit_word *row =
		backend != NULL ? ambit_word_find(ambit_backends, backend) : NULL;
	struct ambit_error why = { 0 };
	int r;

	if (row == NULL && args_get(args, OPT_PREFIX) != NULL)
		row = ambit_word_find(ambit_backends, "prefix");
	making->options.backend =
		row != NULL ? (enum ambit_backend)row->value : AMBIT_BACKEND_KERNEL;
	if ((making->options.backend == AMBIT_BACKEND_PREFIX) !=
		(args_get(args, OPT_PREFIX) != NULL))
		return usage(err, "--backend prefix and --prefix WORD belong together");
	if (making->options.backend != AMBIT_BACKEND_KERNEL || probe_line(&why) == 0)
		return 0;
	if (backend != NULL && !allow) {
		*err = why;
		return err_context(err, "--backend kernel");
	}
	if (allow) {
		making->options.backend = AMBIT_BACKEND_SUBPROCESS;
		return 0;
	}
	r = no_bash(box, why.text, err);
	return r < 0 ? r : NO_BASH;
}

/* A command stands where the door stands. */
static int
make_beside_socket(void *data, char *const *envp, int *ret_fd, struct ambit_error *err)
{
	return run_beside(data, envp, ret_fd, err);
}

static int
fill_options(struct toolbox *box, const struct args *args, struct making *making,
	struct ambit_error *err)
{
	int r = limits_parse(args, &making->options.limits, err);

	if (r != 0)
		return r;
	if (toolbox_is_inside(box))
		around_limits(&box->around, &making->options.limits);
	box->limits = making->options.limits;
	if (collect_option_values(args, OPT_KEEP_ENV, &making->keep) < 0 ||
		collect_option_values(args, OPT_PREFIX, &making->prefix) < 0 ||
		make_args(box, args, &making->args) < 0 || append_known(box, &making->args) < 0)
		return err_nomem(err);
	if (making->options.backend == AMBIT_BACKEND_PREFIX)
		r = prefix_resolve(box, making->prefix, err);
	if (r == 0)
		r = programs_check(&box->world, err);
	if (r == 0 && making->options.backend == AMBIT_BACKEND_KERNEL) {
		making->program = find_program();
		if (making->program == NULL)
			r = err_set(err, ENOENT,
				"ambit is neither beside ambit-tools nor in ../../bin: "
				"install both");
	}
	making->options.program = making->program;
	making->options.args = making->args;
	making->options.prefix = making->prefix;
	making->options.keep = making->keep;
	making->options.envp = making->options.program_envp = environ;
	if (toolbox_is_inside(box)) {
		making->options.envp = run_inner_envp(box->around.asked);
		making->options.within = make_beside_socket;
		making->options.data = box->around.asked;
	}
	return r;
}

/* A command that this server runs and the kernel does not hold back from it could write
 * into our own input: a call of its own, or the answer to a question about it. Only root
 * still can. Behind another line, that line holds it back, and acts for us: which it does
 * for nobody whose memory it may not read. */
static void
close_own_files(enum ambit_backend backend)
{
	auto_close int outside = -1;

	if (backend != AMBIT_BACKEND_KERNEL && run_outside(&outside, NULL) == -ENOENT)
		prctl(PR_SET_DUMPABLE, 0);
}

int
backend_open(struct toolbox *box, const struct args *args, struct ambit_error *err)
{
	struct making making = { 0 };
	int r = find_backend(box, args, &making, err);

	if (r == 0)
		r = fill_options(box, args, &making, err);
	if (r == 0)
		r = ambit_executor_create(&making.options, &box->executor, err);
	if (r == 0)
		close_own_files(making.options.backend);
	making_finish(&making);
	return r == NO_BASH ? 0 : r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command line into what a door stands in. The options are the person's words.
 * Nobody is asked on a terminal unless that was said: it belongs to the program that
 * started the server. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"
#include "toolbox.h"

#include "ask/approver.h"
#include "ask/tty/ring.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"

#include "cli/cli-judge.h"
#include "cli/out.h"
#include "engine/doors.h"
#include "line/process/run-doors.h"

/* -- who answers ----------------------------------------------------------------- */

/* Where those who ask can write, as an engine that only looks sees it: the one that
 * acts needs its approver before it is there. */
static int
find_writable(
	struct toolbox *box, const struct args *args, char ***ret_list, struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = box->world.settings,
		.scope = box->world.scope,
		.record = box->world.record,
		.session = args_get(args, OPT_SESSION),
		.door = args->command->name,
		.observe = true,
	};
	struct ambit_engine *engine = NULL;
	int r = ambit_engine_create(&options, &engine, err);

	if (r < 0)
		return r;
	r = world_list_writable(engine, ambit_scope_root(box->world.scope), ret_list, err);
	ambit_engine_destroy(engine);
	return r;
}

static int
open_tty(struct toolbox *box, struct ambit_error *err)
{
	box->tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (box->tty < 0)
		return err_set(err, ENOTTY, "--ask tty: there is no terminal to ask on");
	/* What is run here is in a session of its own, without it. */
	return approver_on_tty(box->tty, box->tty,
		(out_colour(box->tty) ? TTY_COLOUR : 0) | (out_is_dumb() ? 0 : TTY_CLEAR),
		&box->approver, err);
}

static void
say_notify_failure(void *data, const char *why)
{
	(void)data;
	fprintf(stderr, "ambit: notify_command failed: %s\n", why);
}

static int
open_approver(struct toolbox *box, const struct args *args, struct ambit_error *err)
{
	const char *who = args_get(args, OPT_ASK);
	char **writable = NULL;
	int r = 0;

	if (who == NULL)
		who = ambit_settings_get(box->world.settings, "ask");
	if (args->command->person && (who == NULL || streq(who, "tty")) &&
		args_get(args, OPT_ASK) == NULL)
		return open_tty(box, NULL) == 0 || box->tty < 0 ? 0 : err_nomem(err);
	/* From a file "tty" means the terminal of whoever runs ambit; here that
	 * would be the agent's. */
	if (who == NULL || streq(who, "deny") ||
		(streq(who, "tty") && args_get(args, OPT_ASK) == NULL))
		return 0;
	if (streq(who, "tty"))
		return open_tty(box, err);
	if (str_prefix(who, "exec:"))
		r = find_writable(box, args, &writable, err);
	if (r == 0)
		r = ambit_approver_create(who, (const char *const *)writable, strv_len(writable),
			&box->approver, err);
	strv_free(writable);
	return r;
}

/* So that the record says what is inside what. */
static int
note_inside(struct toolbox *box, const char *door, struct ambit_error *err)
{
	const char *around = around_session(&box->around, ambit_engine_session(box->world.engine));
	auto_json json_t *body = json_object();
	auto_free char *line = NULL;

	if (body == NULL || json_set_text(body, "inside", around != NULL ? around : "") < 0 ||
		(line = json_line(body)) == NULL)
		return err_nomem(err);
	return engine_record_note(box->world.engine, "run", door, line, err);
}

static int
open_engine(struct toolbox *box, const struct args *args, const char *door, struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = box->world.settings,
		.scope = box->world.scope,
		.record = box->world.record,
		.approver = box->approver,
		.judge = box->judge,
		.session = args_get(args, OPT_SESSION),
		.door = door,
		.agent = toolbox_is_inside(box) ? around_agent(&box->around) : NULL,
		.outer = toolbox_is_inside(box) ? &box->around.outer : NULL,
	};
	int r = ambit_engine_create(&options, &box->world.engine, err);

	if (r == 0 && toolbox_is_inside(box))
		return note_inside(box, door, err);
	if (ambit_settings_number(box->world.settings, "bell") != 0)
		approver_set_ring(box->approver, ring_for_terminal(environ));
	return r < 0 ? r
		     : engine_open_notify(
			       box->world.engine, environ, say_notify_failure, NULL, err);
}

/* -- behind a line --------------------------------------------------------------- */

/* The command line is that of the one inside; so are the directory and the
 * environment, the last for commands alone. */
static int
open_inside(struct toolbox *box, const struct args *args, struct ambit_error *err)
{
	char *const *words;
	int r = around_open(&box->around, args_get(args, OPT_INNER), false, err);

	if (r != 0)
		return r;
	words = run_inner_args(box->around.asked);
	umask(run_inner_umask(box->around.asked));
	if (chdir(run_inner_cwd(box->around.asked)) < 0)
		return err_sys(err, errno, "the current directory");
	r = args_parse(args->command, (char **)words, strv_len((char **)words), &box->asked, err);
	if (r == 0)
		r = around_options(&box->around, &box->asked, err);
	if (r == 0 && args_get(&box->asked, OPT_ASK) != NULL &&
		!streq(args_get(&box->asked, OPT_ASK), "deny"))
		r = err_set(err, EPERM,
			"--ask %s: this is inside another ambit run, from where nobody else can "
			"be asked",
			args_get(&box->asked, OPT_ASK));
	if (r != 0)
		return r;
	around_folder(&box->around, &box->asked);
	around_settings(&box->around, &box->asked);
	return 0;
}

bool
toolbox_asks(const struct toolbox *box)
{
	const char *said = ambit_settings_get(box->world.settings, "ask");

	return !toolbox_is_inside(box) &&
	       (said == NULL || !(streq(said, "deny") || streq(said, "allow")));
}

/* -- all of it ------------------------------------------------------------------- */

static int
check_folder(const struct toolbox *box, const struct args *args, struct ambit_error *err)
{
	const char *root = ambit_scope_root(box->world.scope);
	auto_free char *shown = str_escape(root, strlen(root));

	if (args_get(args, OPT_FOLDER) != NULL || !place_is_wide(&box->world.place, root))
		return 0;
	return err_set(err, EPERM,
		"the folder would be %s, which is or holds your home: the line would hold nothing "
		"of yours back; name one with --folder DIR",
		shown != NULL ? shown : "?");
}

int
toolbox_open(
	struct toolbox *box, const struct args *args, const char *door, struct ambit_error *err)
{
	struct ambit_registry_options options;
	struct ambit_agents agents = { 0 };
	int r;

	*box = (struct toolbox){ .tty = -1 };
	if (args_get(args, OPT_INNER) != NULL) {
		r = open_inside(box, args, err);
		if (r != 0)
			return r;
		args = &box->asked;
	}
	r = world_open(&box->world, args, WORLD_SETTINGS | WORLD_STORE, err);
	if (r == 0 && toolbox_is_inside(box))
		r = around_check(&box->around, &box->world, args, err);
	if (r == 0 && toolbox_is_inside(box))
		r = around_scope(&box->around, &box->world, err);
	else if (r == 0)
		r = check_folder(box, args, err);
	if (r == 0 && !toolbox_is_inside(box))
		r = open_approver(box, args, err);
	if (r == 0)
		r = toolbox_is_inside(box) ? 0 : judge_open(box->world.settings, &box->judge, err);
	if (r == 0)
		r = open_engine(box, args, door, err);
	if (r == 0)
		r = backend_open(box, args, err);
	if (r != 0)
		return r;
	box->guard_reads = args_get(args, OPT_GUARD_READS) != NULL ||
			   (toolbox_is_inside(box) &&
				   json_is_true(json_object_get(box->around.scope, "guard_reads")));
	r = agents_open(box, &agents, err);
	if (r < 0)
		return r;
	options = (struct ambit_registry_options){
		.engine = box->world.engine,
		.executor = box->executor,
		.agents = &agents,
		.no_bash = box->why,
	};
	return ambit_registry_create(&options, &box->registry, err);
}

/* Its words come before its end, which the one who stands for it takes for all. */
static void
end_inside(struct toolbox *box, int r, struct ambit_error *err)
{
	int status = r < 0 ? EXIT_FAILED : r;

	if (r != 0 && err->code != 0)
		fprintf(stderr, "ambit: %s\n", err->text);
	if (r != 0)
		err->code = 0;
	run_inner_finish(box->around.asked, status, NULL);
	box->around.asked = NULL;
}

void
toolbox_finish(struct toolbox *box, int r, struct ambit_error *err)
{
	ambit_registry_destroy(box->registry);
	ambit_executor_destroy(box->executor);
	/* The engine goes before those it asks. */
	world_finish(&box->world);
	ambit_judge_destroy(box->judge);
	ambit_approver_destroy(box->approver);
	fd_close_at(&box->tty);
	free(box->why);
	free(box->turns);
	if (toolbox_is_inside(box))
		end_inside(box, r, err);
	around_finish(&box->around);
	args_finish(&box->asked);
}

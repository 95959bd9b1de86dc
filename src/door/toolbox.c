/* SPDX-License-Identifier: Apache-2.0 */
/* The command line into what a door stands in. The options are the person's words.
 * Nobody is asked on a terminal unless that was said: it belongs to the program that
 * started the server. */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend.h"
#include "toolbox.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

#include "cli/out.h"

/* -- who answers ----------------------------------------------------------------- */

static int
append_path(void *data, const char *path, bool spine)
{
	(void)spine;
	return strv_append(data, path);
}

/* Where those who ask can write, as an engine that only looks sees it: the one that
 * acts needs its approver before it is there. */
static int
find_writable(struct toolbox *box, const struct args *args, char ***ret_list,
	struct ambit_error *err)
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
	r = strv_append(ret_list, ambit_scope_root(box->world.scope));
	if (r == 0)
		r = ambit_engine_writable(engine, append_path, ret_list);
	ambit_engine_destroy(engine);
	return r < 0 ? err_sys(err, -r, "what can be written") : 0;
}

static int
open_tty(struct toolbox *box, struct ambit_error *err)
{
	box->tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (box->tty < 0)
		return err_set(err, ENOTTY, "--ask tty: there is no terminal to ask on");
	return ambit_approver_tty(box->tty, box->tty, out_colour(box->tty), &box->approver, err);
}

static int
open_approver(struct toolbox *box, const struct args *args, struct ambit_error *err)
{
	const char *who = args_get(args, OPT_ASK);
	char **writable = NULL;
	int r = 0;

	if (who == NULL)
		who = ambit_settings_get(box->world.settings, "ask");
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

static int
open_engine(struct toolbox *box, const struct args *args, const char *door, struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = box->world.settings,
		.scope = box->world.scope,
		.record = box->world.record,
		.approver = box->approver,
		.session = args_get(args, OPT_SESSION),
		.door = door,
	};

	return ambit_engine_create(&options, &box->world.engine, err);
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
toolbox_open(struct toolbox *box, const struct args *args, const char *door,
	struct ambit_error *err)
{
	struct ambit_registry_options options;
	int r;

	*box = (struct toolbox){ .tty = -1 };
	r = world_open(&box->world, args, WORLD_SETTINGS | WORLD_STORE, err);
	if (r == 0)
		r = check_folder(box, args, err);
	if (r == 0)
		r = open_approver(box, args, err);
	if (r == 0)
		r = open_engine(box, args, door, err);
	if (r == 0)
		r = backend_open(box, args, err);
	if (r != 0)
		return r;
	options = (struct ambit_registry_options){
		.engine = box->world.engine,
		.executor = box->executor,
		.no_bash = box->why,
	};
	return ambit_registry_create(&options, &box->registry, err);
}

void
toolbox_finish(struct toolbox *box)
{
	ambit_registry_destroy(box->registry);
	ambit_executor_destroy(box->executor);
	/* The engine goes before the one it asks. */
	world_finish(&box->world);
	ambit_approver_destroy(box->approver);
	fd_close_at(&box->tty);
	free(box->why);
}

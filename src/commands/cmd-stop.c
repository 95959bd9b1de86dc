/* SPDX-License-Identifier: Apache-2.0 */
/* ambit stop: ends a live session, each of its doors: a run's tree as its time would, a
 * server as a signal would. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/str.h"

/* The one session that is meant, borrowed. Without a name, the live one of this folder. */
static int
choose_live_session(struct world *world, const struct live_list *lives, const struct args *args,
	const char *root, const char **ret_session, struct ambit_error *err)
{
	const char *name = args_get(args, OPT_SESSION), *found = NULL;

	for (size_t i = 0; i < lives->n; i++) {
		const struct live_one *one = &lives->list[i];

		if (name != NULL ? !streq(one->session, name) : !streq(one->folder, root))
			continue;
		/* It ends with the one around it. */
		if (name == NULL && session_is_inside(world, one->session))
			continue;
		if (found != NULL && !streq(found, one->session))
			return 1;
		found = one->session;
	}
	if (found == NULL && name != NULL)
		return err_set(
			err, ENOENT, "session '%s' is not live; see 'ambit sessions --live'", name);
	if (found == NULL)
		return err_set(err, ENOENT,
			"no session of this folder is live; name one with --session, see 'ambit "
			"sessions --live'");
	*ret_session = found;
	return 0;
}

static int
name_them(struct world *world, const struct live_list *lives, const char *root,
	struct ambit_error *err)
{
	for (size_t i = 0; i < lives->n; i++) {
		const struct live_one *one = &lives->list[i];

		if (streq(one->folder, root) && !session_is_inside(world, one->session))
			fprintf(stderr, "%s: %s (pid %ld): %s\n", one->session, one->door,
				(long)one->pid, one->what);
	}
	err_set(err, EEXIST, "several sessions of this folder are live: choose with --session");
	return EXIT_FAILED;
}

static int
report_ended_door(const struct args *args, const struct live_one *one)
{
	if (args_get(args, OPT_JSON) != NULL)
		return out_json(live_json(one), NULL);
	printf("ended %s (pid %ld) of session %s: ", one->door, (long)one->pid, one->session);
	puts(one->what);
	return 0;
}

/* A server's commands are its own to end: what it takes along is gone when its turn comes. */
static int
stop_session_doors(const struct live_list *lives, const struct args *args, const char *session,
	struct ambit_error *err)
{
	int r = 0, failed = 0;

	for (size_t i = 0; r == 0 && i < lives->n; i++) {
		const struct live_one *one = &lives->list[i];
		struct ambit_error why = { 0 };

		if (!streq(one->session, session))
			continue;
		int called = live_call(lives, one, "stop", NULL, &why);

		if (called == 0)
			r = report_ended_door(args, one) < 0 ? err_nomem(err) : 0;
		else if (called != -EPIPE && called != -ENOENT && called != -ECONNREFUSED) {
			*err = why;
			failed = called;
		}
	}
	return r < 0 ? r : failed;
}

static int
run_stop(const struct args *args, struct ambit_error *err)
{
	struct live_list lives = { 0 };
	const char *session = NULL, *root;
	struct world world;
	int r = world_open(&world, args, WORLD_SCOPE | WORLD_RECORD, err);

	root = r == 0 ? ambit_scope_root(world.scope) : NULL;
	if (r == 0)
		r = live_find(&lives, &world.place, err);
	if (r == 0)
		r = choose_live_session(&world, &lives, args, root, &session, err);
	if (r == 1)
		r = name_them(&world, &lives, root, err);
	else if (r == 0)
		r = stop_session_doors(&lives, args, session, err);
	live_finish(&lives);
	world_finish(&world);
	return r;
}

const struct command cmd_stop = {
	.name = "stop",
	.args = "",
	.text = "end a live session",
	.about =
		"Ends what the session runs in: the command of 'ambit run' with everything it has\n"
		"started, first by SIGTERM and after a second by SIGKILL; 'ambit mcp' and "
		"'ambit serve'\n"
		"as by SIGTERM. It says what it ended. The session is --session, else the live "
		"one of\n"
		"this folder; where there are several, they are named, and nothing is ended.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit stop", "what runs in this folder" },
			{ "ambit stop --session ci", "the session of that name, wherever it is" },
			{ NULL, NULL },
		},
	.run = run_stop,
};

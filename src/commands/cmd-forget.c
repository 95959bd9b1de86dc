/* SPDX-License-Identifier: Apache-2.0 */
/* ambit forget: sessions out of the record. Says what would go, asks at a terminal,
 * and removes nothing that is live. A command behind the line cannot write the
 * record, so it forgets nothing. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "record/upkeep.h"

struct forgetting {
	const struct args *args;
	struct world *world;
	int64_t before; /* 0: whenever */
};

/* One session for each word; without words, all that are old enough. */
static int
forget_each(const struct forgetting *f, bool look, struct record_forgotten *ret_sum,
	struct ambit_error *err)
{
	size_t n = f->args->n > 0 ? f->args->n : 1;
	int r = 0;

	*ret_sum = (struct record_forgotten){ 0 };
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct record_forget_what what = {
			.session = f->args->n > 0 ? f->args->words[i] : NULL,
			.before = f->before,
			.look = look,
		};
		struct record_forgotten one;

		r = record_forget(f->world->record, &what, &one, err);
		ret_sum->sessions += one.sessions;
		ret_sum->events += one.events;
		ret_sum->live += one.live;
	}
	return r;
}

/* A name that is not there is a mistake, and nothing is removed. */
static int
check_names(const struct forgetting *f, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->args->n; i++) {
		struct ambit_session session = { 0 };

		r = ambit_record_session_load(f->world->record, f->args->words[i], &session, err);
		if (r == -ENOENT)
			err_set(err, ENOENT,
				"there is no session '%s': 'ambit sessions' lists them",
				f->args->words[i]);
		ambit_session_finish(&session);
	}
	return r;
}

/* Only "y" or "yes" is a yes. */
static bool
is_confirmed(const struct record_forgotten *sum)
{
	char line[16] = "";

	printf("remove %lld %s with %lld events from the record, for good? [y/N] ",
		(long long)sum->sessions, sum->sessions == 1 ? "session" : "sessions",
		(long long)sum->events);
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) == NULL)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return streq(line, "y") || streq(line, "yes");
}

static int
say_done(const struct args *args, const struct record_forgotten *sum, struct ambit_error *err)
{
	if (args_get(args, OPT_JSON) != NULL)
		return out_json(
			json_pack("{s:I s:I s:I}", "sessions", (json_int_t)sum->sessions, "events",
				(json_int_t)sum->events, "live", (json_int_t)sum->live),
			err);
	printf("%lld %s with %lld events removed", (long long)sum->sessions,
		sum->sessions == 1 ? "session" : "sessions", (long long)sum->events);
	if (sum->live > 0)
		printf("; %lld live %s kept ('ambit stop' ends a session)", (long long)sum->live,
			sum->live == 1 ? "session was" : "sessions were");
	putchar('\n');
	return 0;
}

static int
forget_sessions(const struct forgetting *f, struct ambit_error *err)
{
	struct record_forgotten sum;
	int r = check_names(f, err);

	if (r == 0)
		r = forget_each(f, true, &sum, err);
	if (r == 0 && f->args->n > 0 && sum.live > 0)
		return err_set(err, EBUSY,
			"a session is live and was kept: end it first with 'ambit stop'");
	if (r == 0 && sum.sessions > 0 && args_get(f->args, OPT_YES) == NULL && !is_confirmed(&sum))
		return err_set(err, ECANCELED, "nothing was removed");
	if (r == 0 && sum.sessions > 0)
		r = forget_each(f, false, &sum, err);
	return r < 0 ? r : say_done(f->args, &sum, err);
}

static int
parse_args(const struct args *args, struct forgetting *f, struct ambit_error *err)
{
	const char *before = args_get(args, OPT_BEFORE);

	if (before != NULL && when_since(before, clock_now(), &f->before) < 0)
		return usage(err,
			"--before: '%s' is neither 90s, 15m, 2h, 30d nor 2030-01-31[T12:00]",
			before);
	if ((args->n > 0) + (before != NULL) + (args_get(args, OPT_ALL) != NULL) != 1)
		return usage(err, "name the sessions, or use --before WHEN or --all");
	if (args_get(args, OPT_YES) == NULL &&
		(!isatty(STDIN_FILENO) || args_get(args, OPT_JSON) != NULL))
		return usage(err, "cannot ask without a terminal: use --yes");
	return 0;
}

static int
run_forget(const struct args *args, struct ambit_error *err)
{
	struct world world;
	struct forgetting f = { .args = args, .world = &world };
	int r = parse_args(args, &f, err);

	if (r != 0)
		return r;
	r = world_open(&world, args, WORLD_RECORD, err);
	if (r == 0 && world.record == NULL) {
		fprintf(stderr, "ambit: nothing is recorded yet\n");
		world_finish(&world);
		return 0;
	}
	world_finish(&world);
	if (r == 0)
		r = world_open(&world, args, WORLD_STORE, err);
	if (r == 0) {
		r = forget_sessions(&f, err);
		world_finish(&world);
	}
	return r;
}

const struct command cmd_forget = {
	.name = "forget",
	.args = "[SESSION...]",
	.text = "remove sessions from the record",
	.about = "Removes sessions with their events, approvals, modes and permissions, for "
		 "good: those\n"
		 "that are named, those that were last used before a time, or all. Live sessions "
		 "stay;\n"
		 "so do rules that hold beyond a session. The record notes how many went. By\n"
		 "themselves sessions go after 'keep_days', and the oldest when the record has "
		 "more\n"
		 "than 'record_max' megabytes ('ambit settings').",
	.options = (const enum opt[]){ OPT_BEFORE, OPT_ALL, OPT_YES, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit forget 20300131-101500-k3x9qa", "one session" },
			{ "ambit forget --before 30d --yes", "what was not used for a month" },
			{ NULL, NULL },
		},
	.max = 64,
	.run = run_forget,
};

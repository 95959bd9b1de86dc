/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what a command needs, in the order in which one needs the other. The
 * options are the person's own words and stand over the person's file. */

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "nested-scope.h"
#include "world.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/scope-narrow.h"

/* One element of a list as JSON: only that can hold any text. */
static int
set_element(struct ambit_settings *settings, const struct option_row *row, const char *text,
	struct ambit_error *err)
{
	auto_free char *source = str_printf("--%s", row->name);
	auto_json json_t *list = json_pack("[s]", text);
	auto_free char *value = list != NULL ? json_line(list) : NULL;

	if (list == NULL && !str_is_utf8(text, strlen(text)))
		return usage(err, "--%s: the path is not UTF-8", row->name);
	if (source == NULL || value == NULL)
		return err_nomem(err);
	return ambit_settings_set(settings, row->key, value, source, err);
}

static int
set_names(struct ambit_settings *settings, const struct option_row *row, const char *text,
	struct ambit_error *err)
{
	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		auto_free char *name = strndup(at, len);
		int r;

		if (name == NULL)
			return err_nomem(err);
		r = set_element(settings, row, name, err);
		if (r != 0)
			return r;
		at += len;
		if (*at == '\0')
			return 0;
	}
}

static int
set_option(struct ambit_settings *settings, const struct given *given, struct ambit_error *err)
{
	const struct option_row *row = &option_rows[given->opt];
	auto_free char *source = str_printf("--%s", row->name);

	if (source == NULL)
		return err_nomem(err);
	if (given->opt == OPT_FOR)
		return set_names(settings, row, given->value, err);
	if ((given->opt == OPT_WRITE || given->opt == OPT_READ) && given->value[0] == '\0')
		return usage(err, "--%s: an empty path", row->name);
	if (row->many)
		return set_element(settings, row, given->value, err);
	return ambit_settings_set(
		settings, row->key, row->value != NULL ? row->value : given->value, source, err);
}

static int
find_settings(struct world *world, const struct args *args, struct ambit_error *err)
{
	const char *file = args_get(args, OPT_SETTINGS);

	world->file = file != NULL ? str_absolute(file)
				   : str_printf("%s/config.json", world->place.config);
	return world->file != NULL ? 0 : err_sys(err, errno, "the settings file");
}

static int
open_settings(struct world *world, const struct args *args, struct ambit_error *err)
{
	const struct ambit_settings_options options = {
		.person = world->file,
		.required = args_get(args, OPT_SETTINGS) != NULL && args->around == NULL,
		.folder = args->around != NULL ? args->around->folder
					       : ambit_scope_root(world->scope),
		.home = world->place.home,
	};
	int r = ambit_settings_load(&options, &world->settings, err);

	for (size_t i = 0; r == 0 && i < args->n_given; i++)
		if (option_rows[args->given[i].opt].key != NULL)
			r = set_option(world->settings, &args->given[i], err);
	return r;
}

/* The folder that is meant: --folder, the stored session's own, or the
 * current directory. */
static int
find_folder(struct world *world, const struct args *args, unsigned needs, char **ret_folder,
	struct ambit_error *err)
{
	const char *folder = args_get(args, OPT_FOLDER), *name = args_get(args, OPT_SESSION);
	struct ambit_session session = { 0 };
	int r = -ENOENT;

	if (folder == NULL && name != NULL && (needs & WORLD_ITS_FOLDER) && world->record != NULL)
		r = ambit_record_session_load(world->record, name, &session, err);
	if (r < 0 && r != -ENOENT)
		return r;
	if (r == 0)
		folder = session.root;
	else
		*err = (struct ambit_error){ 0 };
	*ret_folder = str_dup(folder != NULL ? folder : ".");
	ambit_session_finish(&session);
	return *ret_folder != NULL ? 0 : err_nomem(err);
}

/* Said by a server of ambit's own, for a client that says what it works on. */
static int
narrow_scope(struct world *world, const struct args *args, struct ambit_error *err)
{
	char **dirs = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_given; i++)
		if (args->given[i].opt == OPT_ONLY)
			r = strv_append(&dirs, args->given[i].value);
	if (r < 0)
		r = err_nomem(err);
	else if (dirs != NULL)
		r = scope_narrow(world->scope, (const char *const *)dirs, strv_len(dirs),
			"the client's roots", err);
	strv_free(dirs);
	return r;
}

/* The workspace's, where it has the folder in it: another that is open may be named. */
static const char *
find_display(const struct around *around, const char *folder)
{
	const char *display = around_display(around);
	auto_free char *real = display != NULL && folder != NULL ? realpath(folder, NULL) : NULL;

	return real != NULL && str_beneath(real, display) ? display : NULL;
}

static int
open_scope(struct world *world, const struct args *args, unsigned needs, struct ambit_error *err)
{
	auto_free char *folder = NULL;
	int r = find_folder(world, args, needs, &folder, err);
	const struct ambit_scope_options options = {
		.root = folder,
		.display_root = find_display(args->around, folder),
		.enforce_write = around_enforces(args->around),
		.allow_bash = around_allows_bash(args->around),
		.places = {
			.home = world->place.home,
			.config = world->place.config,
			.settings = world->file,
			.state = world->place.state,
			.runtime = world->place.sockets,
		},
	};

	if (r == 0)
		r = ambit_scope_create(&options, &world->scope, err);
	if (r == 0 && args->around != NULL)
		r = around_protect(args->around, world->scope, err);
	return r < 0 ? r : narrow_scope(world, args, err);
}

static int
open_record(struct world *world, unsigned needs, struct ambit_error *err)
{
	int r;

	if (needs & WORLD_STORE)
		return ambit_record_open(
			world->place.state, AMBIT_RECORD_WRITE, &world->record, err);
	r = ambit_record_open(world->place.state, AMBIT_RECORD_READ, &world->record, err);
	if (r == -ENOENT) {
		*err = (struct ambit_error){ 0 };
		return 0;
	}
	return r;
}

static int
open_engine(struct world *world, const struct args *args, const char *session, bool observe,
	struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = world->settings,
		.scope = world->scope,
		.record = world->record,
		.session = session,
		.door = args->command->name,
		.observe = observe,
	};

	return ambit_engine_create(&options, &world->engine, err);
}

int
world_observe(struct world *world, const struct args *args, const struct ambit_session *session,
	struct ambit_error *err)
{
	return open_engine(world, args, session->name, true, err);
}

/* -- the record, meanwhile -------------------------------------------------- */

struct opening {
	struct world *world;
	unsigned needs;
	struct ambit_error err;
	int r;
	pthread_t thread;
	bool running;
};

static void *
open_beside(void *data)
{
	struct opening *opening = data;

	opening->r = open_record(opening->world, opening->needs, &opening->err);
	return NULL;
}

/* In a thread if one is to be had. */
static void
begin_record(struct opening *opening, bool beside)
{
	if (beside) {
		/* One arena: what the thread allocates is freed elsewhere. */
		mallopt(M_ARENA_MAX, 1);
		opening->running =
			pthread_create(&opening->thread, NULL, open_beside, opening) == 0;
	}
	if (!opening->running)
		open_beside(opening);
}

static int
end_record(struct opening *opening, struct ambit_error *err)
{
	if (opening->running)
		pthread_join(opening->thread, NULL);
	if (opening->r < 0)
		*err = opening->err;
	return opening->r;
}

/* What needs the record: the folder of a stored session. */
static bool
may_wait(const struct args *args, unsigned needs)
{
	return (needs & WORLD_MEANWHILE) &&
	       !((needs & WORLD_ITS_FOLDER) && args_get(args, OPT_SESSION) != NULL);
}

static int
open_rest(struct world *world, const struct args *args, unsigned needs, struct ambit_error *err)
{
	int r = 0;

	if (needs & WORLD_SCOPE)
		r = find_settings(world, args, err);
	if (r == 0 && (needs & WORLD_SCOPE))
		r = open_scope(world, args, needs, err);
	if (r == 0 && (needs & WORLD_SETTINGS))
		r = open_settings(world, args, err);
	return r;
}

int
world_open_meanwhile(struct world *world, const struct args *args, unsigned needs,
	void (*meanwhile)(void *data), void *data, struct ambit_error *err)
{
	const char *session = args_get(args, OPT_SESSION);
	struct opening opening = { .world = world };
	bool beside = may_wait(args, needs);
	int r, rest;

	*world = (struct world){ 0 };
	if (session != NULL && !ambit_session_name_valid(session))
		return usage(
			err, "--session: '%s' is not a name (1-64 of A-Z a-z 0-9 . _ -)", session);
	if (needs & WORLD_ENGINE)
		needs |= WORLD_SETTINGS | WORLD_RECORD;
	if (needs & WORLD_SETTINGS)
		needs |= WORLD_SCOPE;
	r = place_init(&world->place, err);
	if (r < 0)
		return r;
	opening.needs = needs;
	if (needs & (WORLD_RECORD | WORLD_STORE))
		begin_record(&opening, beside);
	if (!opening.running && opening.r < 0)
		return end_record(&opening, err);
	rest = open_rest(world, args, needs, err);
	if (rest == 0 && meanwhile != NULL)
		meanwhile(data);
	/* The record comes first where both fail, as without a thread. */
	r = end_record(&opening, err);
	if (r == 0)
		r = rest;
	if (r == 0 && (needs & WORLD_ENGINE))
		r = open_engine(world, args, session, (needs & WORLD_STORE) == 0, err);
	return r;
}

int
world_open(struct world *world, const struct args *args, unsigned needs, struct ambit_error *err)
{
	return world_open_meanwhile(world, args, needs, NULL, NULL, err);
}

void
world_finish(struct world *world)
{
	ambit_engine_destroy(world->engine);
	ambit_record_close(world->record);
	ambit_settings_destroy(world->settings);
	ambit_scope_destroy(world->scope);
	free(world->file);
	place_finish(&world->place);
}

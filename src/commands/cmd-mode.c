/* SPDX-License-Identifier: Apache-2.0 */
/* ambit mode: shows or changes the modes of a session, stored and live. The words of the
 * modes are all different, so a word alone says which mode is meant. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/str.h"
#include "record/upkeep.h"

#define WORD_RESET "as-settings"

static const struct stored_mode *
mode_of(const char *word, int *ret_value)
{
	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++) {
		const struct ambit_word *row = ambit_word_find(mode->words, word);

		if (row != NULL) {
			*ret_value = row->value;
			return mode;
		}
	}
	return NULL;
}

static int
set_word(struct ambit_session *session, const char *word, struct ambit_error *err)
{
	const struct stored_mode *mode;
	int value;

	if (streq(word, WORD_RESET)) {
		for (mode = stored_modes; mode->key != NULL; mode++)
			*stored_mode_at(session, mode) = -1;
		return 0;
	}
	mode = mode_of(word, &value);
	if (mode == NULL)
		return usage(err, "no mode has the word '%s'; see 'ambit help mode'", word);
	*stored_mode_at(session, mode) = value;
	return 0;
}

static int
change_modes(struct world *world, const struct args *args, struct ambit_session *session,
	struct ambit_error *err)
{
	int r = session_may_change(world, args, session,
		", or start it with --mode, --read-only, --ask-mode or --reads", err);

	for (size_t i = 0; r == 0 && i < args->n; i++)
		r = set_word(session, args->words[i], err);
	return r != 0 ? r : record_session_store(world->record, session, err);
}

static bool
is_about_reads(const struct args *args)
{
	int value;

	for (size_t i = 0; i < args->n; i++) {
		const struct stored_mode *mode = mode_of(args->words[i], &value);

		if (mode != NULL && mode->words == ambit_reads_words)
			return true;
	}
	return false;
}

static int
show_session_modes(struct world *world, const struct args *args, struct ambit_session *session,
	struct ambit_error *err)
{
	static const char *const heads[] = { "MODE", "IS", "FROM", NULL };
	const struct live_for whom = { .session = session->name, .reads = is_about_reads(args) };
	auto_json json_t *object = json_pack("{s:s?}", "session", session->name);
	struct table table;
	int r = 0;

	table_init(&table, heads);
	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++) {
		const char *from = "?";
		int value = ambit_engine_mode(world->engine, mode->key, &from);
		const char *word = ambit_word_name(mode->words, value);

		table_plain(&table, mode->name);
		table_plain(&table, word);
		table_plain(&table, from);
		if (json_object_set_new(object, mode->key,
			    json_pack("{s:s s:s}", "value", word, "from", from)) < 0)
			r = err_nomem(err);
	}
	if (r == 0 && args_get(args, OPT_JSON) == NULL)
		r = table_finish(&table, err);
	if (r == 0 && args->n > 0)
		r = live_reload(&world->place, &whom,
			args_get(args, OPT_JSON) != NULL ? object : NULL, err);
	if (r == 0 && args_get(args, OPT_JSON) != NULL)
		r = out_json(json_incref(object), err);
	strv_free(table.cells);
	return r;
}

static int
run_mode(const struct args *args, struct ambit_error *err)
{
	struct ambit_session session = { 0 };
	struct world world;
	unsigned record_need = args->n > 0 ? WORLD_STORE : WORLD_RECORD;
	int r = world_open(&world, args, WORLD_SETTINGS | record_need | WORLD_ITS_FOLDER, err);

	if (r == 0)
		r = session_pick(&world, args, &session, err);
	if (r >= 0 && args->n > 0)
		r = change_modes(&world, args, &session, err);
	if (r == 0 || (r == 1 && args->n == 0))
		r = world_observe(&world, args, &session, err);
	if (r == 0)
		r = show_session_modes(&world, args, &session, err);
	ambit_session_finish(&session);
	world_finish(&world);
	return r;
}

const struct command cmd_mode = {
	.name = "mode",
	.args = "[WORD...]",
	.text = "show or change the modes of a session",
	.about = "Without a word, shows the modes that hold and where each comes from: the "
		 "session, the\n"
		 "person (your settings), the folder (its .ambit.json) or the default. Each word "
		 "sets\n"
		 "the mode that it belongs to:\n"
		 "  agent mode: plan, build\n"
		 "  sandbox mode: read-only, default-write\n"
		 "  ask mode: ask-any-write, ask-dangerous, bypass\n"
		 "  reads: folder, until-first-write, anywhere\n"
		 "  as-settings: all of them as the settings say\n"
		 "\n"
		 "The session is --session, which is made if there is none of that name, else the\n"
		 "live one of this folder, or its newest if that has a name of yours; one that\n"
		 "ambit named does not come again. What a settings file in the folder narrows\n"
		 "stays narrow. Where the session is live, a change holds at once, for new "
		 "calls: files\n"
		 "that a program has open stay open. It says where it holds.",
	.words = (const char *const[]){ "plan", "build", "read-only", "default-write",
		"ask-any-write", "ask-dangerous", "bypass", "folder", "until-first-write",
		"anywhere", WORD_RESET, NULL },
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit mode plan", "this folder's session may only look" },
			{ "ambit mode build ask-any-write --session ci", "two modes at once" },
			{ NULL, NULL },
		},
	.max = 8,
	.run = run_mode,
};

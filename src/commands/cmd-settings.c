/* SPDX-License-Identifier: Apache-2.0 */
/* ambit settings: the effective ones, and where each came from. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

struct listing {
	struct table table;
	json_t *object;
};

static int
add_row(void *data, const char *key, const char *value, const char *source, const char *text)
{
	struct listing *listing = data;
	json_t *parsed = NULL, *row;

	(void)text;
	table_cell(&listing->table, key);
	table_cell(&listing->table, source);
	table_cell(&listing->table, value);
	if (json_parse(value, strlen(value), &parsed, NULL) < 0)
		parsed = json_null();
	row = json_pack("{s:o}", "value", parsed);
	if (row == NULL || json_set_text(row, "from", source) < 0 ||
		json_object_set_new(listing->object, key, row) < 0)
		listing->table.failed = true;
	return 0;
}

static int
show_settings(struct world *world, const struct args *args, struct ambit_error *err)
{
	static const char *const heads[] = { "SETTING", "FROM", "VALUE", NULL };
	struct listing listing = { .object = json_object() };
	int r;

	table_init(&listing.table, heads);
	r = ambit_settings_each(world->settings, add_row, &listing);
	if (r < 0 || listing.table.failed)
		r = err_nomem(err);
	else if (args_get(args, OPT_JSON) != NULL)
		r = out_json(json_incref(listing.object), err);
	else
		r = table_finish(&listing.table, err);
	strv_free(listing.table.cells);
	json_decref(listing.object);
	return r;
}

static int
run_settings(const struct args *args, struct ambit_error *err)
{
	auto_free char *schema = NULL;
	struct world world;
	int r;

	if (args_get(args, OPT_SCHEMA) != NULL) {
		schema = ambit_settings_schema();
		if (schema == NULL)
			return err_nomem(err);
		puts(schema);
		return EXIT_OK;
	}
	r = world_open(&world, args, WORLD_SETTINGS, err);
	if (r == 0)
		r = show_settings(&world, args, err);
	world_finish(&world);
	return r;
}

const struct command cmd_settings = {
	.name = "settings",
	.args = "",
	.text = "the settings that hold, and where each comes from",
	.about = "The person's settings are in ~/.config/ambit/config.json (or --settings FILE). "
		 "A file\n"
		 ".ambit.json in the folder can narrow them and never widen them. What cannot be "
		 "read\n"
		 "or understood is an error, with file, line and column; nothing is skipped.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SETTINGS, OPT_JSON, OPT_SCHEMA, OPT_READS,
		OPT_READ_ONLY, OPT_MODE, OPT_ASK_MODE, OPT_WRITE, OPT_READ, OPT_FOR, OPT_ALLOW_HOST,
		OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit settings --schema >ambit.schema.json", "for an editor" },
			{ NULL, NULL },
		},
	.run = run_settings,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* ambit sessions: those that are stored, newest first. */

#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "commands.h"
#include "out.h"
#include "world.h"

#include "base/fd.h"
#include "base/str.h"

struct listing {
	bool json;
	struct table table;
};

static json_t *
session_json(struct ambit_session *session)
{
	json_t *object = json_pack("{s:s s:I s:I s:I s:b}", "name", session->name, "created",
		(json_int_t)session->created, "updated", (json_int_t)session->updated, "events",
		(json_int_t)session->events, "wrote", session->wrote);

	if (object == NULL || json_set_text(object, "folder", session->root) < 0) {
		json_decref(object);
		return NULL;
	}
	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++)
		if (*stored_mode_at(session, mode) >= 0)
			json_object_set_new(object, mode->key,
				json_string(ambit_word_name(
					mode->words, *stored_mode_at(session, mode))));
	return object;
}

static int
list_session(void *data, const struct ambit_session *given)
{
	struct listing *listing = data;
	struct ambit_session session = *given;
	auto_free char *events = str_printf("%lld", (long long)session.events);
	auto_free char *modes = str_dup("");
	char updated[32];

	if (listing->json)
		return out_json(session_json(&session), NULL);
	for (const struct stored_mode *mode = stored_modes; modes != NULL && mode->key != NULL;
		mode++)
		if (*stored_mode_at(&session, mode) >= 0) {
			char *more = str_printf("%s%s%s", modes, modes[0] != '\0' ? " " : "",
				ambit_word_name(mode->words, *stored_mode_at(&session, mode)));

			free(modes);
			modes = more;
		}
	table_cell(&listing->table, session.name);
	table_plain(&listing->table, out_time(session.updated, updated, sizeof(updated)));
	table_plain(&listing->table, events);
	table_plain(&listing->table, modes != NULL && modes[0] != '\0' ? modes : NULL);
	table_cell(&listing->table, session.root);
	return 0;
}

static int
run(const struct args *args, struct ambit_error *err)
{
	static const char *const heads[] = { "NAME", "LAST USED", "EVENTS", "MODES", "FOLDER",
		NULL };
	struct listing listing = { .json = args_get(args, OPT_JSON) != NULL };
	struct world world;
	int r = world_open(&world, args, WORLD_RECORD, err);

	table_init(&listing.table, heads);
	if (r == 0 && world.record != NULL)
		r = ambit_record_sessions(world.record, list_session, &listing, err);
	if (r == 0)
		r = table_finish(&listing.table, err);
	strv_free(listing.table.cells);
	world_finish(&world);
	return r;
}

const struct command cmd_sessions = {
	.name = "sessions",
	.args = "",
	.text = "the sessions that are stored",
	.about = "Lists every stored session, newest first, with the modes that it has of its own.\n"
		 "--session NAME on any command goes on with one.",
	.options = (const enum opt[]){ OPT_JSON, OPT_END },
	.run = run,
};

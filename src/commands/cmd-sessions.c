/* SPDX-License-Identifier: Apache-2.0 */
/* ambit sessions: those that are stored, newest first, and which of them are live. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

struct listing {
	bool json;
	bool live; /* only those */
	struct live_list lives;
	struct table table;
};

static json_t *
session_json(const struct listing *listing, struct ambit_session *session)
{
	json_t *object = json_pack("{s:s s:I s:I s:I s:b s:o}", "name", session->name, "created",
		(json_int_t)session->created, "updated", (json_int_t)session->updated, "events",
		(json_int_t)session->events, "wrote", session->wrote, "live",
		live_json_of(&listing->lives, session->name));

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

/* "run 4120, mcp 77"; "": it is not. Caller frees. */
static char *
live_text(const struct listing *listing, const char *session)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < listing->lives.n; i++)
		if (streq(listing->lives.list[i].session, session))
			buf_printf(&text, "%s%s %ld", text.len > 0 ? ", " : "",
				listing->lives.list[i].door, (long)listing->lives.list[i].pid);
	return buf_take(&text);
}

static char *
modes_text(struct ambit_session *session)
{
	struct buf text = { 0 };

	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++)
		if (*stored_mode_at(session, mode) >= 0)
			buf_printf(&text, "%s%s", text.len > 0 ? " " : "",
				ambit_word_name(mode->words, *stored_mode_at(session, mode)));
	return buf_take(&text);
}

static int
list_session(void *data, const struct ambit_session *given)
{
	struct listing *listing = data;
	struct ambit_session session = *given;
	auto_free char *live = live_text(listing, session.name), *modes = NULL, *events = NULL;
	char updated[32];

	if (live == NULL)
		return -ENOMEM;
	if (listing->live && live[0] == '\0')
		return 0;
	if (listing->json)
		return out_json(session_json(listing, &session), NULL);
	events = str_printf("%lld", (long long)session.events);
	modes = modes_text(&session);
	table_cell(&listing->table, session.name);
	table_plain(&listing->table, out_time(session.updated, updated, sizeof(updated)));
	table_plain(&listing->table, events);
	table_cell(&listing->table, live[0] != '\0' ? live : NULL);
	table_plain(&listing->table, modes != NULL && modes[0] != '\0' ? modes : NULL);
	table_cell(&listing->table, session.root);
	return 0;
}

static int
run_sessions(const struct args *args, struct ambit_error *err)
{
	static const char *const heads[] = { "NAME", "LAST USED", "EVENTS", "LIVE", "MODES",
		"FOLDER", NULL };
	struct listing listing = {
		.json = args_get(args, OPT_JSON) != NULL,
		.live = args_get(args, OPT_LIVE) != NULL,
	};
	struct world world;
	int r = world_open(&world, args, WORLD_RECORD, err);

	table_init(&listing.table, heads);
	if (r == 0)
		r = live_find(&listing.lives, &world.place, err);
	if (r == 0 && world.record != NULL)
		r = ambit_record_sessions(world.record, list_session, &listing, err);
	if (r == 0)
		r = table_finish(&listing.table, err);
	strv_free(listing.table.cells);
	live_finish(&listing.lives);
	world_finish(&world);
	return r;
}

const struct command cmd_sessions = {
	.name = "sessions",
	.args = "",
	.text = "the sessions that are stored, and which are live",
	.about = "Lists every stored session, newest first, with the modes that it has of its "
		 "own, and\n"
		 "what it runs in now: the door (run, mcp, serve) and its process. --session "
		 "NAME on\n"
		 "any command goes on with one; 'mode', 'perm', 'rules' and 'stop' act on those "
		 "that\n"
		 "are live at once.",
	.options = (const enum opt[]){ OPT_LIVE, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit sessions --live", "what runs now" },
			{ NULL, NULL },
		},
	.run = run_sessions,
};

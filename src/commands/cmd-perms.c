/* SPDX-License-Identifier: Apache-2.0 */
/* ambit perms: what each tool may do without a question, and who says so; those that ambit
 * offers itself, and those of agents that it knows by name. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/str.h"
#include "request/tool-table.h"

struct listing {
	struct table offered, known;
	json_t *rows;
	bool failed;
};

static void
add_row(struct listing *listing, bool offered, const char *tool, enum ambit_permission permission,
	const char *from, const char *text)
{
	struct table *table = offered ? &listing->offered : &listing->known;
	const char *word = ambit_word_name(ambit_permissions, (int)permission);
	json_t *row = json_pack("{s:s, s:b}", "permission", word, "offered", offered);

	table_cell(table, tool);
	table_plain(table, word);
	table_cell(table, from);
	table_plain(table, text);
	if (row == NULL || json_set_text(row, "tool", tool) < 0 ||
		json_set_text(row, "from", from) < 0)
		listing->failed = true;
	if (json_array_append_new(listing->rows, row) < 0)
		listing->failed = true;
}

/* As it holds in the process that runs, if there is one: that has settings of its own. */
static enum ambit_permission
permission_of(
	const struct world *world, const json_t *live, const char *tool, const char **ret_from)
{
	const json_t *now =
		json_object_get(json_object_get(json_array_get(live, 0), "permissions"), tool);
	const char *word = json_string_value(json_object_get(now, "permission"));
	const struct ambit_word *row =
		word != NULL ? ambit_word_find(ambit_permissions, word) : NULL;
	const char *from = json_string_value(json_object_get(now, "from"));

	if (row == NULL || from == NULL)
		return ambit_engine_permission(world->engine, tool, ret_from);
	*ret_from = from;
	return (enum ambit_permission)row->value;
}

/* Its default is about commands that nothing holds. */
static const char *
text_of(const struct ambit_tool_info *tool, const char *from)
{
	return streq(tool->name, "bash") && streq(from, "default")
		       ? "run a shell command; allowed where the kernel line holds it"
		       : tool->text;
}

static int
print_listing(struct listing *listing, struct ambit_error *err)
{
	int r;

	puts("offered by ambit mcp and ambit serve:");
	r = table_finish(&listing->offered, err);
	if (r == 0)
		puts("\nknown by name, in agents and harnesses:");
	return r == 0 ? table_finish(&listing->known, err) : r;
}

static void
list_permissions(const struct world *world, const struct ambit_session *session, const json_t *live,
	struct listing *listing)
{
	struct ambit_tool_info tool;

	for (size_t i = 0; ambit_tool_at(i, &tool); i++) {
		const char *from = "?";
		enum ambit_permission permission = permission_of(world, live, tool.name, &from);

		add_row(listing, tool.offered, tool.name, permission, from, text_of(&tool, from));
	}
	for (size_t i = 0; i < session->n_permissions; i++)
		if (tool_find(session->permissions[i].tool) == NULL)
			add_row(listing, false, session->permissions[i].tool,
				session->permissions[i].permission, "session",
				"tools of this name");
}

static int
run_perms(const struct args *args, struct ambit_error *err)
{
	static const char *const heads[] = { "TOOL", "PERMISSION", "FROM", "", NULL };
	struct listing listing = { .rows = json_array() };
	struct ambit_session session = { 0 };
	struct live_list lives = { 0 };
	auto_json json_t *live = NULL;
	struct world world;
	int r = world_open(&world, args, WORLD_SETTINGS | WORLD_RECORD | WORLD_ITS_FOLDER, err);

	if (r == 0)
		r = session_pick(&world, args, &session, err);
	if (r >= 0)
		r = world_observe(&world, args, &session, err);
	table_init(&listing.offered, heads);
	table_init(&listing.known, heads);
	if (r == 0)
		r = live_find(&lives, &world.place, err);
	if (r == 0 && session.name != NULL && (live = live_status(&lives, session.name)) == NULL)
		r = err_nomem(err);
	if (r == 0)
		list_permissions(&world, &session, live, &listing);
	if (r == 0 && args_get(args, OPT_JSON) != NULL)
		r = listing.failed ? err_nomem(err) : out_json(json_incref(listing.rows), err);
	else if (r == 0)
		r = print_listing(&listing, err);
	for (size_t i = 0; r == 0 && args_get(args, OPT_JSON) == NULL && i < json_array_size(live);
		i++)
		printf("%s in session %s, live: %s (pid %lld)\n", i == 0 ? "as it holds" : "and",
			session.name,
			json_string_value(json_object_get(json_array_get(live, i), "door")),
			(long long)json_integer_value(
				json_object_get(json_array_get(live, i), "pid")));
	live_finish(&lives);
	strv_free(listing.offered.cells);
	strv_free(listing.known.cells);
	json_decref(listing.rows);
	ambit_session_finish(&session);
	world_finish(&world);
	return r;
}

const struct command cmd_perms = {
	.name = "perms",
	.args = "",
	.text = "what each tool may do without a question",
	.about = "Lists the tools that ambit offers (by mcp and serve), then those of agents and "
		 "harnesses\n"
		 "that it knows by name, each with its permission (allow, ask or deny) and where "
		 "it comes from:\n"
		 "the session (--session, else the live one of this folder, or its newest), the "
		 "person\n"
		 "(your settings), the folder (its .ambit.json), or the default. Where the "
		 "session is\n"
		 "live, it is what holds there now. A permission is\n"
		 "about the tool itself; its paths and hosts are decided as well, and the most\n"
		 "restrictive holds.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_JSON, OPT_END },
	.run = run_perms,
};

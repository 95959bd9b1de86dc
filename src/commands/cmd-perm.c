/* SPDX-License-Identifier: Apache-2.0 */
/* ambit perm: changes one tool's permission in a session, stored and live. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "record/upkeep.h"
#include "request/tool-table.h"

/* Takes out what the session says of tool. */
static void
remove_permission(struct ambit_session *session, const char *tool)
{
	size_t kept = 0;

	for (size_t i = 0; i < session->n_permissions; i++) {
		if (streq(session->permissions[i].tool, tool))
			free(session->permissions[i].tool);
		else
			session->permissions[kept++] = session->permissions[i];
	}
	session->n_permissions = kept;
}

static int
append_permission(struct ambit_session *session, const char *tool, enum ambit_permission permission,
	struct ambit_error *err)
{
	struct ambit_tool_permission *grown =
		reallocarray(session->permissions, session->n_permissions + 1, sizeof(*grown));
	char *name = str_dup(tool);

	if (grown != NULL)
		session->permissions = grown;
	if (grown == NULL || name == NULL) {
		free(name);
		return err_nomem(err);
	}
	grown[session->n_permissions++] = (struct ambit_tool_permission){
		.tool = name,
		.permission = permission,
	};
	return 0;
}

/* A '*' in the middle, or a name of control bytes, would never match anything. */
static bool
name_is_sound(const char *tool)
{
	size_t n = strlen(tool);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)tool[i] <= ' ' || tool[i] == 0x7f ||
			(tool[i] == '*' && i + 1 < n))
			return false;
	return n > 0 && n <= 256;
}

/* A permission for a misspelled name does nothing. One that is stored already can be removed. */
static int
check_tool(const char *tool, bool removes, struct ambit_error *err)
{
	const char *near = tool_nearest(tool);

	if (!name_is_sound(tool))
		return usage(err, "'%s' is not a tool's name (only its end can be '*')", tool);
	if (removes || tool_may_be(tool))
		return 0;
	return usage(err,
		"unknown tool '%s'%s%s%s; see 'ambit perms'. For another program's tool of that "
		"name say '%s*'",
		tool, near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
		near != NULL ? "'?)" : "", tool);
}

/* Whether the tool read is meant, by one of its names or by a pattern. */
static bool
names_read(const char *tool)
{
	size_t n = strcspn(tool, "*");

	return tool_find(tool) == tool_find("read") ||
	       (tool[n] == '*' && strncmp("read", tool, n) == 0);
}

static int
report_permission(struct world *world, const struct args *args, const struct ambit_session *session,
	struct ambit_error *err)
{
	const char *tool = args->words[0], *word = args->words[1];
	const struct live_for whom = { .session = session->name, .reads = names_read(tool) };
	auto_json json_t *object =
		json_pack("{s:s s:s}", "session", session->name, "permission", word);
	int r;

	if (args_get(args, OPT_JSON) == NULL) {
		out_text(tool);
		printf(": %s in session %s\n", word, session->name);
		return live_reload(&world->place, &whom, NULL, err);
	}
	if (object == NULL || json_set_text(object, "tool", tool) < 0)
		return err_nomem(err);
	r = live_reload(&world->place, &whom, object, err);
	return r == 0 ? out_json(json_incref(object), err) : r;
}

static int
change_permission(struct world *world, const struct args *args, struct ambit_session *session,
	struct ambit_error *err)
{
	const char *tool = args->words[0];
	const struct ambit_word *permission = ambit_word_find(ambit_permissions, args->words[1]);
	int r = 0;

	remove_permission(session, tool);
	if (permission != NULL)
		r = append_permission(session, tool, (enum ambit_permission)permission->value, err);
	if (r == 0)
		r = record_session_store(world->record, session, err);
	return r == 0 ? report_permission(world, args, session, err) : r;
}

static int
run_perm(const struct args *args, struct ambit_error *err)
{
	struct ambit_session session = { 0 };
	struct world world;
	int r;

	if (ambit_word_find(ambit_permissions, args->words[1]) == NULL &&
		!streq(args->words[1], "default"))
		return usage(err, "'%s' is not one of allow, ask, deny, default", args->words[1]);
	r = check_tool(args->words[0], streq(args->words[1], "default"), err);
	if (r != 0)
		return r;
	r = world_open(&world, args, WORLD_SCOPE | WORLD_STORE | WORLD_ITS_FOLDER, err);
	if (r == 0)
		r = session_pick(&world, args, &session, err);
	if (r >= 0)
		r = session_may_change(&world, args, &session, "", err);
	if (r >= 0)
		r = change_permission(&world, args, &session, err);
	ambit_session_finish(&session);
	world_finish(&world);
	return r;
}

const struct command cmd_perm = {
	.name = "perm",
	.args = "TOOL allow|ask|deny|default",
	.text = "change what one tool may do in a session",
	.about =
		"TOOL is a name as in 'ambit perms', another agent's name for it, or a name that\n"
		"ends in '*', like mcp__github__*. A name that ambit does not know is refused.\n"
		"\n"
		"The session is --session, which is made if there is none of that name, else the\n"
		"live one of this folder, or its newest if that has a name of yours. 'default'\n"
		"takes the session's own word away. It can never lift what a settings file in the\n"
		"folder narrows. Where the session is live it holds at once, for new calls.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit perm webfetch deny --session ci", "no fetching in session ci" },
			{ NULL, NULL },
		},
	.min = 2,
	.max = 2,
	.run = run_perm,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* What the sessions around one hold it to, while it runs. When it began, options and settings
 * were cut to what held outside; from then on the person may tell those outside to do
 * less, and that is for what runs in them, too. It only ever narrows. */

#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "engine/engine-private.h"
#include "request/request-private.h"
#include "request/tool-table.h"

/* Smaller is narrower, in each of them. */
static const struct {
	const char *key;
	size_t offset; /* in struct ambit_session */
} modes[] = {
	{ "agent_mode", offsetof(struct ambit_session, agent_mode) },
	{ "sandbox_mode", offsetof(struct ambit_session, sandbox_mode) },
	{ "ask_mode", offsetof(struct ambit_session, ask_mode) },
	{ "reads", offsetof(struct ambit_session, reads) },
};

static int *
get_mode_field(struct ambit_session *session, size_t offset)
{
	return (int *)((char *)session + offset);
}

static void
cap_modes(struct ambit_engine *engine, struct ambit_session *around)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int most = *get_mode_field(around, modes[i].offset);

		if (most >= 0 && ambit_engine_mode(engine, modes[i].key, NULL) > most)
			*get_mode_field(&engine->session, modes[i].offset) = most;
	}
}

static int
set_permission(struct ambit_session *session, const struct ambit_tool_permission *wanted)
{
	struct ambit_tool_permission *more;

	for (size_t i = 0; i < session->n_permissions; i++)
		if (streq(session->permissions[i].tool, wanted->tool)) {
			session->permissions[i].permission = wanted->permission;
			return 0;
		}
	more = reallocarray(session->permissions, session->n_permissions + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	session->permissions = more;
	more[session->n_permissions] = *wanted;
	more[session->n_permissions].tool = str_dup(wanted->tool);
	return more[session->n_permissions].tool ? (session->n_permissions++, 0) : -ENOMEM;
}

/* What the session itself says of a tool, by its name or a pattern; -1: nothing. */
static int
said_of(const struct ambit_engine *engine, const struct ambit_session *around, const char *tool)
{
	struct ambit_request request = { .name = (char *)tool, .tool = tool_find(tool) };
	const struct decide_input in = {
		.settings = engine->settings,
		.session = around,
		.request = &request,
	};
	const char *from;
	int said = permission_said(&in, &from);

	return streq(from, "session") ? said : -1;
}

/* Tool by tool, for the more exact of two patterns would win, whoever said it; and those
 * that are no tools of the table as they are. */
static int
cap_permissions(struct ambit_engine *engine, const struct ambit_session *around)
{
	const struct tool *tool;
	int r = 0;

	for (size_t i = 0; r == 0 && (tool = tool_at(i)); i++) {
		struct ambit_tool_permission cap = { .tool = (char *)tool->name };
		int said = said_of(engine, around, tool->name);

		cap.permission = (enum ambit_permission)said;
		if (said >= 0 && (int)ambit_engine_permission(engine, tool->name, NULL) > said)
			r = set_permission(&engine->session, &cap);
	}
	for (size_t i = 0; r == 0 && i < around->n_permissions; i++)
		if (!tool_find(around->permissions[i].tool) &&
			around->permissions[i].permission != AMBIT_PERMISSION_ALLOW)
			r = set_permission(&engine->session, &around->permissions[i]);
	return r;
}

int
engine_cap_session(struct ambit_engine *engine, struct ambit_error *err)
{
	int r = 0;

	if (!engine->outer)
		return 0;
	for (const char *const *name = engine->outer->sessions; r == 0 && name && *name; name++) {
		struct ambit_session around = { 0 };

		r = ambit_record_session_load(engine->record, *name, &around, err);
		if (r == -ENOENT) { /* nothing was stored of it yet */
			r = 0;
			continue;
		}
		if (r == 0) {
			cap_modes(engine, &around);
			r = cap_permissions(engine, &around) < 0 ? err_nomem(err) : 0;
		}
		ambit_session_finish(&around);
	}
	return r;
}

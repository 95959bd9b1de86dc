/* SPDX-License-Identifier: Apache-2.0 */
/* A session before and after -> the events that tell what changed. The words
 * are those of the settings; null stands for "as the settings say". */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "record/session.h"
#include "record/store.h"

static json_t *
mode_word(const struct ambit_session *session, size_t i)
{
	int value = session_mode(session, i);

	return value < 0 ? json_null()
			 : json_string(ambit_word_name(session_modes[i].words, value));
}

static int
set_path(json_t *body, const char *key, const char *path)
{
	if (!path)
		return json_object_set_new(body, key, json_null()) < 0 ? -ENOMEM : 0;
	return json_set_text(body, key, path);
}

static int
add_session_event(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err)
{
	return body ? event_append(record, event, body, err) : err_nomem(err);
}

/* -- a new session, or one in another folder --------------------------------- */

/* A list, not an object with tools for keys: a tool may be called get_token,
 * and the value behind such a key would be taken for one. */
static json_t *
permissions_body(const struct ambit_session *session)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; list && i < session->n_permissions; i++) {
		const struct ambit_tool_permission *p = &session->permissions[i];
		json_t *row = json_pack("{s:s, s:s}", "tool", p->tool, "permission",
			ambit_word_name(ambit_permissions, (int)p->permission));

		if (json_array_append_new(list, row) < 0)
			return NULL;
	}
	return steal_ptr(&list);
}

static json_t *
session_body(const struct ambit_session *session)
{
	auto_json json_t *body = json_object();

	if (!body || set_path(body, "root", session->root) < 0 ||
		set_path(body, "display_root", session->display_root) < 0)
		return NULL;
	for (size_t i = 0; i < SESSION_MODES; i++)
		if (json_object_set_new(body, session_modes[i].name, mode_word(session, i)) < 0)
			return NULL;
	if (json_object_set_new(body, "permissions", permissions_body(session)) < 0)
		return NULL;
	return steal_ptr(&body);
}

static bool
is_same_path(const char *a, const char *b)
{
	return a && b ? streq(a, b) : a == b;
}

static int
folder_event(struct ambit_record *record, const struct ambit_session *old,
	const struct ambit_session *new, struct ambit_error *err)
{
	struct ambit_event event = {
		.session = new->name,
		.kind = "session",
		.subject = new->root,
	};

	if (old && is_same_path(old->root, new->root) &&
		is_same_path(old->display_root, new->display_root))
		return 0;
	auto_json json_t *body = session_body(new);

	if (old && body && set_path(body, "old_root", old->root) < 0)
		return err_nomem(err);
	return add_session_event(record, &event, body, err);
}

/* -- modes -------------------------------------------------------------------- */

static int
mode_event(struct ambit_record *record, const struct ambit_session *old,
	const struct ambit_session *new, struct ambit_error *err)
{
	struct ambit_event event = {
		.session = new->name,
		.kind = "mode",
	};
	auto_json json_t *body = json_object();

	for (size_t i = 0; body && i < SESSION_MODES; i++) {
		if (session_mode(old, i) == session_mode(new, i))
			continue;
		json_t *change =
			json_pack("{s:o, s:o}", "old", mode_word(old, i), "new", mode_word(new, i));

		if (json_object_set_new(body, session_modes[i].name, change) < 0)
			return err_nomem(err);
		event.subject = session_modes[i].name;
	}
	if (body && json_object_size(body) == 0)
		return 0;
	return add_session_event(record, &event, body, err);
}

/* -- permissions -------------------------------------------------------------- */

static const struct ambit_tool_permission *
find_permission(const struct ambit_session *session, const char *tool)
{
	for (size_t i = 0; i < session->n_permissions; i++)
		if (streq(session->permissions[i].tool, tool))
			return &session->permissions[i];
	return NULL;
}

static json_t *
permission_word(const struct ambit_tool_permission *p)
{
	return p ? json_string(ambit_word_name(ambit_permissions, (int)p->permission))
		 : json_null();
}

static int
permission_event(struct ambit_record *record, const struct ambit_session *new, const char *tool,
	const struct ambit_tool_permission *before, const struct ambit_tool_permission *after,
	struct ambit_error *err)
{
	struct ambit_event event = {
		.session = new->name,
		.kind = "permission",
		.tool = tool,
		.subject = tool,
	};

	if (before && after && before->permission == after->permission)
		return 0;
	auto_json json_t *body = json_pack(
		"{s:o, s:o}", "old", permission_word(before), "new", permission_word(after));

	return add_session_event(record, &event, body, err);
}

static int
permission_events(struct ambit_record *record, const struct ambit_session *old,
	const struct ambit_session *new, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < new->n_permissions; i++) {
		const struct ambit_tool_permission *p = &new->permissions[i];

		r = permission_event(record, new, p->tool, find_permission(old, p->tool), p, err);
	}
	for (size_t i = 0; r == 0 && i < old->n_permissions; i++) {
		const struct ambit_tool_permission *p = &old->permissions[i];

		if (!find_permission(new, p->tool))
			r = permission_event(record, new, p->tool, p, NULL, err);
	}
	return r;
}

int
session_events(struct ambit_record *record, const struct ambit_session *old,
	const struct ambit_session *new, struct ambit_error *err)
{
	int r = folder_event(record, old, new, err);

	if (r < 0 || !old)
		return r;
	r = mode_event(record, old, new, err);
	return r < 0 ? r : permission_events(record, old, new, err);
}

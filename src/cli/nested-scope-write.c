/* SPDX-License-Identifier: Apache-2.0 */
/* What a session says of itself to one inside it: where it is, what is open there and for how
 * long, its modes, permissions and limits. The words are believed by whoever reads them
 * (nested-scope.c), who is this program. */

#include <stdlib.h>

#include "nested-scope-private.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"

/* What calls behind the line are, beside the tools. */
static const char *const calls[] = { "connect", NULL };

/* Until the first write is for tools: what a command may read is set when it starts, and
 * whose write comes first is not known there. */
static int
get_effective_value(const struct world *world, const struct cap *cap)
{
	int value = streq(cap->key, "net") ? ambit_engine_net(world->engine)
					   : ambit_engine_mode(world->engine, cap->key, NULL);

	return streq(cap->key, "reads") && value == AMBIT_READS_UNTIL_FIRST_WRITE
		       ? AMBIT_READS_FOLDER
		       : value;
}

/* Lists that are open here, and can be inside. */
static int
put_lists(void *data, const char *key, const char *value, const char *source, const char *text)
{
	auto_json json_t *list = NULL;

	(void)source;
	(void)text;
	if (!streq(key, "profiles") && !streq(key, "allow_hosts"))
		return 0;
	if (json_parse(value, strlen(value), &list, NULL) < 0)
		return -ENOMEM;
	return json_object_set(data, key, list) < 0 ? -ENOMEM : 0;
}

/* Those around this one, and this one. */
static json_t *
sessions_of(const struct account *t)
{
	json_t *list = json_array();

	for (char **name = t->around != NULL ? t->around->sessions : NULL;
		name != NULL && *name != NULL; name++)
		json_array_append_new(list, json_string(*name));
	json_array_append_new(list, json_string(ambit_engine_session(t->world->engine)));
	return list;
}

/* One that JSON cannot say is not kept: then it is not open inside. */
static int
put_kept(void *data, const char *path)
{
	if (!str_is_utf8(path, strlen(path)))
		return 0;
	return json_array_append_new(data, json_string(path)) < 0 ? -ENOMEM : 0;
}

static int
put_writes(void *data, const char *path, bool write)
{
	return write ? put_kept(data, path) : 0;
}

static int
put_reads(void *data, const char *path, bool write)
{
	return write ? 0 : put_kept(data, path);
}

static int
put_limits(const struct account *t, json_t *scope)
{
	json_t *object = json_object();
	struct ambit_limits own = t->limits;

	for (const struct around_limit *limit = around_limit_keys; limit->key != NULL; limit++)
		if (json_object_set_new(object, limit->key,
			    json_integer((json_int_t)*around_limit_at(&own, limit))) < 0)
			return -ENOMEM;
	return json_object_set_new(scope, "limits", object);
}

static const struct ambit_scope *
told_scope(const struct account *t)
{
	return t->scope != NULL ? t->scope : t->world->scope;
}

/* Of what is open beside the folder, a sub-agent has its own state alone, and a command in a
 * scope that is law nothing. */
static int
put_grants(const struct account *t, json_t *scope)
{
	bool alone = t->turn != NULL || (t->scope != NULL && ambit_scope_enforces_write(t->scope));
	json_t *grants = json_array(), *readable = json_array();
	int r = 0;

	if (json_object_set_new(scope, "grants", grants) < 0 ||
		json_object_set_new(scope, "readable", readable) < 0)
		return -ENOMEM;
	if (!alone)
		r = engine_grants(t->world->engine, put_writes, grants);
	for (char *const *path = t->state; r == 0 && path != NULL && *path != NULL; path++)
		r = put_kept(grants, *path);
	if (r == 0)
		r = engine_grants(t->world->engine, put_reads, readable);
	if (r == 0 && alone)
		r = json_object_set_new(scope, "narrow", json_true());
	return r;
}

static void
put_permission(const struct world *world, const char *tool, json_t *object)
{
	const char *from;
	int permission = (int)ambit_engine_permission(world->engine, tool, &from);

	/* What holds without a word holds inside as well, by what is there. */
	if (!streq(from, "default"))
		json_object_set_new(
			object, tool, json_string(ambit_word_name(ambit_permissions, permission)));
}

static json_t *
permissions_of(const struct world *world)
{
	json_t *object = json_object();
	struct ambit_tool_info info;

	for (size_t i = 0; object != NULL && ambit_tool_at(i, &info) > 0; i++)
		put_permission(world, info.name, object);
	for (const char *const *call = calls; object != NULL && *call != NULL; call++)
		put_permission(world, *call, object);
	return object;
}

/* What a run inside a sub-agent's is still in. */
static const char *const passed_on[] = { "turn", "agent", NULL };

/* display_root is the workspace's at every depth; a folder of its own is the first. */
static int
put_place(const struct account *t, json_t *scope)
{
	const char *root = ambit_scope_root(t->world->scope);
	const char *display = ambit_scope_display_root(told_scope(t));
	bool child = t->turn != NULL && !t->asks;
	int r = 0;

	if (t->turn != NULL || t->scope != NULL || !streq(root, display))
		r = json_set_text(scope, "display", display);
	if (r == 0 && t->turn != NULL)
		r = json_set_text(scope, "turn", t->turn);
	if (r == 0 && t->turn != NULL)
		r = json_set_text(scope, "agent", t->agent);
	if (r < 0 || json_object_set_new(scope, "depth",
			     json_integer(t->turn != NULL     ? t->depth
					  : t->around != NULL ? around_number(t->around, "depth")
							      : 0)) < 0)
		return -ENOMEM;
	for (const char *const *key = passed_on; r == 0 && *key != NULL; key++)
		if (t->turn == NULL && t->around != NULL && around_word(t->around, *key)[0] != '\0')
			r = json_set_text(scope, *key, around_word(t->around, *key));
	if (r < 0 || json_object_set_new(scope, "enforce",
			     json_boolean(child || ambit_scope_enforces_write(told_scope(t)))) < 0)
		return -ENOMEM;
	return json_object_set_new(
		scope, "allow_bash", json_boolean(ambit_scope_allows_bash(told_scope(t))));
}

char *
around_tell(const struct account *t)
{
	const char *root = ambit_scope_root(t->world->scope);
	auto_free char *guards = engine_guards(t->world->engine);
	auto_json json_t *scope =
		guards == NULL ? NULL
			       : json_pack("{s:s, s:s, s:s, s:o, s:s, s:b, s:b, s:s, s:o, s:[]}",
					 "folder", t->around != NULL ? t->around->folder : root,
					 "root", root, "settings", t->world->file, "sessions",
					 sessions_of(t), "ask", t->who, "guard_reads",
					 t->guard_reads, "watchers", t->watchers, "guards", guards,
					 "permissions", permissions_of(t->world), "kept");

	if (scope == NULL || put_place(t, scope) < 0 ||
		engine_lasting(t->world->engine, put_kept, json_object_get(scope, "kept")) < 0 ||
		put_grants(t, scope) < 0 || put_limits(t, scope) < 0)
		return NULL;
	for (const struct cap *cap = around_caps; cap->key != NULL; cap++)
		json_object_set_new(
			scope, cap->key, json_integer(get_effective_value(t->world, cap)));
	if (ambit_settings_each(t->world->settings, put_lists, scope) < 0)
		return NULL;
	return json_line(scope);
}

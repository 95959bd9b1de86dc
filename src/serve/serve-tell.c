/* SPDX-License-Identifier: Apache-2.0 */
/* What needs no tool: what holds in this session, what would be decided, and content
 * with its label. The engine is used with the registry's lock. */

#include <stdlib.h>

#include <ambit/ambit.h>
#include <ambit/tools.h>
#include <ambit/label.h>

#include "serve.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

/* -- session ------------------------------------------------------------------------- */

static json_t *
modes_json(const struct ambit_engine *engine)
{
	auto_json json_t *modes = json_object();

	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++) {
		int value = ambit_engine_mode(engine, mode->key, NULL);

		if (json_object_set_new(
			    modes, mode->key, json_string(ambit_word_name(mode->words, value))) < 0)
			return NULL;
	}
	if (json_object_set_new(modes, "net",
		    json_string(ambit_word_name(ambit_nets, ambit_engine_net(engine)))) < 0)
		return NULL;
	return steal_ptr(&modes);
}

static json_t *
effects_json(unsigned effects)
{
	json_t *list = json_array();

	for (const struct ambit_word *word = ambit_effects; word->name != NULL; word++)
		if (effects & (unsigned)word->value)
			json_array_append_new(list, json_string(word->name));
	return list;
}

static json_t *
schema_json(const char *text)
{
	json_t *value = NULL;

	return text != NULL && json_parse(text, strlen(text), &value, NULL) == 0 ? value : NULL;
}

/* What a harness tells its model about the tools. */
static json_t *
entry_json(const struct ambit_tool_entry *entry)
{
	return json_pack("{s:s s:s* s:s s:o s:o* s:o s:s}", "name", entry->name, "title",
		entry->title, "text", entry->text, "input", schema_json(entry->input), "output",
		schema_json(entry->output), "effects", effects_json(entry->effects), "danger",
		ambit_word_name(ambit_dangers, (int)entry->danger));
}

static int
add_tools(const struct toolbox *box, json_t *object, bool schemas)
{
	json_t *tools = json_array(), *permissions = json_object();
	struct ambit_tool_entry entry;
	int r = json_object_set_new(object, "tools", tools);

	r |= json_object_set_new(object, "permissions", permissions);
	for (size_t i = 0; r == 0 && ambit_registry_at(box->registry, i, &entry) > 0; i++) {
		enum ambit_permission permission =
			ambit_engine_permission(box->world.engine, entry.name, NULL);

		r |= json_array_append_new(
			tools, schemas ? entry_json(&entry) : json_string(entry.name));
		r |= json_object_set_new(permissions, entry.name,
			json_string(ambit_word_name(ambit_permissions, (int)permission)));
	}
	return r;
}

static char *
make_brief(const struct toolbox *box)
{
	auto_free char *brief = ambit_registry_brief(box->registry);

	if (brief == NULL || box->why == NULL)
		return steal_ptr(&brief);
	return str_printf("%s%s.\n", brief, box->why);
}

static int
add_bash(const struct toolbox *box, json_t *object)
{
	bool allowed = ambit_scope_allows_bash(ambit_engine_scope(box->world.engine));
	const char *backend = NULL, *why = NULL;

	if (box->executor != NULL)
		backend =
			ambit_word_name(ambit_backends, (int)ambit_executor_backend(box->executor));
	if (box->executor == NULL)
		why = box->why != NULL ? box->why : "there is no executor";
	else if (!allowed)
		why = "the settings do not allow it in this folder (allow_bash)";
	return json_object_set_new(object, "bash", json_boolean(why == NULL)) |
	       json_object_set_new(
		       object, "bash_why", why != NULL ? json_string(why) : json_null()) |
	       json_object_set_new(
		       object, "backend", backend != NULL ? json_string(backend) : json_null());
}

static json_t *
session_json(const struct toolbox *box, bool schemas)
{
	const struct ambit_scope *scope = ambit_engine_scope(box->world.engine);
	auto_free char *brief = make_brief(box);
	auto_json json_t *object = json_pack("{s:s s:s s:o s:s*}", "ambit", AMBIT_VERSION,
		"session", ambit_engine_session(box->world.engine), "modes",
		modes_json(box->world.engine), "brief", brief);

	if (object == NULL || brief == NULL ||
		json_set_text(object, "folder", ambit_scope_root(scope)) < 0 ||
		json_set_text(object, "display_root", ambit_scope_display_root(scope)) < 0 ||
		add_bash(box, object) != 0 || add_tools(box, object, schemas) != 0)
		return NULL;
	return steal_ptr(&object);
}

void
tell_session(struct job *job)
{
	const struct toolbox *box = &job->client->serve->box;

	ambit_registry_lock(box->registry);
	job->result = session_json(box, json_is_true(json_object_get(job->params, "schemas")));
	ambit_registry_unlock(box->registry);
}

/* -- decide -------------------------------------------------------------------------- */

static char *
decide_request_json(const struct toolbox *box, const struct ambit_request *request)
{
	struct ambit_outcome outcome = { 0 };
	char *line;

	ambit_registry_lock(box->registry);
	/* What went wrong is in the outcome, which is then a deny. */
	(void)ambit_engine_decide(box->world.engine, request, &outcome, NULL);
	line = ambit_outcome_json(&outcome, request, box->world.scope, false);
	ambit_registry_unlock(box->registry);
	ambit_outcome_finish(&outcome);
	return line;
}

/* Never held: it is the harness that would run it. */
void
tell_decision(struct job *job)
{
	struct ambit_request *request = NULL;
	auto_free char *text = json_dumps(job->params, JSON_COMPACT), *line = NULL;

	if (text != NULL && ambit_request_parse(text, strlen(text), &request, NULL) == 0)
		line = decide_request_json(&job->client->serve->box, request);
	ambit_request_destroy(request);
	if (line != NULL && json_parse(line, strlen(line), &job->result, NULL) == 0)
		json_object_del(job->result, "id");
}

/* -- label --------------------------------------------------------------------------- */

void
tell_label(struct job *job)
{
	const json_t *content = json_object_get(job->params, "content");
	auto_free char *labelled = ambit_label_untrusted(params_text(job->params, "source"),
		json_string_value(content), json_string_length(content));

	if (labelled != NULL)
		job->result = json_pack("{s:s}", "text", labelled);
}

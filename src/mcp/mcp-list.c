/* SPDX-License-Identifier: Apache-2.0 */
/* What the server says of itself: the tools by the registry's rows, in their order,
 * so that two lists are the same text. */

#include <stdlib.h>

#include <ambit/ambit.h>
#include <ambit/tools.h>
#include "mcp.h"

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

/* The tools and prompts are those of this process, and stay. */
#define TTL_MS 3600000

static json_t *
parse_schema(const char *text)
{
	json_t *value = NULL;

	return json_parse(text, strlen(text), &value, NULL) == 0 ? value : NULL;
}

/* Most clients show a model the structured result alone, where there is one: it must
 * not say less than the text. True if something in it does what the text does. */
bool
list_carries_text(const json_t *members)
{
	static const char *const keys[] = { "text", "stdout", "entries", "matches" };
	const json_t *files = json_object_get(members, "files");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_get(members, keys[i]) != NULL)
			return true;
	/* A list; or how many there were, which says little. As a schema, or as it is. */
	return json_is_array(files) || json_object_get(files, "items") != NULL;
}

static json_t *
success_schema(const char *text)
{
	json_t *schema = parse_schema(text), *members = json_object_get(schema, "properties");

	if (members != NULL && !list_carries_text(members))
		json_object_set_new(members, "text",
			json_pack("{s:s s:s}", "type", "string", "description",
				"The result in words."));
	return schema;
}

/* A result that is a failure has its own shape; clients check what they get against
 * the schema in both cases. */
static json_t *
output_schema(const char *text)
{
	static const char failure[] =
		"{\"type\":\"object\",\"properties\":{\"error\":{\"type\":\"string\"},"
		"\"message\":{\"type\":\"string\"}},\"required\":[\"error\",\"message\"]}";

	return json_pack("{s:s s:[o o]}", "type", "object", "anyOf", success_schema(text),
		parse_schema(failure));
}

/* From the effects: whoever reads them must not trust them, but may show them. */
static json_t *
make_annotations(const struct ambit_tool_entry *entry)
{
	const unsigned changes = AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE;
	bool known = entry->effects != 0, writes = !known || (entry->effects & changes);
	bool outward = !known || (entry->effects & (AMBIT_NETWORK | AMBIT_EXEC));

	return json_pack("{s:s* s:b s:b s:b s:b}", "title", entry->title, "readOnlyHint", !writes,
		"destructiveHint", writes, "idempotentHint", !writes, "openWorldHint", outward);
}

/* Claude Code hides the tools of a server from the model until it searches for them; these are
 * meant instead of its own, so it is asked to load them at once. */
static json_t *
tool_json(const struct ambit_tool_entry *entry)
{
	json_t *tool = json_pack("{s:s s:s* s:s s:o s:o s:{s:b}}", "name", entry->name, "title",
		entry->title, "description", entry->text, "inputSchema", parse_schema(entry->input),
		"annotations", make_annotations(entry), "_meta", "anthropic/alwaysLoad", 1);

	if (tool != NULL && entry->output != NULL &&
		json_object_set_new(tool, "outputSchema", output_schema(entry->output)) < 0) {
		json_decref(tool);
		return NULL;
	}
	return tool;
}

json_t *
list_tools(const struct ambit_registry *registry)
{
	auto_json json_t *list = json_array();
	struct ambit_tool_entry entry;

	for (size_t i = 0; ambit_registry_at(registry, i, &entry) > 0; i++)
		if (json_array_append_new(list, tool_json(&entry)) < 0)
			return NULL;
	return steal_ptr(&list);
}

json_t *
list_server_info(void)
{
	return json_pack(
		"{s:s s:s s:s}", "name", "ambit", "title", "ambit", "version", AMBIT_VERSION);
}

static bool
offers_commands(const struct ambit_registry *registry)
{
	struct ambit_tool_entry entry;

	for (size_t i = 0; ambit_registry_at(registry, i, &entry) > 0; i++)
		if (streq(entry.name, "bash"))
			return true;
	return false;
}

/* Codex shows the model this line alone, until it searches for the tools. */
static char *
make_first_line(const struct toolbox *box)
{
	const struct ambit_scope *scope = box->world.scope;
	const char *root = ambit_scope_root(scope);
	auto_free char *folder = str_escape(root, strlen(root));
	const char *commands = offers_commands(box->registry) ? " and run commands" : "";

	if (folder == NULL)
		return NULL;
	return str_printf("Read, search and edit files%s in %s; writes elsewhere %s.", commands,
		folder, ambit_scope_enforces_write(scope) ? "are refused" : "need a person's yes");
}

char *
list_instructions(const struct toolbox *box)
{
	auto_free char *first = make_first_line(box), *brief = ambit_registry_brief(box->registry);

	if (first == NULL || brief == NULL)
		return NULL;
	return str_printf("%s\n\n%s%s%s", first, brief, box->why != NULL ? box->why : "",
		box->why != NULL ? ".\n" : "");
}

json_t *
list_modern(json_t *result, const char *type)
{
	json_t *meta = json_pack("{s:o}", MCP_META "serverInfo", list_server_info());

	if (result == NULL || json_object_set_new(result, "_meta", meta) < 0 ||
		json_object_set_new(result, "resultType", json_string(type)) < 0) {
		json_decref(result);
		return NULL;
	}
	/* What is asked for must not be kept; what was found may be. */
	if (json_object_get(result, "tools") != NULL ||
		json_object_get(result, "prompts") != NULL ||
		json_object_get(result, "supportedVersions") != NULL) {
		json_object_set_new(result, "ttlMs", json_integer(TTL_MS));
		json_object_set_new(result, "cacheScope", json_string("private"));
	}
	return result;
}

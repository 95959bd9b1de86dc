/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings as a JSON Schema (2020-12), for editors: what the
 * schema refuses, the decoder refuses too. */

#include <ambit/tool.h>

#include "base/json.h"
#include "base/own.h"
#include "scope/profile.h"
#include "settings/agent.h"

static json_t *
pack_word_enum(const struct ambit_word *table)
{
	auto_json json_t *list = json_array();

	for (; table->name; table++)
		if (json_array_append_new(list, json_string(table->name)) < 0)
			return NULL;
	return json_pack("{s:O}", "enum", list);
}

static json_t *
list_of(json_t *items)
{
	return items ? json_pack("{s:s, s:o, s:i}", "type", "array", "items", items, "maxItems",
			       DECODE_LIST_MAX)
		     : NULL;
}

static json_t *
text_like(const char *pattern)
{
	return json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
}

static json_t *
pack_effects_schema(void)
{
	auto_json json_t *members = json_object();

	for (const struct ambit_word *word = ambit_effects; word->name; word++)
		if (json_object_set_new(members, word->name, pack_word_enum(ambit_permissions)) < 0)
			return NULL;
	return json_pack("{s:s, s:O, s:b}", "type", "object", "properties", members,
		"additionalProperties", 0);
}

static json_t *
pack_profiles_schema(void)
{
	auto_json json_t *names = json_array();
	const struct profile *profile;

	for (size_t i = 0; (profile = profile_at(i)); i++)
		if (json_array_append_new(names, json_string(profile->name)) < 0)
			return NULL;
	return list_of(json_pack("{s:O}", "enum", names));
}

static json_t *
pack_program_schema(void)
{
	return json_pack("{s:s, s:{s:{s:s, s:{s:s}, s:i, s:i}, s:{s:s, s:i, s:i}}, s:[s], s:b}",
		"type", "object", "properties", "command", "type", "array", "items", "type",
		"string", "minItems", 1, "maxItems", DECODE_LIST_MAX, "timeout_ms", "type",
		"integer", "minimum", 1, "maximum", 600000, "required", "command",
		"additionalProperties", 0);
}

static json_t *
pack_agents_schema(void)
{
	json_t *agent = json_pack("{s:s, s:{s:{s:s, s:{s:s}, s:i, s:i}, s:o, s:{s:s, s:i, s:i}}, "
				  "s:[s], s:b}",
		"type", "object", "properties", "command", "type", "array", "items", "type",
		"string", "minItems", 1, "maxItems", DECODE_LIST_MAX, "env",
		list_of(text_like(AGENT_ENV_PATTERN)), "timeout", "type", "integer", "minimum", 0,
		"maximum", AGENT_TIMEOUT_MAX, "required", "command", "additionalProperties", 0);

	return json_pack("{s:s, s:{s:s}, s:i, s:o}", "type", "object", "propertyNames", "pattern",
		AGENT_NAME_PATTERN, "maxProperties", DECODE_LIST_MAX, "additionalProperties",
		agent);
}

static json_t *
only_member(const char *name, json_t *value)
{
	return value ? json_pack("{s:s, s:{s:o}, s:[s], s:b}", "type", "object", "properties", name,
			       value, "required", name, "additionalProperties", 0)
		     : NULL;
}

static json_t *
pack_policy_schema(void)
{
	json_t *more = json_pack("{s:s, s:{s:s}, s:i, s:i}", "type", "array", "items", "$ref",
		"#/$defs/policy", "minItems", 1, "maxItems", DECODE_LIST_MAX);

	return json_pack("{s:[{s:[s,s]}, o, o, o]}", "oneOf", "enum", "allow_all", "deny_all",
		only_member("by_side_effect", pack_effects_schema()),
		only_member("path_allowlist", list_of(text_like("^(/|~$|~/)"))),
		only_member("compose", more));
}

static json_t *
pack_key_schema(const struct key *key)
{
	switch (key->type) {
	case KEY_NOTHING:
		return json_pack("{s:s}", "type", "string");
	case KEY_WORD:
		return pack_word_enum(key->words);
	case KEY_FLAG:
		return json_pack("{s:s}", "type", "boolean");
	case KEY_COUNT:
		return json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", key->min,
			"maximum", key->max);
	case KEY_ASKER:
		return text_like("^(tty|deny|allow|exec:(/|~/).*)$");
	case KEY_PERMISSIONS:
		return json_pack("{s:s, s:{s:s}, s:o}", "type", "object", "propertyNames",
			"pattern", "^([^* ]+\\*?|\\*)$", "additionalProperties",
			pack_word_enum(ambit_permissions));
	case KEY_EFFECTS:
		return pack_effects_schema();
	case KEY_POLICY:
		return json_pack("{s:s}", "$ref", "#/$defs/policy");
	case KEY_PROGRAM:
		return pack_program_schema();
	case KEY_AGENTS:
		return pack_agents_schema();
	case KEY_JUDGE:
		return judge_schema();
	case KEY_COMMAND:
		return json_pack("{s:s, s:{s:s}, s:i, s:i}", "type", "array", "items", "type",
			"string", "minItems", 1, "maxItems", DECODE_LIST_MAX);
	case KEY_PATTERNS:
		return list_of(text_like("^(~/|/)?[^/]+(/[^/]+)*$"));
	case KEY_PATHS:
		return list_of(text_like("^(/|~$|~/)"));
	case KEY_HOSTS:
		return list_of(json_pack("{s:s}", "type", "string"));
	case KEY_PROFILES:
		return pack_profiles_schema();
	}
	return NULL;
}

static json_t *
pack_property_schema(const struct key *key)
{
	auto_json json_t *value = pack_key_schema(key), *fallback = NULL;

	if (json_object_set_new(value, "description", json_string(key->text)) < 0)
		return NULL;
	if (key->fallback) {
		fallback = json_loads(key->fallback, JSON_DECODE_ANY, NULL);
		if (json_object_set(value, "default", fallback) < 0)
			return NULL;
	}
	return steal_ptr(&value);
}

char *
ambit_settings_schema(void)
{
	auto_json json_t *members = json_object(), *root = NULL;
	const struct key *key;

	for (size_t i = 0; (key = key_at(i)); i++)
		if (json_object_set_new(members, key->name, pack_property_schema(key)) < 0)
			return NULL;
	root = json_pack("{s:s, s:s, s:s, s:b, s:O, s:{s:o}}", "$schema",
		"https://json-schema.org/draft/2020-12/schema", "title", "ambit settings", "type",
		"object", "additionalProperties", 0, "properties", members, "$defs", "policy",
		pack_policy_schema());
	return root ? json_dumps(root, JSON_INDENT(2)) : NULL;
}

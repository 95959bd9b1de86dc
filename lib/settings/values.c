/* SPDX-License-Identifier: Apache-2.0 */
/* What is set: putting two sets over each other, and showing what holds when
 * the person's and the folder's are taken together. Values were checked by
 * the decoder; here nothing can be wrong but memory. */

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/agent.h"
#include "settings/decode.h"
#include "settings/values.h"

void
values_init(struct settings_values *values)
{
	*values = (struct settings_values){
		.agent_mode = -1,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1,
		.net = -1,
		.allow_bash = -1,
		.policy_timeout = -1,
		.question_timeout = -1,
		.client_timeout = -1,
		.bell = -1,
		.loop_limit = -1,
		.agent_timeout = -1,
		.agent_depth = -1,
		.agents_at_once = -1,
		.agent_output = -1,
		.children_ask = -1,
		.record_session_max = -1,
		.record_max = -1,
		.keep_days = -1,
	};
	for (size_t i = 0; i < AMBIT_EFFECTS_N; i++)
		values->by_side_effect[i] = -1;
}

void
values_finish(struct settings_values *values)
{
	const struct key *key;

	for (size_t i = 0; i < values->n_permissions; i++)
		free(values->permissions[i].tool);
	free(values->permissions);
	json_decref(values->policy);
	strv_free(values->policy_program);
	strv_free(values->notify_command);
	judge_finish(&values->judge);
	free(values->ask);
	agents_finish(values);
	for (size_t i = 0; (key = key_at(i)); i++)
		if (key_is_list(key))
			strv_free(*(char ***)key_field(key, values));
	values_init(values);
}

static int
merge_list(char ***into, char ***from)
{
	size_t have = strv_len(*into), more = strv_len(*from);

	if (more == 0)
		return 0;
	char **bigger = realloc(*into, (have + more + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	memcpy(bigger + have, *from, (more + 1) * sizeof(*bigger));
	*into = bigger;
	free(*from);
	*from = NULL;
	return 0;
}

static struct ambit_tool_permission *
permission_find(const struct settings_values *values, const char *tool)
{
	for (size_t i = 0; i < values->n_permissions; i++)
		if (streq(values->permissions[i].tool, tool))
			return &values->permissions[i];
	return NULL;
}

static int
merge_permissions(struct settings_values *into, struct settings_values *from)
{
	struct ambit_tool_permission *bigger, *old;

	bigger = realloc(into->permissions,
		(into->n_permissions + from->n_permissions + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	into->permissions = bigger;
	for (size_t i = 0; i < from->n_permissions; i++) {
		struct ambit_tool_permission *p = &from->permissions[i];

		old = permission_find(into, p->tool);
		if (old)
			old->permission = p->permission;
		else
			bigger[into->n_permissions++] = (struct ambit_tool_permission){
				.tool = steal_ptr(&p->tool),
				.permission = p->permission,
			};
	}
	return 0;
}

static void
merge_effects(int *into, const int *from)
{
	for (size_t i = 0; i < AMBIT_EFFECTS_N; i++)
		if (from[i] >= 0)
			into[i] = from[i];
}

int
values_merge(struct settings_values *into, struct settings_values *from, const struct key *key)
{
	switch (key->type) {
	case KEY_NOTHING:
		return 0;
	case KEY_WORD:
	case KEY_FLAG:
	case KEY_COUNT:
		*(int *)key_field(key, into) = *(int *)key_field(key, from);
		return 0;
	case KEY_ASKER:
		free(into->ask);
		into->ask = steal_ptr(&from->ask);
		return 0;
	case KEY_PERMISSIONS:
		return merge_permissions(into, from);
	case KEY_EFFECTS:
		merge_effects(into->by_side_effect, from->by_side_effect);
		return 0;
	case KEY_POLICY:
		json_decref(into->policy);
		into->policy = steal_ptr(&from->policy);
		return 0;
	case KEY_PROGRAM:
		strv_free(into->policy_program);
		into->policy_program = steal_ptr(&from->policy_program);
		into->policy_timeout = from->policy_timeout;
		return 0;
	case KEY_COMMAND:
		strv_free(*(char ***)key_field(key, into));
		*(char ***)key_field(key, into) = *(char ***)key_field(key, from);
		*(char ***)key_field(key, from) = NULL;
		return 0;
	case KEY_AGENTS:
		return agents_merge(into, from);
	case KEY_JUDGE:
		judge_finish(&into->judge);
		into->judge = from->judge;
		from->judge = (struct settings_judge){ 0 };
		return 0;
	default:
		return merge_list(key_field(key, into), key_field(key, from));
	}
}

int
values_number(const struct key *key, const struct settings_values *person,
	const struct settings_values *defaults)
{
	int own = *(const int *)key_value(key, person);

	return own >= 0 ? own : *(const int *)key_value(key, defaults);
}

int
values_effective(const struct key *key, const struct settings_values *person,
	const struct settings_values *folder, const struct settings_values *defaults)
{
	int own = values_number(key, person, defaults);
	int narrowed = *(const int *)key_value(key, folder);

	if (narrowed < 0)
		return own;
	if (key->narrow == NARROW_COUNT) {
		if (narrowed == 0 || own == 0)
			return narrowed + own;
	}
	return narrowed < own ? narrowed : own;
}

/* -- as JSON ---------------------------------------------------------------- */

/* A path from the command line may be any bytes. */
static json_t *
show_text(const char *text)
{
	if (str_is_utf8(text, strlen(text)))
		return json_string(text);
	auto_free char *escaped = str_escape(text, strlen(text));

	return escaped ? json_string(escaped) : NULL;
}

static int
show_list(json_t *array, char *const *list)
{
	for (; list && *list; list++)
		if (json_array_append_new(array, show_text(*list)) < 0)
			return -ENOMEM;
	return 0;
}

static json_t *
show_lists(char *const *person, char *const *folder)
{
	auto_json json_t *array = json_array();

	if (!array || show_list(array, person) < 0 || show_list(array, folder) < 0)
		return NULL;
	return steal_ptr(&array);
}

static json_t *
show_permission(int permission)
{
	return json_string(ambit_word_name(ambit_permissions, permission));
}

static json_t *
show_permissions(const struct settings_values *person, const struct settings_values *folder)
{
	auto_json json_t *object = json_object();

	for (size_t i = 0; i < person->n_permissions; i++)
		if (json_object_set_new(object, person->permissions[i].tool,
			    show_permission((int)person->permissions[i].permission)) < 0)
			return NULL;
	for (size_t i = 0; i < folder->n_permissions; i++) {
		const struct ambit_tool_permission *p = &folder->permissions[i];
		const struct ambit_tool_permission *own = permission_find(person, p->tool);
		enum ambit_permission least =
			own && own->permission < p->permission ? own->permission : p->permission;

		if (json_object_set_new(object, p->tool, show_permission((int)least)) < 0)
			return NULL;
	}
	return steal_ptr(&object);
}

static json_t *
show_effects(const int *person, const int *folder)
{
	auto_json json_t *object = json_object();

	for (size_t i = 0; i < AMBIT_EFFECTS_N; i++) {
		int least = person[i];

		if (folder[i] >= 0 && (least < 0 || folder[i] < least))
			least = folder[i];
		if (least >= 0 &&
			json_object_set_new(object, ambit_word_name(ambit_effects, 1 << i),
				show_permission(least)) < 0)
			return NULL;
	}
	return steal_ptr(&object);
}

static json_t *
show_command(char *const *argv)
{
	return argv ? show_lists(argv, NULL) : json_null();
}

static json_t *
show_program(const struct settings_values *person)
{
	json_t *command;

	if (!person->policy_program)
		return json_null();
	command = show_lists(person->policy_program, NULL);
	return command ? json_pack("{s:o, s:i}", "command", command, "timeout_ms",
				 person->policy_timeout)
		       : NULL;
}

static json_t *
show_policy(json_t *person, json_t *folder)
{
	if (person && folder)
		return json_pack("{s:[O, O]}", "compose", person, folder);
	if (person || folder)
		return json_incref(person ? person : folder);
	return json_null();
}

json_t *
values_show(const struct key *key, const struct settings_values *person,
	const struct settings_values *folder, const struct settings_values *defaults)
{
	switch (key->type) {
	case KEY_NOTHING:
		return json_null();
	case KEY_WORD:
		return json_string(ambit_word_name(
			key->words, values_effective(key, person, folder, defaults)));
	case KEY_FLAG:
		return json_boolean(values_effective(key, person, folder, defaults));
	case KEY_COUNT:
		return json_integer(values_effective(key, person, folder, defaults));
	case KEY_ASKER:
		return person->ask ? show_text(person->ask) : json_null();
	case KEY_PERMISSIONS:
		return show_permissions(person, folder);
	case KEY_EFFECTS:
		return show_effects(person->by_side_effect, folder->by_side_effect);
	case KEY_POLICY:
		return show_policy(person->policy, folder->policy);
	case KEY_PROGRAM:
		return show_program(person);
	case KEY_COMMAND:
		return show_command(*(char **const *)key_value(key, person));
	case KEY_AGENTS:
		return agents_show(person);
	case KEY_JUDGE:
		return judge_show(&person->judge);
	default:
		return show_lists(*(char **const *)key_value(key, person),
			*(char **const *)key_value(key, folder));
	}
}

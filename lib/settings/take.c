/* SPDX-License-Identifier: Apache-2.0 */
/* One function per type of setting, from its JSON to its field. A field is
 * filled whole or the file is refused. */

#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"
#include "request/tool-table.h"
#include "settings/agent.h"

static int
take_nothing(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	const char *text;

	(void)key;
	(void)values;
	return decode_string(d, value, "a string", &text);
}

static int
take_word(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	return decode_word(d, value, key->words, key_field(key, values));
}

static int
take_flag(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	if (!json_is_boolean(value))
		return decode_wrong_type(d, value, "true or false");
	*(int *)key_field(key, values) = json_is_true(value);
	return 0;
}

static int
take_count(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	return decode_count(d, value, key->min, key->max, key_field(key, values));
}

static int
take_asker(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	char **field = key_field(key, values);
	auto_free char *program = NULL;
	const char *text;
	int r = decode_string(d, value, "a string", &text);

	if (r < 0)
		return r;
	if (str_prefix(text, "exec:")) {
		r = element_path(d, text + strlen("exec:"), &program);
		if (r < 0)
			return r;
		*field = str_printf("exec:%s", program);
	} else if (streq(text, "tty") || streq(text, "deny") || streq(text, "allow")) {
		*field = str_dup(text);
	} else {
		return decode_bad(d, "'%s': '%s' is not one of: tty, deny, allow, exec:/path",
			key->name, decode_show(d, text));
	}
	return *field ? 0 : err_nomem(d->err);
}

/* Names of tools are free, since agents bring their own; a '*' anywhere but at
 * the end would not mean what it looks like, and a slip would hold nothing. */
static int
tool_name_check(struct decode *d, const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > 256)
		return decode_bad(d, "a tool's name has 1 to 256 characters");
	if (memchr(name, '*', len - 1))
		return decode_bad(
			d, "'%s': '*' can only be the last character", decode_show(d, name));
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f)
			return decode_bad(d, "'%s' is not a tool's name", decode_show(d, name));
	if (!tool_may_be(name) && tool_nearest(name))
		return decode_bad(d,
			"unknown tool '%s': did you mean '%s'? For another program's tool of that "
			"name write '%s*'",
			decode_show(d, name), tool_nearest(name), decode_show(d, name));
	return 0;
}

static int
take_permissions(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	const char *name;
	json_t *member;
	int r = decode_object(d, value, "an object of tools"), permission = 0;

	(void)key;
	if (r < 0)
		return r;
	if (json_object_size(value) > DECODE_LIST_MAX)
		return decode_bad(d, "more than %d tools", DECODE_LIST_MAX);
	values->permissions = calloc(json_object_size(value) + 1, sizeof(*values->permissions));
	if (!values->permissions)
		return err_nomem(d->err);
	json_object_foreach ((json_t *)value, name, member) {
		struct ambit_tool_permission *p = &values->permissions[values->n_permissions];

		decode_enter(d, name);
		r = tool_name_check(d, name);
		if (r == 0)
			r = decode_word(d, member, ambit_permissions, &permission);
		if (r < 0)
			return r;
		p->permission = (enum ambit_permission)permission;
		p->tool = str_dup(name);
		if (!p->tool)
			return err_nomem(d->err);
		values->n_permissions++;
		decode_leave(d);
	}
	return 0;
}

static int
take_effects(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	return decode_effects(d, value, key_field(key, values));
}

static int
take_policy(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	return policy_check(d, value, key_field(key, values));
}

int
decode_command(struct decode *d, const json_t *value, char ***ret_argv)
{
	auto_free char *program = NULL;
	const char *text;
	int r = decode_array(d, value, "a list: the program and its arguments");

	if (r == 0 && json_array_size(value) == 0)
		r = decode_bad(d, "'%s' is empty", d->path[d->depth - 1]);
	for (size_t i = 0; r == 0 && i < json_array_size(value); i++) {
		decode_enter_index(d, i);
		r = decode_string(d, json_array_get(value, i), "a list of strings", &text);
		if (r == 0 && i == 0)
			r = element_path(d, text, &program);
		if (r == 0 && strv_append(ret_argv, i == 0 ? program : text) < 0)
			r = err_nomem(d->err);
		if (r == 0)
			decode_leave(d);
	}
	return r;
}

static int
take_program(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	char ***argv = key_field(key, values);
	const char *name;
	json_t *member;
	int r = decode_object(d, value, "an object with 'command'");

	if (r < 0)
		return r;
	values->policy_timeout = 5000;
	json_object_foreach ((json_t *)value, name, member) {
		decode_enter(d, name);
		if (streq(name, "command"))
			r = decode_command(d, member, argv);
		else if (streq(name, "timeout_ms"))
			r = decode_count(d, member, 1, 600000, &values->policy_timeout);
		else
			r = decode_bad(
				d, "unknown key '%s': command, timeout_ms", decode_show(d, name));
		if (r < 0)
			return r;
		decode_leave(d);
	}
	return *argv ? 0 : decode_bad(d, "'%s' has no 'command'", key->name);
}

static int
take_command(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	return decode_command(d, value, key_field(key, values));
}

static int
take_agents(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	(void)key;
	return agents_take(d, value, values);
}

static int
take_judge(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	return judge_take(d, value, key_field(key, values));
}

static int
take_list(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	const char *text;
	int r = decode_array(d, value, "a list of strings");

	for (size_t i = 0; r == 0 && i < json_array_size(value); i++) {
		decode_enter_index(d, i);
		r = decode_string(d, json_array_get(value, i), "a list of strings", &text);
		if (r == 0)
			r = element_append(d, key, text, key_field(key, values));
		if (r == 0)
			decode_leave(d);
	}
	return r;
}

int
decode_value(struct decode *d, const struct key *key, const json_t *value,
	struct settings_values *values)
{
	static int (*const take[])(
		struct decode *, const struct key *, const json_t *, struct settings_values *) = {
		[KEY_NOTHING] = take_nothing,
		[KEY_WORD] = take_word,
		[KEY_FLAG] = take_flag,
		[KEY_COUNT] = take_count,
		[KEY_ASKER] = take_asker,
		[KEY_PERMISSIONS] = take_permissions,
		[KEY_EFFECTS] = take_effects,
		[KEY_POLICY] = take_policy,
		[KEY_PROGRAM] = take_program,
		[KEY_AGENTS] = take_agents,
		[KEY_JUDGE] = take_judge,
		[KEY_COMMAND] = take_command,
		[KEY_PATTERNS] = take_list,
		[KEY_PATHS] = take_list,
		[KEY_HOSTS] = take_list,
		[KEY_PROFILES] = take_list,
	};

	return take[key->type](d, key, value, values);
}

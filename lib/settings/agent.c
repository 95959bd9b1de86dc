/* SPDX-License-Identifier: Apache-2.0 */
/* The setting "agents", from JSON to commands. It is the person's alone, since it says
 * what is run and which secrets that gets; but a command that would not mean what it
 * looks like is refused here and not found out when it is started. */

#include <stdlib.h>

#include <ambit/record.h>

#include "base/ascii.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/agent.h"
#include "settings/agents.h"

static void
agent_finish(struct agent *agent)
{
	free((char *)agent->name);
	strv_free((char **)agent->command);
	strv_free((char **)agent->env);
}

void
agents_finish(struct settings_values *values)
{
	for (size_t i = 0; i < values->n_agents; i++)
		agent_finish(&values->agents[i]);
	free(values->agents);
	values->agents = NULL;
	values->n_agents = 0;
}

/* -- words ------------------------------------------------------------------------ */

/* Braces may mean anything to the program; but what looks much like a placeholder was
 * probably meant as one. */
static int
check_braces(struct decode *d, const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";

	for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
		size_t len = strspn(at + 1, letters);
		auto_free char *name = at[1 + len] == '}' ? strndup(at + 1, len) : NULL;
		const char *meant = name ? str_nearest(name, agent_placeholder_at, NULL) : NULL;

		if (meant && !streq(meant, name))
			return decode_bad(d, "unknown placeholder '{%s}' (did you mean '{%s}'?)",
				decode_show(d, name), meant);
	}
	return 0;
}

/* Found in PATH by its name, or absolute: what a relative path means depends on where
 * one stands, and an agent stands where it can write. */
static int
take_program(struct decode *d, const char *text, char ***list)
{
	auto_free char *path = NULL;
	int r = 0;

	if (text[0] == '\0' || text[0] == '-' || strchr(text, '{'))
		return decode_bad(d, "'%s' is not a program's name", decode_show(d, text));
	if (strchr(text, '/') || text[0] == '~')
		r = element_path(d, text, &path);
	if (r < 0)
		return r;
	return strv_append(list, path ? path : text) < 0 ? err_nomem(d->err) : 0;
}

static int
take_word(struct decode *d, const char *text, char ***list)
{
	int r;

	if (!*list)
		return take_program(d, text, list);
	r = check_braces(d, text);
	if (r < 0)
		return r;
	return strv_append(list, text) < 0 ? err_nomem(d->err) : 0;
}

static int
take_variable(struct decode *d, const char *text, char ***list)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
				      "0123456789";
	size_t len = strspn(text, letters);

	if (len == 0 || text[len] != '\0' || ascii_is_digit(text[0]))
		return decode_bad(d, "'%s' is not the name of a variable", decode_show(d, text));
	return strv_append(list, text) < 0 ? err_nomem(d->err) : 0;
}

static int
take_strings(struct decode *d, const json_t *value,
	int (*take)(struct decode *d, const char *text, char ***list), const char *const **ret_list)
{
	char **list = NULL;
	const char *text;
	int r = decode_array(d, value, "a list of strings");

	for (size_t i = 0; r == 0 && i < json_array_size(value); i++) {
		decode_enter_index(d, i);
		r = decode_string(d, json_array_get(value, i), "a list of strings", &text);
		if (r == 0)
			r = take(d, text, &list);
		if (r == 0)
			decode_leave(d);
	}
	*ret_list = (const char *const *)list; /* owned in any case */
	return r;
}

/* -- one agent --------------------------------------------------------------------- */

static int
take_member(struct decode *d, const char *name, const json_t *value, struct agent *agent)
{
	if (streq(name, "command"))
		return take_strings(d, value, take_word, &agent->command);
	if (streq(name, "env"))
		return take_strings(d, value, take_variable, &agent->env);
	if (streq(name, "timeout"))
		return decode_count(d, value, 0, AGENT_TIMEOUT_MAX, &agent->timeout);
	return decode_bad(d, "unknown key '%s': command, env, timeout", decode_show(d, name));
}

static int
take_agent(struct decode *d, const char *name, const json_t *value, struct agent *agent)
{
	const char *key;
	json_t *member;
	int r = decode_object(d, value, "an object with 'command'");

	agent->timeout = -1;
	agent->text = "from the settings";
	if (r == 0 && !ambit_session_name_valid(name))
		r = decode_bad(d,
			"'%s' is not an agent's name: 1 to 64 letters, digits, '.', '_' and '-', "
			"and none of '.', '-' first",
			decode_show(d, name));
	if (r < 0)
		return r;
	agent->name = str_dup(name);
	if (!agent->name)
		return err_nomem(d->err);
	json_object_foreach ((json_t *)value, key, member) {
		decode_enter(d, key);
		r = take_member(d, key, member, agent);
		if (r < 0)
			return r;
		decode_leave(d);
	}
	if (!agent->command)
		return decode_bad(
			d, "'%s' has no 'command', or an empty one", decode_show(d, name));
	return 0;
}

int
agents_take(struct decode *d, const json_t *value, struct settings_values *values)
{
	const char *name;
	json_t *member;
	int r = decode_object(d, value, "an object of agents");

	if (r < 0)
		return r;
	if (json_object_size(value) > DECODE_LIST_MAX)
		return decode_bad(d, "more than %d agents", DECODE_LIST_MAX);
	values->agents = calloc(json_object_size(value) + 1, sizeof(*values->agents));
	if (!values->agents)
		return err_nomem(d->err);
	json_object_foreach ((json_t *)value, name, member) {
		decode_enter(d, name);
		/* Counted first: what was taken of a bad one is freed with the rest. */
		r = take_agent(d, name, member, &values->agents[values->n_agents++]);
		if (r < 0)
			return r;
		decode_leave(d);
	}
	return 0;
}

static struct agent *
agent_of(struct settings_values *values, const char *name)
{
	for (size_t i = 0; i < values->n_agents; i++)
		if (streq(values->agents[i].name, name))
			return &values->agents[i];
	return NULL;
}

int
agents_merge(struct settings_values *into, struct settings_values *from)
{
	struct agent *bigger =
		realloc(into->agents, (into->n_agents + from->n_agents + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	into->agents = bigger;
	for (size_t i = 0; i < from->n_agents; i++) {
		struct agent *old = agent_of(into, from->agents[i].name);

		if (old)
			agent_finish(old);
		else
			old = &bigger[into->n_agents++];
		*old = from->agents[i];
	}
	free(from->agents);
	from->agents = NULL;
	from->n_agents = 0;
	return 0;
}

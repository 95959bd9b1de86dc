/* SPDX-License-Identifier: Apache-2.0 */
/* The table of agents that are ready to be started, and all of them together with the
 * person's own. A row starts an agent without a terminal, with one task, and so that its
 * last words can be told from the rest of what it prints. It leaves its own questions
 * out, for nobody is there to answer them: the line is what holds it. The task goes to
 * stdin where the program reads it there, since it is then neither an option nor a
 * subcommand whatever it begins with, and nobody reads it in a list of processes. */

#include "settings/agents.h"

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/agent.h"
#include "settings/state.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct agent ready[] = {
	{
		.name = "claude",
		.command = LIST("claude", "-p", "--output-format", "json", "--permission-mode",
			"bypassPermissions", "--append-system-prompt", "{brief}"),
		.env = LIST("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
		.timeout = -1,
		.text = "Claude Code",
		.ready = true,
	},
	{
		.name = "codex",
		/* Elsewhere than in a repository it would not start. */
		.command = LIST("codex", "exec", "--skip-git-repo-check", "-"),
		.env = LIST("OPENAI_API_KEY", "CODEX_API_KEY"),
		.timeout = -1,
		.text = "Codex; the briefing goes before the task",
		.ready = true,
	},
	{
		.name = "gemini",
		/* Joined: a value of its own that begins with '-' would be an option. In a
		 * folder that the person has not told it to trust it would not start. */
		.command = LIST("gemini", "--skip-trust", "--output-format", "json",
			"--approval-mode", "yolo", "--prompt={task}"),
		.env = LIST("GEMINI_API_KEY", "GOOGLE_API_KEY"),
		.timeout = -1,
		.text = "Gemini CLI; the briefing goes before the task",
		.ready = true,
	},
	{
		.name = "opencode",
		.command = LIST("opencode", "run"),
		.env = LIST("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY",
			"GOOGLE_GENERATIVE_AI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"),
		.timeout = -1,
		.text = "opencode; the briefing goes before the task",
		.ready = true,
	},
	{
		.name = "copilot",
		.command = LIST(
			"copilot", "--silent", "--allow-all", "--no-ask-user", "--no-auto-update"),
		.env = LIST("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN",
			"COPILOT_PROVIDER_API_KEY"),
		.timeout = -1,
		.text = "Copilot CLI; the briefing goes before the task",
		.ready = true,
	},
};

#define READY_N (sizeof(ready) / sizeof(ready[0]))

static const struct agent *
own_agent(const struct settings_values *person, const char *name)
{
	for (size_t i = 0; i < person->n_agents; i++)
		if (streq(person->agents[i].name, name))
			return &person->agents[i];
	return NULL;
}

static const struct agent *
get_agent_by_index(const struct settings_values *person, size_t i)
{
	if (i < person->n_agents)
		return &person->agents[i];
	i -= person->n_agents;
	for (size_t k = 0; k < READY_N; k++)
		if (!own_agent(person, ready[k].name) && i-- == 0)
			return &ready[k];
	return NULL;
}

const struct agent *
agent_nth(const struct ambit_settings *settings, size_t i)
{
	return get_agent_by_index(&settings->person, i);
}

static int
no_such_agent(const struct ambit_settings *settings, const char *name, struct ambit_error *err)
{
	auto_free char *shown = str_escape(name, strlen(name));
	auto_buf struct buf names = { 0 };
	const struct agent *agent;

	for (size_t i = 0; (agent = agent_nth(settings, i)); i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", agent->name);
	return err_set(err, ENOENT,
		"there is no agent '%.64s': %.300s; another can be put into the setting 'agents'",
		shown ? shown : "?", names.data ? names.data : "");
}

int
agent_find(const struct ambit_settings *settings, const char *name, const struct agent **ret_agent,
	struct ambit_error *err)
{
	const struct agent *agent;

	for (size_t i = 0; (agent = agent_nth(settings, i)); i++)
		if (streq(agent->name, name)) {
			*ret_agent = agent;
			return 0;
		}
	return no_such_agent(settings, name, err);
}

/* -- as JSON --------------------------------------------------------------------- */

static json_t *
show_strings(const char *const *list)
{
	auto_json json_t *array = json_array();

	for (; list && *list; list++)
		if (json_array_append_new(array, json_string(*list)) < 0)
			return NULL;
	return steal_ptr(&array);
}

static json_t *
show_agent(const struct agent *agent)
{
	auto_json json_t *object = json_object();

	if (json_object_set_new(object, "command", show_strings(agent->command)) < 0)
		return NULL;
	if (agent->env && json_object_set_new(object, "env", show_strings(agent->env)) < 0)
		return NULL;
	if (agent->timeout >= 0 &&
		json_object_set_new(object, "timeout", json_integer(agent->timeout)) < 0)
		return NULL;
	return steal_ptr(&object);
}

json_t *
agents_show(const struct settings_values *person)
{
	auto_json json_t *object = json_object();
	const struct agent *agent;

	for (size_t i = 0; (agent = get_agent_by_index(person, i)); i++)
		if (json_object_set_new(object, agent->name, show_agent(agent)) < 0)
			return NULL;
	return steal_ptr(&object);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* prompts/list and prompts/get: the table of prompts, from what a client asks to a text
 * that it puts into the conversation. That is read by the model as well, so it says what
 * it is for; and nothing that can be asked here changes anything. */

#include <string.h>

#include "prompt.h"

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"

#define TOOL_MAX 256

static const struct prompt {
	const char *name, *title, *text;
	bool tool; /* has the argument, which may be left out */
	int (*say)(const struct prompt_view *view, const char *tool, struct buf *out,
		struct ambit_error *err);
} prompts[] = {
	{
		.name = "agent",
		.title = "Agent mode",
		.text = "Shows whether the agent builds or only plans, and who says so",
		.say = prompt_agent,
	},
	{
		.name = "perm",
		.title = "Permission of a tool",
		.text = "Shows what a tool may do without a question, and who says so",
		.tool = true,
		.say = prompt_perm,
	},
	{
		.name = "perms",
		.title = "Permissions",
		.text = "Shows what each tool may do without a question, and who says so",
		.say = prompt_perms,
	},
	{
		.name = "sandbox",
		.title = "The line",
		.text = "Shows the folder, the modes, what is open past the line, and what was "
			"refused",
		.say = prompt_sandbox,
	},
};

#define PROMPTS_N (sizeof(prompts) / sizeof(prompts[0]))

static json_t *
prompt_json(const struct prompt *prompt)
{
	json_t *arguments = NULL;

	if (prompt->tool)
		arguments = json_pack("[{s:s s:s s:b}]", "name", "tool", "description",
			"The tool's name; without it, all are shown", "required", 0);
	return json_pack("{s:s s:s s:s s:o*}", "name", prompt->name, "title", prompt->title,
		"description", prompt->text, "arguments", arguments);
}

json_t *
prompts_list(void)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; i < PROMPTS_N; i++)
		if (json_array_append_new(list, prompt_json(&prompts[i])) < 0)
			return NULL;
	return steal_ptr(&list);
}

static const char *
get_prompt_name(const void *data, size_t i)
{
	(void)data;
	return i < PROMPTS_N ? prompts[i].name : NULL;
}

static int
find_prompt(const json_t *params, const struct prompt **ret_prompt, struct ambit_error *err)
{
	const json_t *member = json_object_get(params, "name");
	const char *name = json_string_value(member), *near;

	if (name == NULL || strlen(name) != json_string_length(member))
		return err_set(err, EINVAL, "'name' is not a plain string");
	for (size_t i = 0; i < PROMPTS_N; i++)
		if (streq(prompts[i].name, name)) {
			*ret_prompt = &prompts[i];
			return 0;
		}
	auto_free char *shown = str_escape(name, str_cut(name, strlen(name), 100));

	near = str_nearest(name, get_prompt_name, NULL);
	return err_set(err, EINVAL, "Unknown prompt '%s': %s%s%s", shown != NULL ? shown : "?",
		near != NULL ? "did you mean '" : "see prompts/list", near != NULL ? near : "",
		near != NULL ? "'?" : "");
}

/* A name that no tool can have would be shown as if one had it. */
static bool
name_is_sound(const char *tool, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)tool[i] <= ' ' || tool[i] == 0x7f)
			return false;
	return len > 0 && len <= TOOL_MAX;
}

/* *ret_tool: NULL if it was left out; some clients send what is left out as "". */
static int
read_arguments(const struct prompt *prompt, const json_t *params, const char **ret_tool,
	struct ambit_error *err)
{
	json_t *arguments = json_object_get(params, "arguments"), *value;
	const char *key;

	*ret_tool = NULL;
	if (arguments != NULL && !json_is_object(arguments))
		return err_set(err, EINVAL, "'arguments' is not an object");
	json_object_foreach (arguments, key, value) {
		auto_free char *shown = str_escape(key, str_cut(key, strlen(key), 100));

		if (!prompt->tool || !streq(key, "tool"))
			return err_set(err, EINVAL, "prompt '%s' has no argument '%s'",
				prompt->name, shown != NULL ? shown : "?");
		if (!json_is_string(value))
			return err_set(err, EINVAL, "argument 'tool' is not a string");
		if (json_string_length(value) == 0)
			continue;
		if (!name_is_sound(json_string_value(value), json_string_length(value)))
			return err_set(err, EINVAL, "argument 'tool' is not a tool's name");
		*ret_tool = json_string_value(value);
	}
	return 0;
}

/* What another process stored is seen by an engine at its next decision; to show is no
 * decision. So another one reads it, which records nothing. */
static int
write_prompt_text(const struct prompt *prompt, const struct toolbox *box, const char *tool,
	struct buf *out, struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = box->world.settings,
		.scope = box->world.scope,
		.record = box->world.record,
		.observe = true,
		.session = ambit_engine_session(box->world.engine),
		.outer = toolbox_is_inside(box) ? &box->around.outer : NULL,
	};
	struct prompt_view view = { .box = box };
	int r = ambit_engine_create(&options, &view.engine, err);

	/* What was said to those around it holds here, too. */
	if (r == 0)
		r = engine_reload_record(view.engine, err);
	if (r < 0)
		return r == -EINVAL ? -EIO : r; /* not what was asked is wrong */
	r = prompt->say(&view, tool, out, err);
	ambit_engine_destroy(view.engine);
	return r;
}

int
prompts_get(const struct toolbox *box, const json_t *params, json_t **ret_result,
	struct ambit_error *err)
{
	auto_buf struct buf out = { 0 };
	const struct prompt *prompt = NULL;
	const char *tool = NULL;
	int r = find_prompt(params, &prompt, err);

	if (r == 0)
		r = read_arguments(prompt, params, &tool, err);
	if (r < 0)
		return r;
	buf_puts(&out, "Show me what follows as it is, and do nothing else. It is what ambit says "
		       "of this session now.\n\n");
	ambit_registry_lock(box->registry);
	r = write_prompt_text(prompt, box, tool, &out, err);
	ambit_registry_unlock(box->registry);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s s:[{s:s s:{s:s s:s}}]}", "description", prompt->text,
		"messages", "role", "user", "content", "type", "text", "text",
		out.failed ? "" : out.data);
	return out.failed || *ret_result == NULL ? err_nomem(err) : 0;
}

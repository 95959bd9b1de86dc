/* SPDX-License-Identifier: Apache-2.0 */
/* The tools there are: ambit's own, one row each, and those a harness adds. What a
 * harness says of its tool is what it is decided by, so it must not contradict
 * itself; from then on the two kinds go the same way. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ambit/label.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/line.h"
#include "engine/questions.h"
#include "perform/leftover.h"
#include "request/request-private.h"
#include "tools/registry/registry-desk.h"
#include "tools/registry/registry-private.h"
#include "tools/registry/schema.h"

static const struct own_tool *const own_tools[] = {
	&tool_read,
	&tool_write,
	&tool_edit,
	&tool_multi_edit,
	&tool_apply_patch,
	&tool_delete,
	&tool_move,
	&tool_copy,
	&tool_ls,
	&tool_glob,
	&tool_grep,
	&tool_extract,
	&tool_bash,
	&tool_bash_output,
	&tool_bash_stop,
	&tool_webfetch,
	&tool_run_agent,
};
#define OWN_N (sizeof(own_tools) / sizeof(own_tools[0]))

/* -- tools ------------------------------------------------------------------------------- */

static int
add_tool(struct ambit_registry *registry, struct registry_tool *tool)
{
	struct registry_tool *more =
		realloc(registry->tools, (registry->n_tools + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	registry->tools = more;
	more[registry->n_tools++] = *tool;
	return 0;
}

static int
read_schema(const char *name, const char *text, json_t **ret_schema, struct ambit_error *err)
{
	json_t *schema = NULL;
	int r = json_parse(text, strlen(text), &schema, err);

	if (r == 0)
		r = schema_valid(schema, err);
	if (r < 0) {
		json_decref(schema);
		return err_context(err, "the schema of %s", name);
	}
	*ret_schema = schema;
	return 0;
}

static int
make_desk(struct ambit_registry *registry, struct ambit_error *err)
{
	struct ambit_approver *approver = engine_approver(registry->engine);
	const struct desk_options options = {
		.engine = registry->engine,
		.instant = approver && approver->instant ? approver : NULL,
	};
	int r = desk_create(&options, &registry->desk, err);

	if (r == 0)
		r = blocking_add_judge(
			registry->desk, engine_judge(registry->engine), &registry->judge, err);
	if (r == 0)
		r = blocking_add_approver(registry->desk, approver, NULL, &registry->person, err);
	return r;
}

int
ambit_registry_create(const struct ambit_registry_options *options,
	struct ambit_registry **ret_registry, struct ambit_error *err)
{
	struct ambit_registry *registry = calloc(1, sizeof(*registry));
	int r = 0;

	if (!registry)
		return err_nomem(err);
	pthread_mutex_init(&registry->parking, NULL);
	registry->engine = options->engine;
	registry->executor = options->executor;
	registry->no_bash = options->no_bash;
	if (options->agents)
		registry->agents = *options->agents;
	registry->seen = seen_create();
	registry->lookups = lookups_create();
	registry->backgrounds = backgrounds_create();
	r = registry->seen && registry->lookups && registry->backgrounds ? make_desk(registry, err)
									 : err_nomem(err);
	if (r == 0)
		r = engine_search(options->engine, err);
	if (r == 0)
		r = engine_open_leftovers(options->engine, &registry->leftovers, err);
	for (size_t i = 0; r == 0 && i < OWN_N; i++) {
		struct registry_tool tool = { .own = own_tools[i] };

		r = read_schema(tool.own->name, tool.own->input, &tool.schema, err);
		if (r == 0 && add_tool(registry, &tool) < 0) {
			json_decref(tool.schema);
			r = err_nomem(err);
		}
	}
	if (r < 0) {
		ambit_registry_destroy(registry);
		return r;
	}
	*ret_registry = registry;
	return 0;
}

void
ambit_registry_destroy(struct ambit_registry *registry)
{
	if (!registry)
		return;
	backgrounds_destroy(registry->backgrounds);
	for (size_t i = 0; i < registry->n_tools; i++) {
		json_decref(registry->tools[i].schema);
		free(registry->tools[i].args);
	}
	free(registry->tools);
	seen_destroy(registry->seen);
	lookups_destroy(registry->lookups);
	leftovers_destroy(registry->leftovers);
	registry_forget_parked(registry);
	desk_stop(registry->desk);
	blocking_destroy(registry->person);
	blocking_destroy(registry->judge);
	desk_destroy(registry->desk);
	pthread_mutex_destroy(&registry->parking);
	free(registry);
}

void
ambit_registry_end_commands(struct ambit_registry *registry, uint64_t origin)
{
	backgrounds_end(registry->backgrounds, origin);
}

void
ambit_registry_lock(struct ambit_registry *registry)
{
	desk_lock(registry->desk);
}

/* Modes and rules may have changed. */
void
ambit_registry_unlock(struct ambit_registry *registry)
{
	desk_look(registry->desk);
	desk_unlock(registry->desk);
}

struct desk *
registry_desk(struct ambit_registry *registry)
{
	return registry->desk;
}

const char *
registry_tool_name(const struct registry_tool *tool)
{
	return tool->own ? tool->own->name : tool->theirs->name;
}

const struct registry_tool *
registry_find_tool(const struct ambit_registry *registry, const char *name)
{
	for (size_t i = 0; i < registry->n_tools; i++)
		if (streq(registry_tool_name(&registry->tools[i]), name))
			return &registry->tools[i];
	return NULL;
}

/* -- a harness' own ------------------------------------------------------------------------ */

static int
check_theirs(const struct ambit_registry *registry, const struct ambit_tool *tool,
	struct ambit_error *err)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-";
	const char *name = tool->name ? tool->name : "";
	size_t len = strlen(name);

	if (len == 0 || len > REQUEST_NAME_MAX || strspn(name, plain) != len)
		return err_set(err, EINVAL,
			"a tool's name is made of 1 to %d letters, digits and _.-",
			REQUEST_NAME_MAX);
	if (!tool->run || !tool->text || !tool->input)
		return err_set(err, EINVAL, "%s: run, text and input must be there", name);
	if (tool_find(name))
		return err_set(
			err, EEXIST, "%s is a name of ambit's own %s", name, tool_find(name)->name);
	if (registry_find_tool(registry, name))
		return err_set(err, EEXIST, "%s is there already", name);
	if (tool->effects & ~AMBIT_EFFECTS_ALL)
		return err_set(err, EINVAL, "%s: effects that are none", name);
	if (tool->danger == AMBIT_DANGER_READ_ONLY &&
		(tool->effects == 0 || (tool->effects & (AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE))))
		return err_set(err, EINVAL, "%s has effects, so it is not read-only", name);
	return 0;
}

/* A path under a name that the schema does not know would be decided for no call. */
static int
check_paths(const struct ambit_tool *tool, const json_t *schema, struct ambit_error *err)
{
	const json_t *properties = json_object_get(schema, "properties");

	for (const struct ambit_tool_path *p = tool->paths; p && p->argument; p++) {
		if (!json_object_get(properties, p->argument))
			return err_set(err, EINVAL, "%s: '%s' is a path, and not in its schema",
				tool->name, p->argument);
		if ((unsigned)p->access > AMBIT_ACCESS_READ_TREE)
			return err_set(err, EINVAL, "%s: '%s' has an access that is none",
				tool->name, p->argument);
		if (tool->effects && !(tool->effects & AMBIT_WRITE) &&
			p->access != AMBIT_ACCESS_READ && p->access != AMBIT_ACCESS_READ_TREE)
			return err_set(err, EINVAL, "%s writes '%s', so write is among its effects",
				tool->name, p->argument);
	}
	return 0;
}

/* Clients read it, so it must be one; what it says is between them and the tool. */
static int
check_output(const struct ambit_tool *tool, struct ambit_error *err)
{
	auto_json json_t *schema = NULL;

	if (tool->output && json_parse(tool->output, strlen(tool->output), &schema, err) < 0)
		return err_context(err, "the output schema of %s", tool->name);
	if (tool->output && !json_is_object(schema))
		return err_set(
			err, EINVAL, "the output schema of %s must be an object", tool->name);
	return 0;
}

static int
shape_theirs(struct registry_tool *tool)
{
	const struct ambit_tool *theirs = tool->theirs;
	size_t n = 0;

	while (theirs->paths && theirs->paths[n].argument)
		n++;
	tool->args = calloc(n + 1, sizeof(*tool->args));
	if (!tool->args)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		tool->args[i] = (struct tool_arg){
			.name = theirs->paths[i].argument,
			.kind = TOOL_ARG_PATHS,
			.access = theirs->paths[i].access,
			.follow = theirs->paths[i].follow ? TOOL_FOLLOW : TOOL_NOFOLLOW,
		};
	tool->row = (struct tool){
		.name = theirs->name,
		.args = tool->args,
		.effects = theirs->effects,
		.danger = theirs->danger,
		.permission = theirs->permission,
		.text = theirs->text,
	};
	tool->shape = (struct own_tool){
		.name = theirs->name,
		.title = theirs->title,
		.text = theirs->text,
		.input = theirs->input,
		.output = theirs->output,
		/* What it does not say it does, it may do. */
		.untrusted = !theirs->effects || (theirs->effects & AMBIT_NETWORK),
	};
	return 0;
}

int
ambit_registry_add(
	struct ambit_registry *registry, const struct ambit_tool *theirs, struct ambit_error *err)
{
	struct registry_tool tool = { .theirs = theirs };
	int r = check_theirs(registry, theirs, err);

	if (r == 0)
		r = read_schema(theirs->name, theirs->input, &tool.schema, err);
	if (r == 0)
		r = check_paths(theirs, tool.schema, err);
	if (r == 0)
		r = check_output(theirs, err);
	if (r == 0 && (shape_theirs(&tool) < 0 || add_tool(registry, &tool) < 0))
		r = err_nomem(err);
	if (r < 0) {
		json_decref(tool.schema);
		free(tool.args);
	}
	return r;
}

/* -- for models ------------------------------------------------------------------------ */

char *
ambit_registry_brief(const struct ambit_registry *registry)
{
	enum brief_shell shell =
		!registry->executor ? BRIEF_SHELL_NONE
		: ambit_executor_backend(registry->executor) == AMBIT_BACKEND_KERNEL
			? BRIEF_SHELL_HELD
			: BRIEF_SHELL_LOOSE;
	auto_free char *brief = engine_brief_for(registry->engine, shell);

	return brief ? str_printf("%s\n%s\n", brief, ambit_label_brief()) : NULL;
}

/* -- the list -------------------------------------------------------------------------- */

static void
fill_entry(const struct registry_tool *tool, struct ambit_tool_entry *ret_entry)
{
	const struct own_tool *shape = tool->own ? tool->own : &tool->shape;
	const struct tool *row = tool->own ? tool_find(tool->own->name) : &tool->row;

	*ret_entry = (struct ambit_tool_entry){
		.name = shape->name,
		.title = shape->title,
		.text = shape->text,
		.input = shape->input,
		.output = shape->output,
		.effects = row->effects,
		.danger = row->effects ? row->danger : AMBIT_DANGEROUS,
		.slow = shape->slow || !tool->own,
	};
}

bool
registry_hides(const struct ambit_registry *registry, const struct registry_tool *tool)
{
	if (tool->own == &tool_run_agent)
		return !registry->agents.settings || !registry->executor ||
		       ambit_executor_backend(registry->executor) != AMBIT_BACKEND_KERNEL;
	return !registry->executor && (tool->own == &tool_bash || tool->own == &tool_bash_output ||
					      tool->own == &tool_bash_stop);
}

int
ambit_registry_at(
	const struct ambit_registry *registry, size_t i, struct ambit_tool_entry *ret_entry)
{
	for (size_t n = 0; n < registry->n_tools; n++) {
		if (registry_hides(registry, &registry->tools[n]) || i-- > 0)
			continue;
		fill_entry(&registry->tools[n], ret_entry);
		return 1;
	}
	return 0;
}

int
ambit_registry_find(
	const struct ambit_registry *registry, const char *name, struct ambit_tool_entry *ret_entry)
{
	const struct registry_tool *tool = registry_find_tool(registry, name);

	if (tool)
		fill_entry(tool, ret_entry);
	return tool != NULL;
}

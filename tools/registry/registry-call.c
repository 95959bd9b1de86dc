/* SPDX-License-Identifier: Apache-2.0 */
/* From the name of a tool and its arguments to a result. Name and arguments are a
 * model's: each stage either passes on what the next may rely on, or ends the call
 * with words. The engine is used by one thread at a time; tools run beside each
 * other. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "request/request-object.h"
#include "request/request-private.h"
#include "scope/scope-private.h"
#include "tools/registry/registry-private.h"
#include "tools/registry/schema.h"

/* How often a call is decided anew because another was quicker. */
#define QUICKER_MAX 10

struct call {
	struct ambit_registry *registry;
	const struct registry_tool *tool;
	const char *text; /* the arguments, if they came as text; or NULL */
	size_t len;
	json_t *args;
	struct ambit_error wrong; /* with the arguments; code 0: nothing */
	struct ambit_call_options options;
	struct request_scope said; /* its scope; settled */
	struct ambit_scope *scope; /* the same; NULL: the engine's */
	struct registry_result *result;
	bool asked;  /* somebody was, before it ran */
	int quicker; /* how often another was */
};

static const char *
tool_name_at(const void *data, size_t i)
{
	struct ambit_tool_entry entry;

	return ambit_registry_at(data, i, &entry) ? entry.name : NULL;
}

/* What ends before it is decided is in the record, too: under the name it was called
 * by, with the arguments as far as they could be read, as refused. Nothing was done, so
 * that it could not be recorded changes nothing for the one who called. */
static int
note_refusal(struct call *call, const char *name)
{
	struct registry_result *result = call->result;
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };

	if (request_create_refused(name, json_is_object(call->args) ? call->args : NULL,
		    result->code, result->text, &request, NULL) < 0)
		return -ENOMEM;
	ambit_registry_lock(call->registry);
	ambit_engine_decide(call->registry->engine, request, &outcome, NULL);
	ambit_registry_unlock(call->registry);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return 0;
}

/* Also by what another agent would call it. */
static int
fail_unknown(
	const struct ambit_registry *registry, const char *name, struct registry_result *result)
{
	auto_free char *shown = str_escape(name, str_cut(name, strlen(name), REQUEST_NAME_MAX));
	const struct tool *row = tool_find(name);
	const char *near = row && registry_find_tool(registry, row->name)
				   ? row->name
				   : str_nearest(name, tool_name_at, registry);
	auto_free char *message = NULL, *hint = NULL;

	message = str_printf("there is no tool '%s' here", shown ? shown : "?");
	hint = near ? str_printf("Did you mean '%s'?", near)
		    : strdup("Use one of the tools that are listed.");
	return message ? result_fail(result, AMBIT_CODE_UNKNOWN_TOOL, message, hint, NULL, NULL)
		       : -ENOMEM;
}

static int
fail_arguments(struct call *call, const struct ambit_error *why)
{
	auto_free char *message = str_printf("%s: %s", registry_tool_name(call->tool), why->text);

	return message ? result_fail(call->result, AMBIT_CODE_BAD_ARGUMENTS, message,
				 "Correct the arguments and call again.", NULL, NULL)
		       : -ENOMEM;
}

static int
parse_arguments(struct call *call, const char *args, size_t len)
{
	if (len > REQUEST_TEXT_MAX)
		return err_set(
			&call->wrong, E2BIG, "more than %u bytes of arguments", REQUEST_TEXT_MAX);
	return args && len > 0 ? json_parse(args, len, &call->args, &call->wrong) : 0;
}

static int
check_object(struct call *call)
{
	if (call->wrong.code)
		return -call->wrong.code;
	if (!call->args)
		call->args = json_object();
	if (!call->args)
		return -ENOMEM;
	return json_is_object(call->args)
		       ? 0
		       : err_set(&call->wrong, EINVAL, "the arguments must be an object");
}

/* What ambit's own tools would take for something else than was meant: nobody is asked
 * about that. What other agents' tools make of it is not known, so there it is asked. */
static int
check_meant(const struct tool_arg *arg, const char *text, struct ambit_error *why)
{
	bool path = arg->kind == TOOL_ARG_PATH || arg->kind == TOOL_ARG_GLOB;

	if (path && text[0] == '~')
		return err_set(why, EINVAL,
			"'%s' begins with ~, which is not expanded here: give the absolute path, "
			"or ./~... for a name that begins so",
			arg->name);
	if (path && str_fold_equal(text, "file:/", 6))
		return err_set(why, EINVAL, "'%s' is a URL: give the path alone", arg->name);
	if (arg->kind == TOOL_ARG_URL && !str_fold_equal(text, "http://", 7) &&
		!str_fold_equal(text, "https://", 8))
		return err_set(why, EINVAL,
			"'%s' is not an http or https URL, and others are not "
			"fetched%s",
			arg->name, str_fold_equal(text, "file:", 5) ? "; read has files" : "");
	return 0;
}

static int
check_own(const struct call *call, struct ambit_error *why)
{
	const struct tool *row = call->tool->own ? tool_find(call->tool->own->name) : NULL;
	const struct tool_arg *arg = row ? row->args : NULL;
	int r = 0;

	for (; r == 0 && arg && arg->name; arg++) {
		const char *text = json_string_value(json_object_get(call->args, arg->name));

		if (text)
			r = check_meant(arg, text, why);
	}
	return r;
}

/* With the lock. */
static const struct ambit_scope *
scope_of(const struct call *call)
{
	return call->scope ? call->scope : ambit_engine_scope(call->registry->engine);
}

static char *
folder_of(const struct call *call)
{
	struct ambit_registry *registry = call->registry;
	const struct ambit_scope *scope;
	const char *root;
	char *shown;

	desk_lock(registry->desk);
	scope = scope_of(call);
	root = ambit_scope_root(scope);
	/* "." tells nobody where the line is. */
	shown = streq(root, ambit_scope_display_root(scope)) ? str_escape(root, strlen(root))
							     : ambit_scope_display(scope, root);
	desk_unlock(registry->desk);
	return shown;
}

static const char *
hint_of(enum ambit_code code)
{
	for (const struct ambit_word *w = ambit_codes; w->name; w++)
		if (w->value == (int)code)
			return w->text;
	return NULL;
}

static int
fail_no_bash(struct call *call)
{
	const char *why = call->registry->no_bash;
	auto_free char *message = str_printf("there is no way to run shell commands here%s%s",
		why && *why ? ": " : "", why ? why : "");

	return message ? result_deny(call->result, AMBIT_CODE_BASH_NOT_ALLOWED, message,
				 hint_of(AMBIT_CODE_BASH_NOT_ALLOWED), NULL, NULL)
		       : -ENOMEM;
}

static int
fail_no_agents(struct call *call)
{
	return result_deny(call->result, AMBIT_CODE_DENIED,
		"there is no way to run sub-agents here: the line, which would hold them, does not "
		"hold commands",
		"Do it here, or report it in your summary.", NULL, NULL);
}

/* -- the scope of the call ------------------------------------------------------------ */

/* Malformed arguments are no refusal: no person could have been asked. */
static int
fail_scope(struct call *call, enum ambit_code code, const char *words)
{
	if (code == AMBIT_CODE_BAD_ARGUMENTS)
		return result_fail(call->result, code, words, hint_of(code), NULL, NULL);
	return result_deny(call->result, code, words, hint_of(code), NULL, NULL);
}

static int
read_scope(struct call *call, struct ambit_error *why)
{
	const char *text = call->options.scope, *key = NULL, *wrong = NULL;
	auto_json json_t *object = NULL;
	int r = json_parse(text, strlen(text), &object, why);

	if (r < 0)
		return r == -ENOMEM ? r : err_context(why, "scope");
	r = request_scope_read(object, &call->said, &key, &wrong);
	if (r == -EINVAL)
		err_set(why, EINVAL, "scope%s%.100s: %s", key ? "." : "", key ? key : "", wrong);
	return r;
}

/* Fixes the scope to the directory that its root names now. If a link takes that name later, the
 * call fails. */
static int
settle_scope(struct call *call)
{
	auto_free char *root = str_dup(ambit_scope_root(call->scope));
	auto_free char *display = str_dup(ambit_scope_display_root(call->scope));

	if (!root || !display)
		return -ENOMEM;
	if (call->said.enforce == REQUEST_ENFORCE_BY_ROOT && call->said.root)
		call->said.enforce = REQUEST_ENFORCE_ON;
	else if (call->said.enforce == REQUEST_ENFORCE_BY_ROOT)
		call->said.enforce = REQUEST_ENFORCE_OFF;
	free(call->said.root);
	free(call->said.display_root);
	call->said.root = steal_ptr(&root);
	call->said.display_root = steal_ptr(&display);
	call->said.settled = true;
	return 0;
}

/* Commands are held to a narrower scope by the line, or not at all. */
static bool
can_hold(const struct call *call)
{
	const struct ambit_registry *registry = call->registry;

	if (call->tool->own != &tool_bash || !call->scope)
		return true;
	return registry->agents.around && registry->executor &&
	       ambit_executor_backend(registry->executor) == AMBIT_BACKEND_KERNEL;
}

/* 1: it has its scope; 0: it has its result. */
static int
open_scope(struct call *call)
{
	struct ambit_error why = { 0 };
	int r;

	if (!call->options.scope)
		return 1;
	r = read_scope(call, &why);
	if (r < 0)
		return r == -ENOMEM ? r : fail_scope(call, AMBIT_CODE_BAD_ARGUMENTS, why.text);
	desk_lock(call->registry->desk);
	r = engine_child_scope(call->registry->engine, &call->said, &call->scope, &why);
	desk_unlock(call->registry->desk);
	if (r < 0)
		return r == -ENOMEM ? r : fail_scope(call, engine_scope_code(r), why.text);
	if (call->scope && settle_scope(call) < 0)
		return -ENOMEM;
	return can_hold(call) ? 1
			      : fail_scope(call, AMBIT_CODE_BASH_NOT_ALLOWED,
					"only the kernel line can hold a command to a scope of its "
					"own, and it does not hold commands here");
}

/* The schema is what models are told: a line for the shell. A list of words is for a caller
 * that says so, and each of them is checked like such a line. */
static int
check_schema(const struct call *call, struct ambit_error *why)
{
	const json_t *words = json_object_get(call->args, "command"), *word;
	auto_json json_t *as_line = NULL;
	size_t i;
	int r = 0;

	if (!call->options.words || call->tool->own != &tool_bash || !json_is_array(words))
		return schema_check(call->tool->schema, call->args, why);
	as_line = json_copy(call->args);
	if (!as_line || json_array_size(words) == 0)
		return as_line ? err_set(why, EINVAL, "'command' is an empty list") : -ENOMEM;
	json_array_foreach (words, i, word) {
		if (!json_is_string(word))
			return err_set(why, EINVAL, "'command' is not a list of words");
		if (i == 0)
			r = json_object_set(as_line, "command", (json_t *)word);
	}
	return r < 0 ? -ENOMEM : schema_check(call->tool->schema, as_line, why);
}

/* 1: it is a call that can be decided about; 0: it has its result. */
static int
check_call(struct call *call, const char *name)
{
	int r = check_object(call);

	if (r == -ENOMEM)
		return r;
	if (!call->tool)
		return fail_unknown(call->registry, name, call->result);
	if (r == 0)
		r = check_schema(call, &call->wrong);
	if (r == 0)
		r = check_own(call, &call->wrong);
	if (r < 0)
		return fail_arguments(call, &call->wrong);
	if (registry_hides(call->registry, call->tool))
		return call->tool->own == &tool_run_agent ? fail_no_agents(call)
							  : fail_no_bash(call);
	return open_scope(call);
}

static enum request_runner
runner_of(const struct call *call)
{
	const struct ambit_executor *executor = call->registry->executor;

	if (!call->tool->own)
		return RUNNER_OTHER;
	return executor && ambit_executor_backend(executor) == AMBIT_BACKEND_KERNEL ? RUNNER_LINE
										    : RUNNER_OWN;
}

static int
make_request(struct call *call, struct ambit_request **ret_request)
{
	const struct registry_tool *tool = call->tool;
	struct ambit_request *request = NULL;
	/* One that may stay behind (see registry-ask.c) shares nothing with this thread: counts of
	 * references are not for several. */
	auto_json json_t *args =
		call->options.before ? json_deep_copy(call->args) : json_incref(call->args);
	int r = args ? request_create(registry_tool_name(tool), tool->own ? NULL : &tool->row, args,
			       &request, NULL)
		     : -ENOMEM;

	if (r == 0 && call->options.cwd)
		r = ambit_request_set_cwd(request, call->options.cwd);
	if (r == 0)
		r = request_scope_copy(&call->said, &request->scope);
	if (r < 0) {
		ambit_request_destroy(request);
		return -ENOMEM;
	}
	request->origin = call->options.origin;
	request->again = call->quicker > 0;
	request_set_runner(request, runner_of(call));
	*ret_request = request;
	return 0;
}

/* 1: there is a permit. */
static int
decide_call(struct call *call, struct ambit_permit **ret_permit)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	struct ambit_error err = { 0 };
	int r = make_request(call, &request);

	if (r < 0)
		return r;
	r = registry_settle(call->registry, request, &call->options, &outcome, ret_permit,
		&call->result->question, &call->asked, &err);
	if (r == -ECANCELED) {
		call->result->cancelled = true;
		r = result_fail(call->result, AMBIT_CODE_DENIED,
			"the call was cancelled while it waited for an answer", NULL, NULL, NULL);
	} else if (r == -EINPROGRESS) {
		r = result_fail(call->result, AMBIT_CODE_DENIED, call->result->question->why,
			"The person is asked: call again with the answer.", NULL, NULL);
	} else if (r < 0 && r != -ENOMEM) {
		r = result_fail(call->result, AMBIT_CODE_INTERNAL,
			err.text[0] ? err.text : "it could not be decided", NULL, NULL, NULL);
	} else if (r == 0 && *ret_permit) {
		r = 1;
	} else if (r == 0 && outcome.verdict == AMBIT_ALLOW) {
		r = result_fail(call->result, AMBIT_CODE_INTERNAL,
			"there is no record of this session, so nothing is done", NULL, NULL, NULL);
	} else if (r == 0) {
		auto_free char *scope = folder_of(call);

		r = scope ? result_refuse(call->registry, call->result, &outcome,
				    registry_tool_name(call->tool), scope,
				    call->asked && !outcome.asked)
			  : -ENOMEM;
	}
	ambit_outcome_finish(&outcome);
	return r;
}

/* A harness' own tool may forget what it promised. That is no success, and what it did
 * nobody can tell. */
static int
check_kept(struct tool_run *run, int r, struct ambit_error *err)
{
	const char *name = run->tool->name;

	if (r < 0)
		return r;
	if (r > 0)
		err_set(err, EPROTO, "%s came back with %d, which is neither 0 nor an error", name,
			r);
	else if (run->tool->output && !run->structured)
		err_set(err, EPROTO, "%s has set no result, though it says that it has one", name);
	else if (run->text.len == 0 && !run->structured)
		err_set(err, EPROTO, "%s ended without a word", name);
	else
		return 0;
	free(run->hint);
	run->hint = strdup("It is the tool that is broken, and what it did is not known: look at "
			   "what is there before you go on, and say so in your summary.");
	return -EPROTO;
}

/* A model that makes two changes to a file in one breath means both. The one that came
 * second has changed nothing, and is decided anew, on what is there by now; if somebody
 * was asked about it, it is not, for what he saw is not what is there. */
static bool
may_retry_stale_call(struct call *call, const struct tool_run *run, int done)
{
	return done == -ESTALE && run->tool->whole && !run->outdated && !call->asked &&
	       !run_cancelled(run) && ++call->quicker <= QUICKER_MAX;
}

/* A harness' own tool gets text: the caller's, where there is one. */
static int
run_theirs(struct call *call, struct ambit_invocation *invocation, struct ambit_error *err)
{
	const struct ambit_tool *theirs = call->tool->theirs;
	auto_free char *text = call->len > 0 ? strndup(call->text, call->len)
					     : json_dumps(call->args, JSON_COMPACT);
	int r;

	if (!text)
		return err_nomem(err);
	invocation->args = text;
	r = theirs->run(invocation, theirs->data, err);
	invocation->args = NULL;
	return r;
}

/* 1: to be decided again. */
static int
run_tool(struct call *call, struct ambit_permit *permit)
{
	const struct registry_tool *tool = call->tool;
	struct ambit_registry *registry = call->registry;
	struct ambit_error err = { 0 };
	struct ambit_invocation invocation = {
		.run = {
			.registry = registry,
			.tool = tool->own ? tool->own : &tool->shape,
			.args = call->args,
			.cwd = call->options.cwd,
			.scope = call->scope,
			.permit = permit,
			.executor = registry->executor,
			.seen = registry->seen,
			.cancel = call->options.cancel,
			.options = &call->options,
			.untrusted = (tool->own ? tool->own : &tool->shape)->untrusted,
		},
	};
	struct tool_run *run = &invocation.run;

	if (call->options.before) {
		call->options.ask = call->options.ask_running;
		call->options.before = false;
	}

	int r = run_cancelled(run) ? err_set(&err, ECANCELED, "cancelled before it began")
		: tool->own	   ? tool->own->run(run, &err)
				   : run_theirs(call, &invocation, &err);
	int done = tool->own && r > 0 ? 0 : r;

	err.text[sizeof(err.text) - 1] = '\0';
	if (!tool->own)
		done = check_kept(run, done, &err);
	/* Cancelled: what it failed with is only how that looked. */
	if (done < 0 && run_cancelled(run)) {
		done = -ECANCELED;
		run->code = AMBIT_CODE_DENIED;
	}
	if (run->text.failed)
		done = -ENOMEM;
	desk_lock(registry->desk);
	ambit_permit_finish(permit, done, NULL);
	desk_unlock(registry->desk);
	r = may_retry_stale_call(call, run, done) ? 1 : result_take(call->result, run, done, &err);
	buf_finish(&run->text);
	json_decref(run->structured);
	free(run->source);
	free(run->hint);
	free(run->path);
	return r;
}

/* Its arguments are there, or what is wrong with them. */
static int
run_call(struct call *call, struct ambit_registry *registry, const char *tool,
	const struct ambit_call_options *options)
{
	struct ambit_permit *permit = NULL;
	int r;

	call->registry = registry;
	call->options = options ? *options : (struct ambit_call_options){ .cancel = -1 };
	call->tool = registry_find_tool(registry, tool);
	r = check_call(call, tool);
	if (r == 0)
		r = note_refusal(call, tool);
	while (r > 0) {
		r = decide_call(call, &permit);
		if (r > 0)
			r = run_tool(call, permit);
	}
	json_decref(call->args);
	request_scope_finish(&call->said);
	ambit_scope_destroy(call->scope);
	return r;
}

int
registry_call(struct ambit_registry *registry, const char *tool, json_t *args,
	const struct ambit_call_options *options, struct registry_result *ret_result)
{
	struct call call = { .result = ret_result, .args = json_incref(args) };

	*ret_result = (struct registry_result){ .failed = true };
	return run_call(&call, registry, tool ? tool : "", options);
}

int
ambit_registry_call(struct ambit_registry *registry, const char *tool, const char *args, size_t len,
	const struct ambit_call_options *options, struct ambit_result *ret_result)
{
	struct registry_result result = { .failed = true };
	struct call call = { .result = &result, .text = args, .len = args ? len : 0 };
	int r = parse_arguments(&call, args, len);

	if (r != -ENOMEM)
		r = run_call(&call, registry, tool ? tool : "", options);
	if (result_to_text(&result, ret_result) < 0)
		r = -ENOMEM;
	registry_result_finish(&result);
	return r;
}

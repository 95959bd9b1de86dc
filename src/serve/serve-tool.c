/* SPDX-License-Identifier: Apache-2.0 */
/* call and execute: a tool of the registry's, and what it said as JSON. A call that is
 * refused or fails is a result like any other; execute is a call of bash in the shape
 * of an executor. */

#include <stdlib.h>

#include "serve.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/registry/registry-call.h"

bool
tool_is_slow(const struct client *client, const json_t *params)
{
	struct ambit_tool_entry entry = { 0 };
	const char *tool = params_text(params, "tool");

	if (tool == NULL)
		return true; /* execute */
	return ambit_registry_find(client->serve->box.registry, tool, &entry) > 0 && entry.slow;
}

/* False: it has no result, and the job says why. */
static bool
do_call(struct job *job, const char *tool, json_t *args, const char *cwd,
	struct registry_result *ret_result)
{
	const json_t *scope = json_object_get(job->params, "scope");
	auto_free char *scope_text = scope != NULL ? json_dumps(scope, JSON_COMPACT) : NULL;
	const struct ambit_call_options options = {
		.cwd = cwd,
		.scope = scope_text,
		.words = job->work == tool_execute,
		.cancel = job->cancel,
		.origin = (uintptr_t)job->client,
		.waits = job_waits,
		.withdraw = job_withdraw,
		/* Without it the session's other approvers are asked, if there are any. */
		.ask = json_is_true(json_object_get(job->params, "ask")) ? job_ask : NULL,
		.approver = "serve",
		.data = job,
	};
	int r;

	*ret_result = (struct registry_result){ 0 };
	if (scope != NULL && scope_text == NULL)
		return false;
	r = registry_call(job->client->serve->box.registry, tool, args, &options, ret_result);
	job->cancelled = ret_result->cancelled;
	return r == 0 && ret_result->text != NULL && !job->cancelled;
}

void
tool_call(struct job *job)
{
	struct registry_result result;

	if (do_call(job, params_text(job->params, "tool"), json_object_get(job->params, "args"),
		    params_text(job->params, "cwd"), &result)) {
		const char *code =
			result.failed ? ambit_word_name(ambit_codes, (int)result.code) : NULL;

		job->result = json_pack("{s:b s:s s:o s:s*}", "ok", !result.failed, "text",
			result.text, "structured", steal_ptr(&result.structured), "error", code);
	}
	registry_result_finish(&result);
}

void
tool_execute(struct job *job)
{
	static const char *const fields[] = { "command", "stdin", "timeout", "cwd" };
	auto_json json_t *args = json_object();
	struct registry_result result = { 0 };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		json_t *value = json_object_get(job->params, fields[i]);

		if (args == NULL || (value != NULL && json_object_set(args, fields[i], value) < 0))
			return;
	}
	if (do_call(job, "bash", args, NULL, &result)) {
		job->result = steal_ptr(&result.structured);
		if (json_object_set_new(job->result, "ok", json_boolean(!result.failed)) < 0) {
			json_decref(job->result);
			job->result = NULL;
		}
	}
	registry_result_finish(&result);
}

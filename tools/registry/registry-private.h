/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REGISTRY_REGISTRY_PRIVATE_H
#define TOOLS_REGISTRY_REGISTRY_PRIVATE_H

#include <pthread.h>

#include "ask/desk/blocking.h"
#include "ask/desk/desk.h"
#include "request/tool-table.h"
#include "tools/registry/own-tool.h"
#include "tools/registry/registry-agents.h"
#include "tools/registry/registry-call.h"

/* Shared by registry.c (tools), registry-call.c (calls), registry-ask.c (who waits for an answer),
 * registry-result.c (what a call ends in), registry-label.c (what of that is not trusted) and
 * invocation.c (what a tool sees). */

struct registry_tool {
	const struct own_tool *own;	 /* or NULL */
	const struct ambit_tool *theirs; /* or NULL */
	struct own_tool shape;		 /* of one of theirs */
	struct tool row;		 /* likewise: what it is decided by */
	struct tool_arg *args;		 /* of the row; owned */
	json_t *schema;
};

struct ambit_registry {
	struct ambit_engine *engine;
	struct ambit_executor *executor;
	const char *no_bash;
	struct ambit_agents agents;
	struct registry_tool *tools;
	size_t n_tools;
	struct seen *seen;
	struct lookups *lookups;
	struct backgrounds *backgrounds;
	struct leftovers *leftovers; /* says where the tools may write; or NULL */

	struct desk *desk;		 /* where questions are put; its lock is the engine's */
	struct blocking *judge, *person; /* its channels; or NULL */
	struct parked *parked;		 /* see registry-ask.c; with parking */
	pthread_mutex_t parking;
};

/* A run, and what it looks like to a harness' own tool. */
struct ambit_invocation {
	struct tool_run run;
	const char *args;
};

/* -- registry.c ------------------------------------------------------------------------ */

const char *registry_tool_name(const struct registry_tool *tool);
const struct registry_tool *registry_find_tool(
	const struct ambit_registry *registry, const char *name);
/* A shell that there is no way to run is not offered. */
bool registry_hides(const struct ambit_registry *registry, const struct registry_tool *tool);

/* -- registry-ask.c ------------------------------------------------------------------ */

/* Submits the request, which it takes, and waits until it is settled. 0 with outcome
 * and perhaps permit; -ECANCELED; -EINPROGRESS with *ret_question (if not NULL);
 * -ENOMEM. *ret_asked: there was a question. */
int registry_settle(struct ambit_registry *registry, struct ambit_request *request,
	const struct ambit_call_options *options, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit, struct ambit_question **ret_question, bool *ret_asked,
	struct ambit_error *err);
/* Before desk_stop: no call whose client has the question waits at the desk any more. */
void registry_forget_parked(struct ambit_registry *registry);
/* Puts a question that is not this engine's, and takes it back: see run_ask, run_withdraw. */
int registry_put(struct ambit_registry *registry, const struct ambit_call_options *options,
	struct registry_crossing *crossing, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err);
void registry_withdraw(struct ambit_registry *registry, struct registry_crossing *crossing,
	uint64_t question, const char *how);

/* -- registry-result.c --------------------------------------------------------------- */

/* Each fills all of it; -ENOMEM. */
int result_fail(struct registry_result *result, enum ambit_code code, const char *message,
	const char *hint, const char *path, const char *scope);
/* The same for a refusal that nobody is asked about. */
int result_deny(struct registry_result *result, enum ambit_code code, const char *message,
	const char *hint, const char *path, const char *scope);
int result_refuse(struct ambit_registry *registry, struct registry_result *result,
	const struct ambit_outcome *outcome, const char *tool, const char *scope, bool nobody);
/* Moves all of it; -ENOMEM. */
int result_to_text(struct registry_result *result, struct ambit_result *ret_result);
/* How a person could have said yes, where there was none to ask, or none answered.
 * Caller frees; NULL without memory. */
char *result_how_to_grant(
	struct ambit_registry *registry, const struct ambit_outcome *outcome, const char *tool);
/* What the run said, or that it failed. */
int result_take(
	struct registry_result *result, struct tool_run *run, int r, const struct ambit_error *err);

/* -- registry-label.c ---------------------------------------------------------------- */

/* Marks what the run said, text and object. -ENOMEM. */
int registry_label(struct tool_run *run);
/* What a run that failed says of it, and what it had said before, marked. Caller frees;
 * NULL without memory. */
char *registry_label_failure(struct tool_run *run, const char *message);

#endif

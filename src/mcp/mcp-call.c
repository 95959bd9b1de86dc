/* SPDX-License-Identifier: Apache-2.0 */
/* tools/call: from the reader's thread into one of its own, and from what the tool
 * said into a result. A tool that fails or is refused has a result, with isError; an
 * error of the protocol's is only for what is no call at all. In the modern era a
 * question is a result too, and its answer comes with the next call. */

#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "mcp-job.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#define IN_FLIGHT_MAX (64u << 20) /* bytes of calls that wait */
#define PROGRESS_MS 100		  /* between two words about progress */
#define NAME_SHOWN 100		  /* bytes of a tool's name that is none */

void
call_destroy_job(struct job *job)
{
	if (job == NULL)
		return;
	registry_result_finish(&job->result);
	json_decref(job->answers);
	json_decref(job->form);
	json_decref(job->filled);
	free(job->tool);
	json_decref(job->args);
	json_decref(job->token);
	json_decref(job->id);
	pthread_mutex_destroy(&job->telling);
	pthread_mutex_destroy(&job->turn);
	free(job);
}

static bool
is_cancelled(const struct job *job)
{
	struct pollfd fd = { .fd = job->cancel, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* -- progress -------------------------------------------------------------------- */

static json_t *
copy_token(struct job *job)
{
	json_t *token;

	pthread_mutex_lock(&job->mcp->lock);
	token = job->token != NULL ? json_deep_copy(job->token) : NULL;
	pthread_mutex_unlock(&job->mcp->lock);
	return token;
}

/* It must increase, whatever the tool says; and after a cancel there is none. */
static void
send_progress(struct job *job, double done, double total, const char *message)
{
	json_t *params, *token = is_cancelled(job) ? NULL : copy_token(job);

	if (token == NULL)
		return;
	pthread_mutex_lock(&job->telling);
	job->progress = done > job->progress ? done : job->progress + 0.001;
	job->told = clock_steady();
	params = json_pack("{s:o s:f}", "progressToken", token, "progress", job->progress);
	if (params != NULL && total > 0)
		json_object_set_new(params, "total", json_real(total));
	if (params != NULL && message != NULL)
		json_set_text(params, "message", message);
	if (params != NULL)
		rpc_notify(&job->mcp->out, "notifications/progress", params);
	pthread_mutex_unlock(&job->telling);
}

static void
report_progress(void *data, double done, double total, const char *message)
{
	struct job *job = data;
	bool early;

	pthread_mutex_lock(&job->telling);
	early = clock_steady() - job->told < PROGRESS_MS;
	pthread_mutex_unlock(&job->telling);
	if (!early)
		send_progress(job, done, total, message);
}

static void
report_waiting(void *data)
{
	send_progress(data, 0, 0, "waiting for an answer to ambit's question");
}

/* -- questions ------------------------------------------------------------------- */

static int
ask_call_question(void *data, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct job *job = data;
	const struct asker asker = {
		.mcp = job->mcp,
		.era = &job->era,
		.cancel = job->cancel,
		.waiting = report_waiting,
		.data = job,
	};

	return job->era.modern ? modern_ask(job, question, ret_answer, err)
			       : ask_client(&asker, question, ret_answer, err);
}

static int
ask_after_call(void *after, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	struct mcp *mcp = after;
	const struct asker asker = { .mcp = mcp, .era = &mcp->legacy, .cancel = -1, .data = mcp };

	return ask_client(&asker, question, ret_answer, err);
}

static void
withdraw_after_call(void *after, uint64_t question, const char *how)
{
	ask_withdraw(after, after, question, how);
}

/* No call waits for another's question. */
static void
set_call_waiting(void *data, bool begins)
{
	struct job *job = data;

	if (begins)
		calls_rest(job->mcp->calls);
	else
		calls_go_on(job->mcp->calls);
}

static void
withdraw_call_question(void *data, uint64_t question, const char *how)
{
	struct job *job = data;

	ask_withdraw(job->mcp, job, question, how);
}

/* -- in its thread --------------------------------------------------------------- */

static void
run_tool_call(void *data, int cancel)
{
	struct job *job = data;
	struct ambit_call_options options = {
		.cancel = cancel,
		/* Without it, the session's other approvers are asked, if there are any. */
		.ask = job->era.elicits ? ask_call_question : NULL,
		.before = job->era.modern,
		.ask_running = job->era.elicits ? resume_ask : NULL,
		/* A request of ours needs no call of the client's. */
		.ask_after = job->era.elicits && !job->era.modern ? ask_after_call : NULL,
		.withdraw_after = withdraw_after_call,
		.after = job->mcp,
		.waits = set_call_waiting,
		.withdraw = withdraw_call_question,
		.approver = "mcp",
		.progress = report_progress,
		.data = job,
	};

	job->cancel = cancel;
	if (job->wants_roots || (!job->era.modern && job->era.roots && job->changes &&
					!roots_wait(job->mcp, cancel))) {
		job->cancelled = is_cancelled(job);
		return;
	}
	job->failed = registry_call(job->mcp->box.registry, job->tool, job->args, &options,
			      &job->result) < 0;
	job->cancelled = is_cancelled(job) || job->result.cancelled;
}

json_t *
call_result_json(struct job *job)
{
	struct registry_result *result = &job->result;
	json_t *structured, *object;

	if (job->failed || result->text == NULL)
		return NULL;
	structured = steal_ptr(&result->structured);
	if (!result->failed && structured != NULL && !list_carries_text(structured))
		json_object_set_new(structured, "text", json_string(result->text));
	object = json_pack("{s:[{s:s s:s}] s:o* s:b}", "content", "type", "text", "text",
		result->text, "structuredContent", structured, "isError", result->failed);
	return job->era.modern ? list_modern(object, "complete") : object;
}

static void
finish_tool_call(void *data, bool ran)
{
	struct job *job = data;
	struct mcp *mcp = job->mcp;
	bool kept;

	job->cancelled = job->cancelled || !ran;
	pthread_mutex_lock(&mcp->lock);
	mcp->in_flight -= job->size;
	kept = resume_keep(job);
	pthread_mutex_unlock(&mcp->lock);
	if (kept)
		return;
	job->cancelled = job->cancelled || job->id == NULL;
	if (!job->cancelled && job->wants_roots)
		rpc_result(&mcp->out, job->id, modern_roots(job));
	else if (!job->cancelled && job->result.question != NULL)
		rpc_result(&mcp->out, job->id, modern_question(job));
	else if (!job->cancelled)
		rpc_result(&mcp->out, job->id, call_result_json(job));
	call_destroy_job(job);
}

/* -- in the reader's thread ------------------------------------------------------ */

/* Out of the message, so that no other thread counts references to them. NULL without memory. */
static json_t *
take_arguments(json_t *params)
{
	json_t *args = json_object_get(params, "arguments");

	if (args == NULL)
		return json_object();
	json_incref(args);
	json_object_del(params, "arguments");
	return args;
}

static int
job_create(struct mcp *mcp, const struct rpc_message *message, const struct era *era,
	const struct ambit_tool_entry *entry, struct job **ret_job)
{
	struct job *job = calloc(1, sizeof(*job));
	json_t *token;

	if (job == NULL)
		return -ENOMEM;
	pthread_mutex_init(&job->telling, NULL);
	pthread_mutex_init(&job->turn, NULL);
	job->mcp = mcp;
	/* Copies: the message is the reader's. */
	job->id = json_deep_copy(message->id);
	job->era = *era;
	job->cancel = -1;
	job->changes = entry->effects == 0 ||
		       (entry->effects & (AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE)) != 0;
	job->tool = str_dup(json_string_value(json_object_get(message->params, "name")));
	token = json_object_get(json_object_get(message->params, "_meta"), "progressToken");
	if (json_is_string(token) || json_is_integer(token))
		job->token = json_deep_copy(token);
	job->args = take_arguments(message->params);
	if (job->args == NULL || job->tool == NULL || job->id == NULL ||
		(era->modern && modern_take(job, message->params, job->args) < 0)) {
		call_destroy_job(job);
		return -ENOMEM;
	}
	job->size = sizeof(*job) + json_weight(job->args) + json_weight(job->id) +
		    json_weight(job->token) + json_weight(job->answers);
	*ret_job = job;
	return 0;
}

static const char *
tool_name_at(const void *data, size_t i)
{
	struct ambit_tool_entry entry;

	return ambit_registry_at(data, i, &entry) > 0 ? entry.name : NULL;
}

static int
report_unknown_tool(const struct mcp *mcp, const char *tool, struct ambit_error *err)
{
	auto_free char *shown = str_escape(tool, str_cut(tool, strlen(tool), NAME_SHOWN));
	const char *near = str_nearest(tool, tool_name_at, mcp->box.registry);
	const char *name = shown != NULL ? shown : "?";

	if (near == NULL)
		return err_set(err, EINVAL, "Unknown tool '%s': see tools/list", name);
	return err_set(err, EINVAL, "Unknown tool '%s': did you mean '%s'?", name, near);
}

/* -EINVAL with words: it is no call at all. */
static int
check_call_params(struct mcp *mcp, const json_t *params, struct ambit_tool_entry *ret_entry,
	struct ambit_error *err)
{
	const json_t *name = json_object_get(params, "name");
	const json_t *args = json_object_get(params, "arguments");
	const char *tool = json_string_value(name);

	*ret_entry = (struct ambit_tool_entry){ .slow = true };
	if (tool == NULL || strlen(tool) != json_string_length(name))
		return err_set(err, EINVAL, "'name' is not a plain string");
	if (args != NULL && !json_is_object(args))
		return err_set(err, EINVAL, "'arguments' is not an object");
	/* Where there is no bash, the call itself is told why. */
	if (ambit_registry_find(mcp->box.registry, tool, ret_entry) <= 0 && !streq(tool, "bash"))
		return report_unknown_tool(mcp, tool, err);
	return 0;
}

static bool
has_room(struct mcp *mcp, size_t size)
{
	bool room;

	pthread_mutex_lock(&mcp->lock);
	room = mcp->in_flight == 0 || mcp->in_flight + size <= IN_FLIGHT_MAX;
	if (room)
		mcp->in_flight += size;
	pthread_mutex_unlock(&mcp->lock);
	return room;
}

static void
not_started(struct mcp *mcp, const json_t *id, int r)
{
	rpc_error(&mcp->out, id, RPC_INTERNAL,
		r == -EAGAIN ? "too many calls at once: try again" : "out of memory", NULL);
}

bool
call_uses(struct mcp *mcp, const json_t *id)
{
	auto_free char *key = id != NULL ? rpc_id_key(id) : NULL;

	return key != NULL && calls_has(mcp->calls, key);
}

void
call_start(struct mcp *mcp, struct rpc_message *message, const struct era *era)
{
	auto_free char *key = rpc_id_key(message->id);
	struct ambit_tool_entry entry;
	struct job *job = NULL;
	struct ambit_error wrong = { 0 };
	int r;

	if (check_call_params(mcp, message->params, &entry, &wrong) < 0) {
		rpc_error(&mcp->out, message->id, RPC_INVALID_PARAMS, wrong.text, NULL);
		return;
	}
	/* One that did not wait to say that it is ready. */
	if (!era->modern && mcp->roots.asked == 0)
		roots_ask(mcp);
	r = key != NULL ? job_create(mcp, message, era, &entry, &job) : -ENOMEM;
	if (r == 0 && job->resumes != 0) {
		resume_call(mcp, job);
	} else if (r == 0 && !has_room(mcp, job->size)) {
		call_destroy_job(job);
		r = -EAGAIN;
	} else if (r == 0) {
		r = calls_start(mcp->calls, key, entry.slow, run_tool_call, finish_tool_call, job);
		if (r < 0) {
			pthread_mutex_lock(&mcp->lock);
			mcp->in_flight -= job->size;
			pthread_mutex_unlock(&mcp->lock);
			call_destroy_job(job);
		}
	}
	if (r < 0)
		not_started(mcp, message->id, r);
}

void
call_cancel(struct mcp *mcp, const json_t *id)
{
	auto_free char *key = json_is_string(id) || json_is_integer(id) ? rpc_id_key(id) : NULL;

	if (key != NULL)
		calls_cancel(mcp->calls, key);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One client: lines into requests, by one table of methods, and an orderly end. The
 * client is somebody else's program: every line gets the reply that JSON-RPC has for
 * it, and the next is read. When its input ends, what it asked for is finished as long
 * as it still listens; when it is gone, its calls end, and with them their processes. */

#include <poll.h>
#include <stdlib.h>

#include "serve.h"

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* Quick calls run in the order they came: a harness may send an edit and a read of the
 * same file at once. Slow ones wait for processes and hosts, side by side. */
#define QUICK 1
#define SLOW 16
#define QUEUE 4096
#define LOOK_MS 100 /* between two looks whether the client still listens */

/* -- methods ------------------------------------------------------------------------- */

struct method {
	const char *name;
	const struct param *params;
	void (*work)(struct job *job); /* in a thread; or */
	void (*here)(struct client *client, const struct rpc_message *message);
	bool runs_tool;
};

/* A notification, as a rule: whoever sends it does not wait. */
static void
handle_cancel(struct client *client, const struct rpc_message *message)
{
	bool by_id = json_object_get(message->params, "id") != NULL;
	bool by_handle = json_object_get(message->params, "pending") != NULL;
	bool found = by_id != by_handle && job_cancel(client, message->params);

	if (message->kind != RPC_REQUEST)
		return;
	if (by_id == by_handle)
		rpc_error(&client->out, message->id, RPC_INVALID_PARAMS,
			"cancel: either 'id' or 'pending'", NULL);
	else
		rpc_result(&client->out, message->id, json_pack("{s:b}", "cancelled", found));
}

/* clang-format off */
static const struct method methods[] = {
	{
		.name = "session",
		.params = (const struct param[]){ { "schemas", PARAM_BOOL, false }, { 0 } },
		.work = tell_session,
	},
	{
		.name = "decide",
		.params = (const struct param[]){
			{ "tool", PARAM_TEXT, true },
			{ "args", PARAM_OBJECT, false },
			{ "cwd", PARAM_TEXT, false },
			{ "effects", PARAM_LIST, false },
			{ "scope", PARAM_OBJECT, false },
			{ "mode", PARAM_TEXT, false },
			{ 0 },
		},
		.work = tell_decision,
	},
	{
		.name = "call",
		.params = (const struct param[]){
			{ "tool", PARAM_TEXT, true },
			{ "args", PARAM_OBJECT, false },
			{ "cwd", PARAM_TEXT, false },
			{ "scope", PARAM_OBJECT, false },
			{ "ask", PARAM_BOOL, false },
			{ 0 },
		},
		.work = tool_call,
		.runs_tool = true,
	},
	{
		.name = "execute",
		.params = (const struct param[]){
			{ "command", PARAM_COMMAND, true },
			{ "stdin", PARAM_BYTES, false },
			{ "timeout", PARAM_NUMBER, false },
			{ "cwd", PARAM_TEXT, false },
			{ "scope", PARAM_OBJECT, false },
			{ "ask", PARAM_BOOL, false },
			{ 0 },
		},
		.work = tool_execute,
		.runs_tool = true,
	},
	{
		.name = "answer",
		.params = (const struct param[]){
			{ "pending", PARAM_TEXT, true },
			{ "answer", PARAM_TEXT, true },
			{ "path", PARAM_TEXT, false },
			{ "message", PARAM_TEXT, false },
			{ 0 },
		},
		.here = job_answer,
	},
	{
		.name = "cancel",
		.params = (const struct param[]){
			{ "id", PARAM_ID, false },
			{ "pending", PARAM_TEXT, false },
			{ 0 },
		},
		.here = handle_cancel,
	},
	{
		.name = "label",
		.params = (const struct param[]){
			{ "source", PARAM_TEXT, true },
			{ "content", PARAM_BYTES, true },
			{ 0 },
		},
		.work = tell_label,
	},
	{
		.name = "log",
		.params = (const struct param[]){
			{ "last", PARAM_NUMBER, false },
			{ "kind", PARAM_TEXT, false },
			{ "tool", PARAM_TEXT, false },
			{ "verdict", PARAM_TEXT, false },
			{ "code", PARAM_TEXT, false },
			{ "since", PARAM_NUMBER, false },
			{ "verify", PARAM_BOOL, false },
			{ "export", PARAM_BOOL, false },
			{ "after", PARAM_NUMBER, false },
			{ 0 },
		},
		.work = log_tell,
	},
};
/* clang-format on */

static const struct method *
find_method(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (streq(methods[i].name, name))
			return &methods[i];
	return NULL;
}

/* -- lines --------------------------------------------------------------------------- */

static void
serve_request(struct client *client, struct rpc_message *message)
{
	const struct method *method = find_method(message->method);
	struct ambit_error err = { 0 };
	char field[64];

	/* Under an id that is in use the reply would be taken for the other's. */
	if (job_uses(client, message->id))
		rpc_error(&client->out, NULL, RPC_INVALID_REQUEST,
			"a second request with the id of one that runs: it was not looked at",
			json_pack("{s:O}", "id", message->id));
	else if (method == NULL)
		rpc_error(&client->out, message->id, RPC_NO_METHOD,
			"there is no such method: one of session, decide, call, execute, answer, "
			"cancel, label, log",
			NULL);
	else if (params_check(method->name, method->params, message->params, field, &err) < 0)
		rpc_error(&client->out, message->id, RPC_INVALID_PARAMS, err.text,
			json_pack("{s:s}", "field", field));
	else if (method->here != NULL)
		method->here(client, message);
	else
		job_start(client, message,
			method->runs_tool && tool_is_slow(client, message->params), method->work);
}

/* Nobody would hear what came of any other. */
static void
serve_notification(struct client *client, const struct rpc_message *message)
{
	const struct method *method = find_method(message->method);
	char field[64];

	if (method != NULL && method->here == handle_cancel &&
		params_check(method->name, method->params, message->params, field, NULL) == 0)
		handle_cancel(client, message);
}

static void
take_line(struct client *client)
{
	const struct buf *line = &client->lines.line;
	struct rpc_message message;

	/* A line with nothing on it is somebody at a keyboard. */
	if (line->len == strspn(line->data, " \t\r"))
		return;
	rpc_parse(line->data, line->len, &message);
	switch (message.kind) {
	case RPC_REQUEST:
		serve_request(client, &message);
		break;
	case RPC_NOTIFICATION:
		serve_notification(client, &message);
		break;
	case RPC_RESPONSE: /* nothing is asked of clients */
		break;
	case RPC_BAD:
		if (message.id != NULL && job_uses(client, message.id))
			message.id = NULL;
		rpc_error(&client->out, message.id, message.code, message.why, NULL);
	}
	rpc_message_finish(&message);
}

/* -- from the first to the last ------------------------------------------------------ */

int
client_init(struct client *client, struct serve *serve, int in, int out, struct ambit_error *err)
{
	int r;

	*client = (struct client){ .serve = serve, .lines = { .fd = -1 }, .out = { .wake = -1 } };
	pthread_mutex_init(&client->lock, NULL);
	r = rpc_out_init(&client->out, out);
	if (r < 0)
		return err_sys(err, -r, "cannot serve");
	r = lines_init(&client->lines, in, SERVE_LINE_MAX, err);
	if (r < 0)
		return r;
	client->lines.stop = serve->stop;
	client->calls = calls_create(QUICK, SLOW, QUEUE);
	return client->calls != NULL ? 0 : err_nomem(err);
}

void
client_finish(struct client *client)
{
	calls_destroy(client->calls);
	job_forget_all(client);
	lines_finish(&client->lines);
	rpc_out_finish(&client->out);
	pthread_mutex_destroy(&client->lock);
}

/* The other end is closed, not only for writing. */
static bool
is_gone(const struct client *client)
{
	struct pollfd fd = { .fd = client->out.fd };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLHUP | POLLNVAL));
}

static bool
is_stopped(const struct client *client)
{
	struct pollfd fd = { .fd = client->serve->stop, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Whoever gave us the descriptor may have made it non-blocking. */
static void
wait_for_input(const struct client *client)
{
	struct pollfd fds[] = {
		{ .fd = client->lines.fd, .events = POLLIN },
		{ .fd = client->serve->stop, .events = POLLIN },
	};

	poll(fds, 2, -1);
}

static int
read_lines(struct client *client, struct ambit_error *err)
{
	while (!is_gone(client)) {
		int r = lines_next(&client->lines, err);

		if (r == 1)
			take_line(client);
		else if (r == -EMSGSIZE)
			rpc_error(&client->out, NULL, RPC_INVALID_REQUEST,
				"a message of more than 8 MiB: it was not read", NULL);
		else if (r == -EAGAIN)
			wait_for_input(client);
		else
			return r == -ECANCELED ? 0 : r;
	}
	return 0;
}

int
client_serve(struct client *client, struct ambit_error *err)
{
	int r = read_lines(client, err);

	job_no_answers(client);
	while (!calls_wait(client->calls, LOOK_MS)) {
		bool gone = is_gone(client);

		if (!gone && !is_stopped(client))
			continue;
		if (gone)
			rpc_out_break(&client->out);
		break;
	}
	/* What has not ended by now is told to. */
	calls_destroy(client->calls);
	client->calls = NULL;
	ambit_registry_end_commands(client->serve->box.registry, (uintptr_t)client);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a client's into what it asks for, and the reply. Every request has one,
 * whatever is wrong with it. Nothing that is asked for here widens what the record says:
 * modes and rules are stored there first, by the one who asks. */

#include <string.h>
#include <unistd.h>

#include <ambit/ambit.h>

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "live/live-private.h"
#include "live/live.h"

struct asked {
	struct guest *guest;
	struct live *live;
	const struct rpc_message *message;
};

static json_t *
id_of(const struct rpc_message *message)
{
	return message && message->id ? json_incref(message->id) : json_null();
}

static void
send_error(struct guest *guest, const struct rpc_message *message, int code, const char *why)
{
	/* Words may hold a name that is no UTF-8. */
	auto_json json_t *error = json_pack("{s:i}", "code", code);

	if (error && json_set_text(error, "message", why) == 0)
		guest_say(guest, json_pack("{s:s s:o s:O}", "jsonrpc", "2.0", "id", id_of(message),
					 "error", error));
	else
		guest_say(guest, NULL);
}

void
method_refuse(struct guest *guest, int code, const char *why)
{
	send_error(guest, NULL, code, why);
}

/* Takes the result. */
static void
send_result(const struct asked *asked, json_t *result)
{
	if (!result) {
		send_error(asked->guest, asked->message, RPC_INTERNAL, "out of memory");
		return;
	}
	guest_say(asked->guest, json_pack("{s:s s:o s:o}", "jsonrpc", "2.0", "id",
					id_of(asked->message), "result", result));
}

/* -- methods ----------------------------------------------------------------------------- */

static json_t *
hello_json(struct live *live)
{
	const char *root = ambit_scope_root(ambit_engine_scope(live->o.engine));
	auto_json json_t *object = json_pack("{s:s s:i s:s s:s s:I s:s s:i s:b}", "session",
		ambit_engine_session(live->o.engine), "pid", (int)getpid(), "door", live->o.door,
		"what", live->what, "started", (json_int_t)live->started, "version", AMBIT_VERSION,
		"watchers", (int)atomic_load(&live->watchers), "asks", live->o.asks);

	if (!object || json_set_text(object, "folder", root) < 0)
		return NULL;
	return steal_ptr(&object);
}

static void
reply_hello(const struct asked *asked)
{
	json_t *object;

	live_lock(asked->live);
	object = hello_json(asked->live);
	live_unlock(asked->live);
	send_result(asked, object);
}

static json_t *
status_json(struct live *live)
{
	auto_json json_t *object = hello_json(live);
	auto_free char *text = live->o.status ? live->o.status(live->o.data) : NULL;
	json_t *own = NULL;

	if (!object || describe(live->o.engine, object) < 0)
		return NULL;
	if (text && json_parse(text, strlen(text), &own, NULL) == 0 && json_is_object(own))
		json_object_update_missing(object, own);
	json_decref(own);
	return steal_ptr(&object);
}

static void
reply_status(const struct asked *asked)
{
	json_t *object;

	live_lock(asked->live);
	object = status_json(asked->live);
	live_unlock(asked->live);
	send_result(asked, object);
}

/* The reply says how many are open; they follow as notifications, like those to come. */
static void
start_watching(const struct asked *asked)
{
	struct live *live = asked->live;
	bool first = !asked->guest->watches;
	json_int_t n = 0;

	/* Others first: what is new to all is not to be told to this one twice. */
	told_update(live);
	for (const struct told *told = live->told; told; told = told->next)
		n++;
	send_result(asked, json_pack("{s:I s:b}", "open", n, "asks", live->o.asks));
	if (!first)
		return;
	asked->guest->watches = true;
	atomic_fetch_add(&live->watchers, 1);
	live->changed = true;
	told_all(asked->guest);
}

static void
answer_told_question(const struct asked *asked)
{
	auto_json json_t *given = json_copy(asked->message->params);
	const json_t *id = json_object_get(given, "id");
	struct ambit_error err = { 0 };
	json_int_t number = json_integer_value(id);
	int r;

	if (!json_is_integer(id) || number <= 0) {
		send_error(asked->guest, asked->message, RPC_INVALID_PARAMS,
			"'id' is to be the number of a question");
		return;
	}
	if (!asked->live->o.asks) {
		send_error(asked->guest, asked->message, LIVE_NO_QUESTION,
			"this session was told who answers; nobody else does");
		return;
	}
	json_object_del(given, "id");
	r = told_answer(asked->live, (uint64_t)number, given, &err);
	if (r == 0)
		send_result(asked, json_object());
	else
		send_error(asked->guest, asked->message,
			r == -ENOENT   ? LIVE_NO_QUESTION
			: r == -EINVAL ? RPC_INVALID_PARAMS
				       : LIVE_FAILED,
			err.text);
}

static void
reload_engine(const struct asked *asked)
{
	struct live *live = asked->live;
	struct ambit_error err = { 0 };
	int r;

	r = live->o.desk ? desk_reload(live->o.desk, &err)
			 : engine_reload_record(live->o.engine, &err);
	if (r < 0)
		send_error(asked->guest, asked->message, LIVE_FAILED, err.text);
	else
		send_result(asked, json_object());
}

static void
stop_session(const struct asked *asked)
{
	if (!asked->live->o.stop) {
		send_error(
			asked->guest, asked->message, LIVE_FAILED, "it cannot be ended from here");
		return;
	}
	send_result(asked, json_object());
	asked->live->o.stop(asked->live->o.data);
}

static const struct method {
	const char *name;
	bool params; /* takes any */
	void (*run)(const struct asked *asked);
} methods[] = {
	{ "hello", false, reply_hello },
	{ "status", false, reply_status },
	{ "watch", false, start_watching },
	{ "answer", true, answer_told_question },
	{ "reload", false, reload_engine },
	{ "stop", false, stop_session },
};

static const struct method *
find_method(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (streq(methods[i].name, name))
			return &methods[i];
	return NULL;
}

static void
serve_method(struct guest *guest, const struct rpc_message *message)
{
	const struct method *method = find_method(message->method);
	const struct asked asked = { guest, guest->live, message };

	if (!method)
		send_error(guest, message, RPC_NO_METHOD,
			"one of hello, status, watch, answer, reload, stop");
	else if (!method->params && json_object_size(message->params) > 0)
		send_error(guest, message, RPC_INVALID_PARAMS, "this takes no params");
	else
		method->run(&asked);
}

void
method_line(struct guest *guest, const char *text, size_t len)
{
	struct rpc_message message;

	if (len == 0)
		return;
	rpc_parse(text, len, &message);
	if (message.kind == RPC_BAD)
		send_error(guest, &message, message.code, message.why);
	else if (message.kind == RPC_REQUEST)
		serve_method(guest, &message);
	/* Nothing is asked of clients, and they have nothing to notify of. */
	rpc_message_finish(&message);
}

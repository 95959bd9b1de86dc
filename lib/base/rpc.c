/* SPDX-License-Identifier: Apache-2.0 */
/* Lines into messages and messages into lines. What comes in was written by
 * somebody else's program: each field is looked at before it is believed, and what
 * is wrong is told with the code that JSON-RPC has for it. */

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/rpc.h"
#include "base/str.h"

/* Whatever walks through a message recurses, in threads with small stacks too. */
#define DEPTH_MAX 200
/* A pipe that can be written to takes this much without blocking. */
#define PIPE_CHUNK 4096
#define LAST_MS 2000

/* -- in -------------------------------------------------------------------------- */

static bool
too_deep(const char *text, size_t len)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']') && depth > 0)
			depth--;
		if (depth > DEPTH_MAX)
			return true;
	}
	return false;
}

__attribute__((format(printf, 3, 4))) static void
bad(struct rpc_message *message, int code, const char *fmt, ...)
{
	va_list args;

	message->kind = RPC_BAD;
	message->code = code;
	va_start(args, fmt);
	vsnprintf(message->why, sizeof(message->why), fmt, args);
	va_end(args);
}

/* A string that C reads as the same string. */
static const char *
get_plain_string(const json_t *value)
{
	const char *text = json_string_value(value);

	return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

static void
take_call(struct rpc_message *message, const json_t *method)
{
	message->method = get_plain_string(method);
	message->params = json_object_get(message->whole, "params");
	if (message->method == NULL)
		bad(message, RPC_INVALID_REQUEST, "'method' is not a plain string");
	else if (json_object_get(message->whole, "result") != NULL ||
		 json_object_get(message->whole, "error") != NULL)
		bad(message, RPC_INVALID_REQUEST, "a request and a response in one");
	else if (message->id != NULL && message->params != NULL &&
		 !json_is_object(message->params)) /* nobody waits for what a notification lacks */
		bad(message, RPC_INVALID_PARAMS, "'params' is not an object");
	else
		message->kind = message->id != NULL ? RPC_REQUEST : RPC_NOTIFICATION;
	if (!json_is_object(message->params))
		message->params = NULL;
}

static void
take_fields(struct rpc_message *message)
{
	json_t *id = json_object_get(message->whole, "id");
	const json_t *method = json_object_get(message->whole, "method");
	const char *version = get_plain_string(json_object_get(message->whole, "jsonrpc"));

	if (json_is_string(id) || json_is_integer(id))
		message->id = id;
	message->result = json_object_get(message->whole, "result");
	message->error = json_object_get(message->whole, "error");
	/* One that says it is an answer is never answered: two programs that do
	 * not understand each other would go on for ever. */
	if (method == NULL && (message->result != NULL || message->error != NULL)) {
		message->kind = RPC_RESPONSE;
		return;
	}
	if (version == NULL || !streq(version, "2.0"))
		bad(message, RPC_INVALID_REQUEST, "'jsonrpc' is not \"2.0\"");
	else if (id != NULL && message->id == NULL)
		bad(message, RPC_INVALID_REQUEST, "'id' is neither a string nor an integer");
	else if (method == NULL)
		bad(message, RPC_INVALID_REQUEST, "there is no 'method'");
	else
		take_call(message, method);
}

void
rpc_parse(const char *text, size_t len, struct rpc_message *ret_message)
{
	struct ambit_error err = { 0 };

	*ret_message = (struct rpc_message){ 0 };
	if (too_deep(text, len)) {
		bad(ret_message, RPC_PARSE_ERROR, "nested deeper than %d", DEPTH_MAX);
		return;
	}
	if (json_parse(text, len, &ret_message->whole, &err) < 0)
		bad(ret_message, RPC_PARSE_ERROR, "not JSON: %.200s", err.text);
	else if (json_is_array(ret_message->whole))
		bad(ret_message, RPC_INVALID_REQUEST, "a batch: send one message a line");
	else if (!json_is_object(ret_message->whole))
		bad(ret_message, RPC_INVALID_REQUEST, "not an object");
	else
		take_fields(ret_message);
}

void
rpc_message_finish(struct rpc_message *message)
{
	json_decref(message->whole);
	*message = (struct rpc_message){ 0 };
}

char *
rpc_id_key(const json_t *id)
{
	/* As JSON, since a string may have a NUL in it. */
	auto_free char *text = json_dumps(id, JSON_ENCODE_ANY | JSON_COMPACT);

	return text != NULL ? str_printf("%c:%s", json_is_string(id) ? 's' : 'i', text) : NULL;
}

/* -- out ------------------------------------------------------------------------- */

int
rpc_out_init(struct rpc_out *out, int fd)
{
	*out = (struct rpc_out){
		.fd = fd,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.in = -1,
	};
	if (out->wake < 0)
		return -errno;
	pthread_mutex_init(&out->lock, NULL);
	return 0;
}

void
rpc_out_finish(struct rpc_out *out)
{
	if (out->wake < 0)
		return;
	pthread_mutex_destroy(&out->lock);
	fd_close_at(&out->wake);
	out->wake = -1;
}

void
rpc_out_break(struct rpc_out *out)
{
	const uint64_t one = 1;
	ssize_t n = write(out->wake, &one, sizeof(one));

	(void)n; /* full: it is readable already */
}

bool
rpc_out_is_broken(struct rpc_out *out)
{
	bool broken;

	pthread_mutex_lock(&out->lock);
	broken = out->broken;
	pthread_mutex_unlock(&out->lock);
	return broken;
}

/* Some of it, without ever blocking in the write itself: whoever does not read
 * must not keep a thread from being ended. The descriptor may be shared with other
 * programs, so it is not made non-blocking. */
static ssize_t
write_some(const struct rpc_out *out, const char *data, size_t len)
{
	ssize_t n = send(out->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK)
		n = write(out->fd, data, len < PIPE_CHUNK ? len : PIPE_CHUNK);
	return n;
}

static int
write_line(struct rpc_out *out, const char *data, size_t len)
{
	struct pollfd fds[] = {
		{ .fd = out->wake, .events = POLLIN }, { .fd = out->fd, .events = POLLOUT },
		{ .fd = out->in }, /* hangs up */
	};

	while (len > 0) {
		ssize_t n = poll(fds, 3, fds[2].fd < 0 && out->in >= 0 ? LAST_MS : -1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0 || fds[0].revents != 0)
			return -EPIPE;
		if (fds[2].revents != 0)
			fds[2].fd = -1;
		if (fds[1].revents == 0)
			continue;
		n = write_some(out, data, len);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Takes the message, which is NULL if there was no memory for it. */
static int
send_rpc_message(struct rpc_out *out, json_t *message)
{
	auto_json json_t *taken = message;
	size_t len = taken != NULL ? json_dumpb(taken, NULL, 0, JSON_COMPACT) : 0;
	auto_free char *line = len > 0 ? malloc(len + 1) : NULL;
	int r;

	if (line == NULL || json_dumpb(taken, line, len, JSON_COMPACT) != len)
		return -ENOMEM;
	line[len] = '\n';
	pthread_mutex_lock(&out->lock);
	r = out->broken ? -EPIPE : write_line(out, line, len + 1);
	/* A line that is there by half cannot be taken back. */
	out->broken = r < 0;
	pthread_mutex_unlock(&out->lock);
	return r < 0 ? -EPIPE : 0;
}

static json_t *
id_json(const json_t *id)
{
	return id != NULL ? json_incref((json_t *)id) : json_null();
}

int
rpc_error(struct rpc_out *out, const json_t *id, int code, const char *message, json_t *data)
{
	json_t *error = json_pack("{s:i s:s s:o*}", "code", code, "message", message, "data", data);

	return send_rpc_message(out,
		json_pack("{s:s s:o s:o}", "jsonrpc", "2.0", "id", id_json(id), "error", error));
}

int
rpc_result(struct rpc_out *out, const json_t *id, json_t *result)
{
	int r;

	if (result == NULL)
		return rpc_error(out, id, RPC_INTERNAL, "out of memory", NULL);
	r = send_rpc_message(out,
		json_pack("{s:s s:o s:o}", "jsonrpc", "2.0", "id", id_json(id), "result", result));
	/* The one who asked is waiting. */
	return r == -ENOMEM ? rpc_error(out, id, RPC_INTERNAL, "out of memory", NULL) : r;
}

int
rpc_notify(struct rpc_out *out, const char *method, json_t *params)
{
	return send_rpc_message(out,
		json_pack("{s:s s:s s:o*}", "jsonrpc", "2.0", "method", method, "params", params));
}

int
rpc_request(struct rpc_out *out, const char *id, const char *method, json_t *params)
{
	return send_rpc_message(out, json_pack("{s:s s:s s:s s:o*}", "jsonrpc", "2.0", "id", id,
					     "method", method, "params", params));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One line from the client into what it asks for. The client is somebody else's
 * program: every line gets the answer that the protocol has for it, and the next is
 * read. A request with the modern fields is served by what it says itself; others by
 * what was said at initialize. */

#include <stdlib.h>

#include "mcp.h"
#include "prompt.h"

#include "base/json.h"
#include "base/str.h"

/* Newest first; elicitation came with the second, titled choices with the first. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

struct asked {
	struct mcp *mcp;
	struct rpc_message *message;
	struct era era;
};

static void
refuse_request(const struct asked *asked, int code, const char *why)
{
	rpc_error(&asked->mcp->out, asked->message->id, code, why, NULL);
}

static void
answer_request(const struct asked *asked, json_t *result)
{
	if (asked->era.modern)
		result = list_modern(result, "complete");
	rpc_result(&asked->mcp->out, asked->message->id, result);
}

/* -- methods --------------------------------------------------------------------- */

/* {} is a client that shows forms; one that only opens URLs says so. */
static bool
has_forms(const json_t *capabilities)
{
	const json_t *elicitation = json_object_get(capabilities, "elicitation");

	return json_is_object(elicitation) &&
	       (json_object_size(elicitation) == 0 || json_object_get(elicitation, "form") != NULL);
}

/* Codex does not submit a form in which a text is empty, also where it is optional. */
static bool
must_fill_texts(const json_t *client)
{
	const char *name = json_string_value(json_object_get(client, "name"));

	return name != NULL && str_prefix(name, "codex");
}

static void
handle_initialize(const struct asked *asked)
{
	const json_t *params = asked->message->params;
	const char *wanted = json_string_value(json_object_get(params, "protocolVersion"));
	const json_t *capabilities = json_object_get(params, "capabilities");
	struct mcp *mcp = asked->mcp;
	size_t chosen = 0;

	if (mcp->initialized) {
		refuse_request(asked, RPC_INVALID_REQUEST, "initialize came before");
		return;
	}
	if (wanted == NULL || !json_is_object(capabilities)) {
		refuse_request(asked, RPC_INVALID_PARAMS,
			"initialize needs 'protocolVersion', a string, and 'capabilities', an "
			"object");
		return;
	}
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (streq(versions[i], wanted))
			chosen = i;
	mcp->initialized = true;
	mcp->legacy = (struct era){
		/* Behind a line it is the agent itself that would answer. */
		.elicits = chosen <= 1 && has_forms(capabilities) && !toolbox_is_inside(&mcp->box),
		.titles = chosen == 0,
		.fills = must_fill_texts(json_object_get(params, "clientInfo")),
		.roots = json_is_object(json_object_get(capabilities, "roots")),
	};
	answer_request(
		asked, json_pack("{s:s s:{s:{} s:{}} s:o s:s}", "protocolVersion", versions[chosen],
			       "capabilities", "tools", "prompts", "serverInfo", list_server_info(),
			       "instructions", mcp->instructions));
}

static void
handle_ping(const struct asked *asked)
{
	answer_request(asked, json_object());
}

static void
handle_discover(const struct asked *asked)
{
	answer_request(asked, json_pack("{s:[s] s:{s:{} s:{}} s:s}", "supportedVersions",
				      MCP_MODERN, "capabilities", "tools", "prompts",
				      "instructions", asked->mcp->instructions));
}

/* All of them are one page: there is no cursor that could have been given. */
static void
tools_list(const struct asked *asked)
{
	if (json_object_get(asked->message->params, "cursor") != NULL)
		refuse_request(asked, RPC_INVALID_PARAMS, "no such 'cursor'");
	else
		answer_request(asked, json_pack("{s:O}", "tools", asked->mcp->tools));
}

static void
answer_prompts_list(const struct asked *asked)
{
	if (json_object_get(asked->message->params, "cursor") != NULL)
		refuse_request(asked, RPC_INVALID_PARAMS, "no such 'cursor'");
	else
		answer_request(asked, json_pack("{s:o}", "prompts", prompts_list()));
}

static void
answer_prompts_get(const struct asked *asked)
{
	struct ambit_error err = { 0 };
	json_t *result = NULL;
	int r = prompts_get(&asked->mcp->box, asked->message->params, &result, &err);

	if (r == 0)
		answer_request(asked, result);
	else
		refuse_request(asked, r == -EINVAL ? RPC_INVALID_PARAMS : RPC_INTERNAL, err.text);
}

static void
tools_call(const struct asked *asked)
{
	call_start(asked->mcp, asked->message, &asked->era);
}

static const struct method {
	const char *name;
	bool legacy, modern;
	bool first; /* also before initialize */
	void (*run)(const struct asked *asked);
} methods[] = {
	{ "initialize", true, false, true, handle_initialize },
	{ "ping", true, false, true, handle_ping },
	{ "server/discover", false, true, true, handle_discover },
	{ "tools/list", true, true, false, tools_list },
	{ "tools/call", true, true, false, tools_call },
	{ "prompts/list", true, true, false, answer_prompts_list },
	{ "prompts/get", true, true, false, answer_prompts_get },
};

/* -- eras ------------------------------------------------------------------------ */

static void
refuse_version(const struct asked *asked, const char *wanted)
{
	rpc_error(&asked->mcp->out, asked->message->id, MCP_UNSUPPORTED_VERSION,
		"Unsupported protocol version",
		json_pack("{s:[s s s s s] s:s}", "supported", MCP_MODERN, versions[0], versions[1],
			versions[2], versions[3], "requested", wanted));
}

/* Whether the request is to be served; if not, it has been answered. */
static bool
find_era(struct asked *asked, const struct method *method)
{
	const json_t *meta = json_object_get(asked->message->params, "_meta");
	const json_t *version = json_object_get(meta, MCP_META "protocolVersion");
	const json_t *capabilities = json_object_get(meta, MCP_META "clientCapabilities");

	if (version == NULL && capabilities == NULL && method->legacy &&
		(asked->mcp->initialized || method->first)) {
		asked->era = asked->mcp->legacy;
		return true;
	}
	if (!json_is_string(version)) {
		refuse_request(asked, RPC_INVALID_PARAMS,
			"initialize first, or name the version in params._meta[\"" MCP_META
			"protocolVersion\"]");
	} else if (!streq(json_string_value(version), MCP_MODERN)) {
		refuse_version(asked, json_string_value(version));
	} else if (!json_is_object(capabilities)) {
		refuse_request(asked, RPC_INVALID_PARAMS,
			"params._meta[\"" MCP_META "clientCapabilities\"] is not an object");
	} else if (!method->modern) {
		refuse_request(asked, RPC_NO_METHOD, "there is no such method in " MCP_MODERN);
	} else {
		asked->era = (struct era){
			.modern = true,
			.elicits = has_forms(capabilities) && !toolbox_is_inside(&asked->mcp->box),
			.titles = true,
			.fills = must_fill_texts(json_object_get(meta, MCP_META "clientInfo")),
			.roots = json_is_object(json_object_get(capabilities, "roots")),
		};
		return true;
	}
	return false;
}

static void
handle_request(struct mcp *mcp, struct rpc_message *message)
{
	struct asked asked = { .mcp = mcp, .message = message };

	/* Under an id that is in use an answer would be taken for that call's own. */
	if (call_uses(mcp, message->id)) {
		rpc_error(&mcp->out, NULL, RPC_INVALID_REQUEST,
			"a second request with the id of one that is running: it was not run",
			json_pack("{s:O}", "id", message->id));
		return;
	}
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (streq(methods[i].name, message->method)) {
			if (find_era(&asked, &methods[i]))
				methods[i].run(&asked);
			return;
		}
	refuse_request(&asked, RPC_NO_METHOD, "there is no such method");
}

/* Those that are not known are no harm. */
static void
handle_notification(struct mcp *mcp, const struct rpc_message *message)
{
	if (streq(message->method, "notifications/cancelled"))
		call_cancel(mcp, json_object_get(message->params, "requestId"));
	else if (streq(message->method, "notifications/initialized") ||
		 streq(message->method, "notifications/roots/list_changed"))
		roots_ask(mcp);
}

void
mcp_line(struct mcp *mcp, const char *text, size_t len)
{
	struct rpc_message message;

	/* A line with nothing on it is somebody at a keyboard. */
	if (len == strspn(text, " \t\r"))
		return;
	rpc_parse(text, len, &message);
	switch (message.kind) {
	case RPC_REQUEST:
		handle_request(mcp, &message);
		break;
	case RPC_NOTIFICATION:
		handle_notification(mcp, &message);
		break;
	case RPC_RESPONSE:
		if (!roots_response(mcp, &message))
			ask_response(mcp, &message);
		break;
	case RPC_BAD:
		rpc_error(&mcp->out, call_uses(mcp, message.id) ? NULL : message.id, message.code,
			message.why, NULL);
	}
	rpc_message_finish(&message);
}

void
mcp_line_too_long(struct mcp *mcp)
{
	rpc_error(&mcp->out, NULL, RPC_INVALID_REQUEST,
		"a message of more than 8 MiB: it was not read", NULL);
}

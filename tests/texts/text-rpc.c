/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "rpc": a line becomes what JSON-RPC takes it for, with the code of its error
 * and the key of its id. */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/rpc.h"
#include "texts.h"

static const char *const kind_names[] = {
	[RPC_BAD] = "bad",
	[RPC_REQUEST] = "request",
	[RPC_NOTIFICATION] = "notification",
	[RPC_RESPONSE] = "response",
};

static const char *
run_rpc(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *line = text_exact(in), *key = NULL;
	auto_buf struct buf result = { 0 };
	struct rpc_message message;
	const char *why = NULL;

	rpc_parse(line, in->len, &message);
	buf_puts(&result, kind_names[message.kind]);
	if (message.code != 0)
		buf_printf(&result, " %d", message.code);
	if (message.id) {
		key = rpc_id_key(message.id);
		buf_printf(&result, " id=%s", key ? key : "?");
	}
	if (message.kind == RPC_BAD && message.why[0] == '\0')
		why = "it does not say why";
	text_put(out, "", result.data, result.len);
	rpc_message_finish(&message);
	return why;
}

const struct text_kind text_rpc = {
	.name = "rpc",
	.inputs = "in",
	.run = run_rpc,
};

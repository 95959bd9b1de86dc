/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine goes by, as JSON for the person: as it is in the process that decides,
 * with the options that it was started with, which the record does not know. */

#include <errno.h>

#include <ambit/tool.h>

#include "base/json.h"
#include "base/own.h"
#include "live/live-private.h"

static const struct {
	const char *key;
	const struct ambit_word *words;
} modes[] = {
	{ "agent_mode", ambit_agent_modes },
	{ "sandbox_mode", ambit_sandbox_modes },
	{ "ask_mode", ambit_ask_modes },
	{ "reads", ambit_reads_words },
};

static json_t *
modes_json(const struct ambit_engine *engine)
{
	auto_json json_t *object = json_object();

	for (size_t i = 0; object && i < sizeof(modes) / sizeof(modes[0]); i++) {
		const char *from = "";
		int value = ambit_engine_mode(engine, modes[i].key, &from);

		if (json_object_set_new(object, modes[i].key,
			    json_pack("{s:s s:s}", "value", ambit_word_name(modes[i].words, value),
				    "from", from)) < 0)
			return NULL;
	}
	return steal_ptr(&object);
}

static json_t *
permissions_json(const struct ambit_engine *engine)
{
	auto_json json_t *object = json_object();
	struct ambit_tool_info tool;

	for (size_t i = 0; object && ambit_tool_at(i, &tool); i++) {
		const char *from = "";
		int value = (int)ambit_engine_permission(engine, tool.name, &from);

		if (json_object_set_new(object, tool.name,
			    json_pack("{s:s s:s}", "permission",
				    ambit_word_name(ambit_permissions, value), "from", from)) < 0)
			return NULL;
	}
	return steal_ptr(&object);
}

int
describe(const struct ambit_engine *engine, json_t *object)
{
	json_t *net = json_string(ambit_word_name(ambit_nets, ambit_engine_net(engine)));

	if (json_object_set_new(object, "net", net) < 0 ||
		json_object_set_new(object, "modes", modes_json(engine)) < 0 ||
		json_object_set_new(object, "permissions", permissions_json(engine)) < 0)
		return -ENOMEM;
	return 0;
}

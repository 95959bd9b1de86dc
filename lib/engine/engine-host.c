/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, for those who reach them. What a person said about an address counts,
 * whatever name leads to it; and what came to nothing on the way is told as the rest. */

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"

bool
engine_refuses_host(struct ambit_engine *engine, const char *host)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	bool refused;

	if (ambit_request_connect(host, &request, NULL) < 0)
		return true;
	engine_decide(engine, request, NULL, false, &outcome, NULL);
	refused = outcome.verdict == AMBIT_DENY;
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return refused;
}

/* Whether a host may be refused by its name: an address does not tell that. */
static bool
may_refuse_name(const struct ambit_engine *engine)
{
	const struct settings_values *person = settings_person(engine->settings);
	const struct settings_values *folder = settings_folder(engine->settings);
	const struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;

	engine_look(engine, &request, &in);
	if (strv_len(person->deny_hosts) + strv_len(folder->deny_hosts) > 0 || policy_is_set(&in))
		return true;
	for (size_t i = 0; i < engine->rules.n; i++)
		if (engine->rules.list[i].op == AMBIT_OP_CONNECT && !engine->rules.list[i].yes)
			return true;
	return false;
}

bool
engine_uses_names(const struct ambit_engine *engine)
{
	switch (decision_net(engine->settings)) {
	case AMBIT_NET_ASK:
		return true;
	case AMBIT_NET_OPEN:
		return may_refuse_name(engine);
	default:
		return false;
	}
}

void
engine_record_refusal(struct ambit_engine *engine, const struct ambit_request *request,
	const char *why, struct ambit_outcome *ret_outcome)
{
	engine_decide(engine, request, NULL, false, ret_outcome, NULL);
	if (ret_outcome->verdict == AMBIT_ASK) {
		engine_refuse(ret_outcome, AMBIT_CODE_HOST_NOT_ALLOWED, "%s", why);
	} else if (ret_outcome->verdict == AMBIT_ALLOW) {
		/* No rule would help. */
		engine_refuse(ret_outcome, AMBIT_CODE_BAD_ARGUMENTS, "%s", why);
		free(ret_outcome->hint);
		ret_outcome->hint = strdup("The host is allowed, but not this way to talk to it: "
					   "use plain TLS or HTTP/1.1, or leave it and report it.");
	}
	engine_record(engine, request, ret_outcome);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a person said about an address counts, whatever name leads to it. */

#include "engine.h"

bool
ambit_engine_refuses_host(struct ambit_engine *engine, const char *host)
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

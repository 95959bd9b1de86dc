/* SPDX-License-Identifier: Apache-2.0 */
/* The first two layers: what could not be understood, and the modes that
 * switch whole kinds of effects off. */

#include "base/str.h"
#include "decide/decide.h"
#include "request/request-private.h"

void
request_decide(struct decision *d)
{
	const struct ambit_request *request = d->in->request;

	if (request->bad == AMBIT_CODE_NONE ||
		(request->bad == AMBIT_CODE_UNKNOWN_TOOL && !request->bad_hard))
		return;
	if (request->bad_hard) {
		decision_say(d, AMBIT_DENY, request->bad, true, "%s", request->bad_reason);
		return;
	}
	d->firm = true;
	decision_ask_call(d, request->bad, request->bad_reason);
}

/* What a request could change: declared, or unknown and so everything. */
static bool
may_have_effects(const struct ambit_request *request, unsigned effects)
{
	return request->effects == 0 || (request->effects & effects) != 0;
}

void
modes_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	const struct settings_values *person = settings_person(in->settings);
	const struct settings_values *folder = settings_folder(in->settings);
	int agent_mode = decision_mode(
		in->session->agent_mode, person->agent_mode, folder->agent_mode, AMBIT_BUILD);
	int sandbox_mode = decision_mode(in->session->sandbox_mode, person->sandbox_mode,
		folder->sandbox_mode, AMBIT_DEFAULT_WRITE);
	const char *tool = request_tool(in->request);

	if ((agent_mode == AMBIT_PLAN || in->request->plan) &&
		may_have_effects(in->request, AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE)) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_PLAN_MODE, true,
			"%s can change things, and this is plan mode: reading only", tool);
		return;
	}
	if (sandbox_mode != AMBIT_SANDBOX_READ_ONLY)
		return;
	/* A shell that the kernel line holds is held read-only too. */
	if (in->request->held && in->request->tool && in->request->tool->shell)
		return;
	if (may_have_effects(in->request, AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE))
		decision_say(d, AMBIT_DENY, AMBIT_CODE_READ_ONLY, true,
			"%s can write, and this session is read-only", tool);
}

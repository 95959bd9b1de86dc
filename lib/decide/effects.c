/* SPDX-License-Identifier: Apache-2.0 */
/* How dangerous the request is, all told, and what the person's ask_mode says
 * to that. A path or host that needs approval makes any request dangerous;
 * that question is already asked, so here only the tool's own danger adds
 * one. */

#include "base/str.h"
#include "decide/decide.h"
#include "request/request-private.h"

static bool
needs_approval(const struct decision *d)
{
	for (size_t i = 0; i < d->out->n_paths; i++)
		if (d->out->paths[i].verdict == AMBIT_ASK)
			return true;
	return d->host_asked;
}

static int
find_strictest_effect(const int by[AMBIT_EFFECTS_N], unsigned effects, unsigned *ret_effect)
{
	int strict = -1;

	/* Unknown effects are all of them. */
	if (effects == 0)
		effects = AMBIT_EFFECTS_ALL;
	for (unsigned i = 0; i < AMBIT_EFFECTS_N; i++)
		if ((effects & (1u << i)) && by[i] >= 0 && (strict < 0 || by[i] < strict)) {
			strict = by[i];
			*ret_effect = 1u << i;
		}
	return strict;
}

static void
by_side_effect(struct decision *d, const struct settings_values *values)
{
	unsigned effect = 0;
	int strict =
		find_strictest_effect(values->by_side_effect, d->in->request->effects, &effect);
	const char *name = ambit_word_name(ambit_effects, (int)effect);

	if (strict == AMBIT_PERMISSION_DENY) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_DENIED, true,
			"the settings deny everything with the effect %s", name);
	} else if (strict == AMBIT_PERMISSION_ASK) {
		d->out->call = true;
		decision_say(d, AMBIT_ASK, AMBIT_CODE_NONE, false,
			"the settings ask for everything with the effect %s", name);
	}
}

/* The person wants to see every write. Where the paths are known the question
 * is about them, so that it can be answered for a file or a folder. */
static void
ask_for_writes(struct decision *d)
{
	bool any = false;

	for (size_t i = 0; i < d->out->n_paths; i++) {
		struct ambit_outcome_path *path = &d->out->paths[i];

		if (!access_writes(path->access))
			continue;
		any = true;
		if (path->verdict == AMBIT_ALLOW)
			path->verdict = AMBIT_ASK;
	}
	if (!any)
		d->out->call = true;
	decision_say(d, AMBIT_ASK, AMBIT_CODE_NONE, false,
		"%s writes, and ask_mode is ask-any-write", request_tool(d->in->request));
}

void
effects_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	int mode = decision_mode(in->session->ask_mode, settings_person(in->settings)->ask_mode,
		settings_folder(in->settings)->ask_mode, AMBIT_ASK_DANGEROUS);
	bool raised = needs_approval(d);

	by_side_effect(d, settings_person(in->settings));
	by_side_effect(d, settings_folder(in->settings));
	d->out->danger = raised ? AMBIT_DANGEROUS : d->danger;
	if (d->ended)
		return;
	if (mode == AMBIT_BYPASS) {
		if (d->out->verdict == AMBIT_ASK && !d->firm) {
			d->out->verdict = AMBIT_ALLOW;
			d->out->code = AMBIT_CODE_NONE;
			d->out->layer = d->layer;
			for (size_t i = 0; i < d->out->n_paths; i++)
				d->out->paths[i].verdict = AMBIT_ALLOW;
			d->out->call = d->host_asked = false;
			d->bypassed = true;
			decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false,
				"ask_mode is bypass: not asked");
		}
	} else if (d->danger == AMBIT_DANGEROUS) {
		d->out->call = true;
		decision_say(d, AMBIT_ASK, AMBIT_CODE_NONE, false, "%s is dangerous",
			request_tool(in->request));
	} else if (d->danger == AMBIT_DANGER_WRITE && mode == AMBIT_ASK_ANY_WRITE) {
		ask_for_writes(d);
	}
}

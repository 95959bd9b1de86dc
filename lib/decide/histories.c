/* SPDX-License-Identifier: Apache-2.0 */
/* The last layer: a history outside the folder is a no, and nobody is asked about it. It speaks
 * only where a question would be put: a grant, a rule or a mode that opened the file has been
 * heard by then. Removing one is asked about, since no program does that by itself. */

#include "base/str.h"
#include "decide/decide.h"
#include "scope/history.h"

static const struct history *
find_history(const struct decision *d, const struct ambit_outcome_path *path)
{
	bool makes = path->access == AMBIT_ACCESS_MKDIR;
	const struct history *history;

	if ((path->code != AMBIT_CODE_OUTSIDE && path->code != AMBIT_CODE_OUT_OF_SCOPE) ||
		path->verdict == AMBIT_ALLOW || path->remembered || !access_writes(path->access) ||
		path->access == AMBIT_ACCESS_DELETE)
		return NULL;
	history = history_find(d->in->scope->home, path->path);
	return history && history->directory == makes ? history : NULL;
}

static void
refuse_history(struct decision *d, struct ambit_outcome_path *path, const struct history *history)
{
	path->verdict = AMBIT_DENY;
	decision_say(d, AMBIT_DENY, AMBIT_CODE_OUTSIDE, false,
		"%s is outside the folder, and %s keeps its history there (%s): refused without a "
		"question",
		path->shown, history->program, history->pattern);
	decision_hint_rule(d, "write", path->path);
}

void
histories_decide(struct decision *d)
{
	struct ambit_outcome *out = d->out;

	for (size_t i = 0; out->verdict == AMBIT_ASK && i < out->n_paths; i++) {
		const struct history *history = find_history(d, &out->paths[i]);

		if (history)
			refuse_history(d, &out->paths[i], history);
	}
}

bool
histories_are_all(const struct decision *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->out->n_paths; i++) {
		const struct ambit_outcome_path *path = &d->out->paths[i];

		if (path->verdict == AMBIT_ALLOW || path->remembered)
			continue;
		if (!find_history(d, path))
			return false;
		n++;
	}
	return d->out->verdict == AMBIT_DENY && n > 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Things that are opened like files and whose kind alone settles it: devices, terminals, /proc, the
 * private temp directory. No mode, rule or answer changes that, so the layer comes before all of
 * them. The kernel line finds out what an object is. */

#include "decide/decide.h"

static const struct {
	enum ambit_verdict verdict;
	enum ambit_code code;
	const char *text; /* after the name */
} rows[SPECIAL_N] = {
	[SPECIAL_TEMP] = { AMBIT_ALLOW, AMBIT_CODE_NONE,
		"is in the private temp directory of this run" },
	[SPECIAL_DEVICE] = { AMBIT_ALLOW, AMBIT_CODE_NONE,
		"is a device that every program may use" },
	[SPECIAL_TERMINAL] = { AMBIT_ALLOW, AMBIT_CODE_NONE, "is the command's own terminal" },
	[SPECIAL_OTHER_TERMINAL] = { AMBIT_DENY, AMBIT_CODE_OUTSIDE,
		"is not a terminal of this command: no answer opens it" },
	[SPECIAL_OTHER_DEVICE] = { AMBIT_DENY, AMBIT_CODE_OUTSIDE,
		"is a device, and a command reads few of them: no answer opens it" },
	[SPECIAL_NAMELESS] = { AMBIT_ALLOW, AMBIT_CODE_NONE, "belongs to the process itself" },
	[SPECIAL_DESCRIPTOR] = { AMBIT_ALLOW, AMBIT_CODE_NONE,
		"is open in this process for the same already" },
	[SPECIAL_OWN_PROC] = { AMBIT_ALLOW, AMBIT_CODE_NONE,
		"is a setting of a process of this session" },
	[SPECIAL_PROC] = { AMBIT_DENY, AMBIT_CODE_OUTSIDE,
		"is a file of /proc that can change more than this session: no answer opens it" },
	[SPECIAL_SAME] = { AMBIT_ALLOW, AMBIT_CODE_NONE,
		"is another name of the same file: the rename changes nothing" },
	[SPECIAL_APART] = { AMBIT_ALLOW, AMBIT_CODE_NONE,
		"is not moved or linked between places with different rights (EXDEV): a program "
		"copies instead, and the copy is decided as a write" },
};

static bool
is_special(const struct ambit_request *request)
{
	for (size_t i = 0; i < request->n_paths; i++)
		if (!request->paths[i].object || !request->paths[i].object->special)
			return false;
	return request->n_paths > 0;
}

void
special_decide(struct decision *d)
{
	const struct ambit_request *request = d->in->request;

	if (!is_special(request))
		return;
	for (size_t i = 0; i < request->n_paths && !d->ended && !d->failed; i++) {
		enum object_special special = request->paths[i].object->special;
		struct ambit_outcome_path *path = paths_add_object(d, &request->paths[i]);

		if (!path)
			return;
		path->verdict = rows[special].verdict;
		path->code = rows[special].code;
		decision_say(d, rows[special].verdict, rows[special].code, true, "%s %s",
			path->shown, rows[special].text);
	}
	d->ended = true;
}

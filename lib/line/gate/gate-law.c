/* SPDX-License-Identifier: Apache-2.0 */
/* A notified call, as the hand sees it: the engine says which guards lie where, the floor
 * which inodes carry rights. Trusts the objects that the gate resolved and holds open. */

#include <errno.h>
#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/gate-private.h"
#include "line/floor/ground.h"
#include "line/gate/gate-law.h"

static int
open_attic(void *data)
{
	struct gate *gate = ((struct call *)data)->gate;
	int attic;

	gate_lock(gate);
	attic = engine_attic(gate->o.engine);
	gate_unlock(gate);
	return attic;
}

static bool
is_clear(void *data, const char *real)
{
	return gate_opens(((struct call *)data)->gate, real);
}

static bool
has_rights(void *data, dev_t dev, ino_t ino)
{
	return grounds_has_inode(gate_grounds(((struct call *)data)->gate), dev, ino);
}

static int
may_stand(void *data, int dir, const char *real, bool landed)
{
	struct gate *gate = ((struct call *)data)->gate;
	int r;

	gate_lock(gate);
	r = engine_may_stand(gate->o.engine, dir, real, landed);
	gate_unlock(gate);
	return r;
}

/* In the summary of the run and in the record: a person has to look at it. */
static void
tell_evicted(void *data, const char *real, enum hand_evicted where, const char *name)
{
	struct call *call = data;
	struct ambit_outcome outcome = { .verdict = AMBIT_DENY, .code = AMBIT_CODE_GUARDED };
	auto_free char *shown = NULL;

	gate_lock(call->gate);
	shown = ambit_scope_display(ambit_engine_scope(call->gate->o.engine), real);
	outcome.reason =
		engine_record_evicted(call->gate->o.engine, real, where == HAND_EVICTED_TO_ATTIC,
			where == HAND_NOT_EVICTED || where == HAND_REMOVED ? NULL : name);
	gate_unlock(call->gate);
	gate_tell_refused(
		call->gate, &call->target, "move", shown ? shown : "?", &outcome, true, 0);
	free(outcome.reason);
}

struct hand_law
gate_law(struct call *call)
{
	return (struct hand_law){
		.attic = open_attic,
		.is_clear = is_clear,
		.has_rights = has_rights,
		.may_stand = may_stand,
		.guarded = permit_is_guarded(call->permit),
		.tell = tell_evicted,
		.data = call,
	};
}

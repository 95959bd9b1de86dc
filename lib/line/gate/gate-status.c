/* SPDX-License-Identifier: Apache-2.0 */
/* What the gate knows of a run, as JSON for the person who looks at it: counts, what was
 * refused, and which descriptors were given for what lies past the floor. Programs and
 * paths are the tree's own words: escaped where they are no text. */

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/gate-private.h"

/* -- descriptors that were given ------------------------------------------------- */

static bool
has_write_need(const struct call *call)
{
	for (unsigned i = 0; i < call->n_needs; i++)
		if (call->need[i].access != AMBIT_ACCESS_READ)
			return true;
	return false;
}

/* What is inside, and its own scratch, is no news. */
static bool
is_past(const struct call *call)
{
	const struct gate *gate = call->gate;
	const char *root = ambit_scope_root(ambit_engine_scope(gate->o.engine));
	const char *real;

	if (call->n_objects == 0 || call->n_needs == 0 || call->special)
		return false;
	real = call->object[call->need[0].object].real;
	return real[0] == '/' && !str_beneath(real, root) && !str_beneath(real, gate->o.temp) &&
	       !floor_covers(gate->o.floor, real);
}

void
gate_gave(struct call *call)
{
	struct gate *gate = call->gate;
	struct target_who who = { 0 };
	struct given *given;
	char *path;

	if (!is_past(call) || !has_write_need(call))
		return;
	path = str_dup(call->object[call->need[0].object].real);
	if (!path)
		return;
	(void)target_who(&call->target, &who);
	pthread_mutex_lock(&gate->lock);
	given = &gate->given[gate->n_given++ % GATE_GIVEN_MAX];
	free(given->path);
	*given = (struct given){ .path = path, .pid = who.pid };
	memcpy(given->program, who.program, sizeof(given->program));
	pthread_mutex_unlock(&gate->lock);
}

void
gate_given_finish(struct gate *gate)
{
	for (size_t i = 0; i < GATE_GIVEN_MAX; i++)
		free(gate->given[i].path);
}

static json_t *
given_json(const struct given *given)
{
	auto_json json_t *row = json_pack("{s:i}", "pid", (int)given->pid);

	if (!row || json_set_text(row, "path", given->path) < 0 ||
		json_set_text(row, "program", given->program) < 0)
		return NULL;
	return steal_ptr(&row);
}

static int
given_status(struct gate *gate, json_t *object)
{
	json_t *list = json_array();
	int r = list ? 0 : -ENOMEM;

	pthread_mutex_lock(&gate->lock);
	for (uint64_t i = gate->n_given > GATE_GIVEN_MAX ? gate->n_given - GATE_GIVEN_MAX : 0;
		r == 0 && i < gate->n_given; i++)
		if (json_array_append_new(list, given_json(&gate->given[i % GATE_GIVEN_MAX])) < 0)
			r = -ENOMEM;
	if (r == 0 && (json_object_set(object, "given", list) < 0 ||
			      json_object_set_new(object, "given_total",
				      json_integer((json_int_t)gate->n_given)) < 0))
		r = -ENOMEM;
	pthread_mutex_unlock(&gate->lock);
	json_decref(list);
	return r;
}

/* -- all of it -------------------------------------------------------------------- */

static int
count_held(struct gate *gate)
{
	int n = 0;

	pthread_mutex_lock(&gate->lock);
	for (const struct held *held = gate->held; held; held = held->next)
		n++;
	pthread_mutex_unlock(&gate->lock);
	return n;
}

int
gate_status(struct gate *gate, json_t *object)
{
	auto_json json_t *counts =
		json_pack("{s:b s:i s:I s:I s:i}", "narrowed", engine_is_narrowed(gate->o.engine),
			"landlock", gate->abi, "calls", (json_int_t)atomic_load(&gate->calls),
			"asked", (json_int_t)atomic_load(&gate->asked), "held", count_held(gate));

	if (!counts || json_object_update(object, counts) < 0)
		return -ENOMEM;
	if (run_counts_status(gate->counts, object) < 0)
		return -ENOMEM;
	return given_status(gate, object);
}

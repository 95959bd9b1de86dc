/* SPDX-License-Identifier: Apache-2.0 */
/* From a session's folder and grants to the store that lists what ambit makes for it, and from
 * the lists of live sessions to places that this one must leave alone. */

#include <unistd.h>

#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "perform/leftover.h"

/* More than the floor gives is as good: then others have no pool there. */
static int
list_writable(struct ambit_engine *engine, char ***ret_list)
{
	int r = strv_append(ret_list, engine->scope->root.real);

	for (size_t i = 0; r == 0 && i < engine->n_grants; i++)
		if (engine->grants[i].write)
			r = strv_append(ret_list, engine->grants[i].real);
	for (size_t i = 0; r == 0 && i < engine->rules.n; i++)
		if (engine->rules.list[i].yes && engine->rules.list[i].op == AMBIT_OP_WRITE)
			r = strv_append(ret_list, engine->rules.list[i].subject);
	return r;
}

/* This session's own words come first, so that of two that start at once one sees the other. */
static int
note_and_collect(struct ambit_engine *engine, struct leftovers *list)
{
	char **writable = NULL, **pools = NULL;
	int r = list_writable(engine, &writable);

	if (r == 0)
		r = leftovers_note_writable(list, writable);
	if (r == 0)
		r = leftovers_collect(list, &pools);
	strv_free(writable);
	if (r < 0)
		return r;
	strv_free(engine->scope->pools);
	engine->scope->pools = pools;
	return 0;
}

int
engine_open_leftovers(
	struct ambit_engine *engine, struct leftovers **ret_list, struct ambit_error *err)
{
	struct leftovers *list = NULL;
	int r;

	*ret_list = NULL;
	if (!engine->scope->state || !engine->record || access(engine->scope->state, F_OK) < 0)
		return 0;
	r = leftovers_open(engine->scope->state, &list, err);
	if (r < 0)
		return r;
	r = note_and_collect(engine, list);
	if (r < 0) {
		leftovers_destroy(list);
		return err_sys(err, -r, "cannot look at what other sessions made in %s",
			engine->scope->state);
	}
	leftovers_destroy(engine->leftovers);
	engine->leftovers = leftovers_ref(list);
	*ret_list = list;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The answers "once" of the last two seconds. They are kept in memory only, since nobody else
 * decides about these processes. An answer adds one, it begins when the call that was asked about
 * is done, an act uses its replacement up, and time ends it. decide/once.c says which calls it
 * covers.
 *
 * Between the answer and its call the program may run: a signal handler, other threads. If the
 * answer counted there, they could do something else with it, and the call would come on top. */

#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/str.h"
#include "engine/engine-private.h"
#include "engine/line.h"

#define ONCE_MAX 256 /* within two seconds; past it, an answer allows the call alone */

static void
drop_ended(struct ambit_engine *engine)
{
	int64_t now = clock_steady();
	size_t n = 0;

	for (size_t i = 0; i < engine->n_once; i++) {
		if (engine->once[i].until <= now)
			once_finish(&engine->once[i]);
		else
			engine->once[n++] = engine->once[i];
	}
	engine->n_once = n;
}

uint64_t
engine_once_chain(const struct ambit_engine *engine, pid_t pid, uint64_t start)
{
	int64_t now = engine->n_once > 0 ? clock_steady() : 0;

	for (size_t i = 0; i < engine->n_once; i++)
		if (engine->once[i].pid == pid && engine->once[i].start == start &&
			engine->once[i].begun && engine->once[i].until > now)
			return engine->once[i].chain;
	return 0;
}

static uint64_t
choose_chain(const struct ambit_engine *engine, const struct once *once)
{
	uint64_t chain = engine_once_chain(engine, once->pid, once->start);

	return chain != 0 ? chain : once->id;
}

/* Takes it. */
static int
append_once(struct ambit_engine *engine, struct once *once)
{
	struct once *more = realloc(engine->once, (engine->n_once + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	engine->once = more;
	once->id = ++engine->last_once;
	once->begun = true;
	once->chain = choose_chain(engine, once);
	more[engine->n_once++] = *once;
	*once = (struct once){ 0 };
	return 0;
}

int
engine_once_add(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome, uint64_t *ret_id)
{
	struct decide_input in;
	struct once once;
	int r;

	*ret_id = 0;
	drop_ended(engine);
	engine_look(engine, request, &in);
	in.steady = clock_steady();
	r = once_init(&in, outcome, &once);
	if (r == 0 && !once_is_empty(&once) && engine->n_once < ONCE_MAX) {
		r = append_once(engine, &once);
		*ret_id = r == 0 ? engine->last_once : 0;
	}
	once_finish(&once);
	return r;
}

static struct once *
find_once(struct ambit_engine *engine, uint64_t id)
{
	for (size_t i = 0; id != 0 && i < engine->n_once; i++)
		if (engine->once[i].id == id)
			return &engine->once[i];
	return NULL;
}

uint64_t
engine_once_find_chain(struct ambit_engine *engine, uint64_t id)
{
	const struct once *once = find_once(engine, id);

	return once ? once->chain : 0;
}

void
engine_once_suspend(struct ambit_engine *engine, uint64_t id)
{
	struct once *once = find_once(engine, id);

	if (once)
		once->begun = false;
}

void
engine_once_begin(struct ambit_permit *permit)
{
	struct ambit_engine *engine = permit->engine;
	struct once *once = find_once(engine, permit->opens);
	int64_t now = clock_steady();

	if (permit->opens == 0)
		return;
	/* Too late: the call alone is allowed, and what it makes is not the process's own. */
	if (!once || once->until <= now) {
		permit->once = false;
		return;
	}
	/* Two threads may have waited with the same call. */
	permit->chain = once->chain;
	if (once->begun)
		return;
	once->chain = choose_chain(engine, once);
	once->until = now + ONCE_MS;
	once->begun = permit->opened = true;
	permit->chain = once->chain;
}

void
engine_once_done(struct ambit_permit *permit, bool failed)
{
	struct once *once = permit->opened ? find_once(permit->engine, permit->opens) : NULL;

	if (!once)
		return;
	once->until = failed ? 0 : clock_steady() + ONCE_MS;
	if (failed)
		drop_ended(permit->engine);
}

void
engine_once_use(struct ambit_engine *engine, const struct ambit_outcome *outcome)
{
	if (outcome->verdict != AMBIT_ALLOW)
		return;
	for (size_t i = 0; i < outcome->n_paths; i++)
		for (size_t j = 0; outcome->paths[i].replaces && j < engine->n_once; j++)
			if (engine->once[j].id == outcome->paths[i].once)
				engine->once[j].replaced = true;
}

bool
engine_once_may_make(const struct ambit_engine *engine, const char *real)
{
	const char *slash = strrchr(real, '/');
	int64_t now = engine->n_once > 0 ? clock_steady() : 0;

	for (size_t i = 0; slash && i < engine->n_once; i++) {
		const struct once *once = &engine->once[i];

		if (once->until > now && once->dir && strlen(once->dir) == (size_t)(slash - real) &&
			strncmp(once->dir, real, (size_t)(slash - real)) == 0)
			return true;
	}
	return false;
}

void
engine_once_destroy(struct ambit_engine *engine)
{
	for (size_t i = 0; i < engine->n_once; i++)
		once_finish(&engine->once[i]);
	free(engine->once);
	engine->once = NULL;
	engine->n_once = 0;
}

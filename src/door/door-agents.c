/* SPDX-License-Identifier: Apache-2.0 */
/* What a door says of itself to a sub-agent that it starts, or to a command in a scope of its
 * own: all that it may have, in the words that a line has for a run inside it. */

#include <stdlib.h>
#include <unistd.h>

#include "backend.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "line/process/run-doors.h"
#include "tools/registry/registry-agents.h"

struct places {
	char **open, **spine;
};

static int
add_place(void *data, const char *path, bool spine)
{
	struct places *places = data;

	return strv_append(spine ? &places->spine : &places->open, path);
}

static int
make_child_socket(struct toolbox *box, const struct ambit_agent_child *child,
	const struct places *places, int *ret_fd, struct ambit_error *err)
{
	char **state = NULL;
	/* What a child has open, it has from its start: an answer that is taken back holds for
	 * the next one. */
	int r = child->profile == NULL
			? 0
			: engine_profile_state(box->world.engine, child->profile, &state, err);
	const struct account account = {
		.world = &box->world,
		.around = toolbox_is_inside(box) ? &box->around : NULL,
		.who = "deny",
		.guard_reads = box->guard_reads,
		.watchers = toolbox_asks(box),
		.scope = child->scope,
		.turn = child->turn,
		.agent = child->name,
		.state = state,
		.limits = box->limits,
		.depth = child->depth,
		.asks = child->asks,
	};
	auto_free char *text = r == 0 ? around_tell(&account) : NULL;
	const struct run_around around = {
		.scope = text,
		.open = places->open,
		.spine = places->spine,
		.envp = child->envp,
		.inner = box->around.asked,
	};

	strv_free(state);
	if (r < 0)
		return r;
	return text != NULL ? run_around(&around, ret_fd, err) : err_nomem(err);
}

static int
prepare_child_socket(
	void *data, const struct ambit_agent_child *child, int *ret_fd, struct ambit_error *err)
{
	struct toolbox *box = data;
	struct places places = { 0 };
	int r = engine_writable(box->world.engine, add_place, &places);

	r = r < 0 ? err_sys(err, -r, "what can be written")
		  : make_child_socket(box, child, &places, ret_fd, err);
	strv_free(places.open);
	strv_free(places.spine);
	return r;
}

int
agents_open(struct toolbox *box, struct ambit_agents *ret_agents, struct ambit_error *err)
{
	bool inside = toolbox_is_inside(box);

	box->turns = str_printf("%s/turns", box->world.place.state);
	if (box->turns == NULL)
		return err_nomem(err);
	*ret_agents = (struct ambit_agents){
		.settings = box->world.settings,
		.turns = box->turns,
		.turn = inside ? around_word(&box->around, "turn") : NULL,
		.depth = inside ? around_number(&box->around, "depth") : 0,
		.envp = inside ? run_inner_envp(box->around.asked) : environ,
		.around = prepare_child_socket,
		.data = box,
	};
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which stored session a command means, and the modes that one holds. */

#include <stddef.h>
#include <stdlib.h>

#include "world.h"

#include "base/err.h"
#include "base/str.h"

const struct stored_mode stored_modes[] = {
	{ "agent_mode", "agent mode", ambit_agent_modes,
		offsetof(struct ambit_session, agent_mode) },
	{ "sandbox_mode", "sandbox mode", ambit_sandbox_modes,
		offsetof(struct ambit_session, sandbox_mode) },
	{ "ask_mode", "ask mode", ambit_ask_modes, offsetof(struct ambit_session, ask_mode) },
	{ "reads", "reads", ambit_reads_words, offsetof(struct ambit_session, reads) },
	{ 0 },
};

struct search {
	const char *root;
	char *name; /* of the first that fits: the newest */
};

static int
fits(void *data, const struct ambit_session *session)
{
	struct search *search = data;

	if (session->root == NULL || !streq(session->root, search->root))
		return 0;
	search->name = str_dup(session->name);
	return 1;
}

static int
new_session(struct world *world, const char *name, struct ambit_session *ret_session,
	struct ambit_error *err)
{
	*ret_session = (struct ambit_session){
		.agent_mode = -1,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1,
	};
	ret_session->name = str_dup(name);
	ret_session->root = str_dup(ambit_scope_root(world->scope));
	ret_session->display_root = str_dup(ambit_scope_display_root(world->scope));
	if ((name != NULL && ret_session->name == NULL) || ret_session->root == NULL ||
		ret_session->display_root == NULL) {
		ambit_session_finish(ret_session);
		return err_nomem(err);
	}
	return 1;
}

int
session_pick(struct world *world, const struct args *args, struct ambit_session *ret_session,
	struct ambit_error *err)
{
	const char *name = args_get(args, OPT_SESSION);
	struct search search = { .root = ambit_scope_root(world->scope) };
	int r = 0;

	if (world->record == NULL)
		return new_session(world, name, ret_session, err);
	if (name == NULL) {
		r = ambit_record_sessions(world->record, fits, &search, err);
		if (r < 0 || search.name == NULL)
			return r < 0 ? r : new_session(world, NULL, ret_session, err);
	}
	r = ambit_record_session_load(
		world->record, name != NULL ? name : search.name, ret_session, err);
	free(search.name);
	if (r == -ENOENT) {
		*err = (struct ambit_error){ 0 };
		return new_session(world, name, ret_session, err);
	}
	if (r == 0 && !streq(ret_session->root, search.root)) {
		r = err_set(err, EEXIST, "the session '%s' belongs to another folder: %s", name,
			ret_session->root);
		ambit_session_finish(ret_session);
		*ret_session = (struct ambit_session){ 0 };
	}
	return r;
}

int
session_need(struct world *world, const struct args *args, struct ambit_session *ret_session,
	struct ambit_error *err)
{
	int r = session_pick(world, args, ret_session, err);

	if (r != 1)
		return r;
	ambit_session_finish(ret_session);
	*ret_session = (struct ambit_session){ 0 };
	if (args_get(args, OPT_SESSION) != NULL)
		return err_set(err, ENOENT, "no session '%s' is stored; see 'ambit sessions'",
			args_get(args, OPT_SESSION));
	return err_set(err, ENOENT,
		"no session of this folder is stored; name one with --session, see 'ambit "
		"sessions'");
}

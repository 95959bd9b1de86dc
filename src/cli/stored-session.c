/* SPDX-License-Identifier: Apache-2.0 */
/* Which stored session a command means. */

#include <stdlib.h>

#include "cli-live.h"
#include "world.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

struct search {
	const char *root;
	char **names; /* of those that fit, newest first */
};

static int
append_matching_name(void *data, const struct ambit_session *session)
{
	struct search *search = data;

	if (session->root == NULL || !streq(session->root, search->root))
		return 0;
	return strv_append(&search->names, session->name);
}

static int
see_inside(void *data, int64_t id, const struct ambit_event *event)
{
	auto_json json_t *body = NULL;

	(void)id;
	if (event->body != NULL && json_parse(event->body, strlen(event->body), &body, NULL) == 0)
		*(bool *)data = json_object_get(body, "inside") != NULL;
	return 0;
}

/* Whether it was begun behind a line, or as a sub-agent: who has no name in mind does not
 * mean what an agent may have started. */
bool
session_is_inside(struct world *world, const char *name)
{
	const struct ambit_event_filter filter = { .session = name, .kind = "run", .last = 1 };
	bool inside = false;

	return world->record != NULL &&
	       ambit_record_events(world->record, &filter, see_inside, &inside, NULL) == 0 &&
	       inside;
}

static bool
is_live(const struct live_list *lives, const char *name)
{
	for (size_t i = 0; i < lives->n; i++)
		if (streq(lives->list[i].session, name))
			return true;
	return false;
}

static int
say_several(char *const *names, struct ambit_error *err)
{
	auto_buf struct buf list = { 0 };

	for (; *names != NULL; names++)
		buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", *names);
	return err_set(err, EEXIST,
		"several sessions of this folder are live: %.300s; choose with --session NAME",
		list.data != NULL ? list.data : "");
}

/* The one that is live, else the newest. *ret_name stays NULL where there is none. */
static int
choose_session_name(
	struct world *world, char *const *names, char **ret_name, struct ambit_error *err)
{
	struct live_list lives = { 0 };
	char **live = NULL, *newest = NULL;
	int r = names != NULL ? live_find(&lives, &world->place, err) : 0;

	for (; r == 0 && names != NULL && *names != NULL; names++) {
		if (newest != NULL && !is_live(&lives, *names))
			continue;
		if (session_is_inside(world, *names))
			continue;
		if (is_live(&lives, *names) && strv_append(&live, *names) < 0)
			r = err_nomem(err);
		if (newest == NULL && (newest = str_dup(*names)) == NULL)
			r = err_nomem(err);
	}
	if (r == 0 && strv_len(live) > 1)
		r = say_several(live, err);
	else if (r == 0 && live != NULL)
		*ret_name = str_dup(live[0]);
	else if (r == 0)
		*ret_name = steal_ptr(&newest);
	free(newest);
	strv_free(live);
	live_finish(&lives);
	return r;
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
	auto_free char *found = NULL;
	int r = 0;

	if (world->record == NULL)
		return new_session(world, name, ret_session, err);
	if (name == NULL) {
		r = ambit_record_sessions(world->record, append_matching_name, &search, err);
		if (r == 0)
			r = choose_session_name(world, search.names, &found, err);
		strv_free(search.names);
		if (r < 0 || found == NULL)
			return r < 0 ? r : new_session(world, NULL, ret_session, err);
	}
	r = ambit_record_session_load(world->record, name != NULL ? name : found, ret_session, err);
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

/* "20260131-120000-abcdef": one that ambit made up. A door that starts later has another. */
static bool
is_made_name(const char *name)
{
	static const char shape[] = "00000000-000000-aaaaaa";
	size_t i = 0;

	for (; shape[i] != '\0'; i++) {
		if (shape[i] == '-'	  ? name[i] != '-'
			: shape[i] == '0' ? !ascii_is_digit(name[i])
					  : !(ascii_is_digit(name[i]) || ascii_is_lower(name[i])))
			return false;
	}
	return name[i] == '\0';
}

int
session_may_change(struct world *world, const struct args *args,
	const struct ambit_session *session, const char *options, struct ambit_error *err)
{
	const char *file = world->file != NULL ? world->file : "your settings";
	struct live_list lives = { 0 };
	bool live;
	int r;

	if (session->name != NULL &&
		(args_get(args, OPT_SESSION) != NULL || !is_made_name(session->name)))
		return 0;
	r = live_find(&lives, &world->place, err);
	live = r == 0 && session->name != NULL && is_live(&lives, session->name);
	live_finish(&lives);
	if (r < 0 || live)
		return r;
	return err_set(err, ENOENT,
		"no session of this folder is live, and the next one has a name of its own. To "
		"change it before it starts, say --session NAME here and when you start it%s; for "
		"all of them, write it into %s",
		options, file);
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

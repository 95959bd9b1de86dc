/* SPDX-License-Identifier: Apache-2.0 */
/* ambit sandbox: the folder of a session, its modes, and everything that is open past
 * the line: settings, profiles, approvals, standing rules; of a live one also what the
 * line did so far. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/profile.h"

struct listing {
	struct table table;
	json_t *grants;
};

static void
add_grant_row(struct listing *listing, const char *says, const char *what, const char *from)
{
	json_t *row = json_pack("{s:s}", "says", says);

	table_plain(&listing->table, says);
	table_cell(&listing->table, what);
	table_cell(&listing->table, from);
	if (row == NULL || json_set_text(row, "what", what) < 0 ||
		json_set_text(row, "from", from) < 0)
		listing->table.failed = true;
	if (json_array_append_new(listing->grants, row) < 0)
		listing->table.failed = true;
}

static void
add_profile(struct listing *listing, const char *name, const char *from)
{
	const struct profile *profile = profile_find(name);
	auto_free char *source = str_printf("profile %s, %s", name, from);

	if (profile == NULL || source == NULL)
		return;
	for (const char *const *folder = profile->folders; folder != NULL && *folder != NULL;
		folder++) {
		auto_free char *what = str_printf("write %s", *folder);

		add_grant_row(listing, "yes", what != NULL ? what : *folder, source);
	}
	for (const char *const *host = profile->hosts; host != NULL && *host != NULL; host++) {
		auto_free char *what = str_printf("connect %s", *host);

		add_grant_row(listing, "yes", what != NULL ? what : *host, source);
	}
}

static int
add_setting(void *data, const char *key, const char *value, const char *source, const char *text)
{
	static const struct {
		const char *key, *says, *op;
	} keys[] = {
		{ "write", "yes", "write" },
		{ "read", "yes", "read" },
		{ "allow_hosts", "yes", "connect" },
		{ "deny_hosts", "no", "connect" },
		{ "profiles", "yes", NULL },
	};
	auto_json json_t *list = NULL;
	json_t *item;
	size_t n;

	(void)text;
	if (json_parse(value, strlen(value), &list, NULL) < 0)
		return 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_array_foreach (list, n, item) {
			auto_free char *what = NULL;

			if (!streq(key, keys[i].key) || !json_is_string(item))
				continue;
			if (keys[i].op == NULL) {
				add_profile(data, json_string_value(item), source);
				continue;
			}
			what = str_printf("%s %s", keys[i].op, json_string_value(item));
			if (what == NULL)
				return -ENOMEM;
			add_grant_row(data, keys[i].says, what, source);
		}
	return 0;
}

static int
add_rule(void *data, const struct ambit_rule *rule)
{
	auto_free char *text = ambit_rule_text(rule);
	auto_free char *from = str_printf("rule %lld", (long long)rule->id);
	struct listing *listing = data;
	json_t *row;

	if (text == NULL || from == NULL)
		return -ENOMEM;
	table_plain(&listing->table, rule->yes ? "yes" : "no");
	table_plain(&listing->table, text);
	table_plain(&listing->table, from);
	row = json_pack(
		"{s:s s:s s:s}", "says", rule->yes ? "yes" : "no", "what", text, "from", from);
	return json_array_append_new(listing->grants, row);
}

static int
collect_grants(struct world *world, const struct ambit_session *session, struct listing *listing,
	struct ambit_error *err)
{
	const struct ambit_rule_filter filter = {
		.session = session->name,
		.project = session->root,
	};
	int r = ambit_settings_each(world->settings, add_setting, listing);

	if (r < 0)
		return err_nomem(err);
	return ambit_record_rules(world->record, &filter, add_rule, listing, err);
}

/* As it holds in the process that runs, if there is one: that has options of its own. */
static const char *
live_mode(const json_t *live, const char *key, const char **ret_from)
{
	const json_t *mode =
		json_object_get(json_object_get(json_array_get(live, 0), "modes"), key);
	const char *from = json_string_value(json_object_get(mode, "from"));

	if (from != NULL)
		*ret_from = from;
	return json_string_value(json_object_get(mode, "value"));
}

static void
show_modes(const struct world *world, const struct ambit_session *session, const json_t *live,
	json_t *object)
{
	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++) {
		const char *from = "?", *more = "";
		int value = ambit_engine_mode(world->engine, mode->key, &from);
		const char *now = live_mode(live, mode->key, &from);
		const char *word = now != NULL ? now : ambit_word_name(mode->words, value);

		if (mode->words == ambit_reads_words && value == AMBIT_READS_UNTIL_FIRST_WRITE)
			more = session->wrote ? ", and it has written: now only the folder"
					      : ", and it has not written yet: still anywhere";
		if (object != NULL)
			json_object_set_new(object, mode->key, json_string(word));
		else
			printf("%-13s %s (%s)%s\n", mode->name, word, from, more);
	}
}

static int
show_sandbox(struct world *world, const struct args *args, struct ambit_session *session,
	json_t *live, struct ambit_error *err)
{
	static const char *const heads[] = { "SAYS", "WHAT", "FROM", NULL };
	bool json = args_get(args, OPT_JSON) != NULL;
	auto_json json_t *object =
		json ? json_pack("{s:s s:b}", "session", session->name, "wrote", session->wrote)
		     : NULL;
	struct listing listing = { .grants = json_array() };
	int r = 0;

	if (!json) {
		printf("session       %s\nfolder        ", session->name);
		out_text(session->root);
		putchar('\n');
	} else if (json_set_text(object, "folder", session->root) < 0) {
		r = err_nomem(err);
	}
	show_modes(world, session, live, object);
	table_init(&listing.table, heads);
	if (r == 0)
		r = collect_grants(world, session, &listing, err);
	if (r == 0 && json) {
		json_object_set(object, "grants", listing.grants);
		json_object_set(object, "live", live);
		r = listing.table.failed ? err_nomem(err) : out_json(json_incref(object), err);
	} else if (r == 0) {
		printf("past the line%s\n",
			json_array_size(listing.grants) == 0 ? " nothing is open" : "");
		r = table_finish(&listing.table, err);
		live_show(live);
	}
	strv_free(listing.table.cells);
	json_decref(listing.grants);
	return r;
}

static int
run_sandbox(const struct args *args, struct ambit_error *err)
{
	struct ambit_session session = { 0 };
	struct live_list lives = { 0 };
	auto_json json_t *live = NULL;
	struct world world;
	int r = world_open(&world, args, WORLD_SETTINGS | WORLD_RECORD | WORLD_ITS_FOLDER, err);

	if (r == 0)
		r = session_need(&world, args, &session, err);
	if (r == 0)
		r = world_observe(&world, args, &session, err);
	if (r == 0)
		r = live_find(&lives, &world.place, err);
	if (r == 0 && (live = live_status(&lives, session.name)) == NULL)
		r = err_nomem(err);
	if (r == 0)
		r = show_sandbox(&world, args, &session, live, err);
	live_finish(&lives);
	ambit_session_finish(&session);
	world_finish(&world);
	return r;
}

const struct command cmd_sandbox = {
	.name = "sandbox",
	.args = "",
	.text = "the line of a session, and what is open past it",
	.about = "Shows the folder, the modes, where it reads, and each grant and each "
		 "remembered no\n"
		 "that is in force, with its source. Of a live session it also shows what the "
		 "kernel\n"
		 "and the gate hold, the last descriptors that were given past the line, and "
		 "what was\n"
		 "refused so far. The session is --session, else the live one of this\n"
		 "folder, or its newest.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_JSON, OPT_END },
	.run = run_sandbox,
};

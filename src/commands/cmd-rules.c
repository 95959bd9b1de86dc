/* SPDX-License-Identifier: Apache-2.0 */
/* ambit rules: remembered answers, listed, added by hand, revoked. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/cli-live.h"
#include "cli/out.h"
#include "cli/rule-words.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

struct listing {
	bool json;
	struct table table;
};

/* NULL without memory. */
static json_t *
rule_json(const struct ambit_rule *rule)
{
	auto_free char *text = ambit_rule_text(rule);
	json_t *object = json_pack("{s:I s:b s:s s:b s:b s:I s:I s:b s:s? s:s?}", "id",
		(json_int_t)rule->id, "yes", rule->yes, "op", ambit_word_name(ambit_ops, rule->op),
		"beneath", rule->beneath, "names", rule->names, "created",
		(json_int_t)rule->created, "expires", (json_int_t)rule->expires, "revoked",
		rule->revoked, "session", rule->session, "text", text);
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "subject", rule->subject },
		{ "label", rule->label },
		{ "project", rule->project },
		{ "message", rule->message },
		{ "source", rule->source },
	};

	for (size_t i = 0; object != NULL && i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].value != NULL &&
			json_set_text(object, texts[i].key, texts[i].value) < 0) {
			json_decref(object);
			return NULL;
		}
	return object;
}

static const char *
state_of(const struct ambit_rule *rule, char *buf, size_t size)
{
	if (rule->revoked)
		return "revoked";
	if (rule->expires == 0)
		return NULL;
	return rule->expires <= clock_now() ? "expired" : out_time(rule->expires, buf, size);
}

static int
list_rule(void *data, const struct ambit_rule *rule)
{
	struct listing *listing = data;
	auto_free char *text = ambit_rule_text(rule);
	auto_free char *id = str_printf("%lld", (long long)rule->id);
	char until[32];

	if (listing->json)
		return out_json(rule_json(rule), NULL);
	if (text == NULL)
		return -ENOMEM;
	table_plain(&listing->table, id);
	table_plain(&listing->table, rule->yes ? "yes" : "no");
	table_cell(&listing->table, rule->session);
	table_plain(&listing->table, state_of(rule, until, sizeof(until)));
	table_cell(&listing->table, rule->source);
	table_plain(&listing->table, text);
	return 0;
}

static int
list_rules(struct world *world, const struct args *args, struct ambit_error *err)
{
	static const char *const heads[] = { "ID", "SAYS", "SESSION", "UNTIL", "BY", "RULE", NULL };
	bool all = args_get(args, OPT_ALL) != NULL;
	struct listing listing = { .json = args_get(args, OPT_JSON) != NULL };
	const struct ambit_rule_filter filter = {
		.session = args_get(args, OPT_SESSION),
		.project = all ? NULL : ambit_scope_root(world->scope),
		.all_sessions = all,
		.ended = all,
	};
	int r;

	if (world->record == NULL)
		return 0;
	table_init(&listing.table, heads);
	r = ambit_record_rules(world->record, &filter, list_rule, &listing, err);
	if (r == 0)
		r = table_finish(&listing.table, err);
	strv_free(listing.table.cells);
	return r;
}

/* Those that run go by it from here on, and are named. */
static int
announce_rule(struct world *world, const struct args *args, const struct ambit_rule *rule,
	struct ambit_error *err)
{
	const struct live_for whom = { rule->session, rule->project, rule->op == AMBIT_OP_READ };
	auto_json json_t *object = NULL;
	int r;

	if (args_get(args, OPT_JSON) == NULL)
		return live_reload(&world->place, &whom, NULL, err);
	object = rule_json(rule);
	if (object == NULL)
		return err_nomem(err);
	r = live_reload(&world->place, &whom, object, err);
	return r == 0 ? out_json(json_incref(object), err) : r;
}

static int
add_new_rule(struct world *world, const struct args *args, struct ambit_error *err)
{
	struct ambit_rule rule = { 0 };
	auto_free char *text = NULL;
	int64_t id = 0;
	int r = rule_from_args(world, args, &rule, err);

	if (r == 0)
		r = ambit_record_rule_add(world->record, &rule, &id, err);
	if (r == 0) {
		rule.id = id;
		text = ambit_rule_text(&rule);
		if (args_get(args, OPT_JSON) == NULL)
			printf("rule %lld: %s, %s\n", (long long)id, rule.yes ? "yes" : "no",
				text != NULL ? text : "?");
		r = announce_rule(world, args, &rule, err);
	}
	ambit_rule_finish(&rule);
	return r;
}

struct lost {
	struct world *world;
	const struct args *args;
	int64_t id;
	struct ambit_error *err;
	int r;
};

static int
tell_lost(void *data, const struct ambit_rule *rule)
{
	struct lost *lost = data;

	if (rule->id != lost->id)
		return 0;
	lost->r = announce_rule(lost->world, lost->args, rule, lost->err);
	return 1;
}

static int
revoke_numbered_rule(struct world *world, const struct args *args, struct ambit_error *err)
{
	const struct ambit_rule_filter all = { .all_sessions = true, .ended = true };
	struct lost lost = { .world = world, .args = args, .err = err };
	int64_t id;
	int r;

	if (args->n != 2 || when_number(args->words[1], INT64_MAX / 16, &id) < 0)
		return usage(err, "usage: ambit rules revoke N, a number as in 'ambit rules'");
	r = ambit_record_rule_revoke(world->record, id, err);
	if (r < 0)
		return r;
	if (args_get(args, OPT_JSON) == NULL)
		printf("rule %lld is revoked\n", (long long)id);
	lost.id = id;
	r = ambit_record_rules(world->record, &all, tell_lost, &lost, err);
	return r < 0 ? r : lost.r;
}

static int
run_rules(const struct args *args, struct ambit_error *err)
{
	static const struct {
		const char *word;
		unsigned needs;
		int (*run)(struct world *world, const struct args *args, struct ambit_error *err);
	} what[] = {
		{ "list", WORLD_SCOPE | WORLD_RECORD, list_rules },
		{ "add", WORLD_SETTINGS | WORLD_STORE, add_new_rule },
		{ "revoke", WORLD_STORE, revoke_numbered_rule },
	};
	const char *word = args->n > 0 ? args->words[0] : "list";
	struct world world;

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		int r;

		if (!streq(word, what[i].word))
			continue;
		r = world_open(&world, args, what[i].needs, err);
		if (r == 0)
			r = what[i].run(&world, args, err);
		world_finish(&world);
		return r;
	}
	return usage(err, "rules '%s'? One of list, add, revoke", word);
}

const struct command cmd_rules = {
	.name = "rules",
	.args = "[list] | add write|read|connect|call SUBJECT | revoke N",
	.text = "remembered answers: list, add, revoke",
	.about = "Lists the standing rules of this folder and those for everywhere, and with "
		 "--session\n"
		 "that session's approvals. 'rules add' stores an answer in advance: write or "
		 "read with\n"
		 "a path (a folder stands for everything beneath it, and so does any path with "
		 "--no),\n"
		 "connect with a host or a pattern like *.example.com, call with a shell command "
		 "or a\n"
		 "rule key like 'cmd:git status'. It is a rule of this folder, or of everywhere, "
		 "or of\n"
		 "one session.\n"
		 "\n"
		 "A rule turns a question into its answer. It never lifts what is denied without "
		 "one.\n"
		 "Added or revoked, it holds at once in live sessions that it is for, and they "
		 "are named.",
	.words = (const char *const[]){ "list", "add", "revoke", NULL },
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SESSION, OPT_SETTINGS, OPT_EVERYWHERE,
		OPT_NO, OPT_EXPIRES, OPT_ALL, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit rules add write ~/data", "this folder's agents may write there" },
			{ "ambit rules add connect '*.example.com' --everywhere",
				"for all folders" },
			{ "ambit rules add call 'git push' --no", "never, without a question" },
			{ "ambit rules revoke 3", "forget one" },
			{ NULL, NULL },
		},
	.max = 3,
	.run = run_rules,
};

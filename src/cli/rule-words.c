/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the words of `rules add` into the rule that is stored: real paths, so
 * that a link made later does not move what was granted; the rule key that the
 * engine itself would give to a command. */

#include <stdlib.h>
#include <sys/stat.h>

#include "out.h"
#include "rule-words.h"

#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "record/redact/redact.h"

/* A name that does not exist yet: its real parent, and the name. */
static char *
future_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	auto_free char *dir =
		slash == NULL ? str_dup(".") : strndup(path, (size_t)(slash - path) + 1);
	auto_free char *real = dir != NULL ? realpath(dir, NULL) : NULL;
	struct stat st;

	if (real == NULL)
		return NULL;
	if (name[0] == '\0' || streq(name, ".") || streq(name, "..") || lstat(path, &st) == 0) {
		errno = ENOENT; /* also a link that leads nowhere: it could lead anywhere */
		return NULL;
	}
	return str_printf("%s/%s", streq(real, "/") ? "" : real, name);
}

/* A program that ambit itself runs and believes. */
struct helper {
	const char *subject; /* what would be writable */
	char *found;
};

static int
check_helper(struct helper *helper, const char *path)
{
	auto_free char *real = NULL;

	if (path == NULL || path[0] != '/')
		return 0;
	real = realpath(path, NULL);
	/* The name as well: a link can be made to lead elsewhere. */
	if (!str_beneath(path, helper->subject) &&
		(real == NULL || !str_beneath(real, helper->subject)))
		return 0;
	helper->found = str_escape(path, strlen(path));
	return helper->found != NULL ? 1 : -ENOMEM;
}

/* An interpreter's script is an argument: every absolute one counts. */
static int
see_setting(void *data, const char *key, const char *value, const char *source, const char *text)
{
	auto_json json_t *parsed = NULL;
	const char *ask;
	json_t *word;
	size_t i;
	int r = 0;

	(void)source;
	(void)text;
	if (!streq(key, "policy_program") && !streq(key, "ask"))
		return 0;
	if (json_parse(value, strlen(value), &parsed, NULL) < 0)
		return -EINVAL;
	ask = json_string_value(parsed);
	if (ask != NULL && str_prefix(ask, "exec:"))
		return check_helper(data, ask + strlen("exec:"));
	json_array_foreach (json_object_get(parsed, "command"), i, word)
		if (r == 0)
			r = check_helper(data, json_string_value(word));
	return r;
}

/* What an agent may never get by a rule. */
static int
check_write(const struct world *world, const struct ambit_rule *rule, struct ambit_error *err)
{
	struct helper helper = { .subject = rule->subject };
	bool own = rule->project != NULL && streq(rule->project, rule->subject);
	auto_free char *shown = str_escape(rule->subject, strlen(rule->subject));
	int r;

	if (shown == NULL)
		return err_nomem(err);
	if (!own && rule->beneath && place_is_wide(&world->place, rule->subject))
		return err_set(err, EINVAL,
			"a rule for all of %s, which holds the home directory, would leave no "
			"line; name the folder that is needed",
			shown);
	r = ambit_settings_each(world->settings, see_setting, &helper);
	auto_free char *found = helper.found;
	if (r < 0)
		return err_sys(err, -r, "the settings");
	if (found != NULL)
		return err_set(err, EINVAL,
			"%s is of a program in the settings that ambit believes; who can write "
			"%s could be it",
			found, shown);
	return 0;
}

static int
path_subject(
	struct world *world, const char *path, struct ambit_rule *rule, struct ambit_error *err)
{
	struct stat st;

	rule->subject = realpath(path, NULL);
	if (rule->subject == NULL && errno == ENOENT)
		rule->subject = future_path(path);
	if (rule->subject == NULL) {
		auto_free char *shown = str_escape(path, strlen(path));

		return err_sys(err, errno, "%s", shown != NULL ? shown : "the path");
	}
	/* A no must also hold for what is made there later. */
	rule->beneath = !rule->yes || (stat(rule->subject, &st) == 0 && S_ISDIR(st.st_mode));
	if (rule->yes && rule->op == AMBIT_OP_WRITE)
		return check_write(world, rule, err);
	return 0;
}

/* The settings check the pattern: a rule with one that matches nothing, or
 * more than it seems, must not be stored. */
static int
host_subject(
	struct world *world, const char *host, struct ambit_rule *rule, struct ambit_error *err)
{
	auto_json json_t *list = json_pack("[s]", host);
	auto_free char *text = list != NULL ? json_line(list) : NULL;
	int r;

	if (text == NULL)
		return usage(err, "'%s' is not a host", host);
	r = ambit_settings_set(world->settings, "allow_hosts", text, "rules add", err);
	if (r < 0)
		return r;
	rule->subject = str_dup(host);
	if (rule->subject == NULL)
		return err_nomem(err);
	/* Names have no case; paths of sockets do. */
	for (char *c = rule->subject; *c != '\0' && !str_prefix(host, "unix:"); c++)
		*c = str_lower(*c);
	return 0;
}

/* An engine without a record: asking for the key is no decision to keep. */
static int
decide_unrecorded(struct world *world, const struct ambit_request *request,
	struct ambit_outcome *ret_outcome, struct ambit_error *err)
{
	const struct ambit_engine_options options = {
		.settings = world->settings,
		.scope = world->scope,
		.door = "rules",
	};
	struct ambit_engine *engine = NULL;
	int r = ambit_engine_create(&options, &engine, err);

	if (r == 0)
		r = ambit_engine_decide(engine, request, ret_outcome, err);
	ambit_engine_destroy(engine);
	return r;
}

static int
command_key(struct world *world, const char *command, char **ret_key, struct ambit_error *err)
{
	auto_json json_t *object = json_pack("{s:s}", "command", command);
	auto_free char *text = object != NULL ? json_line(object) : NULL;
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	int r;

	if (text == NULL)
		return usage(err, "'%s' is not a command", command);
	r = ambit_request_create("bash", text, strlen(text), &request, err);
	if (r == 0)
		r = decide_unrecorded(world, request, &outcome, err);
	if (r == 0) {
		*ret_key = str_dup(outcome.rule_key);
		if (*ret_key == NULL)
			r = err_set(err, EINVAL, "this command has no rule key");
	}
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return r;
}

static int
call_subject(
	struct world *world, const char *text, struct ambit_rule *rule, struct ambit_error *err)
{
	static const char *const keys[] = { "cmd:", "exact:", "call:" };
	const char *shown = text;
	int r;

	for (size_t i = 0; rule->subject == NULL && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (str_prefix(text, keys[i]) && (rule->subject = str_dup(text)) == NULL)
			return err_nomem(err);
	if (rule->subject == NULL) {
		r = command_key(world, text, &rule->subject, err);
		if (r != 0)
			return r;
		/* 'git status -s' is remembered as any 'git status': show that. */
		if (str_prefix(rule->subject, "cmd:"))
			shown = rule->subject + strlen("cmd:");
	}
	rule->label = redact_secrets(shown);
	return rule->label != NULL ? 0 : err_nomem(err);
}

static int
set_holder(struct world *world, const struct args *args, struct ambit_rule *rule,
	struct ambit_error *err)
{
	const char *session = args_get(args, OPT_SESSION), *expires = args_get(args, OPT_EXPIRES);
	bool everywhere = args_get(args, OPT_EVERYWHERE) != NULL;
	int64_t duration = 0;

	if (session != NULL && everywhere)
		return usage(err, "--session and --everywhere exclude each other");
	if (expires != NULL && when_duration(expires, &duration) < 0)
		return usage(err, "--expires: '%s' is not like 90s, 15m, 2h, 3d", expires);
	rule->created = clock_now();
	rule->expires = expires != NULL ? rule->created + duration : 0;
	rule->source = str_dup("rules add");
	rule->session = str_dup(session);
	if (!everywhere)
		rule->project = str_dup(ambit_scope_root(world->scope));
	if (rule->source == NULL || (session != NULL && rule->session == NULL) ||
		(!everywhere && rule->project == NULL))
		return err_nomem(err);
	return 0;
}

int
rule_from_args(struct world *world, const struct args *args, struct ambit_rule *ret_rule,
	struct ambit_error *err)
{
	const struct ambit_word *op;
	int r;

	if (args->n != 3 || args->words[2][0] == '\0')
		return usage(err, "usage: ambit rules add write|read|connect|call SUBJECT");
	op = ambit_word_find(ambit_ops, args->words[1]);
	if (op == NULL)
		return usage(
			err, "rules add '%s'? One of write, read, connect, call", args->words[1]);
	*ret_rule = (struct ambit_rule){
		.op = (enum ambit_op)op->value,
		.yes = args_get(args, OPT_NO) == NULL,
	};
	r = set_holder(world, args, ret_rule, err);
	if (r != 0)
		return r;
	if (ret_rule->op == AMBIT_OP_CALL)
		return call_subject(world, args->words[2], ret_rule, err);
	if (ret_rule->op == AMBIT_OP_CONNECT)
		return host_subject(world, args->words[2], ret_rule, err);
	return path_subject(world, args->words[2], ret_rule, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the words of `rules add` into the rule that is stored: real paths, so
 * that a link made later does not move what was granted; the rule key that the
 * engine itself would give to a command. */

#include <stdlib.h>
#include <sys/stat.h>

#include "out.h"
#include "rule.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/run.h"
#include "base/str.h"

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
	rule->beneath = stat(rule->subject, &st) == 0 && S_ISDIR(st.st_mode);
	if (rule->yes && rule->op == AMBIT_OP_WRITE && rule->beneath &&
		place_is_wide(&world->place, rule->subject))
		return err_set(err, EINVAL,
			"a rule for all of %s would leave no line; name the folder that is needed",
			streq(rule->subject, "/") ? "/" : "the home directory");
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
	for (char *c = rule->subject; *c != '\0'; c++)
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

	rule->label = ambit_redact(text);
	if (rule->label == NULL)
		return err_nomem(err);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (str_prefix(text, keys[i])) {
			rule->subject = str_dup(text);
			return rule->subject != NULL ? 0 : err_nomem(err);
		}
	return command_key(world, text, &rule->subject, err);
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

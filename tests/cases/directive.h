/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CASES_DIRECTIVE_H
#define CASES_DIRECTIVE_H

/* The lines that change the world. One row each, at the end. */

#include "case-line.h"

/* -- files --------------------------------------------------------------------- */

static int
make_dirs(char *path)
{
	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return 0;
}

static int
do_dir(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);

	if (make_dirs(path) < 0 || (mkdir(path, 0755) < 0 && errno != EEXIST))
		return err_sys(err, errno, "%s", path);
	return 0;
}

static int
do_file(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);
	size_t len;
	auto_free char *text = expand(&run->world, rest, true, &len);

	if (make_dirs(path) < 0 || write_text(path, text, len) < 0)
		return err_sys(err, errno, "%s", path);
	return 0;
}

static int
do_link(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);
	auto_free char *target = expand(&run->world, word(&rest), true, NULL);

	if (make_dirs(path) < 0 || symlink(target, path) < 0)
		return err_sys(err, errno, "%s", path);
	return 0;
}

static int
do_hardlink(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);
	auto_free char *target = path_word(&run->world, &rest);

	if (make_dirs(path) < 0 || link(target, path) < 0)
		return err_sys(err, errno, "%s", path);
	return 0;
}

static int
do_fifo(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);

	return mkfifo(path, 0600) < 0 ? err_sys(err, errno, "%s", path) : 0;
}

static int
do_remove(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_sys(err, errno, "%s", path);
	world_remove(path);
	return 0;
}

static int
do_rename(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *path = path_word(&run->world, &rest);
	auto_free char *target = path_word(&run->world, &rest);

	return rename(path, target) < 0 ? err_sys(err, errno, "%s", path) : 0;
}

static int
do_chmod(struct run *run, char *rest, struct ambit_error *err)
{
	mode_t mode = (mode_t)strtoul(word(&rest), NULL, 8);
	auto_free char *path = path_word(&run->world, &rest);

	return chmod(path, mode) < 0 ? err_sys(err, errno, "%s", path) : 0;
}

/* -- what the engine starts from ------------------------------------------------- */

static int
do_settings(struct run *run, char *rest, struct ambit_error *err)
{
	(void)err;
	free(run->world.settings_text);
	run->world.settings_text = *rest ? expand(&run->world, rest, false, NULL) : NULL;
	return 0;
}

static int
do_folder(struct run *run, char *rest, struct ambit_error *err)
{
	(void)err;
	free(run->world.folder_text);
	run->world.folder_text = *rest ? expand(&run->world, rest, false, NULL) : NULL;
	return 0;
}

static int
do_scope(struct run *run, char *rest, struct ambit_error *err)
{
	struct world *w = &run->world;

	set(&w->scope_root, NULL);
	set(&w->display_root, NULL);
	set(&w->child, NULL);
	w->enforce = w->no_bash = w->child_no_bash = false;
	world_new_session(w);
	while (*rest) {
		char *one = word(&rest), *equals = strchr(one, '=');
		auto_free char *value = equals ? expand(w, equals + 1, true, NULL) : NULL;

		if (value && str_prefix(one, "root="))
			set(&w->scope_root, value);
		else if (value && str_prefix(one, "display="))
			set(&w->display_root, value);
		else if (value && str_prefix(one, "child="))
			set(&w->child, value);
		else if (streq(one, "enforce"))
			w->enforce = true;
		else if (streq(one, "no-bash"))
			w->no_bash = true;
		else if (streq(one, "child-no-bash"))
			w->child_no_bash = true;
		else
			return err_set(err, EINVAL, "scope: what is '%s'?", one);
	}
	return 0;
}

static int
own_policy(void *data, const struct ambit_request *request, struct ambit_opinion *ret)
{
	const char *name = data;

	(void)request;
	if (streq(name, "own:fails"))
		return -EIO;
	ret->verdict = streq(name, "own:nonsense") ? (enum ambit_verdict)7
		       : streq(name, "own:ask")	   ? AMBIT_ASK
		       : streq(name, "own:allow")  ? AMBIT_ALLOW
						   : AMBIT_DENY;
	ret->code = AMBIT_CODE_DENIED;
	snprintf(ret->reason, sizeof(ret->reason), "the harness says so");
	return 0;
}

static struct ambit_policy *
one_policy(const struct world *w, const char *name)
{
	static char own[][16] = { "own:fails", "own:nonsense", "own:ask", "own:allow", "own:deny" };

	if (streq(name, "allow_all"))
		return ambit_policy_allow_all();
	if (streq(name, "deny_all"))
		return ambit_policy_deny_all();
	if (streq(name, "reads_only"))
		return ambit_policy_by_side_effect(
			(const enum ambit_permission[AMBIT_EFFECTS_N]){ AMBIT_PERMISSION_ALLOW });
	if (streq(name, "only_the_folder"))
		return ambit_policy_path_allowlist((const char *const[]){ w->root }, 1);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (streq(name, own[i]))
			return ambit_policy_create(own_policy, own[i]);
	return NULL;
}

/* The harness' own policies, composed if there are several. */
static int
do_policy(struct run *run, char *rest, struct ambit_error *err)
{
	struct ambit_policy *parts[8];
	size_t n = 0;

	ambit_policy_destroy(run->world.policy);
	run->world.policy = NULL;
	while (*rest && n < 8)
		parts[n++] = one_policy(&run->world, word(&rest));
	if (n == 1)
		run->world.policy = parts[0];
	else if (n > 1)
		run->world.policy = ambit_policy_compose(parts, n);
	return n > 0 && !run->world.policy ? err_set(err, EINVAL, "no such policy") : 0;
}

static int
do_record(struct run *run, char *rest, struct ambit_error *err)
{
	char *how = word(&rest);

	run->world.record_how = streq(how, "read")   ? RECORD_READ
				: streq(how, "none") ? RECORD_NONE
						     : RECORD_WRITE;
	(void)err;
	return 0;
}

static int
do_asker(struct run *run, char *rest, struct ambit_error *err)
{
	auto_free char *spec = expand(&run->world, word(&rest), true, NULL);

	(void)err;
	set(&run->world.asker, streq(spec, "none") ? NULL : spec);
	return 0;
}

static int
do_reset(struct run *run, char *rest, struct ambit_error *err)
{
	(void)rest;
	(void)err;
	world_reset(&run->world);
	return 0;
}

/* -- the session and its memory ---------------------------------------------------- */

static int
change_mode(struct ambit_session *session, void *data)
{
	struct {
		const char *key;
		const struct ambit_word *words;
		int *field;
	} modes[] = {
		{ "agent_mode", ambit_agent_modes, &session->agent_mode },
		{ "sandbox_mode", ambit_sandbox_modes, &session->sandbox_mode },
		{ "ask_mode", ambit_ask_modes, &session->ask_mode },
		{ "reads", ambit_reads_words, &session->reads },
	};
	char *text = data, *equals = strchr(text, '=');

	for (size_t i = 0; equals && i < sizeof(modes) / sizeof(modes[0]); i++) {
		const struct ambit_word *row = ambit_word_find(modes[i].words, equals + 1);

		if (strlen(modes[i].key) != (size_t)(equals - text) ||
			!str_prefix(text, modes[i].key) || !row)
			continue;
		*modes[i].field = row->value;
		return 0;
	}
	return -EINVAL;
}

static int
do_session(struct run *run, char *rest, struct ambit_error *err)
{
	int r = 0;

	while (r == 0 && *rest)
		r = world_change_session(&run->world, change_mode, word(&rest), err);
	return r;
}

static int
change_permission(struct ambit_session *session, void *data)
{
	char *tool = word((char **)data);
	const struct ambit_word *row = ambit_word_find(ambit_permissions, word((char **)data));
	struct ambit_tool_permission *more =
		realloc(session->permissions, (session->n_permissions + 1) * sizeof(*more));

	if (more)
		session->permissions = more;
	if (!more || !row)
		return -EINVAL;
	more[session->n_permissions].tool = strdup(tool);
	more[session->n_permissions++].permission = (enum ambit_permission)row->value;
	return 0;
}

static int
do_perm(struct run *run, char *rest, struct ambit_error *err)
{
	return world_change_session(&run->world, change_permission, &rest, err);
}

/* A rule about a call is written as the call itself. */
static char *
rule_subject(const struct world *w, char **rest, struct ambit_error *err)
{
	auto_free char *text = NULL;
	struct ambit_request *request = NULL;
	char *key, *end = *rest[0] == '{' ? strrchr(*rest, '}') : NULL;

	if (!end)
		return expand(w, word(rest), true, NULL);
	text = strndup(*rest, (size_t)(end - *rest) + 1);
	*rest = end + 1;
	auto_free char *whole = expand(w, text, false, NULL);

	if (ambit_request_parse(whole, strlen(whole), &request, err) < 0)
		return NULL;
	key = request_call_key(request);
	ambit_request_destroy(request);
	return key;
}

static int
rule_option(const struct world *w, const char *option, struct ambit_rule *rule, bool *ret_revoke)
{
	if (streq(option, "beneath")) {
		rule->beneath = true;
	} else if (streq(option, "always")) {
		rule->session = NULL;
		rule->project = w->scope_root ? w->scope_root : w->root;
	} else if (streq(option, "everywhere")) {
		rule->session = rule->project = NULL;
	} else if (streq(option, "elsewhere")) {
		rule->session = NULL;
		rule->project = w->out;
	} else if (streq(option, "expired")) {
		rule->expires = 1;
	} else if (streq(option, "revoked")) {
		*ret_revoke = true;
	} else if (str_prefix(option, "pid=")) {
		rule->pid = (pid_t)strtol(option + 4, NULL, 10);
	} else if (str_prefix(option, "start=")) {
		rule->start = strtoull(option + 6, NULL, 10);
	} else {
		return -EINVAL;
	}
	return 0;
}

static int
do_rule(struct run *run, char *rest, struct ambit_error *err)
{
	static char source[] = "cases";
	struct world *w = &run->world;
	const char *answer = word(&rest);
	const struct ambit_word *op = ambit_word_find(ambit_ops, word(&rest));
	auto_free char *subject = rule_subject(w, &rest, err);
	struct ambit_rule rule = {
		.yes = streq(answer, "yes"),
		.op = op ? (enum ambit_op)op->value : AMBIT_OP_WRITE,
		.subject = subject,
		.session = w->session,
		.created = 1,
		.source = source,
	};
	bool revoke = false;

	if (!op || !subject || (!rule.yes && !streq(answer, "no")))
		return err_set(err, EINVAL, "rule: not understood");
	while (*rest) {
		char *option = word(&rest);

		if (*option && rule_option(w, option, &rule, &revoke) < 0)
			return err_set(err, EINVAL, "rule: what is '%s'?", option);
	}
	reach_add(run->reach, "rule of", op->name);
	return world_add_rule(w, &rule, revoke, err);
}

/* -- of every request --------------------------------------------------------------- */

static int
do_held(struct run *run, char *rest, struct ambit_error *err)
{
	(void)err;
	run->world.held = streq(word(&rest), "on");
	return 0;
}

static int
do_runner(struct run *run, char *rest, struct ambit_error *err)
{
	static const char *const runners[] = { "other", "own", "line" };
	const char *name = word(&rest);

	for (size_t i = 0; i < sizeof(runners) / sizeof(runners[0]); i++)
		if (streq(name, runners[i])) {
			run->world.runner = (enum request_runner)i;
			return 0;
		}
	return err_set(err, EINVAL, "runner: what is '%s'?", name);
}

static int
do_cwd(struct run *run, char *rest, struct ambit_error *err)
{
	(void)err;
	free(run->world.cwd);
	run->world.cwd = *rest ? expand(&run->world, word(&rest), true, NULL) : NULL;
	return 0;
}

static int
do_who(struct run *run, char *rest, struct ambit_error *err)
{
	(void)err;
	run->world.pid = (pid_t)strtol(word(&rest), NULL, 10);
	run->world.start = strtoull(word(&rest), NULL, 10);
	return 0;
}

static const struct directive {
	const char *name;
	int (*run)(struct run *run, char *rest, struct ambit_error *err);
	bool keeps; /* the engine that is open goes on */
} directives[] = {
	{ "dir", do_dir, false },
	{ "file", do_file, false },
	{ "link", do_link, false },
	{ "hardlink", do_hardlink, false },
	{ "fifo", do_fifo, false },
	{ "remove", do_remove, false },
	{ "rename", do_rename, false },
	{ "chmod", do_chmod, false },
	{ "settings", do_settings, false },
	{ "folder", do_folder, false },
	{ "scope", do_scope, false },
	{ "policy", do_policy, false },
	{ "record", do_record, false },
	{ "asker", do_asker, false },
	{ "reset", do_reset, false },
	{ "session", do_session, false },
	{ "perm", do_perm, false },
	{ "rule", do_rule, true },
	{ "held", do_held, true },
	{ "runner", do_runner, true },
	{ "cwd", do_cwd, true },
	{ "who", do_who, true },
};

static const struct directive *
find_directive(const char *line)
{
	size_t n = strcspn(line, " \t");

	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (strlen(directives[i].name) == n && str_prefix(line, directives[i].name))
			return &directives[i];
	return NULL;
}

static int
direct(struct run *run, const struct directive *directive, char *line, struct ambit_error *err)
{
	char *rest = line + strlen(directive->name);

	rest += strspn(rest, " \t");
	if (!directive->keeps && !run->live)
		world_close_engine(&run->world);
	return directive->run(run, rest, err);
}

#endif

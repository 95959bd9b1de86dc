/* SPDX-License-Identifier: Apache-2.0 */
/* Policies that only narrow: the composable ones, by the C interface and by
 * name in the settings, and the person's program. Whatever goes wrong while
 * one is asked is an ask; its allow adds nothing. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "decide/decide.h"

#define PROGRAM_OUTPUT_MAX (64u << 10)
#define PROGRAM_TIMEOUT_MS 5000

enum policy_kind {
	POLICY_DENY_ALL = 0,
	POLICY_ALLOW_ALL,
	POLICY_BY_SIDE_EFFECT,
	POLICY_PATH_ALLOWLIST,
	POLICY_COMPOSE,
	POLICY_OWN,
};

struct ambit_policy {
	enum policy_kind kind;
	enum ambit_permission by[AMBIT_EFFECTS_N];
	char **dirs;
	struct ambit_policy **parts;
	size_t n_parts;
	int (*decide)(void *data, const struct ambit_request *request, struct ambit_opinion *ret);
	void *data;
};

static struct ambit_policy *
create_policy(enum policy_kind kind)
{
	struct ambit_policy *policy = calloc(1, sizeof(*policy));

	if (policy)
		policy->kind = kind;
	return policy;
}

struct ambit_policy *
ambit_policy_allow_all(void)
{
	return create_policy(POLICY_ALLOW_ALL);
}

struct ambit_policy *
ambit_policy_deny_all(void)
{
	return create_policy(POLICY_DENY_ALL);
}

struct ambit_policy *
ambit_policy_by_side_effect(const enum ambit_permission by[AMBIT_EFFECTS_N])
{
	struct ambit_policy *policy = create_policy(POLICY_BY_SIDE_EFFECT);

	if (policy)
		memcpy(policy->by, by, sizeof(policy->by));
	return policy;
}

struct ambit_policy *
ambit_policy_path_allowlist(const char *const *dirs, size_t n)
{
	struct ambit_policy *policy = create_policy(POLICY_PATH_ALLOWLIST);

	for (size_t i = 0; policy && i < n; i++)
		if (strv_append(&policy->dirs, dirs[i]) < 0) {
			ambit_policy_destroy(policy);
			return NULL;
		}
	return policy;
}

struct ambit_policy *
ambit_policy_compose(struct ambit_policy **parts, size_t n)
{
	struct ambit_policy *policy = create_policy(POLICY_COMPOSE);
	bool whole = policy != NULL;

	if (policy)
		policy->parts = calloc(n ? n : 1, sizeof(*policy->parts));
	for (size_t i = 0; i < n; i++) {
		whole = whole && parts[i] != NULL;
		if (policy && policy->parts)
			policy->parts[policy->n_parts++] = parts[i];
		else
			ambit_policy_destroy(parts[i]);
	}
	/* A part that could not be made must not silently be missing. */
	if (!whole || !policy->parts) {
		ambit_policy_destroy(policy);
		return NULL;
	}
	return policy;
}

struct ambit_policy *
ambit_policy_create(int (*decide_fn)(void *data, const struct ambit_request *request,
			    struct ambit_opinion *ret),
	void *data)
{
	struct ambit_policy *policy = create_policy(POLICY_OWN);

	if (policy) {
		policy->decide = decide_fn;
		policy->data = data;
	}
	return policy;
}

void
ambit_policy_destroy(struct ambit_policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; i < policy->n_parts; i++)
		ambit_policy_destroy(policy->parts[i]);
	free(policy->parts);
	strv_free(policy->dirs);
	free(policy);
}

/* -- opinions -------------------------------------------------------------- */

static void
set_opinion(struct ambit_opinion *ret, enum ambit_verdict verdict, enum ambit_code code,
	const char *reason)
{
	ret->verdict = verdict;
	ret->code = code;
	snprintf(ret->reason, sizeof(ret->reason), "%s", reason);
}

static void
opine_effect(const struct ambit_policy *policy, const struct ambit_request *request,
	struct ambit_opinion *ret)
{
	int strict = AMBIT_PERMISSION_ALLOW;
	const char *name = "none";

	if (request->effects == 0) {
		set_opinion(
			ret, AMBIT_ASK, AMBIT_CODE_NONE, "by_side_effect: its effects are unknown");
		return;
	}
	for (unsigned i = 0; i < AMBIT_EFFECTS_N; i++)
		if ((request->effects & (1u << i)) && (int)policy->by[i] < strict) {
			strict = (int)policy->by[i];
			name = ambit_word_name(ambit_effects, (int)(1u << i));
		}
	set_opinion(ret, (enum ambit_verdict)strict,
		strict == AMBIT_PERMISSION_DENY ? AMBIT_CODE_DENIED : AMBIT_CODE_NONE, "");
	snprintf(ret->reason, sizeof(ret->reason), "by_side_effect: %s is %s", name,
		ambit_word_name(ambit_permissions, strict));
}

static bool
is_listed_path(const struct ambit_policy *policy, const char *real)
{
	for (size_t i = 0; policy->dirs && policy->dirs[i]; i++) {
		struct path_facts dir;
		bool held;

		/* A directory that cannot be resolved holds nothing. */
		if (policy->dirs[i][0] != '/' ||
			resolve_path(AT_FDCWD, "/", policy->dirs[i], strlen(policy->dirs[i]), true,
				&dir, NULL) < 0)
			continue;
		held = str_beneath(real, dir.real);
		resolved_finish(&dir);
		if (held)
			return true;
	}
	return false;
}

static void
opine_paths(const struct ambit_policy *policy, const struct decision *d, struct ambit_opinion *ret)
{
	const struct ambit_request *request = d->in->request;

	if (d->out->n_paths == 0) {
		bool lost = request->tool && request->tool->needs_path;

		set_opinion(ret, lost ? AMBIT_ASK : AMBIT_ALLOW, AMBIT_CODE_NONE,
			lost ? "path_allowlist: no path to check" : "path_allowlist: no path");
		return;
	}
	for (size_t i = 0; i < d->out->n_paths; i++)
		if (!is_listed_path(policy, d->out->paths[i].path)) {
			set_opinion(ret, AMBIT_DENY, AMBIT_CODE_OUT_OF_SCOPE, "");
			snprintf(ret->reason, sizeof(ret->reason),
				"path_allowlist: %s is in none of the listed folders",
				d->out->paths[i].shown);
			return;
		}
	set_opinion(ret, AMBIT_ALLOW, AMBIT_CODE_NONE, "path_allowlist: listed");
}

static void
opine_policy(const struct ambit_policy *policy, const struct decision *d, struct ambit_opinion *ret)
{
	struct ambit_opinion part;

	switch (policy->kind) {
	case POLICY_ALLOW_ALL:
		set_opinion(ret, AMBIT_ALLOW, AMBIT_CODE_NONE, "allow_all");
		return;
	case POLICY_BY_SIDE_EFFECT:
		opine_effect(policy, d->in->request, ret);
		return;
	case POLICY_PATH_ALLOWLIST:
		opine_paths(policy, d, ret);
		return;
	case POLICY_COMPOSE:
		set_opinion(ret, AMBIT_ALLOW, AMBIT_CODE_NONE, "compose: nobody objects");
		for (size_t i = 0; i < policy->n_parts; i++) {
			opine_policy(policy->parts[i], d, &part);
			if (part.verdict < ret->verdict)
				*ret = part;
		}
		return;
	case POLICY_OWN:
		memset(&part, 0, sizeof(part));
		if (policy->decide(policy->data, d->in->request, &part) == 0 &&
			part.verdict <= AMBIT_ALLOW)
			*ret = part;
		else
			set_opinion(ret, AMBIT_ASK, AMBIT_CODE_NONE, "the harness' policy failed");
		ret->reason[sizeof(ret->reason) - 1] = '\0';
		return;
	case POLICY_DENY_ALL:
		break;
	}
	set_opinion(ret, AMBIT_DENY, AMBIT_CODE_DENIED, "deny_all");
}

static void
apply_opinion(struct decision *d, const struct ambit_opinion *opinion)
{
	const char *reason = opinion->reason[0] ? opinion->reason : "a policy says so";

	if (opinion->verdict == AMBIT_DENY) {
		enum ambit_code code = opinion->code;

		if (code == AMBIT_CODE_NONE || code == AMBIT_CODE_INTERNAL || code >= AMBIT_CODE_N)
			code = AMBIT_CODE_DENIED;
		decision_say(d, AMBIT_DENY, code, true, "%s", reason);
	} else if (opinion->verdict == AMBIT_ASK) {
		decision_ask_call(d,
			opinion->code == AMBIT_CODE_TIMEOUT ? AMBIT_CODE_TIMEOUT : AMBIT_CODE_NONE,
			reason);
	} else {
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "%s", reason);
	}
}

/* -- the program ------------------------------------------------------------ */

extern char **environ;

static int
read_opinion(const char *text, size_t len, struct ambit_opinion *ret, bool *ret_remember,
	struct ambit_error *err)
{
	auto_json json_t *answer = NULL;
	const json_t *remember;
	const struct ambit_word *word;
	const char *verdict, *reason;
	int r = json_parse(text, len, &answer, err);

	if (r < 0)
		return r;
	verdict = json_string_value(json_object_get(answer, "verdict"));
	word = verdict ? ambit_word_find(ambit_verdicts, verdict) : NULL;
	if (!word)
		return err_set(err, EINVAL, "no verdict in its answer");
	remember = json_object_get(answer, "remember");
	if (remember && !json_is_boolean(remember))
		return err_set(err, EINVAL, "'remember' in its answer is neither true nor false");
	*ret_remember = json_is_true(remember);
	reason = json_string_value(json_object_get(answer, "reason"));
	auto_free char *shown = str_escape(reason ? reason : "", reason ? strlen(reason) : 0);

	if (!shown)
		return err_nomem(err);
	set_opinion(ret, (enum ambit_verdict)word->value,
		word->value == AMBIT_DENY ? AMBIT_CODE_DENIED : AMBIT_CODE_NONE, "");
	snprintf(ret->reason, sizeof(ret->reason), "the policy program says %s%s%s", word->name,
		*shown ? ": " : "", shown);
	return 0;
}

/* Takes the answer that the policy program gave to exactly this request and wanted remembered.
 * False: there is none. */
static bool
recall_opinion(struct decision *d, const char digest[HASH_HEX])
{
	static const char remembered[] = " (remembered)";
	struct ambit_opinion opinion = { 0 };
	size_t room = sizeof(opinion.reason) - sizeof(remembered), len;

	if (!d->in->answers || !policy_memory_find(d->in->answers, digest, &opinion))
		return false;
	len = strlen(opinion.reason);
	len = str_cut(opinion.reason, len, len < room ? len : room);
	memcpy(opinion.reason + len, remembered, sizeof(remembered));
	apply_opinion(d, &opinion);
	return true;
}

static void
ask_program(struct decision *d, const struct settings_values *values)
{
	auto_json json_t *request = request_json(d->in->request);
	auto_free char *line = request ? json_line(request) : NULL, *output = NULL;
	struct ambit_opinion opinion = { 0 };
	struct ambit_error err = { 0 };
	char digest[HASH_HEX];
	bool remember = false;
	size_t len;
	int r;

	if (!line) {
		d->failed = -ENOMEM;
		return;
	}
	hash_sha256(line, strlen(line), digest);
	if (recall_opinion(d, digest))
		return;
	r = run_program(values->policy_program, environ, line, strlen(line), PROGRAM_OUTPUT_MAX,
		values->policy_timeout > 0 ? values->policy_timeout : PROGRAM_TIMEOUT_MS, &output,
		&len, &err);
	if (r == 0)
		r = read_opinion(output, len, &opinion, &remember, &err);
	if (r < 0) {
		set_opinion(&opinion, AMBIT_ASK,
			r == -ETIMEDOUT ? AMBIT_CODE_TIMEOUT : AMBIT_CODE_NONE, "");
		snprintf(opinion.reason, sizeof(opinion.reason),
			"the policy program failed: %.400s", err.text);
	} else if (remember && d->in->answers) {
		policy_memory_keep(d->in->answers, digest, &opinion);
	}
	apply_opinion(d, &opinion);
}

bool
policy_is_set(const struct decide_input *in)
{
	return settings_policy(in->settings) || in->policy ||
	       settings_person(in->settings)->policy_program;
}

void
policy_decide(struct decision *d)
{
	const struct ambit_policy *policies[] = { settings_policy(d->in->settings), d->in->policy };
	struct ambit_opinion opinion;

	/* A policy hears a whole request, with its words, and what it says is recorded. */
	if (d->silent && policy_is_set(d->in)) {
		decision_ask_call(d, AMBIT_CODE_NONE, "");
		d->ended = true;
		return;
	}
	for (size_t i = 0; i < 2 && !d->ended; i++) {
		if (!policies[i])
			continue;
		opine_policy(policies[i], d, &opinion);
		apply_opinion(d, &opinion);
	}
	if (!d->ended && settings_person(d->in->settings)->policy_program)
		ask_program(d, settings_person(d->in->settings));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The "policy" setting: from JSON that anybody may have written to a checked
 * copy of it, and from that copy to the policy it stands for. */

#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"
#include "settings/decode.h"

static int check_policy(struct decode *d, const json_t *value, int depth, json_t **ret_policy);

/* -- {"by_side_effect": {...}} ----------------------------------------------- */

static int
check_effects(struct decode *d, const json_t *value, int depth, json_t **ret_value)
{
	int by[AMBIT_EFFECTS_N] = {
		AMBIT_PERMISSION_ALLOW, /* read; the rest is asked about unless it is said */
		AMBIT_PERMISSION_ASK,
		AMBIT_PERMISSION_ASK,
		AMBIT_PERMISSION_ASK,
		AMBIT_PERMISSION_ASK,
	};
	auto_json json_t *object = json_object();
	int r = decode_effects(d, value, by);

	(void)depth;
	for (int i = 0; r == 0 && i < AMBIT_EFFECTS_N; i++)
		if (json_object_set_new(object, ambit_word_name(ambit_effects, 1 << i),
			    json_string(ambit_word_name(ambit_permissions, by[i]))) < 0)
			r = err_nomem(d->err);
	if (r == 0)
		*ret_value = steal_ptr(&object);
	return r;
}

static struct ambit_policy *
build_effects(const json_t *value)
{
	enum ambit_permission by[AMBIT_EFFECTS_N] = { AMBIT_PERMISSION_DENY };

	for (int i = 0; i < AMBIT_EFFECTS_N; i++) {
		json_t *member = json_object_get(value, ambit_word_name(ambit_effects, 1 << i));
		const struct ambit_word *word =
			json_is_string(member)
				? ambit_word_find(ambit_permissions, json_string_value(member))
				: NULL;

		if (word)
			by[i] = (enum ambit_permission)word->value;
	}
	return ambit_policy_by_side_effect(by);
}

/* -- {"path_allowlist": [...]} ------------------------------------------------ */

static int
check_paths(struct decode *d, const json_t *value, int depth, json_t **ret_value)
{
	auto_json json_t *array = json_array();
	const char *text;
	int r = decode_array(d, value, "a list of absolute paths");

	(void)depth;
	for (size_t i = 0; r == 0 && i < json_array_size(value); i++) {
		auto_free char *path = NULL;

		decode_enter_index(d, i);
		r = decode_string(d, json_array_get(value, i), "a list of strings", &text);
		if (r == 0)
			r = element_path(d, text, &path);
		if (r == 0 && json_array_append_new(array, json_string(path)) < 0)
			r = decode_bad(d, "'%s' is not UTF-8", decode_show(d, path));
		if (r == 0)
			decode_leave(d);
	}
	if (r == 0)
		*ret_value = steal_ptr(&array);
	return r;
}

static struct ambit_policy *
build_paths(const json_t *value)
{
	size_t n = json_array_size(value);
	auto_free const char **dirs = calloc(n + 1, sizeof(*dirs));

	if (!dirs)
		return NULL;
	for (size_t i = 0; i < n; i++)
		dirs[i] = json_string_value(json_array_get(value, i));
	return ambit_policy_path_allowlist(dirs, n);
}

/* -- {"compose": [...]} ------------------------------------------------------- */

static int
check_compose(struct decode *d, const json_t *value, int depth, json_t **ret_value)
{
	auto_json json_t *array = json_array();
	int r = decode_array(d, value, "a list of policies");

	if (r == 0 && json_array_size(value) == 0)
		r = decode_bad(d, "'compose' is empty");
	for (size_t i = 0; r == 0 && i < json_array_size(value); i++) {
		json_t *part = NULL;

		decode_enter_index(d, i);
		r = check_policy(d, json_array_get(value, i), depth + 1, &part);
		if (r == 0 && json_array_append_new(array, part) < 0)
			r = err_nomem(d->err);
		if (r == 0)
			decode_leave(d);
	}
	if (r == 0)
		*ret_value = steal_ptr(&array);
	return r;
}

static struct ambit_policy *
build_compose(const json_t *value)
{
	size_t n = json_array_size(value), i;
	auto_free struct ambit_policy **parts = calloc(n + 1, sizeof(struct ambit_policy *));

	if (!parts)
		return NULL;
	for (i = 0; i < n; i++) {
		parts[i] = policy_build(json_array_get(value, i));
		if (!parts[i])
			break;
	}
	if (i == n)
		return ambit_policy_compose(parts, n);
	while (i > 0)
		ambit_policy_destroy(parts[--i]);
	return NULL;
}

/* ------------------------------------------------------------------------------ */

static const struct form {
	const char *name;
	int (*check)(struct decode *d, const json_t *value, int depth, json_t **ret_value);
	struct ambit_policy *(*build)(const json_t *value);
} forms[] = {
	{ "by_side_effect", check_effects, build_effects },
	{ "path_allowlist", check_paths, build_paths },
	{ "compose", check_compose, build_compose },
};

#define FORMS_N (sizeof(forms) / sizeof(forms[0]))

static int
report_unknown_policy(struct decode *d, const char *name)
{
	return decode_bad(d,
		"unknown policy '%s': allow_all, deny_all, by_side_effect, path_allowlist, "
		"compose",
		decode_show(d, name));
}

static int
check_word(struct decode *d, const json_t *value, json_t **ret_policy)
{
	const char *text;
	int r = decode_string(d, value, "a policy", &text);

	if (r < 0)
		return r;
	if (!streq(text, "allow_all") && !streq(text, "deny_all"))
		return report_unknown_policy(d, text);
	*ret_policy = json_string(text);
	return *ret_policy ? 0 : err_nomem(d->err);
}

static int
check_policy(struct decode *d, const json_t *value, int depth, json_t **ret_policy)
{
	auto_json json_t *inner = NULL;
	const char *name;
	json_t *member;
	int r;

	if (depth > DECODE_POLICY_DEPTH)
		return decode_bad(d, "policies in policies, deeper than %d", DECODE_POLICY_DEPTH);
	if (!json_is_object(value))
		return check_word(d, value, ret_policy);
	if (json_object_size(value) != 1)
		return decode_bad(d, "a policy has one member; use 'compose' for several");
	name = json_object_iter_key(json_object_iter((json_t *)value));
	member = json_object_get(value, name);
	decode_enter(d, name);
	for (size_t i = 0; i < FORMS_N; i++) {
		if (!streq(forms[i].name, name))
			continue;
		r = forms[i].check(d, member, depth, &inner);
		if (r < 0)
			return r;
		decode_leave(d);
		*ret_policy = json_pack("{s:O}", name, inner);
		return *ret_policy ? 0 : err_nomem(d->err);
	}
	return report_unknown_policy(d, name);
}

int
policy_check(struct decode *d, const json_t *value, json_t **ret_policy)
{
	return check_policy(d, value, 1, ret_policy);
}

struct ambit_policy *
policy_build(const json_t *value)
{
	if (json_is_string(value) && streq(json_string_value(value), "allow_all"))
		return ambit_policy_allow_all();
	for (size_t i = 0; i < FORMS_N; i++) {
		const json_t *inner = json_object_get(value, forms[i].name);

		if (inner)
			return forms[i].build(inner);
	}
	/* deny_all, and whatever a later form might be that this does not know */
	return ambit_policy_deny_all();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One key from the command line, over the person's file: it is the person who
 * types it, but a script may have put it together, so it is checked like the
 * file. Nothing changes unless all of it is good. */

#include <stdlib.h>

#include "base/str.h"
#include "settings/decode.h"
#include "settings/state.h"
#include "settings/values.h"

/* Whether text for this key is JSON, or the bare word itself. */
static bool
is_json(const struct key *key, const char *text)
{
	switch (key->type) {
	case KEY_NOTHING:
	case KEY_WORD:
	case KEY_ASKER:
		return text[0] == '"';
	case KEY_POLICY:
		return text[0] == '"' || text[0] == '{';
	default:
		return !key_is_list(key) || text[0] == '"' || text[0] == '[';
	}
}

static int
decode_option(
	struct decode *d, const struct key *key, const char *text, struct settings_values *values)
{
	auto_json json_t *value = NULL;
	int r;

	if (is_json(key, text)) {
		struct ambit_error where = { 0 };

		if (json_parse(text, strlen(text), &value, &where) < 0)
			return err_set(d->err, EINVAL, "%s: '%s' is not JSON: %s", d->name,
				decode_show(d, text), where.text);
	} else if (key_is_list(key)) {
		return element_append(d, key, text, key_field(key, values));
	} else {
		value = json_string(text);
		if (!value)
			return decode_bad(d, "'%s' is not UTF-8", decode_show(d, text));
	}
	if (key_is_list(key) && json_is_string(value)) {
		const char *element;

		r = decode_string(d, value, "a string", &element);
		return r < 0 ? r : element_append(d, key, element, key_field(key, values));
	}
	return decode_value(d, key, value, values);
}

static int
note_source(char **source, const char *name, bool add)
{
	char *text;

	if (add && *source && str_prefix(name, "--") && strstr(*source, name))
		return 0;
	text = add && *source ? str_printf("%s, %s", *source, name) : str_dup(name);
	if (!text)
		return -ENOMEM;
	free(*source);
	*source = text;
	return 0;
}

static int
merge_option(struct ambit_settings *settings, const struct key *key, struct settings_values *values,
	const char *source, struct ambit_error *err)
{
	bool adds = key_is_list(key) || key->type == KEY_PERMISSIONS || key->type == KEY_EFFECTS ||
		    key->type == KEY_AGENTS;
	struct ambit_policy *policy = NULL;

	if (key->type == KEY_POLICY) {
		int r = settings_build_policy(
			values->policy, settings->folder.policy, &policy, err);

		if (r < 0)
			return r;
	}
	if (note_source(&settings->person_source[key_index(key)], source, adds) < 0 ||
		values_merge(&settings->person, values, key) < 0) {
		ambit_policy_destroy(policy);
		return err_nomem(err);
	}
	if (policy) {
		ambit_policy_destroy(settings->policy);
		settings->policy = policy;
	}
	return 0;
}

int
ambit_settings_set(struct ambit_settings *settings, const char *name, const char *value,
	const char *source, struct ambit_error *err)
{
	const struct key *key = key_find(name);
	struct decode d = {
		.name = source ? source : "settings",
		.home = settings->home,
		/* Only a grant may depend on where the person stands; what a
		 * program is called must not. */
		.relative = key && key->type == KEY_PATHS,
		.err = err,
	};
	struct settings_values values;
	int r;

	if (!key)
		return settings_unknown_key(&d, name);
	decode_enter(&d, key->name);
	values_init(&values);
	r = decode_option(&d, key, value, &values);
	if (r == 0)
		r = merge_option(settings, key, &values, d.name, err);
	values_finish(&values);
	return r;
}

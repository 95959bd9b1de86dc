/* SPDX-License-Identifier: Apache-2.0 */
/* The folder's own settings against the person's. Whoever wrote the files in
 * the folder wrote this one too, perhaps the very agent that is to be held:
 * it can ask for less, and an attempt at more is an error that stops, not a
 * line that is skipped. */

#include "settings/decode.h"
#include "settings/values.h"

static int
report_widening(struct decode *d, const char *name, const json_t *value)
{
	return decode_bad(d, "'%s': '%s' would widen; a file inside the folder can only narrow",
		name, decode_show_json(d, value));
}

/* What the person has may itself be less than "ask"; the decision takes the
 * most restrictive of both, so only "allow" could ever be meant to widen. */
static int
check_permissions(struct decode *d, const json_t *value)
{
	const char *name;
	json_t *member;

	json_object_foreach ((json_t *)value, name, member) {
		const struct ambit_word *word =
			ambit_word_find(ambit_permissions, json_string_value(member));

		decode_enter(d, name);
		if (!word || word->value == AMBIT_PERMISSION_ALLOW)
			return report_widening(d, decode_show(d, name), member);
		decode_leave(d);
	}
	return 0;
}

int
narrow_check(struct decode *d, const struct key *key, const json_t *value,
	const struct settings_values *folder, const struct settings_values *person,
	const struct settings_values *defaults)
{
	int own, wanted;

	switch (key->narrow) {
	case NARROW_ANY:
	case NARROW_ADD:
		return 0;
	case NARROW_ENUM:
	case NARROW_FALSE:
		own = values_number(key, person, defaults);
		wanted = *(const int *)key_value(key, folder);
		return wanted <= own ? 0 : report_widening(d, key->name, value);
	case NARROW_COUNT:
		own = values_number(key, person, defaults);
		wanted = *(const int *)key_value(key, folder);
		if (wanted == own || (wanted > 0 && (own == 0 || wanted < own)))
			return 0;
		return report_widening(d, key->name, value);
	case NARROW_PERMISSIONS:
		return check_permissions(d, value);
	case NARROW_NEVER:
		break;
	}
	return report_widening(d, key->name, value);
}

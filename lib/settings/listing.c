/* SPDX-License-Identifier: Apache-2.0 */
/* What holds, key by key, and where it was said: for `ambit settings`. */

#include <stdlib.h>

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/state.h"
#include "settings/values.h"

static char *
show_source(const struct ambit_settings *settings, const struct key *key)
{
	const char *person = settings->person_source[key_index(key)];
	const char *folder = settings->folder_source[key_index(key)];

	if (!person && !folder)
		return str_dup("default");
	if (!person || !folder)
		return str_dup(person ? person : folder);
	/* A number that both set comes from the one that is the lower. */
	if (key->type == KEY_WORD || key->type == KEY_FLAG || key->type == KEY_COUNT)
		return str_dup(values_number(key, &settings->person, &settings->defaults) ==
					       values_effective(key, &settings->person,
						       &settings->folder, &settings->defaults)
				       ? person
				       : folder);
	return str_printf("%s, %s", person, folder);
}

int
ambit_settings_each(const struct ambit_settings *settings,
	int (*each)(void *data, const char *key, const char *value, const char *source,
		const char *text),
	void *data)
{
	const struct key *key;
	int r = 0;

	for (size_t i = 0; r == 0 && (key = key_at(i)); i++) {
		auto_json json_t *value =
			values_show(key, &settings->person, &settings->folder, &settings->defaults);
		auto_free char *text = value ? json_ascii(value) : NULL;
		auto_free char *source = show_source(settings, key);

		if (!text || !source)
			return -ENOMEM;
		if (key->type != KEY_NOTHING)
			r = each(data, key->name, text, source, key->text);
	}
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What holds, key by key, and where it was said: for `ambit settings`. */

#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "settings/state.h"
#include "settings/values.h"

/* Only printable ASCII, so that nothing from the folder's file moves a cursor
 * or hides. jansson leaves one byte to do: a DEL stands inside a string. */
static char *
show_value(const json_t *value)
{
	auto_free char *line = json_dumps(
		value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	struct buf out = { 0 };

	if (!line)
		return NULL;
	for (const char *c = line; *c; c++) {
		if (*c == 0x7f)
			buf_puts(&out, "\\u007f");
		else
			buf_putc(&out, *c);
	}
	return buf_take(&out);
}

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
		auto_free char *text = value ? show_value(value) : NULL;
		auto_free char *source = show_source(settings, key);

		if (!text || !source)
			return -ENOMEM;
		if (key->type != KEY_NOTHING)
			r = each(data, key->name, text, source, key->text);
	}
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_SETTINGS_H
#define AMBIT_SETTINGS_H

#include <stdbool.h>

#include <ambit/error.h>

/* The person's settings, narrowed by the folder's (.ambit.json), with what
 * the command line says on top of the person's. Anything that cannot be read
 * or understood is an error that names file:line:column. */

struct ambit_settings;

struct ambit_settings_options {
	const char *person; /* the person's file; NULL: none. Missing is fine unless required */
	bool required;
	const char *folder; /* the folder whose .ambit.json narrows; NULL: none */
	const char *home;   /* what "~" means in paths; NULL: such paths are refused */
};

int ambit_settings_load(const struct ambit_settings_options *options,
	struct ambit_settings **ret_settings, struct ambit_error *err);
void ambit_settings_destroy(struct ambit_settings *settings);

/* One key from the command line, over the person's file; lists are added to.
 * value is JSON text, or a bare word for keys that take a word. source is
 * shown by `ambit settings`, e.g. "--mode". */
int ambit_settings_set(struct ambit_settings *settings, const char *key, const char *value,
	const char *source, struct ambit_error *err);

/* Every key: its effective value as JSON, where it came from ("default",
 * "~/.config/ambit/config.json:4", ".ambit.json:2", "--mode"), one line of help. */
int ambit_settings_each(const struct ambit_settings *settings,
	int (*each)(void *data, const char *key, const char *value, const char *source,
		const char *text),
	void *data);

/* The JSON Schema of the settings file, from the same table. Caller frees. */
char *ambit_settings_schema(void);

/* The value of a key that holds a word or a string, or NULL. Borrowed. */
const char *ambit_settings_get(const struct ambit_settings *settings, const char *key);

/* The value of a key that holds a number, or true or false (1, 0); -1 if none does. */
int ambit_settings_number(const struct ambit_settings *settings, const char *key);

#endif

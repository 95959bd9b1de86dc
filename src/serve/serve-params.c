/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a request against the table of its method. A field that is not known is
 * refused by its name: one that was misspelt and passed over could have been the one
 * that narrows. */

#include <stdio.h>
#include <stdlib.h>

#include "serve.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

static const char *const kinds[] = {
	[PARAM_TEXT] = "a string without NUL",
	[PARAM_BYTES] = "a string",
	[PARAM_NUMBER] = "a whole number from 0",
	[PARAM_BOOL] = "true or false",
	[PARAM_OBJECT] = "an object",
	[PARAM_LIST] = "a list",
	[PARAM_COMMAND] = "a string without NUL, or a list of such words",
	[PARAM_ID] = "a string or an integer",
};

static bool
is_text(const json_t *value)
{
	return json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value);
}

static bool
is_command(const json_t *value)
{
	const json_t *word;
	size_t i;

	json_array_foreach (value, i, word)
		if (!is_text(word))
			return false;
	return is_text(value) || json_array_size(value) > 0;
}

static bool
is_valid_param(enum param_kind kind, const json_t *value)
{
	switch (kind) {
	case PARAM_TEXT:
		return is_text(value);
	case PARAM_BYTES:
		return json_is_string(value);
	case PARAM_NUMBER:
		return json_is_integer(value) && json_integer_value(value) >= 0;
	case PARAM_BOOL:
		return json_is_boolean(value);
	case PARAM_OBJECT:
		return json_is_object(value);
	case PARAM_LIST:
		return json_is_array(value);
	case PARAM_COMMAND:
		return is_command(value);
	case PARAM_ID:
		return json_is_string(value) || json_is_integer(value);
	}
	return false;
}

static void
name_field(char ret_field[64], const char *name)
{
	auto_free char *shown = str_escape(name, str_cut(name, strlen(name), 40));

	snprintf(ret_field, 64, "%.63s", shown != NULL ? shown : "?");
	ret_field[str_cut(ret_field, strlen(ret_field), 63)] = '\0';
}

static int
refuse_unknown(
	const char *method, const struct param *table, const char *field, struct ambit_error *err)
{
	auto_buf struct buf known = { 0 };

	for (const struct param *param = table; param->name != NULL; param++)
		buf_printf(&known, "%s%s", param == table ? "" : ", ", param->name);
	return err_set(err, EINVAL, "%s: there is no field '%s'; it takes %s", method, field,
		known.len > 0 ? known.data : "none");
}

int
params_check(const char *method, const struct param *table, const json_t *params,
	char ret_field[64], struct ambit_error *err)
{
	const struct param *param;
	const char *key;
	json_t *value;

	ret_field[0] = '\0';
	json_object_foreach ((json_t *)params, key, value) {
		for (param = table; param->name != NULL && !streq(param->name, key); param++)
			;
		if (param->name != NULL && is_valid_param(param->kind, value))
			continue;
		name_field(ret_field, key);
		return param->name == NULL ? refuse_unknown(method, table, ret_field, err)
					   : err_set(err, EINVAL, "%s: '%s' is not %s", method, key,
						     kinds[param->kind]);
	}
	for (param = table; param->name != NULL; param++)
		if (param->needed && json_object_get(params, param->name) == NULL) {
			name_field(ret_field, param->name);
			return err_set(err, EINVAL, "%s: there is no '%s', %s", method, param->name,
				kinds[param->kind]);
		}
	return 0;
}

const char *
params_text(const json_t *params, const char *name)
{
	return json_string_value(json_object_get(params, name));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments held against the schema of their tool. The arguments are a model's: what
 * is said about them is said so that it can call again and be right. The schema is
 * ours or the harness'; what of it we could not check is refused when the tool is
 * added, so that nobody relies on it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/registry/schema.h"

#define DEPTH_MAX 16
#define WHERE_MAX 160

struct check {
	char where[WHERE_MAX]; /* "" is the arguments themselves */
	int depth;
	struct ambit_error *err;
};

static int check_value(struct check *c, const json_t *schema, const json_t *value);

static const char *
name_of(const struct check *c)
{
	return c->where[0] ? c->where : "the arguments";
}

/* Checks one value inside: its name is name, or an index. */
static int
check_inner_value(
	struct check *c, const char *name, size_t index, const json_t *schema, const json_t *value)
{
	auto_free char *shown = name ? str_escape(name, str_cut(name, strlen(name), 60)) : NULL;
	size_t n = strlen(c->where);
	int r;

	if (c->depth >= DEPTH_MAX)
		return err_set(c->err, EINVAL, "%s: nested too deep", name_of(c));
	if (name)
		snprintf(c->where + n, sizeof(c->where) - n, "%s%s", n ? "." : "",
			shown ? shown : "?");
	else
		snprintf(c->where + n, sizeof(c->where) - n, "[%zu]", index);
	c->depth++;
	r = check_value(c, schema, value);
	c->depth--;
	c->where[n] = '\0';
	return r;
}

/* -- types ------------------------------------------------------------------------- */

static const char *
type_of(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "object";
	case JSON_ARRAY:
		return "array";
	case JSON_STRING:
		return "string";
	case JSON_INTEGER:
		return "integer";
	case JSON_REAL:
		return "number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "boolean";
	case JSON_NULL:
		break;
	}
	return "null";
}

static bool
is_whole(const json_t *value)
{
	double number = json_real_value(value);

	return json_is_real(value) && number > -9e15 && number < 9e15 &&
	       number == (double)(long long)number;
}

static bool
has_type(const json_t *value, const char *type)
{
	if (streq(type, type_of(value)))
		return true;
	return (streq(type, "number") && json_is_integer(value)) ||
	       (streq(type, "integer") && is_whole(value));
}

static int
check_type(struct check *c, const json_t *type, const json_t *value)
{
	auto_buf struct buf wanted = { 0 };
	const json_t *one;
	size_t i;

	if (json_is_string(type)) {
		if (has_type(value, json_string_value(type)))
			return 0;
		buf_puts(&wanted, json_string_value(type));
	}
	json_array_foreach (type, i, one) {
		if (has_type(value, json_string_value(one)))
			return 0;
		buf_printf(&wanted, "%s%s", i ? " or " : "", json_string_value(one));
	}
	return err_set(c->err, EINVAL, "%s must be of type %s, and is of type %s", name_of(c),
		wanted.data ? wanted.data : "?", type_of(value));
}

/* -- keywords ---------------------------------------------------------------------- */

static int
check_enum(struct check *c, const json_t *list, const json_t *value)
{
	auto_buf struct buf names = { 0 };
	const json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		auto_free char *text = NULL;

		if (json_equal(one, value))
			return 0;
		text = json_dumps(one, JSON_ENCODE_ANY | JSON_COMPACT);
		buf_printf(&names, "%s%s", i ? ", " : "", text ? text : "?");
	}
	return err_set(
		c->err, EINVAL, "%s must be one of: %s", name_of(c), names.data ? names.data : "");
}

static int
check_const(struct check *c, const json_t *only, const json_t *value)
{
	return json_equal(only, value)
		       ? 0
		       : err_set(c->err, EINVAL, "%s must be the one value it can have",
				 name_of(c));
}

static int
check_minimum(struct check *c, const json_t *limit, const json_t *value)
{
	if (!json_is_number(value) || json_number_value(value) >= json_number_value(limit))
		return 0;
	return err_set(c->err, EINVAL, "%s must be at least %.15g, and is %.15g", name_of(c),
		json_number_value(limit), json_number_value(value));
}

static int
check_maximum(struct check *c, const json_t *limit, const json_t *value)
{
	if (!json_is_number(value) || json_number_value(value) <= json_number_value(limit))
		return 0;
	return err_set(c->err, EINVAL, "%s must be at most %.15g, and is %.15g", name_of(c),
		json_number_value(limit), json_number_value(value));
}

/* Lengths are in bytes where JSON schema counts characters: no tool minds. */
static int
check_min_length(struct check *c, const json_t *limit, const json_t *value)
{
	if (!json_is_string(value) ||
		json_string_length(value) >= (size_t)json_integer_value(limit))
		return 0;
	return json_integer_value(limit) == 1
		       ? err_set(c->err, EINVAL, "%s must not be empty", name_of(c))
		       : err_set(c->err, EINVAL, "%s must have at least %lld characters",
				 name_of(c), (long long)json_integer_value(limit));
}

static int
check_max_length(struct check *c, const json_t *limit, const json_t *value)
{
	if (!json_is_string(value) ||
		json_string_length(value) <= (size_t)json_integer_value(limit))
		return 0;
	return err_set(c->err, EINVAL, "%s must have at most %lld characters, and has %zu",
		name_of(c), (long long)json_integer_value(limit), json_string_length(value));
}

static int
check_min_items(struct check *c, const json_t *limit, const json_t *value)
{
	if (!json_is_array(value) || json_array_size(value) >= (size_t)json_integer_value(limit))
		return 0;
	return err_set(c->err, EINVAL, "%s must have at least %lld, and has %zu", name_of(c),
		(long long)json_integer_value(limit), json_array_size(value));
}

static int
check_max_items(struct check *c, const json_t *limit, const json_t *value)
{
	if (!json_is_array(value) || json_array_size(value) <= (size_t)json_integer_value(limit))
		return 0;
	return err_set(c->err, EINVAL, "%s must have at most %lld, and has %zu", name_of(c),
		(long long)json_integer_value(limit), json_array_size(value));
}

static int
check_items(struct check *c, const json_t *schema, const json_t *value)
{
	const json_t *item;
	size_t i;
	int r = 0;

	json_array_foreach (value, i, item)
		if (r == 0)
			r = check_inner_value(c, NULL, i, schema, item);
	return r;
}

/* -- objects ----------------------------------------------------------------------- */

static const char *
get_schema_key(const void *data, size_t i)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)data, key, value)
		if (i-- == 0)
			return key;
	return NULL;
}

static int
check_required(struct check *c, const json_t *list, const json_t *value)
{
	const json_t *name;
	size_t i;

	json_array_foreach (list, i, name)
		if (json_is_object(value) && !json_object_get(value, json_string_value(name)))
			return err_set(c->err, EINVAL, "'%s' is missing in %s",
				json_string_value(name), name_of(c));
	return 0;
}

/* Whether one is a part of the other: 'path' where there is a 'file_path'. */
static bool
is_part(const char *a, const char *b)
{
	return strstr(a, b) || strstr(b, a);
}

static const char *
find_near(const json_t *known, const char *key)
{
	const char *near = str_nearest(key, get_schema_key, known), *name;
	json_t *value;

	if (near || !*key)
		return near;
	json_object_foreach ((json_t *)known, name, value)
		if (is_part(name, key))
			return name;
	return NULL;
}

static bool
is_required(const json_t *list, const char *key)
{
	const json_t *name;
	size_t i;

	json_array_foreach (list, i, name)
		if (streq(json_string_value(name), key))
			return true;
	return false;
}

static int
fail_unknown(struct check *c, const json_t *schema, const char *key)
{
	const json_t *known = json_object_get(schema, "properties");
	auto_free char *shown = str_escape(key, str_cut(key, strlen(key), 60));
	const char *near = find_near(known, key), *name, *before = "";
	auto_buf struct buf names = { 0 };
	json_t *value;

	json_object_foreach ((json_t *)known, name, value) {
		buf_printf(&names, "%s%s%s", before, name,
			is_required(json_object_get(schema, "required"), name) ? " (needed)" : "");
		before = ", ";
	}
	if (near)
		return err_set(c->err, EINVAL, "'%s' is no argument here (%s); did you mean '%s'?",
			shown ? shown : "?", name_of(c), near);
	return err_set(c->err, EINVAL, "'%s' is no argument here (%s); there are: %s",
		shown ? shown : "?", name_of(c), names.data ? names.data : "none");
}

/* What is not among the properties. */
static int
check_additional(struct check *c, const json_t *schema, const json_t *value)
{
	const json_t *known = json_object_get(schema, "properties");
	const json_t *others = json_object_get(schema, "additionalProperties");
	const char *key;
	json_t *item;

	json_object_foreach ((json_t *)value, key, item) {
		int r;

		if (!others || json_is_true(others) || json_object_get(known, key))
			continue;
		if (json_is_object(others)) {
			r = check_inner_value(c, key, 0, others, item);
			if (r < 0)
				return r;
			continue;
		}
		return fail_unknown(c, schema, key);
	}
	return 0;
}

static int
check_properties(struct check *c, const json_t *properties, const json_t *value)
{
	const char *key;
	json_t *schema;

	json_object_foreach ((json_t *)properties, key, schema) {
		const json_t *item = json_object_get(value, key);
		int r = item ? check_inner_value(c, key, 0, schema, item) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* What a name stands for, and what its own value must be. In this order, so that the
 * most telling fault is told. */
static const struct keyword {
	const char *name;
	int (*check)(struct check *c, const json_t *limit, const json_t *value); /* NULL: words */
	bool number;
} keywords[] = {
	{ "type", check_type, false },
	{ "required", check_required, false },
	{ "properties", check_properties, false },
	{ "enum", check_enum, false },
	{ "const", check_const, false },
	{ "minimum", check_minimum, true },
	{ "maximum", check_maximum, true },
	{ "minLength", check_min_length, true },
	{ "maxLength", check_max_length, true },
	{ "minItems", check_min_items, true },
	{ "maxItems", check_max_items, true },
	{ "items", check_items, false },
	{ "additionalProperties", NULL, false }, /* see check_additional */
	{ "description", NULL, false },
	{ "title", NULL, false },
	{ "default", NULL, false },
	{ "examples", NULL, false },
	{ "format", NULL, false },
	{ "$schema", NULL, false },
	{ "$comment", NULL, false },
	{ "deprecated", NULL, false },
};
#define KEYWORDS_N (sizeof(keywords) / sizeof(keywords[0]))

static int
check_value(struct check *c, const json_t *schema, const json_t *value)
{
	int r = 0;

	if (json_is_string(value) && strlen(json_string_value(value)) != json_string_length(value))
		return err_set(c->err, EINVAL, "%s holds a NUL byte: text only", name_of(c));
	/* Wrong names first: "is missing" would be a riddle beside a misspelt one. */
	if (json_is_object(value))
		r = check_additional(c, schema, value);
	for (size_t i = 0; r == 0 && i < KEYWORDS_N; i++) {
		const json_t *limit = json_object_get(schema, keywords[i].name);

		if (limit && keywords[i].check)
			r = keywords[i].check(c, limit, value);
	}
	return r;
}

int
schema_check(const json_t *schema, const json_t *value, struct ambit_error *err)
{
	struct check c = { .err = err };

	return check_value(&c, schema, value);
}

/* -- the schema itself --------------------------------------------------------------- */

static const struct keyword *
find_keyword(const char *name)
{
	for (size_t i = 0; i < KEYWORDS_N; i++)
		if (streq(keywords[i].name, name))
			return &keywords[i];
	return NULL;
}

static bool
are_strings(const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach (list, i, one)
		if (!json_is_string(one))
			return false;
	return json_is_array(list);
}

static bool
fits_keyword(const struct keyword *keyword, const json_t *value)
{
	if (keyword->check == check_type)
		return json_is_string(value) || are_strings(value);
	if (keyword->check == check_required)
		return are_strings(value);
	if (keyword->check == check_enum)
		return json_is_array(value);
	if (keyword->check == check_items || keyword->check == check_properties)
		return json_is_object(value);
	if (keyword->check == check_minimum || keyword->check == check_maximum)
		return json_is_number(value);
	return !keyword->number || (json_is_integer(value) && json_integer_value(value) >= 0);
}

static int
check_schema_form(const json_t *schema, int depth, struct ambit_error *err)
{
	const json_t *others = json_object_get(schema, "additionalProperties");
	const char *key;
	json_t *value;
	int r = 0;

	if (!json_is_object(schema) || depth > DEPTH_MAX)
		return err_set(err, EINVAL, "a schema must be an object, and not nested too deep");
	json_object_foreach ((json_t *)schema, key, value) {
		const struct keyword *keyword = find_keyword(key);

		if (!keyword)
			return err_set(err, EINVAL, "'%.60s' in a schema is not checked here", key);
		if (!fits_keyword(keyword, value))
			return err_set(
				err, EINVAL, "'%.60s' in a schema has a value it cannot have", key);
	}
	json_object_foreach (json_object_get(schema, "properties"), key, value)
		r = r < 0 ? r : check_schema_form(value, depth + 1, err);
	if (r == 0 && json_object_get(schema, "items"))
		r = check_schema_form(json_object_get(schema, "items"), depth + 1, err);
	if (r == 0 && others && !json_is_boolean(others))
		r = check_schema_form(others, depth + 1, err);
	return r;
}

int
schema_valid(const json_t *schema, struct ambit_error *err)
{
	const char *type = json_string_value(json_object_get(schema, "type"));
	int r = check_schema_form(schema, 0, err);

	if (r == 0 && (!type || !streq(type, "object")))
		r = err_set(err, EINVAL, "the schema of arguments must have the type object");
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON value -> a copy without secrets. Structure helps here where plain
 * text has to guess: a member's name, the option before an argument, the
 * name beside a value. */

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "record/redact/redact-argv.h"

static json_t *
redact_string(const json_t *value, size_t *count)
{
	auto_buf struct buf buf = { 0 };

	if (redact_append(&buf, json_string_value(value), json_string_length(value)) > 0)
		++*count;
	return buf.failed ? NULL : json_stringn(buf.data ? buf.data : "", buf.len);
}

static bool
names_secret(const json_t *value)
{
	return json_is_string(value) &&
	       redact_name(json_string_value(value), json_string_length(value));
}

/* Behind a secret's name everything goes that could hold one: a number too,
 * and a whole object. Nothing, yes and no, and the name of a type are no
 * secrets; what was replaced before stays replaced. */
static bool
holds_secret(const json_t *value)
{
	if (json_is_string(value))
		return !redact_plain_word(json_string_value(value), json_string_length(value));
	return !json_is_null(value) && !json_is_boolean(value);
}

static json_t *
redact_whole(size_t *count)
{
	++*count;
	return json_string(REDACTED);
}

/* ["--password", "x"]: the option says what the next argument is. */
static bool
is_option(const json_t *value)
{
	return names_secret(value) && json_string_value(value)[0] == '-' &&
	       !strpbrk(json_string_value(value), "=: ");
}

static bool
is_path(const json_t *value)
{
	return json_is_string(value) &&
	       redact_path(json_string_value(value), json_string_length(value));
}

static json_t *
redact_member(const json_t *array, size_t i, size_t *count)
{
	const json_t *member = json_array_get(array, i);
	struct buf buf = { 0 };

	if (i > 0 && is_option(json_array_get(array, i - 1)) && holds_secret(member) &&
		!is_path(member))
		return redact_whole(count);
	if (!argv_redact(array, i, &buf))
		return redact_json(member, count);
	json_t *clean = buf.failed ? NULL : json_stringn(buf.data, buf.len);

	buf_finish(&buf);
	++*count;
	return clean;
}

static json_t *
redact_array(const json_t *value, size_t *count)
{
	auto_json json_t *copy = json_array(), *joined = NULL;
	size_t i;
	json_t *member;

	if (argv_join_keys(value, &joined, count) < 0)
		return NULL;
	value = joined ? joined : value;
	json_array_foreach (value, i, member) {
		if (!copy || json_array_append_new(copy, redact_member(value, i, count)) < 0)
			return NULL;
	}
	return steal_ptr(&copy);
}

/* {"name": "API_KEY", "value": "x"}, as environments are often written. */
static bool
is_named_value(const json_t *object, const char *key)
{
	if (!str_fold_equal(key, "value", sizeof("value")))
		return false;
	return names_secret(json_object_get(object, "name")) ||
	       names_secret(json_object_get(object, "key"));
}

/* A key can be a secret itself. Two that become the same are one: what is
 * lost is only how often it was there. */
static int
set_member(json_t *copy, const char *key, json_t *clean, size_t *count)
{
	auto_buf struct buf shown = { 0 };

	if (redact_append(&shown, key, strlen(key)) > 0)
		++*count;
	if (shown.failed) {
		json_decref(clean);
		return -1;
	}
	return json_object_set_new(copy, shown.data ? shown.data : "", clean);
}

static json_t *
redact_object(const json_t *value, size_t *count)
{
	auto_json json_t *copy = json_object();
	const char *key;
	json_t *member;

	json_object_foreach ((json_t *)value, key, member) {
		bool secret = redact_name(key, strlen(key)) || is_named_value(value, key);
		json_t *clean = secret && holds_secret(member) ? redact_whole(count)
							       : redact_json(member, count);

		if (!copy || set_member(copy, key, clean, count) < 0)
			return NULL;
	}
	return steal_ptr(&copy);
}

json_t *
redact_json(const json_t *value, size_t *count)
{
	if (json_is_object(value))
		return redact_object(value, count);
	if (json_is_array(value))
		return redact_array(value, count);
	if (json_is_string(value))
		return redact_string(value, count);
	return json_incref((json_t *)value);
}

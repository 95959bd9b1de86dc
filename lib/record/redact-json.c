/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON value -> a copy without secrets. Structure helps here where plain
 * text has to guess: a member's name, the option before an argument, the
 * name beside a value. */

#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "record/redact.h"

static json_t *
redact_string(const json_t *value)
{
	auto_buf struct buf buf = { 0 };

	redact_append(&buf, json_string_value(value), json_string_length(value));
	return buf.failed ? NULL : json_stringn(buf.data ? buf.data : "", buf.len);
}

static bool
names_secret(const json_t *value)
{
	return json_is_string(value) &&
	       redact_name(json_string_value(value), json_string_length(value));
}

/* Behind a secret's name everything goes that could hold one: a number too,
 * and a whole object. Nothing, yes and no are no secrets. */
static bool
holds_secret(const json_t *value)
{
	return !json_is_null(value) && !json_is_boolean(value) &&
	       !(json_is_string(value) && json_string_length(value) == 0);
}

/* ["--password", "x"]: the option says what the next argument is. */
static bool
is_option(const json_t *value)
{
	return names_secret(value) && json_string_value(value)[0] == '-' &&
	       !strpbrk(json_string_value(value), "=: ");
}

static json_t *
redact_array(const json_t *value)
{
	auto_json json_t *copy = json_array();
	bool secret = false;
	size_t i;
	json_t *member;

	json_array_foreach(value, i, member)
	{
		json_t *clean = secret && holds_secret(member) ? json_string(REDACTED)
							       : redact_json(member);

		if (!copy || json_array_append_new(copy, clean) < 0)
			return NULL;
		secret = is_option(member);
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
set_member(json_t *copy, const char *key, json_t *clean)
{
	auto_free char *shown = redact_text(key, strlen(key));

	if (!shown) {
		json_decref(clean);
		return -1;
	}
	return json_object_set_new(copy, shown, clean);
}

static json_t *
redact_object(const json_t *value)
{
	auto_json json_t *copy = json_object();
	const char *key;
	json_t *member;

	json_object_foreach((json_t *)value, key, member)
	{
		bool secret = redact_name(key, strlen(key)) || is_named_value(value, key);
		json_t *clean = secret && holds_secret(member) ? json_string(REDACTED)
							       : redact_json(member);

		if (!copy || set_member(copy, key, clean) < 0)
			return NULL;
	}
	return steal_ptr(&copy);
}

json_t *
redact_json(const json_t *value)
{
	if (json_is_object(value))
		return redact_object(value);
	if (json_is_array(value))
		return redact_array(value);
	if (json_is_string(value))
		return redact_string(value);
	return json_incref((json_t *)value);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The scope that a request brings along: one object with four keys, at every door that takes
 * one. The bytes are a harness', which may have them from a model; whether the scope is inside
 * its parent is for lib/scope to say. */

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "request/request-private.h"

static int
read_place(const json_t *value, char **ret_place, const char **ret_why)
{
	const char *text = json_string_value(value);

	if (!text || strlen(text) != json_string_length(value)) {
		*ret_why = text ? "must not hold a NUL" : "must be a string";
		return -EINVAL;
	}
	*ret_place = strdup(text);
	return *ret_place ? 0 : -ENOMEM;
}

static int
read_key(const char *key, const json_t *value, struct request_scope *scope, const char **ret_why)
{
	if (streq(key, "root"))
		return read_place(value, &scope->root, ret_why);
	if (streq(key, "display_root"))
		return read_place(value, &scope->display_root, ret_why);
	if (!streq(key, "allow_bash") && !streq(key, "enforce_write")) {
		*ret_why = "unknown key";
		return -EINVAL;
	}
	if (!json_is_boolean(value)) {
		*ret_why = "must be true or false";
		return -EINVAL;
	}
	if (streq(key, "allow_bash"))
		scope->no_bash = json_is_false(value);
	else
		scope->enforce = json_is_true(value) ? REQUEST_ENFORCE_ON : REQUEST_ENFORCE_OFF;
	return 0;
}

int
request_scope_read(const json_t *value, struct request_scope *ret_scope, const char **ret_key,
	const char **ret_why)
{
	const char *key;
	json_t *item;
	int r = 0;

	*ret_scope = (struct request_scope){ 0 };
	*ret_key = NULL;
	*ret_why = "must be an object";
	if (!json_is_object(value))
		return -EINVAL;
	json_object_foreach ((json_t *)value, key, item) {
		*ret_key = key;
		r = read_key(key, item, ret_scope, ret_why);
		if (r < 0)
			return r;
	}
	return 0;
}

int
request_scope_copy(const struct request_scope *from, struct request_scope *ret_scope)
{
	struct request_scope copy = *from;

	copy.root = str_dup(from->root);
	copy.display_root = str_dup(from->display_root);
	if ((from->root && !copy.root) || (from->display_root && !copy.display_root)) {
		request_scope_finish(&copy);
		return -ENOMEM;
	}
	*ret_scope = copy;
	return 0;
}

void
request_scope_finish(struct request_scope *scope)
{
	free(scope->root);
	free(scope->display_root);
	*scope = (struct request_scope){ 0 };
}

bool
request_scope_is_set(const struct request_scope *scope)
{
	return scope->root || scope->display_root || scope->no_bash ||
	       scope->enforce != REQUEST_ENFORCE_BY_ROOT;
}

json_t *
request_scope_json(const struct request_scope *scope)
{
	json_t *object = json_object();
	int r = object ? 0 : -ENOMEM;

	if (r == 0 && scope->root)
		r = json_set_text(object, "root", scope->root);
	if (r == 0 && scope->display_root)
		r = json_set_text(object, "display_root", scope->display_root);
	if (r == 0 && scope->enforce != REQUEST_ENFORCE_BY_ROOT)
		r = json_object_set_new(object, "enforce_write",
			json_boolean(scope->enforce == REQUEST_ENFORCE_ON));
	if (r == 0 && scope->no_bash)
		r = json_object_set_new(object, "allow_bash", json_false());
	if (r == 0)
		return object;
	json_decref(object);
	return NULL;
}

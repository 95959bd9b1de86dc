/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are paths, lists of them or patterns become the request's
 * paths. A tool we do not know will read them: where it could read them in two
 * ways, or be led somewhere by an argument that is in no row, a person has to
 * judge. */

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/str.h"
#include "request/argpath.h"
#include "request/args.h"

static bool
has_path(const struct ambit_request *request, const struct request_path *path, const char *text)
{
	for (size_t i = 0; i < request->n_paths; i++) {
		const struct request_path *other = &request->paths[i];

		if (other->hash == path->hash && other->len == path->len &&
			other->access == path->access && other->follow == path->follow &&
			memcmp(other->text, text, path->len) == 0)
			return true;
	}
	return false;
}

int
request_add_path(struct ambit_request *request, const char *text, size_t len,
	enum ambit_access access, enum tool_follow follow)
{
	struct request_path path = { .len = len, .access = access, .follow = follow };
	struct request_path *paths = request->paths;

	if (request->bad_hard)
		return 0;
	/* Paths that were made to collide are only compared byte by byte. */
	path.hash = hash_fnv(HASH_FNV_START, text, len);
	if (request->n_named++ < REQUEST_NAMED_MAX && has_path(request, &path, text))
		return 0;
	if (request->n_paths == REQUEST_PATHS_MAX || request->n_named > REQUEST_NAMED_MAX)
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"more than %d paths in one call", REQUEST_PATHS_MAX);
	/* Grown by doubling: at 0, 1, 2, 4, 8 ... */
	if ((request->n_paths & (request->n_paths - 1)) == 0) {
		paths = realloc(
			paths, (request->n_paths ? request->n_paths * 2 : 1) * sizeof(*paths));
		if (!paths)
			return -ENOMEM;
		request->paths = paths;
	}
	path.text = malloc(len + 1);
	if (!path.text)
		return -ENOMEM;
	memcpy(path.text, text, len);
	path.text[len] = '\0';
	paths[request->n_paths++] = path;
	return 0;
}

/* Half the tools there are expand "~/" and "file://", the other half make a
 * directory of that name: one path, two places. */
static int
check_ambiguous(struct ambit_request *request, const char *arg, const char *text)
{
	if (str_fold_equal(text, "file:/", 6))
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
			"args: '%s' is a file URL, which some tools take for a path", arg);
	if (text[0] != '~')
		return 0;
	return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
		"args: '%s' begins with ~, which some tools take for a home directory", arg);
}

static int
add_string(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	int r = check_ambiguous(request, arg->name, json_string_value(value));

	return r < 0 ? r
		     : request_add_path(request, json_string_value(value),
			       json_string_length(value), arg->access, arg->follow);
}

int
argpath_one(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	return json_is_string(value) ? add_string(request, arg, value)
				     : args_wrong_type(request, arg->name, "a string");
}

static bool
is_path_kind(const struct tool_arg *arg)
{
	return arg->kind == TOOL_ARG_PATH || arg->kind == TOOL_ARG_PATHS;
}

static const struct tool_arg *
find_arg(const struct tool *tool, const char *name)
{
	for (const struct tool_arg *arg = tool->args; arg && arg->name; arg++)
		if (streq(arg->name, name))
			return arg;
	return NULL;
}

/* Whether some text stands in it, at any depth: a path could. */
static bool
holds_text(const json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value))
		return true;
	json_array_foreach (value, i, item)
		if (holds_text(item))
			return true;
	json_object_foreach ((json_t *)value, key, item)
		if (holds_text(item))
			return true;
	return false;
}

static bool
contains_folded(const char *text, const char *part)
{
	for (; *text; text++)
		if (str_fold_equal(text, part, strlen(part)))
			return true;
	return false;
}

/* Whether an argument that is in no row could say where a tool goes: by a part
 * of its name, or by all of it. */
static bool
may_lead(const char *name, const json_t *value)
{
	static const char *const parts[] = { "path", "file", "dir", "dest", "target", "output" };
	static const char *const whole[] = { "cwd", "save_to", "saveto", "save_as", "saveas", "uri",
		"root", "folder", "location", "base", "prefix", "src", "source", "dst", "from",
		"to", "workspace" };

	if (json_is_null(value))
		return false;
	if (contains_folded(name, "strip")) /* a number will do */
		return true;
	if (!holds_text(value))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (contains_folded(name, parts[i]))
			return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (str_fold_equal(name, whole[i], strlen(whole[i]) + 1))
			return true;
	return false;
}

/* Whether something inside a value sounds as if it led somewhere. */
static bool
leads_within(const struct tool *tool, const json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach (value, i, item)
		if (leads_within(tool, item))
			return true;
	json_object_foreach ((json_t *)value, key, item) {
		const struct tool_arg *arg = find_arg(tool, key);

		if (may_lead(key, item) || (arg && is_path_kind(arg) && holds_text(item)) ||
			leads_within(tool, item))
			return true;
	}
	return false;
}

int
argpath_check(struct ambit_request *request, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach (object, key, value) {
		if (!find_arg(request->tool, key) &&
			(may_lead(key, value) || leads_within(request->tool, value)))
			return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
				"%s: '%.100s' is an argument ambit does not know",
				request->tool->name, key);
	}
	return 0;
}

/* An element of "edits" or "files" that is an object names its own file, by
 * any of the names its tool knows. */
static int
add_object(struct ambit_request *request, const struct tool_arg *list, json_t *object)
{
	bool named = list->kind == TOOL_ARG_EDITS;
	int r = argpath_check(request, object);
	const char *key;
	json_t *value;

	for (const struct tool_arg *arg = request->tool->args; r == 0 && arg->name; arg++) {
		value = json_object_get(object, arg->name);
		if (!is_path_kind(arg) || !value || json_is_null(value))
			continue;
		named = true;
		if (json_is_string(value))
			r = add_string(request, list, value);
		else
			r = args_wrong_type(request, list->name, "a list of paths");
	}
	json_object_foreach (object, key, value)
		named = named && !leads_within(request->tool, value);
	if (r == 0 && !named)
		r = request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
			"args: something in '%s' names no file by a name ambit knows", list->name);
	return r;
}

int
argpath_list(struct ambit_request *request, const struct tool_arg *arg, json_t *value)
{
	size_t i;
	json_t *item;
	int r = 0;

	if (json_is_string(value))
		return add_string(request, arg, value);
	if (!json_is_array(value))
		return args_wrong_type(request, arg->name, "a string or a list of strings");
	json_array_foreach (value, i, item) {
		if (json_is_string(item))
			r = add_string(request, arg, item);
		else if (json_is_object(item))
			r = add_object(request, arg, item);
		else
			r = args_wrong_type(request, arg->name, "a string or a list of strings");
		if (r < 0 || request->bad_hard)
			return r;
	}
	return 0;
}

/* Behind the first wildcard a pattern may still climb, or have an alternative
 * that begins at the root: then its leading directories say nothing. */
static bool
pattern_strays(const char *rest)
{
	static const char *const stray[] = { "{/", ",/", "{~", ",~", "(/", "|/", "(~", "|~" };

	if (strstr(rest, ".."))
		return true;
	for (size_t i = 0; i < sizeof(stray) / sizeof(stray[0]); i++)
		if (strstr(rest, stray[i]))
			return true;
	return false;
}

/* What a pattern begins with, looked up in base (or NULL: where the tool
 * stands). */
static int
add_pattern(struct ambit_request *request, const struct tool_arg *arg, const char *text,
	size_t fixed, const json_t *base)
{
	auto_buf struct buf path = { 0 };

	if (base) {
		buf_append(&path, json_string_value(base), json_string_length(base));
		buf_putc(&path, '/');
	}
	buf_append(&path, text, fixed);
	if (path.len == 0)
		buf_putc(&path, '.');
	if (path.failed)
		return -ENOMEM;
	return request_add_path(request, path.data, path.len, arg->access, arg->follow);
}

/* A search through files whose pattern has no '/' means that name at every depth: all
 * of where it stands is read. */
static int
add_pattern_here(
	struct ambit_request *request, const struct tool_arg *arg, const char *text, size_t fixed)
{
	int r = add_pattern(request, arg, text, fixed, NULL);

	if (r == 0 && request->tool->here && arg->access == AMBIT_ACCESS_READ_TREE &&
		!strchr(text, '/'))
		r = request_add_path(request, ".", 1, arg->access, arg->follow);
	return r;
}

/* In every directory that the call names: which of them its tool joins with
 * the pattern is its own affair. */
static int
add_pattern_everywhere(
	struct ambit_request *request, const struct tool_arg *arg, const char *text, size_t fixed)
{
	bool any = false;
	int r = 0;

	for (const struct tool_arg *dir = request->tool->args; r == 0 && dir->name; dir++) {
		const json_t *value = json_object_get(request->args, dir->name), *item;
		size_t i;

		if (!is_path_kind(dir) || (!json_is_string(value) && !json_array_size(value)))
			continue;
		any = true;
		if (fixed == 0)
			break; /* the directories themselves are on the list */
		if (json_is_string(value))
			r = add_pattern(request, arg, text, fixed, value);
		json_array_foreach (value, i, item) {
			if (r < 0 || request->bad_hard)
				return r;
			if (json_is_string(item))
				r = add_pattern(request, arg, text, fixed, item);
		}
	}
	return r == 0 && !any ? add_pattern_here(request, arg, text, fixed) : r;
}

static int
read_pattern(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value), fixed = strcspn(text, "*?[{(!\\");

	if (check_ambiguous(request, arg->name, text) < 0)
		return -ENOMEM;
	if (strlen(text) != len || pattern_strays(text + fixed))
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
			"args: it cannot be told where '%s' begins to look", arg->name);
	if (fixed < len)
		while (fixed > 0 && text[fixed - 1] != '/')
			fixed--;
	return text[0] == '/' ? add_pattern(request, arg, text, fixed, NULL)
			      : add_pattern_everywhere(request, arg, text, fixed);
}

int
argpath_glob(struct ambit_request *request, const struct tool_arg *arg, json_t *value)
{
	size_t i;
	json_t *item;

	if (json_is_string(value))
		return read_pattern(request, arg, value);
	if (!json_is_array(value))
		return args_wrong_type(request, arg->name, "a pattern or a list of patterns");
	json_array_foreach (value, i, item) {
		int r = json_is_string(item) ? read_pattern(request, arg, item)
					     : args_wrong_type(request, arg->name,
						       "a pattern or a list of patterns");

		if (r < 0 || request->bad_hard)
			return r;
	}
	return 0;
}

/* Text that a tool would take for a path that leads somewhere: "owner/name", a
 * media type or a blob in base64 is none, and must not be refused as one. */
static bool
looks_like_path(const char *text, size_t len)
{
	if (len == 0 || len >= PATH_MAX || strpbrk(text, " \t\r\n") || strstr(text, "://"))
		return false;
	for (const char *p = text; *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n > NAME_MAX)
			return false;
		p += n;
	}
	return strchr("/~.", text[0]) || strstr(text, "/../");
}

int
argpath_guess(struct ambit_request *request, const json_t *value, int depth)
{
	static const struct tool_arg any = {
		.name = "(any)",
		.kind = TOOL_ARG_PATH,
		.access = AMBIT_ACCESS_READ,
		.follow = TOOL_FOLLOW,
	};
	const char *key;
	json_t *item;
	size_t i;
	int r = 0;

	if (json_is_string(value) &&
		looks_like_path(json_string_value(value), json_string_length(value)))
		return argpath_one(request, &any, value);
	if (depth > 8)
		return 0;
	json_array_foreach (value, i, item)
		r = r < 0 ? r : argpath_guess(request, item, depth + 1);
	json_object_foreach ((json_t *)value, key, item)
		r = r < 0 ? r : argpath_guess(request, item, depth + 1);
	return r;
}

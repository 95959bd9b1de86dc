/* SPDX-License-Identifier: Apache-2.0 */
/* A request, for others: as JSON for programs and the record, as a key for
 * memory, as one line for people. The bytes in it are still a model's, so
 * what is shown is escaped and what is compared is hashed whole. */

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"
#include "request/host.h"
#include "request/request-private.h"
#include "request/rulekey.h"

#define LABEL_MAX 200

static json_t *
text_json(const char *text, size_t len)
{
	auto_free char *shown = NULL;

	if (str_is_utf8(text, len))
		return json_stringn(text, len);
	shown = str_escape(text, len);
	return shown ? json_string(shown) : NULL;
}

static int
set_text(json_t *object, const char *key, const char *text)
{
	if (!text)
		return 0;
	return json_object_set_new(object, key, text_json(text, strlen(text)));
}

static json_t *
effects_json(unsigned effects)
{
	json_t *list = json_array();

	for (const struct ambit_word *word = ambit_effects; list && word->name; word++) {
		if (!(effects & (unsigned)word->value))
			continue;
		if (json_array_append_new(list, json_string(word->name)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *
paths_json(const struct ambit_request *request)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < request->n_paths; i++) {
		const struct request_path *path = &request->paths[i];
		const char *real = path->object ? path->object->real : NULL;
		json_t *item = json_object();

		if (!item ||
			json_object_set_new(item, "path",
				real ? text_json(real, strlen(real))
				     : text_json(path->text, path->len)) < 0 ||
			set_text(item, "access", ambit_word_name(ambit_accesses, path->access)) <
				0 ||
			json_array_append(list, item) < 0) {
			json_decref(list);
			list = NULL;
		}
		json_decref(item);
	}
	return list;
}

static int
set_known(json_t *object, const struct ambit_request *request)
{
	const char *tool = request_tool(request);
	int r = set_text(object, "tool", tool);

	if (r == 0 && !streq(tool, request->name))
		r = set_text(object, "name", request->name);
	if (r == 0 && request->args)
		r = json_object_set(object, "args", request->args);
	if (r == 0)
		r = set_text(object, "cwd", request->cwd);
	if (r == 0)
		r = json_object_set_new(object, "effects", effects_json(request->effects));
	if (r == 0)
		r = set_text(object, "danger", ambit_word_name(ambit_dangers, request->danger));
	if (r == 0 && request->n_paths)
		r = json_object_set_new(object, "paths", paths_json(request));
	if (r == 0)
		r = set_text(object, "command", request->command);
	if (r == 0)
		r = set_text(object, "host", request->host);
	if (r == 0 && request->port)
		r = json_object_set_new(object, "port", json_integer(request->port));
	if (r == 0 && request_scope_is_set(&request->scope))
		r = json_object_set_new(object, "scope", request_scope_json(&request->scope));
	if (r == 0 && request->plan)
		r = set_text(object, "mode", "plan");
	return r == 0 ? set_text(object, "agent", request->agent) : r;
}

json_t *
request_json(const struct ambit_request *request)
{
	json_t *object = json_object();

	if (!object)
		return NULL;
	if (set_known(object, request) < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* Whether the command is all there is to a call. Another directory, another
 * environment, other rights: then the same words are another command. */
static bool
is_only_command(const struct ambit_request *request)
{
	static const char *const harmless[] = { "command", "cmd", "script", "description",
		"timeout", "timeout_ms", "justification", "run_in_background", "is_background",
		"explanation" };
	/* Not read by a POSIX shell, or typed into whatever is running. */
	static const char *const others[] = { "PowerShell", "powershell", "write_stdin",
		"write_bash" };
	const char *key;
	json_t *value;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (streq(request->name, others[i]))
			return false;
	json_object_foreach (request->args, key, value) {
		bool known = json_is_null(value);

		for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
			known = known || streq(key, harmless[i]);
		if (!known)
			return false;
	}
	return true;
}

static char *
command_key(const struct ambit_request *request)
{
	auto_free char *key = rulekey_create(request->command, strlen(request->command));
	char hex[HASH_HEX];

	if (!key || str_prefix(key, "cmd:"))
		return key ? steal_ptr(&key) : NULL;
	hash_sha256(request->command, strlen(request->command), hex);
	return str_printf("exact:%s", hex);
}

/* What a call without arguments is made of. */
static char *
bare_text(const struct ambit_request *request, size_t *ret_len)
{
	struct buf out = { 0 };
	char *text;

	for (size_t i = 0; i < request->n_paths; i++) {
		buf_printf(&out, "%d %zu ", (int)request->paths[i].access, request->paths[i].len);
		buf_append(&out, request->paths[i].text, request->paths[i].len);
		/* The same words lead elsewhere when a link is changed. */
		if (request->paths[i].object)
			buf_printf(&out, " %zu %s", strlen(request->paths[i].object->real),
				request->paths[i].object->real);
	}
	if (request->host)
		buf_printf(&out, "%s %d", request->host, request->port);
	*ret_len = out.len;
	text = buf_take(&out);
	return text;
}

static void
append_scope(struct buf *out, const struct request_scope *scope)
{
	auto_json json_t *object = request_scope_json(scope);
	auto_free char *line = object ? json_line(object) : NULL;

	if (line)
		buf_printf(out, "scope %zu %s ", strlen(line), line);
	else
		out->failed = true;
}

char *
request_exact_key(const struct ambit_request *request)
{
	auto_free char *text = NULL;
	auto_buf struct buf whole = { 0 };
	char hex[HASH_HEX];
	size_t len;

	if (request->args) {
		text = json_line(request->args);
		len = text ? strlen(text) : 0;
	} else {
		text = bare_text(request, &len);
	}
	if (!text)
		return NULL;
	if (request->cwd)
		buf_printf(&whole, "cwd %zu %s ", strlen(request->cwd), request->cwd);
	if (request_scope_is_set(&request->scope))
		append_scope(&whole, &request->scope);
	buf_append(&whole, text, len);
	if (whole.failed)
		return NULL;
	hash_sha256(whole.data ? whole.data : "", whole.len, hex);
	return str_printf("call:%s:%s", request_tool(request), hex);
}

/* What the same words mean depends on where they are said: with a cwd or a scope of
 * its own, no call is known by a key that does not hold it. */
char *
request_call_key(const struct ambit_request *request)
{
	if (request->command && !request->cwd && !request_scope_is_set(&request->scope) &&
		is_only_command(request))
		return command_key(request);
	return request_exact_key(request);
}

bool
request_may_have_key(const struct ambit_request *request, const char *key)
{
	const char *tool = request_tool(request);
	size_t len = strlen(tool);

	return request->command || (str_prefix(key, "call:") && strncmp(key + 5, tool, len) == 0 &&
					   key[5 + len] == ':');
}

static void
append_escaped(struct buf *out, const char *text, size_t len)
{
	auto_free char *shown = str_escape(text, len);

	if (shown)
		buf_puts(out, shown);
	else
		out->failed = true;
}

/* Up to max bytes of the text; escaping makes longer, never shorter. */
static void
append_shown(struct buf *out, const char *text, size_t len, size_t max)
{
	append_escaped(out, text, len < max ? len : max);
}

/* What the call is about: its command, paths or host. */
static void
append_subject(struct buf *out, const struct ambit_request *request, size_t max)
{
	if (request->command) {
		buf_puts(out, ": ");
		append_shown(out, request->command, strlen(request->command), max);
	} else if (request->n_paths) {
		for (size_t i = 0; i < request->n_paths && out->len <= max; i++) {
			const struct request_path *path = &request->paths[i];

			/* What was resolved is what is meant: a name of the program's
			 * choice must not stand for it in a question. */
			buf_putc(out, ' ');
			if (path->object)
				append_shown(
					out, path->object->real, strlen(path->object->real), max);
			else
				append_shown(out, path->text, path->len, max);
		}
	} else if (request->host) {
		bool bare = !strchr(request->host, ':') || host_is_unix(request->host);

		buf_puts(out, bare ? " " : " [");
		append_shown(out, request->host, strlen(request->host), max);
		buf_puts(out, bare ? "" : "]");
		if (request->port)
			buf_printf(out, ":%d", request->port);
	}
}

char *
request_label(const struct ambit_request *request)
{
	const char *tool = request_tool(request);
	const size_t max = LABEL_MAX + 8;
	struct buf out = { 0 };

	append_shown(&out, tool, strlen(tool), max);
	append_subject(&out, request, max);
	if (!request->command && !request->n_paths && !request->host &&
		json_object_size(request->args)) {
		auto_free char *line = json_line(request->args);

		buf_putc(&out, ' ');
		append_shown(&out, line ? line : "", line ? strlen(line) : 0, max);
		out.failed = out.failed || !line;
	}
	if (!out.failed && out.len > LABEL_MAX) {
		out.len = str_cut(out.data, out.len, LABEL_MAX);
		out.data[out.len] = '\0';
		buf_puts(&out, "...");
	}
	return buf_take(&out);
}

static bool
is_path_of(const struct ambit_request *request, const json_t *value)
{
	for (size_t i = 0; json_is_string(value) && i < request->n_paths; i++)
		if (request->paths[i].len == json_string_length(value) &&
			memcmp(request->paths[i].text, json_string_value(value),
				request->paths[i].len) == 0)
			return true;
	return false;
}

/* Whether the subject shows an argument whole. A pattern, a patch or a URL
 * says more than the paths and the host in it. */
static bool
is_shown(const struct ambit_request *request, const char *key, const json_t *value)
{
	const struct tool_arg *arg = request->tool ? request->tool->args : NULL;

	while (arg && arg->name && !streq(arg->name, key))
		arg++;
	if (json_is_null(value) || !arg || !arg->name)
		return json_is_null(value);
	if (request->command)
		return arg->kind == TOOL_ARG_COMMAND && json_is_string(value) &&
		       streq(json_string_value(value), request->command);
	return arg->kind == TOOL_ARG_PATH && is_path_of(request, value);
}

static json_t *
rest_json(const struct ambit_request *request)
{
	json_t *rest = json_object(), *value;
	const char *key;

	json_object_foreach (request->args, key, value) {
		if (!rest || is_shown(request, key, value))
			continue;
		if (json_object_set(rest, key, value) < 0) {
			json_decref(rest);
			rest = NULL;
		}
	}
	return rest;
}

char *
request_text(const struct ambit_request *request)
{
	const char *tool = request_tool(request);
	auto_json json_t *rest = rest_json(request);
	struct buf out = { 0 };

	append_escaped(&out, tool, strlen(tool));
	append_subject(&out, request, SIZE_MAX);
	if (!rest)
		out.failed = true;
	if (json_object_size(rest)) {
		auto_free char *line = json_ascii(rest);

		buf_putc(&out, ' ');
		buf_puts(&out, line ? line : "");
		out.failed = out.failed || !line;
	}
	if (request->cwd) {
		buf_puts(&out, ", in ");
		append_escaped(&out, request->cwd, strlen(request->cwd));
	}
	return buf_take(&out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A request, for others: as JSON for programs and the record, as a key for
 * memory, as one line for people. The bytes in it are still a model's, so
 * what is shown is escaped and what is compared is hashed whole. */

#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "request/request.h"
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
		json_t *item = json_object();

		if (!item ||
			json_object_set_new(item, "path", text_json(path->text, path->len)) < 0 ||
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
	const char *tool = ambit_request_tool(request);
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
	json_object_foreach(request->args, key, value)
	{
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
	}
	if (request->host)
		buf_printf(&out, "%s %d", request->host, request->port);
	*ret_len = out.len;
	text = buf_take(&out);
	return text;
}

char *
request_call_key(const struct ambit_request *request)
{
	auto_free char *text = NULL;
	char hex[HASH_HEX];
	size_t len;

	if (request->command && is_only_command(request))
		return command_key(request);
	if (request->args) {
		text = json_line(request->args);
		len = text ? strlen(text) : 0;
	} else {
		text = bare_text(request, &len);
	}
	if (!text)
		return NULL;
	hash_sha256(text, len, hex);
	return str_printf("call:%s:%s", ambit_request_tool(request), hex);
}

static void
append_shown(struct buf *out, const char *text, size_t len)
{
	/* Escaping makes longer, never shorter: no more than this can show. */
	auto_free char *shown = str_escape(text, len < LABEL_MAX + 8 ? len : LABEL_MAX + 8);

	if (shown)
		buf_puts(out, shown);
	else
		out->failed = true;
}

static void
append_subject(struct buf *out, const struct ambit_request *request)
{
	if (request->command) {
		buf_puts(out, ": ");
		append_shown(out, request->command, strlen(request->command));
	} else if (request->n_paths) {
		for (size_t i = 0; i < request->n_paths && out->len <= LABEL_MAX; i++) {
			buf_putc(out, ' ');
			append_shown(out, request->paths[i].text, request->paths[i].len);
		}
	} else if (request->host) {
		buf_puts(out, strchr(request->host, ':') ? " [" : " ");
		append_shown(out, request->host, strlen(request->host));
		buf_puts(out, strchr(request->host, ':') ? "]" : "");
		if (request->port)
			buf_printf(out, ":%d", request->port);
	} else if (request->args && json_object_size(request->args)) {
		auto_free char *line = json_line(request->args);

		buf_putc(out, ' ');
		append_shown(out, line ? line : "", line ? strlen(line) : 0);
		out->failed = out->failed || !line;
	}
}

char *
request_label(const struct ambit_request *request)
{
	const char *tool = ambit_request_tool(request);
	struct buf out = { 0 };
	size_t len = LABEL_MAX;

	append_shown(&out, tool, strlen(tool));
	append_subject(&out, request);
	if (!out.failed && out.len > LABEL_MAX) {
		while (len > 0 && ((unsigned char)out.data[len] & 0xc0) == 0x80)
			len--;
		out.len = len;
		out.data[len] = '\0';
		buf_puts(&out, "...");
	}
	return buf_take(&out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments become paths, a command, a host. They were written by a model and
 * are read by a tool we do not know: every spelling of an argument counts, a
 * value of the wrong type is refused, and a tool that should have named a
 * path and did not is left for a person to judge. */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "request/argpath.h"
#include "request/args.h"
#include "request/host.h"
#include "patch/patch.h"

int
args_wrong_type(struct ambit_request *request, const char *arg, const char *want)
{
	return request_refuse(
		request, AMBIT_CODE_BAD_ARGUMENTS, true, "args: '%s' must be %s", arg, want);
}

/* A patch's removals take the name away, its renames replace one. */
static int
add_patched(void *data, const char *path, size_t len, enum ambit_access access)
{
	struct ambit_request *request = data;
	enum tool_follow follow = access == AMBIT_ACCESS_DELETE	   ? TOOL_NOFOLLOW
				  : access == AMBIT_ACCESS_REPLACE ? TOOL_FOLLOW_BOTH
								   : TOOL_FOLLOW;
	int r = request_add_path(request, path, len, access, follow);

	if (r < 0)
		return r;
	return request->bad_hard ? -E2BIG : 0;
}

static int
read_patch(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	struct ambit_error err = { 0 };
	int r;

	if (!json_is_string(value))
		return args_wrong_type(request, arg->name, "a string");
	r = patch_paths(
		json_string_value(value), json_string_length(value), add_patched, request, &err);
	if (r == 0 || r == -ENOMEM)
		return r;
	return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true,
		"args: '%s' is no patch that can be read, %s", arg->name,
		err.code ? err.text : "too many files");
}

static void
append_word(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+./:=@,%";

	if (word[0] && word[strspn(word, plain)] == '\0') {
		buf_puts(out, word);
		return;
	}
	buf_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *word);
	}
	buf_putc(out, '\'');
}

/* ["bash", "-lc", "git status"] is how one agent says `git status`. */
static const char *
unwrap_shell_argv(const json_t *argv)
{
	static const char *const shells[] = { "bash", "sh", "zsh", "/bin/bash", "/bin/sh",
		"/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh" };
	const char *shell = json_string_value(json_array_get(argv, 0));
	const char *flag = json_string_value(json_array_get(argv, 1));

	if (json_array_size(argv) != 3 || (!streq(flag, "-c") && !streq(flag, "-lc")))
		return NULL;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (streq(shell, shells[i]))
			return json_string_value(json_array_get(argv, 2));
	return NULL;
}

static int
join_command_words(
	struct ambit_request *request, const struct tool_arg *arg, const json_t *argv, char **ret)
{
	auto_buf struct buf out = { 0 };
	const char *script;
	const json_t *item;
	size_t i;

	json_array_foreach (argv, i, item)
		if (!json_is_string(item) ||
			strlen(json_string_value(item)) != json_string_length(item))
			return args_wrong_type(request, arg->name, "a command or a list of words");
	if (json_array_size(argv) == 0)
		return args_wrong_type(request, arg->name, "a command or a list of words");
	script = unwrap_shell_argv(argv);
	if (script)
		buf_puts(&out, script);
	json_array_foreach (argv, i, item) {
		if (script)
			break;
		if (i > 0)
			buf_putc(&out, ' ');
		append_word(&out, json_string_value(item));
	}
	*ret = buf_take(&out);
	return *ret ? 0 : -ENOMEM;
}

static int
read_command(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	auto_free char *command = NULL;
	int r = 0;

	if (json_is_array(value)) {
		r = join_command_words(request, arg, value, &command);
	} else if (!json_is_string(value)) {
		return args_wrong_type(request, arg->name, "a command or a list of words");
	} else if (strlen(json_string_value(value)) != json_string_length(value)) {
		return args_wrong_type(request, arg->name, "a command without NUL bytes");
	} else {
		command = strdup(json_string_value(value));
		r = command ? 0 : -ENOMEM;
	}
	if (r < 0 || !command)
		return r;
	if (strlen(command) > REQUEST_COMMAND_MAX)
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"args: '%s' is longer than %u bytes", arg->name, REQUEST_COMMAND_MAX);
	/* Which of two commands would run cannot be known. */
	if (request->command && !streq(request->command, command))
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"args: two different commands in one call");
	free(request->command);
	request->command = steal_ptr(&command);
	return 0;
}

/* Takes host. */
static int
set_host(struct ambit_request *request, char *host, int port)
{
	auto_free char *owned = host;

	if (!request->host) {
		request->host = steal_ptr(&owned);
		request->port = port;
		return 0;
	}
	if (streq(request->host, host) && request->port == port)
		return 0;
	return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
		"the call names several hosts: %s and %s", request->host, host);
}

static int
read_host(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	const char *text = json_string_value(value);
	char *host;
	int port, r;

	if (!text)
		return args_wrong_type(request, arg->name, "a string");
	r = strlen(text) != json_string_length(value) ? -EINVAL
	    : arg->kind == TOOL_ARG_HOST	      ? host_parse(text, &host, &port)
						      : host_parse_url(text, &host, &port);
	if (r == -EINVAL)
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"args: '%s' is no %s", arg->name,
			arg->kind == TOOL_ARG_HOST ? "host" : "URL whose host can be told");
	return r < 0 ? r : set_host(request, host, port);
}

/* Every URL in a text for a model, up to what ends one there. */
static int
read_prompt(struct ambit_request *request, const char *text)
{
	int r = 0;

	for (const char *at = text; r == 0 && *at;) {
		size_t scheme = str_fold_equal(at, "http://", 7)    ? 7
				: str_fold_equal(at, "https://", 8) ? 8
								    : 0;
		size_t len = scheme + strcspn(at + scheme, " \t\r\n\"'<>()[]{}|`,;");
		auto_free char *url = scheme ? strndup(at, len) : NULL;
		char *host;
		int port;

		at += scheme ? len : 1;
		if (!scheme)
			continue;
		if (!url)
			return -ENOMEM;
		r = host_parse_url(url, &host, &port);
		if (r == 0)
			r = set_host(request, host, port);
		else if (r == -EINVAL)
			r = request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
				"a URL in the prompt cannot be read");
	}
	return r;
}

static int
read_urls(struct ambit_request *request, const struct tool_arg *arg, const json_t *value)
{
	const json_t *item;
	size_t i;
	int r = 0;

	/* What one agent tells a model about the page is another's list of pages. */
	if (streq(arg->name, "prompt")) {
		if (!json_is_string(value))
			return args_wrong_type(request, arg->name, "a string");
		if (strlen(json_string_value(value)) != json_string_length(value))
			return args_wrong_type(request, arg->name, "a text without NUL bytes");
		if (request->host && streq(request->name, "WebFetch"))
			return 0;
		return read_prompt(request, json_string_value(value));
	}
	if (!json_is_array(value))
		return read_host(request, arg, value);
	json_array_foreach (value, i, item)
		if (r == 0)
			r = read_host(request, arg, item);
	return r;
}

static int
read_arg(struct ambit_request *request, const struct tool_arg *arg, json_t *value)
{
	switch (arg->kind) {
	case TOOL_ARG_PATH:
		return argpath_one(request, arg, value);
	case TOOL_ARG_PATHS:
	case TOOL_ARG_EDITS:
		return argpath_list(request, arg, value);
	case TOOL_ARG_TEXT:
	case TOOL_ARG_PLACE:
		return 0;
	case TOOL_ARG_GLOB:
		return argpath_glob(request, arg, value);
	case TOOL_ARG_PATCH:
		return read_patch(request, arg, value);
	case TOOL_ARG_COMMAND:
		return read_command(request, arg, value);
	case TOOL_ARG_URL:
		return read_urls(request, arg, value);
	case TOOL_ARG_HOST:
		return read_host(request, arg, value);
	}
	return args_wrong_type(request, arg->name, "of a known kind");
}

static bool
has_access(const struct ambit_request *request, enum ambit_access access)
{
	for (size_t i = 0; i < request->n_paths; i++)
		if (request->paths[i].access == access)
			return true;
	return false;
}

/* Each way a row's arguments touch a path must have been used: a move whose
 * source was found and whose target goes by a name we do not know is not
 * understood. */
static int
check_paths(struct ambit_request *request)
{
	const struct tool *tool = request->tool;

	if (!tool->needs_path)
		return 0;
	if (tool->args[0].kind == TOOL_ARG_PATCH)
		return request->n_paths ? 0
					: request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
						  "%s: no patch in the arguments", tool->name);
	for (const struct tool_arg *arg = tool->args; arg->name; arg++) {
		int r;

		if (arg->kind == TOOL_ARG_TEXT || has_access(request, arg->access))
			continue;
		if (tool->here &&
			(arg->access == AMBIT_ACCESS_WRITE || !(tool->effects & AMBIT_WRITE)))
			r = request_add_path(request, ".", 1, arg->access, arg->follow);
		else
			return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
				"%s: no path to %s in the arguments", tool->name,
				ambit_word_name(ambit_accesses, arg->access));
		if (r < 0)
			return r;
	}
	return 0;
}

static bool
has_arg_kind(const struct tool *tool, enum tool_arg_kind kind)
{
	for (const struct tool_arg *arg = tool->args; arg && arg->name; arg++)
		if (arg->kind == kind)
			return true;
	return false;
}

int
args_read(struct ambit_request *request)
{
	const struct tool *tool = request->tool;

	for (const struct tool_arg *arg = tool->args; arg && arg->name; arg++) {
		json_t *value = json_object_get(request->args, arg->name);
		int r = value && !json_is_null(value) ? read_arg(request, arg, value) : 0;

		if (r < 0)
			return r;
		if (request->bad_hard)
			return 0;
	}
	if (tool->needs_path && argpath_check(request, request->args) < 0)
		return -ENOMEM;
	if (tool->shell && !request->command)
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
			"%s: no command in the arguments", tool->name);
	if ((has_arg_kind(tool, TOOL_ARG_URL) || has_arg_kind(tool, TOOL_ARG_HOST)) &&
		!request->host)
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
			"%s: no host in the arguments", tool->name);
	return check_paths(request);
}

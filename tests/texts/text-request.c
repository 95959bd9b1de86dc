/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "call" and "request": "TOOL ARGUMENTS", or a whole request as `ambit decide`
 * reads it, becomes what it would touch. args: says which part of it is shown; without
 * them, its paths. A request that is not understood is shown with the reason:
 *
 *   refused: REASON         whatever anybody says to it
 *   ask: REASON             a person may still say yes
 *   unknown tool: REASON    so too */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "request/request-private.h"
#include "texts.h"

static void
show_bad(const struct ambit_request *request, struct buf *out)
{
	bool bad_arguments = request->bad == AMBIT_CODE_BAD_ARGUMENTS;

	if (bad_arguments)
		buf_puts(out, request->bad_hard ? "refused" : "ask");
	else if (request->bad == AMBIT_CODE_UNKNOWN_TOOL && !request->bad_hard)
		buf_puts(out, "unknown tool");
	else
		buf_printf(out, "%s%s", ambit_word_name(ambit_codes, request->bad),
			request->bad_hard ? " hard" : "");
	buf_printf(out, ": %s", request->bad_reason ? request->bad_reason : "no reason");
}

static void
show_paths(const struct ambit_request *request, struct buf *out)
{
	static const char *const follows[] = { "both", "follow", "nofollow" };

	if (request->n_paths == 0)
		buf_puts(out, "no path");
	for (size_t i = 0; i < request->n_paths; i++) {
		const struct request_path *path = &request->paths[i];

		buf_printf(out, "%s%s:%s ", i > 0 ? ", " : "",
			ambit_word_name(ambit_accesses, path->access), follows[path->follow]);
		buf_append(out, path->text, path->len);
	}
}

static void
show_command(const struct ambit_request *request, struct buf *out)
{
	buf_printf(out, "%s: %s", request_tool(request),
		request->command ? request->command : "no command");
}

static void
show_host(const struct ambit_request *request, struct buf *out)
{
	buf_printf(out, "%s port %d", request->host ? request->host : "no host", request->port);
}

/* The effects, and how dangerous they are together. */
static void
show_danger(const struct ambit_request *request, struct buf *out)
{
	for (const struct ambit_word *word = ambit_effects; word->name; word++)
		if (request->effects & (unsigned)word->value)
			buf_printf(out, "%s ", word->name);
	buf_printf(out, "-> %s", ambit_word_name(ambit_dangers, (int)request->danger));
}

static void
show_narrowing(const struct ambit_request *request, struct buf *out)
{
	buf_printf(out, "id=%s", request->id ? request->id : "none");
	if (request->cwd)
		buf_printf(out, " cwd=%s", request->cwd);
	if (request->scope.root)
		buf_printf(out, " root=%s", request->scope.root);
	if (request->scope.display_root)
		buf_printf(out, " display_root=%s", request->scope.display_root);
	if (request->scope.enforce != REQUEST_ENFORCE_BY_ROOT)
		buf_printf(out, " enforce=%s",
			request->scope.enforce == REQUEST_ENFORCE_ON ? "on" : "off");
	if (request->scope.no_bash)
		buf_puts(out, " no-bash");
	if (request->plan)
		buf_puts(out, " plan");
}

static void
show_id(const struct ambit_request *request, struct buf *out)
{
	buf_printf(out, "%s%s", request->id ? request->id : "none",
		request->bad == AMBIT_CODE_NONE ? ""
		: request->bad_hard		? ", refused"
						: ", ask");
}

static void
show_label(const struct ambit_request *request, struct buf *out)
{
	auto_free char *label = request_label(request);

	buf_puts(out, label);
}

static void
show_text(const struct ambit_request *request, struct buf *out)
{
	auto_free char *text = request_text(request);

	buf_puts(out, text);
}

static void
show_json(const struct ambit_request *request, struct buf *out)
{
	auto_json json_t *json = request_json(request);
	auto_free char *line = json_line(json);

	buf_puts(out, line);
}

static const struct {
	const char *args;
	void (*show)(const struct ambit_request *request, struct buf *out);
	bool bad_too; /* shows requests that are not understood, too */
} views[] = {
	{ "", show_paths, false },
	{ "command", show_command, false },
	{ "danger", show_danger, true },
	{ "host", show_host, false },
	{ "id", show_id, true },
	{ "json", show_json, false },
	{ "label", show_label, true },
	{ "narrowing", show_narrowing, false },
	{ "text", show_text, true },
};

static const char *
put_view(
	const struct text_test *test, const struct ambit_request *request, struct text_outputs *out)
{
	auto_buf struct buf shown = { 0 };

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (!streq(views[i].args, test->args))
			continue;
		if (request->bad != AMBIT_CODE_NONE && !views[i].bad_too)
			show_bad(request, &shown);
		else
			views[i].show(request, &shown);
		text_put(out, "", shown.data, shown.len);
		return NULL;
	}
	return "args: is not a known part of a request";
}

/* "-- cwd": the directory that the call is made in. */
static const char *
run_call(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in"), *cwd = text_find(test, "cwd");
	struct ambit_request *request = NULL;
	struct ambit_error err = { 0 };
	size_t n = strcspn(in->data, " ");
	auto_free char *tool = strndup(in->data, n), *args = NULL;
	const char *why = NULL;

	if (n == in->len)
		return "not 'TOOL ARGUMENTS'";
	args = strndup(in->data + n + 1, in->len - n - 1);
	if (ambit_request_create(tool, args, in->len - n - 1, &request, &err) < 0)
		return "ambit_request_create failed";
	if (cwd && ambit_request_set_cwd(request, cwd->data) < 0)
		why = "ambit_request_set_cwd failed";
	if (!why)
		why = put_view(test, request, out);
	ambit_request_destroy(request);
	return why;
}

const struct text_kind text_call = {
	.name = "call",
	.inputs = "in cwd?",
	.run = run_call,
};

static const char *
run_request(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *copy = text_exact(in);
	struct ambit_request *request = NULL;
	const char *why;

	if (ambit_request_parse(copy, in->len, &request, NULL) < 0)
		return "ambit_request_parse failed";
	why = put_view(test, request, out);
	ambit_request_destroy(request);
	return why;
}

const struct text_kind text_request = {
	.name = "request",
	.inputs = "in",
	.run = run_request,
};

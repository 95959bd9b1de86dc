/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a command, or is known of one that runs, as the result of a call: for programs
 * here, in words by bash-say.c. The report is that of `ambit run` and trusted; what the command
 * printed, and the names in what it was refused, are its own. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/shell/bash.h"

#define REFUSED_MAX 200
#define REFUSED_BYTES 40000 /* of the rows: a path may be 4 KB long, and is in them often */
#define MARKS_BYTES 1500    /* of the four texts in a row */
#define SOURCE_MAX 200

/* Of a command that reached out each of them will have marks. */
static size_t
row_bytes(const json_t *row, bool marked)
{
	return json_string_length(json_object_get(row, "subject")) +
	       json_string_length(json_object_get(row, "message")) +
	       json_string_length(json_object_get(row, "allow")) + (marked ? MARKS_BYTES : 0);
}

/* NULL: there is none, or it cannot be read. */
static json_t *
report_of(const struct ambit_executed *executed)
{
	json_t *report = NULL;

	if (executed->report)
		json_parse(executed->report, strlen(executed->report), &report, NULL);
	return report;
}

/* The report's own rows: what, subject, code, program, message, asked, count; and how a person
 * could allow it. All that fit; *ret_left says how many do not. */
static json_t *
refused_of(const json_t *report, bool marked, size_t *ret_left)
{
	json_t *list = json_array(), *row, *rows;
	size_t i, bytes = 0;

	*ret_left = 0;
	rows = json_object_get(report, "refusals");
	json_array_foreach (rows, i, row) {
		auto_free char *how = bash_how_to_grant(row);

		if (how)
			json_set_text(row, "allow", how);
		json_object_del(row, "advice");
		bytes += row_bytes(row, marked);
		if (i >= REFUSED_MAX || bytes > (marked ? 2 : 1) * REFUSED_BYTES)
			break;
		json_array_append(list, row);
	}
	*ret_left = json_array_size(rows) - json_array_size(list);
	return list;
}

static json_t *
names_json(char *const *names)
{
	json_t *list = json_array();

	for (; *names; names++)
		json_array_append_new(list, json_string(*names));
	return list;
}

static int
set_structured(struct tool_run *run, const struct ambit_executed *executed, json_t *refused,
	int timeout_ms)
{
	const struct ambit_output *out = &executed->out, *err = &executed->err;
	bool cut = out->size > BASH_STREAM_MAX || err->size > BASH_STREAM_MAX;

	run->structured = json_pack("{s:i, s:s%, s:s%, s:I, s:I, s:b, s:I, s:b, s:O, s:o, s:b}",
		"exit_code", executed->status, "stdout", out->text, out->len, "stderr", err->text,
		err->len, "stdout_size", (json_int_t)out->size, "stderr_size",
		(json_int_t)err->size, "truncated", cut, "duration_ms",
		(json_int_t)executed->duration_ms, "timed_out", executed->timed_out, "refused",
		refused, "scrubbed", names_json(ambit_executor_scrubbed(run->executor)),
		"connected", executed->connected);
	if (!run->structured)
		return -ENOMEM;
	if (!executed->timed_out)
		return 0;
	auto_free char *message = str_printf("the command was ended after %d ms", timeout_ms);

	return message ? json_set_text(run->structured, "message", message) : -ENOMEM;
}

/* What it prints is somebody else's words, or may be. */
static int
mark_untrusted(struct tool_run *run, const char *command)
{
	run->untrusted = true;
	run->source = str_printf(
		"bash: %.*s", (int)str_cut(command, strlen(command), SOURCE_MAX), command);
	return run->source ? 0 : -ENOMEM;
}

int
bash_report(struct tool_run *run, const char *command, const struct ambit_executed *executed,
	int timeout_ms, struct ambit_error *err)
{
	size_t left = 0;
	auto_json json_t *report = report_of(executed);
	auto_json json_t *refused = refused_of(report, executed->connected, &left);
	json_t *ended = json_object_get(report, "left");

	if (!refused || set_structured(run, executed, refused, timeout_ms) < 0)
		return err_nomem(err);
	if (left > 0)
		json_object_set_new(
			run->structured, "refused_left_out", json_integer((json_int_t)left));
	if (json_integer_value(ended) > 0)
		json_object_set(run->structured, "ended_processes", ended);
	if (executed->connected && mark_untrusted(run, command) < 0)
		return err_nomem(err);
	bash_say(run, command, executed, refused, left, json_integer_value(ended), timeout_ms);
	if (bash_look(run, report) < 0 || bash_unrecorded(run, report) < 0)
		return err_nomem(err);
	if (executed->timed_out) {
		run->code = AMBIT_CODE_TIMEOUT;
		json_object_set_new(run->structured, "error",
			json_string(ambit_word_name(ambit_codes, AMBIT_CODE_TIMEOUT)));
	}
	return run->text.failed ? err_nomem(err) : 0;
}

/* Whether it reached out is told when it has ended; until then it may have. */
int
bash_report_running(struct tool_run *run, const char *command,
	const struct ambit_executed *executed, const char *held, struct ambit_error *err)
{
	const struct ambit_output *out = &executed->out, *errors = &executed->err;
	bool cut = out->size > BASH_STREAM_MAX || errors->size > BASH_STREAM_MAX;

	run->structured = json_pack("{s:b, s:s%, s:s%, s:I, s:I, s:b, s:I}", "running", 1, "stdout",
		out->text, out->len, "stderr", errors->text, errors->len, "stdout_size",
		(json_int_t)out->size, "stderr_size", (json_int_t)errors->size, "truncated", cut,
		"duration_ms", (json_int_t)executed->duration_ms);
	if (!run->structured || mark_untrusted(run, command) < 0)
		return err_nomem(err);
	if (held && json_set_text(run->structured, "held", held) < 0)
		return err_nomem(err);
	bash_say_running(run, executed, held);
	return run->text.failed ? err_nomem(err) : 0;
}

/* What was refused has names in it that the command chose, and it may have been told them:
 * only what ambit calls them is ours, and the names of the person's own variables. */
bool
bash_is_own(const char *key, const char *value)
{
	static const char *const keys[] = { "what", "code", "error", "scrubbed", "unrecorded",
		"id" };

	(void)value;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (streq(keys[i], key))
			return true;
	return false;
}

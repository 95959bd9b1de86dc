/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a command, in words for the model: what it printed, how it ended, what
 * was refused and what to do about that. Of a command that reached out, each stream
 * stands between marks of its own, and nothing else does: a page can print "[exit code
 * 0]" as well, and only what is outside of the marks is ambit's. */

#include <string.h>

#include <ambit/label.h>

#include "ask/question-copy.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/shell/bash.h"

#define NO_NEWS "[no new output]\n"
#define TIMEOUT_MAX_MS 600000
#define SHOWN_MAX 26000	   /* of one stream: replaced bytes are longer than they were */
#define REFUSED_SHOWN 12   /* programs get more */
#define NAME_MAX_BYTES 300 /* of what a command chose to call a file, outside of the marks */

static void
end_line(struct tool_run *run)
{
	if (run->text.len > 0 && run->text.data[run->text.len - 1] != '\n')
		buf_putc(&run->text, '\n');
}

static void
say_printed(struct tool_run *run, const char *text, size_t len)
{
	auto_free char *labelled = NULL;

	if (!run->untrusted || len == 0) {
		buf_append(&run->text, text, len);
	} else {
		labelled = ambit_label_untrusted(run->source, text, len);
		run->text.failed |= !labelled;
		buf_puts(&run->text, labelled ? labelled : "");
	}
	end_line(run);
}

static void
say_output(struct tool_run *run, const char *name, const struct ambit_output *output)
{
	size_t len = str_cut(output->text, output->len, SHOWN_MAX);

	say_printed(run, output->text, len);
	if (len < output->len)
		buf_printf(&run->text, "[... %zu bytes more ...]\n", output->len - len);
	/* Where it was cut is shown there; between marks that is nobody's word. */
	if (run->untrusted && output->size > BASH_STREAM_MAX)
		buf_printf(&run->text, "[%s had %llu bytes: the middle of it is cut out]\n", name,
			(unsigned long long)output->size);
	if (output->binary)
		buf_printf(&run->text,
			"[%s is binary in part: what is no text is shown as \xef\xbf\xbd]\n", name);
}

static void
say_ending(struct tool_run *run, const struct ambit_executed *executed, int timeout_ms)
{
	if (executed->timed_out)
		buf_printf(&run->text,
			"[timed out after %d ms and was ended, with all it had started; above is "
			"what it printed until then. Give a longer 'timeout' (at most %d), or run "
			"less at once]\n",
			timeout_ms, TIMEOUT_MAX_MS);
	else if (executed->status > 128 && executed->status < 128 + 65)
		buf_printf(&run->text, "[exit code %d: ended by signal %d, %s]\n", executed->status,
			executed->status - 128, strsignal(executed->status - 128));
	else if (executed->status != 0)
		buf_printf(&run->text, "[exit code %d]\n", executed->status);
}

/* Who may be somebody else's hand does not get to say much in a name. */
static int
shown_len(const struct tool_run *run, const char *text)
{
	return (int)str_cut(text, strlen(text), run->untrusted ? NAME_MAX_BYTES : strlen(text));
}

static void
say_refused(struct tool_run *run, const json_t *refused, size_t left)
{
	const json_t *row;
	size_t i;

	left += json_array_size(refused);
	if (left == 0)
		return;
	buf_puts(&run->text, "[refused by ambit:]\n");
	json_array_foreach (refused, i, row) {
		json_int_t count = json_integer_value(json_object_get(row, "count"));
		const char *subject = json_text(row, "subject"),
			   *message = json_text(row, "message");

		if (i == REFUSED_SHOWN)
			break;
		buf_printf(&run->text, "- %s %.*s (%s): %.*s", json_text(row, "what"),
			shown_len(run, subject), subject, json_text(row, "program"),
			shown_len(run, message), message);
		if (count > 1)
			buf_printf(&run->text, " (%lld times)", (long long)count);
		buf_putc(&run->text, '\n');
	}
	if (i < left)
		buf_printf(&run->text, "- and %zu more\n", left - i);
}

/* Not what somebody has answered, or what nobody would have been asked about. */
char *
bash_how_to_grant(const json_t *row)
{
	const char *advice = json_text(row, "advice");
	auto_buf struct buf how = { 0 };

	if (!str_prefix(advice, "ambit ") ||
		(!strstr(json_text(row, "message"), "; " QUESTION_NOBODY) &&
			!streq(json_text(row, "code"), "Timeout")))
		return NULL;
	for (; *advice; advice++)
		if (*advice == '\n')
			buf_puts(&how, "; ");
		else
			buf_putc(&how, *advice);
	return buf_take(&how);
}

/* A rule for each, once: what was deleted and written is opened by the same. */
static bool
is_told(const json_t *refused, size_t before, const char *how)
{
	for (size_t i = 0; i < before; i++)
		if (streq(json_text(json_array_get(refused, i), "allow"), how))
			return true;
	return false;
}

static void
say_how_to_grant(struct tool_run *run, const json_t *refused)
{
	const json_t *row;
	size_t i, told = 0;

	json_array_foreach (refused, i, row) {
		const char *how = json_text(row, "allow");

		if (!*how || is_told(refused, i, how) || strlen(how) > (size_t)shown_len(run, how))
			continue;
		if (told == 0)
			buf_puts(&run->text, "[a person can allow it for this folder:]\n");
		if (told++ == REFUSED_SHOWN)
			return;
		buf_printf(&run->text, "- %s\n", how);
	}
}

/* Only if it is missed: on every call it would be noise. */
static void
say_scrubbed(struct tool_run *run, const char *command, const struct ambit_executed *executed)
{
	const char *before = "";

	for (char *const *name = ambit_executor_scrubbed(run->executor); *name; name++) {
		if (!strstr(command, *name) && !strstr(executed->err.text, *name))
			continue;
		buf_printf(&run->text, "%s%s",
			*before ? before : "[not in the environment, for it looks like a secret: ",
			*name);
		before = ", ";
	}
	if (*before)
		buf_puts(&run->text, "]\n");
}

static void
say_streams(struct tool_run *run, const struct ambit_executed *executed, const char *none)
{
	say_output(run, "stdout", &executed->out);
	if (executed->err.len > 0) {
		buf_puts(&run->text, "[stderr]\n");
		say_output(run, "stderr", &executed->err);
	}
	if (executed->out.len == 0 && executed->err.len == 0)
		buf_puts(&run->text, none);
}

void
bash_say_running(struct tool_run *run, const struct ambit_executed *executed, const char *held)
{
	say_streams(run, executed, NO_NEWS);
	if (held)
		buf_printf(&run->text, "[held: a person is asked: %.*s]\n", shown_len(run, held),
			held);
	buf_printf(&run->text, "[running for %lld s]\n", (long long)(executed->duration_ms / 1000));
	run->own = run->text.len;
}

void
bash_say(struct tool_run *run, const char *command, const struct ambit_executed *executed,
	const json_t *refused, size_t left, long long ended, int timeout_ms)
{
	say_streams(run, executed, run->tool == &tool_bash ? "[no output]\n" : NO_NEWS);
	say_ending(run, executed, timeout_ms);
	/* After a timeout or a stop all were, and that is said. */
	if (ended > 0 && !executed->timed_out && !executed->cancelled)
		buf_printf(&run->text,
			"[%lld process%s still running in the background, and %s "
			"ended]\n",
			ended, ended == 1 ? " was" : "es were", ended == 1 ? "was" : "were");
	say_refused(run, refused, left);
	say_how_to_grant(run, refused);
	say_scrubbed(run, command, executed);
	run->own = run->text.len;
}

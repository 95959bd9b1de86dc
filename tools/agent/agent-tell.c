/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a sub-agent, in words for the one who started it: how it ended, what it
 * says, what changed in its folder, and what the line refused it. Its own words, and names
 * that it chose, stand between marks: it may have read anything. */

#include <stdlib.h>
#include <string.h>

#include <ambit/label.h>

#include "agents/summary.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/agent/agent-run.h"
#include "tools/shell/bash.h"

#define ERRORS_SHOWN 2000 /* bytes of its stderr, where it failed */
#define FILES_SHOWN 40

/* -- in words ----------------------------------------------------------------------- */

static void
say_marked(struct agent_run *a, const char *what, const char *text, size_t len)
{
	auto_free char *source = str_printf("sub-agent %s: %s", a->agent->name, what);
	auto_free char *labelled = NULL;

	if (a->run->options->unlabelled)
		labelled = source ? str_printf("\n%c%s:\n%.*s", what[0] - ('a' - 'A'), what + 1,
					    (int)len, text)
				  : NULL;
	else
		labelled = source ? ambit_label_untrusted(source, text, len) : NULL;
	a->run->text.failed |= !labelled;
	buf_puts(&a->run->text, labelled ? labelled : "");
	buf_putc(&a->run->text, '\n');
}

static void
say_ending(struct agent_run *a, bool failed)
{
	const struct ambit_executed *executed = &a->executed;
	struct buf *text = &a->run->text;

	buf_printf(text, "Agent %s in %s", a->agent->name, a->shown);
	if (executed->timed_out)
		buf_puts(text, " was ended, with all it had started: its time was up");
	else if (executed->status != 0)
		buf_printf(text, " failed: exit code %d", executed->status);
	else if (failed)
		buf_puts(text, " says that it failed");
	else
		buf_puts(text, " is done");
	buf_printf(text, ", after %lld.%lld s. Its session is %s.\n",
		(long long)(executed->duration_ms / 1000),
		(long long)(executed->duration_ms / 100 % 10), a->session);
}

static void
say_files(struct agent_run *a)
{
	static const char *const kinds[] = { "created", "modified", "deleted" };
	auto_buf struct buf list = { 0 };
	size_t shown = 0;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const json_t *names = json_object_get(a->files, kinds[k]), *name;
		size_t i;

		json_array_foreach (names, i, name)
			if (shown++ < FILES_SHOWN)
				buf_printf(&list, "%s %s\n", kinds[k], json_string_value(name));
	}
	if (a->n_files > FILES_SHOWN)
		buf_printf(&list, "and %zu more\n", a->n_files - FILES_SHOWN);
	if (a->cut)
		buf_puts(&list,
			"Not all of the folder could be looked through: there may be more.\n");
	if (list.len == 0)
		buf_puts(&a->run->text, "Nothing changed in its folder while it ran.\n");
	else
		say_marked(a, "what changed in its folder while it ran", list.data, list.len);
	a->run->text.failed |= list.failed;
}

static void
say_deferred(struct agent_run *a)
{
	auto_buf struct buf list = { 0 };
	const json_t *row;
	size_t i;

	if (json_array_size(a->deferred) == 0)
		return;
	json_array_foreach (a->deferred, i, row)
		buf_printf(&list, "- %s %s (%s)\n", json_text(row, "what"), json_text(row, "path"),
			json_text(row, "code"));
	if (a->deferred_more > 0)
		buf_printf(&list, "- and %zu more: ambit log --session %s --verdict deny\n",
			a->deferred_more, a->session);
	buf_puts(&a->run->text,
		"The line refused it the following, whatever it says above. It is yours to do, "
		"to hand to another, or to leave:\n");
	say_marked(a, "deferred", list.data ? list.data : "", list.len);
	a->run->text.failed |= list.failed;
}

/* -- for programs --------------------------------------------------------------------- */

static int
set_structured(struct agent_run *a, const char *summary, bool failed)
{
	const struct ambit_executed *executed = &a->executed;
	json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b, s:s, s:I, s:I, s:b, s:O, s:O}",
		"agent", a->agent->name, "folder", a->shown, "session", a->session, "exit_code",
		executed->status, "failed", failed, "summary", summary, "duration_ms",
		(json_int_t)executed->duration_ms, "waited_ms", (json_int_t)a->waited_ms,
		"timed_out", executed->timed_out, "files", a->files, "deferred", a->deferred);

	if (!object)
		return -ENOMEM;
	a->run->structured = object;
	if (a->cut)
		json_object_set_new(object, "files_cut", json_true());
	if (a->deferred_more > 0)
		json_object_set_new(
			object, "deferred_left_out", json_integer((json_int_t)a->deferred_more));
	if (!executed->timed_out)
		return 0;
	a->run->code = AMBIT_CODE_TIMEOUT;
	return json_set_text(object, "message", "the agent's time was up, and it was ended");
}

/* Why it failed is often on the other stream alone. */
static void
say_errors(struct agent_run *a)
{
	const struct ambit_output *err = &a->executed.err;
	size_t from = err->len > ERRORS_SHOWN ? err->len - ERRORS_SHOWN : 0;
	auto_buf struct buf clean = { 0 };

	while (from < err->len && (err->text[from] & 0xc0) == 0x80)
		from++;
	summary_clean(&clean, err->text + from, err->len - from);
	a->run->text.failed |= clean.failed;
	if (clean.len > 0)
		say_marked(a, "the end of its standard error", clean.data, clean.len);
}

/* What nobody has seen, and may have been refused. */
static int
tell_unseen(struct agent_run *a)
{
	const char *unrecorded = json_string_value(json_object_get(a->report, "unrecorded"));
	json_int_t unread = json_integer_value(json_object_get(a->report, "unread"));

	if (unread > 0) {
		buf_printf(&a->run->text,
			"Programs that cannot be looked into made %lld call%s of it: the line held "
			"them, but what it refused them is not told.\n",
			(long long)unread, unread == 1 ? "" : "s");
		json_object_set_new(a->run->structured, "unread", json_integer(unread));
	}
	if (!unrecorded)
		return 0;
	buf_printf(&a->run->text,
		"Not all of it is in the record (%s): more may have been refused.\n", unrecorded);
	return json_set_text(a->run->structured, "unrecorded", unrecorded);
}

int
agent_tell(struct agent_run *a)
{
	bool own_word = false, failed;
	auto_free char *summary = summary_of(a->executed.out.text, a->executed.out.len,
		(size_t)ambit_settings_number(a->agents->settings, "agent_output"), &own_word);

	if (!summary)
		return -ENOMEM;
	failed = a->executed.timed_out || a->executed.status != 0 || own_word;
	say_ending(a, failed);
	if (summary[0] != '\0')
		say_marked(a, "its summary", summary, strlen(summary));
	else
		buf_puts(&a->run->text, "It said nothing.\n");
	if (failed)
		say_errors(a);
	say_files(a);
	say_deferred(a);
	a->run->untrusted = !a->run->options->unlabelled;
	a->run->source = str_printf("sub-agent %s", a->agent->name);
	if (!a->run->source || set_structured(a, summary, failed) < 0 || tell_unseen(a) < 0 ||
		bash_look(a->run, a->report) < 0)
		return -ENOMEM;
	/* All of it is ours, but for what has marks by now. */
	a->run->own = a->run->text.len;
	return a->run->text.failed ? -ENOMEM : 0;
}

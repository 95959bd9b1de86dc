/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the person sees and steers it from elsewhere: its live session, kept by the
 * supervisor's loop. The engine carries out its requests under the desk's lock, and then wakes
 * the loop. A run without a live session is as safe: it goes on, and the result says why. */

#include <stdlib.h>
#include <string.h>

#include "live/live.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "line/run-private.h"

#define WHAT_MAX 200

/* Ended by the loop, as by its time: the one who said so waits for a reply. */
void
run_stop(void *data)
{
	struct run *run = data;

	run->result->stopped = true;
	run_wake(run);
}

static json_t *
list_json(char *const *list)
{
	auto_json json_t *array = json_array();

	for (; array && list && *list; list++) {
		auto_free char *shown = str_escape(*list, strlen(*list));

		if (!shown || json_array_append_new(array, json_string(shown)) < 0)
			return NULL;
	}
	return steal_ptr(&array);
}

static char *
format_run_status(void *data)
{
	struct run *run = data;
	auto_json json_t *object = json_pack("{s:o s:o s:i s:s}", "writable", list_json(run->open),
		"spine", list_json(run->spine), "child", (int)run->child, "approver",
		run->o->approver ? run->o->approver->name : "");

	if (!object || json_set_text(object, "temp", run->temp) < 0 ||
		gate_status(run->gate, object) < 0)
		return NULL;
	return json_line(object);
}

/* The command in short. */
static char *
format_command(const struct run *run)
{
	struct buf text = { 0 };

	for (char *const *word = run->o->argv; *word && text.len < WHAT_MAX; word++) {
		auto_free char *shown = str_escape(*word, strnlen(*word, WHAT_MAX));

		buf_printf(&text, "%s%s", text.len > 0 ? " " : "", shown ? shown : "?");
	}
	if (text.len > WHAT_MAX) {
		text.len = str_cut(text.data, text.len, WHAT_MAX);
		buf_puts(&text, "...");
	}
	return buf_take(&text);
}

void
run_live(struct run *run)
{
	auto_free char *shown = run->o->live ? format_command(run) : NULL;
	const struct live_options options = {
		.directory = run->o->live,
		.engine = run->o->engine,
		.door = "run",
		.what = shown,
		.asks = run->o->watchers,
		.desk = run->desk,
		.wake = run_wake,
		.stop = run_stop,
		.status = format_run_status,
		.data = run,
	};
	struct ambit_error err = { 0 };

	if (run->o->live && live_create(&options, &run->live, &err) < 0)
		run->result->unseen_live = str_dup(err.text);
}

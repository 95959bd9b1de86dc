/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the person sees and steers it from elsewhere: its live session, kept by the
 * supervisor's loop. What comes over it is done by the engine, under the gate's lock;
 * the loop is woken to look at what became of it. That there is none is no matter of
 * safety: the run goes on, and the result says why. */

#include <stdlib.h>
#include <string.h>

#include "live/live.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "line/run-private.h"

#define WHAT_MAX 200

static void
lock_run_gate(void *data)
{
	gate_lock(((struct run *)data)->gate);
}

static void
unlock_run_gate(void *data)
{
	gate_unlock(((struct run *)data)->gate);
}

static void
forget_gate_answers(void *data)
{
	gate_forget(((struct run *)data)->gate);
}

/* Ended by the loop, as by its time: the one who said so waits for a reply. */
static void
request_run_stop(void *data)
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

bool
run_watched(void *data)
{
	return live_watched(((struct run *)data)->live) > 0;
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
		.puts = true,
		.lock = lock_run_gate,
		.unlock = unlock_run_gate,
		.forget = forget_gate_answers,
		.changed = run_wake,
		.stop = request_run_stop,
		.status = format_run_status,
		.data = run,
	};
	struct ambit_error err = { 0 };

	if (run->o->live && live_create(&options, &run->live, &err) < 0)
		run->result->unseen_live = str_dup(err.text);
}

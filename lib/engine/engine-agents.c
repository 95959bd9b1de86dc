/* SPDX-License-Identifier: Apache-2.0 */
/* What the one who starts a sub-agent knows of it: the words that tell it its scope, and
 * from the record what was refused to it, whatever it says itself. The names in that are
 * the sub-agent's; they are escaped, and nothing else of them is believed. */

#include <stdlib.h>

#include "base/json.h"
#include "base/str.h"
#include "decide/brief.h"
#include "engine/doors.h"
#include "engine/engine-private.h"

/* Rows that are told; a program that tries all names there are fills no memory. */
#define REFUSALS_MAX 1000

int
engine_brief_child(const struct ambit_engine *engine, const struct ambit_scope *scope,
	const char *folder, bool asks, char **ret_text, struct ambit_error *err)
{
	const struct ambit_scope_options options = {
		.root = folder,
		.enforce_write = !asks,
		.allow_bash = true,
	};
	struct ambit_scope *child = NULL;
	struct decide_input in = { .settings = engine->settings, .session = &engine->session };
	int r = ambit_scope_child(scope, &options, &child, err);

	if (r < 0)
		return r;
	in.scope = child;
	*ret_text = brief_text(&in, BRIEF_SHELL_HELD);
	ambit_scope_destroy(child);
	return *ret_text ? 0 : err_nomem(err);
}

/* -- what was refused ------------------------------------------------------------- */

struct row {
	char *what, *subject, *code, *reason;
	uint64_t count;
};

struct gathering {
	char **sessions; /* the one that is meant, and those inside */
	struct row *rows;
	size_t n;
	uint64_t more; /* distinct or not, past REFUSALS_MAX rows */
	bool failed;
};

static bool
is_listed_name(char *const *list, const char *name)
{
	for (; list && name && *list; list++)
		if (streq(*list, name))
			return true;
	return false;
}

/* A session is stored before one that is inside it, so one pass finds all. */
static int
add_session(void *data, int64_t id, const struct ambit_event *event)
{
	struct gathering *g = data;
	auto_json json_t *body = NULL;

	(void)id;
	if (!event->body || json_parse(event->body, strlen(event->body), &body, NULL) < 0)
		return 0;
	if (is_listed_name(g->sessions, json_string_value(json_object_get(body, "inside"))) &&
		!is_listed_name(g->sessions, event->session))
		g->failed |= strv_append(&g->sessions, event->session) < 0;
	return g->failed;
}

static int
add_row(struct gathering *g, const char *what, const char *subject, const char *code,
	const char *reason)
{
	struct row *more;

	for (size_t i = 0; i < g->n; i++)
		if (streq(g->rows[i].what, what) && streq(g->rows[i].subject, subject) &&
			streq(g->rows[i].code, code))
			return g->rows[i].count++, 0;
	if (g->n >= REFUSALS_MAX) {
		g->more++;
		return 0;
	}
	more = realloc(g->rows, (g->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	g->rows = more;
	more[g->n] = (struct row){
		.what = str_dup(what),
		.subject = str_dup(subject),
		.code = str_dup(code),
		.reason = str_dup(reason),
		.count = 1,
	};
	g->n++;
	return more[g->n - 1].what && more[g->n - 1].subject && more[g->n - 1].code &&
			       more[g->n - 1].reason
		       ? 0
		       : -ENOMEM;
}

/* "connect 127.0.0.1:80" is told by what it is about, as paths are. */
static const char *
subject_of(const struct ambit_event *event)
{
	const char *subject = event->subject ? event->subject : "";
	size_t n = event->tool ? strlen(event->tool) : 0;

	return n > 0 && str_prefix(subject, event->tool) && subject[n] == ' ' ? subject + n + 1
									      : subject;
}

/* Each path that was refused; a call without one by what it is about. */
static int
add_refusal(void *data, int64_t id, const struct ambit_event *event)
{
	struct gathering *g = data;
	auto_json json_t *body = NULL;
	const json_t *path;
	bool told = false;
	size_t i;

	(void)id;
	if (!is_listed_name(g->sessions, event->session))
		return 0;
	if (event->body)
		json_parse(event->body, strlen(event->body), &body, NULL);
	if (streq(event->kind, "more") && streq(json_text(body, "of"), "decide"))
		g->more += (uint64_t)json_integer_value(json_object_get(body, "count"));
	if (!streq(event->kind, "decide"))
		return 0;
	json_array_foreach (json_object_get(body, "paths"), i, path) {
		if (streq(json_text(path, "verdict"), "allow"))
			continue;
		told = true;
		g->failed |= add_row(g, json_text(path, "access"), json_text(path, "path"),
				     event->code ? event->code : "", json_text(body, "reason")) < 0;
	}
	if (!told)
		g->failed |= add_row(g, event->tool ? event->tool : "", subject_of(event),
				     event->code ? event->code : "", json_text(body, "reason")) < 0;
	return g->failed;
}

static int
report_refusals(const struct gathering *g,
	int (*each)(void *data, const struct engine_refusal *refusal), void *data)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < g->n; i++) {
		const struct engine_refusal refusal = {
			.what = g->rows[i].what,
			.subject = g->rows[i].subject,
			.code = g->rows[i].code,
			.reason = g->rows[i].reason,
			.count = g->rows[i].count,
		};

		r = each(data, &refusal);
	}
	if (r == 0 && g->more > 0)
		r = each(data, &(struct engine_refusal){ .count = g->more });
	return r;
}

int
engine_refusals(struct ambit_engine *engine, const char *session, int64_t since,
	int (*each)(void *data, const struct engine_refusal *refusal), void *data,
	struct ambit_error *err)
{
	struct gathering g = { 0 };
	struct ambit_event_filter filter = { .kind = "run", .since = since };
	int r = engine->record ? 0 : err_set(err, ENOENT, "there is no record");

	if (r == 0 && strv_append(&g.sessions, session) < 0)
		r = err_nomem(err);
	if (r == 0)
		r = ambit_record_events(engine->record, &filter, add_session, &g, err);
	filter = (struct ambit_event_filter){ .verdict = "deny", .since = since };
	if (r >= 0 && !g.failed)
		r = ambit_record_events(engine->record, &filter, add_refusal, &g, err);
	if (r >= 0)
		r = g.failed ? err_nomem(err) : report_refusals(&g, each, data);
	for (size_t i = 0; i < g.n; i++) {
		free(g.rows[i].what);
		free(g.rows[i].subject);
		free(g.rows[i].code);
		free(g.rows[i].reason);
	}
	free(g.rows);
	strv_free(g.sessions);
	return r < 0 ? r : 0;
}

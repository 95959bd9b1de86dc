/* SPDX-License-Identifier: Apache-2.0 */
/* ambit log: the record as a table, as JSON lines, counted, or checked. Only
 * reads; what it shows was escaped and redacted when it was stored, and is
 * escaped again for whoever changed the file since. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/event-json.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "record/upkeep.h"

struct view {
	/* Of one event: print_event, or print_judged. */
	int (*print)(void *data, int64_t id, const struct ambit_event *event);
	bool json;
	int64_t last_id;
	int64_t skip;	/* so many of the judge's are not shown */
	json_t *counts; /* "kind\tverdict\tcode\ttool" -> how many */
};

static void
print_field(int width, const char *text)
{
	auto_free char *shown =
		text != NULL && text[0] != '\0' ? str_escape(text, strlen(text)) : NULL;

	printf("  %-*s", width, shown != NULL ? shown : "-");
}

static int
print_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct view *view = data;
	char when[32];

	view->last_id = id;
	if (view->json)
		return out_json(event_json(id, event), NULL);
	printf("%s", out_time(event->time, when, sizeof(when)));
	print_field(22, event->session);
	print_field(10, event->kind);
	print_field(5, event->verdict);
	print_field(13, event->code);
	print_field(11, event->tool);
	print_field(0, event->subject);
	putchar('\n');
	return 0;
}

/* -- of the judge ---------------------------------------------------------------- */

/* Why the judge said yes, or NULL: it is no answer of his. Caller frees. */
static char *
judge_reason(const struct ambit_event *event)
{
	auto_json json_t *body = NULL;
	const char *approver, *reason;

	if (json_parse(event->body, strlen(event->body), &body, NULL) < 0)
		return NULL;
	approver = json_string_value(json_object_get(body, "approver"));
	reason = json_string_value(json_object_get(body, "message"));
	if (approver == NULL || !streq(approver, "judge"))
		return NULL;
	return str_dup(reason != NULL ? reason : "");
}

static json_t *
judged_json(int64_t id, const struct ambit_event *event, const char *reason)
{
	auto_json json_t *object =
		json_pack("{s:I s:I}", "id", (json_int_t)id, "time", (json_int_t)event->time);

	if (json_set_text(object, "session", event->session) < 0 ||
		json_set_text(object, "tool", event->tool != NULL ? event->tool : "") < 0 ||
		json_set_text(object, "what", event->subject != NULL ? event->subject : "") < 0 ||
		json_set_text(object, "reason", reason) < 0)
		return NULL;
	return steal_ptr(&object);
}

static int
print_judged(void *data, int64_t id, const struct ambit_event *event)
{
	struct view *view = data;
	auto_free char *reason = judge_reason(event);
	char when[32];

	view->last_id = id;
	if (reason == NULL || view->skip-- > 0)
		return 0;
	view->skip = 0;
	if (view->json)
		return out_json(judged_json(id, event, reason), NULL);
	printf("%s", out_time(event->time, when, sizeof(when)));
	print_field(22, event->session);
	print_field(0, event->subject);
	print_field(0, reason);
	putchar('\n');
	return 0;
}

static int
count_judged(void *data, int64_t id, const struct ambit_event *event)
{
	struct view *view = data;
	auto_free char *reason = judge_reason(event);

	(void)id;
	view->skip += reason != NULL;
	return 0;
}

/* The last of the judge's, not those of his among the last. */
static int
skip_judged(struct world *world, struct ambit_event_filter *filter, struct view *view,
	struct ambit_error *err)
{
	int64_t last = filter->last;
	int r;

	filter->last = 0;
	if (last == 0)
		return 0;
	r = ambit_record_events(world->record, filter, count_judged, view, err);
	view->skip = view->skip > last ? view->skip - last : 0;
	return r;
}

/* -- counted ------------------------------------------------------------------------ */

/* A "more" event stands for as many as it says, of the kind that it says. */
static json_int_t
number_of(const struct ambit_event *event, json_t **body, const char **kind)
{
	const char *of;

	if (!streq(event->kind, "more") || event->body == NULL ||
		json_parse(event->body, strlen(event->body), body, NULL) < 0)
		return 1;
	of = json_string_value(json_object_get(*body, "of"));
	if (of == NULL)
		return 1;
	*kind = of;
	return json_integer_value(json_object_get(*body, "count"));
}

static int
count_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct view *view = data;
	auto_json json_t *body = NULL;
	const char *kind = event->kind;
	json_int_t more = number_of(event, &body, &kind);
	const char *const parts[] = { kind, event->verdict, event->code, event->tool };
	auto_free char *key = str_printf("%s\t%s\t%s\t%s", parts[0] != NULL ? parts[0] : "-",
		parts[1] != NULL ? parts[1] : "-", parts[2] != NULL ? parts[2] : "-",
		parts[3] != NULL ? parts[3] : "-");
	/* A name that is not UTF-8 cannot be a key of an object. */
	auto_free char *safe = key != NULL && !str_is_utf8(key, strlen(key))
				       ? str_escape(key, strlen(key))
				       : str_dup(key);
	json_int_t n;

	(void)id;
	if (safe == NULL)
		return -ENOMEM;
	n = json_integer_value(json_object_get(view->counts, safe));
	return json_object_set_new(view->counts, safe, json_integer(n + more)) == 0 ? 0 : -ENOMEM;
}

static int
count_row(struct table *table, json_t *rows, const char *key, json_int_t n)
{
	static const char *const names[] = { "kind", "verdict", "code", "tool" };
	json_t *row = json_pack("{s:I}", "count", n);
	auto_free char *count = str_printf("%lld", (long long)n);

	table_plain(table, count);
	for (size_t i = 0; i < 4; i++) {
		size_t len = i < 3 ? strcspn(key, "\t") : strlen(key);
		auto_free char *part = strndup(key, len);

		if (part == NULL || row == NULL)
			break;
		table_cell(table, part);
		if (!streq(part, "-"))
			json_object_set_new(row, names[i], json_string(part));
		key += len + (key[len] == '\t');
	}
	return json_array_append_new(rows, row);
}

static int
print_summary(struct world *world, const struct ambit_event_filter *filter, bool json,
	struct ambit_error *err)
{
	static const char *const heads[] = { "COUNT", "KIND", "VERDICT", "CODE", "TOOL", NULL };
	struct view view = { .counts = json_object() };
	json_t *rows = json_array(), *n;
	struct table table;
	const char *key;
	int r = ambit_record_events(world->record, filter, count_event, &view, err);

	table_init(&table, heads);
	json_object_foreach (view.counts, key, n)
		if (count_row(&table, rows, key, json_integer_value(n)) < 0)
			table.failed = true;
	json_decref(view.counts);
	if (r < 0 || json) {
		strv_free(table.cells);
		if (r == 0)
			return out_json(rows, err);
	} else {
		r = table_finish(&table, err);
	}
	json_decref(rows);
	return r;
}

struct verified {
	bool json;
	size_t broken;
};

static int
print_chain(void *data, const struct ambit_chain *chain)
{
	struct verified *verified = data;

	verified->broken += chain->broken != 0;
	if (verified->json)
		return out_json(chain_json(chain), NULL);
	printf("%s  ", chain->broken == 0 ? "ok    " : "BROKEN");
	out_text(chain->session);
	if (chain->broken == 0)
		printf("  %lld events, head %s\n", (long long)chain->events,
			chain->head != NULL ? chain->head : "-");
	else
		printf("  at event %lld: %s\n", (long long)chain->broken,
			chain->why != NULL ? chain->why : "?");
	return 0;
}

static int
verify_chains(struct world *world, const struct args *args, struct ambit_error *err)
{
	struct verified verified = { .json = args_get(args, OPT_JSON) != NULL };
	int r = ambit_record_verify(
		world->record, args_get(args, OPT_SESSION), print_chain, &verified, err);

	return r < 0 ? r : verified.broken > 0 ? EXIT_FAILED : EXIT_OK;
}

/* Until the reader goes away or the person stops it. seen is the version from
 * before the first query: what was stored meanwhile is asked for once more. */
static int
follow_events(struct world *world, struct ambit_event_filter *filter, struct view *view,
	int64_t seen, struct ambit_error *err)
{
	const struct timespec pause = { .tv_nsec = 200 * 1000 * 1000 };

	filter->last = 0;
	for (;;) {
		int64_t now;
		int r;

		if (fflush(stdout) != 0)
			return err_sys(err, errno, "standard output");
		now = record_version(world->record);
		if (now == seen) {
			nanosleep(&pause, NULL);
			continue;
		}
		seen = now;
		filter->after_id = view->last_id;
		r = ambit_record_events(world->record, filter, view->print, view, err);
		if (r < 0)
			return r;
	}
}

static int
parse_filter(const struct args *args, struct ambit_event_filter *filter, struct ambit_error *err)
{
	const char *since = args_get(args, OPT_SINCE), *last = args_get(args, OPT_LAST);

	*filter = (struct ambit_event_filter){
		.session = args_get(args, OPT_SESSION),
		.kind = args_get(args, OPT_KIND),
		.tool = args_get(args, OPT_TOOL),
		.verdict = args_get(args, OPT_VERDICT),
		.code = args_get(args, OPT_CODE),
	};
	if (args_get(args, OPT_JUDGE) != NULL && filter->kind != NULL)
		return usage(err, "--judge is about answers; it takes no --kind");
	if (args_get(args, OPT_JUDGE) != NULL)
		filter->kind = "answer";
	if (since != NULL && when_since(since, clock_now(), &filter->since) < 0)
		return usage(err,
			"--since: '%s' is neither 90s, 15m, 2h, 3d nor 2030-01-31[T12:00]", since);
	if (last != NULL && when_number(last, 1000000000, &filter->last) < 0)
		return usage(err, "--last: '%s' is not a number from 1", last);
	return 0;
}

static int
show_events(struct world *world, const struct args *args, struct ambit_event_filter *filter,
	bool export, struct ambit_error *err)
{
	bool judge = args_get(args, OPT_JUDGE) != NULL;
	struct view view = {
		.print = judge ? print_judged : print_event,
		.json = export || args_get(args, OPT_JSON) != NULL,
	};
	int64_t seen = record_version(world->record);
	int r = 0;

	if (args_get(args, OPT_SUMMARY) != NULL)
		return print_summary(world, filter, view.json, err);
	if (judge)
		r = skip_judged(world, filter, &view, err);
	if (r == 0)
		r = ambit_record_events(world->record, filter, view.print, &view, err);
	if (r == 0 && args_get(args, OPT_FOLLOW) != NULL)
		r = follow_events(world, filter, &view, seen, err);
	return r;
}

static int
run_log(const struct args *args, struct ambit_error *err)
{
	const char *what = args->n > 0 ? args->words[0] : "show";
	bool export = streq(what, "export");
	struct ambit_event_filter filter;
	struct world world;
	int r = parse_filter(args, &filter, err);

	if (r != 0)
		return r;
	if (args->n > 0 && !export && !streq(what, "verify"))
		return usage(err, "log '%s'? One of verify, export", what);
	if (args_get(args, OPT_SUMMARY) != NULL && args_get(args, OPT_FOLLOW) != NULL)
		return usage(err, "--summary and --follow exclude each other");
	if (args_get(args, OPT_JUDGE) != NULL &&
		(args->n > 0 || args_get(args, OPT_SUMMARY) != NULL))
		return usage(err, "--judge goes with neither verify, export nor --summary");
	r = world_open(&world, args, WORLD_RECORD, err);
	if (r == 0 && world.record == NULL)
		fprintf(stderr, "ambit: nothing is recorded yet\n");
	else if (r == 0 && streq(what, "verify"))
		r = verify_chains(&world, args, err);
	else if (r == 0)
		r = show_events(&world, args, &filter, export, err);
	world_finish(&world);
	return r;
}

const struct command cmd_log = {
	.name = "log",
	.args = "[verify|export]",
	.text = "what was decided, asked, answered and done",
	.about = "Shows the events of all sessions in the order they were stored. 'log export' "
		 "prints\n"
		 "them as JSON lines, with everything that was kept. 'log verify' checks that no\n"
		 "session's events were changed, removed or put in between, and names the first\n"
		 "broken link; the head it prints, noted elsewhere, also shows a rewritten chain.",
	.words = (const char *const[]){ "verify", "export", NULL },
	.options = (const enum opt[]){ OPT_SESSION, OPT_KIND, OPT_TOOL, OPT_VERDICT, OPT_CODE,
		OPT_SINCE, OPT_LAST, OPT_FOLLOW, OPT_SUMMARY, OPT_JUDGE, OPT_JSON, OPT_END },
	.examples =
		(const struct example[]){
			{ "ambit log --since 1h --verdict deny",
				"what was refused in the last hour" },
			{ "ambit log --follow --last 10", "the last ten events, then new ones" },
			{ "ambit log --judge --since 1d", "what the judge said yes to, and why" },
			{ "ambit log verify", "are the chains whole" },
			{ NULL, NULL },
		},
	.max = 1,
	.run = run_log,
};

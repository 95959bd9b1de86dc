/* SPDX-License-Identifier: Apache-2.0 */
/* log: this session's part of the record, as `ambit log` shows it: the last events,
 * whether the chain holds, or all of it in pages. Only reads; with the registry's lock,
 * since the engine writes there. */

#include <stdlib.h>

#include "serve.h"

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

#include "cli/event-json.h"

#define LAST_DEFAULT 100
#define LAST_MAX 1000
#define PAGE_EVENTS 500
#define PAGE_BYTES (1u << 20)

struct view {
	json_t *events;
	bool paged;
	size_t bytes;
	int64_t last_id;
	bool more;
};

static int
add_event(void *data, int64_t id, const struct ambit_event *event)
{
	struct view *view = data;

	if (view->paged &&
		(json_array_size(view->events) == PAGE_EVENTS || view->bytes > PAGE_BYTES)) {
		view->more = true;
		return 1;
	}
	view->bytes += strlen(event->body);
	view->last_id = id;
	return json_array_append_new(view->events, event_json(id, event)) < 0 ? -ENOMEM : 0;
}

static int
add_chain(void *data, const struct ambit_chain *chain)
{
	json_t **result = data;

	json_decref(*result);
	*result = chain_json(chain);
	return *result != NULL ? 0 : -ENOMEM;
}

/* A word that is none of the table's would find nothing, and look like an empty log. */
static int
read_word(const json_t *params, const char *name, enum opt opt, const char **ret_word,
	struct ambit_error *err)
{
	const char *word = params_text(params, name);
	auto_free char *shown = NULL;

	*ret_word = word;
	if (word == NULL || ambit_word_find(option_rows[opt].words, word) != NULL)
		return 0;
	shown = str_escape(word, str_cut(word, strlen(word), 40));
	return err_set(err, EINVAL, "log: '%s' is none of the words for '%s'",
		shown != NULL ? shown : "?", name);
}

static int
check_together(const json_t *params, struct ambit_error *err)
{
	bool verify = json_is_true(json_object_get(params, "verify"));
	bool export = json_is_true(json_object_get(params, "export"));

	if (verify && json_object_size(params) > 1)
		return err_set(err, EINVAL, "log: 'verify' is about the whole chain: alone");
	if (!export && json_object_get(params, "after") != NULL)
		return err_set(err, EINVAL, "log: 'after' goes with 'export'");
	if (export && json_object_get(params, "last") != NULL)
		return err_set(err, EINVAL, "log: 'export' begins at the first event, or 'after'");
	return 0;
}

static int
read_filter(const json_t *params, struct ambit_event_filter *filter, struct ambit_error *err)
{
	const json_t *last = json_object_get(params, "last");
	int r = check_together(params, err);

	if (r == 0)
		r = read_word(params, "kind", OPT_KIND, &filter->kind, err);
	if (r == 0)
		r = read_word(params, "verdict", OPT_VERDICT, &filter->verdict, err);
	if (r == 0)
		r = read_word(params, "code", OPT_CODE, &filter->code, err);
	filter->tool = params_text(params, "tool");
	filter->since = json_integer_value(json_object_get(params, "since"));
	filter->after_id = json_integer_value(json_object_get(params, "after"));
	if (!json_is_true(json_object_get(params, "export")))
		filter->last = last != NULL ? json_integer_value(last) : LAST_DEFAULT;
	if (r == 0 && last != NULL && (filter->last < 1 || filter->last > LAST_MAX))
		r = err_set(err, EINVAL, "log: 'last' is from 1 to %d", LAST_MAX);
	return r;
}

/* With the lock. */
static int
query_record(const struct job *job, const struct ambit_event_filter *filter, json_t **ret_result,
	struct ambit_error *err)
{
	struct ambit_record *record = job->client->serve->box.world.record;
	auto_json json_t *events = json_array();
	struct view view = { .events = events, .paged = filter->last == 0 };
	int r;

	if (json_is_true(json_object_get(job->params, "verify")))
		return ambit_record_verify(record, filter->session, add_chain, ret_result, err);
	if (events == NULL)
		return err_nomem(err);
	r = ambit_record_events(record, filter, add_event, &view, err);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:O}", "events", events);
	if (view.paged)
		json_object_set_new(
			*ret_result, "next", view.more ? json_integer(view.last_id) : json_null());
	return 0;
}

void
log_tell(struct job *job)
{
	const struct toolbox *box = &job->client->serve->box;
	struct ambit_event_filter filter = { 0 };
	struct ambit_error err = { 0 };
	int r = read_filter(job->params, &filter, &err);

	if (r < 0) {
		job_fail(job, RPC_INVALID_PARAMS, err.text);
		return;
	}
	ambit_registry_lock(box->registry);
	/* Read anew, and with it its name, whenever another process has written. */
	filter.session = ambit_engine_session(box->world.engine);
	r = query_record(job, &filter, &job->result, &err);
	ambit_registry_unlock(box->registry);
	if (r < 0)
		job_fail(job, RPC_INTERNAL, err.text[0] != '\0' ? err.text : "out of memory");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the record into JSON. Whoever changed the file may have put anything there:
 * what is not UTF-8 or not JSON is text, escaped. */

#include <stdlib.h>

#include "event-json.h"

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

json_t *
event_json(int64_t id, const struct ambit_event *event)
{
	auto_json json_t *object = json_pack("{s:I s:I s:I}", "id", (json_int_t)id, "seq",
		(json_int_t)event->seq, "time", (json_int_t)event->time);
	json_t *body = NULL;
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "session", event->session },
		{ "kind", event->kind },
		{ "tool", event->tool },
		{ "verdict", event->verdict },
		{ "code", event->code },
		{ "subject", event->subject },
		{ "hash", event->hash },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].text != NULL && json_set_text(object, texts[i].key, texts[i].text) < 0)
			return NULL;
	if (json_parse(event->body, strlen(event->body), &body, NULL) == 0
			? json_object_set_new(object, "body", body) < 0
			: json_set_text(object, "body", event->body) < 0)
		return NULL;
	return steal_ptr(&object);
}

json_t *
chain_json(const struct ambit_chain *chain)
{
	auto_json json_t *object = json_pack("{s:n s:I s:b s:I s:n s:n}", "session", "events",
		(json_int_t)chain->events, "ok", chain->broken == 0, "broken",
		(json_int_t)chain->broken, "why", "head");
	const char *why = chain->broken != 0 ? chain->why : NULL;

	if (json_set_text(object, "session", chain->session) < 0 ||
		(why != NULL && json_set_text(object, "why", why) < 0) ||
		(chain->head != NULL && json_set_text(object, "head", chain->head) < 0))
		return NULL;
	return steal_ptr(&object);
}

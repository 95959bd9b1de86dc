/* SPDX-License-Identifier: Apache-2.0 */
/* What a run said that is not trusted, with its marks: in the words and in the object, for
 * it is not known which of the two a model gets to see. Whoever is at the other end wrote
 * all of it, unless the tool knows better. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ambit/label.h>

#include "base/own.h"
#include "base/str.h"
#include "tools/registry/registry-private.h"

static char *
label_text(const struct tool_run *run, const char *text, size_t len)
{
	return ambit_label_untrusted(run->source ? run->source : run->tool->name, text, len);
}

/* All but what the tool vouches for: how long a text is, or what its member is called,
 * does not tell whose it is. */
static json_t *
label_string(const struct tool_run *run, const char *key, const json_t *value)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);
	auto_free char *labelled = NULL;

	if (len == 0 || (run->tool->is_own && key && run->tool->is_own(key, text)))
		return json_incref((json_t *)value);
	labelled = label_text(run, text, len);
	return labelled ? json_string(labelled) : NULL;
}

/* A copy with its strings labelled; NULL without memory. */
static json_t *
label_value(const struct tool_run *run, const char *name, json_t *value)
{
	json_t *out, *item;
	const char *key;
	size_t i;
	int r = 0;

	if (json_is_string(value))
		return label_string(run, name, value);
	if (!json_is_object(value) && !json_is_array(value))
		return json_incref(value);
	out = json_is_object(value) ? json_object() : json_array();
	json_object_foreach (value, key, item)
		r |= json_object_set_new(out, key, label_value(run, key, item));
	json_array_foreach (value, i, item)
		r |= json_array_append_new(out, label_value(run, name, item));
	if (r != 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

/* Anywhere in it: what is looked for is whether the tool's author wrote this word. */
static bool
schema_names(const json_t *schema, const char *key)
{
	const json_t *part;
	const char *name;
	size_t i;

	if (json_object_get(json_object_get(schema, "properties"), key))
		return true;
	json_object_foreach ((json_t *)schema, name, part)
		if (schema_names(part, key))
			return true;
	json_array_foreach (schema, i, part)
		if (schema_names(part, key))
			return true;
	return false;
}

static bool
names_all_keys(const json_t *schema, const json_t *value)
{
	const json_t *item;
	const char *key;
	size_t i;

	json_object_foreach ((json_t *)value, key, item)
		if (!schema_names(schema, key) || !names_all_keys(schema, item))
			return false;
	json_array_foreach (value, i, item)
		if (!names_all_keys(schema, item))
			return false;
	return true;
}

/* A key can be a sentence as well. One that a harness' own tool did not announce may be
 * somebody else's: then all of it is one text. */
static json_t *
label_object(const struct tool_run *run)
{
	const char *output = run->tool->output;
	auto_json json_t *schema = NULL;
	auto_free char *text = NULL, *labelled = NULL;

	if (run->tool->run)
		return label_value(run, NULL, run->structured);
	if (output && json_parse(output, strlen(output), &schema, NULL) < 0)
		return NULL;
	if (names_all_keys(schema, run->structured))
		return label_value(run, NULL, run->structured);
	text = json_dumps(run->structured, JSON_COMPACT);
	labelled = text ? label_text(run, text, strlen(text)) : NULL;
	return labelled ? json_pack("{s:s}", "text", labelled) : NULL;
}

/* What the tool says itself comes behind the closing mark: before it, whoever wrote the
 * content could have said the same. */
static int
label_words(struct tool_run *run)
{
	struct buf text = { 0 };
	size_t theirs = run->text.len - run->own;
	const char *own = run->text.data ? run->text.data + theirs : "";
	auto_free char *labelled = NULL;

	if (theirs == 0 && run->own > 0)
		return 0;
	labelled = label_text(run, run->text.data ? run->text.data : "", theirs);
	if (!labelled)
		return -ENOMEM;
	buf_puts(&text, labelled);
	if (run->own > 0 && own[0] != '\n')
		buf_putc(&text, '\n');
	buf_append(&text, own, run->own);
	buf_finish(&run->text);
	run->text = text;
	return run->text.failed ? -ENOMEM : 0;
}

int
registry_label(struct tool_run *run)
{
	json_t *object = run->structured ? label_object(run) : NULL;

	if ((run->structured && !object) || label_words(run) < 0) {
		json_decref(object);
		return -ENOMEM;
	}
	json_decref(run->structured);
	run->structured = object;
	return 0;
}

char *
registry_label_failure(struct tool_run *run, const char *message)
{
	auto_buf struct buf before = run->text;

	run->text = (struct buf){ 0 };
	run_say(run, message, strlen(message));
	if (before.len > 0) {
		buf_putc(&run->text, '\n');
		buf_append(&run->text, before.data, before.len);
	}
	return run->text.failed ? NULL : label_text(run, run->text.data, run->text.len);
}

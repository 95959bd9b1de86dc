/* SPDX-License-Identifier: Apache-2.0 */
/* From what an agent wrote to stdout to its last words. All of it is the agent's, and
 * believed in nothing: a shape that is not known is text, and what the words say is not
 * what happened, which the record knows. */

#include <stdio.h>
#include <stdlib.h>

#include "agents/summary.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

#define JSON_MAX (8u << 20) /* what is longer is taken for text */
#define LINES_BACK 1000	    /* how far from the end words are looked for */

/* What one object says. What it was taken from has to live as long. */
struct words {
	const char *text; /* NULL: nothing */
	size_t len;
	json_t *from; /* a reference */
};

static void
words_finish(struct words *words)
{
	json_decref(words->from);
	*words = (struct words){ 0 };
}

static bool
take_string(const json_t *object, const char *key, struct words *words)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		return false;
	words->text = json_string_value(value);
	words->len = json_string_length(value);
	return true;
}

static bool
is_type(const json_t *object, const char *type)
{
	const char *text = json_string_value(json_object_get(object, "type"));

	return text && streq(text, type);
}

/* -- shapes --------------------------------------------------------------------------- */

/* An event of a stream with its content in a member: codex (item; msg before that) and
 * opencode (part). Reasoning and commands are items, too, and are not words. */
static bool
take_event(const json_t *object, struct words *words)
{
	static const struct {
		const char *member, *type, *text;
	} events[] = {
		{ "item", "agent_message", "text" },
		{ "msg", "agent_message", "message" },
		{ "msg", "task_complete", "last_agent_message" },
		{ "part", "text", "text" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		const json_t *member = json_object_get(object, events[i].member);

		if (is_type(member, events[i].type) && take_string(member, events[i].text, words))
			return true;
	}
	return false;
}

/* claude's stream: {"type":"assistant","message":{"content":[{"type":"text","text":...}]}} */
static bool
take_assistant(const json_t *object, struct words *words)
{
	const json_t *content = json_object_get(json_object_get(object, "message"), "content");
	bool has = false;

	for (size_t i = json_array_size(content); !has && i > 0; i--) {
		const json_t *part = json_array_get(content, i - 1);

		has = is_type(part, "text") && take_string(part, "text", words);
	}
	return has && is_type(object, "assistant");
}

/* claude: {"type":"result","result":...,"is_error":...}; gemini: {"response":...}; others
 * by the names that one would choose. With a type that is not known it is an event, and
 * its "message" may be anything. */
static bool
take_result(const json_t *object, struct words *words)
{
	static const char *const names[] = { "result", "response", "summary", "message", "text" };

	if (json_object_get(object, "type") && !is_type(object, "result"))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (take_string(object, names[i], words))
			return true;
	return false;
}

/* What went wrong: {"error": {"message": ...}}, {"error": "..."}, an event of that type. */
static bool
take_error(const json_t *object, struct words *words)
{
	if (take_string(json_object_get(object, "error"), "message", words) ||
		take_string(object, "error", words))
		return true;
	return is_type(object, "error") && take_string(object, "message", words);
}

static bool
is_error(const json_t *object)
{
	const json_t *error = json_object_get(object, "error");
	const char *subtype = json_string_value(json_object_get(object, "subtype"));

	return json_is_object(error) || json_is_string(error) || is_type(object, "error") ||
	       is_type(object, "turn.failed") ||
	       json_is_true(json_object_get(object, "is_error")) ||
	       (is_type(object, "result") && subtype && str_prefix(subtype, "error"));
}

/* -- where it stands ---------------------------------------------------------------------- */

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void
trim_spaces(const char **text, size_t *len)
{
	while (*len > 0 && is_space((*text)[*len - 1]))
		--*len;
	while (*len > 0 && is_space((*text)[0])) {
		++*text;
		--*len;
	}
}

static json_t *
parse_json_value(const char *text, size_t len)
{
	json_t *value = NULL;

	if (len == 0 || len > JSON_MAX || (text[0] != '{' && text[0] != '['))
		return NULL;
	if (json_parse(text, len, &value, NULL) < 0)
		return NULL;
	return value;
}

/* What is known so far, from the end of the output on. */
struct found {
	struct words said;
	struct words wrong; /* the words of an error that came after it */
	bool is_error;
};

static void
keep_words_source(struct words *words, json_t *from)
{
	words->from = json_incref(from);
}

/* True when there is no need to look further back. */
static bool
take_object(json_t *object, struct found *found)
{
	struct words words = { 0 };

	if (!json_is_object(object))
		return false;
	found->is_error |= is_error(object);
	if (take_event(object, &words) || take_result(object, &words) ||
		take_assistant(object, &words)) {
		found->said = words;
		keep_words_source(&found->said, object);
		return true;
	}
	if (!found->wrong.text && take_error(object, &words)) {
		found->wrong = words;
		keep_words_source(&found->wrong, object);
	}
	return false;
}

static bool
is_empty(const struct found *found)
{
	return !found->said.text && !found->wrong.text;
}

/* All of it is one value: an object, or a list of events. */
static void
find_whole(const char *text, size_t len, struct found *found)
{
	auto_json json_t *value = parse_json_value(text, len);
	bool over = take_object(value, found);

	for (size_t i = json_array_size(value); !over && i > 0; i--)
		over = take_object(json_array_get(value, i - 1), found);
}

/* Lines of JSON, from the last one back, until one has words. */
static void
find_line(const char *text, size_t len, struct found *found)
{
	bool over = false;

	for (int i = 0; !over && len > 0 && i < LINES_BACK; i++) {
		const char *line = memrchr(text, '\n', len);
		size_t at = line ? (size_t)(line - text) + 1 : 0, n = len - at;

		line = text + at;
		trim_spaces(&line, &n);
		len = at > 0 ? at - 1 : 0;
		if (n == 0)
			continue;
		auto_json json_t *value = parse_json_value(line, n);

		over = !json_is_object(value) || take_object(value, found);
	}
}

/* -- the words ----------------------------------------------------------------------------- */

/* The end of it, from where a line begins if one does. */
static char *
copy_text_tail(const char *text, size_t len, size_t max)
{
	char note[64];
	size_t from = len - (max - sizeof(note));
	const char *line = memchr(text + from, '\n', len - from);
	int n;

	if (line && line + 1 < text + len)
		from = (size_t)(line + 1 - text);
	while (from < len && (text[from] & 0xc0) == 0x80)
		from++;
	n = snprintf(note, sizeof(note), "[%zu bytes before this are left out]\n", from);
	return str_printf("%.*s%.*s", n, note, (int)(len - from), text + from);
}

static char *
make_summary_text(const struct buf *clean, size_t max)
{
	const char *from = clean->data ? clean->data : "";
	size_t n = clean->len;

	if (clean->failed)
		return NULL;
	trim_spaces(&from, &n);
	return n > max ? copy_text_tail(from, n, max) : strndup(from, n);
}

static void
put_found(struct buf *clean, const struct found *found)
{
	if (found->said.text)
		summary_clean(clean, found->said.text, found->said.len);
	if (found->said.text && found->wrong.text)
		buf_puts(clean, "\n\nerror: ");
	if (found->wrong.text)
		summary_clean(clean, found->wrong.text, found->wrong.len);
}

char *
summary_of(const char *out, size_t len, size_t max, bool *ret_is_error)
{
	auto_buf struct buf clean = { 0 };
	struct found found = { 0 };
	const char *text = out;
	size_t n = len;

	if (max < SUMMARY_LEAST)
		max = SUMMARY_LEAST;
	trim_spaces(&text, &n);
	find_whole(text, n, &found);
	if (is_empty(&found))
		find_line(text, n, &found);
	if (is_empty(&found))
		summary_clean(&clean, text, n);
	else
		put_found(&clean, &found);
	words_finish(&found.said);
	words_finish(&found.wrong);
	*ret_is_error = found.is_error;
	return make_summary_text(&clean, max);
}

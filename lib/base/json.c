/* SPDX-License-Identifier: Apache-2.0 */
/* jansson with the strictness that a permission system needs, and the one
 * thing it does not do: telling where in the text a member stands, so that an
 * error can name line and column. */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

int
json_parse(const char *text, size_t len, json_t **ret_value, struct ambit_error *err)
{
	json_error_t e;
	json_t *value = json_loadb(
		text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &e);

	if (!value)
		return err_set(err, EINVAL, "%d:%d: %s", e.line > 0 ? e.line : 1,
			e.column > 0 ? e.column : 1, e.text);
	*ret_value = value;
	return 0;
}

struct scan {
	const char *text;
	size_t len;
	size_t at;
};

static void
skip_space(struct scan *s)
{
	while (s->at < s->len && strchr(" \t\r\n", s->text[s->at]))
		s->at++;
}

static void
skip_string(struct scan *s)
{
	s->at++;
	while (s->at < s->len && s->text[s->at] != '"')
		s->at += s->text[s->at] == '\\' ? 2 : 1;
	s->at++;
}

static void
skip_value(struct scan *s)
{
	int depth = 0;

	do {
		skip_space(s);
		if (s->at >= s->len)
			return;
		char c = s->text[s->at];

		if (c == '"') {
			skip_string(s);
		} else if (c == '{' || c == '[') {
			depth++;
			s->at++;
		} else if (c == '}' || c == ']') {
			depth--;
			s->at++;
		} else if (c == ',' || c == ':') {
			s->at++;
		} else {
			while (s->at < s->len && !strchr(",]} \t\r\n", s->text[s->at]))
				s->at++;
		}
	} while (depth > 0);
}

/* The key at s is compared as it stands, quotes included, after decoding by
 * jansson: an escape in a key must not hide it. */
static bool
key_is(const char *text, size_t len, const char *key)
{
	auto_json json_t *value = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

	return value && json_is_string(value) && streq(json_string_value(value), key);
}

/* Moves to the member named by key; false if there is none. *ret_key is where
 * it begins. */
static bool
move_to_member(struct scan *s, const char *key, size_t *ret_key)
{
	skip_space(s);
	if (s->at >= s->len)
		return false;
	char open = s->text[s->at];
	/* '#' counts only in an array: an object may have a key "#3". */
	long index = open == '[' && key[0] == '#' ? strtol(key + 1, NULL, 10) : -1;

	if ((open == '[') != (index >= 0) || (open != '[' && open != '{'))
		return false;
	s->at++;
	for (long i = 0;; i++) {
		skip_space(s);
		if (s->at >= s->len || s->text[s->at] == ']' || s->text[s->at] == '}')
			return false;
		size_t start = s->at;

		if (open == '{') {
			skip_string(s);
			bool hit = key_is(s->text + start, s->at - start, key);

			skip_space(s);
			s->at++; /* the colon */
			if (hit) {
				*ret_key = start;
				return true;
			}
		} else if (i == index) {
			*ret_key = start;
			return true;
		}
		skip_value(s);
		skip_space(s);
		if (s->at < s->len && s->text[s->at] == ',')
			s->at++;
	}
}

void
json_locate(const char *text, size_t len, const char *const *path, int *ret_line, int *ret_column)
{
	struct scan s = { .text = text, .len = len };
	size_t at = 0;

	*ret_line = *ret_column = 1;
	for (; *path; path++)
		if (!move_to_member(&s, *path, &at))
			return;
	for (size_t i = 0; i < at; i++) {
		if (text[i] == '\n') {
			++*ret_line;
			*ret_column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			++*ret_column;
		}
	}
}

int
json_set_text(json_t *object, const char *key, const char *text)
{
	size_t len = strlen(text);

	if (str_is_utf8(text, len))
		return json_object_set_new(object, key, json_string(text)) < 0 ? -ENOMEM : 0;
	auto_free char *shown = str_escape(text, len);

	if (!shown)
		return -ENOMEM;
	return json_object_set_new(object, key, json_string(shown)) < 0 ? -ENOMEM : 0;
}

char *
json_line(const json_t *value)
{
	return json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

/* jansson leaves one byte to do: a DEL can only stand inside a string. */
char *
json_ascii(const json_t *value)
{
	auto_free char *line = json_dumps(
		value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	struct buf out = { 0 };

	if (!line)
		return NULL;
	for (const char *c = line; *c; c++) {
		if (*c == 0x7f)
			buf_puts(&out, "\\u007f");
		else
			buf_putc(&out, *c);
	}
	return buf_take(&out);
}

size_t
json_weight(const json_t *value)
{
	enum {
		NODE = 64,
		MEMBER = 96
	};
	size_t weight = NODE, i;
	const json_t *item;
	const char *key;

	if (!value)
		return 0;
	if (json_is_string(value))
		weight += json_string_length(value);
	json_array_foreach (value, i, item)
		weight += json_weight(item) + sizeof(item);
	json_object_foreach ((json_t *)value, key, item)
		weight += json_weight(item) + strlen(key) + MEMBER;
	return weight;
}

const char *
json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of a settings file, or a value from the command line, into struct
 * settings_values. Nothing in it is trusted: a word, type or member that is
 * not known ends the whole file, with the place where it stands. */

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/decode.h"

int
decode_bad(struct decode *d, const char *fmt, ...)
{
	char what[sizeof(d->err->text)];
	int line = 1, column = 1;
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(what, sizeof(what), fmt, ap) < 0)
		what[0] = '\0';
	va_end(ap);
	if (!d->text)
		return err_set(d->err, EINVAL, "%s: %s", d->name, what);
	d->path[d->depth] = NULL;
	json_locate(d->text, d->len, d->path, &line, &column);
	return err_set(d->err, EINVAL, "%s:%d:%d: %s", d->name, line, column, what);
}

/* The policy's depth limit keeps the path far below DECODE_DEPTH. */
void
decode_enter(struct decode *d, const char *key)
{
	if (d->depth < DECODE_DEPTH)
		d->path[d->depth++] = key;
}

void
decode_enter_index(struct decode *d, size_t i)
{
	if (d->depth < DECODE_DEPTH) {
		snprintf(d->index[d->depth], sizeof(d->index[0]), "#%zu", i);
		decode_enter(d, d->index[d->depth]);
	}
}

void
decode_leave(struct decode *d)
{
	if (d->depth > 0)
		d->depth--;
}

const char *
decode_show(struct decode *d, const char *text)
{
	char *out = d->shown[d->n_shown++ % 2];
	auto_free char *escaped = str_escape(text, strlen(text));
	size_t max = sizeof(d->shown[0]) - sizeof("..."), len;

	if (!escaped)
		return "?";
	len = str_cut(escaped, strlen(escaped), max);
	snprintf(out, sizeof(d->shown[0]), "%.*s%s", (int)len, escaped, escaped[len] ? "..." : "");
	return out;
}

const char *
decode_show_json(struct decode *d, const json_t *value)
{
	if (json_is_string(value))
		return decode_show(d, json_string_value(value));
	auto_free char *text = json_line(value);

	return text ? decode_show(d, text) : "?";
}

static const char *
type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number with a fraction",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

/* The innermost name we are in, for messages. */
static const char *
find_current_name(struct decode *d)
{
	for (size_t i = d->depth; i > 0; i--)
		if (d->path[i - 1][0] != '#')
			return decode_show(d, d->path[i - 1]);
	return "settings";
}

int
decode_wrong_type(struct decode *d, const json_t *value, const char *kind)
{
	return decode_bad(
		d, "'%s' must be %s, not %s", find_current_name(d), kind, type_name(value));
}

int
decode_object(struct decode *d, const json_t *value, const char *kind)
{
	return json_is_object(value) ? 0 : decode_wrong_type(d, value, kind);
}

int
decode_array(struct decode *d, const json_t *value, const char *kind)
{
	if (!json_is_array(value))
		return decode_wrong_type(d, value, kind);
	if (json_array_size(value) > DECODE_LIST_MAX)
		return decode_bad(
			d, "'%s' has more than %d elements", find_current_name(d), DECODE_LIST_MAX);
	return 0;
}

int
decode_string(struct decode *d, const json_t *value, const char *kind, const char **ret_text)
{
	if (!json_is_string(value))
		return decode_wrong_type(d, value, kind);
	if (strlen(json_string_value(value)) != json_string_length(value))
		return decode_bad(d, "'%s': a NUL in a string", find_current_name(d));
	*ret_text = json_string_value(value);
	return 0;
}

/* "'KEY': 'TEXT' is not one of: ..." */
static int
no_such_word(struct decode *d, const struct ambit_word *words, const char *text)
{
	auto_buf struct buf list = { 0 };

	for (; words->name; words++)
		buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", words->name);
	return decode_bad(d, "'%s': '%s' is not one of: %s", find_current_name(d),
		decode_show(d, text), list.data ? list.data : "");
}

int
decode_word(struct decode *d, const json_t *value, const struct ambit_word *words, int *ret_value)
{
	const char *text;
	int r = decode_string(d, value, "a word", &text);

	if (r < 0)
		return r;
	const struct ambit_word *word = ambit_word_find(words, text);

	if (!word)
		return no_such_word(d, words, text);
	*ret_value = word->value;
	return 0;
}

int
decode_count(struct decode *d, const json_t *value, int min, int max, int *ret_value)
{
	if (!json_is_integer(value))
		return decode_wrong_type(d, value, "a whole number");
	json_int_t n = json_integer_value(value);

	if (n < min || n > max)
		return decode_bad(d, "'%s': %lld is not between %d and %d", find_current_name(d),
			(long long)n, min, max);
	*ret_value = (int)n;
	return 0;
}

int
decode_effects(struct decode *d, const json_t *value, int by[AMBIT_EFFECTS_N])
{
	const char *name;
	json_t *member;
	int r = decode_object(d, value, "an object of effects");

	if (r < 0)
		return r;
	json_object_foreach ((json_t *)value, name, member) {
		const struct ambit_word *effect = ambit_word_find(ambit_effects, name);

		if (!effect)
			return no_such_word(d, ambit_effects, name);
		decode_enter(d, name);
		r = decode_word(
			d, member, ambit_permissions, &by[__builtin_ctz((unsigned)effect->value)]);
		if (r < 0)
			return r;
		decode_leave(d);
	}
	return 0;
}

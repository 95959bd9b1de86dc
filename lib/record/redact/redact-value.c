/* SPDX-License-Identifier: Apache-2.0 */
/* Where the value behind a secret's name begins and ends. Too short, and a
 * part of a key stays; too long, and an agent can write its act behind the
 * word "token" and have it left out: so a value ends at everything that a
 * shell acts on, and a path is never one. */

#include "record/redact/redact-text.h"

static bool
is_quote(char c)
{
	return c == '"' || c == '\'';
}

bool
value_opens_quote(const struct text *t, size_t i)
{
	return is_quote(get_byte_at(t, i)) ||
	       (get_byte_at(t, i) == '\\' && is_quote(get_byte_at(t, i + 1)));
}

/* Nothing, and the words that code and manuals have where a value would be. */
bool
redact_plain_word(const char *word, size_t len)
{
	static const char *const words[] = { "null", "none", "nil", "true", "false", "undefined",
		"string", "str", "boolean", "bool", "number", "integer", "int", "float", "bytes",
		"byte", "char", "text", "any", "object", "array", "buffer", "unknown", "void",
		"required", "optional", "option", "default", "secretstr", "self", "this" };

	while (len > 0 && is_char_in(",?[])}!*.", word[len - 1]))
		len--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && str_fold_equal(words[i], word, len))
			return true;
	return len == 0;
}

/* Base64 may begin with a slash too: then it is long and of every sort. */
static bool
is_blob(const char *data, size_t len)
{
	bool up = false, low = false, number = false;

	for (size_t i = 0; i < len; i++) {
		up = up || ascii_is_upper(data[i]);
		low = low || ascii_is_lower(data[i]);
		number = number || ascii_is_digit(data[i]);
		if (data[i] == '.' || data[i] == '-')
			return false;
	}
	return len >= 32 && up && low && number;
}

bool
redact_path(const char *data, size_t len)
{
	struct text t = { data, len };

	if (has_prefix_at(&t, 0, "~", false) || has_prefix_at(&t, 0, "./", false) ||
		has_prefix_at(&t, 0, "../", false))
		return true;
	if (get_byte_at(&t, 0) == '/' && !is_blob(data, len))
		return true;
	return len > 0 && memmem(data, len, "/../", 4) != NULL;
}

static bool
is_secret(const struct text *t, const struct hit *hit)
{
	const char *data = t->data + hit->from;
	size_t len = hit->to - hit->from;

	return !redact_plain_word(data, len) && !redact_path(data, len);
}

/* A value is judged by its beginning: a walk to its end that is then not
 * consumed would be made again for the next name inside it. */
static size_t
find_value_end(const struct text *t, size_t i, size_t max, const char *ends, const char *escapes)
{
	size_t from = i;

	while (i < t->len && i - from < max && !is_char_in(ends, t->data[i]) && !ends_value(t, i)) {
		bool escape = is_char_in(escapes, t->data[i]) &&
			      !is_char_in("\r\n", get_byte_at(t, i + 1));

		i += escape && i + 1 < t->len ? 2 : 1;
	}
	return i;
}

static bool
match_secret(const struct text *t, size_t i, const char *ends, const char *escapes, struct hit *hit)
{
	hit->from = i;
	hit->to = find_value_end(t, i, AHEAD, ends, escapes);
	if (hit->to == i || !is_secret(t, hit))
		return false;
	if (hit->to - i >= AHEAD)
		hit->to = find_value_end(t, hit->to, SIZE_MAX, ends, escapes);
	return true;
}

/* The value ends at the next quote like the one that opens it. What begins
 * with a blank stands behind a quote that closes. */
bool
value_quoted(const struct text *t, size_t i, struct hit *hit)
{
	bool nested = get_byte_at(t, i) == '\\', single = get_byte_at(t, i + nested) == '\'';
	size_t from = i + nested + 1;

	if (from >= t->len || ascii_is_space(t->data[from]) || is_reference(t, from))
		return false;
	if (!match_secret(t, from, single ? "'" : "\"", nested || single ? "" : "\\", hit))
		return false;
	/* The backslash before the closing quote is not of the value. */
	if (nested && hit->to < t->len && t->data[hit->to - 1] == '\\')
		hit->to--;
	return hit->to > hit->from;
}

bool
value_word(const struct text *t, size_t i, struct hit *hit)
{
	if (is_reference(t, i) || is_char_in("<[{(", get_byte_at(t, i)))
		return false;
	return match_secret(t, i, " \t\r\n\v\f<()\"'", "\\", hit);
}

/* accessToken, TokenKind, config.apiKey: a name that says what it holds. */
static bool
is_identifier(const char *word, size_t len, const struct redact_shape *shape)
{
	size_t n = strlen(shape->prefix), j = 0;
	bool joined = false;

	for (size_t i = 0; i < len; i++)
		joined = joined || is_char_in("._", word[i]) ||
			 (i > 0 && ascii_is_upper(word[i]) && ascii_is_lower(word[i - 1]));
	for (size_t i = 0; joined && i < len && j < n; i++)
		if (ascii_is_alnum(word[i]))
			j = str_lower(word[i]) == shape->prefix[j]   ? j + 1
			    : str_lower(word[i]) == shape->prefix[0] ? 1
								     : 0;
	return joined && j == n;
}

/* Ordinary code has types, names and calls here where a settings file has the
 * value: only what looks like a value and ends with the line, the item or the
 * quote goes. */
bool
value_loose(const struct text *t, size_t i, const struct redact_shape *shape, bool bare,
	struct hit *hit)
{
	size_t to = i, end;
	bool number = false, letter = false;

	for (; to < t->len && !ascii_is_space(t->data[to]) &&
		!is_char_in("\"',(){}<[]", t->data[to]) && !ends_value(t, to);
		to++) {
		number = number || ascii_is_digit(t->data[to]);
		letter = letter || !ascii_is_digit(t->data[to]);
		/* Decided by now, or walking on would be for nothing. */
		if (to - i == AHEAD &&
			(!(number && letter) || !is_secret(t, &(struct hit){ i, to, false })))
			return false;
	}
	end = skip_blanks(t, to);
	hit->from = i;
	hit->to = to;
	if (to == i || is_reference(t, i))
		return false;
	if (to - i > AHEAD)
		return true;
	if (!is_secret(t, hit))
		return false;
	if (to - i > 3 && (is_text_cut_off(t, to) || is_text_cut_off(t, to - 3)))
		return true;
	if (!(end >= t->len || is_newline_at(t, end) || is_char_in(",}\"'`;&|>", t->data[end])))
		return false;
	if (number && letter && to - i >= 6)
		return true;
	return bare && letter && to - i >= 8 && !is_identifier(t->data + i, to - i, shape);
}

static size_t
header_word(const struct text *t, size_t i, size_t max)
{
	size_t from = i;

	while (i < t->len && i - from < max && !ascii_is_space(t->data[i]) &&
		!is_quote(t->data[i]) && !ends_value(t, i)) {
		if (t->data[i] == '\\' && get_byte_at(t, i + 1) != ' ')
			break;
		i += t->data[i] == '\\' ? 2 : 1;
	}
	return i;
}

/* Bearer, Basic, AWS4-HMAC-SHA256 */
static bool
is_scheme(const struct text *t, size_t i, size_t to)
{
	if (to - i > 20 || !ascii_is_letter(t->data[i]))
		return false;
	for (; i < to; i++)
		if (!ascii_is_alnum(t->data[i]) && t->data[i] != '-')
			return false;
	return true;
}

/* Behind a scheme or a comma: the next word, if it can be one of the header. */
static size_t
header_next(const struct text *t, size_t i)
{
	size_t next = skip_blanks(t, i), end = header_word(t, next, AHEAD);

	if (end == next || is_char_in("-({[", t->data[next]) ||
		redact_path(t->data + next, end - next))
		return i;
	return header_word(t, end, SIZE_MAX);
}

/* A word, and the next one behind a scheme or a comma: no more, or whatever
 * follows on a command line would go with it. A backslash ends it unless it
 * escapes a blank. */
bool
value_header(const struct text *t, size_t i, struct hit *hit)
{
	size_t to = header_word(t, i, AHEAD);

	hit->from = i;
	hit->to = to;
	if (is_reference(t, i) || is_char_in("{([", get_byte_at(t, i)) || to == i ||
		!is_secret(t, hit))
		return false;
	bool more = is_scheme(t, i, to);

	if (more && ascii_is_blank(get_byte_at(t, to)) && is_reference(t, skip_blanks(t, to)))
		return false; /* Bearer $TOKEN */
	to = header_word(t, to, SIZE_MAX);
	while (more && ascii_is_blank(get_byte_at(t, to)) && (hit->to = header_next(t, to)) > to) {
		to = hit->to;
		more = t->data[to - 1] == ',';
	}
	hit->to = to;
	return true;
}

static bool
is_number(const struct text *t, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!ascii_is_digit(t->data[from]))
			return false;
	return true;
}

bool
value_user(const struct text *t, struct hit *hit)
{
	size_t colon = hit->from;

	for (; colon < hit->to && t->data[colon] != ':'; colon++)
		if (colon - hit->from > AHEAD || ascii_is_space(t->data[colon]) ||
			t->data[colon] == '/')
			return false;
	if (colon + 1 >= hit->to || is_reference(t, colon + 1) || get_byte_at(t, colon + 1) == '/')
		return false;
	if (is_number(t, hit->from, colon) && is_number(t, colon + 1, hit->to))
		return false;
	hit->from = colon + 1;
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names and options that say of what follows that it is secret: NAME=value,
 * name: value, --name value, and options of single programs, by the table in
 * shapes.c. */

#include "record/redact/redact-text.h"

/* Compares from the end, without case and separators: API_KEY, apiKey and
 * x-api-key end in "apikey". */
static bool
name_ends(const char *name, size_t len, const struct redact_shape *shape)
{
	size_t left = strlen(shape->prefix);

	while (left > 0 && len > 0) {
		char c = name[len - 1];

		if (ascii_is_alnum(c)) {
			if (str_lower(c) != shape->prefix[left - 1])
				return false;
			left--;
		}
		len--;
	}
	return left == 0 && (!shape->suffix || (len > 0 && !ascii_is_alnum(name[len - 1])));
}

static const struct redact_shape *
find_name(const char *name, size_t len)
{
	for (const struct redact_shape *shape = redact_shapes; shape->prefix; shape++)
		if ((shape->kind == SHAPE_NAME || shape->kind == SHAPE_HEADER) &&
			name_ends(name, len, shape))
			return shape;
	return NULL;
}

bool
redact_name(const char *name, size_t len)
{
	return find_name(name, len) != NULL;
}

/* "=", ":=" or ":" at i: its length; 0 for "==", "=>", "::", "://". */
static size_t
measure_separator(const struct text *t, size_t i)
{
	if (get_byte_at(t, i) == ':' && get_byte_at(t, i + 1) == '=')
		return 2;
	if (get_byte_at(t, i) == '=' && !is_char_in("=>~", get_byte_at(t, i + 1)))
		return 1;
	if (get_byte_at(t, i) == ':' && !is_char_in(":/", get_byte_at(t, i + 1)))
		return 1;
	return 0;
}

/* Where the sign behind a name would be: after its quote and blanks. */
static size_t
sign_of(const struct text *t, size_t end)
{
	end += get_byte_at(t, end) == '\\' && is_char_in("\"'`", get_byte_at(t, end + 1));
	return skip_blanks(t, end + is_char_in("\"'`", get_byte_at(t, end)));
}

static bool
match_any_value(const struct text *t, size_t i, struct hit *hit)
{
	return value_opens_quote(t, i) ? value_quoted(t, i, hit) : value_word(t, i, hit);
}

/* --name VALUE: an option takes the next word. */
static bool
option_value(const struct text *t, size_t name, size_t end, struct hit *hit)
{
	size_t i = skip_blanks(t, end);

	if (get_byte_at(t, name) != '-' || i == end || is_char_in("-=:", get_byte_at(t, i)))
		return false;
	return match_any_value(t, i, hit);
}

/* /etc/x_token=a is a file. What stands behind "?" or "&" is a query. */
static bool
in_path(const struct text *t, size_t i)
{
	for (size_t n = 0; i > 0 && n < AHEAD; i--, n++) {
		char c = t->data[i - 1];

		if (c == '/')
			return true;
		if (ascii_is_space(c) || is_char_in("?&#;,=:|<>()[]{}\"'`$\\", c))
			return false;
	}
	return false;
}

/* Letters alone are taken for a secret behind GH_TOKEN: anywhere, and behind
 * password: where a line begins, as in a settings file. In the middle of a
 * command they are more likely what the command is about. */
static bool
is_setting(const struct text *t, size_t i, size_t end)
{
	bool small = false;

	for (size_t j = i; j < end; j++)
		small = small || ascii_is_lower(t->data[j]);
	if (!small)
		return true;
	while (i > 0 && is_char_in(" \t\"'{,-", t->data[i - 1]))
		i--;
	return i == 0 || t->data[i - 1] == '\n' ||
	       (i > 1 && t->data[i - 1] == 'n' && t->data[i - 2] == '\\');
}

/* A name stands at [i, end). */
static bool
match_name(const struct redact_shape *shape, const struct text *t, size_t i, size_t end,
	struct hit *hit)
{
	size_t sign = sign_of(t, end);
	size_t len = measure_separator(t, sign);

	if (len == 0)
		return option_value(t, i, end, hit);
	size_t value = skip_blanks(t, sign + len);
	bool tight = sign == end && value == sign + len && t->data[sign] == '=';

	if (in_path(t, i))
		return false;
	hit->pairs = shape->pairs;
	if (value_opens_quote(t, value))
		return value_quoted(t, value, hit);
	if (shape->kind == SHAPE_HEADER && t->data[sign] == ':')
		return value_header(t, value, hit);
	if (tight)
		return value_word(t, value, hit);
	return value_loose(t, value, shape, shape->bare && is_setting(t, i, end), hit);
}

/* user:VALUE. The user is looked at before the value is walked over. */
static bool
match_user_value(const struct text *t, size_t i, struct hit *hit)
{
	struct hit user = { .from = i };

	if (value_opens_quote(t, i))
		user.from += get_byte_at(t, i) == '\\' ? 2 : 1;
	if (user.from >= t->len)
		return false;
	user.to = t->len - user.from < AHEAD ? t->len : user.from + AHEAD;
	return value_user(t, &user) && match_any_value(t, i, hit) && value_user(t, hit);
}

/* -u user:VALUE, --user=user:VALUE. */
static bool
match_user(const struct redact_shape *shape, const struct text *t, size_t i, size_t end,
	struct hit *hit)
{
	size_t value = skip_blanks(t, end + (get_byte_at(t, end) == '='));

	if (end - i != strlen(shape->prefix) || !has_prefix_at(t, i, shape->prefix, false) ||
		value == end)
		return false;
	return match_user_value(t, value, hit);
}

/* Whether the command that i is in runs this program: looked for a bounded
 * way back. */
static bool
is_program_run(const struct text *t, size_t i, const char *program)
{
	size_t from = i, n = strlen(program);

	while (from > 0 && i - from < AHEAD && !ends_value(t, from - 1))
		from--;
	for (const char *found; (found = memmem(t->data + from, i - from, program, n)); from++) {
		from = (size_t)(found - t->data);
		if (ascii_is_blank(get_byte_at(t, from + n)) &&
			(from == 0 || !name_char(t->data[from - 1])))
			return true;
	}
	return false;
}

/* sshpass -p VALUE, mysql -pVALUE, curl -ujoe:VALUE */
static bool
match_flag(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	size_t end = i + strlen(shape->prefix), value = skip_blanks(t, end);

	if (!has_prefix_at(t, i, shape->prefix, false) ||
		!(value > end ? shape->next : shape->attached))
		return false;
	if (get_byte_at(t, value) == '-' || !is_program_run(t, i, shape->program))
		return false;
	return shape->user ? match_user_value(t, value, hit) : match_any_value(t, value, hit);
}

static bool
match_option(const struct text *t, size_t i, size_t end, struct hit *hit)
{
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++)
		if ((s->kind == SHAPE_USER && match_user(s, t, i, end, hit)) ||
			(s->kind == SHAPE_FLAG && match_flag(s, t, i, hit)))
			return true;
	return false;
}

/* A word is looked at once, where it begins. */
bool
name_match(const struct text *t, size_t i, struct hit *hit)
{
	size_t end = i;

	while (end < t->len && name_char(t->data[end]))
		end++;
	if (t->data[i] == '-' && match_option(t, i, end, hit))
		return true;
	/* Most words have no sign behind them: they need no name. */
	if (t->data[i] != '-' && measure_separator(t, sign_of(t, end)) == 0)
		return false;
	const struct redact_shape *shape = find_name(t->data + i, end - i);

	return shape && match_name(shape, t, i, end, hit);
}

/* hit is the pair before. Cookies are separated by what also separates commands: the next pair is
 * one only if nothing but a further one, a quote or the end of the line follows. */
bool
cookie_next(const struct text *t, size_t i, struct hit *hit)
{
	size_t name = skip_blanks(t, i + 1), end = name;

	if (!hit->pairs || get_byte_at(t, i) != ';')
		return false;
	while (end < t->len && end - name < AHEAD && name_char(t->data[end]))
		end++;
	if (end == name || get_byte_at(t, end) != '=')
		return false;
	if (value_opens_quote(t, end + 1) || !value_word(t, end + 1, hit))
		return false;
	return hit->to >= t->len || is_newline_at(t, hit->to) ||
	       is_char_in(";\"'", t->data[hit->to]);
}

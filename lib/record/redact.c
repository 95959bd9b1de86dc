/* SPDX-License-Identifier: Apache-2.0 */
/* Text -> the same text with what looks like a secret taken out, by the table
 * in shapes.c. The text is hostile: it may be long, repeat the beginnings of
 * secrets, or leave quotes open, and the work stays linear in its length,
 * because every try looks a bounded way ahead, or what it walked over is
 * consumed, or no later try walks over it again. Taking out too much costs a
 * reader a detail; too little costs a key: in doubt it goes. */

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "record/redact.h"

#include <ambit/record.h>

struct text {
	const char *data;
	size_t len;
};

/* What goes: [from, to). */
struct hit {
	size_t from;
	size_t to;
};

static bool
alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
in(const char *set, char c)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool
blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
space(char c)
{
	return in(" \t\r\n\v\f", c);
}

static bool
of_class(enum redact_class class, char c)
{
	switch (class) {
	case CLASS_ALNUM:
		return alnum(c);
	case CLASS_UPPER:
		return alnum(c) && !(c >= 'a' && c <= 'z');
	case CLASS_HEX:
		return (c >= '0' && c <= '9') || (str_lower(c) >= 'a' && str_lower(c) <= 'f');
	case CLASS_KEY:
		return alnum(c) || c == '_' || c == '-';
	case CLASS_WORD:
		return alnum(c) || c == '_';
	case CLASS_TOKEN:
		return alnum(c) || in("_-./+~=", c);
	}
	return false;
}

/* The byte at i, or NUL past the end. */
static char
at(const struct text *t, size_t i)
{
	return i < t->len ? t->data[i] : '\0';
}

static bool
starts(const struct text *t, size_t i, const char *prefix, bool fold)
{
	size_t n = strlen(prefix);

	if (t->len - i < n)
		return false;
	return fold ? str_fold_equal(t->data + i, prefix, n)
		    : memcmp(t->data + i, prefix, n) == 0;
}

static size_t
skip_blanks(const struct text *t, size_t i)
{
	while (i < t->len && blank(t->data[i]))
		i++;
	return i;
}

/* -- shapes that begin with themselves ---------------------------------------- */

/* A failed try must not walk over a long run that the next try walks again. */
#define AHEAD 256

/* Random keys have digits, or a long piece without separators; names that
 * people choose rarely have either. */
static bool
looks_random(const char *run, size_t len)
{
	size_t piece = 0;
	bool digit = false, letter = false;

	for (size_t i = 0; i < len && i < AHEAD; i++) {
		digit = digit || (run[i] >= '0' && run[i] <= '9');
		letter = letter || !(run[i] >= '0' && run[i] <= '9');
		piece = alnum(run[i]) ? piece + 1 : 0;
		if ((digit && letter) || piece >= 20)
			return true;
	}
	return false;
}

static bool
match_prefix(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	size_t from = i + strlen(shape->prefix), to = from;

	while (to < t->len && to - from < AHEAD && of_class(shape->run, t->data[to]))
		to++;
	if (to - from < shape->min || !looks_random(t->data + from, to - from))
		return false;
	if (shape->max && (to - from > shape->max || alnum(at(t, to))))
		return false;
	while (to < t->len && of_class(shape->run, t->data[to]))
		to++;
	/* The word of a scheme stays, a key's own prefix goes with it. */
	hit->from = shape->fold ? from : i;
	hit->to = to;
	return true;
}

static size_t
segment(const struct redact_shape *shape, const struct text *t, size_t i)
{
	while (i < t->len && of_class(shape->run, t->data[i]))
		i++;
	return i;
}

static bool
match_jwt(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	/* Only at the start of a run, or "eyJ-eyJ-eyJ-..." is walked again and again. */
	if (i > 0 && of_class(shape->run, t->data[i - 1]))
		return false;
	size_t first = segment(shape, t, i);

	if (first - i < shape->min || at(t, first) != '.')
		return false;
	size_t second = segment(shape, t, first + 1);

	if (second - first - 1 < shape->min)
		return false;
	hit->from = i;
	hit->to = second;
	while (at(t, hit->to) == '.' && of_class(shape->run, at(t, hit->to + 1)))
		hit->to = segment(shape, t, hit->to + 1);
	return true;
}

/* A key that is cut off before its end is still a key: then all the rest goes. */
static bool
match_pem(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	size_t label = i + strlen(shape->prefix);
	size_t ahead = t->len - label < 80 ? t->len - label : 80;
	const char *close = memmem(t->data + label, ahead, "-----", 5);
	const char *end;

	if (!close ||
		!memmem(t->data + label, (size_t)(close - t->data) - label, "PRIVATE KEY", 11))
		return false;
	hit->from = i;
	hit->to = t->len;
	end = memmem(close, t->len - (size_t)(close - t->data), "-----END ", 9);
	if (!end)
		return true;
	end += 9;
	end = memmem(end, t->len - (size_t)(end - t->data), "-----", 5);
	if (end)
		hit->to = (size_t)(end - t->data) + 5;
	return true;
}

/* i is at "://". What follows cannot contain another one before it ends. */
static bool
match_url(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	size_t from = i + strlen(shape->prefix), end = from, sign = 0, colon = 0;

	if (i == 0 || !alnum(t->data[i - 1]))
		return false;
	for (; end < t->len && !space(t->data[end]) && !in("/?#\"'`<>\\", t->data[end]); end++) {
		if (t->data[end] == '@')
			sign = end;
		if (t->data[end] == ':' && !colon && !sign)
			colon = end;
	}
	if (!sign)
		return false;
	hit->from = colon ? colon + 1 : from;
	hit->to = sign;
	if (hit->from >= hit->to || t->data[hit->from] == '$')
		return false;
	/* Without a colon it is a user's name, or a token in its place. */
	return colon || (sign - from >= 20 && looks_random(t->data + from, sign - from));
}

/* -- values ------------------------------------------------------------------- */

static bool
is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* $NAME, ${NAME}, $(command): where a secret comes from is not the secret. */
static bool
is_reference(const struct text *t, size_t i)
{
	char next = at(t, i + 1);

	return at(t, i) == '$' && (alnum(next) || in("_{(", next));
}

static bool
is_nothing(const char *word, size_t len)
{
	static const char *const nothing[] = { "null", "None", "nil", "true", "false",
		"undefined" };

	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		if (strlen(nothing[i]) == len && memcmp(nothing[i], word, len) == 0)
			return true;
	return len == 0;
}

/* A quote opens at i, perhaps behind a backslash (JSON inside JSON): the value
 * ends at the next quote like it. An unclosed one ends with its line. */
static bool
quoted(const struct text *t, size_t i, struct hit *hit)
{
	bool nested = at(t, i) == '\\';
	char quote = at(t, i + nested);
	size_t from = i + nested + 1, to = from;

	for (; to < t->len && t->data[to] != quote; to++)
		if (!nested && quote != '\'' && t->data[to] == '\\')
			to++;
	if (to >= t->len) {
		const char *line =
			from < t->len ? memchr(t->data + from, '\n', t->len - from) : NULL;

		to = line ? (size_t)(line - t->data) : t->len;
	} else if (nested && t->data[to - 1] == '\\' && to > from) {
		to--;
	}
	hit->from = from;
	hit->to = to;
	return to > from && (quote == '\'' || !is_reference(t, from));
}

static bool
opens_quote(const struct text *t, size_t i)
{
	return is_quote(at(t, i)) || (at(t, i) == '\\' && is_quote(at(t, i + 1)));
}

/* A word of a shell, of a URL's query or of an argument list. */
static bool
word(const struct text *t, size_t i, struct hit *hit)
{
	size_t to = i;

	if (is_reference(t, i) || in("<[{(", at(t, i)))
		return false;
	while (to < t->len && !space(t->data[to]) && !in(";&|<>()\"'`", t->data[to]))
		to += t->data[to] == '\\' && to + 1 < t->len ? 2 : 1;
	hit->from = i;
	hit->to = to;
	return !is_nothing(t->data + i, to - i);
}

/* Behind a colon or a spaced "=", ordinary code has types, names and calls
 * where a settings file has the value: only what looks like a value and ends
 * with the line, the item or the quote goes. */
static bool
loose_word(const struct text *t, size_t i, struct hit *hit)
{
	size_t to = i, end;
	bool digit = false, letter = false;

	for (; to < t->len && !space(t->data[to]) && !in("\"'`,;(){}<>[]", t->data[to]); to++) {
		digit = digit || (t->data[to] >= '0' && t->data[to] <= '9');
		letter = letter || !(t->data[to] >= '0' && t->data[to] <= '9');
		/* Decided by now, or walking on would be for nothing. */
		if (to - i == AHEAD && !(digit && letter))
			return false;
	}
	end = skip_blanks(t, to);
	hit->from = i;
	hit->to = to;
	if (to - i < 6 || !digit || !letter || is_reference(t, i))
		return false;
	return to - i > AHEAD || end >= t->len || in("\r\n,}\"'`", t->data[end]);
}

/* A header's value has spaces. A backslash ends it unless it escapes one. */
static bool
header_value(const struct text *t, size_t i, struct hit *hit)
{
	size_t to = i;

	if (is_reference(t, i) || in("{([", at(t, i)))
		return false;
	for (; to < t->len && !in("\r\n\"'`", t->data[to]); to++)
		if (t->data[to] == '\\' && at(t, to + 1) != ' ')
			break;
	while (to > i && blank(t->data[to - 1]))
		to--;
	hit->from = i;
	hit->to = to;
	return to > i;
}

/* -- names -------------------------------------------------------------------- */

static bool
name_char(char c)
{
	return alnum(c) || in("_.-", c);
}

/* Compares from the end, without case and separators: API_KEY, apiKey and
 * x-api-key end in "apikey". */
static bool
name_ends(const char *name, size_t len, const struct redact_shape *shape)
{
	size_t left = strlen(shape->prefix);

	while (left > 0 && len > 0) {
		char c = name[len - 1];

		if (alnum(c)) {
			if (str_lower(c) != shape->prefix[left - 1])
				return false;
			left--;
		}
		len--;
	}
	return left == 0 && (!shape->suffix || (len > 0 && !alnum(name[len - 1])));
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
separator(const struct text *t, size_t i)
{
	if (at(t, i) == ':' && at(t, i + 1) == '=')
		return 2;
	if (at(t, i) == '=' && !in("=>~", at(t, i + 1)))
		return 1;
	if (at(t, i) == ':' && !in(":/", at(t, i + 1)))
		return 1;
	return 0;
}

/* --name VALUE: an option takes the next word. */
static bool
option_value(const struct text *t, size_t name, size_t end, struct hit *hit)
{
	size_t i = skip_blanks(t, end);

	if (at(t, name) != '-' || i == end || in("-=:", at(t, i)))
		return false;
	return opens_quote(t, i) ? quoted(t, i, hit) : word(t, i, hit);
}

/* Where the sign behind a name would be: after its quote and blanks. */
static size_t
sign_of(const struct text *t, size_t end)
{
	end += at(t, end) == '\\' && is_quote(at(t, end + 1));
	return skip_blanks(t, end + is_quote(at(t, end)));
}

/* A name stands at [i, end). */
static bool
match_name(const struct redact_shape *shape, const struct text *t, size_t i, size_t end,
	struct hit *hit)
{
	size_t sign = sign_of(t, end);
	size_t len = separator(t, sign);

	if (len == 0)
		return option_value(t, i, end, hit);
	size_t value = skip_blanks(t, sign + len);
	bool tight = sign == end && value == sign + len && t->data[sign] == '=';

	if (opens_quote(t, value))
		return quoted(t, value, hit);
	if (shape->kind == SHAPE_HEADER && t->data[sign] == ':')
		return header_value(t, value, hit);
	return tight ? word(t, value, hit) : loose_word(t, value, hit);
}

static bool
is_number(const struct text *t, const struct hit *hit)
{
	for (size_t i = hit->from; i < hit->to; i++)
		if (t->data[i] < '0' || t->data[i] > '9')
			return false;
	return true;
}

/* -u user:VALUE, --user=user:VALUE. The colon is looked for a bounded way
 * ahead. Two numbers are ids of a user and a group. */
static bool
match_user(const struct redact_shape *shape, const struct text *t, size_t i, size_t end,
	struct hit *hit)
{
	size_t value = skip_blanks(t, end + (at(t, end) == '='));
	struct hit user = { value + opens_quote(t, value), 0 };

	if (end - i != strlen(shape->prefix) || !starts(t, i, shape->prefix, false) || value == end)
		return false;
	for (user.to = user.from; at(t, user.to) != ':'; user.to++)
		if (user.to >= t->len || user.to - user.from > AHEAD || space(t->data[user.to]))
			return false;
	if (is_reference(t, user.to + 1))
		return false;
	if (!(opens_quote(t, value) ? quoted(t, value, hit) : word(t, value, hit)))
		return false;
	hit->from = user.to + 1;
	return hit->from < hit->to && !(is_number(t, &user) && is_number(t, hit));
}

/* A word is looked at once, where it begins. */
static bool
find_named(const struct text *t, size_t i, struct hit *hit)
{
	size_t end = i;

	while (end < t->len && name_char(t->data[end]))
		end++;
	for (const struct redact_shape *s = redact_shapes; t->data[i] == '-' && s->prefix; s++)
		if (s->kind == SHAPE_USER && match_user(s, t, i, end, hit))
			return true;
	/* Most words have no sign behind them: they need no name. */
	if (t->data[i] != '-' && separator(t, sign_of(t, end)) == 0)
		return false;
	const struct redact_shape *shape = find_name(t->data + i, end - i);

	return shape && match_name(shape, t, i, end, hit);
}

/* -- the walk ----------------------------------------------------------------- */

static bool
find_shape(const struct text *t, size_t i, struct hit *hit)
{
	bool fresh = i == 0 || !alnum(t->data[i - 1]);
	char c = t->data[i], lower = str_lower(c);

	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		if (s->prefix[0] != (s->fold ? lower : c) || s->kind >= SHAPE_USER ||
			!starts(t, i, s->prefix, s->fold))
			continue;
		if (s->kind == SHAPE_PREFIX && fresh && match_prefix(s, t, i, hit))
			return true;
		if (s->kind == SHAPE_JWT && fresh && match_jwt(s, t, i, hit))
			return true;
		if (s->kind == SHAPE_PEM && match_pem(s, t, i, hit))
			return true;
		if (s->kind == SHAPE_URL && match_url(s, t, i, hit))
			return true;
	}
	return false;
}

static bool
find(const struct text *t, size_t i, struct hit *hit)
{
	char c = t->data[i], before = i > 0 ? t->data[i - 1] : ' ';

	/* Most positions are inside a word, where nothing can begin. */
	if (alnum(before) && c != ':' && c != '-')
		return false;
	if (find_shape(t, i, hit))
		return true;
	return name_char(c) && !name_char(before) && find_named(t, i, hit);
}

/* A value that is a private key goes as a whole, not only its first line. */
static size_t
end_of(const struct text *t, const struct hit *hit)
{
	struct hit inner;

	for (const struct redact_shape *s = redact_shapes; s->prefix; s++)
		if (s->kind == SHAPE_PEM && starts(t, hit->from, s->prefix, false) &&
			match_pem(s, t, hit->from, &inner) && inner.to > hit->to)
			return inner.to;
	return hit->to;
}

void
redact_append(struct buf *buf, const char *data, size_t len)
{
	struct text t = { data, len };
	size_t done = 0;

	for (size_t i = 0; i < len;) {
		struct hit hit;

		if (!find(&t, i, &hit)) {
			i++;
			continue;
		}
		hit.to = end_of(&t, &hit);
		buf_append(buf, data + done, hit.from - done);
		buf_puts(buf, REDACTED);
		done = i = hit.to;
	}
	buf_append(buf, data + done, len - done);
}

char *
redact_text(const char *text, size_t len)
{
	struct buf buf = { 0 };

	redact_append(&buf, text, len);
	return buf_take(&buf);
}

char *
ambit_redact(const char *text)
{
	return redact_text(text, strlen(text));
}

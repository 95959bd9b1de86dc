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
#include "record/redact/redact-text.h"
#include "record/redact/redact.h"

#include <ambit/record.h>

static bool
of_class(enum redact_class class, char c)
{
	switch (class) {
	case CLASS_ALNUM:
		return ascii_is_alnum(c);
	case CLASS_UPPER:
		return ascii_is_digit(c) || ascii_is_upper(c);
	case CLASS_HEX:
		return ascii_hex_value(c) >= 0;
	case CLASS_KEY:
		return ascii_is_alnum(c) || c == '_' || c == '-';
	case CLASS_WORD:
		return ascii_is_alnum(c) || c == '_';
	case CLASS_TOKEN:
		return ascii_is_alnum(c) || is_char_in("_-./+~=", c);
	}
	return false;
}

/* -- shapes that begin with themselves ---------------------------------------- */

/* Random keys have digits, or a long piece without separators; names that
 * people choose rarely have either. */
static bool
looks_random(const char *run, size_t len)
{
	size_t piece = 0;
	bool number = false, letter = false;

	for (size_t i = 0; i < len && i < AHEAD; i++) {
		number = number || ascii_is_digit(run[i]);
		letter = letter || !ascii_is_digit(run[i]);
		piece = ascii_is_alnum(run[i]) ? piece + 1 : 0;
		if ((number && letter) || piece >= 20)
			return true;
	}
	return false;
}

/* A key may stand where words begin; directly behind a letter only if it is
 * so long that it cannot be the end of a word. "\\n" and "%20" are no letters. */
static bool
may_start_key(const struct text *t, size_t i)
{
	if (i == 0 || !ascii_is_alnum(t->data[i - 1]))
		return true;
	if (i >= 2 && t->data[i - 2] == '\\' && is_char_in("nrt", t->data[i - 1]))
		return true;
	return i >= 3 && t->data[i - 3] == '%' && of_class(CLASS_HEX, t->data[i - 2]) &&
	       of_class(CLASS_HEX, t->data[i - 1]);
}

/* The run of a key that starts at from, at most AHEAD, without the mark of a cut. */
static size_t
run_end(const struct redact_shape *shape, const struct text *t, size_t from)
{
	size_t to = from;

	while (to < t->len && to - from < AHEAD && of_class(shape->run, t->data[to]))
		to++;
	return to == t->len && to - from >= 3 && is_text_cut_off(t, to - 3) ? to - 3 : to;
}

static bool
match_prefix(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	size_t from = i + strlen(shape->prefix), to = run_end(shape, t, from);
	bool cut = is_text_cut_off(t, to) && to - from >= 4;

	if (!cut && (to - from < shape->min || !looks_random(t->data + from, to - from)))
		return false;
	if (!may_start_key(t, i) && (shape->inner == 0 || to - from < shape->inner))
		return false;
	if (!cut && shape->max && (to - from > shape->max || ascii_is_alnum(get_byte_at(t, to))))
		return false;
	/* The word of a scheme stays, a key's own prefix goes with it. */
	if (shape->fold && redact_path(t->data + from, to - from))
		return false;
	while (to < t->len && of_class(shape->run, t->data[to]))
		to++;
	hit->from = shape->fold ? from : i;
	hit->to = to;
	return true;
}

static size_t
skip_jwt_segment(const struct redact_shape *shape, const struct text *t, size_t i)
{
	while (i < t->len && of_class(shape->run, t->data[i]))
		i++;
	return i;
}

static bool
match_jwt(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	/* Only at the start of a run, or "eyJ-eyJ-eyJ-..." is walked again and again. */
	if (i > 0 && is_char_in("_-", t->data[i - 1]))
		return false;
	size_t first = skip_jwt_segment(shape, t, i);

	hit->from = i;
	hit->to = first;
	if (first - i >= shape->min && is_text_cut_off(t, first))
		return true;
	if (first - i < shape->min || get_byte_at(t, first) != '.')
		return false;
	size_t second = skip_jwt_segment(shape, t, first + 1);

	if (second - first - 1 < shape->min && !is_text_cut_off(t, second))
		return false;
	hit->to = second;
	while (get_byte_at(t, hit->to) == '.' && of_class(shape->run, get_byte_at(t, hit->to + 1)))
		hit->to = skip_jwt_segment(shape, t, hit->to + 1);
	return true;
}

/* i is at "://". What follows cannot contain another one before it ends. */
static bool
match_url(const struct redact_shape *shape, const struct text *t, size_t i, struct hit *hit)
{
	size_t from = i + strlen(shape->prefix), end = from, sign = 0, colon = 0;

	if (i == 0 || !ascii_is_alnum(t->data[i - 1]))
		return false;
	for (; end < t->len && !ascii_is_space(t->data[end]) &&
		!is_char_in("/?#\"'<>\\", t->data[end]);
		end++) {
		if (ends_value(t, end))
			break;
		if (t->data[end] == '@')
			sign = end;
		if (t->data[end] == ':' && !colon && !sign)
			colon = end;
	}
	/* Cut off before its "@": a port is a number. */
	if (!sign && colon && !ascii_is_digit(get_byte_at(t, colon + 1)) &&
		(is_text_cut_off(t, end) || (end - colon > 3 && is_text_cut_off(t, end - 3))))
		sign = end;
	if (!sign)
		return false;
	hit->from = colon ? colon + 1 : from;
	hit->to = sign;
	if (hit->from >= hit->to || t->data[hit->from] == '$')
		return false;
	/* Without a colon it is a user's name, or a token in its place. */
	return colon || (sign - from >= 20 && looks_random(t->data + from, sign - from));
}

/* -- the walk ----------------------------------------------------------------- */

/* The first bytes of all shapes, and of those that may stand directly behind a
 * letter. */
struct firsts {
	bool any[256];
	bool inner[256];
};

static void
firsts_fill(struct firsts *firsts)
{
	*firsts = (struct firsts){ 0 };
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		unsigned char c = (unsigned char)s->prefix[0];

		if (s->kind >= SHAPE_USER)
			continue;
		firsts->any[c] = true;
		if (s->fold && ascii_is_lower((char)c))
			firsts->any[c - 'a' + 'A'] = true;
		if (s->inner)
			firsts->inner[c] = true;
	}
}

static bool
find_shape(const struct text *t, size_t i, struct hit *hit)
{
	char c = t->data[i], small = str_lower(c);

	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		if (s->prefix[0] != (s->fold ? small : c) || s->kind >= SHAPE_USER ||
			!has_prefix_at(t, i, s->prefix, s->fold))
			continue;
		if (s->kind == SHAPE_PREFIX && match_prefix(s, t, i, hit))
			return true;
		if (s->kind == SHAPE_JWT && may_start_key(t, i) && match_jwt(s, t, i, hit))
			return true;
		if (s->kind == SHAPE_PEM && pem_match(t, i, hit))
			return true;
		if (s->kind == SHAPE_URL && match_url(s, t, i, hit))
			return true;
	}
	return false;
}

static bool
find_secret_at(const struct text *t, const struct firsts *firsts, size_t i, struct hit *hit)
{
	char c = t->data[i], before = i > 0 ? t->data[i - 1] : ' ';

	/* Most positions are inside a word, where little can begin. */
	if (ascii_is_alnum(before) && c != ':' && c != '-' && !firsts->inner[(unsigned char)c] &&
		!may_start_key(t, i))
		return false;
	if (firsts->any[(unsigned char)c] && find_shape(t, i, hit))
		return true;
	return name_char(c) &&
	       (!name_char(before) || (ascii_is_alnum(before) && may_start_key(t, i))) &&
	       name_match(t, i, hit);
}

/* One hit, and what belongs to it: [i, hit.to) is done. */
static size_t
append_redacted(struct buf *buf, const struct text *t, size_t done, const struct hit *hit)
{
	buf_append(buf, t->data + done, hit->from - done);
	buf_puts(buf, REDACTED);
	return pem_extend(t, hit);
}

size_t
redact_append(struct buf *buf, const char *data, size_t len)
{
	struct text t = { data, len };
	struct firsts firsts;
	size_t done = 0, count = 0;

	firsts_fill(&firsts);
	for (size_t i = 0; i < len;) {
		struct hit hit = { 0 };

		if (!find_secret_at(&t, &firsts, i, &hit)) {
			i++;
			continue;
		}
		done = i = append_redacted(buf, &t, done, &hit);
		for (count++; cookie_next(&t, i, &hit); count++)
			done = i = append_redacted(buf, &t, done, &hit);
	}
	buf_append(buf, data + done, len - done);
	return count;
}

char *
redact_text(const char *text, size_t len)
{
	struct buf buf = { 0 };

	redact_append(&buf, text, len);
	return buf_take(&buf);
}

char *
redact_secrets(const char *text)
{
	return redact_text(text, strlen(text));
}

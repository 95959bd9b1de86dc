/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys in PEM form: from the BEGIN line as far as it can be a key.
 * The END line is not simply searched for: between a BEGIN and an END that an
 * agent writes, a whole script could stand and would be gone from the record. */

#include "record/redact/redact-text.h"

#define BEGIN "-----BEGIN "
#define END "-----END "
#define LABEL_AHEAD 80

static const char *
find_word_within(const struct text *t, size_t from, size_t to, const char *word)
{
	return memmem(t->data + from, to - from, word, strlen(word));
}

/* Behind the "-----" that closes a label which begins at i; 0 if there is none.
 * A label is capitals, or it is something else. */
static size_t
label_end(const struct text *t, size_t i)
{
	size_t to = i;

	while (to - i < LABEL_AHEAD &&
		(ascii_is_upper(get_byte_at(t, to)) || ascii_is_digit(get_byte_at(t, to)) ||
			get_byte_at(t, to) == ' '))
		to++;
	return has_prefix_at(t, to, "-----", false) ? to + 5 : 0;
}

/* Behind the newline that is escaped at i, however often: a command that has "\\n"
 * in it is shown with "\\\\n". i if there is none. */
static size_t
skip_escape(const struct text *t, size_t i)
{
	size_t to = i;

	while (to < t->len && t->data[to] == '\\')
		to++;
	return to > i && is_char_in("nrt\n", get_byte_at(t, to)) ? to + 1 : i;
}

/* Lines are separated by newlines, by escaped ones, by blanks where somebody
 * joined them, or by what a list of strings has between its items. */
static size_t
skip_between(const struct text *t, size_t i)
{
	while (i < t->len) {
		size_t to = skip_escape(t, i);

		if (to == i && !ascii_is_space(t->data[i]) && !is_char_in("\"',", t->data[i]) &&
			!(t->data[i] == '+' && ascii_is_blank(get_byte_at(t, i + 1))))
			break;
		i = to > i ? to : i + 1;
	}
	return i < t->len ? i : t->len;
}

static bool
is_base64_char(char c)
{
	return ascii_is_alnum(c) || is_char_in("+/=", c);
}

/* A full line is long and has every sort of letter. */
static bool
full_line(const char *line, size_t len)
{
	bool up = false, low = false, number = false;

	for (size_t i = 0; i < len; i++) {
		up = up || ascii_is_upper(line[i]);
		low = low || ascii_is_lower(line[i]);
		number = number || ascii_is_digit(line[i]);
	}
	return len >= 48 || (len >= 24 && up && low && number);
}

/* "Proc-Type: 4,ENCRYPTED": to the end of its line, or i if there is none. */
static size_t
skip_header(const struct text *t, size_t i)
{
	static const char *const names[] = { "Proc-Type:", "DEK-Info:", "Version:", "Comment:" };

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		if (!has_prefix_at(t, i, names[n], false))
			continue;
		size_t max = i + AHEAD;

		while (i < t->len && i < max && !ends_value(t, i))
			i++;
		break;
	}
	return i;
}

/* The lines behind a BEGIN: where the key ends. Short lines count only right
 * before its END (the rest of the key, and a checksum) or where the text ends. */
static size_t
body_end(const struct text *t, size_t i)
{
	size_t sure = i;

	for (int brief = 0; brief <= 2;) {
		size_t line = skip_between(t, i), to = skip_header(t, line);
		bool header = to > line;

		if (has_prefix_at(t, line, END, false)) {
			size_t end = label_end(t, line + strlen(END));

			return end ? end : line + strlen(END);
		}
		if (!header)
			while (to < t->len && is_base64_char(t->data[to]))
				to++;
		if (to >= t->len || is_text_cut_off(t, to))
			return to;
		if (to == line ||
			!(ascii_is_space(t->data[to]) || is_char_in("\\\"'", t->data[to])))
			return sure;
		if (brief == 0 && (header || full_line(t->data + line, to - line)))
			sure = to;
		else
			brief++;
		i = to;
	}
	return sure;
}

bool
pem_match(const struct text *t, size_t i, struct hit *hit)
{
	size_t label = i + strlen(BEGIN);
	size_t close = has_prefix_at(t, i, BEGIN, false) ? label_end(t, label) : 0;

	if (!close || !find_word_within(t, label, close, "PRIVATE KEY"))
		return false;
	hit->from = i;
	hit->to = body_end(t, close);
	return true;
}

size_t
pem_extend(const struct text *t, const struct hit *hit)
{
	/* A word ends at the blank behind BEGIN. */
	const char *begin =
		find_word_within(t, hit->from, hit->to < t->len ? hit->to + 1 : t->len, BEGIN);
	struct hit inner;

	if (begin && pem_match(t, (size_t)(begin - t->data), &inner) && inner.to > hit->to)
		return inner.to;
	return hit->to;
}

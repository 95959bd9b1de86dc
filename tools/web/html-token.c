/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a page into tags and text, as browsers read them where it matters for
 * what is seen: quotes in tags, comments that end in odd ways, scripts whose
 * content is no markup. Every byte is looked at a bounded number of times, also
 * in a page that is made to be slow: what has no end goes on to the end of the
 * page, once. */

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "tools/web/html.h"

/* Content that is no markup, up to the end tag of the same name. */
static const struct {
	const char *name;
	bool entities;
} raws[] = {
	{ "script", false },
	{ "style", false },
	{ "xmp", false },
	{ "iframe", false },
	{ "noembed", false },
	{ "noframes", false },
	{ "title", true },
	{ "textarea", true },
};

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

/* One that is too long to be known is cut, and then no known one either. */
static const char *
take_name(const char *at, const char *end, char *ret_name)
{
	size_t n = 0;

	for (; at < end && !is_space(*at) && *at != '/' && *at != '>'; at++)
		if (n < HTML_NAME_MAX - 1)
			ret_name[n++] = str_lower(*at);
	ret_name[n] = '\0';
	return at;
}

struct attribute {
	const char *name, *value;
	size_t name_len, value_len;
};

/* The next attribute at `at`; false at the tag's end, which *at is then: the '>',
 * or the end of the page. */
static bool
take_attribute(const char **at, const char *end, struct attribute *ret)
{
	const char *p = *at;

	while (p < end && (is_space(*p) || *p == '/'))
		p++;
	*at = p;
	if (p >= end || *p == '>')
		return false;
	*ret = (struct attribute){ .name = p };
	p++; /* a '=' here is part of the name */
	while (p < end && !is_space(*p) && *p != '/' && *p != '>' && *p != '=')
		p++;
	ret->name_len = (size_t)(p - ret->name);
	*at = p;
	while (p < end && is_space(*p))
		p++;
	if (p >= end || *p != '=')
		return true;
	for (p++; p < end && is_space(*p); p++)
		;
	if (p < end && (*p == '"' || *p == '\'')) {
		const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));

		ret->value = p + 1;
		ret->value_len = (size_t)((close ? close : end) - p - 1);
		*at = close ? close + 1 : end;
		return true;
	}
	ret->value = p;
	while (p < end && !is_space(*p) && *p != '>')
		p++;
	ret->value_len = (size_t)(p - ret->value);
	*at = p;
	return true;
}

bool
html_attribute(
	const struct html_token *token, const char *name, const char **ret_value, size_t *ret_len)
{
	const char *at = token->data, *end = token->data + token->len;
	size_t len = strlen(name);
	struct attribute a;

	while (take_attribute(&at, end, &a)) {
		if (a.name_len != len || !str_fold_equal(a.name, name, len))
			continue;
		*ret_value = a.value ? a.value : "";
		*ret_len = a.value_len;
		return true;
	}
	return false;
}

/* Past a comment, a declaration or another thing that starts with "<" and shows
 * nothing. at is behind the "<". */
static const char *
skip_comment(const char *at, const char *end)
{
	const char *close;

	if (end - at < 3 || memcmp(at, "!--", 3) != 0) {
		close = memchr(at, '>', (size_t)(end - at));
		return close ? close + 1 : end;
	}
	at += 3;
	if (at < end && *at == '>')
		return at + 1;
	if (end - at >= 2 && memcmp(at, "->", 2) == 0)
		return at + 2;
	while ((at = memchr(at, '-', (size_t)(end - at)))) {
		if (end - at >= 3 && memcmp(at, "-->", 3) == 0)
			return at + 3;
		if (end - at >= 4 && memcmp(at, "--!>", 4) == 0)
			return at + 4;
		at++;
	}
	return end;
}

static void
enter_raw(struct html_reader *reader, const char *name)
{
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++)
		if (streq(name, raws[i].name))
			memcpy(reader->raw, name, HTML_NAME_MAX);
}

/* at is behind the "<" or "</". False: the page ended in it, and it is nothing. */
static bool
take_tag(struct html_reader *reader, const char *at, bool close, struct html_token *ret)
{
	struct attribute unused;
	const char *start;

	at = start = take_name(at, reader->end, ret->name);
	while (take_attribute(&at, reader->end, &unused))
		;
	reader->at = at < reader->end ? at + 1 : at;
	if (at >= reader->end)
		return false;
	ret->kind = close ? HTML_CLOSE : HTML_OPEN;
	ret->data = start;
	ret->len = (size_t)(at - start);
	if (!close)
		enter_raw(reader, ret->name);
	return true;
}

/* All up to the end tag of the raw element, or of the page. */
static void
take_raw(struct html_reader *reader, struct html_token *ret)
{
	const char *at = reader->at, *end = reader->end;
	size_t len = strlen(reader->raw);

	ret->verbatim = true;
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++)
		if (streq(reader->raw, raws[i].name))
			ret->verbatim = !raws[i].entities;
	reader->raw[0] = '\0';
	while ((at = memchr(at, '<', (size_t)(end - at)))) {
		if ((size_t)(end - at) > len + 2 && at[1] == '/' &&
			str_fold_equal(at + 2, ret->name, len) &&
			(is_space(at[2 + len]) || at[2 + len] == '/' || at[2 + len] == '>'))
			break;
		at++;
	}
	if (!at)
		at = end;
	ret->kind = HTML_TEXT;
	ret->data = reader->at;
	ret->len = (size_t)(at - reader->at);
	reader->at = at;
}

bool
html_next(struct html_reader *reader, struct html_token *ret)
{
	const char *end = reader->end;

	*ret = (struct html_token){ 0 };
	if (reader->raw[0] && reader->at < end) {
		memcpy(ret->name, reader->raw, HTML_NAME_MAX);
		take_raw(reader, ret);
		return true;
	}
	while (reader->at < end) {
		const char *at = reader->at, *next;
		size_t left = (size_t)(end - at);

		if (*at == '<' && left > 1 && ascii_is_letter(at[1]))
			return take_tag(reader, at + 1, false, ret);
		if (*at == '<' && left > 2 && at[1] == '/' && ascii_is_letter(at[2]))
			return take_tag(reader, at + 2, true, ret);
		if (*at == '<' && left > 1 && (at[1] == '!' || at[1] == '?' || at[1] == '/')) {
			reader->at = skip_comment(at + 1, end);
			continue;
		}
		next = memchr(at + 1, '<', left - 1);
		reader->at = next ? next : end;
		ret->kind = HTML_TEXT;
		ret->data = at;
		ret->len = (size_t)(reader->at - at);
		return true;
	}
	return false;
}

/* -- the charset ------------------------------------------------------------------- */

#define META_WITHIN 2048 /* browsers look at 1024 */

static void
copy_charset(const char *value, size_t len, char *ret_name, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		if (is_space(value[i]) || strchr("\"';,", value[i])) {
			if (n > 0)
				break;
			continue;
		}
		ret_name[n++] = str_lower(value[i]);
	}
	ret_name[n] = '\0';
}

void
html_charset(const char *html, size_t len, char *ret_name, size_t size)
{
	struct html_reader reader = { .at = html,
		.end = html + (len < META_WITHIN ? len : META_WITHIN) };
	struct html_token token;
	const char *value;
	size_t n;

	ret_name[0] = '\0';
	while (!ret_name[0] && html_next(&reader, &token)) {
		if (token.kind != HTML_OPEN || !streq(token.name, "meta"))
			continue;
		if (html_attribute(&token, "charset", &value, &n)) {
			copy_charset(value, n, ret_name, size);
			continue;
		}
		if (!html_attribute(&token, "content", &value, &n))
			continue;
		for (size_t i = 0; i + 8 < n; i++)
			if (str_fold_equal(value + i, "charset=", 8)) {
				copy_charset(value + i + 8, n - i - 8, ret_name, size);
				break;
			}
	}
}

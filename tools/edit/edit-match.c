/* SPDX-License-Identifier: Apache-2.0 */
/* Finds text in text, and replaces it. What is looked for was written by a model,
 * what it is looked for in may be anything up to the limit of the tool: the work is
 * linear in both. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "tools/edit/edit-match.h"

void
edit_matches_finish(struct edit_matches *matches)
{
	free(matches->list);
	*matches = (struct edit_matches){ 0 };
}

void
edit_count_ends(const char *text, size_t len, size_t *ret_crlf, size_t *ret_lf)
{
	const char *end = text + len, *at = text, *lf;

	*ret_crlf = *ret_lf = 0;
	for (; at < end && (lf = memchr(at, '\n', (size_t)(end - at))); at = lf + 1) {
		if (lf > text && lf[-1] == '\r')
			(*ret_crlf)++;
		else
			(*ret_lf)++;
	}
}

size_t
edit_line_of(const char *text, size_t len, size_t at)
{
	size_t crlf, lf;

	edit_count_ends(text, at < len ? at : len, &crlf, &lf);
	return crlf + lf + 1;
}

/* CRLF to LF. NULL without memory. */
static char *
unify_line_ends(const char *text, size_t len, size_t *ret_len)
{
	char *out = malloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; out && i < len; i++)
		if (text[i] != '\r' || i + 1 == len || text[i + 1] != '\n')
			out[n++] = text[i];
	if (out)
		out[n] = '\0';
	*ret_len = n;
	return out;
}

static const char *
next_hit(const char *at, size_t len, const char *old, size_t old_len)
{
	if (old_len == 1)
		return memchr(at, old[0], len);
	return old_len > 0 ? memmem(at, len, old, old_len) : NULL;
}

static int
find_matches(const char *text, size_t len, const char *old, size_t old_len, struct edit_matches *m)
{
	const char *at = text, *end = text + len, *hit;
	size_t room = 0;

	while ((hit = next_hit(at, (size_t)(end - at), old, old_len))) {
		if (m->n == EDIT_MATCHES_MAX)
			return -E2BIG;
		if (m->n == room) {
			struct edit_match *more;

			room = room ? room * 2 : 16;
			more = realloc(m->list, room * sizeof(*more));
			if (!more)
				return -ENOMEM;
			m->list = more;
		}
		m->list[m->n++] = (struct edit_match){ .at = (size_t)(hit - text), .len = old_len };
		at = hit + old_len;
	}
	return 0;
}

/* Matches in the unified text, back to where they are in the one that has CRLF:
 * one walk along both. A line end that begins a match is all of it. */
static void
map_matches_to_crlf(const char *text, size_t len, struct edit_matches *m)
{
	size_t i = 0, plain = 0;

	for (size_t k = 0; k < m->n; k++) {
		size_t begin = m->list[k].at, stop = begin + m->list[k].len, from = 0;

		for (; i <= len; i++, plain++) {
			if (plain == begin)
				from = i;
			if (plain == stop)
				break;
			if (i + 1 < len && text[i] == '\r' && text[i + 1] == '\n')
				i++;
		}
		m->list[k] = (struct edit_match){ .at = from, .len = i - from };
	}
}

static int
find_loose(const char *text, size_t len, const char *old, size_t old_len, struct edit_matches *m)
{
	size_t plain_len, want_len;
	auto_free char *plain = unify_line_ends(text, len, &plain_len);
	auto_free char *want = unify_line_ends(old, old_len, &want_len);
	int r;

	if (!plain || !want)
		return -ENOMEM;
	r = find_matches(plain, plain_len, want, want_len, m);
	if (r == 0)
		map_matches_to_crlf(text, len, m);
	m->loose = m->n > 0;
	return r;
}

int
edit_find(const char *text, size_t len, const char *old, size_t old_len,
	struct edit_matches *ret_matches)
{
	struct edit_matches m = { 0 };
	int r = find_matches(text, len, old, old_len, &m);

	if (r == 0 && m.n == 0 && memchr(old, '\n', old_len))
		r = find_loose(text, len, old, old_len, &m);
	if (r < 0)
		edit_matches_finish(&m);
	*ret_matches = m;
	return r;
}

static void
append_crlf(struct buf *out, const char *new, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		if (new[i] != '\n' || (i > 0 && new[i - 1] == '\r'))
			continue;
		buf_append(out, new + from, i - from);
		buf_puts(out, "\r\n");
		from = i + 1;
	}
	buf_append(out, new + from, len - from);
}

static void
append_lf(struct buf *out, const char *new, size_t len)
{
	size_t from = 0;

	for (size_t i = 1; i < len; i++) {
		if (new[i] != '\n' || new[i - 1] != '\r')
			continue;
		buf_append(out, new + from, i - 1 - from);
		from = i;
	}
	buf_append(out, new + from, len - from);
}

void
edit_apply(const char *text, size_t len, const struct edit_matches *matches, const char *new,
	size_t new_len, struct buf *out)
{
	size_t crlf, lf, at = 0;
	bool mostly;

	edit_count_ends(text, len, &crlf, &lf);
	mostly = crlf > lf;
	for (size_t i = 0; i < matches->n; i++) {
		const struct edit_match *m = &matches->list[i];

		edit_count_ends(text + m->at, m->len, &crlf, &lf);
		buf_append(out, text + at, m->at - at);
		if (crlf + lf > 0 && (crlf == 0 || lf == 0) ? crlf > 0 : mostly)
			append_crlf(out, new, new_len);
		else if (matches->loose && crlf == 0)
			append_lf(out, new, new_len);
		else
			buf_append(out, new, new_len);
		at = m->at + m->len;
	}
	buf_append(out, text + at, len - at);
}

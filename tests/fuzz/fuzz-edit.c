/* SPDX-License-Identifier: Apache-2.0 */
/* The edit matcher: matches are what was looked for, in order; what is not matched is
 * not changed; a difference that is told adds up; and what is said about text that is
 * not there ends and is short. Input: text, NUL, old, NUL, new. */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/edit/edit-diff.h"
#include "tools/edit/edit-file.h"
#include "tools/edit/edit-match.h"
#include "tools/edit/edit-near.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct piece {
	char *text;
	size_t len;
};

/* An exact-sized copy. */
static struct piece
take(const uint8_t **data, size_t *size)
{
	const uint8_t *nul = *size ? memchr(*data, '\0', *size) : NULL;
	size_t len = nul ? (size_t)(nul - *data) : *size;
	struct piece piece = { .text = malloc(len ? len : 1), .len = len };

	assert(piece.text);
	if (len)
		memcpy(piece.text, *data, len);
	*data += len + (nul != NULL);
	*size -= len + (nul != NULL);
	return piece;
}

/* The same but for CR before LF. */
static bool
same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t i = 0, j = 0;

	while (i < a_len || j < b_len) {
		if (i + 1 < a_len && a[i] == '\r' && a[i + 1] == '\n')
			i++;
		if (j + 1 < b_len && b[j] == '\r' && b[j + 1] == '\n')
			j++;
		if (i >= a_len || j >= b_len || a[i++] != b[j++])
			return false;
	}
	return true;
}

static void
check_matches(const struct piece *text, const struct piece *old, const struct edit_matches *m)
{
	size_t at = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct edit_match *one = &m->list[i];

		assert(one->at >= at && one->len > 0 && one->len <= text->len &&
			one->at <= text->len - one->len);
		if (m->loose)
			assert(same_text(text->text + one->at, one->len, old->text, old->len));
		else
			assert(one->len == old->len &&
				memcmp(text->text + one->at, old->text, old->len) == 0);
		at = one->at + one->len;
	}
	/* What is there exactly is found. */
	assert(m->n > 0 || old->len == 0 || !memmem(text->text, text->len, old->text, old->len));
}

/* What lies between the matches is in the result as it was. */
static void
check_applied(const struct piece *text, const struct edit_matches *m, const struct piece *new,
	const struct buf *out)
{
	size_t at = 0, in = 0;

	for (size_t i = 0; i < m->n; i++) {
		size_t kept = m->list[i].at - at;

		assert(out->len - in >= kept);
		assert(kept == 0 || memcmp(out->data + in, text->text + at, kept) == 0);
		in += kept;
		/* As given, or with CRLF, or what was found without it without. */
		bool less =
			m->loose && !memmem(text->text + m->list[i].at, m->list[i].len, "\r\n", 2);
		size_t put = 0;

		for (size_t j = 0; j < new->len; j++) {
			if (less && j + 1 < new->len &&memcmp(new->text + j, "\r\n", 2) == 0 &&
				out->data[in + put] == '\n')
				continue;
			if (new->text[j] == '\n' && out->data[in + put] == '\r')
				put++;
			assert(out->data[in + put] == new->text[j]);
			put++;
		}
		in += put;
		at = m->list[i].at + m->list[i].len;
	}
	assert(out->len - in == text->len - at);
	assert(text->len == at || memcmp(out->data + in, text->text + at, text->len - at) == 0);
}

static void
check_diff(const struct piece *old, const char *new, size_t new_len)
{
	struct buf out = { 0 };
	long added = 0;
	bool cut;

	edit_diff(old->text, old->len, new, new_len, 1u << 22, &out);
	assert((out.len == 0) ==
		(old->len == new_len && (new_len == 0 || memcmp(old->text, new, new_len) == 0)));
	cut = out.len > 0 && memmem(out.data, out.len, "not shown", 9);
	for (const char *at = out.data, *lf; out.len > 0 && (lf = strchr(at, '\n')); at = lf + 1)
		added += (*at == '+') - (*at == '-');
	if (!cut && out.len > 0 && strlen(out.data) == out.len)
		assert(added == (long)edit_count_lines(new, new_len) -
					(long)edit_count_lines(old->text, old->len));
	buf_finish(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece text = take(&data, &size), old = take(&data, &size), new = take(&data, &size);
	struct edit_matches m = { 0 };
	struct buf out = { 0 }, near = { 0 };

	assert(edit_find(text.text, text.len, old.text, old.len, &m) == 0);
	check_matches(&text, &old, &m);
	if (m.n < 1000) {
		edit_apply(text.text, text.len, &m, new.text, new.len, &out);
		check_applied(&text, &m, &new, &out);
		check_diff(&text, out.data ? out.data : "", out.len);
	}
	check_diff(&text, new.text, new.len);
	edit_near(text.text, text.len, old.text, old.len, new.text, new.len, &near);
	assert(near.len > 0 && near.len < 16384);
	edit_matches_finish(&m);
	buf_finish(&out);
	buf_finish(&near);
	free(text.text);
	free(old.text);
	free(new.text);
	return 0;
}

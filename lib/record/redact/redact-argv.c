/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of strings -> what their neighbours tell: an option before a value,
 * a key whose lines are single strings. Whether an array is a command line is
 * not known; it is read as one, and a wrong guess costs a detail. */

#include <errno.h>

#include "base/own.h"
#include "record/redact/redact-argv.h"
#include "record/redact/redact-text.h"

static bool
text_of(const json_t *array, size_t i, struct text *t)
{
	const json_t *member = json_array_get(array, i);

	if (!json_is_string(member))
		return false;
	*t = (struct text){ json_string_value(member), json_string_length(member) };
	return true;
}

static bool
is_text_equal(const struct text *t, const char *word)
{
	return t->len == strlen(word) && memcmp(t->data, word, t->len) == 0;
}

/* Whether program stands before i, by its name or a path to it: looked for
 * among the first arguments. */
#define PROGRAM_AMONG 8

static bool
has_program_before(const json_t *array, size_t i, const char *program)
{
	size_t n = strlen(program);
	struct text t;

	for (size_t j = 0; j < i && j < PROGRAM_AMONG; j++)
		if (text_of(array, j, &t) && t.len >= n &&
			memcmp(t.data + t.len - n, program, n) == 0 &&
			(t.len == n || t.data[t.len - n - 1] == '/'))
			return true;
	return false;
}

/* The value of option s begins at from in the member at i; SIZE_MAX: none does. */
static size_t
value_of(const struct redact_shape *s, const json_t *array, size_t i, const struct text *t)
{
	struct text before;
	bool follows = i > 0 && text_of(array, i - 1, &before) && is_text_equal(&before, s->prefix);

	if (s->kind == SHAPE_USER)
		return follows ? 0 : SIZE_MAX;
	if (s->kind != SHAPE_FLAG || !has_program_before(array, i, s->program))
		return SIZE_MAX;
	if (s->next && follows)
		return 0;
	return s->attached && has_prefix_at(t, 0, s->prefix, false) ? strlen(s->prefix) : SIZE_MAX;
}

bool
argv_redact(const json_t *array, size_t i, struct buf *buf)
{
	struct text t;

	if (!text_of(array, i, &t))
		return false;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		size_t from = value_of(s, array, i, &t);
		struct hit hit = { from, t.len, false };

		if (from >= t.len || (from == 0 && t.data[0] == '-') || is_reference(&t, from))
			continue;
		if ((s->user || s->kind == SHAPE_USER) && !value_user(&t, &hit))
			continue;
		if (redact_path(t.data + hit.from, hit.to - hit.from))
			continue;
		buf_append(buf, t.data, hit.from);
		buf_puts(buf, REDACTED);
		return true;
	}
	return false;
}

/* -- keys by lines ------------------------------------------------------------- */

/* A key has some fifty lines; what is joined is bounded, or an array of
 * beginnings would be joined again and again. */
#define JOIN_LINES 160
#define JOIN_BYTES (16u << 10)

static bool
has_begin(const struct text *t, size_t *ret_at)
{
	const char *begin = memmem(t->data, t->len, "-----BEGIN ", 11);

	if (!begin)
		return false;
	*ret_at = (size_t)(begin - t->data);
	return true;
}

static void
join_key_lines(const json_t *array, size_t i, struct buf *buf)
{
	struct text t;

	for (size_t n = 0; n < JOIN_LINES && buf->len < JOIN_BYTES && text_of(array, i, &t);
		n++, i++) {
		if (n > 0)
			buf_putc(buf, '\n');
		buf_append(buf, t.data, t.len);
	}
}

/* Takes [from, to) of the joined lines out of the members from i on; returns
 * the last member that was touched. */
static int
redact_joined_range(json_t *copy, size_t *i, size_t from, size_t to, size_t *count)
{
	struct text t;

	for (size_t start = 0; text_of(copy, *i, &t); ++*i) {
		auto_buf struct buf shown = { 0 };
		size_t end = start + t.len;

		if (start < from)
			buf_append(&shown, t.data, from - start);
		buf_puts(&shown, REDACTED);
		if (to < end)
			buf_append(&shown, t.data + (to - start), end - to);
		++*count;
		if (shown.failed ||
			json_array_set_new(copy, *i, json_stringn(shown.data, shown.len)) < 0)
			return -ENOMEM;
		if (to <= end + 1)
			break;
		start = end + 1;
	}
	return 0;
}

int
argv_join_keys(const json_t *array, json_t **ret_copy, size_t *count)
{
	auto_json json_t *copy = NULL;
	struct text t;
	size_t begin;

	for (size_t i = 0; i + 1 < json_array_size(array); i++) {
		auto_buf struct buf lines = { 0 };
		struct hit hit;

		if (!text_of(copy ? copy : array, i, &t) || !has_begin(&t, &begin))
			continue;
		join_key_lines(array, i, &lines);
		if (lines.failed)
			return -ENOMEM;
		struct text all = { lines.data, lines.len };

		/* What ends in its own member is found there. */
		if (!pem_match(&all, begin, &hit) || hit.to <= t.len)
			continue;
		if (!copy && !(copy = json_copy((json_t *)array)))
			return -ENOMEM;
		if (redact_joined_range(copy, &i, hit.from, hit.to, count) < 0)
			return -ENOMEM;
	}
	*ret_copy = steal_ptr(&copy);
	return 0;
}

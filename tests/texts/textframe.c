/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a test with frames into one result: what its kind makes of the row in each frame. */

#include "textframe.h"

#include <stdlib.h>

#include "base/fd.h"
#include "base/str.h"

/* False: there is no place for the row. */
static bool
fill_frame(const struct text_section *frame, const struct text_section *row, struct buf *text)
{
	bool filled = false;

	for (size_t i = 0; i < frame->len; i++) {
		if (frame->data[i] != '%') {
			buf_putc(text, frame->data[i]);
			continue;
		}
		buf_append(text, row->data, row->len);
		filled = true;
	}
	return filled;
}

static const char *
read_frame(const struct text_test *test, const struct text_section *frame, textframe_read *read,
	struct buf *result)
{
	const struct text_section *row = text_find(test, "in");
	auto_buf struct buf text = { 0 };

	if (!frame)
		return read(test, row->data, row->len, result);
	if (!fill_frame(frame, row, &text))
		return "a frame without '%'";
	return read(test, text.data ? text.data : "", text.len, result);
}

static void
add_result(struct buf *list, const char *name, const struct buf *result)
{
	buf_printf(list, "%s: ", name);
	buf_append(list, result->data ? result->data : "", result->len);
	buf_putc(list, '\n');
}

static bool
is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

const char *
textframe_run(const struct text_test *test, struct text_outputs *out, textframe_read *read)
{
	auto_buf struct buf first = { 0 }, list = { 0 };
	const char *why = NULL;
	bool framed = false, same = true;

	for (size_t i = 0; !why && i < test->n_sections; i++) {
		const struct text_section *section = &test->sections[i];
		auto_buf struct buf result = { 0 };

		if (!streq(section->word, "frame"))
			continue;
		why = read_frame(test, section, read, &result);
		add_result(&list, section->arg, &result);
		if (!framed)
			buf_append(&first, result.data ? result.data : "", result.len);
		same = same && is_same(&first, &result);
		framed = true;
	}
	if (!framed)
		why = read_frame(test, NULL, read, &first);
	if (same)
		text_put(out, "", first.data ? first.data : "", first.len);
	else
		text_put(out, "", list.data, list.len);
	return why;
}

char *
textframe_exact(const char *text, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, text, len);
	return copy;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and chunked bodies at the limits of their length. The rest is in tests/texts:
 * head.text, head-fields.text, head-begins.text, chunks.text, basic.text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "egress/http/head.h"

#define H "Host: a.example\r\n"
#define GET "GET / HTTP/1.1\r\n"

/* In a copy of its size, so that the sanitizer sees a look past its end. Only a whole one fills
 * head. */
static enum head_kind
parse_once(const char *data, size_t len, bool first, struct head *head)
{
	char *copy = malloc(len > 0 ? len : 1);
	struct head mark;
	enum head_kind kind;

	assert_non_null(copy);
	memcpy(copy, data, len);
	memset(&mark, 0x5a, sizeof(mark));
	memset(head, 0x5a, sizeof(*head));
	kind = head_parse(copy, len, first, head);
	if (kind != HEAD_WHOLE)
		assert_memory_equal(head, &mark, sizeof(mark));
	free(copy);
	return kind;
}

/* Reads all of it. Each shorter look must say the same or "more", first or not. */
static enum head_kind
parse(const char *data, size_t len, struct head *head)
{
	enum head_kind kind = parse_once(data, len, true, head);
	struct head other;

	for (size_t n = 0; n <= len; n++) {
		enum head_kind shorter = parse_once(data, n, true, &other);
		enum head_kind next = parse_once(data, n, false, &other);

		if (shorter != HEAD_MORE && shorter != kind)
			fail_msg("'%.*s' is %d, with %zu bytes %d", (int)len, data, kind, n,
				shorter);
		if (shorter == HEAD_WHOLE && n < other.len)
			fail_msg("'%.*s' is whole with %zu bytes", (int)len, data, n);
		assert_int_equal(next, shorter == HEAD_NOT ? HEAD_BAD : shorter);
	}
	return kind;
}

static void
bytes_behind_the_head_do_not_matter(void **state)
{
	static const char good[] = GET H "\r\n";
	char text[sizeof(good) + 300];
	struct head head;

	(void)state;
	memcpy(text, good, sizeof(good) - 1);
	for (int c = 0; c < 256; c++) {
		memset(text + sizeof(good) - 1, c, 301);
		assert_int_equal(parse(text, sizeof(text), &head), HEAD_WHOLE);
		assert_int_equal(head.len, sizeof(good) - 1);
		assert_string_equal(head.host, "a.example");
	}
}

static void
a_line_without_an_end_is_not_http_when_it_is_too_long(void **state)
{
	char *zeros = calloc(1, HEAD_MAX);
	struct head head;

	(void)state;
	assert_non_null(zeros);
	assert_int_equal(parse_once(zeros, 64999, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(zeros, 65000, true, &head), HEAD_NOT);
	free(zeros);
}

static void
a_head_of_the_greatest_length_is_read_and_no_longer(void **state)
{
	size_t front = sizeof(GET H "X: ") - 1;
	char *text = malloc(HEAD_MAX + 10);
	struct head head;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', HEAD_MAX + 10);
	memcpy(text, GET H "X: ", front);
	memcpy(text + HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(parse_once(text, HEAD_MAX - 1, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(text, HEAD_MAX, true, &head), HEAD_WHOLE);
	assert_int_equal(head.len, HEAD_MAX);
	assert_int_equal(parse_once(text, HEAD_MAX + 10, true, &head), HEAD_WHOLE);
	memmove(text + front + 1, text + front, HEAD_MAX - front);
	assert_int_equal(parse_once(text, HEAD_MAX - 1, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(text, HEAD_MAX, true, &head), HEAD_BAD);
	assert_int_equal(parse_once(text, HEAD_MAX + 1, true, &head), HEAD_BAD);
	/* Nor a first line that never ends. */
	memset(text, 'x', HEAD_MAX + 10);
	assert_int_equal(parse_once(text, HEAD_MAX - 1, true, &head), HEAD_MORE);
	assert_int_equal(parse_once(text, HEAD_MAX, true, &head), HEAD_BAD);
	free(text);
}

static void
nothing_is_more(void **state)
{
	struct head head;

	(void)state;
	assert_int_equal(head_parse(NULL, 0, true, &head), HEAD_MORE);
	assert_int_equal(head_parse(NULL, 0, false, &head), HEAD_MORE);
}

/* -- chunks ---------------------------------------------------------------------------- */

static void
a_large_chunk_is_counted_not_kept(void **state)
{
	struct head_chunks chunks = { 0 };
	static char zeros[65536];
	bool done = true;

	(void)state;
	assert_int_equal(head_chunks(&chunks, "fffffffffffffff\r\n", 17, &done), 17);
	assert_false(done);
	for (int i = 0; i < 100; i++)
		assert_int_equal(head_chunks(&chunks, zeros, sizeof(zeros), &done), sizeof(zeros));
	assert_false(done);
	assert_true(chunks.left == 0xfffffffffffffff - 100 * sizeof(zeros));
}

/* lead, then n times "x", then end. */
static int64_t
feed_long(const char *lead, size_t n, const char *end)
{
	struct head_chunks chunks = { 0 };
	bool done = false;
	int64_t r = head_chunks(&chunks, lead, strlen(lead), &done);

	for (size_t i = 0; i < n && r > 0; i++)
		r = head_chunks(&chunks, "x", 1, &done);
	if (r > 0)
		r = head_chunks(&chunks, end, strlen(end), &done);
	assert_true(r < 0 || done);
	return r;
}

static void
extensions_and_trailers_have_their_limits(void **state)
{
	(void)state;
	assert_int_equal(feed_long("0;", HEAD_CHUNK_LINE_MAX, "\r\n\r\n"), 4);
	assert_int_equal(feed_long("0;", HEAD_CHUNK_LINE_MAX + 1, "\r\n\r\n"), -EINVAL);
	assert_int_equal(feed_long("0\r\nX:", HEAD_CHUNK_LINE_MAX - 2, "\r\n\r\n"), 4);
	assert_int_equal(feed_long("0\r\nX:", HEAD_CHUNK_LINE_MAX - 1, "\r\n\r\n"), -EINVAL);
	assert_int_equal(feed_long("0\r\n", HEAD_CHUNK_LINE_MAX - 1, ":\r\n\r\n"), 5);
	assert_int_equal(feed_long("0\r\n", HEAD_CHUNK_LINE_MAX, ":\r\n\r\n"), -EINVAL);
	/* All of them together. */
	assert_int_equal(feed_long("0\r\nX:y\r\nX:", HEAD_CHUNK_LINE_MAX - 5, "\r\n\r\n"), 4);
	assert_int_equal(feed_long("0\r\nX:y\r\nX:", HEAD_CHUNK_LINE_MAX - 4, "\r\n\r\n"), -EINVAL);
	/* An extension does not count as a trailer. */
	assert_int_equal(feed_long("0;y\r\nX:", HEAD_CHUNK_LINE_MAX - 2, "\r\n\r\n"), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_behind_the_head_do_not_matter),
		cmocka_unit_test(a_line_without_an_end_is_not_http_when_it_is_too_long),
		cmocka_unit_test(a_head_of_the_greatest_length_is_read_and_no_longer),
		cmocka_unit_test(nothing_is_more),
		cmocka_unit_test(a_large_chunk_is_counted_not_kept),
		cmocka_unit_test(extensions_and_trailers_have_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A chunked body ends at one place, and one word opens the proxy. */

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

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* -- chunks ---------------------------------------------------------------------------- */

/* All at once; then in parts of each size, with the same end. */
static int64_t
feed(const char *data, size_t len, bool *ret_done)
{
	struct head_chunks whole_one = { 0 };
	int64_t all = head_chunks(&whole_one, data, len, ret_done);

	for (size_t size = 1; size <= len; size++) {
		struct head_chunks chunks = { 0 };
		int64_t sum = 0, n = 0;
		bool done = false;

		for (size_t at = 0; at < len && n >= 0 && !done; at += size) {
			size_t some = len - at < size ? len - at : size;
			char *copy = malloc(some);

			assert_non_null(copy);
			memcpy(copy, data + at, some);
			n = head_chunks(&chunks, copy, some, &done);
			assert_true(n <= (int64_t)some);
			assert_true(done || n < 0 || n == (int64_t)some);
			sum += n;
			free(copy);
		}
		assert_true(all < 0 ? n == -EINVAL : sum == all && done == *ret_done);
		if (n < 0) /* and never again */
			assert_int_equal(head_chunks(&chunks, "0", 1, &done), -EINVAL);
		else if (done)
			assert_int_equal(head_chunks(&chunks, "0", 1, &done), 0);
	}
	return all;
}

static void
chunks_end_where_they_end(void **state)
{
	static const char *const good[] = {
		"0\r\n\r\n",
		"000000000000000\r\n\r\n",
		"3\r\na=b\r\n0\r\n\r\n",
		"003\r\na=b\r\n0\r\n\r\n",
		"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
		"9\r\n012345678\r\n1F;\r\n0123456789012345678901234567890\r\n0\r\n\r\n",
		"5\r\n\r\n0\r\n\r\n0\r\n\r\n",
		"3;x\r\na=b\r\n0;y=\"z; w\"\r\n\r\n",
		"3;\r\na=b\r\n0;;\r\n\r\n",
		"0\r\nX: y\r\n\r\n",
		"0\r\nX:\r\nContent-MD5: \ta\tb\r\nHosts: \303\244\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < LEN(good); i++) {
		size_t len = strlen(good[i]);
		char *more = malloc(len + 20);
		bool done = false;

		assert_non_null(more);
		memcpy(more, good[i], len);
		memcpy(more + len, "GET / HTTP/1.1\r\n\r\n0\r\n", 20);
		for (size_t n = 0; n < len; n++) {
			assert_int_equal(feed(more, n, &done), n);
			assert_false(done);
		}
		assert_int_equal(feed(more, len, &done), len);
		assert_true(done);
		assert_int_equal(feed(more, len + 20, &done), len);
		assert_true(done);
		free(more);
	}
}

static void
chunks_that_can_be_read_otherwise_are_refused(void **state)
{
	static const char *const bad[] = { "\r", "\n", " ", "\t", "+", "-", "0x", "0X", "x", "g",
		"3g", "3 ", "3\t", "3\v", "3\r\r", "3\rx", "3\n", "3,", "3.", "3_", "\"",
		"0000000000000000", "1000000000000000", "FFFFFFFFFFFFFFFF", "3;\n", "3;x\n",
		"3;x\rx", "3;x\r\r", "3;\1", "3;\t", "3;\177", "3;x\v", "3\r\nabcd", "3\r\nabc\n",
		"3\r\nabc\r0", "3\r\nabc\r\r", "3\r\nabc\r\n\r", "3\r\nabc\r\n ", "0\n", "0 ",
		"0;\n", "0\r\n\n", "0\r\n\rx", "0\r\nX\r", "0\r\nX\n", "0\r\n:", "0\r\n ",
		"0\r\n\t", "0\r\nX ", "0\r\nX: y\n", "0\r\nX: y\rz", "0\r\nX: \1", "0\r\nX: \177",
		"0\r\nX: y\r\n ", "0\r\nX: y\r\n\n", "0\r\nX\1", "0\r\nX(", "0\r\nGET ",
		"0\r\nHost:", "0\r\nhOST:", "0\r\nX: y\r\nHost:", "0\r\nContent-Length:",
		"0\r\ncontent_length:", "0\r\nTransfer-Encoding:" };

	(void)state;
	for (size_t i = 0; i < LEN(bad); i++) {
		size_t len = strlen(bad[i]);
		bool done = false;

		if (feed(bad[i], len, &done) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		/* By its last byte, not before. */
		assert_int_equal(feed(bad[i], len - 1, &done), len - 1);
		assert_false(done);
	}
	assert_int_equal(feed("3;\0", 3, &(bool){ false }), -EINVAL);
	assert_int_equal(feed("3\0", 2, &(bool){ false }), -EINVAL);
	assert_int_equal(feed("0\r\nX: \0", 7, &(bool){ false }), -EINVAL);
}

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

/* lead, then n times c, then what ends it. */
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
	/* An extension is none of them. */
	assert_int_equal(feed_long("0;y\r\nX:", HEAD_CHUNK_LINE_MAX - 2, "\r\n\r\n"), 4);
}

/* -- the word that opens --------------------------------------------------------------- */

static bool
basic_is(const char *text, const char *user, const char *password)
{
	size_t len = strlen(text);
	char *copy = malloc(len + 1);
	bool same;

	assert_non_null(copy);
	memcpy(copy, text, len);
	copy = realloc(copy, len > 0 ? len : 1);
	assert_non_null(copy);
	same = head_basic_is(copy, len, user, password);
	free(copy);
	return same;
}

static void
only_the_right_word_opens(void **state)
{
	static const char *const bad[] = { "", "B", "Basic", "Basic ", "Basic YW1iaXQ6c2VjcmV",
		"Basic YW1iaXQ6c2VjcmV0 ", "Basic  YW1iaXQ6c2VjcmV0", "Basic\tYW1iaXQ6c2VjcmV0",
		"BasicYW1iaXQ6c2VjcmV0", "Basic YW1iaXQ6c2VjcmV0=", "Basic yW1iaXQ6c2VjcmV0",
		"Basic YW1iaXQ6c2VjcmV1", "Bearer YW1iaXQ6c2VjcmV0", "YW1iaXQ6c2VjcmV0",
		"Basic ambit:secret", "xBasic YW1iaXQ6c2VjcmV0" };

	(void)state;
	assert_true(basic_is("Basic YW1iaXQ6c2VjcmV0", "ambit", "secret"));
	assert_true(basic_is("bASIC YW1iaXQ6c2VjcmV0", "ambit", "secret"));
	assert_true(basic_is("Basic dTpw", "u", "p"));
	assert_true(basic_is("Basic dTpwcA==", "u", "pp"));
	assert_true(basic_is("Basic Og==", "", ""));
	for (size_t i = 0; i < LEN(bad); i++)
		assert_false(basic_is(bad[i], "ambit", "secret"));
	assert_false(basic_is("Basic YW1iaXQ6c2VjcmV0", "ambit", "secres"));
	assert_false(basic_is("Basic YW1iaXQ6c2VjcmV0", "ambi", "tsecret"));
	assert_false(basic_is("Basic YW1iaXQ6c2VjcmV0", "", ""));
}

static void
a_word_that_is_too_long_opens_nothing(void **state)
{
	char password[300], text[500] = "Basic ";

	(void)state;
	memset(password, 'a', sizeof(password));
	password[255] = '\0';
	/* "u:" and 255 times "a": 257 bytes. */
	memcpy(text + 6, "dTph", 4);
	for (size_t i = 10; i < 6 + 344 - 4; i += 4)
		memcpy(text + i, "YWFh", 4);
	memcpy(text + 6 + 344 - 4, "YWE=", 5);
	assert_true(basic_is(text, "u", password));
	password[255] = 'a';
	password[256] = '\0';
	memcpy(text + 6 + 344 - 4, "YWFh", 5); /* what it would be */
	assert_false(basic_is(text, "u", password));
	assert_false(basic_is(text, password, password));
	password[256] = 'a';
	password[299] = '\0';
	assert_false(basic_is(text, password, ""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_end_where_they_end),
		cmocka_unit_test(chunks_that_can_be_read_otherwise_are_refused),
		cmocka_unit_test(a_large_chunk_is_counted_not_kept),
		cmocka_unit_test(extensions_and_trailers_have_their_limits),
		cmocka_unit_test(only_the_right_word_opens),
		cmocka_unit_test(a_word_that_is_too_long_opens_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

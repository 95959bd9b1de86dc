/* SPDX-License-Identifier: Apache-2.0 */
/* Heads and chunks: a shorter look says "more" or the same; what is whole holds none of
 * the bytes that others could read differently; a body ends at the same place however it
 * comes. Input: what a client sent. */

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "egress/http/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum head_kind
parse(const char *data, size_t size, bool first, struct head *head)
{
	char *copy = malloc(size > 0 ? size : 1);
	enum head_kind kind;

	assert(copy);
	memcpy(copy, data, size);
	kind = head_parse(copy, size, first, head);
	if (kind == HEAD_WHOLE && head->proxy_auth) {
		assert(head->proxy_auth >= copy);
		assert(head->proxy_auth + head->proxy_auth_len <= copy + head->len);
		head->proxy_auth = NULL;
	}
	free(copy);
	return kind;
}

static void
check_host(const struct head *head)
{
	size_t len = strnlen(head->host, HEAD_NAME_MAX);

	assert(len < HEAD_NAME_MAX);
	assert(head->named == (len > 0));
	assert(strspn(head->host, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") == len);
	assert(len == 0 || head->host[len - 1] != '.');
	assert(head->port >= 0 && head->port <= 65535);
	assert(head->port > 0 || !(head->connect || head->absolute));
	assert(!(head->connect && head->absolute));
	assert(!head->websocket || head->upgrade);
}

static size_t
count(const char *data, size_t len, const char *line)
{
	size_t n = strlen(line), hits = 0;

	for (size_t i = 0; i + n <= len; i++)
		if (str_fold_equal(data + i, line, n))
			hits++;
	return hits;
}

/* What another reader would look for, looked for in the simplest way. */
static void
check_bytes(const char *data, const struct head *head)
{
	size_t hosts = count(data, head->len, "\r\nhost:");
	size_t lengths = count(data, head->len, "\r\ncontent-length:");
	size_t codings = count(data, head->len, "\r\ntransfer-encoding:");
	size_t at = 0;

	while (data[at] == '\r' || data[at] == '\n')
		at++;
	assert(head->len >= 16 && memcmp(data + head->len - 4, "\r\n\r\n", 4) == 0);
	for (size_t i = at + 1; i < head->len; i++) {
		unsigned char c = (unsigned char)data[i], before = (unsigned char)data[i - 1];

		assert(c >= ' ' || c == '\t' || c == '\r' || c == '\n');
		assert((c == '\n') == (before == '\r'));
		assert(before != '\n' || (c != ' ' && c != '\t')); /* folded */
	}
	assert(hosts <= 1 && lengths <= 1 && codings <= 1 && lengths + codings <= 1);
	assert((head->body == HEAD_BODY_LENGTH) == (lengths == 1));
	assert((head->body == HEAD_BODY_CHUNKED) == (codings == 1));
	assert(count(data, head->len, " HTTP/1.") >= 1);
	assert(hosts == 1 || count(data, head->len, " HTTP/1.0\r\n") >= 1);
}

static void
check_head(const char *data, size_t size)
{
	struct head head, shorter;
	enum head_kind kind = head_parse(data, size, true, &head), part;

	assert(kind != HEAD_MORE || size < HEAD_MAX);
	if (kind == HEAD_WHOLE) {
		assert(head.len <= size && head.len <= HEAD_MAX);
		check_host(&head);
		check_bytes(data, &head);
		assert(parse(data, head.len, true, &shorter) == HEAD_WHOLE);
		assert(parse(data, head.len - 1, true, &shorter) == HEAD_MORE);
	}
	for (size_t n = 0; n <= size; n += 1 + size / 512) {
		part = parse(data, n, true, &shorter);
		assert(part == HEAD_MORE || part == kind);
		if (part == HEAD_WHOLE)
			assert(shorter.len == head.len && streq(shorter.host, head.host) &&
				shorter.port == head.port && shorter.length == head.length);
		assert(parse(data, n, false, &shorter) == (part == HEAD_NOT ? HEAD_BAD : part));
	}
}

/* In parts of this size: how far it went, or -EINVAL. */
static int64_t
feed(const char *data, size_t size, size_t step, bool *ret_done)
{
	struct head_chunks chunks = { 0 };
	int64_t sum = 0, r;
	bool done = false;

	*ret_done = false;
	for (size_t at = 0; at < size && !done; at += step) {
		size_t n = size - at < step ? size - at : step;

		r = head_chunks(&chunks, data + at, n, &done);
		assert(r == -EINVAL || (r >= 0 && r <= (int64_t)n));
		if (r < 0) {
			assert(head_chunks(&chunks, data, size, &done) == -EINVAL);
			return r;
		}
		assert(done || r == (int64_t)n);
		sum += r;
	}
	assert(!done || head_chunks(&chunks, data, size, &done) == 0);
	*ret_done = done;
	return sum;
}

static void
check_chunks(const char *data, size_t size)
{
	bool done, again;
	int64_t all = feed(data, size, size > 0 ? size : 1, &done);

	assert(all < 0 || done || all == (int64_t)size);
	assert(!done || (all >= 5 && memcmp(data + all - 4, "\r\n\r\n", 4) == 0));
	for (size_t step = 1; step < 8; step += 3)
		assert(feed(data, size, step, &again) == all && again == done);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *data = (const char *)bytes;
	struct head head;

	check_head(data, size);
	check_chunks(data, size);
	if (head_parse(data, size, true, &head) == HEAD_WHOLE)
		check_chunks(data + head.len, size - head.len);
	if (head_basic_is(data, size, "u", "p"))
		assert(size == 10 && memcmp(data + 6, "dTpw", 4) == 0);
	return 0;
}

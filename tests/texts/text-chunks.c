/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "chunks" and "basic": a chunked body becomes the number of its bytes, and a
 * Proxy-Authorization field opens the proxy or does not.
 *
 * A body is given all at once and in parts of every size, with the same end. It must not
 * end, or be refused, before its last byte. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/http/head.h"
#include "textframe.h"

/* Stands behind a whole body: it must not be taken for a part of it. */
static const char next_request[] = "GET / HTTP/1.1\r\n\r\n0\r\n";

struct body {
	int64_t len; /* or -EINVAL */
	bool done;
};

static int64_t
feed_part(struct head_chunks *chunks, const char *data, size_t len, bool *ret_done)
{
	auto_free char *copy = textframe_exact(data, len);

	return head_chunks(chunks, copy, len, ret_done);
}

/* In parts of this size. NULL, or why it is not as it was all at once. */
static const char *
check_parts(const char *data, size_t len, size_t size, const struct body *all)
{
	struct head_chunks chunks = { 0 };
	int64_t sum = 0, n = 0;
	bool done = false, again = false;

	for (size_t at = 0; at < len && n >= 0 && !done; at += size) {
		size_t some = len - at < size ? len - at : size;

		n = feed_part(&chunks, data + at, some, &done);
		if (n > (int64_t)some || (!done && n >= 0 && n != (int64_t)some))
			return "a part was not taken whole";
		sum += n;
	}
	if (all->len < 0 ? n != -EINVAL : sum != all->len || done != all->done)
		return "in parts it is something else";
	if (n < 0 && head_chunks(&chunks, "0", 1, &again) != -EINVAL)
		return "it goes on behind an error";
	if (n >= 0 && done && head_chunks(&chunks, "0", 1, &again) != 0)
		return "it goes on behind its end";
	return NULL;
}

static const char *
feed_all(const char *data, size_t len, struct body *ret)
{
	struct head_chunks chunks = { 0 };
	const char *why = NULL;

	ret->done = false;
	ret->len = head_chunks(&chunks, data, len, &ret->done);
	for (size_t size = 1; !why && size <= len; size++)
		why = check_parts(data, len, size, ret);
	return why;
}

/* Every beginning that is shorter is good, and not the end. */
static const char *
check_beginnings(const char *data, size_t len)
{
	const char *why = NULL;

	for (size_t n = 0; !why && n < len; n++) {
		struct body body;

		why = feed_all(data, n, &body);
		if (!why && (body.len != (int64_t)n || body.done))
			why = "it ends before its last byte";
	}
	return why;
}

static const char *
check_next(const struct text_section *in)
{
	auto_buf struct buf more = { 0 };
	struct body body;
	const char *why;

	buf_append(&more, in->data, in->len);
	buf_puts(&more, next_request);
	why = feed_all(more.data, more.len, &body);
	if (!why && (body.len != (int64_t)in->len || !body.done))
		why = "the next request was taken for a part of it";
	return why;
}

static const char *
run_chunks(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	struct body body;
	const char *why = feed_all(in->data, in->len, &body);

	if (!why)
		why = check_beginnings(in->data, in->len);
	if (!why && body.done)
		why = check_next(in);
	if (body.len == -EINVAL)
		text_puts(out, "", "refused");
	else if (body.len == (int64_t)in->len)
		text_puts(out, "", body.done ? "whole" : "more");
	else
		text_puts(out, "", "shorter");
	return why;
}

const struct text_kind text_chunks = {
	.name = "chunks",
	.inputs = "in",
	.run = run_chunks,
};

/* USER:PASSWORD, a space, and the field. */
static const char *
run_basic(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *user = str_dup(in->data), *copy = NULL;
	char *password = strchr(user, ':'), *space = strchr(user, ' ');
	size_t len;

	if (!password || !space || password > space)
		return "not 'USER:PASSWORD FIELD'";
	*password++ = '\0';
	*space++ = '\0';
	len = in->len - (size_t)(space - user);
	copy = textframe_exact(space, len);
	text_puts(out, "", head_basic_is(copy, len, user, password) ? "opens" : "no");
	return NULL;
}

const struct text_kind text_basic = {
	.name = "basic",
	.inputs = "in",
	.run = run_basic,
};

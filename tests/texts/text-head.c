/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "head" and "head-begins": bytes that a client sends become what ambit takes
 * them for: a whole head of HTTP with its host, "more", "not HTTP" or "bad".
 *
 * Every row is also given in every shorter length, as the first bytes of a connection and
 * as later ones: each of them must say "more" or the same as all of it. */

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "egress/http/head.h"
#include "textframe.h"

static const char *const kind_names[] = {
	[HEAD_BAD] = "bad",
	[HEAD_MORE] = "more",
	[HEAD_NOT] = "not HTTP",
	[HEAD_WHOLE] = "whole",
};

/* In a copy of its size, so that the sanitizer sees a look past its end. Only a whole head
 * fills head. NULL, or why not. */
static const char *
parse_once(const char *data, size_t len, bool first, enum head_kind *ret_kind, struct head *head)
{
	auto_free char *copy = textframe_exact(data, len);
	struct head mark;

	memset(&mark, 0x5a, sizeof(mark));
	memset(head, 0x5a, sizeof(*head));
	*ret_kind = head_parse(copy, len, first, head);
	if (*ret_kind != HEAD_WHOLE)
		return memcmp(head, &mark, sizeof(mark)) == 0 ? NULL : "head was written";
	if (!head->proxy_auth)
		return NULL;
	if (head->proxy_auth < copy || head->proxy_auth + head->proxy_auth_len > copy + len)
		return "proxy_auth is not borrowed from the data";
	head->proxy_auth = data + (head->proxy_auth - copy);
	return NULL;
}

/* The first n bytes of a text that is of this kind. */
static const char *
check_shorter(const char *data, size_t n, enum head_kind kind, const struct head *whole)
{
	struct head head;
	enum head_kind shorter, later;
	const char *why = parse_once(data, n, true, &shorter, &head);

	if (why)
		return why;
	if (shorter != HEAD_MORE && shorter != kind)
		return "with fewer bytes it is something else";
	if (shorter == HEAD_WHOLE && n < head.len)
		return "it is whole before its end";
	if (kind == HEAD_WHOLE && n < whole->len && shorter != HEAD_MORE)
		return "it does not wait for its last byte";
	why = parse_once(data, n, false, &later, &head);
	if (!why && later != (shorter == HEAD_NOT ? HEAD_BAD : shorter))
		why = "later in a connection it is something else";
	return why;
}

static void
print_body(const struct head *head, struct buf *result)
{
	if (head->body == HEAD_BODY_CHUNKED)
		buf_puts(result, " chunked");
	else if (head->body == HEAD_BODY_LENGTH)
		buf_printf(result, " length=%llu", (unsigned long long)head->length);
}

static void
print_head(const struct head *head, size_t len, struct buf *result)
{
	if (head->named)
		buf_printf(result, " host=%s", head->host);
	else
		buf_puts(result, " nameless");
	if (head->port != 0)
		buf_printf(result, " port=%d", head->port);
	if (head->connect)
		buf_puts(result, " connect");
	if (head->absolute)
		buf_puts(result, " absolute");
	print_body(head, result);
	if (head->upgrade)
		buf_puts(result, " upgrade");
	if (head->websocket)
		buf_puts(result, " websocket");
	if (head->proxy_auth)
		buf_printf(
			result, " proxy_auth='%.*s'", (int)head->proxy_auth_len, head->proxy_auth);
	if (head->len != len)
		buf_printf(result, " len=%zu", head->len);
}

static const char *
read_head(const struct text_test *test, const char *text, size_t len, struct buf *result)
{
	struct head head;
	enum head_kind kind;
	const char *why = parse_once(text, len, true, &kind, &head);

	(void)test;
	for (size_t n = 0; !why && n <= len; n++)
		why = check_shorter(text, n, kind, &head);
	buf_puts(result, kind_names[kind]);
	if (kind == HEAD_WHOLE)
		print_head(&head, len, result);
	return why;
}

static const char *
run_head(const struct text_test *test, struct text_outputs *out)
{
	return textframe_run(test, out, read_head);
}

const struct text_kind text_head = {
	.name = "head",
	.inputs = "in frame?",
	.run = run_head,
};

static const char *
run_begins(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *line = text_exact(in);

	text_puts(out, "", head_begins(line, in->len) ? "begins" : "no");
	return NULL;
}

const struct text_kind text_head_begins = {
	.name = "head-begins",
	.inputs = "in",
	.run = run_begins,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "hello": the first bytes of a TLS client, in the notation of textbytes.h, become
 * the name that the client asks for. args: reply and args: skip are about what a server
 * says to it, and about what may stand before a second one.
 *
 * Every row is also given in every shorter length: each of them must say "more", or the
 * same as all of it if that is no whole hello. A whole one is also split over records of
 * several sizes, with the same name. */

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/http/hello.h"
#include "textbytes.h"
#include "textframe.h"

#define UNTOUCHED "untouched"
#define RECORD_HEAD 5

struct look {
	enum hello hello;
	char name[HELLO_NAME_MAX];
};

/* In a copy of its size, so that the sanitizer sees a look past its end. */
static struct look
look_at(const char *data, size_t len)
{
	auto_free char *copy = textframe_exact(data, len);
	struct look look = { .name = UNTOUCHED };

	look.hello = hello_parse(copy, len, look.name);
	return look;
}

static bool
is_same(const struct look *a, const struct look *b)
{
	return a->hello == b->hello && streq(a->name, b->name);
}

static bool
is_whole(const struct look *look)
{
	return look->hello == HELLO_NAMED || look->hello == HELLO_NAMELESS;
}

static const char *
check_shorter(const char *data, size_t len, const struct look *all)
{
	size_t whole = is_whole(all) ? hello_length(data, len) : 0;

	for (size_t n = 0; n < len; n++) {
		struct look look = look_at(data, n);

		if (look.hello != HELLO_NAMED && !streq(look.name, UNTOUCHED))
			return "a name was written";
		if (is_whole(all) && n < whole && look.hello != HELLO_MORE)
			return "it does not wait for its last byte";
		if (look.hello != HELLO_MORE && !is_same(&look, all))
			return "with fewer bytes it is something else";
	}
	return NULL;
}

/* The message without the heads of its records. */
static void
join_records(const char *data, size_t len, struct buf *message)
{
	for (size_t at = 0; at + RECORD_HEAD <= len;) {
		size_t n = (size_t)(unsigned char)data[at + 3] << 8 | (unsigned char)data[at + 4];

		buf_append(message, data + at + RECORD_HEAD, n);
		at += RECORD_HEAD + n;
	}
}

static void
split_records(const struct buf *message, size_t size, struct buf *out)
{
	for (size_t at = 0; at < message->len; at += size) {
		size_t n = message->len - at < size ? message->len - at : size;

		buf_append(out, "\x16\3\1", 3);
		buf_putc(out, (char)(n >> 8));
		buf_putc(out, (char)n);
		buf_append(out, message->data + at, n);
	}
}

static const char *
check_records(const char *data, size_t len, const struct look *all)
{
	static const size_t sizes[] = { 1, 2, 3, 5, 7, 41, 255, 16384 };
	auto_buf struct buf message = { 0 };
	const char *why = NULL;

	join_records(data, hello_length(data, len), &message);
	for (size_t i = 0; !why && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		auto_buf struct buf split = { 0 };
		struct look look;

		split_records(&message, sizes[i], &split);
		look = look_at(split.data, split.len);
		if (!is_same(&look, all))
			return "in other records it is something else";
		why = check_shorter(split.data, split.len, all);
	}
	return why;
}

static const char *
read_hello(const struct buf *bytes, struct buf *result)
{
	static const char *const names[] = {
		[HELLO_BAD] = "bad",
		[HELLO_MORE] = "more",
		[HELLO_NOT] = "not TLS",
		[HELLO_NAMED] = "named ",
		[HELLO_NAMELESS] = "nameless",
	};
	struct look all = look_at(bytes->data, bytes->len);
	const char *why = check_shorter(bytes->data, bytes->len, &all);

	if (!why && is_whole(&all))
		why = check_records(bytes->data, bytes->len, &all);
	buf_puts(result, names[all.hello]);
	if (all.hello == HELLO_NAMED)
		buf_puts(result, all.name);
	else if (!streq(all.name, UNTOUCHED))
		why = "a name was written";
	return why;
}

static const char *
read_reply(const struct buf *bytes, struct buf *result)
{
	static const char *const names[] = {
		[HELLO_REPLY_MORE] = "more",
		[HELLO_REPLY_RETRY] = "retry",
		[HELLO_REPLY_TLS] = "TLS",
		[HELLO_REPLY_OTHER] = "not TLS",
	};
	auto_free char *copy = textframe_exact(bytes->data, bytes->len);
	enum hello_reply reply = hello_reply(copy, bytes->len);

	buf_puts(result, names[reply]);
	for (size_t n = 0; reply == HELLO_REPLY_RETRY && n < bytes->len; n++)
		if (hello_reply(copy, n) != HELLO_REPLY_MORE)
			return "it does not wait for its last byte";
	return NULL;
}

static const char *
read_bytes(const struct text_test *test, const char *text, size_t len, struct buf *result)
{
	auto_buf struct buf bytes = { 0 };

	buf_puts(&bytes, "");
	if (!textbytes_encode(text, len, &bytes))
		return "not in the notation of textbytes.h";
	if (streq(test->args, ""))
		return read_hello(&bytes, result);
	if (streq(test->args, "reply"))
		return read_reply(&bytes, result);
	if (!streq(test->args, "skip"))
		return "args: is not reply or skip";
	buf_printf(result, "%zu", hello_skip(bytes.data, bytes.len));
	return NULL;
}

static const char *
run_hello(const struct text_test *test, struct text_outputs *out)
{
	return textframe_run(test, out, read_bytes);
}

const struct text_kind text_hello = {
	.name = "hello",
	.inputs = "in frame?",
	.run = run_hello,
};

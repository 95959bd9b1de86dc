/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string with a sticky failure. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static bool
grow_buffer(struct buf *buf, size_t more)
{
	size_t size = buf->size ? buf->size : 64;
	char *data;

	if (buf->failed)
		return false;
	if (more > (size_t)1 << 40) {
		buf->failed = true;
		return false;
	}
	while (size < buf->len + more + 1)
		size *= 2;
	if (size == buf->size)
		return true;
	data = realloc(buf->data, size);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->size = size;
	return true;
}

void
buf_append(struct buf *buf, const void *data, size_t len)
{
	if (!grow_buffer(buf, len))
		return;
	if (len > 0)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void
buf_puts(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void
buf_putc(struct buf *buf, char c)
{
	buf_append(buf, &c, 1);
}

void
buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		buf->failed = true;
		return;
	}
	buf_append(buf, text, (size_t)n);
	free(text);
}

char *
buf_take(struct buf *buf)
{
	char *data;

	buf_append(buf, "", 0);
	data = buf->failed ? NULL : buf->data;
	if (!data)
		free(buf->data);
	*buf = (struct buf){ 0 };
	return data;
}

void
buf_finish(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

/* A growing string. Appending after a failed allocation is a no-op; look once
 * at the end: buf_take() returns NULL if anything was lost. */

struct buf {
	char *data; /* NUL-terminated once something was appended */
	size_t len;
	size_t size;
	bool failed;
};

void buf_append(struct buf *buf, const void *data, size_t len);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The string, owned by the caller; "" if nothing was appended; NULL if memory ran out. */
char *buf_take(struct buf *buf);
void buf_finish(struct buf *buf);

#define auto_buf __attribute__((cleanup(buf_finish)))

#endif

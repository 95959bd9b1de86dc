/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a descriptor into lines. Whoever writes them is not trusted: a line
 * that never ends costs no more than max bytes, and does not end the stream. */

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"

#define CHUNK (64u << 10)
#define KEPT (1u << 20) /* one long line must not cost its memory for ever */

int
lines_init(struct lines *lines, int fd, size_t max, struct ambit_error *err)
{
	*lines = (struct lines){ .fd = fd, .stop = -1, .max = max, .data = malloc(CHUNK) };
	return lines->data != NULL ? 0 : err_nomem(err);
}

void
lines_finish(struct lines *lines)
{
	buf_finish(&lines->line);
	free(lines->data);
	*lines = (struct lines){ .fd = -1, .stop = -1 };
}

static void
start_next_line(struct lines *lines)
{
	if (lines->line.size > KEPT || lines->line.failed)
		buf_finish(&lines->line);
	lines->line.len = 0;
	lines->dropping = false;
	lines->over = false;
}

static void
append_line_data(struct lines *lines, const char *data, size_t len)
{
	if (len > lines->max - lines->line.len)
		lines->dropping = true;
	if (!lines->dropping)
		buf_append(&lines->line, data, len);
	else
		lines->line.len = 0;
}

/* 1: the line is whole; 0: more is to be read. */
static int
consume_line_data(struct lines *lines)
{
	const char *data = lines->data + lines->at;
	size_t left = lines->end - lines->at;
	const char *newline = left > 0 ? memchr(data, '\n', left) : NULL;
	size_t len = newline != NULL ? (size_t)(newline - data) : left;

	append_line_data(lines, data, len);
	lines->at += len + (newline != NULL);
	return newline != NULL;
}

static int
finish_line(struct lines *lines, struct ambit_error *err)
{
	lines->over = true;
	if (lines->dropping)
		return -EMSGSIZE;
	buf_append(&lines->line, "", 0);
	return lines->line.failed ? err_nomem(err) : 1;
}

/* As read(), but -ECANCELED where it is to stop. */
static ssize_t
read_some(const struct lines *lines)
{
	struct pollfd fds[] = {
		{ .fd = lines->fd, .events = POLLIN },
		{ .fd = lines->stop, .events = POLLIN },
	};
	ssize_t n;

	for (;;) {
		if (lines->stop >= 0 && poll(fds, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (fds[1].revents != 0)
			return -ECANCELED;
		n = read(lines->fd, lines->data, CHUNK);
		if (n >= 0 || errno != EINTR)
			return n >= 0 ? n : -errno;
	}
}

int
lines_next(struct lines *lines, struct ambit_error *err)
{
	ssize_t n;

	if (lines->over)
		start_next_line(lines);
	for (;;) {
		if (consume_line_data(lines))
			return finish_line(lines, err);
		n = read_some(lines);
		if (n == -EAGAIN || n == -ECANCELED)
			return (int)n;
		if (n < 0)
			return err_sys(err, (int)-n, "what comes in");
		lines->at = 0;
		lines->end = (size_t)n;
		if (n == 0 && lines->line.len == 0 && !lines->dropping)
			return 0;
		if (n == 0)
			return finish_line(lines, err);
	}
}

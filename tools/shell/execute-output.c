/* SPDX-License-Identifier: Apache-2.0 */
/* What a command prints, however much: its beginning, its end, and how much there
 * was in between. It is bytes of somebody else's, and becomes text. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "tools/shell/execute-private.h"

#define PIPE_SIZE (256 * 1024) /* fewer turns for one that prints much */

int
capture_init(struct capture *capture, size_t max, int *ret_write)
{
	int fds[2];

	*capture = (struct capture){ .fd = -1, .max_head = max / 2, .max_tail = max - max / 2 };
	capture->head = malloc(capture->max_head + 1);
	capture->tail = malloc(capture->max_tail * 2 + 1);
	if (!capture->head || !capture->tail)
		return -ENOMEM;
	if (!ret_write)
		return 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_SIZE);
	capture->fd = fds[0];
	*ret_write = fds[1];
	return 0;
}

/* The last max_tail bytes are always there; up to twice that many may be. */
static void
keep_tail(struct capture *capture, const char *data, size_t len)
{
	size_t max = capture->max_tail;

	if (len > max) {
		data += len - max;
		len = max;
	}
	if (capture->tail_len + len > max * 2) {
		size_t kept = capture->tail_len < max ? capture->tail_len : max;

		memmove(capture->tail, capture->tail + capture->tail_len - kept, kept);
		capture->tail_len = kept;
	}
	memcpy(capture->tail + capture->tail_len, data, len);
	capture->tail_len += len;
}

void
capture_feed(struct capture *capture, const char *data, size_t len)
{
	size_t room = capture->max_head - capture->head_len, n = len < room ? len : room;

	capture->size += len;
	capture->nul = capture->nul || memchr(data, '\0', len) != NULL;
	memcpy(capture->head + capture->head_len, data, n);
	capture->head_len += n;
	if (n < len)
		keep_tail(capture, data + n, len - n);
}

bool
capture_read(struct capture *capture, char *chunk)
{
	ssize_t n = capture->fd >= 0 ? read(capture->fd, chunk, CAPTURE_CHUNK) : 0;

	if (n > 0) {
		capture_feed(capture, chunk, (size_t)n);
		if (capture->printed)
			capture->printed(capture->data, capture->stream, chunk, (size_t)n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		fd_close_at(&capture->fd);
		capture->fd = -1;
	}
	return false;
}

/* A run of bytes that are no text becomes one mark: each of its own would be three
 * times as long, and say no more. True if there was one. */
static bool
append_clean(struct buf *text, const char *data, size_t len)
{
	bool bad = false, was = false;
	unsigned point;

	for (size_t at = 0, n; at < len; at += n) {
		n = str_utf8(data + at, len - at, &point);
		if (n > 0 && data[at] != '\0') {
			buf_append(text, data + at, n);
			was = false;
			continue;
		}
		n = 1;
		if (!was)
			buf_puts(text, "\xef\xbf\xbd");
		was = bad = true;
	}
	return bad;
}

/* At the end of a line if one is near, else of a character. */
static size_t
head_end(const char *head, size_t len)
{
	const char *line = memrchr(head + len - len / 4, '\n', len / 4);

	return line ? (size_t)(line + 1 - head) : str_cut(head, len, len - (len > 0));
}

static size_t
tail_begin(const char *tail, size_t len)
{
	const char *line = memchr(tail, '\n', len / 4);
	size_t at = 0;

	if (line)
		return (size_t)(line + 1 - tail);
	while (at < len && at < 4 && ((unsigned char)tail[at] & 0xc0) == 0x80)
		at++;
	return at;
}

int
capture_take(struct capture *capture, struct ambit_output *ret_output)
{
	size_t most = capture->tail_len < capture->max_tail ? capture->tail_len : capture->max_tail;
	const char *tail = capture->tail + capture->tail_len - most;
	size_t head_len = capture->head_len, begin = 0;
	auto_buf struct buf text = { 0 };
	bool bad = capture->nul;

	if (capture->size > head_len + most) {
		head_len = head_end(capture->head, head_len);
		begin = tail_begin(tail, most);
	}
	/* In one piece if nothing is missing: a character may lie across. */
	if (capture->size <= capture->head_len + most) {
		auto_buf struct buf whole = { 0 };

		buf_append(&whole, capture->head, head_len);
		buf_append(&whole, tail, most);
		bad |= append_clean(&text, whole.data ? whole.data : "", whole.len);
		text.failed |= whole.failed;
	} else {
		uint64_t cut = capture->size - head_len - (most - begin);

		bad |= append_clean(&text, capture->head, head_len);
		buf_printf(&text, "%s[... %llu of %llu bytes were cut out here ...]\n",
			text.len > 0 && text.data[text.len - 1] != '\n' ? "\n" : "",
			(unsigned long long)cut, (unsigned long long)capture->size);
		bad |= append_clean(&text, tail + begin, most - begin);
	}
	*ret_output = (struct ambit_output){
		.len = text.len,
		.size = capture->size,
		.binary = bad,
	};
	ret_output->text = buf_take(&text);
	return ret_output->text ? 0 : -ENOMEM;
}

void
capture_clear(struct capture *capture)
{
	capture->head_len = capture->tail_len = 0;
	capture->size = 0;
	capture->nul = false;
}

void
capture_finish(struct capture *capture)
{
	fd_close_at(&capture->fd);
	free(capture->head);
	free(capture->tail);
	*capture = (struct capture){ .fd = -1 };
}

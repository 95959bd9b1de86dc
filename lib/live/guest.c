/* SPDX-License-Identifier: Apache-2.0 */
/* One who is connected: bytes into lines and lines into bytes. It is the person's own
 * program, and still may be slow, stopped or broken: it is never waited for. */

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "live/live-private.h"
#include "live/live.h"

#define CHUNK 4096
#define CHUNKS 32 /* at once: then others have their turn */

struct guest *
guest_create(struct live *live, int fd)
{
	struct guest *guest = calloc(1, sizeof(*guest));

	if (!guest) {
		close(fd);
		return NULL;
	}
	guest->live = live;
	guest->fd = fd;
	return guest;
}

void
guest_destroy(struct guest *guest)
{
	close(guest->fd);
	buf_finish(&guest->in);
	buf_finish(&guest->out);
	free(guest);
}

static void
take_lines(struct guest *guest)
{
	size_t at = 0;
	char *end;

	while (!guest->leaving && at < guest->in.len &&
		(end = memchr(guest->in.data + at, '\n', guest->in.len - at)) != NULL) {
		size_t len = (size_t)(end - (guest->in.data + at));

		method_line(guest, guest->in.data + at, len);
		at += len + 1;
	}
	if (at == 0)
		return;
	memmove(guest->in.data, guest->in.data + at, guest->in.len - at);
	guest->in.len -= at;
}

bool
guest_read(struct guest *guest)
{
	char chunk[CHUNK];

	for (int i = 0; i < CHUNKS && !guest->leaving; i++) {
		ssize_t n = recv(guest->fd, chunk, sizeof(chunk), 0);

		if (n < 0 && errno == EAGAIN)
			return true;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		buf_append(&guest->in, chunk, (size_t)n);
		if (guest->in.failed)
			return false;
		take_lines(guest);
		/* What follows could be a part of it: nothing of that is read. */
		if (guest->in.len > LIVE_LINE_MAX) {
			method_refuse(guest, RPC_INVALID_REQUEST, "the line is too long");
			guest->leaving = true;
		}
	}
	return true;
}

bool
guest_write(struct guest *guest)
{
	while (!guest->out.failed && guest->sent < guest->out.len) {
		ssize_t n = send(guest->fd, guest->out.data + guest->sent,
			guest->out.len - guest->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			/* One who always lags a little is not kept all he has read. */
			memmove(guest->out.data, guest->out.data + guest->sent,
				guest->out.len - guest->sent);
			guest->out.len -= guest->sent;
			guest->sent = 0;
			return true;
		}
		if (n < 0 && errno != EINTR)
			return false;
		guest->sent += n > 0 ? (size_t)n : 0;
	}
	if (guest->out.failed)
		return false;
	guest->out.len = guest->sent = 0;
	return true;
}

/* However large a message is, it is taken where little waits: a question must not be lost
 * because it is long. */
void
guest_say(struct guest *guest, json_t *message)
{
	auto_json json_t *taken = message;
	auto_free char *line = taken ? json_line(taken) : NULL;

	if (guest->leaving)
		return;
	if (!line || guest->out.len - guest->sent > LIVE_OUT_MAX) {
		guest->out.failed = true;
		return;
	}
	buf_puts(&guest->out, line);
	buf_putc(&guest->out, '\n');
}

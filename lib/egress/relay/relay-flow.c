/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes, both ways, until both ends have said all. What needs no looking at goes
 * through a pipe, so that it is never copied; an end that closes its half closes that
 * half of the other. Who reads slowly is not read ahead of. */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/relay/relay-private.h"

#define PIPE_SIZE (256 << 10) /* a user's pipes together are limited, too */
#define COPY_SIZE 16384
#define TURNS 16 /* pipes full before others have theirs */

void
flow_init(struct flow *flow)
{
	*flow = (struct flow){ .pipe = { -1, -1 } };
}

void
flow_finish(struct flow *flow)
{
	if (flow->pipe[0] >= 0) {
		close(flow->pipe[0]);
		close(flow->pipe[1]);
	}
	flow->pipe[0] = flow->pipe[1] = -1;
	flow->held = 0;
}

static bool
open_pipe(struct flow *flow)
{
	if (flow->pipe[0] >= 0)
		return true;
	if (pipe2(flow->pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
		flow->pipe[0] = flow->pipe[1] = -1;
		return false;
	}
	/* Less is as good, only slower. */
	(void)fcntl(flow->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	return true;
}

static bool
is_later(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* Out of descriptors: what there is goes by way of a buffer, and what does not go stays
 * where it is. As move_once. */
static int
copy_once(struct flow *flow, int from, int to)
{
	char buffer[COPY_SIZE];
	ssize_t n = recv(from, buffer, sizeof(buffer), MSG_PEEK | MSG_DONTWAIT);

	if (n < 0)
		return is_later() ? 0 : -errno;
	flow->ended = n == 0;
	if (n == 0)
		return 0;
	n = send(to, buffer, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0) {
		flow->full = is_later();
		return flow->full ? 0 : -errno;
	}
	(void)!recv(from, buffer, (size_t)n, MSG_DONTWAIT);
	flow->moved = flow->came = true;
	return 1;
}

/* One pipe full from one end to the other. 1: there may be more; 0: not now; -errno: an
 * end is broken. */
static int
move_once(struct flow *flow, int from, int to)
{
	const unsigned flags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;
	ssize_t n;

	flow->full = false;
	if (flow->held == 0 && !flow->ended) {
		if (!open_pipe(flow))
			return copy_once(flow, from, to);
		n = splice(from, NULL, flow->pipe[1], NULL, PIPE_SIZE, flags);
		if (n < 0)
			return is_later() ? 0 : -errno;
		flow->ended = n == 0;
		flow->held += (size_t)n;
		flow->moved |= n > 0;
		flow->came |= n > 0;
	}
	while (flow->held > 0) {
		n = splice(flow->pipe[0], NULL, to, NULL, flow->held, flags);
		if (n < 0)
			return is_later() ? 0 : -errno;
		flow->held -= (size_t)n;
		flow->moved = true;
	}
	return !flow->ended;
}

static int
move_flow_data(struct flow *flow, int from, int to)
{
	int r = 1;

	for (int i = 0; r > 0 && i < TURNS; i++) {
		r = move_once(flow, from, to);
		/* Where much comes, more will come in a moment: to let others run costs less
		 * than to be woken. */
		if (r == 0 && i > 0 && !flow->ended) {
			sched_yield();
			r = move_once(flow, from, to);
		}
	}
	if (r >= 0 && flow->ended && flow->held == 0 && !flow->told) {
		flow->told = true;
		shutdown(to, SHUT_WR);
	}
	return r;
}

/* -- what was looked at -------------------------------------------------------------------- */

static void
discard_sent_input(struct stream *stream, size_t n)
{
	stream->passed -= n;
	stream->n_in -= n;
	stream->looked = 0;
	memmove(stream->in, stream->in + n, stream->n_in);
}

/* Sends what may go. False: not all of it went. */
static bool
send_passed(struct stream *stream)
{
	if (stream->passed > 0) {
		discard_sent_input(stream, stream->ahead);
		stream->ahead = 0;
	}
	while (stream->passed > 0) {
		ssize_t n = send(stream->upstream.fd, stream->in, stream->passed,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0) {
			if (!is_later())
				stream_cut(stream, NULL, NULL);
			return false;
		}
		discard_sent_input(stream, (size_t)n);
	}
	return true;
}

/* More of a line without an end could go. */
static bool
is_ahead(const struct stream *stream)
{
	return stream->n_in > stream->ahead && say_is_unfinished(stream);
}

/* What is only the beginning of a line goes ahead. Once the server has answered to it, it
 * is no request that is being made: no server does so before the line ends. */
static void
send_ahead(struct stream *stream)
{
	ssize_t n;

	if (!is_ahead(stream))
		return;
	n = send(stream->upstream.fd, stream->in + stream->ahead, stream->n_in - stream->ahead,
		MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n > 0)
		stream->ahead += (size_t)n;
	else if (!is_later())
		stream_cut(stream, NULL, NULL);
	stream->down.moved = false;
}

/* Reads, looks, sends. True: all of it is sent, and nobody needs to look any more. */
static bool
move_looked_at(struct stream *stream)
{
	for (int i = 0; i < TURNS; i++) {
		bool new = stream->passed == 0 && stream->said != SAID_ALL &&say_read(stream);
		enum look look = say_look(stream);

		if (look == LOOK_CUT)
			stream_cut(stream, NULL, NULL);
		if (look == LOOK_ELSEWHERE)
			dial_name(stream);
		if (look == LOOK_CUT || look == LOOK_ELSEWHERE || look == LOOK_WAIT)
			return false;
		if (look == LOOK_MORE)
			send_ahead(stream);
		if (!send_passed(stream))
			return false;
		if (stream->said == SAID_ALL && stream->n_in == 0)
			return true;
		if (!new)
			break;
	}
	return false;
}

static void
end_looked_at(struct stream *stream)
{
	if (!stream->in_ended || stream->n_in > 0 || stream->up.told)
		return;
	stream->up.ended = stream->up.told = true;
	shutdown(stream->upstream.fd, SHUT_WR);
}

static int
move_client_data(struct stream *stream)
{
	bool looking = stream->said != SAID_ALL || stream->n_in > 0;

	if (looking && !move_looked_at(stream)) {
		if (stream->stage == STAGE_FLOW)
			end_looked_at(stream);
		return 0;
	}
	if (looking) {
		free(stream->in);
		stream->in = NULL;
	}
	end_looked_at(stream);
	return move_flow_data(&stream->up, stream->client.fd, stream->upstream.fd);
}

void
flow_move(struct stream *stream)
{
	int up, down = 0;

	up = move_client_data(stream);
	/* What the server says to a hello is looked at before it is passed on. */
	if (stream->stage == STAGE_FLOW && !stream->ticket && !say_awaits_reply(stream))
		down = move_flow_data(&stream->down, stream->upstream.fd, stream->client.fd);
	if (stream->ahead > 0 && stream->down.moved && say_is_unfinished(stream)) {
		stream->said = SAID_ALL;
		up = move_client_data(stream);
	}
	if (stream->stage != STAGE_FLOW)
		return;
	if (up < 0 || down < 0)
		stream_cut(stream, NULL, NULL);
	else if (stream->up.told && stream->down.told)
		stream_stage(stream, STAGE_ENDED);
}

/* -- waiting ---------------------------------------------------------------------------------- */

static bool
is_full(const struct flow *flow)
{
	return flow->held > 0 || flow->full;
}

static bool
reads_client(const struct stream *stream)
{
	if (stream->in_ended || stream->up.ended)
		return false;
	if (stream->stage == STAGE_PROXY || stream->stage == STAGE_LISTEN)
		return true;
	return stream->stage == STAGE_FLOW && !is_full(&stream->up) && stream->passed == 0 &&
	       stream->n_in < STREAM_IN_MAX;
}

static void
watch_flow(struct stream *stream)
{
	struct loop *loop = stream->relay->egress->loop;
	uint32_t client = reads_client(stream) ? EPOLLIN : 0, upstream = 0;

	if (is_full(&stream->down))
		client |= EPOLLOUT;
	if (stream->ticket || stream->stage == STAGE_FIND || stream->stage == STAGE_DIAL)
		client = stream->half ? 0 : EPOLLRDHUP;
	if (stream->stage == STAGE_FLOW && !stream->ticket) {
		upstream |= !is_full(&stream->down) && !stream->down.ended ? EPOLLIN : 0;
		upstream |= is_full(&stream->up) || stream->passed > 0 || is_ahead(stream)
				    ? EPOLLOUT
				    : 0;
	}
	/* One that is hung up says so for ever, asked or not: who waits for nothing is
	 * not watched. */
	if (client)
		loop_watch(loop, &stream->client, client);
	else
		loop_forget(loop, &stream->client);
	if (stream->stage != STAGE_FLOW)
		return;
	if (upstream)
		loop_watch(loop, &stream->upstream, upstream);
	else
		loop_forget(loop, &stream->upstream);
}

void
flow_watch(struct stream *stream)
{
	struct loop *loop = stream->relay->egress->loop;

	if (stream->stage != STAGE_ENDED) {
		watch_flow(stream);
		return;
	}
	dial_stop(stream);
	loop_forget(loop, &stream->client);
	if (stream->client.fd >= 0)
		close(stream->client.fd);
	stream->client.fd = -1;
}

/* Who has not moved anything for a while needs no pipe. */
void
flow_tick(struct stream *stream)
{
	struct flow *flows[] = { &stream->down, &stream->up };

	for (int i = 0; i < 2; i++) {
		if (flows[i]->held == 0 && !flows[i]->moved)
			flow_finish(flows[i]);
		flows[i]->moved = false;
	}
}

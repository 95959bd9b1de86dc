/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that go by way of the relay: those to a name, since an address does not say
 * whose it is; those whose name only the stream itself can say; and those whose program
 * must not be held while a person is asked. Nothing that the program says is sent on
 * before it was found to say what was decided, and it goes only to an address that
 * ambit itself was given for that name. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "egress/relay/abandoned.h"
#include "egress/relay/relay-private.h"

#define STREAMS_MAX 8192
#define ENDED_MS 50
#define SILENT_MS 1000	/* who waits for the server to speak first is taken for that */
#define LISTEN_MS 30000 /* for all of a hello or head */

/* -- life ------------------------------------------------------------------------------- */

struct relay *
relay_create(struct egress *egress)
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (relay)
		relay->egress = egress;
	return relay;
}

static void
forget_question(struct stream *stream)
{
	const struct egress_line *line = &stream->relay->egress->line;

	if (stream->ticket)
		line->withdraw(line->data, stream->ticket);
	stream->ticket = 0;
	free(stream->asked);
	stream->asked = NULL;
}

void
stream_end_permit(struct stream *stream, int result)
{
	const struct egress_line *line = &stream->relay->egress->line;

	line->finish(line->data, stream->permit, result);
	stream->permit = NULL;
}

static void
stream_destroy(struct stream *stream)
{
	struct relay *relay = stream->relay;

	for (struct stream **at = &relay->streams; *at; at = &(*at)->next)
		if (*at == stream) {
			*at = stream->next;
			relay->n--;
			break;
		}
	dial_stop(stream);
	forget_question(stream);
	stream_end_permit(stream, -ECANCELED);
	loop_forget(relay->egress->loop, &stream->client);
	if (stream->client.fd >= 0)
		close(stream->client.fd);
	flow_finish(&stream->down);
	flow_finish(&stream->up);
	free(stream->approved);
	free(stream->in);
	free(stream);
}

static void
reset_on_close(int fd)
{
	const struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

void
relay_destroy(struct relay *relay)
{
	if (!relay)
		return;
	while (relay->streams) {
		/* What did not get through must not look as if it had. */
		if (relay->streams->upstream.fd >= 0 && !relay->streams->up.told)
			reset_on_close(relay->streams->upstream.fd);
		stream_destroy(relay->streams);
	}
	free(relay);
}

void
stream_stage(struct stream *stream, enum stage stage)
{
	if (stream->stage == STAGE_ENDED)
		return;
	stream->stage = stage;
	stream->since = loop_now(stream->relay->egress->loop);
}

void
stream_cut(struct stream *stream, const char *host, const char *why)
{
	const struct egress_line *line = &stream->relay->egress->line;

	if (stream->stage == STAGE_ENDED)
		return;
	if (host && why)
		line->refuse(line->data, &stream->who, host, why);
	if (stream->proxied)
		proxy_reply(stream, 403);
	else
		reset_on_close(stream->client.fd);
	/* An end that looks like one would be the end of what has come so far. */
	if (stream->upstream.fd >= 0)
		reset_on_close(stream->upstream.fd);
	stream_stage(stream, STAGE_ENDED);
}

/* -- deciding ------------------------------------------------------------------------------ */

char *
stream_host(const struct stream *stream, const char *name, int port)
{
	return name ? str_printf("%s:%d", name, port) : egress_text(&stream->to);
}

static enum decided
take_verdict(struct stream *stream, struct egress_verdict *verdict, char *host)
{
	switch (verdict->verdict) {
	case AMBIT_ALLOW:
		stream_end_permit(stream, 0);
		stream->pass = verdict->pass;
		stream->permit = verdict->permit;
		if (stream->stage == STAGE_FLOW)
			stream_end_permit(stream, 0); /* what it is for goes on its way now */
		free(stream->approved);
		stream->approved = host;
		return DECIDED_YES;
	case AMBIT_ASK:
		stream->ticket = verdict->ticket;
		free(stream->asked);
		stream->asked = host;
		return DECIDED_WAIT;
	default:
		free(host);
		stream_cut(stream, NULL, NULL);
		return DECIDED_NO;
	}
}

enum decided
stream_decide(struct stream *stream, const char *name, int port, const char *why)
{
	const struct egress_line *line = &stream->relay->egress->line;
	struct egress_verdict verdict = { 0 };
	char *host = stream_host(stream, name, port);

	if (!host) {
		stream_cut(stream, NULL, NULL);
		return DECIDED_NO;
	}
	if (stream->approved && streq(stream->approved, host)) {
		free(host);
		return DECIDED_YES;
	}
	line->decide(line->data, &stream->who, host, why == NULL, &verdict);
	if (verdict.verdict == AMBIT_DENY && why) {
		stream_cut(stream, host, why);
		free(host);
		return DECIDED_NO;
	}
	return take_verdict(stream, &verdict, host);
}

/* -- going on ------------------------------------------------------------------------------- */

/* What it says decides where it goes: until then nothing is dialed. */
static void
listen_to(struct stream *stream)
{
	enum look look;

	if (stream->said != SAID_ALL)
		say_read(stream);
	look = say_look(stream);
	if (look == LOOK_ELSEWHERE)
		dial_name(stream);
	else if (look == LOOK_PASS)
		dial_to(stream);
	else if (look == LOOK_CUT)
		stream_cut(stream, NULL, NULL);
}

void
stream_go(struct stream *stream)
{
	enum stage stage;

	do {
		stage = stream->stage;
		if (stream->ticket)
			break;
		if (stage == STAGE_PROXY)
			proxy_read(stream);
		else if (stage == STAGE_WANTED)
			proxy_go(stream);
		else if (stage == STAGE_LISTEN)
			listen_to(stream);
		else if (stage == STAGE_FLOW)
			flow_move(stream);
	} while (stream->stage != stage && !stream->ticket);
	flow_watch(stream);
}

/* Whoever was told that it is connected may have said all and gone. */
static bool
has_said(const struct stream *stream)
{
	int unread = 0;

	return stream->n_in > 0 || (ioctl(stream->client.fd, FIONREAD, &unread) == 0 && unread > 0);
}

static void
client_ready(void *data, uint32_t events)
{
	struct stream *stream = data;

	/* Nobody asks or dials for one who does not wait. */
	if ((stream->ticket || stream->stage == STAGE_FIND || stream->stage == STAGE_DIAL) &&
		(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))) {
		if (abandoned(stream->client.fd) && (stream->ticket || !has_said(stream)))
			stream_cut(stream, NULL, NULL);
		else
			stream->half = true; /* not to be told of it again and again */
	}
	stream_go(stream);
}

static void
upstream_ready(void *data, uint32_t events)
{
	struct stream *stream = data;

	if (stream->stage == STAGE_DIAL)
		dial_ready(stream, events);
	stream_go(stream);
}

static struct stream *
stream_create(struct relay *relay, int fd, const struct egress_who *who)
{
	struct stream *stream = relay->n < STREAMS_MAX ? calloc(1, sizeof(*stream)) : NULL;
	int one = 1;

	if (!stream) {
		reset_on_close(fd);
		close(fd);
		return NULL;
	}
	stream->relay = relay;
	stream->who = *who;
	stream->since = loop_now(relay->egress->loop);
	stream->client = (struct loop_watch){ .fd = fd, .ready = client_ready, .data = stream };
	stream->upstream = (struct loop_watch){ .fd = -1, .ready = upstream_ready, .data = stream };
	flow_init(&stream->down);
	flow_init(&stream->up);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	stream->next = relay->streams;
	relay->streams = stream;
	relay->n++;
	return stream;
}

void
relay_accept(struct relay *relay, int fd, struct arrival *arrival)
{
	struct passage *passage = steal_ptr(&arrival->passage);
	struct stream *stream = stream_create(relay, fd, &arrival->who);

	if (!stream) {
		passage_destroy(relay->egress, passage);
		return;
	}
	stream->kind = passage->kind;
	memcpy(stream->name, passage->name, sizeof(stream->name));
	stream->to = passage->to;
	stream->port = egress_port_of(&passage->to);
	stream->said = passage->kind == PASSAGE_ADDRESS ? SAID_ALL : SAID_NOTHING;
	stream->pass = passage->verdict.pass;
	stream->permit = passage->verdict.permit;
	stream->ticket = passage->verdict.ticket;
	stream->upstream.fd = passage->upstream;
	if (passage->kind != PASSAGE_UNKNOWN)
		*(stream->ticket ? &stream->asked : &stream->approved) = stream_host(
			stream, passage->kind == PASSAGE_NAMED ? stream->name : NULL, stream->port);
	free(passage);
	if (stream->ticket && !stream->asked) {
		stream_cut(stream, NULL, NULL);
		stream_go(stream);
		return;
	}
	if (stream->kind == PASSAGE_UNKNOWN)
		stream_stage(stream, STAGE_LISTEN);
	else if (stream->upstream.fd >= 0)
		dial_connected(stream);
	else if (!stream->ticket)
		dial_to(stream);
	else
		stream_stage(stream, STAGE_FIND);
	stream_go(stream);
}

void
relay_accept_proxy(struct relay *relay, int fd, const struct arrival *arrival)
{
	struct stream *stream = stream_create(relay, fd, &arrival->who);

	if (!stream)
		return;
	stream->proxied = true;
	stream_go(stream);
}

/* -- time ------------------------------------------------------------------------------------ */

/* The person has answered, or nobody will. */
static void
collect_stream_verdict(struct stream *stream)
{
	const struct egress_line *line = &stream->relay->egress->line;
	struct egress_verdict verdict = { 0 };
	char *host;

	line->collect(line->data, &stream->who, stream->asked, stream->ticket, &verdict);
	if (verdict.verdict == AMBIT_ASK)
		return;
	stream->ticket = 0;
	host = steal_ptr(&stream->asked);
	if (take_verdict(stream, &verdict, host) == DECIDED_YES && stream->stage == STAGE_FIND)
		dial_to(stream);
	stream_go(stream);
}

static void
look_at_time(struct stream *stream, int64_t now)
{
	bool ended = stream->in_ended && stream->n_in == 0;

	/* The end comes before the kernel knows that nobody has the socket any more. */
	if (stream->stage == STAGE_LISTEN && ended && now - stream->ended >= ENDED_MS &&
		abandoned(stream->client.fd)) {
		stream_cut(stream, NULL, NULL);
	} else if (stream->stage == STAGE_LISTEN &&
		   (now - stream->since > SILENT_MS ||
			   (ended && now - stream->ended >= ENDED_MS)) &&
		   (stream->n_in == 0 || say_is_unfinished(stream))) {
		if (say_nothing(stream) == LOOK_PASS)
			dial_to(stream);
		stream_go(stream);
	} else if ((stream->stage == STAGE_LISTEN || stream->stage == STAGE_PROXY) &&
		   now - stream->since > LISTEN_MS) {
		stream_cut(stream, NULL, NULL);
	} else {
		dial_tick(stream, now);
	}
}

size_t
relay_unsent(struct relay *relay)
{
	size_t n = 0;

	for (struct stream *stream = relay->streams; stream; stream = stream->next) {
		/* Nobody is asked any more. */
		if (stream->ticket || stream->stage == STAGE_PROXY)
			stream_cut(stream, NULL, NULL);
		n += stream->stage != STAGE_ENDED && !stream->up.told;
	}
	return n;
}

size_t
relay_tick(struct relay *relay)
{
	int64_t now = loop_now(relay->egress->loop);
	struct stream *stream = relay->streams, *next;

	for (; stream; stream = next) {
		next = stream->next;
		if (stream->ticket)
			collect_stream_verdict(stream);
		else if (stream->stage != STAGE_FLOW)
			look_at_time(stream, now);
		flow_tick(stream);
		if (stream->stage == STAGE_ENDED)
			stream_destroy(stream);
	}
	return relay->n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a client says first, and in plain HTTP with each request: a name. It must be the
 * one that was decided, or one that is allowed as well and leads to the same place.
 * What could still become a name, or a request for another, stays here until it is
 * known. */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "egress/relay/relay-private.h"
#include "egress/dns/resolv.h"
#include "request/host.h"

bool
say_read(struct stream *stream)
{
	ssize_t n;

	if (stream->in_ended)
		return false;
	if (!stream->in)
		stream->in = malloc(STREAM_IN_MAX);
	if (!stream->in) {
		stream_cut(stream, NULL, NULL);
		return false;
	}
	if (stream->n_in == STREAM_IN_MAX)
		return false;
	n = recv(stream->client.fd, stream->in + stream->n_in, STREAM_IN_MAX - stream->n_in,
		MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0)
		stream_cut(stream, NULL, NULL);
	else
		stream->n_in += (size_t)n;
	if (n == 0) {
		stream->in_ended = true;
		stream->ended = loop_now(stream->relay->egress->loop);
	}
	return true;
}

bool
say_is_unfinished(const struct stream *stream)
{
	char name[HELLO_NAME_MAX];
	size_t from = stream->ahead;

	if (stream->said != SAID_NOTHING || stream->tunnel || stream->passed > 0 ||
		stream->n_in == 0)
		return false;
	/* What is gone was looked at, but for a version that it could be the front of. */
	if (from > 0)
		return !memchr(stream->in + from, '\n', stream->n_in - from) &&
		       !head_has_version(stream->in + (from > 8 ? from - 8 : 0),
			       stream->n_in - (from > 8 ? from - 8 : 0));
	from = head_blank(stream->in, stream->n_in);
	return !memchr(stream->in + from, '\n', stream->n_in - from) &&
	       hello_parse(stream->in, stream->n_in, name) == HELLO_NOT &&
	       !head_begins(stream->in + from, stream->n_in - from);
}

static enum look
pass_all_input(struct stream *stream)
{
	stream->said = SAID_ALL;
	stream->passed = stream->n_in;
	return LOOK_PASS;
}

static enum look
look_of(enum decided decided)
{
	return decided == DECIDED_YES ? LOOK_PASS : decided == DECIDED_WAIT ? LOOK_WAIT : LOOK_CUT;
}

/* An address was decided about; or it was given for the name, which is all that can
 * be known of a protocol without names in it. */
enum look
say_nothing(struct stream *stream)
{
	enum look look = LOOK_PASS;

	if (stream->kind == PASSAGE_UNKNOWN)
		look = look_of(stream_decide(stream, NULL, 0, NULL));
	if (look == LOOK_PASS && stream->kind == PASSAGE_UNKNOWN)
		stream->kind = PASSAGE_ADDRESS;
	return look == LOOK_PASS ? pass_all_input(stream) : look;
}

static enum look
cut_for(struct stream *stream, const char *why)
{
	auto_free char *host =
		stream_host(stream, stream->name[0] ? stream->name : NULL, stream->port);

	stream_cut(stream, host, why);
	return LOOK_CUT;
}

/* It could say a name and does not: only the address is left to go by. */
static enum look
say_no_name(struct stream *stream)
{
	enum look look;

	look = look_of(stream_decide(stream, NULL, 0, NULL));
	if (look != LOOK_PASS)
		return look;
	stream->kind = PASSAGE_ADDRESS;
	return pass_all_input(stream);
}

/* Whether it goes where this name leads. */
static bool
is_name_destination(const struct stream *stream, const char *name)
{
	struct dns_address address;

	return stream->tunnel ||
	       (egress_address(&stream->to, &address) &&
		       names_has(stream->relay->egress->names, name, &address, clock_steady()));
}

/* A name without a dot is whole only with a search domain behind it: with that it was
 * looked up and decided about, without it the program asks for it. */
static bool
is_short_for(const char *name, const char *whole)
{
	return !strchr(name, '.') && resolv_completes(name, strlen(name), whole);
}

/* Those that were decided about by address say what they like. */
static enum look
check_name(struct stream *stream, const char *name)
{
	auto_free char *why = NULL;
	enum look look;

	if (stream->kind == PASSAGE_ADDRESS || streq(stream->name, name) ||
		is_short_for(name, stream->name))
		return LOOK_PASS;
	/* Several names may lead to one address, and which of them was meant is known only
	 * now. One that does not is nothing to ask about. */
	if (stream->kind == PASSAGE_NAMED &&
		(stream->tunnel || !is_name_destination(stream, name))) {
		why = str_printf(
			"the connection was allowed for %s, but asks for %s", stream->name, name);
		if (!why)
			return LOOK_CUT;
	}
	look = look_of(stream_decide(stream, name, stream->port, why));
	if (look != LOOK_PASS)
		return look;
	stream->kind = PASSAGE_NAMED;
	memcpy(stream->name, name, strlen(name) + 1);
	return is_name_destination(stream, name) ? LOOK_PASS : LOOK_ELSEWHERE;
}

/* Behind a CONNECT only a name in TLS shows that it goes there, and that there is a
 * proxy at all: to any other server it was one request among others. */
#define NO_TUNNEL "what follows its CONNECT is no TLS for that host"

/* -- HTTP --------------------------------------------------------------------------------- */

static bool
is_address(const char *host)
{
	unsigned char ip[16];
	auto_free char *spelled = NULL;
	int port;

	return host_parse(host, &spelled, &port) < 0 || inet_pton(AF_INET, spelled, ip) == 1 ||
	       inet_pton(AF_INET6, spelled, ip) == 1;
}

/* To a proxy: whom it is to reach is decided like a connection of the program's own. */
static enum look
check_target(struct stream *stream, const struct head *head)
{
	int port = head->port ? head->port : 80;
	bool plain = !strchr(head->host, ':');
	auto_free char *host = str_printf(plain ? "%s" : "[%s]", head->host);
	enum look look;

	if (stream->kind == PASSAGE_ADDRESS)
		return LOOK_PASS;
	if (!head->connect && !is_address(head->host) && port == stream->port)
		return check_name(stream, head->host);
	if (stream->kind == PASSAGE_UNKNOWN)
		return say_no_name(stream);
	if (!host)
		return LOOK_CUT;
	look = look_of(stream_decide(stream, host, port, NULL));
	if (look != LOOK_PASS || !head->connect)
		return look;
	/* What follows goes there; it must say so too. */
	stream->tunnel = true;
	stream->port = (uint16_t)port;
	memcpy(stream->name, head->host, strlen(head->host) + 1);
	return look;
}

static enum look
check_head(struct stream *stream, const struct head *head)
{
	if (head->connect || head->absolute)
		return check_target(stream, head);
	if (head->named && !is_address(head->host))
		return check_name(stream, head->host);
	return say_no_name(stream);
}

/* Only what stands first in a stream is surely what the server's first words answer to. */
static void
expect_body(struct stream *stream, const struct head *head, bool first)
{
	stream->passed += head->len;
	stream->said = head->connect		  ? SAID_NOTHING
		       : head->websocket && first ? SAID_UPGRADE
						  : SAID_HTTP;
	stream->body_left = head->body == HEAD_BODY_LENGTH ? head->length : 0;
	stream->chunked = head->body == HEAD_BODY_CHUNKED;
	stream->chunks = (struct head_chunks){ 0 };
}

/* Of a request that is on its way: what belongs to it. False: it is not to be
 * understood. */
static bool
pass_body(struct stream *stream)
{
	size_t left = stream->n_in - stream->passed;
	bool done = false;
	int64_t n;

	if (stream->chunked) {
		n = head_chunks(&stream->chunks, stream->in + stream->passed, left, &done);
		stream->passed += n > 0 ? (size_t)n : 0;
		stream->chunked = !done;
		return n >= 0;
	}
	if (left > stream->body_left)
		left = (size_t)stream->body_left;
	stream->passed += left;
	stream->body_left -= left;
	return true;
}

/* Some servers take the end of the connection for that of the head. */
static bool
is_half_a_head(const struct stream *stream)
{
	static const char end[] = "\r\n\r\n";
	size_t left = stream->n_in - stream->passed;
	auto_free char *whole = malloc(left + sizeof(end));
	struct head head;

	if (!whole || memchr(stream->in + stream->passed, '\n', left))
		return true;
	memcpy(whole, stream->in + stream->passed, left);
	memcpy(whole + left, end, sizeof(end));
	return left > 0 && head_parse(whole, left + sizeof(end) - 1, true, &head) != HEAD_NOT;
}

/* The next request in what has come. */
static enum look
next_head(struct stream *stream, bool first)
{
	struct head head = { 0 };
	bool sent = stream->passed > 0 || stream->stage == STAGE_FLOW;
	enum look look;

	switch (head_parse(
		stream->in + stream->passed, stream->n_in - stream->passed, first, &head)) {
	case HEAD_MORE:
		if (stream->n_in - stream->passed == STREAM_IN_MAX)
			return cut_for(stream, "its HTTP request is too long to be looked at");
		if (!stream->in_ended)
			return LOOK_MORE;
		if (is_half_a_head(stream))
			return cut_for(stream, "it ended amid an HTTP request");
		return first ? say_nothing(stream) : pass_all_input(stream);
	case HEAD_NOT:
		return say_nothing(stream);
	case HEAD_WHOLE:
		look = check_head(stream, &head);
		if (stream->said == SAID_ALL || (look != LOOK_PASS && look != LOOK_ELSEWHERE))
			return look;
		/* Those before it went elsewhere. */
		if (look == LOOK_ELSEWHERE && !first && sent)
			return cut_for(stream,
				"requests for hosts at different addresses came by one "
				"connection");
		expect_body(stream, &head, first);
		return look;
	default:
		return cut_for(stream, "its HTTP request cannot be read in one way alone");
	}
}

static enum look
look_at_http(struct stream *stream)
{
	enum look look = stream->passed > 0 ? LOOK_PASS : LOOK_MORE;

	while (stream->said == SAID_HTTP && stream->passed < stream->n_in) {
		size_t before = stream->passed;
		enum look next = LOOK_PASS;

		if (stream->body_left > 0 || stream->chunked) {
			if (!pass_body(stream))
				return cut_for(
					stream, "its HTTP request has a body without a clear end");
		} else {
			next = next_head(stream, false);
		}
		if (next != LOOK_PASS)
			return next == LOOK_MORE && stream->passed > 0 ? LOOK_PASS : next;
		look = LOOK_PASS;
		if (stream->passed == before)
			break;
	}
	return look;
}

/* -- what the server says ------------------------------------------------------------------ */

bool
say_awaits_reply(const struct stream *stream)
{
	return stream->said == SAID_TLS || stream->said == SAID_UPGRADE;
}

static const char switching[] = "HTTP/1.1 101";

/* What it means: the next state, or said as it is: more of it is wanted. SAID_NOTHING: it
 * does not fit. */
static enum said
interpret_reply(enum said said, const unsigned char *reply, size_t len)
{
	const size_t whole = sizeof(switching) - 1;

	if (said == SAID_UPGRADE) {
		if (memcmp(reply, switching, len < whole ? len : whole) != 0)
			return SAID_HTTP; /* it goes on as before */
		return len < whole ? said : SAID_ALL;
	}
	switch (hello_reply(reply, len)) {
	case HELLO_REPLY_MORE:
		return said;
	case HELLO_REPLY_RETRY:
		return SAID_TLS_AGAIN;
	case HELLO_REPLY_TLS:
		return SAID_ALL;
	default:
		return SAID_NOTHING;
	}
}

/* In a second hello that the server asks for another name may stand, and that one counts; and
 * what follows a request to go on in another protocol is that only if the server says so. So
 * nothing behind it goes on before the server has said what it wants. */
static enum look
look_at_reply(struct stream *stream)
{
	unsigned char reply[HELLO_REPLY_LEN];
	int most = stream->said == SAID_TLS ? (int)sizeof(reply) : (int)sizeof(switching) - 1,
	    one = 1;
	enum said said = stream->said;
	ssize_t n;

	if (stream->passed > 0)
		return LOOK_PASS;
	if (stream->stage != STAGE_FLOW)
		return LOOK_MORE;
	n = recv(stream->upstream.fd, reply, (size_t)most, MSG_PEEK | MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return LOOK_MORE;
	if (n <= 0) /* it has ended */
		stream->said = said == SAID_TLS ? SAID_ALL : SAID_HTTP;
	else
		stream->said = interpret_reply(said, reply, (size_t)n);
	if (stream->said == said) {
		if (poll(&(struct pollfd){ .fd = stream->upstream.fd, .events = POLLRDHUP }, 1, 0) >
			0)
			return cut_for(stream, "the server ended amid its reply");
		/* Not to be told of these few bytes again and again. */
		setsockopt(stream->upstream.fd, SOL_SOCKET, SO_RCVLOWAT, &most, sizeof(most));
		return LOOK_MORE;
	}
	/* To it, that was no hello: then what follows is not what it seems either. */
	if (stream->said == SAID_NOTHING)
		return cut_for(stream, "the server does not speak TLS");
	setsockopt(stream->upstream.fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
	return say_look(stream);
}

/* -- a second hello --------------------------------------------------------------------- */

static enum look
look_at_second(struct stream *stream)
{
	char name[HELLO_NAME_MAX];
	size_t n;

	while ((n = hello_skip(stream->in + stream->passed, stream->n_in - stream->passed)) > 0)
		stream->passed += n;
	if (stream->passed < stream->n_in &&
		(stream->in[stream->passed] == 0x14 || stream->in[stream->passed] == 0x17))
		return stream->passed > 0 ? LOOK_PASS : LOOK_MORE;
	switch (hello_parse(stream->in + stream->passed, stream->n_in - stream->passed, name)) {
	case HELLO_MORE:
		if (stream->n_in - stream->passed == STREAM_IN_MAX || stream->in_ended)
			return cut_for(stream, "its second TLS hello has no end");
		return stream->passed > 0 ? LOOK_PASS : LOOK_MORE;
	case HELLO_NAMED:
		if (streq(name, stream->name) || is_short_for(name, stream->name))
			return pass_all_input(stream);
		return cut_for(stream, "its second TLS hello asks for another name");
	default:
		return cut_for(stream, "its second TLS hello asks for no name");
	}
}

/* -- behind CONNECT ----------------------------------------------------------------------- */

/* A proxy that wants to know who asks for it has said no, and is asked again. */
static enum look
look_behind_connect(struct stream *stream)
{
	struct head head = { 0 };
	enum head_kind kind = head_parse(stream->in, stream->n_in, true, &head);

	if (kind == HEAD_MORE && !stream->in_ended)
		return LOOK_MORE;
	if (kind == HEAD_WHOLE && head.connect)
		return next_head(stream, true);
	return cut_for(stream, NO_TUNNEL);
}

/* -- anything ------------------------------------------------------------------------------- */

static enum look
look_at_first(struct stream *stream)
{
	char name[HELLO_NAME_MAX];
	enum look look;

	switch (hello_parse(stream->in, stream->n_in, name)) {
	case HELLO_MORE:
		if (!stream->in_ended)
			return LOOK_MORE;
		if (stream->n_in > 0 || stream->tunnel)
			return cut_for(stream, "it ended amid a TLS hello");
		/* Of several that were begun, programs let the slower ones be: in a moment
		 * that is known (see relay.c). */
		return stream->stage == STAGE_LISTEN ? LOOK_MORE : say_nothing(stream);
	case HELLO_NAMED:
		look = check_name(stream, name);
		if (look == LOOK_PASS || look == LOOK_ELSEWHERE) {
			stream->passed = hello_length(stream->in, stream->n_in);
			stream->said = SAID_TLS;
		}
		return look;
	case HELLO_NAMELESS:
		return stream->tunnel ? cut_for(stream, NO_TUNNEL) : say_no_name(stream);
	case HELLO_NOT:
		return stream->tunnel ? look_behind_connect(stream) : next_head(stream, true);
	default:
		return cut_for(stream, "its TLS hello cannot be read");
	}
}

/* Each look begins anew, so that one who sends byte by byte must not be looked at for
 * each: without an end of a line there is little new. */
static bool
is_nothing_new(struct stream *stream)
{
	size_t new = stream->n_in - stream->looked;

	bool record = stream->in[0] >= 0x14 && stream->in[0] <= 0x18; /* of TLS */

	if (stream->body_left > 0 || stream->chunked || record || stream->n_in < stream->looked ||
		stream->in_ended || stream->n_in < 1024 || stream->n_in == STREAM_IN_MAX ||
		new > stream->looked / 8)
		return false;
	return new > 0 && !memchr(stream->in + stream->looked, '\n', new);
}

enum look
say_look(struct stream *stream)
{
	if (stream->stage == STAGE_ENDED)
		return LOOK_CUT;
	if (stream->said == SAID_ALL)
		return pass_all_input(stream);
	if (say_awaits_reply(stream))
		return look_at_reply(stream);
	/* What was found before is on its way still, or a tunnel begins behind it. */
	if (stream->said != SAID_HTTP && stream->passed > 0)
		return LOOK_PASS;
	if (stream->said == SAID_TLS_AGAIN)
		return look_at_second(stream);
	if (stream->passed == 0 && stream->n_in > 0 && is_nothing_new(stream))
		return LOOK_MORE;
	stream->looked = stream->n_in;
	return stream->said == SAID_HTTP ? look_at_http(stream) : look_at_first(stream);
}

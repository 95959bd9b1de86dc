/* SPDX-License-Identifier: Apache-2.0 */
/* From what was decided to a connection: the address that the program wanted, if it
 * was given for the name; else those that the name leads to now, as ambit itself is
 * told. A name is whatever its owner says today: one that leads to this machine or its
 * network opens nothing there. */

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "egress/relay/relay-private.h"
#include "perform/act.h"
#include "perform/permit.h"

#define DIAL_MS 1000	   /* for each address while there are others */
#define DIAL_LAST_MS 60000 /* for the last */

void
dial_stop(struct stream *stream)
{
	for (int i = 0; i < 2; i++) {
		upstream_cancel(stream->query[i]);
		stream->query[i] = NULL;
	}
	loop_forget(stream->relay->egress->loop, &stream->upstream);
	if (stream->upstream.fd >= 0)
		close(stream->upstream.fd);
	stream->upstream.fd = -1;
}

/* Nobody refused it: the way is closed, or there is none. */
static void
fail_stream(struct stream *stream, int error)
{
	stream_end_permit(stream, -error);
	if (stream->proxied)
		proxy_reply(stream, 502);
	stream_cut(stream, NULL, NULL);
}

/* -- connecting ------------------------------------------------------------------------------ */

void
dial_connected(struct stream *stream)
{
	struct egress *egress = stream->relay->egress;
	int one = 1, fd = stream->upstream.fd;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	stream_end_permit(stream, 0);
	egress->line.connected(egress->line.data);
	if (stream->proxied)
		proxy_reply(stream, 200);
	stream_stage(stream, STAGE_FLOW);
}

/* An address of this machine is the source of what is sent to it. 1 or 0; -errno: that
 * cannot be found out. */
static int
is_own(const struct dns_address *address)
{
	struct sockaddr_storage to, from = { 0 };
	socklen_t len = egress_sockaddr(address, 9, &to), from_len = sizeof(from);
	auto_close int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct dns_address source;

	if (fd < 0)
		return errno == EAFNOSUPPORT ? 0 : -errno;
	return connect(fd, (struct sockaddr *)&to, len) == 0 &&
	       getsockname(fd, (struct sockaddr *)&from, &from_len) == 0 &&
	       egress_address(&from, &source) && source.v6 == address->v6 &&
	       memcmp(source.ip, address->ip, address->v6 ? 16 : 4) == 0;
}

static int
is_near(const struct dns_address *address)
{
	return names_near(address) ? 1 : is_own(address);
}

/* What a name leads to is whatever its owner says: not what is near, and not what was
 * refused for itself. stream->to. */
static bool
may_dial(struct stream *stream, const struct dns_address *address)
{
	const struct egress_line *line = &stream->relay->egress->line;
	auto_free char *host = NULL;

	if (is_near(address) != 0)
		return false;
	host = egress_text(&stream->to);
	if (!host)
		return false;
	if (!line->refuses(line->data, host))
		return true;
	line->refuse(line->data, &stream->who, host, "it was refused for itself");
	return false;
}

static int
dial_address(struct stream *stream, socklen_t len)
{
	/* One decision is one act, however many addresses it takes. */
	struct pass pass = stream->pass;
	int fd = socket(stream->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;

	if (fd < 0)
		return -errno;
	stream->upstream.fd = fd;
	r = act_connect(&pass, fd, (const struct sockaddr *)&stream->to, len);
	if (r == 0 || r == -EINPROGRESS)
		r = loop_watch(stream->relay->egress->loop, &stream->upstream, EPOLLOUT);
	if (r < 0)
		dial_stop(stream);
	else
		stream_stage(stream, STAGE_DIAL);
	return r;
}

/* The next address of the name, or the end. */
static void
dial_next_address(struct stream *stream, int error)
{
	dial_stop(stream);
	while (stream->next_address < stream->n_addresses) {
		const struct dns_address *address = &stream->address[stream->next_address++];
		socklen_t len = egress_sockaddr(address, stream->port, &stream->to);

		if (!may_dial(stream, address))
			continue;
		error = -dial_address(stream, len);
		if (error == 0)
			return;
	}
	fail_stream(stream, error);
}

void
dial_ready(struct stream *stream, uint32_t events)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(stream->upstream.fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error != 0)
		dial_next_address(stream, error);
	else if (events & EPOLLOUT)
		dial_connected(stream);
}

/* Whoever does not wait for a connection is told that it has come: so it would not try
 * the next address of the name, and that is done here. */
static void
add_others(struct stream *stream)
{
	struct egress *egress = stream->relay->egress;
	struct dns_address list[STREAM_ADDRESSES];
	const struct dns_address *first = &stream->address[0];
	size_t n = names_addresses(
		egress->names, stream->name, clock_steady(), list, STREAM_ADDRESSES);

	/* Those of the other kind first: where one way is dead, all of its kind are. */
	for (int other = 1; other >= 0; other--)
		for (size_t i = 0; i < n && stream->n_addresses < STREAM_ADDRESSES; i++)
			if ((list[i].v6 != first->v6) == other &&
				(other || memcmp(list[i].ip, first->ip, sizeof(first->ip)) != 0))
				stream->address[stream->n_addresses++] = list[i];
}

/* An address that was decided about is dialed as it was given, link and all. */
void
dial_to(struct stream *stream)
{
	int r;

	stream->n_addresses = stream->next_address = 0;
	if (stream->kind == PASSAGE_NAMED) {
		stream->n_addresses = egress_address(&stream->to, &stream->address[0]);
		if (stream->n_addresses > 0)
			add_others(stream);
		dial_next_address(stream, EADDRNOTAVAIL);
		return;
	}
	dial_stop(stream);
	r = dial_address(stream, stream->to.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
								  : sizeof(struct sockaddr_in));
	if (r < 0)
		fail_stream(stream, -r);
}

void
dial_tick(struct stream *stream, int64_t now)
{
	int64_t most = stream->next_address < stream->n_addresses ? DIAL_MS : DIAL_LAST_MS;

	if (stream->stage != STAGE_DIAL || now - stream->since < most)
		return;
	dial_next_address(stream, ETIMEDOUT);
	stream_go(stream);
}

/* -- finding ----------------------------------------------------------------------------------- */

/* Where all of them are near, the first is decided about as what it is. */
static void
go_near(struct stream *stream, const struct dns_address *address)
{
	egress_sockaddr(address, stream->port, &stream->to);
	stream->kind = PASSAGE_ADDRESS;
	stream_stage(stream, STAGE_FIND);
	if (stream_decide(stream, NULL, 0, NULL) == DECIDED_YES)
		dial_to(stream);
}

static void
choose_destination(struct stream *stream)
{
	size_t near = 0;
	int r = 1;

	for (; near < stream->n_addresses && r > 0; near += r > 0)
		r = is_near(&stream->address[near]);
	stream->next_address = 0;
	if (r < 0)
		fail_stream(stream, -r);
	else if (near > 0 && near == stream->n_addresses && !stream->tunnel)
		go_near(stream, &stream->address[0]);
	else
		dial_next_address(stream, EHOSTUNREACH);
}

static void
add_stream_addresses(struct stream *stream, const struct dns_address *list, size_t n)
{
	for (size_t i = 0; i < n && stream->n_addresses < STREAM_ADDRESSES; i++) {
		stream->address[stream->n_addresses] = list[i];
		names_fold(&stream->address[stream->n_addresses++]);
	}
}

static void
handle_dns_answer(struct stream *stream, int which, const struct dns_answer *answer)
{
	struct egress *egress = stream->relay->egress;

	stream->query[which] = NULL;
	if (answer) {
		names_add(egress->names, stream->name, answer->address, answer->n, clock_steady());
		add_stream_addresses(stream, answer->address, answer->n < 8 ? answer->n : 8);
	}
	if (stream->query[0] || stream->query[1])
		return;
	choose_destination(stream);
	stream_go(stream);
}

static void
found_v4(void *data, const struct dns_answer *answer, const void *message, size_t len)
{
	(void)message;
	(void)len;
	handle_dns_answer(data, 0, answer);
}

static void
found_v6(void *data, const struct dns_answer *answer, const void *message, size_t len)
{
	(void)message;
	(void)len;
	handle_dns_answer(data, 1, answer);
}

static int
start_dns_query(struct stream *stream, enum dns_type type, upstream_done *done, int which)
{
	struct egress *egress = stream->relay->egress;
	struct pass pass = stream->pass;
	struct dns_query query;

	if (dns_query_init(&query, stream->name, type) < 0)
		return -EINVAL;
	return upstream_ask(egress->upstream, &pass, &query, done, stream, &stream->query[which]);
}

void
dial_name(struct stream *stream)
{
	/* What went ahead went to the wrong one, and all of it goes to this one. */
	stream->ahead = 0;
	if (stream->down.ended || stream->down.held > 0 || stream->down.came) {
		stream_cut(stream, NULL, NULL);
		return;
	}
	dial_stop(stream);
	stream_stage(stream, STAGE_FIND);
	stream->n_addresses = names_hosts(stream->name, stream->address, STREAM_ADDRESSES);
	if (stream->n_addresses > 0) {
		choose_destination(stream);
		return;
	}
	if (start_dns_query(stream, DNS_A, found_v4, 0) < 0 ||
		start_dns_query(stream, DNS_AAAA, found_v6, 1) < 0)
		fail_stream(stream, EBUSY);
}

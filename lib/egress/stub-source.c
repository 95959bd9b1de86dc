/* SPDX-License-Identifier: Apache-2.0 */
/* Some resolvers take an answer only from the address that they asked (musl, c-ares).
 * Their question goes on from their own socket then, made anew, to the very name server
 * that they meant; its answer reaches them, not us, so the name was looked up by us
 * as well, a moment before, for the addresses. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "egress/stub-private.h"
#include "perform/act.h"

#define DETOUR_MS 1000		  /* for the name server's answer to come in */
#define SEVERAL_MS 300		  /* for several */
#define NOWHERE "refused.invalid" /* RFC 6761: no name server knows it */

/* It has the program's id, and that can carry something: not too often. */
static void
send_from(struct ask *ask, int fd, const struct sockaddr_storage *to, socklen_t len, void *data,
	size_t size)
{
	const struct egress_line *line = &ask->stub->egress->line;
	int64_t now = loop_now(ask->stub->egress->loop);
	bool first = false;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr message = {
		.msg_name = (void *)to,
		.msg_namelen = len,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	if (!own_allows(&ask->stub->own, now, &first)) {
		if (first)
			line->refuse(line->data, &ask->who, ask->query.name,
				"too many questions left by sockets of the program's own in a "
				"short "
				"time; their ids can carry data");
		return;
	}
	/* The look-up began with a pass; this is the rest of it. */
	act_send_again(fd, &message, MSG_DONTWAIT);
}

void
parcel_send(struct ask *ask)
{
	unsigned char message[DNS_UDP_PLAIN];
	size_t len = dns_make_query(&ask->query, ask->query.id, message);

	send_from(ask, ask->parcel->socket, &ask->parcel->to, ask->parcel->to_len, message, len);
}

/* Nothing can be said in the name server's place. But it can be asked for a name that
 * is none, and says no by itself, at once: with the same id that is what the program
 * waits for. Who compares the question waits until his time is up. */
void
parcel_refuse(struct ask *ask)
{
	unsigned char message[DNS_UDP_PLAIN];
	struct dns_query nowhere;
	size_t len;

	if (dns_query_init(&nowhere, NOWHERE, DNS_A) < 0)
		return;
	len = dns_make_query(&nowhere, ask->query.id, message);
	send_from(ask, ask->parcel->socket, &ask->parcel->to, ask->parcel->to_len, message, len);
}

/* -- a socket that is connected to us -------------------------------------------------------- */

void
detour_end(struct detour *detour)
{
	struct stub *stub = detour->stub;

	for (struct detour **at = &stub->detours; *at; at = &(*at)->next)
		if (*at == detour) {
			*at = detour->next;
			break;
		}
	loop_forget(stub->egress->loop, &detour->watch);
	egress_rejoin(stub->egress, detour->watch.fd, detour->door);
	close(detour->watch.fd);
	free(detour);
}

/* What waits to be read there may be an answer of ours to another question: then it
 * takes as long as it takes. */
static void
handle_detour_event(void *data, uint32_t events)
{
	struct detour *detour = data;
	struct sockaddr_storage from = { 0 };
	socklen_t len = sizeof(from);
	char byte;

	(void)events;
	if (recvfrom(detour->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, (struct sockaddr *)&from,
		    &len) < 0 ||
		egress_port_of(&from) != egress_port_of(&detour->door->at))
		detour_end(detour);
	else
		loop_forget(detour->stub->egress->loop, &detour->watch);
}

/* Whoever has asked for something else meanwhile waits for both answers: how many have
 * come in, only he knows. */
static bool
join_detour(struct ask *ask, unsigned char *message, size_t len)
{
	struct stub *stub = ask->stub;
	struct sockaddr_storage to;
	socklen_t to_len;

	for (struct detour *detour = stub->detours; detour; detour = detour->next) {
		auto_close int fd = -1;

		if (memcmp(&detour->from, &ask->from, sizeof(ask->from)) != 0)
			continue;
		fd = egress_part(stub->egress, &ask->from, &to, &to_len);
		if (fd >= 0)
			send_from(ask, fd, &to, to_len, message, len);
		loop_forget(stub->egress->loop, &detour->watch);
		detour->until = loop_now(stub->egress->loop) + SEVERAL_MS;
		return true;
	}
	return false;
}

/* For that while the socket has no peer: what the program sends by it fails, and
 * cannot go anywhere. */
bool
detour_begin(struct ask *ask)
{
	struct stub *stub = ask->stub;
	struct sockaddr_storage to;
	socklen_t to_len;
	unsigned char message[DNS_UDP_PLAIN];
	size_t len = dns_make_query(&ask->query, ask->query.id, message);
	auto_close int fd = -1;
	struct detour *detour;

	if (join_detour(ask, message, len))
		return true;
	fd = egress_part(stub->egress, &ask->from, &to, &to_len);
	detour = fd >= 0 ? calloc(1, sizeof(*detour)) : NULL;
	if (!detour)
		return false;
	*detour = (struct detour){
		.next = stub->detours,
		.stub = stub,
		.door = ask->door,
		.from = ask->from,
		.watch = { .fd = fd, .ready = handle_detour_event, .data = detour },
		.until = loop_now(stub->egress->loop) + DETOUR_MS,
	};
	send_from(ask, fd, &to, to_len, message, len);
	stub->detours = detour;
	loop_watch(stub->egress->loop, &detour->watch, EPOLLIN);
	steal_fd(&fd);
	return true;
}

void
detour_tick(struct stub *stub, int64_t now)
{
	struct detour *detour = stub->detours, *next;

	for (; detour; detour = next) {
		next = detour->next;
		if (detour->until <= now)
			detour_end(detour);
	}
}

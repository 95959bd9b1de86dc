/* SPDX-License-Identifier: Apache-2.0 */
/* The doors: sockets on the loopback that listen, and what becomes of who comes in. */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "egress/egress-private.h"
#include "egress/dns/resolv.h"

#define BACKLOG 4096

static void
accept_arrival(struct door *door, int fd, const struct sockaddr_storage *from)
{
	struct egress *egress = door->egress;
	struct arrival *arrival = egress_arrive(egress, door->kind, from);

	if (!arrival)
		close(fd);
	else if (door->kind == DOOR_STUB)
		stub_accept(egress->stub, fd, arrival);
	else if (door->kind == DOOR_PROXY)
		relay_accept_proxy(egress->relay, fd, arrival);
	else
		relay_accept(egress->relay, fd, arrival);
	arrival_destroy(arrival);
}

/* Without a descriptor for him nobody can be let in, nor sent away: one is kept for
 * that. False: somebody else was quicker, and has it. */
static bool
reject_arrival(struct door *door)
{
	struct sockaddr_storage from = { 0 };
	socklen_t len = sizeof(from);
	struct egress *egress = door->egress;
	struct arrival *arrival;
	int fd;

	close(egress->spare);
	fd = accept4(door->watch.fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);
	if (fd >= 0) {
		arrival = egress_arrive(egress, door->kind, &from);
		if (arrival)
			passage_destroy(egress, arrival->passage);
		arrival_destroy(arrival);
		close(fd);
	}
	egress->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

static void
door_ready(void *data, uint32_t events)
{
	struct door *door = data;

	(void)events;
	if (door->kind == DOOR_QUERIES) {
		stub_receive(door->egress->stub, door);
		return;
	}
	for (int i = 0; i < 64; i++) {
		struct sockaddr_storage from = { 0 };
		socklen_t len = sizeof(from);
		int fd = accept4(door->watch.fd, (struct sockaddr *)&from, &len,
			SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			accept_arrival(door, fd, &from);
		} else if (errno == EMFILE || errno == ENFILE) {
			if (reject_arrival(door))
				continue;
			loop_forget(door->egress->loop, &door->watch); /* until doors_watch */
			return;
		} else if (errno != ECONNABORTED && errno != EINTR) {
			return;
		}
	}
}

void
doors_watch(struct egress *egress)
{
	for (int i = 0; i < DOOR_N * 2; i++)
		if (egress->door[i / 2][i % 2].watch.fd >= 0)
			loop_watch(egress->loop, &egress->door[i / 2][i % 2].watch, EPOLLIN);
}

/* Who checks where an answer comes from looks at the address, not at the port: on a
 * name server of the loopback's own address ours is taken for it. */
static void
stub_address(struct in_addr *ret)
{
	struct resolv resolv;

	ret->s_addr = htonl(INADDR_LOOPBACK);
	if (resolv_read(&resolv) < 0)
		return;
	for (size_t i = 0; i < resolv.n; i++) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&resolv.server[i];

		if (in->sin_family == AF_INET && (ntohl(in->sin_addr.s_addr) >> 24) == 127) {
			*ret = in->sin_addr;
			return;
		}
	}
}

/* Its address is known. Takes the socket, on success. */
int
door_watch(struct egress *egress, enum door_kind kind, bool v6, int fd)
{
	struct door *door = &egress->door[kind][v6];
	int r;

	door->egress = egress;
	door->kind = kind;
	door->v6 = v6;
	door->port = egress_port_of(&door->at);
	door->watch = (struct loop_watch){ .fd = fd, .ready = door_ready, .data = door };
	r = loop_watch(egress->loop, &door->watch, EPOLLIN);
	if (r < 0)
		door->watch.fd = -1;
	return r;
}

int
door_open(struct egress *egress, enum door_kind kind, bool v6)
{
	struct door *door = &egress->door[kind][v6];
	struct sockaddr_in *in = (struct sockaddr_in *)&door->at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&door->at;
	int type = kind == DOOR_QUERIES ? SOCK_DGRAM : SOCK_STREAM, r;
	auto_close int fd = -1;

	memset(&door->at, 0, sizeof(door->at));
	if (v6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_addr = in6addr_loopback;
		door->len = sizeof(*in6);
	} else {
		in->sin_family = AF_INET;
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (kind == DOOR_QUERIES || kind == DOOR_STUB)
			stub_address(&in->sin_addr);
		door->len = sizeof(*in);
	}
	fd = socket(door->at.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&door->at, door->len) < 0 ||
		(type == SOCK_STREAM && listen(fd, BACKLOG) < 0) ||
		getsockname(fd, (struct sockaddr *)&door->at, &door->len) < 0)
		return -errno;
	r = door_watch(egress, kind, v6, fd);
	if (r == 0)
		steal_fd(&fd);
	return r;
}

int
egress_proxy_open(int *ret_fd, int *ret_port, char ret_token[EGRESS_TOKEN])
{
	struct sockaddr_storage at = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&at;
	socklen_t len = sizeof(at);
	unsigned char bytes[(EGRESS_TOKEN - 1) / 2];
	auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(*in)) < 0 ||
		listen(fd, BACKLOG) < 0 || getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return -errno;
	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2hex(ret_token, EGRESS_TOKEN, bytes, sizeof(bytes));
	*ret_port = egress_port_of(&at);
	*ret_fd = steal_fd(&fd);
	return 0;
}

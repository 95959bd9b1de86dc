/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets of the target's, on their way to a door: connected to it and announced in one
 * step, by the gate's own threads. */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/program.h"
#include "egress/egress-private.h"

#define ARRIVALS_MAX 2048 /* announced and not yet there, or asking for names */
#define PARCELS_MAX 256
#define JOIN_MS 200 /* for a connect on the loopback */

/* Which door an address leads to, seen from a socket of that domain: to an IPv6
 * one, those of IPv4 are mapped. */
static const struct door *
find_door(struct egress *egress, enum door_kind kind, const struct sockaddr *to,
	struct sockaddr_storage *ret_at, socklen_t *ret_len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)to;
	struct sockaddr_in6 *mapped = (struct sockaddr_in6 *)ret_at;
	bool six = to->sa_family == AF_INET6;
	bool v6 = six && !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
	const struct door *door = &egress->door[kind][v6];

	if (door->watch.fd < 0)
		return NULL;
	*ret_at = door->at;
	*ret_len = door->len;
	if (six && !v6) {
		memset(mapped, 0, sizeof(*mapped));
		mapped->sin6_family = AF_INET6;
		mapped->sin6_port = ((const struct sockaddr_in *)&door->at)->sin_port;
		mapped->sin6_addr.s6_addr[10] = mapped->sin6_addr.s6_addr[11] = 0xff;
		memcpy(mapped->sin6_addr.s6_addr + 12,
			&((const struct sockaddr_in *)&door->at)->sin_addr, 4);
		*ret_len = sizeof(*mapped);
	}
	return door;
}

int
egress_part(struct egress *egress, const struct sockaddr_storage *from,
	struct sockaddr_storage *ret_wanted, socklen_t *ret_len)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	const struct arrival *arrival;
	struct sockaddr_storage own = { 0 };
	char device[IFNAMSIZ] = "";
	socklen_t len = sizeof(own), size = sizeof(device);
	int fd = -ENOENT, no = 0;

	pthread_mutex_lock(&egress->lock);
	arrival = *arrival_find(egress, DOOR_QUERIES, from);
	if (arrival && arrival->socket >= 0) {
		fd = fcntl(arrival->socket, F_DUPFD_CLOEXEC, 3);
		*ret_wanted = arrival->wanted;
		*ret_len = arrival->wanted_len;
	}
	pthread_mutex_unlock(&egress->lock);
	if (fd < 0)
		return fd;
	/* With its peer it would lose the device that it is held to. */
	if (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &size) < 0 || device[0] != '\0') {
		close(fd);
		return -EPERM;
	}
	/* What waits there for more was meant for us. */
	setsockopt(fd, IPPROTO_UDP, UDP_CORK, &no, sizeof(no));
	/* Its port goes with the peer, unless it is asked for: others may answer to it. */
	getsockname(fd, (struct sockaddr *)&own, &len);
	connect(fd, &none, sizeof(none));
	if (own.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&own)->sin6_addr = in6addr_any;
	else
		((struct sockaddr_in *)&own)->sin_addr.s_addr = htonl(INADDR_ANY);
	bind(fd, (struct sockaddr *)&own, len);
	return fd;
}

void
egress_rejoin(struct egress *egress, int fd, const struct door *door)
{
	struct sockaddr_storage at;
	socklen_t len;
	int domain = 0;
	socklen_t size = sizeof(domain);
	struct sockaddr_storage to = door->at;

	/* An IPv6 socket knows the door by its mapped address. */
	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
	if (domain == AF_INET6 && !door->v6) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&to;

		memset(&to, 0, sizeof(to));
		in6->sin6_family = AF_INET6;
		in6->sin6_addr.s6_addr[10] = in6->sin6_addr.s6_addr[11] = 0xff;
	}
	if (find_door(egress, door->kind, (const struct sockaddr *)&to, &at, &len))
		connect(fd, (const struct sockaddr *)&at, len);
}

/* Never for long: the lock is held. O_NONBLOCK is the program's own; its timeout is,
 * too, but during a connect nothing else looks at it. */
static int
connect_soon(int fd, const struct sockaddr_storage *at, socklen_t len)
{
	struct timeval before = { 0 }, soon = { .tv_usec = JOIN_MS * 1000 };
	socklen_t size = sizeof(before);
	int flags = fcntl(fd, F_GETFL), r;

	if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &before, &size) < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
	r = connect(fd, (const struct sockaddr *)at, len) < 0 ? -errno : 0;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &before, sizeof(before));
	return r == -EINPROGRESS && !(flags & O_NONBLOCK) ? -ETIMEDOUT : r;
}

/* Announces the arrival; takes it if 0 or -EINPROGRESS is returned. */
static int
connect_arrival(struct egress *egress, int fd, const struct sockaddr *to, struct arrival *arrival)
{
	struct sockaddr_storage at, own = { 0 };
	socklen_t len, own_len = sizeof(own);
	const struct door *door;
	int r = egress_start(egress);

	if (r < 0)
		return r;
	if (egress->n_arrivals >= ARRIVALS_MAX)
		arrivals_sweep(egress, clock_steady());
	door = find_door(egress, arrival->kind, to, &at, &len);
	if (!door)
		return -ENETUNREACH;
	if (egress->n_arrivals >= ARRIVALS_MAX)
		return -EAGAIN;
	r = connect_soon(fd, &at, len);
	if (r < 0 && r != -EINPROGRESS)
		return r;
	if (getsockname(fd, (struct sockaddr *)&own, &own_len) < 0)
		return -errno;
	arrival->from = own;
	arrival_add(egress, arrival);
	return r;
}

static int
join_as(struct egress *egress, int fd, const struct sockaddr *to, const struct arrival *as)
{
	struct arrival *arrival = malloc(sizeof(*arrival));
	int r;

	if (!arrival)
		return -ENOMEM;
	*arrival = *as;
	pthread_mutex_lock(&egress->lock);
	r = connect_arrival(egress, fd, to, arrival);
	if (r == 0 || r == -EINPROGRESS)
		loop_wake(egress->loop);
	pthread_mutex_unlock(&egress->lock);
	if (r < 0 && r != -EINPROGRESS) {
		arrival->socket = -1; /* the caller's still */
		arrival_destroy(arrival);
	}
	return r;
}

int
egress_join_stub(struct egress *egress, int fd, int type, const struct sockaddr *to,
	const struct egress_who *who)
{
	struct arrival as = {
		.kind = type == SOCK_DGRAM ? DOOR_QUERIES : DOOR_STUB,
		.who = *who,
		.socket = -1,
		.wanted_len = to->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							: sizeof(struct sockaddr_in),
	};
	int r;

	memcpy(&as.wanted, to, as.wanted_len);
	if (type == SOCK_DGRAM)
		as.socket = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	r = join_as(egress, fd, to, &as);
	if (r < 0 && as.socket >= 0)
		close(as.socket);
	return r;
}

int
egress_join_proxy(
	struct egress *egress, int fd, const struct sockaddr *to, const struct egress_who *who)
{
	const struct arrival as = { .kind = DOOR_PROXY, .who = *who, .socket = -1 };

	return join_as(egress, fd, to, &as);
}

int
egress_join_relay(struct egress *egress, int fd, struct passage *passage)
{
	struct arrival as = { .kind = DOOR_RELAY, .who = passage->who, .socket = -1 };
	int r = -ENOMEM;

	as.passage = malloc(sizeof(*as.passage));
	if (as.passage) {
		*as.passage = *passage;
		r = join_as(egress, fd, (const struct sockaddr *)&passage->to, &as);
	}
	if (r == 0 || r == -EINPROGRESS)
		return r;
	if (as.passage) {
		passage_destroy(egress, as.passage);
		return r;
	}
	if (passage->upstream >= 0)
		close(passage->upstream);
	if (passage->verdict.ticket)
		egress->line.withdraw(egress->line.data, passage->verdict.ticket);
	return r;
}

int
egress_query(struct egress *egress, int fd, const struct sockaddr *to, socklen_t len,
	const void *data, size_t size, const struct egress_who *who)
{
	struct parcel *parcel;
	int r;

	if (size > sizeof(parcel->data) || len > sizeof(parcel->to))
		return -EMSGSIZE;
	parcel = calloc(1, sizeof(*parcel));
	if (!parcel)
		return -ENOMEM;
	parcel->who = *who;
	memcpy(&parcel->to, to, len);
	parcel->to_len = len;
	memcpy(parcel->data, data, size);
	parcel->size = size;
	parcel->socket = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	pthread_mutex_lock(&egress->lock);
	r = parcel->socket < 0 ? -errno : egress_start(egress);
	if (r == 0 && egress->n_parcels >= PARCELS_MAX)
		r = -ENOBUFS;
	if (r == 0) {
		parcel->next = egress->parcels;
		egress->parcels = parcel;
		egress->n_parcels++;
		loop_wake(egress->loop);
	}
	pthread_mutex_unlock(&egress->lock);
	if (r < 0) {
		if (parcel->socket >= 0)
			close(parcel->socket);
		free(parcel);
	}
	return r;
}

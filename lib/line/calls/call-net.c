/* SPDX-License-Identifier: Apache-2.0 */
/* connect, bind and listen, each done by the supervisor on the target's own
 * socket (the open file is shared) and on the one copy of its address. Never
 * CONTINUE: no floor bounds these calls, and memory and descriptors can change
 * before the kernel looks again. */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/fd.h"
#include "base/program.h"
#include "egress/dns/resolv.h"
#include "line/calls/bind-path.h"
#include "line/calls/socket-peer.h"
#include "line/gate/gate-private.h"
#include "perform/act.h"
#include "perform/permit.h"

#define STEP_MS 20 /* between two looks whether the call is given up */

/* The state of the op, kept for the second time. */
static struct peer *
peer_of(struct call *call)
{
	if (!call->peer)
		call->peer = calloc(1, sizeof(*call->peer));
	return call->peer;
}

/* -- connect ----------------------------------------------------------------------- */

/* Only a stream has to wait for its peer. By TCP what is allowed is begun at once, and
 * waits elsewhere only if it must (see hand_over); and a program that may not wait does
 * not: while a person is asked it is on its way, to the relay. */
static void
set_manner(struct call *call, const struct peer *peer)
{
	bool quick;

	if (peer->type == SOCK_DGRAM || peer->to.kind == ENDPOINT_NONE)
		return;
	quick = peer->phase != PHASE_BUSY && peer->allowed;
	if (peer->to.kind == ENDPOINT_INET && (peer->flags & O_NONBLOCK) && call->host &&
		peer->same_netns && call->gate->egress)
		call->pace = PACE_PROMISED;
	else if (!quick)
		call->pace = PACE_SLOW;
}

/* See hold_to_loopback. */
static bool
is_held(int fd)
{
	char device[IFNAMSIZ] = "";
	socklen_t len = sizeof(device); /* less is EINVAL */

	return getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &len) == 0 &&
	       strcmp(device, "lo") == 0;
}

/* Without a peer, the kernel forgets a datagram socket's device as well, and others would
 * be heard before it had one again. One that has no peer has lost it already. */
static int
lose_peer(struct call *call, const struct peer *peer)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	if (peer->type != SOCK_DGRAM || peer->domain == AF_UNIX || !is_held(call->subject_fd))
		return CALL_DECIDE;
	if (getpeername(call->subject_fd, (struct sockaddr *)&address, &len) == 0)
		return -EACCES;
	return call_value(call, 0);
}

/* What was begun was decided: it waits for its end, on the sockets that it began on,
 * whatever their numbers are now. */
static int
prepare_begun_connect(struct call *call)
{
	int subject = steal_fd(&call->subject_fd), upstream = steal_fd(&call->upstream_fd);

	call_begin(call);
	call->subject_fd = subject;
	call->upstream_fd = upstream;
	free(call->host);
	call->host = NULL;
	call->pace = PACE_SLOW;
	return CALL_DECIDE;
}

static int
connect_prepare(struct call *call)
{
	struct peer *peer = peer_of(call);
	int r;

	if (!peer)
		return -ENOMEM;
	if (peer->phase == PHASE_BEGUN)
		return prepare_begun_connect(call);
	call_begin(call);
	peer->connects = true;
	r = peer_socket(call, peer);
	if (r == 0)
		r = peer_address(call, peer, call->args[1], call->args[2], ENDPOINT_CONNECT);
	if (r == 0 && peer->to.kind == ENDPOINT_NONE)
		r = lose_peer(call, peer);
	if (r == 0)
		r = peer_decide(call, peer);
	if (r == 0)
		set_manner(call, peer);
	return r;
}

/* The gate prepares again, finds the call slow and gives it to a worker. A unix socket
 * whose peer is busy has not begun: all of it is done again there. */
static int
defer_connect(struct call *call)
{
	call->peer->phase = call->peer->domain == AF_UNIX ? PHASE_BUSY : PHASE_BEGUN;
	return CALL_HAND_OVER;
}

static void
set_timeout(int fd, const struct timeval *timeout)
{
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, timeout, sizeof(*timeout));
}

/* One try that waits for ms at most. A blocked connect could not be given up,
 * and O_NONBLOCK is the program's own, shared with us; so is this timeout, but
 * it is put back at once, and during a connect nothing else looks at it. */
static int
try_connect(struct call *call, const struct sockaddr *address, socklen_t len, int ms)
{
	struct timeval before = { 0 }, step = { .tv_usec = ms * 1000 };
	socklen_t size = sizeof(before);
	int fd = call->subject_fd, r;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &before, &size) < 0)
		return -errno;
	set_timeout(fd, &step);
	r = act_connect_again(fd, address, len);
	set_timeout(fd, &before);
	return r;
}

/* Begins without waiting at all, and looks whether it is through: a machine nearby has
 * answered by then. O_NONBLOCK is the program's own, too, and put back at once: nobody can
 * be reading from a socket that is not connected. One that may be waits for a moment. */
static int
begin_connect(struct call *call, const struct peer *peer, struct pass *pass,
	const struct sockaddr *address, socklen_t len)
{
	int fd = call->subject_fd, r;

	if (peer->flags & O_NONBLOCK)
		return act_connect(pass, fd, address, len);
	if (peer->under_way) {
		r = pass_use(pass);
		if (r == 0)
			r = try_connect(call, address, len, 1);
		return r == -EALREADY ? -EINPROGRESS : r;
	}
	if (fcntl(fd, F_SETFL, peer->flags | O_NONBLOCK) < 0)
		return -errno;
	r = act_connect(pass, fd, address, len);
	if (r == -EINPROGRESS) /* TCP; a unix socket whose peer is busy has not begun */
		r = act_connect_again(fd, address, len);
	fcntl(fd, F_SETFL, peer->flags);
	return r == -EALREADY ? -EINPROGRESS : r;
}

static bool
is_connect_pending(int r)
{
	return r == -EINPROGRESS || r == -EALREADY || r == -EAGAIN || r == -EINTR;
}

/* Whether to wait on: 0, or why not. */
static int
may_wait(struct call *call, int64_t deadline)
{
	if (call_given_up(call))
		return -EINTR;
	return deadline && clock_steady() >= deadline ? -EINPROGRESS : 0;
}

/* TCP goes on by itself, and the second connect fetches the result. */
static int
wait_tcp(struct call *call, const struct sockaddr *address, socklen_t len)
{
	struct pollfd ready = { .fd = call->subject_fd, .events = POLLOUT };
	int64_t deadline = peer_deadline(call->subject_fd);
	int r = -EINPROGRESS, stop;

	while (is_connect_pending(r)) {
		stop = may_wait(call, deadline);
		if (stop < 0)
			return stop;
		if (poll(&ready, 1, STEP_MS) > 0)
			r = try_connect(call, address, len, 1);
	}
	return r == -EISCONN ? 0 : r;
}

/* A unix socket waits for room in the queue of its peer, inside connect. */
static int
wait_unix(struct call *call, const struct sockaddr *address, socklen_t len)
{
	int64_t deadline = peer_deadline(call->subject_fd);
	int r = -EAGAIN;

	while (is_connect_pending(r)) {
		int stop = may_wait(call, deadline);

		if (stop < 0)
			return stop == -EINPROGRESS ? -EAGAIN : stop;
		r = try_connect(call, address, len, STEP_MS);
		if (r == -EISCONN)
			r = 0;
	}
	return r;
}

static int
wait_for_peer(
	struct call *call, const struct peer *peer, const struct sockaddr *address, socklen_t len)
{
	return peer->domain == AF_UNIX ? wait_unix(call, address, len)
				       : wait_tcp(call, address, len);
}

static int
connect_stream(struct call *call, const struct peer *peer, struct pass *pass,
	const struct sockaddr *address, socklen_t len)
{
	int r;

	if (peer->phase == PHASE_BEGUN)
		return wait_for_peer(call, peer, address, len);
	r = begin_connect(call, peer, pass, address, len);
	if ((r != -EINPROGRESS && r != -EAGAIN) || (peer->flags & O_NONBLOCK))
		return r;
	return call->pace == PACE_SLOW ? wait_for_peer(call, peer, address, len)
				       : defer_connect(call);
}

/* -- by way of ambit itself --------------------------------------------------------------- */

/* Of a socket of ours that has begun: through, not yet (-EINPROGRESS), or failed. */
static int
end_dial(int fd, int wait_ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int error = 0;
	socklen_t len = sizeof(error);

	if (poll(&ready, 1, wait_ms) <= 0)
		return -EINPROGRESS;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -errno;
	return -error;
}

static int
wait_dial(struct call *call)
{
	int64_t deadline = peer_deadline(call->subject_fd);
	int r, stop = 0;

	while ((r = end_dial(call->upstream_fd, STEP_MS)) == -EINPROGRESS && stop == 0)
		stop = may_wait(call, deadline);
	return stop < 0 ? stop : r;
}

/* Connects a socket of ours to where the target wants to go: so a way that is closed
 * is closed for it as it would be without us. call->upstream_fd. */
static int
connect_to_peer(struct call *call, const struct peer *peer, struct pass *pass)
{
	int r;

	if (peer->phase == PHASE_BEGUN)
		return wait_dial(call);
	fd_close_at(&call->upstream_fd);
	call->upstream_fd =
		socket(peer->to.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (call->upstream_fd < 0)
		return -errno;
	r = act_connect(
		pass, call->upstream_fd, (const struct sockaddr *)&peer->to.address, peer->to.len);
	if (r == -EINPROGRESS)
		r = end_dial(call->upstream_fd, 0);
	if (r != -EINPROGRESS)
		return r;
	return call->pace == PACE_SLOW ? wait_dial(call) : defer_connect(call);
}

static int
join_relay(
	struct call *call, const struct peer *peer, struct pass *pass, const struct egress_who *who)
{
	bool unknown = peer->reason == REASON_SAYS;
	struct passage passage = {
		.kind = unknown		? PASSAGE_UNKNOWN
			: peer->name[0] ? PASSAGE_NAMED
					: PASSAGE_ADDRESS,
		.who = *who,
		.to = peer->to.address,
		.upstream = -1,
	};
	int r;

	memcpy(passage.name, peer->name, sizeof(passage.name));
	if (call->ticket) {
		passage.verdict.verdict = AMBIT_ASK;
		passage.verdict.ticket = call->ticket;
		call->ticket = 0;
	} else if (!unknown) {
		passage.verdict.verdict = AMBIT_ALLOW;
		passage.verdict.pass = *pass;
		if (!(peer->flags & O_NONBLOCK)) {
			r = connect_to_peer(call, peer, pass);
			if (r != 0)
				return r;
			passage.upstream = steal_fd(&call->upstream_fd);
		}
	}
	return egress_join_relay(call->gate->egress, call->subject_fd, &passage);
}

static int
join_egress(struct call *call, const struct peer *peer, struct pass *pass)
{
	struct egress *egress = call->gate->egress;
	const struct sockaddr *to = (const struct sockaddr *)&peer->to.address;
	struct egress_who who;
	int r = peer_who(call, &who);

	if (r < 0)
		return r;
	if (peer->way == ROUTE_STUB)
		r = egress_join_stub(egress, call->subject_fd, peer->type, to, &who);
	else if (peer->way == ROUTE_PROXY)
		r = egress_join_proxy(egress, call->subject_fd, to, &who);
	else
		r = join_relay(call, peer, pass, &who);
	return r;
}

static int
connect_by_egress(struct call *call, const struct peer *peer, struct pass *pass)
{
	int r = join_egress(call, peer, pass), installed;

	if (r != 0 && r != -EINPROGRESS)
		return r;
	installed = peer_install(call, peer, peer->type == SOCK_DGRAM);
	if (installed < 0)
		return installed;
	if (r == 0)
		call_value(call, 0);
	return r;
}

/* Before it is connected: so no thread can send in between. Without a peer this says
 * ENOTCONN, and does it; and a datagram socket cannot undo it. What waits in there for
 * more (splice has a flag for that) would go with the new address: it goes first. */
static void
shut_socket_writes(int fd)
{
	int no = 0;

	shutdown(fd, SHUT_WR);
	setsockopt(fd, IPPROTO_UDP, UDP_CORK, &no, sizeof(no));
}

/* A question that it does not wait for is taken to the relay as well. */
static bool
goes_by_egress(const struct call *call, const struct peer *peer)
{
	return call->ticket || peer->way == ROUTE_STUB || peer->way == ROUTE_RELAY ||
	       peer->way == ROUTE_PROXY;
}

static int
connect_perform(struct call *call, struct pass *pass)
{
	const struct peer *peer = call->peer;
	struct sockaddr_storage storage;
	const struct sockaddr *address = (const struct sockaddr *)&storage;
	bool stream = peer->type != SOCK_DGRAM && peer->to.kind != ENDPOINT_NONE;
	socklen_t len;
	int installed, r;

	if (goes_by_egress(call, peer))
		return connect_by_egress(call, peer, pass);
	peer_target(call, peer, &storage, &len);
	if (peer->way == ROUTE_MUTE)
		shut_socket_writes(call->subject_fd);
	if (stream)
		r = connect_stream(call, peer, pass, address, len);
	else
		r = act_connect(pass, call->subject_fd, address, len);
	if (r != 0 && r != -EINPROGRESS)
		return r;
	installed = peer_install(call, peer, peer->type == SOCK_DGRAM);
	if (installed < 0)
		return installed;
	if (peer->type == SOCK_DGRAM && peer->domain != AF_UNIX && peer->to.kind != ENDPOINT_NONE &&
		peer->way != ROUTE_MUTE)
		peer_remember(call); /* it has a port now, and its own server answers there */
	peer_tell(call, peer);
	if (r == 0)
		call_value(call, 0);
	return r;
}

const struct call_op call_connect = {
	.prepare = connect_prepare,
	.perform = connect_perform,
};

/* -- holding to the loopback ---------------------------------------------------------- */

/* A socket on the any-address hears only what comes in by the loopback device
 * from now on. It keeps the address that the program gave, so that IPv4 and
 * IPv6 both reach it; and without CAP_NET_RAW, which nobody in the tree has, it
 * is not undone. */
static int
hold_to_loopback(int fd)
{
	if (is_held(fd))
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) < 0 ? -EACCES : 0;
}

/* -- bind --------------------------------------------------------------------------- */

/* A stream accepts nothing before it listens: that is held then. A datagram
 * socket on the any-address with a port of the kernel's choice is what every
 * client has that just sends; with a port of its own it is a server. */
static bool
hears_at_once(const struct call *call, const struct peer *peer)
{
	return peer->type == SOCK_DGRAM &&
	       (peer->to.port != 0 || call->gate->net == AMBIT_NET_NONE);
}

static bool
may_share_port(int fd, int type)
{
	int port = 0, address = 0;
	socklen_t len = sizeof(port);

	if (getsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &port, &len) < 0)
		return true;
	len = sizeof(address);
	if (getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &address, &len) < 0)
		return true;
	return port || (address && type == SOCK_DGRAM);
}

static int
bind_prepare_inet(struct call *call, struct peer *peer)
{
	int r;

	free(call->host);
	call->host = NULL;
	/* With their consent the kernel gives one port to several, and the last of them what
	 * was meant for the first. Without, it would say the same. */
	r = peer->to.port != 0 ? peer_is_taken(call, peer) : 0;
	if (r > 0 || (r < 0 && may_share_port(call->subject_fd, peer->type)))
		return -EADDRINUSE;
	/* Whoever answers for names on this machine answers ambit, too, now or as soon as
	 * resolv.conf says so. */
	if (peer->to.port == RESOLV_PORT && call->gate->egress)
		return peer_ask(call, endpoint_text(&peer->to));
	if (endpoint_is_any(&peer->to) || endpoint_is_loopback(&peer->to))
		return CALL_DECIDE;
	r = endpoint_available(&peer->to);
	return r < 0 ? r : peer_ask(call, endpoint_text(&peer->to));
}

static int
bind_prepare_path(struct call *call, struct peer *peer)
{
	struct object *object = &call->object[0];
	int r = peer_resolve(call, peer, OBJECT_NOFOLLOW);

	if (r < 0)
		return r;
	if (object->exists || !object->name[0])
		return -EADDRINUSE;
	if (object->slash)
		return -ENOENT;
	if (object->parent < 0)
		return -EACCES;
	if (faccessat(object->parent, "", W_OK | X_OK, AT_EMPTY_PATH | AT_EACCESS) < 0)
		return -errno;
	r = target_umask(&call->target, &call->bind.umask);
	if (r < 0)
		return r;
	call->cwd_fd = target_cwd(&call->target);
	if (call->cwd_fd < 0)
		return call->cwd_fd;
	call_need(call, AMBIT_ACCESS_WRITE, 0);
	return CALL_DECIDE;
}

static int
bind_prepare(struct call *call)
{
	struct peer *peer = peer_of(call);
	int r;

	if (!peer)
		return -ENOMEM;
	call_begin(call);
	r = peer_socket(call, peer);
	if (r == 0)
		r = peer_address(call, peer, call->args[1], call->args[2], ENDPOINT_BIND);
	if (r < 0)
		return r;
	switch (peer->to.kind) {
	case ENDPOINT_INET:
		return bind_prepare_inet(call, peer);
	case ENDPOINT_PATH:
		return bind_prepare_path(call, peer);
	case ENDPOINT_ABSTRACT:
	case ENDPOINT_UNNAMED: /* the kernel picks an abstract name */
	case ENDPOINT_NETLINK: /* only hears what the kernel tells everybody */
		return CALL_DECIDE;
	case ENDPOINT_NONE:
		break;
	}
	return -EINVAL;
}

static int
bind_inet(struct call *call, const struct peer *peer, struct pass *pass)
{
	int r = 0;

	if (endpoint_is_any(&peer->to) && hears_at_once(call, peer))
		r = hold_to_loopback(call->subject_fd);
	if (r == 0)
		r = act_bind(pass, call->subject_fd, (const struct sockaddr *)&peer->to.address,
			peer->to.len);
	if (r == 0)
		peer_remember(call);
	return r;
}

static int
bind_perform(struct call *call, struct pass *pass)
{
	const struct peer *peer = call->peer;
	const struct sockaddr *address = (const struct sockaddr *)&peer->to.address;
	int r;

	if (peer->to.kind == ENDPOINT_INET) {
		r = bind_inet(call, peer, pass);
	} else if (peer->to.kind == ENDPOINT_PATH) {
		r = bind_path(call, &peer->to, pass);
	} else {
		r = act_bind(pass, call->subject_fd, address, peer->to.len);
		if (r == 0 && peer->domain == AF_UNIX)
			peer_remember(call);
	}
	if (r == 0)
		r = peer_install(call, peer, true);
	if (r == 0)
		call_value(call, 0);
	return r;
}

const struct call_op call_bind = {
	.prepare = bind_prepare,
	.perform = bind_perform,
};

/* -- listen -------------------------------------------------------------------------- */

static int
listen_prepare(struct call *call)
{
	struct peer *peer = peer_of(call);

	if (!peer)
		return -ENOMEM;
	call_begin(call);
	return peer_socket(call, peer);
}

/* On an address of its own it was asked when it was bound. */
static int
hold_if_any(int fd)
{
	struct endpoint at;
	int r = endpoint_of_socket(&at, fd);

	if (r < 0)
		return r;
	return at.kind == ENDPOINT_INET && !endpoint_is_any(&at) ? 0 : hold_to_loopback(fd);
}

static int
listen_perform(struct call *call, struct pass *pass)
{
	const struct peer *peer = call->peer;
	bool inet = peer->domain != AF_UNIX && peer->type == SOCK_STREAM;
	int r = pass_use(pass);

	if (r == 0 && inet)
		r = hold_if_any(call->subject_fd);
	if (r == 0 && listen(call->subject_fd, (int)call->args[1]) < 0)
		r = -errno;
	/* Again: it may have lost its address in between. */
	if (r == 0 && inet)
		r = hold_if_any(call->subject_fd);
	if (r == 0)
		r = peer_install(call, peer, false);
	if (r < 0)
		return r;
	peer_remember(call);
	call_value(call, 0);
	return 0;
}

const struct call_op call_listen = {
	.prepare = listen_prepare,
	.perform = listen_perform,
};

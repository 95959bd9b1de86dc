/* SPDX-License-Identifier: Apache-2.0 */
/* connect, bind and listen, each done by the supervisor on the target's own
 * socket (the open file is shared) and on the one copy of its address. Never
 * CONTINUE: no floor bounds these calls, and memory and descriptors can change
 * before the kernel looks again. */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/fd.h"
#include "base/run.h"
#include "kernel/bind-path.h"
#include "kernel/made.h"
#include "kernel/peer.h"
#include "perform/act.h"

#define STEP_MS 20 /* between two looks whether the call is given up */

/* The state of the op, kept for the second time. */
static struct peer *
peer_of(struct call *call)
{
	if (!call->data) {
		call->data = calloc(1, sizeof(struct peer));
		call->len = sizeof(struct peer);
	}
	return call->data;
}

/* -- connect ----------------------------------------------------------------------- */

static int
connect_prepare(struct call *call)
{
	struct peer *peer = peer_of(call);
	int r;

	if (!peer)
		return -ENOMEM;
	call_begin(call);
	call->on_behalf = true;
	peer->connects = true;
	r = peer_socket(call, peer);
	if (r == 0)
		r = peer_address(call, peer, call->args[1], call->args[2], ENDPOINT_CONNECT);
	if (r == 0)
		r = peer_decide(call, peer);
	/* Only a stream has to wait for its peer. */
	call->slow = peer->type != SOCK_DGRAM && peer->to.kind != ENDPOINT_NONE;
	return r;
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
try_connect(struct call *call, struct ambit_pass *pass, const struct sockaddr *address,
	socklen_t len, int ms)
{
	struct timeval before = { 0 }, step = { .tv_usec = ms * 1000 };
	socklen_t size = sizeof(before);
	int fd = call->fd[0], r;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &before, &size) < 0)
		return -errno;
	set_timeout(fd, &step);
	if (pass)
		r = act_connect(pass, fd, address, len);
	else
		r = act_connect_again(fd, address, len);
	set_timeout(fd, &before);
	return r;
}

static bool
goes_on(int r)
{
	return r == -EINPROGRESS || r == -EALREADY || r == -EAGAIN || r == -EINTR;
}

/* TCP goes on by itself and is asked again when poll says that it is through: the
 * second connect fetches the result. A unix socket waits for room in the queue
 * of its peer, inside connect. */
static int
wait_connected(struct call *call, const struct sockaddr *address, socklen_t len, bool tcp,
	int64_t deadline, int r)
{
	struct pollfd ready = { .fd = call->fd[0], .events = POLLOUT };

	while (goes_on(r)) {
		if (call_given_up(call))
			return -EINTR;
		if (deadline && clock_steady() >= deadline)
			return tcp ? -EINPROGRESS : -EAGAIN;
		if (tcp && poll(&ready, 1, STEP_MS) <= 0)
			continue;
		r = try_connect(call, NULL, address, len, tcp ? 1 : STEP_MS);
		if (r == -EISCONN)
			r = 0;
	}
	return r;
}

static int
connect_perform(struct call *call, struct ambit_pass *pass)
{
	const struct peer *peer = call->data;
	struct sockaddr_storage storage;
	const struct sockaddr *address = (const struct sockaddr *)&storage;
	bool tcp = peer->domain != AF_UNIX;
	int64_t deadline = peer_deadline(call->fd[0]);
	socklen_t len;
	int flags = fcntl(call->fd[0], F_GETFL), installed, r;

	peer_target(call, peer, &storage, &len);
	/* Before it is connected: so no thread can send in between. Without a peer
	 * this says ENOTCONN, and does it; and a datagram socket cannot undo it. */
	if (peer->mute)
		shutdown(call->fd[0], SHUT_WR);
	r = try_connect(call, pass, address, len, tcp ? 1 : STEP_MS);
	if (call->slow && flags >= 0 && !(flags & O_NONBLOCK))
		r = wait_connected(call, address, len, tcp, deadline, r);
	if (r < 0 && r != -EINPROGRESS)
		return r;
	installed = peer_install(call, peer, peer->type == SOCK_DGRAM);
	if (installed < 0)
		return installed;
	if (peer->type == SOCK_DGRAM && peer->domain != AF_UNIX && peer->to.kind != ENDPOINT_NONE)
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
	char device[IFNAMSIZ] = "";
	socklen_t len = sizeof(device); /* less is EINVAL */

	if (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &len) == 0 &&
		strcmp(device, "lo") == 0)
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
	       (peer->to.port != 0 || gate_net(call->gate) == AMBIT_NET_NONE);
}

static int
bind_prepare_inet(struct call *call, struct peer *peer)
{
	int r;

	free(call->host);
	call->host = NULL;
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
	r = target_umask(&call->target, &call->mode);
	if (r < 0)
		return r;
	call->fd[1] = target_cwd(&call->target);
	if (call->fd[1] < 0)
		return call->fd[1];
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
	call->on_behalf = true;
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

/* What was made must lie where it was decided to; and what lies there must be
 * what was made, not the socket of another that was moved there meanwhile, or it
 * is not ours. Where the kernel cannot tell it is asked about. */
static int
remember_path(struct call *call, const struct peer *peer)
{
	const struct object *object = &call->object[0];
	auto_close int fd = -1;
	int r = bind_path_found(call->fd[0], object->parent, object->name, &fd);

	if (r == 1)
		made_add(gate_made(call->gate), fd);
	if (r != 0)
		return 0;
	bind_path_undo(call->fd[0], call->fd[1], peer->to.name);
	return -EACCES;
}

static int
bind_inet(struct call *call, const struct peer *peer, struct ambit_pass *pass)
{
	int r = 0;

	if (endpoint_is_any(&peer->to) && hears_at_once(call, peer))
		r = hold_to_loopback(call->fd[0]);
	if (r == 0)
		r = act_bind(pass, call->fd[0], (const struct sockaddr *)&peer->to.address,
			peer->to.len);
	if (r == 0)
		peer_remember(call);
	return r;
}

static int
bind_perform(struct call *call, struct ambit_pass *pass)
{
	const struct peer *peer = call->data;
	const struct sockaddr *address = (const struct sockaddr *)&peer->to.address;
	int r;

	if (peer->to.kind == ENDPOINT_INET) {
		r = bind_inet(call, peer, pass);
	} else if (peer->to.kind == ENDPOINT_PATH) {
		r = bind_path(pass, call->fd[0], address, peer->to.len, call->object[0].parent,
			call->fd[1], call->mode);
		if (r == 0)
			r = remember_path(call, peer);
	} else {
		r = act_bind(pass, call->fd[0], address, peer->to.len);
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
	call->on_behalf = true;
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
listen_perform(struct call *call, struct ambit_pass *pass)
{
	const struct peer *peer = call->data;
	bool inet = peer->domain != AF_UNIX && peer->type == SOCK_STREAM;
	int r = ambit_pass_use(pass);

	if (r == 0 && inet)
		r = hold_if_any(call->fd[0]);
	if (r == 0 && listen(call->fd[0], (int)call->args[1]) < 0)
		r = -errno;
	/* Again: it may have lost its address in between. */
	if (r == 0 && inet)
		r = hold_if_any(call->fd[0]);
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

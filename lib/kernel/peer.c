/* SPDX-License-Identifier: Apache-2.0 */
/* A socket and an address, both the target's, become a question or none. What
 * the socket is, the kernel says of the descriptor itself; what waits at the
 * address, it says by inode (paths) or cookie (ports, abstract names), compared
 * with what this session made. A name or a port number proves nothing. */

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/fd.h"
#include "base/run.h"
#include "base/str.h"
#include "kernel/made.h"
#include "kernel/peer.h"

static int
option(int fd, int name, int *ret_value)
{
	socklen_t len = sizeof(*ret_value);

	return getsockopt(fd, SOL_SOCKET, name, ret_value, &len) < 0 ? -errno : 0;
}

static bool
is_known(const struct peer *peer, int protocol)
{
	if (peer->domain == AF_UNIX || peer->domain == AF_NETLINK)
		return true;
	if (peer->domain != AF_INET && peer->domain != AF_INET6)
		return false;
	return peer->type == SOCK_STREAM ? protocol == IPPROTO_TCP
					 : peer->type == SOCK_DGRAM && protocol == IPPROTO_UDP;
}

int
peer_socket(struct call *call, struct peer *peer)
{
	int protocol = 0, r;

	if (call->fd[0] < 0)
		call->fd[0] = target_fd(&call->target, (int)call->args[0]);
	if (call->fd[0] < 0)
		return call->fd[0];
	r = option(call->fd[0], SO_DOMAIN, &peer->domain);
	if (r == 0)
		r = option(call->fd[0], SO_TYPE, &peer->type);
	if (r == 0)
		r = option(call->fd[0], SO_PROTOCOL, &protocol);
	if (r < 0)
		return r;
	/* The filter makes no others; one that was inherited is not understood. */
	return is_known(peer, protocol) ? 0 : -EPERM;
}

int
peer_address(
	struct call *call, struct peer *peer, uint64_t address, uint64_t len, enum endpoint_use use)
{
	int size = (int)len, r;

	if (!peer->copied) {
		if (size < 0 || (size_t)size > sizeof(peer->raw))
			return -EINVAL;
		r = size > 0 ? target_read(&call->target, address, peer->raw, (size_t)size) : 0;
		if (r < 0)
			return r;
		peer->raw_len = (size_t)size;
		peer->copied = true;
	}
	return endpoint_parse(&peer->to, peer->raw, peer->raw_len, peer->domain, peer->type, use);
}

int
peer_ask(struct call *call, char *text)
{
	free(call->host);
	call->host = text;
	return text ? CALL_DECIDE : -ENOMEM;
}

static int
be_free(struct call *call, struct peer *peer)
{
	free(call->host);
	call->host = NULL;
	peer->free = true;
	return CALL_DECIDE;
}

static bool
is_ours(void *data, uint64_t cookie)
{
	return made_has_cookie(data, cookie);
}

static enum endpoint_owner
owner_of(struct call *call, const struct peer *peer)
{
	return endpoint_owner(&peer->to, peer->type, is_ours, gate_made(call->gate));
}

/* The look-ups are made with sockets of our own: of one that is held to a device
 * or comes from another network they say nothing. */
static int
decide_inet(struct call *call, struct peer *peer)
{
	bool here = false, plain = endpoint_is_plain(call->fd[0], peer->domain);
	int r;

	endpoint_settle(&peer->to);
	r = plain ? endpoint_route(&peer->to, &here) : 0;
	if (r < 0)
		return r;
	if (here)
		switch (owner_of(call, peer)) {
		case ENDPOINT_OURS:
			return be_free(call, peer);
		case ENDPOINT_NOBODY:
			/* Programs knock until their server is up: no question.
			 * A datagram may be heard by one who comes later. */
			if (peer->type == SOCK_STREAM)
				return -ECONNREFUSED;
			break;
		case ENDPOINT_OTHERS:
			break;
		}
	if (plain && gate_net(call->gate) != AMBIT_NET_NONE && endpoint_is_resolver(&peer->to))
		return be_free(call, peer);
	return peer_ask(call, endpoint_text(&peer->to));
}

int
peer_resolve(struct call *call, const struct peer *peer, enum object_follow follow)
{
	int r;

	if (!call->path[0])
		call->path[0] = strdup(peer->to.name);
	if (!call->path[0])
		return -ENOMEM;
	call->base[0] = AT_FDCWD;
	r = object_resolve(&call->object[0], &call->target, AT_FDCWD, call->path[0], follow, 0);
	if (r == 0)
		call->n_objects = 1;
	return r;
}

static int
decide_path(struct call *call, struct peer *peer)
{
	struct object *object = &call->object[0];
	int r = peer_resolve(call, peer, OBJECT_FOLLOW);

	if (r < 0)
		return r;
	if (!object->exists || object->fd < 0)
		return -ENOENT;
	if (faccessat(object->fd, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) < 0)
		return -errno;
	if (!S_ISSOCK(object->st.st_mode))
		return -ECONNREFUSED;
	if (made_has(gate_made(call->gate), object->fd))
		return be_free(call, peer);
	/* One without a name cannot be shown to anybody. */
	if (object->gone || object->nameless || !object->real[0])
		return -EACCES;
	return peer_ask(call, str_printf("unix:%s", object->real));
}

/* Any bytes may be in such a name, NUL too: escaped, no two have one text. */
static int
decide_abstract(struct call *call, struct peer *peer)
{
	auto_free char *shown = NULL;

	if (endpoint_is_plain(call->fd[0], AF_UNIX))
		switch (owner_of(call, peer)) {
		case ENDPOINT_OURS:
			return be_free(call, peer);
		case ENDPOINT_NOBODY:
			return -ECONNREFUSED;
		case ENDPOINT_OTHERS:
			break;
		}
	shown = str_escape(peer->to.name, peer->to.name_len);
	return shown ? peer_ask(call, str_printf("unix:@%s", shown)) : -ENOMEM;
}

/* To the kernel itself, which asks for the rights of the one who opened the
 * socket: questions about routes and addresses. Never to other processes. */
static int
decide_netlink(struct call *call, struct peer *peer)
{
	const struct sockaddr_nl *to = (const struct sockaddr_nl *)&peer->to.address;

	return to->nl_pid == 0 && to->nl_groups == 0 ? be_free(call, peer) : -EPERM;
}

int
peer_decide(struct call *call, struct peer *peer)
{
	peer->free = false;
	switch (peer->to.kind) {
	case ENDPOINT_NONE:
		return be_free(call, peer);
	case ENDPOINT_INET:
		return decide_inet(call, peer);
	case ENDPOINT_PATH:
		return decide_path(call, peer);
	case ENDPOINT_ABSTRACT:
		return decide_abstract(call, peer);
	case ENDPOINT_NETLINK:
		return decide_netlink(call, peer);
	case ENDPOINT_UNNAMED:
		break;
	}
	return -EINVAL;
}

/* The kernel follows the link to the very inode: whatever the name leads to by
 * now does not matter. The other side sees the supervisor's credentials
 * (SO_PEERCRED): same user, another pid. That cannot be helped. */
void
peer_target(const struct call *call, const struct peer *peer, struct sockaddr_storage *ret_address,
	socklen_t *ret_len)
{
	struct sockaddr_un *un = (struct sockaddr_un *)ret_address;

	*ret_address = peer->to.address;
	*ret_len = peer->to.len;
	if (peer->to.kind != ENDPOINT_PATH)
		return;
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	snprintf(un->sun_path, sizeof(un->sun_path), "/proc/self/fd/%d", call->object[0].fd);
	*ret_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(un->sun_path) + 1);
}

void
peer_remember(struct call *call)
{
	uint64_t cookie = endpoint_cookie(call->fd[0]);

	if (cookie)
		made_add_cookie(gate_made(call->gate), cookie);
}

int64_t
peer_deadline(int fd)
{
	struct timeval timeout = { 0 };
	socklen_t size = sizeof(timeout);

	if (getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, &size) < 0 ||
		(timeout.tv_sec == 0 && timeout.tv_usec == 0))
		return 0;
	return clock_steady() + timeout.tv_sec * 1000 + timeout.tv_usec / 1000;
}

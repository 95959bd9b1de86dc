/* SPDX-License-Identifier: Apache-2.0 */
/* A socket and an address, both the target's, become a question or none. What
 * the socket is, the kernel says of the descriptor itself; what waits at the
 * address, it says by inode (paths) or cookie (ports, abstract names), compared
 * with what this session made. A name or a port number proves nothing. */

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "egress/dns/names.h"
#include "egress/dns/resolv.h"
#include "engine/line.h"
#include "line/object/session-objects.h"
#include "line/calls/socket-peer.h"
#include "line/gate/gate-private.h"
#include "line/socket/socket-substitute.h"
#include "perform/permit.h"

static int
get_socket_option(int fd, int name, int *ret_value)
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
peer_blind(struct call *call)
{
	atomic_fetch_add(&call->gate->blind, 1);
	return -EPERM;
}

static int
substitute_socket(struct call *call, struct peer *peer)
{
	struct substitute found;
	int r = substitute_find(call->gate->substitutes, &call->target, (int)call->args[0], &found);

	if (r < 0)
		return r == -EOPNOTSUPP ? peer_blind(call) : r;
	peer->substituted = found.new;
	peer->cloexec = found.cloexec;
	return found.fd;
}

int
peer_install(struct call *call, const struct peer *peer, bool keep)
{
	struct substitutes *substitutes = call->gate->substitutes;
	int number = (int)call->args[0], r = 0;

	if (peer->substituted) {
		r = gate_install(call, call->subject_fd, number, peer->cloexec);
		if (r == 0 && keep)
			substitute_keep(substitutes, &call->target, number, call->subject_fd);
	} else if (!keep) {
		substitute_drop(substitutes, call->subject_fd);
	}
	return r;
}

int
peer_socket(struct call *call, struct peer *peer)
{
	int protocol = 0, r;

	if (call->subject_fd < 0)
		call->subject_fd = target_fd(&call->target, (int)call->args[0]);
	if (call->subject_fd == -EPERM || call->subject_fd == -ENOSYS)
		call->subject_fd = substitute_socket(call, peer);
	if (call->subject_fd < 0)
		return call->subject_fd;
	r = get_socket_option(call->subject_fd, SO_DOMAIN, &peer->domain);
	if (r == 0)
		r = get_socket_option(call->subject_fd, SO_TYPE, &peer->type);
	if (r == 0)
		r = get_socket_option(call->subject_fd, SO_PROTOCOL, &protocol);
	if (r < 0)
		return r;
	peer->flags = fcntl(call->subject_fd, F_GETFL);
	if (peer->flags < 0)
		return -errno;
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

/* Nothing is to be decided. */
static int
leave_free(struct call *call, struct peer *peer, enum peer_standing standing)
{
	free(call->host);
	call->host = NULL;
	peer->standing = standing;
	return CALL_DECIDE;
}

static bool
is_ours(void *data, uint64_t cookie)
{
	return session_objects_has_cookie(data, cookie);
}

static enum endpoint_owner
owner_of(struct call *call, const struct peer *peer)
{
	return endpoint_owner(&peer->to, peer->type, is_ours, call->gate->made);
}

bool
peer_is_allowed(struct call *call, const char *host)
{
	struct ambit_engine *engine;
	struct pass pass;
	bool allowed;

	gate_lock(call->gate);
	engine = call->gate->o.engine;
	allowed = engine && engine_allows_host_fast(engine, host, &pass) == AMBIT_ALLOW;
	gate_unlock(call->gate);
	return allowed;
}

int
peer_is_taken(struct call *call, const struct peer *peer)
{
	return endpoint_is_taken(&peer->to, peer->type, is_ours, call->gate->made);
}

/* Whoever looks up a name connects a datagram socket to each address, to see by
 * which of its own it would go, and lets it be: that is no way out, and nothing
 * to ask a person about. But what is sent later by such a socket nobody sees.
 * So it gets a peer that never hears anything (see peer_target). What is sent by
 * address is decided each time, and lost if nobody is there, as it would be. */
static int
decide_nobody(struct call *call, struct peer *peer)
{
	auto_free char *host = NULL;

	if (peer->type == SOCK_STREAM)
		return -ECONNREFUSED;
	host = endpoint_text(&peer->to);
	if (!host)
		return -ENOMEM;
	if (peer->connects && peer->to.port != 0 && peer_is_allowed(call, host))
		return peer_ask(call, steal_ptr(&host));
	return leave_free(call, peer, PEER_NOBODY);
}

/* Nobody can have port 0 here. Elsewhere somebody may listen for it all the same:
 * the socket is for looking alone, then. */
static int
decide_port_zero(struct call *call, struct peer *peer, bool here)
{
	if (here)
		return decide_nobody(call, peer);
	if (!peer->connects || peer->type != SOCK_DGRAM)
		return peer_ask(call, endpoint_text(&peer->to));
	return leave_free(call, peer, PEER_SEND_BLOCKED);
}

/* -- by name --------------------------------------------------------------------------- */

/* Where a protocol has no name in it, there is nothing that the relay could look at:
 * what the address was given for is all there is. */
static const uint16_t nameless[] = {
	22,   /* ssh */
	873,  /* rsync */
	3690, /* svn */
	9418, /* git */
};

/* Where it has one nearly always: at an address that nobody was asked for, that is
 * waited for. */
static const uint16_t named[] = { 80, 443, 8080, 8443 };

static bool
is_port(const uint16_t *list, size_t n, uint16_t port)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == port)
			return true;
	return false;
}

#define IS_PORT(list, port) is_port(list, sizeof(list) / sizeof((list)[0]), port)

static struct dns_address
address_of(const struct peer *peer)
{
	struct dns_address address = { .v6 = peer->to.v6 };

	memcpy(address.ip, peer->to.ip, sizeof(address.ip));
	return address;
}

static bool
is_refused(struct call *call, const char *host)
{
	struct ambit_engine *engine;
	bool refused;

	gate_lock(call->gate);
	engine = call->gate->o.engine;
	refused = !engine || engine_refuses_host(engine, host);
	gate_unlock(call->gate);
	return refused;
}

#define NAMES 8 /* of one address that are looked at */

/* Of several names one that is allowed there, else the last that it was given for. */
static void
choose_name(struct call *call, struct peer *peer)
{
	struct dns_address address = address_of(peer);
	char names[NAMES][DNS_NAME_MAX];
	size_t n = egress_names(call->gate->egress, &address, names, NAMES), i = 0;

	peer->name[0] = '\0';
	if (n == 0)
		return;
	for (bool found = false; n > 1 && i < n && !found; i += !found) {
		auto_free char *host = str_printf("%s:%u", names[i], peer->to.port);

		found = host && peer_is_allowed(call, host);
	}
	memcpy(peer->name, names[i < n ? i : 0], sizeof(peer->name));
}

/* Looked at once: what is decided, asked and done later is about this name. */
static bool
resolve_peer_name(struct call *call, struct peer *peer)
{
	if (!peer->looked_up)
		choose_name(call, peer);
	peer->looked_up = true;
	return peer->name[0] != '\0';
}

/* Whoever was told several addresses looks by which way each would go, those that no
 * name covers or that are refused, too. */
static bool
only_looks(struct call *call, const struct peer *peer)
{
	struct dns_address address = address_of(peer);

	return peer->type == SOCK_DGRAM && peer->connects &&
	       egress_is_look(call->gate->egress, target_pid(&call->target), &address);
}

/* Others look by a port that serves nothing. QUIC hides the name it wants: without it,
 * programs take TCP. */
static int
decide_datagram(struct call *call, struct peer *peer, char *text)
{
	uint16_t port = peer->to.port;

	if (!resolve_peer_name(call, peer) ||
		(port != 443 && (!peer->connects || (port != 9 && port != 65535))))
		return peer_ask(call, text);
	free(text);
	return peer->connects ? leave_free(call, peer, PEER_SEND_BLOCKED) : -ECONNREFUSED;
}

static int
decide_stream(struct call *call, struct peer *peer, char *text)
{
	bool open = call->gate->net == AMBIT_NET_OPEN;

	if (resolve_peer_name(call, peer)) {
		free(text);
		if (!open && !IS_PORT(nameless, peer->to.port))
			peer->way = WAY_RELAY;
		return peer_ask(call, str_printf("%s:%u", peer->name, peer->to.port));
	}
	/* Where nothing that it says could be allowed, it is told so at once. */
	if (open || !IS_PORT(named, peer->to.port) || !gate_may_allow_host(call->gate))
		return peer_ask(call, text);
	free(text);
	peer->way = WAY_RELAY;
	return leave_free(call, peer, PEER_UNKNOWN);
}

/* Where everything is open, only what a name says is to be known. */
static bool
is_allowed_itself(struct call *call, struct peer *peer, const char *text)
{
	bool allowed = call->gate->net != AMBIT_NET_OPEN && peer_is_allowed(call, text);

	peer->standing = allowed ? PEER_ALLOWED : PEER_ASKED;
	return allowed;
}

/* An address that is allowed, or refused, is what it is, whatever name leads to it; and
 * one that is near is not covered by any. */
static int
decide_far(struct call *call, struct peer *peer)
{
	struct dns_address address = address_of(peer);
	char *text = endpoint_text(&peer->to);
	bool refused;

	if (!text)
		return -ENOMEM;
	if (!peer->same_netns || !call->gate->egress || is_allowed_itself(call, peer, text))
		return peer_ask(call, text);
	refused = is_refused(call, text);
	/* Where all is open nobody would be asked, and it may be more than a look. */
	if ((refused || call->gate->net != AMBIT_NET_OPEN) && only_looks(call, peer)) {
		free(text);
		return leave_free(call, peer, PEER_SEND_BLOCKED);
	}
	if (refused || names_near(&address))
		return peer_ask(call, text);
	return peer->type == SOCK_STREAM ? decide_stream(call, peer, text)
					 : decide_datagram(call, peer, text);
}

/* ambit's own ports are nobody's to talk to, but for the proxy's. */
static int
decide_egress(struct call *call, struct peer *peer)
{
	switch (egress_port(call->gate->egress, peer->to.port, peer->type)) {
	case EGRESS_PORT_OWN:
		return -ECONNREFUSED;
	case EGRESS_PORT_PROXY:
		peer->way = WAY_PROXY;
		return leave_free(call, peer, PEER_FREE);
	default:
		return -EAGAIN;
	}
}

static int
decide_resolver(struct call *call, struct peer *peer)
{
	peer->way = call->gate->egress ? WAY_STUB : WAY_DIRECT;
	return leave_free(call, peer, PEER_RESOLVER);
}

/* A stream to an allowed address goes there whoever has it: by which way need not be known,
 * which is most of what a connect costs. */
static char *
settled_text(struct call *call, struct peer *peer)
{
	auto_free char *text = NULL;

	if (peer->type != SOCK_STREAM || peer->to.port == 0 || peer->to.port == RESOLV_PORT ||
		endpoint_is_loopback(&peer->to))
		return NULL;
	text = endpoint_text(&peer->to);
	return text && is_allowed_itself(call, peer, text) ? steal_ptr(&text) : NULL;
}

/* A stream that is on its way, or there, goes nowhere else: who connects it again wants to
 * know what came of it, and the kernel looks at no address then. Another thread may undo the
 * first one meanwhile, so it gets an address where nobody is. */
static bool
is_under_way(const struct call *call, const struct peer *peer)
{
	unsigned char state = TCP_CLOSE; /* what struct tcp_info begins with */
	socklen_t len = sizeof(state);

	return peer->connects && peer->type == SOCK_STREAM &&
	       getsockopt(call->subject_fd, IPPROTO_TCP, TCP_INFO, &state, &len) == 0 &&
	       state != TCP_CLOSE;
}

static int
point_to_loopback(struct call *call, struct peer *peer)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&peer->to.address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&peer->to.address;

	memset(&peer->to.address, 0, sizeof(peer->to.address));
	peer->to.address.ss_family = (sa_family_t)peer->domain;
	peer->to.len = peer->domain == AF_INET6 ? sizeof(*in6) : sizeof(*in);
	if (peer->domain == AF_INET6)
		in6->sin6_addr = in6addr_loopback;
	else
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return leave_free(call, peer, PEER_UNDER_WAY);
}

/* The look-ups are made with sockets of our own: of one that is held to a device
 * or comes from another network they say nothing. */
static int
decide_inet(struct call *call, struct peer *peer)
{
	enum endpoint_owner owner = ENDPOINT_OTHERS;
	bool here = false;
	char *text;
	int r;

	if (is_under_way(call, peer))
		return point_to_loopback(call, peer);
	peer->same_netns = endpoint_is_plain(call->subject_fd, peer->domain, call->gate->network);
	endpoint_settle(&peer->to);
	text = peer->same_netns ? settled_text(call, peer) : NULL;
	if (text)
		return peer_ask(call, text);
	r = peer->same_netns ? endpoint_route(&peer->to, &here) : 0;
	if (r < 0)
		return r;
	if (peer->same_netns && peer->to.port == 0)
		return decide_port_zero(call, peer, here);
	if (here && call->gate->egress) {
		r = decide_egress(call, peer);
		if (r != -EAGAIN)
			return r;
	}
	if (here)
		owner = owner_of(call, peer);
	if (owner == ENDPOINT_OURS)
		return leave_free(call, peer, PEER_FREE);
	/* Nobody needs to be there: in some containers the packets are led elsewhere. */
	if (peer->same_netns && call->gate->net != AMBIT_NET_NONE &&
		endpoint_is_resolver(&peer->to))
		return decide_resolver(call, peer);
	/* Programs knock until their server is up: no question. */
	if (owner == ENDPOINT_NOBODY)
		return decide_nobody(call, peer);
	if (here)
		return peer_ask(call, endpoint_text(&peer->to));
	return decide_far(call, peer);
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
	r = object_resolve(&call->object[0], &call->target, AT_FDCWD, call->path[0], follow);
	if (r == 0)
		call->n_objects = 1;
	return r;
}

/* Services that look names up for anybody. Where names are decided about, the C library
 * asks the next: a name server, who is us. */
static const char *const resolver_sockets[] = {
	"/run/systemd/resolve/io.systemd.Resolve",
	"/run/nscd/socket",
};

static bool
is_resolver_socket(const char *path)
{
	for (size_t i = 0; i < sizeof(resolver_sockets) / sizeof(resolver_sockets[0]); i++)
		if (streq(path, resolver_sockets[i]))
			return true;
	return false;
}

static int
decide_resolver_socket(struct call *call, struct peer *peer)
{
	auto_free char *host = str_printf("unix:%s", call->object[0].real);

	if (!host)
		return -ENOMEM;
	if (call->gate->net == AMBIT_NET_OPEN && !call->gate->egress)
		return leave_free(call, peer, PEER_RESOLVER);
	return peer_is_allowed(call, host) ? peer_ask(call, steal_ptr(&host)) : -ECONNREFUSED;
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
	if (session_objects_has(call->gate->made, object->fd))
		return leave_free(call, peer, PEER_FREE);
	/* One without a name cannot be shown to anybody. */
	if (object->gone || object->nameless || !object->real[0])
		return -EACCES;
	if (is_resolver_socket(object->real))
		return decide_resolver_socket(call, peer);
	return peer_ask(call, str_printf("unix:%s", object->real));
}

/* Any bytes may be in such a name, NUL too: escaped, no two have one text. */
static int
decide_abstract(struct call *call, struct peer *peer)
{
	auto_free char *shown = NULL;

	if (endpoint_is_plain(call->subject_fd, AF_UNIX, call->gate->network))
		switch (owner_of(call, peer)) {
		case ENDPOINT_OURS:
			return leave_free(call, peer, PEER_FREE);
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

	return to->nl_pid == 0 && to->nl_groups == 0 ? leave_free(call, peer, PEER_FREE) : -EPERM;
}

int
peer_decide(struct call *call, struct peer *peer)
{
	peer->standing = PEER_ASKED;
	peer->way = WAY_DIRECT;
	switch (peer->to.kind) {
	case ENDPOINT_NONE:
		return leave_free(call, peer, PEER_FREE);
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

/* A look-up is nobody's to decide, but a TXT record can say anything. */
void
peer_tell(struct call *call, const struct peer *peer)
{
	if (peer->standing == PEER_ASKED || peer->standing == PEER_ALLOWED ||
		peer->standing == PEER_RESOLVER)
		gate_connected(call->gate);
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
	/* Who has the port later is not who had it when this was decided. */
	if (peer->standing == PEER_NOBODY)
		((struct sockaddr_in *)ret_address)->sin_port = 0; /* the same place in IPv6 */
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
	uint64_t cookie = endpoint_cookie(call->subject_fd);

	if (cookie)
		session_objects_add_cookie(call->gate->made, cookie);
}

int
peer_who(struct call *call, struct egress_who *ret_who)
{
	struct target_who is;
	int r = target_who(&call->target, &is);

	if (r < 0)
		return r;
	*ret_who = (struct egress_who){ .pid = is.pid, .start = is.start };
	memcpy(ret_who->program, is.program, sizeof(ret_who->program));
	return 0;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the target's socket and address into facts about a destination, and carries out the route
 * that lib/decide chooses. The facts come from the kernel: the kind of socket from the descriptor
 * itself, its peer from the inode (paths) or cookie (ports, abstract names), which are compared
 * with those that this session made. A name or a port number proves nothing. */

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
leave_free(struct call *call, struct peer *peer)
{
	free(call->host);
	call->host = NULL;
	peer->way = ROUTE_DIRECT;
	peer->reason = REASON_HOST;
	peer->allowed = true;
	peer->far = false;
	return CALL_DECIDE;
}

static bool
is_ours(void *data, uint64_t cookie)
{
	return session_objects_has_cookie(data, cookie);
}

static enum destination_owner
owner_of(struct call *call, const struct peer *peer)
{
	static const enum destination_owner owners[] = {
		[ENDPOINT_OTHERS] = OWNER_OTHERS,
		[ENDPOINT_NOBODY] = OWNER_NOBODY,
		[ENDPOINT_OURS] = OWNER_SESSION,
	};

	return owners[endpoint_owner(&peer->to, peer->type, is_ours, call->gate->made)];
}

int
peer_is_taken(struct call *call, const struct peer *peer)
{
	return endpoint_is_taken(&peer->to, peer->type, is_ours, call->gate->made);
}

/* -- carrying out a route ---------------------------------------------------------------- */

/* Looked at once: what is decided, asked and done later is about this name, or about none. */
static void
keep_name(struct peer *peer, const struct destination *to, const struct route *route)
{
	if (!to->looked || peer->looked_up)
		return;
	peer->looked_up = true;
	if (route->name >= 0)
		memcpy(peer->name, to->names[route->name], sizeof(peer->name));
}

static int
take_route(struct call *call, struct peer *peer, const struct destination *to, struct route *route)
{
	keep_name(peer, to, route);
	free(call->host);
	call->host = route->host;
	peer->way = route->way;
	peer->reason = route->reason;
	peer->allowed = route->verdict == AMBIT_ALLOW;
	peer->far = route->far;
	return route->way == ROUTE_CLOSED ? -route->error : CALL_DECIDE;
}

static void
keep_facts(const struct peer *peer, const struct destination *to)
{
	if (!peer->facts)
		return;
	*peer->facts = *to;
	peer->facts->host = strdup(to->host);
	if (!peer->facts->host)
		peer->facts->kind = DESTINATION_UNKNOWN;
}

/* CALL_DECIDE, the natural error, or CALL_GO_ON if more must be known of it. */
static int
find_route(struct call *call, struct peer *peer, struct destination *to)
{
	struct route route;
	int r = gate_route(call, to, &route);

	if (r == 0)
		keep_facts(peer, to);
	if (r == 0)
		return take_route(call, peer, to, &route);
	free(route.host);
	return r < 0 ? r : CALL_GO_ON;
}

/* The facts that cost nothing. host: the text of peer->to, which must outlive them. */
static void
describe_destination(const struct call *call, const struct peer *peer, const char *host,
	struct destination *ret_to)
{
	/* Not all of it: the names are thousands of bytes, and this is once per call. */
	memset(ret_to, 0, offsetof(struct destination, names));
	ret_to->kind = peer->to.kind == ENDPOINT_INET	? DESTINATION_ADDRESS
		       : peer->to.kind == ENDPOINT_PATH ? DESTINATION_PATH
							: DESTINATION_ABSTRACT;
	ret_to->host = host;
	ret_to->port = peer->to.port;
	ret_to->stream = peer->type == SOCK_STREAM;
	ret_to->connects = peer->connects;
	ret_to->same_network = peer->same_netns;
	ret_to->by_name = call->gate->egress != NULL;
	ret_to->loopback = endpoint_is_loopback(&peer->to);
}

/* -- facts about addresses ----------------------------------------------------------------- */

static struct dns_address
address_of(const struct peer *peer)
{
	struct dns_address address = { .v6 = peer->to.v6 };

	memcpy(address.ip, peer->to.ip, sizeof(address.ip));
	return address;
}

static enum destination_service
service_of(struct call *call, const struct peer *peer)
{
	static const enum destination_service services[] = {
		[EGRESS_PORT_NONE] = SERVICE_NONE,
		[EGRESS_PORT_OWN] = SERVICE_AMBIT,
		[EGRESS_PORT_PROXY] = SERVICE_PROXY,
	};

	if (!call->gate->egress)
		return SERVICE_NONE;
	return services[egress_port(call->gate->egress, peer->to.port, peer->type)];
}

static void
learn_names(struct call *call, const struct peer *peer, struct destination *to)
{
	const struct dns_address address = address_of(peer);
	struct egress *egress = call->gate->egress;

	if (peer->connects && peer->type == SOCK_DGRAM && !to->resolver)
		to->looks = egress_is_look(egress, target_pid(&call->target), &address);
	if (peer->looked_up) {
		to->n_names = peer->name[0] != '\0';
		memcpy(to->names[0], peer->name, sizeof(to->names[0]));
	} else if (!to->near) {
		to->n_names = egress_names(egress, &address, to->names, DESTINATION_NAMES);
	}
}

static int
learn_address(struct call *call, const struct peer *peer, struct destination *to)
{
	const struct dns_address address = address_of(peer);
	int r = endpoint_route(&peer->to, &to->here);

	if (r < 0)
		return r;
	to->looked = true;
	to->near = names_near(&address);
	to->resolver = endpoint_is_resolver(&peer->to);
	if (to->here && to->port != 0) {
		to->service = service_of(call, peer);
		if (to->service == SERVICE_NONE)
			to->owner = owner_of(call, peer);
	}
	if (!to->here && call->gate->egress)
		learn_names(call, peer, to);
	return 0;
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
	peer->under_way = true;
	return leave_free(call, peer);
}

/* The look-ups are made with sockets of our own: of one that is held to a device or comes from
 * another network they say nothing. A stream to an allowed address goes there whoever has it: by
 * which way need not be known, which is most of what a connect costs. */
static int
decide_inet(struct call *call, struct peer *peer)
{
	auto_free char *host = NULL;
	struct destination to;
	int r = CALL_GO_ON;

	if (is_under_way(call, peer))
		return point_to_loopback(call, peer);
	peer->same_netns = endpoint_is_plain(call->subject_fd, peer->domain, call->gate->network);
	endpoint_settle(&peer->to);
	host = endpoint_text(&peer->to);
	if (!host)
		return -ENOMEM;
	describe_destination(call, peer, host, &to);
	if (!destination_needs_look(&to))
		r = find_route(call, peer, &to);
	if (r == CALL_GO_ON)
		r = learn_address(call, peer, &to);
	return r == 0 && to.looked ? find_route(call, peer, &to) : r;
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

/* -- facts about unix sockets -------------------------------------------------------------- */

static int
decide_socket(struct call *call, struct peer *peer, enum destination_owner owner, const char *host)
{
	struct destination to;

	if (!host)
		return -ENOMEM;
	describe_destination(call, peer, host, &to);
	to.owner = owner;
	return find_route(call, peer, &to);
}

static int
decide_path(struct call *call, struct peer *peer)
{
	auto_free char *host = NULL;
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
	host = str_printf("unix:%s", object->real);
	if (session_objects_has(call->gate->made, object->fd))
		return decide_socket(call, peer, OWNER_SESSION, host);
	/* One without a name cannot be shown to anybody. */
	if (object->gone || object->nameless || !object->real[0])
		return -EACCES;
	return decide_socket(call, peer, OWNER_OTHERS, host);
}

/* Any bytes may be in such a name, NUL too: escaped, no two have one text. */
static int
decide_abstract(struct call *call, struct peer *peer)
{
	auto_free char *shown = str_escape(peer->to.name, peer->to.name_len);
	auto_free char *host = shown ? str_printf("unix:@%s", shown) : NULL;

	peer->same_netns = endpoint_is_plain(call->subject_fd, AF_UNIX, call->gate->network);
	return decide_socket(
		call, peer, peer->same_netns ? owner_of(call, peer) : OWNER_OTHERS, host);
}

/* To the kernel itself, which asks for the rights of the one who opened the
 * socket: questions about routes and addresses. Never to other processes. */
static int
decide_netlink(struct call *call, struct peer *peer)
{
	const struct sockaddr_nl *to = (const struct sockaddr_nl *)&peer->to.address;

	return to->nl_pid == 0 && to->nl_groups == 0 ? leave_free(call, peer) : -EPERM;
}

int
peer_decide(struct call *call, struct peer *peer)
{
	peer->way = ROUTE_DIRECT;
	peer->under_way = false;
	switch (peer->to.kind) {
	case ENDPOINT_NONE:
		return leave_free(call, peer);
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

void
peer_tell(struct call *call, const struct peer *peer)
{
	if (peer->far)
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
	if (peer->way == ROUTE_NOWHERE)
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

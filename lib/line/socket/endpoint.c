/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that a program handed to connect, bind or send become an address that
 * can be decided about. They are read the way the kernel reads them, by the
 * socket's own domain: AF_UNSPEC is "no peer" to connect, the any-address to
 * bind and an IPv4 address to a datagram; a mapped IPv6 address goes out as
 * IPv4; the any-address as a destination is the loopback. Nothing of the
 * program's is trusted but these bytes, copied once. */

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/dns/resolv.h"
#include "line/socket/endpoint.h"

static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

static int
parse_inet(struct endpoint *endpoint)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&endpoint->address;

	if (endpoint->len < sizeof(*in))
		return -EINVAL;
	endpoint->kind = ENDPOINT_INET;
	endpoint->len = sizeof(*in);
	memcpy(endpoint->ip, &in->sin_addr, 4);
	endpoint->port = ntohs(in->sin_port);
	return 0;
}

/* An address that is another one on each link: fe80::/10, ff01::/16, ff02::/16.
 * Of no other the kernel looks at the scope. */
static bool
has_link(const struct endpoint *endpoint)
{
	const unsigned char *ip = endpoint->ip;

	return endpoint->v6 && ((ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80) ||
				       (ip[0] == 0xff && (ip[1] & 0xf) >= 1 && (ip[1] & 0xf) <= 2));
}

static int
parse_inet6(struct endpoint *endpoint)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&endpoint->address;

	/* Without the scope it was good enough for RFC 2133, and still is. */
	if (endpoint->len < offsetof(struct sockaddr_in6, sin6_scope_id))
		return -EINVAL;
	if (endpoint->len < sizeof(*in6))
		in6->sin6_scope_id = 0;
	endpoint->kind = ENDPOINT_INET;
	endpoint->len = sizeof(*in6);
	endpoint->port = ntohs(in6->sin6_port);
	memcpy(endpoint->ip, &in6->sin6_addr, 16);
	endpoint->v6 = memcmp(endpoint->ip, mapped, sizeof(mapped)) != 0;
	if (!has_link(endpoint))
		in6->sin6_scope_id = 0;
	if (!endpoint->v6) {
		memmove(endpoint->ip, endpoint->ip + 12, 4);
		memset(endpoint->ip + 4, 0, 12);
	}
	return 0;
}

static int
parse_unix(struct endpoint *endpoint)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&endpoint->address;
	size_t base = offsetof(struct sockaddr_un, sun_path);

	if (endpoint->len > sizeof(*un))
		return -EINVAL;
	if (endpoint->len <= base) {
		endpoint->kind = ENDPOINT_UNNAMED;
		return 0;
	}
	endpoint->name_len = endpoint->len - base;
	if (un->sun_path[0] == '\0') {
		endpoint->kind = ENDPOINT_ABSTRACT;
		endpoint->name_len--;
		memcpy(endpoint->name, un->sun_path + 1, endpoint->name_len);
		return 0;
	}
	endpoint->kind = ENDPOINT_PATH;
	endpoint->name_len = strnlen(un->sun_path, endpoint->name_len);
	memcpy(endpoint->name, un->sun_path, endpoint->name_len);
	endpoint->name[endpoint->name_len] = '\0';
	return 0;
}

static int
parse_unspec(struct endpoint *endpoint, int domain, enum endpoint_use use)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&endpoint->address;

	/* An IPv4 datagram socket sends to an address of no family, and binds to
	 * the any-address of none. */
	if (domain == AF_INET && use != ENDPOINT_CONNECT) {
		if (endpoint->len < sizeof(*in))
			return -EINVAL;
		if (use == ENDPOINT_BIND && in->sin_addr.s_addr != htonl(INADDR_ANY))
			return -EAFNOSUPPORT;
		in->sin_family = AF_INET;
		return parse_inet(endpoint);
	}
	if (use == ENDPOINT_BIND)
		return -EAFNOSUPPORT;
	return 0;
}

int
endpoint_parse(struct endpoint *endpoint, const void *data, size_t len, int domain, int type,
	enum endpoint_use use)
{
	sa_family_t family;

	memset(endpoint, 0, sizeof(*endpoint));
	if (len < sizeof(family) || len > sizeof(endpoint->address))
		return -EINVAL;
	memcpy(&endpoint->address, data, len);
	endpoint->len = (socklen_t)len;
	family = endpoint->address.ss_family;
	if (family == AF_UNSPEC)
		return domain == AF_UNIX && (use != ENDPOINT_CONNECT || type != SOCK_DGRAM)
			       ? -EINVAL
			       : parse_unspec(endpoint, domain, use);
	if (domain == AF_UNIX)
		return family == AF_UNIX ? parse_unix(endpoint) : -EINVAL;
	if (domain == AF_NETLINK) {
		endpoint->kind = ENDPOINT_NETLINK;
		return family == AF_NETLINK && len >= sizeof(struct sockaddr_nl) ? 0 : -EINVAL;
	}
	/* A datagram socket of IPv6 takes IPv4 addresses as they are. */
	if (family == AF_INET && (domain == AF_INET || (domain == AF_INET6 && type == SOCK_DGRAM &&
							       use != ENDPOINT_BIND)))
		return parse_inet(endpoint);
	if (family == AF_INET6 && domain == AF_INET6)
		return parse_inet6(endpoint);
	return -EAFNOSUPPORT;
}

static size_t
ip_len(const struct endpoint *endpoint)
{
	return endpoint->v6 ? 16 : 4;
}

bool
endpoint_is_any(const struct endpoint *endpoint)
{
	static const unsigned char zero[16];

	return endpoint->kind == ENDPOINT_INET && memcmp(endpoint->ip, zero, ip_len(endpoint)) == 0;
}

bool
endpoint_is_loopback(const struct endpoint *endpoint)
{
	if (endpoint->kind != ENDPOINT_INET)
		return false;
	if (!endpoint->v6)
		return endpoint->ip[0] == 127;
	return memcmp(endpoint->ip, &in6addr_loopback, 16) == 0;
}

void
endpoint_settle(struct endpoint *endpoint)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&endpoint->address;

	if (!endpoint_is_any(endpoint))
		return;
	if (endpoint->v6) {
		memcpy(endpoint->ip, &in6addr_loopback, 16);
		in6->sin6_addr = in6addr_loopback;
		return;
	}
	memcpy(endpoint->ip, (const unsigned char[]){ 127, 0, 0, 1 }, 4);
	if (endpoint->address.ss_family == AF_INET6)
		memcpy(in6->sin6_addr.s6_addr + 12, endpoint->ip, 4);
	else
		memcpy(&((struct sockaddr_in *)&endpoint->address)->sin_addr, endpoint->ip, 4);
}

char *
endpoint_text(const struct endpoint *endpoint)
{
	char ip[INET6_ADDRSTRLEN];

	if (endpoint->kind != ENDPOINT_INET ||
		!inet_ntop(endpoint->v6 ? AF_INET6 : AF_INET, endpoint->ip, ip, sizeof(ip)))
		return NULL;
	if (endpoint->port == 0)
		return str_printf(endpoint->v6 ? "[%s]" : "%s", ip);
	return str_printf(endpoint->v6 ? "[%s]:%u" : "%s:%u", ip, endpoint->port);
}

int
endpoint_of_socket(struct endpoint *endpoint, int fd)
{
	struct sockaddr_storage address = { 0 };
	socklen_t len = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		return -errno;
	return endpoint_parse(
		endpoint, &address, len, address.ss_family, SOCK_DGRAM, ENDPOINT_CONNECT);
}

/* A socket of our own that never sends: connecting it asks the routing table,
 * and the source it would use for an address of this machine is that address. */
int
endpoint_route(const struct endpoint *endpoint, bool *ret_own)
{
	struct endpoint source;
	int r;

	*ret_own = endpoint_is_loopback(endpoint);
	if (*ret_own)
		return 0;
	auto_close int fd = socket(endpoint->address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	r = connect(fd, (const struct sockaddr *)&endpoint->address, endpoint->len) < 0 ? -errno
											: 0;
	if (r < 0)
		return r == -ENETUNREACH || r == -EHOSTUNREACH ? r : 0;
	*ret_own = endpoint_of_socket(&source, fd) == 0 && source.v6 == endpoint->v6 &&
		   memcmp(source.ip, endpoint->ip, ip_len(endpoint)) == 0;
	return 0;
}

int
endpoint_available(const struct endpoint *endpoint)
{
	struct sockaddr_storage address = endpoint->address;
	auto_close int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	((struct sockaddr_in *)&address)->sin_port = 0; /* the same place in both families */
	if (bind(fd, (struct sockaddr *)&address, endpoint->len) < 0 && errno == EADDRNOTAVAIL)
		return -EADDRNOTAVAIL;
	return 0;
}

/* -- name servers ------------------------------------------------------------------ */

/* A name server on one link is not that of another. */
static bool
same_link(const struct endpoint *endpoint, const struct sockaddr_in6 *server)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&endpoint->address;

	return !has_link(endpoint) ||
	       (server->sin6_scope_id != 0 && in6->sin6_scope_id == server->sin6_scope_id);
}

static bool
is_among(const struct endpoint *endpoint, const struct resolv *resolv)
{
	for (size_t i = 0; i < resolv->n; i++) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&resolv->server[i];
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)in;

		if (in->sin_family == (endpoint->v6 ? AF_INET6 : AF_INET) &&
			memcmp(endpoint->ip,
				endpoint->v6 ? (const void *)&in6->sin6_addr : &in->sin_addr,
				ip_len(endpoint)) == 0 &&
			(!endpoint->v6 || same_link(endpoint, in6)))
			return true;
	}
	return false;
}

bool
endpoint_in_resolv(const struct endpoint *endpoint, const char *text)
{
	struct resolv resolv;

	if (endpoint->kind != ENDPOINT_INET || endpoint->port != RESOLV_PORT)
		return false;
	resolv_parse(text, &resolv);
	return is_among(endpoint, &resolv);
}

bool
endpoint_is_resolver(const struct endpoint *endpoint)
{
	struct resolv resolv;

	return endpoint->kind == ENDPOINT_INET && endpoint->port == RESOLV_PORT &&
	       resolv_read(&resolv) == 0 && is_among(endpoint, &resolv);
}

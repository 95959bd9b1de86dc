/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks that want to reach somebody: servers of other processes, by every kind
 * of socket and every call that takes an address. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

#define MPTCP 262

static struct sockaddr_in
four(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static socklen_t
named(struct sockaddr_un *a, const char *path, const char *name)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path != NULL) {
		snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
		return sizeof(*a);
	}
	snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "%s", name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static void
tcp_to(struct sockaddr_in a, int protocol, int flags)
{
	struct pollfd p = { .fd = socket(AF_INET, SOCK_STREAM | flags, protocol),
		.events = POLLOUT };

	if (connect(p.fd, (void *)&a, sizeof(a)) < 0 && errno == EINPROGRESS)
		poll(&p, 1, 1000);
	(void)!send(p.fd, "x", 1, MSG_NOSIGNAL);
}

static void
tcp(const struct world *w)
{
	tcp_to(four(w->tcp), 0, 0);
}

static void
tcp_non_blocking(const struct world *w)
{
	tcp_to(four(w->tcp), 0, SOCK_NONBLOCK);
}

static void
tcp_any_address(const struct world *w)
{
	struct sockaddr_in a = four(w->tcp);

	a.sin_addr.s_addr = 0;
	tcp_to(a, IPPROTO_TCP, 0);
}

static void
tcp_multipath(const struct world *w)
{
	if (w->plain && socket(AF_INET, SOCK_STREAM, MPTCP) < 0)
		cannot("no multipath TCP");
	tcp_to(four(w->tcp), MPTCP, 0);
}

static void
tcp6(const struct world *w)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)w->tcp6),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };

	if (w->tcp6 == 0)
		cannot("no IPv6");
	(void)!connect(socket(AF_INET6, SOCK_STREAM, 0), (void *)&a, sizeof(a));
}

static void
tcp_mapped(const struct world *w)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)w->tcp) };

	if (w->tcp6 == 0)
		cannot("no IPv6");
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &a.sin6_addr);
	(void)!connect(socket(AF_INET6, SOCK_STREAM, 0), (void *)&a, sizeof(a));
}

static void
tcp_fast_open(const struct world *w)
{
	struct sockaddr_in a = four(w->tcp);

	(void)!sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, MSG_FASTOPEN, (void *)&a, sizeof(a));
}

static void
tcp_fast_open_message(const struct world *w)
{
	struct sockaddr_in a = four(w->tcp);
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &iov, .msg_iovlen = 1
	};

	sendmsg(socket(AF_INET, SOCK_STREAM, 0), &msg, MSG_FASTOPEN);
}

static void
tcp_fast_open_connect(const struct world *w)
{
	struct sockaddr_in a = four(w->tcp);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, IPPROTO_TCP, 30 /* TCP_FASTOPEN_CONNECT */, &one, sizeof(one));
	(void)!connect(fd, (void *)&a, sizeof(a));
	(void)!send(fd, "x", 1, MSG_NOSIGNAL);
}

/* A socket that was allowed to somewhere, dissolved and sent elsewhere. */
static void
tcp_again(const struct world *w)
{
	struct sockaddr_in own = four(0), a = four(w->tcp);
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	socklen_t len = sizeof(own);
	int server = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)!bind(server, (void *)&own, sizeof(own));
	listen(server, 1);
	getsockname(server, (void *)&own, &len);
	(void)!connect(fd, (void *)&own, sizeof(own));
	(void)!connect(fd, &none, sizeof(none));
	(void)!connect(fd, (void *)&a, sizeof(a));
}

/* The port was this session's own; now it is somebody else's. */
static void
tcp_port_reuse(const struct world *w)
{
	struct sockaddr_in a = four(0);
	socklen_t len = sizeof(a);
	int server = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	char request[32];

	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(server, (void *)&a, sizeof(a)) < 0 || listen(server, 1) < 0 ||
		getsockname(server, (void *)&a, &len) < 0)
		return;
	close(server);
	snprintf(request, sizeof(request), "listen %d", ntohs(a.sin_port));
	if (ask_runner(w, request))
		tcp_to(a, 0, 0);
	else if (w->plain)
		cannot("the port is not free again");
}

static void
listen_everywhere(const struct world *w, bool bound)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	char request[32];

	if (bound)
		(void)!bind(server, (void *)&a, sizeof(a));
	listen(server, 4);
	getsockname(server, (void *)&a, &len);
	snprintf(request, sizeof(request), "connect %d", ntohs(a.sin_port));
	ask_runner(w, request);
}

static void
listen_any(const struct world *w)
{
	listen_everywhere(w, true);
}

static void
listen_unbound(const struct world *w)
{
	listen_everywhere(w, false);
}

static void
udp_send(const struct world *w)
{
	struct sockaddr_in a = four(w->udp);

	(void)!sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (void *)&a, sizeof(a));
}

static void
udp_connect(const struct world *w)
{
	struct sockaddr_in a = four(w->udp);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)!connect(fd, (void *)&a, sizeof(a));
	(void)!write(fd, "x", 1);
}

static void
udp_message(const struct world *w)
{
	struct sockaddr_in a = four(w->udp);
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &iov, .msg_iovlen = 1
	};

	sendmsg(socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP), &msg, 0);
}

/* The first is harmless, the second is not. */
static void
udp_messages(const struct world *w)
{
	struct sockaddr_in a = four(w->udp), own = four(0);
	struct iovec iov = { "x", 1 };
	struct mmsghdr list[2] = {
		{ .msg_hdr = { .msg_name = &own,
			  .msg_namelen = sizeof(own),
			  .msg_iov = &iov,
			  .msg_iovlen = 1 } },
		{ .msg_hdr = { .msg_name = &a,
			  .msg_namelen = sizeof(a),
			  .msg_iov = &iov,
			  .msg_iovlen = 1 } },
	};
	socklen_t len = sizeof(own);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)!bind(fd, (void *)&own, sizeof(own));
	getsockname(fd, (void *)&own, &len);
	sendmmsg(fd, list, 2, 0);
}

/* Connected to itself, with another address in the call. */
static void
udp_connected_elsewhere(const struct world *w)
{
	struct sockaddr_in a = four(w->udp), own = four(0);
	socklen_t len = sizeof(own);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)!bind(fd, (void *)&own, sizeof(own));
	getsockname(fd, (void *)&own, &len);
	(void)!connect(fd, (void *)&own, sizeof(own));
	(void)!sendto(fd, "x", 1, 0, (void *)&a, sizeof(a));
}

static void
udp_splice(const struct world *w)
{
	struct sockaddr_in a = four(w->udp);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), pair[2];

	(void)!connect(fd, (void *)&a, sizeof(a));
	if (pipe(pair) == 0 && write(pair[1], "x", 1) == 1)
		(void)!splice(pair[0], NULL, fd, NULL, 1, 0);
}

static void
raw_udp(const struct world *w)
{
	struct {
		uint16_t from, to, length, sum;
		char data[4];
	} packet = { htons(9), htons((uint16_t)w->udp), htons(12), 0, "raw" };
	struct sockaddr_in a = four(0);
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);

	if (sendto(fd, &packet, sizeof(packet), 0, (void *)&a, sizeof(a)) < 0 && w->plain)
		cannot("no raw sockets for this user");
}

static void
packet_socket(const struct world *w)
{
	if (socket(AF_PACKET, SOCK_RAW, htons(3)) >= 0)
		loot(w, "a packet socket");
	else if (w->plain)
		cannot("no packet sockets for this user");
}

static void
virtual_machine(const struct world *w)
{
	struct sockaddr_vm a = { .svm_family = AF_VSOCK, .svm_cid = 2, .svm_port = 1 };
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0 && w->plain)
		cannot("no vsock");
	if (connect(fd, (void *)&a, sizeof(a)) == 0 || (fd >= 0 && errno != EBADF))
		loot(w, "a socket to the host of the machine");
}

static void
netlink_to_process(const struct world *w)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK, .nl_pid = w->netlink };
	struct {
		struct nlmsghdr head;
		char data[4];
	} message = { .head = { .nlmsg_len = sizeof(message), .nlmsg_type = 20 }, .data = "hey" };

	if (w->netlink == 0)
		cannot("no netlink between processes");
	(void)!sendto(socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK), &message, sizeof(message), 0,
		(void *)&a, sizeof(a));
}

/* The same through a kind of netlink that is open, to a port that is a process. */
static void
netlink_audit(const struct world *w)
{
	static const int kinds[] = { 4 /* SOCK_DIAG */, 6 /* XFRM */, 9 /* AUDIT */,
		12 /* NETFILTER */, 16 /* GENERIC */ };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (socket(AF_NETLINK, SOCK_RAW, kinds[i]) >= 0)
			loot(w, "a netlink socket");
	}
}

static void
other_families(const struct world *w)
{
	static const int families[] = { AF_ALG, AF_KEY, AF_BLUETOOTH, AF_CAN, AF_TIPC, AF_RDS,
		AF_PPPOX, AF_XDP, AF_QIPCRTR, AF_SMC };
	bool any = false;

	for (size_t i = 0; i < COUNT(families); i++) {
		for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++) {
			if (socket(families[i], type, 0) >= 0) {
				any = true;
				loot(w, "a socket of another family");
			}
		}
	}
	if (!any && w->plain)
		cannot("the kernel has no other families");
}

static void
unix_connect(int type, const char *path, const char *name)
{
	struct sockaddr_un a;
	socklen_t len = named(&a, path, name);
	int fd = socket(AF_UNIX, type, 0);

	if (connect(fd, (void *)&a, len) == 0)
		(void)!send(fd, "x", 1, MSG_NOSIGNAL);
}

static void
unix_stream(const struct world *w)
{
	unix_connect(SOCK_STREAM, w->stream_path, NULL);
}

static void
unix_packet(const struct world *w)
{
	unix_connect(SOCK_SEQPACKET, w->packet_path, NULL);
}

static void
unix_datagram_connect(const struct world *w)
{
	unix_connect(SOCK_DGRAM, w->dgram_path, NULL);
}

static void
unix_abstract(const struct world *w)
{
	unix_connect(SOCK_STREAM, NULL, w->stream_name);
}

static void
unix_abstract_datagram(const struct world *w)
{
	struct sockaddr_un a;
	socklen_t len = named(&a, NULL, w->dgram_name);

	(void)!sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, (void *)&a, len);
}

static void
unix_datagram(const struct world *w)
{
	struct sockaddr_un a;
	socklen_t len = named(&a, w->dgram_path, NULL);

	(void)!sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, (void *)&a, len);
}

static void
unix_datagram_message(const struct world *w)
{
	struct sockaddr_un a;
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_name = &a,
		.msg_namelen = named(&a, w->dgram_path, NULL),
		.msg_iov = &iov,
		.msg_iovlen = 1 };

	sendmsg(socket(AF_UNIX, SOCK_DGRAM, 0), &msg, 0);
}

static void
unix_datagram_messages(const struct world *w)
{
	struct sockaddr_un a;
	struct iovec iov = { "x", 1 };
	struct mmsghdr one = { .msg_hdr = { .msg_name = &a,
				       .msg_namelen = named(&a, NULL, w->dgram_name),
				       .msg_iov = &iov,
				       .msg_iovlen = 1 } };

	sendmmsg(socket(AF_UNIX, SOCK_DGRAM, 0), &one, 1, 0);
}

/* One end of a pair takes an address as well. */
static void
unix_pair(const struct world *w)
{
	struct sockaddr_un a;
	socklen_t len = named(&a, w->dgram_path, NULL);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 &&
		sendto(pair[0], "x", 1, 0, (void *)&a, len) < 0)
		(void)!connect(pair[0], (void *)&a, len);
	(void)!send(pair[0], "x", 1, 0);
}

static void
unix_symlink(const struct world *w)
{
	(void)!symlink(w->stream_path, "sub/s");
	unix_connect(SOCK_STREAM, "sub/s", NULL);
}

static void
unix_hard_link(const struct world *w)
{
	(void)!link(w->stream_path, "sub/l");
	unix_connect(SOCK_STREAM, "sub/l", NULL);
}

static void
unix_moved(const struct world *w)
{
	/* A server's own socket in the folder, under another name. */
	rename(w->given_path, in(w->folder, "sub/renamed"));
	unix_connect(SOCK_STREAM, in(w->folder, "sub/renamed"), NULL);
}

static void
unix_relative(const struct world *w)
{
	if (chdir(w->outside) == 0)
		unix_connect(SOCK_STREAM, "stream", NULL);
}

static void
unix_proc_root(const struct world *w)
{
	unix_connect(SOCK_STREAM, in("/proc/self/root", w->stream_path), NULL);
}

static void
unix_proc_fd(const struct world *w)
{
	unix_connect(SOCK_STREAM, proc_fd(open(w->stream_path, O_PATH)), NULL);
}

/* The session binds a name of its own, and puts the other's socket there. */
static void
unix_bound_alias(const struct world *w)
{
	struct sockaddr_un a;
	socklen_t len = named(&a, "sub/own", NULL);
	int server = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)!bind(server, (void *)&a, len);
	listen(server, 1);
	unlink("sub/own");
	(void)!symlink(w->stream_path, "sub/own");
	unix_connect(SOCK_STREAM, "sub/own", NULL);
}

/* No zero at the end, and just as long as the structure. */
static void
unix_unterminated(const struct world *w)
{
	struct sockaddr_un a;

	named(&a, w->stream_path, NULL);
	(void)!connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(a.sun_path)));
}

static const struct attack list[] = {
	{ "tcp", tcp, 0 },
	{ "tcp-net-none", tcp, NET_NONE },
	{ "tcp-non-blocking", tcp_non_blocking, 0 },
	{ "tcp-any-address", tcp_any_address, 0 },
	{ "tcp-multipath", tcp_multipath, 0 },
	{ "tcp6", tcp6, 0 },
	{ "tcp-mapped", tcp_mapped, 0 },
	{ "tcp-fast-open", tcp_fast_open, 0 },
	{ "tcp-fast-open-net-none", tcp_fast_open, NET_NONE },
	{ "tcp-fast-open-message", tcp_fast_open_message, 0 },
	{ "tcp-fast-open-connect", tcp_fast_open_connect, 0 },
	{ "tcp-dissolved-and-again", tcp_again, 0 },
	{ "tcp-port-of-its-own-once", tcp_port_reuse, 0 },
	{ "listen-any-address", listen_any, 0 },
	{ "listen-unbound", listen_unbound, 0 },
	{ "udp-sendto", udp_send, 0 },
	{ "udp-sendto-net-none", udp_send, NET_NONE },
	{ "udp-connect", udp_connect, 0 },
	{ "udp-sendmsg", udp_message, 0 },
	{ "udp-sendmmsg", udp_messages, 0 },
	{ "udp-connected-elsewhere", udp_connected_elsewhere, 0 },
	{ "udp-splice", udp_splice, 0 },
	{ "raw-socket", raw_udp, 0 },
	{ "packet-socket", packet_socket, 0 },
	{ "vsock", virtual_machine, 0 },
	{ "netlink-to-process", netlink_to_process, 0 },
	{ "netlink-other-kinds", netlink_audit, 0 },
	{ "socket-other-families", other_families, 0 },
	{ "unix-stream", unix_stream, 0 },
	{ "unix-stream-net-none", unix_stream, NET_NONE },
	{ "unix-packet", unix_packet, 0 },
	{ "unix-datagram-connect", unix_datagram_connect, 0 },
	{ "unix-abstract", unix_abstract, 0 },
	{ "unix-abstract-datagram", unix_abstract_datagram, 0 },
	{ "unix-datagram", unix_datagram, 0 },
	{ "unix-datagram-sendmsg", unix_datagram_message, 0 },
	{ "unix-datagram-sendmmsg", unix_datagram_messages, 0 },
	{ "unix-pair", unix_pair, 0 },
	{ "unix-symlink", unix_symlink, 0 },
	{ "unix-hard-link", unix_hard_link, 0 },
	{ "unix-moved", unix_moved, 0 },
	{ "unix-relative", unix_relative, 0 },
	{ "unix-proc-root", unix_proc_root, 0 },
	{ "unix-proc-fd", unix_proc_fd, 0 },
	{ "unix-bound-alias", unix_bound_alias, 0 },
	{ "unix-unterminated", unix_unterminated, 0 },
};

const struct attacks attacks_net = { list, COUNT(list) };

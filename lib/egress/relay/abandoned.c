/* SPDX-License-Identifier: Apache-2.0 */
/* A connection that its owner has closed is not to be told from one of which he has closed
 * only his half, but by what the kernel knows of the other socket: one that nobody owns
 * has no inode. Where that cannot be asked, he is taken to be there. */

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "egress/relay/abandoned.h"

static void
copy_socket_address(const struct sockaddr_storage *address, __be32 *ip, __be16 *port)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;

	*port = in->sin_port; /* the same place in both */
	if (address->ss_family == AF_INET6)
		memcpy(ip, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
	else
		memcpy(ip, &in->sin_addr, 4);
}

/* The other end's, seen from there. */
static bool
ask_socket_diag(int diag, int fd)
{
	struct sockaddr_storage own = { 0 }, other = { 0 };
	socklen_t own_len = sizeof(own), other_len = sizeof(other);
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.body = {
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0u,
			.id.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE },
		},
	};

	if (getsockname(fd, (struct sockaddr *)&own, &own_len) < 0 ||
		getpeername(fd, (struct sockaddr *)&other, &other_len) < 0)
		return false;
	request.body.sdiag_family = (unsigned char)own.ss_family;
	copy_socket_address(&other, request.body.id.idiag_src, &request.body.id.idiag_sport);
	copy_socket_address(&own, request.body.id.idiag_dst, &request.body.id.idiag_dport);
	return sendto(diag, &request, sizeof(request), 0, (struct sockaddr *)&kernel,
		       sizeof(kernel)) == (ssize_t)sizeof(request);
}

bool
abandoned(int fd)
{
	auto_close int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	union {
		struct nlmsghdr head;
		struct {
			struct nlmsghdr head;
			struct inet_diag_msg body;
		} found;
		struct {
			struct nlmsghdr head;
			struct nlmsgerr body;
		} error;
		char room[1024];
	} reply;
	ssize_t n;

	if (diag < 0 || !ask_socket_diag(diag, fd))
		return false;
	n = recv(diag, &reply, sizeof(reply), MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(reply.head))
		return false;
	/* There is none: it is gone. Any other error says nothing. */
	if (reply.head.nlmsg_type == NLMSG_ERROR)
		return n >= (ssize_t)sizeof(reply.error) && reply.error.body.error == -ENOENT;
	return n >= (ssize_t)sizeof(reply.found) && reply.found.body.idiag_inode == 0;
}

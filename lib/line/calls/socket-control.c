/* SPDX-License-Identifier: Apache-2.0 */
/* Control messages, copied once from the target's memory, become the same in
 * the supervisor's terms: descriptor numbers of the target become descriptors
 * here. What is not in the table is refused: a routing header or IP options in
 * there would send the data elsewhere than was decided. So would a device: it is
 * taken out, the routing table chooses. */

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "line/calls/socket-control.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef SCM_TXTIME
#define SCM_TXTIME 61
#endif

enum what {
	COPY = 1,
	RIGHTS,
	CREDENTIALS,
	SOURCE4, /* which of the own addresses it comes from */
	SOURCE6,
};

static const struct {
	int domain; /* AF_INET: both of them */
	int level, type;
	enum what what;
} known[] = {
	{ AF_UNIX, SOL_SOCKET, SCM_RIGHTS, RIGHTS },
	{ AF_UNIX, SOL_SOCKET, SCM_CREDENTIALS, CREDENTIALS },
	{ AF_NETLINK, SOL_SOCKET, SCM_CREDENTIALS, CREDENTIALS },
	{ AF_INET, SOL_SOCKET, SO_TIMESTAMPING, COPY },
	{ AF_INET, SOL_SOCKET, SCM_TXTIME, COPY },
	{ AF_INET, SOL_IP, IP_TOS, COPY },
	{ AF_INET, SOL_IP, IP_TTL, COPY },
	{ AF_INET, SOL_IP, IP_PKTINFO, SOURCE4 },
	{ AF_INET, SOL_IPV6, IPV6_PKTINFO, SOURCE6 },
	{ AF_INET, SOL_IPV6, IPV6_HOPLIMIT, COPY },
	{ AF_INET, SOL_IPV6, IPV6_TCLASS, COPY },
	{ AF_INET, SOL_IPV6, IPV6_DONTFRAG, COPY },
	{ AF_INET, SOL_UDP, UDP_SEGMENT, COPY },
};

static int
find_control_kind(int domain, const struct cmsghdr *head)
{
	if (domain == AF_INET6)
		domain = AF_INET;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].domain == domain && known[i].level == head->cmsg_level &&
			known[i].type == head->cmsg_type)
			return (int)known[i].what;
	return -EINVAL;
}

static int
take_rights(struct control *control, struct call *call, char *data, size_t len)
{
	if (len % sizeof(int) != 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i += sizeof(int)) {
		int fd;

		memcpy(&fd, data + i, sizeof(fd));
		if (control->n_fds == CONTROL_FDS)
			return -EINVAL;
		fd = target_fd(&call->target, fd);
		if (fd < 0)
			return fd;
		control->fds[control->n_fds++] = fd;
		memcpy(data + i, &fd, sizeof(fd));
	}
	return 0;
}

/* Only the supervisor's own pid is one that the kernel lets it send. The user
 * and group are the program's claim, and checked by the kernel. */
static int
take_credentials(char *data, size_t len)
{
	struct ucred cred;

	if (len != sizeof(cred))
		return -EINVAL;
	memcpy(&cred, data, sizeof(cred));
	cred.pid = getpid();
	memcpy(data, &cred, sizeof(cred));
	return 0;
}

/* By a device the packet would leave the machine, the loopback's address and all.
 * The kernel does not look at more than this many bytes. */
static int
take_source4(char *data, size_t len)
{
	struct in_pktinfo source;

	if (len < sizeof(source))
		return -EINVAL;
	memcpy(&source, data, sizeof(source));
	source.ipi_ifindex = 0;
	memcpy(data, &source, sizeof(source));
	return 0;
}

static int
take_source6(char *data, size_t len)
{
	struct in6_pktinfo source;

	if (len < sizeof(source))
		return -EINVAL;
	memcpy(&source, data, sizeof(source));
	source.ipi6_ifindex = 0;
	memcpy(data, &source, sizeof(source));
	return 0;
}

static int
translate_one_header(struct control *control, struct call *call, int what, char *data, size_t len)
{
	switch (what) {
	case RIGHTS:
		return take_rights(control, call, data, len);
	case CREDENTIALS:
		return take_credentials(data, len);
	case SOURCE4:
		return take_source4(data, len);
	case SOURCE6:
		return take_source6(data, len);
	default:
		return what < 0 ? what : 0;
	}
}

static int
translate_control(struct control *control, struct call *call, int domain)
{
	struct cmsghdr head;
	size_t at = 0;

	while (control->len - at >= sizeof(head)) {
		size_t rest = control->len - at, body, step;
		char *data = control->data + at + CMSG_LEN(0);
		int r;

		memcpy(&head, control->data + at, sizeof(head));
		if (head.cmsg_len < CMSG_LEN(0) || head.cmsg_len > rest)
			return -EINVAL;
		body = head.cmsg_len - CMSG_LEN(0);
		r = translate_one_header(
			control, call, find_control_kind(domain, &head), data, body);
		if (r < 0)
			return r;
		step = CMSG_ALIGN(head.cmsg_len);
		if (step >= rest)
			break;
		at += step;
	}
	return 0;
}

int
control_load(struct control *control, struct call *call, uint64_t address, uint64_t len, int domain)
{
	int r;

	control->data = NULL;
	control->len = 0;
	control->n_fds = 0;
	if (len == 0 || address == 0)
		return 0;
	if (len > CONTROL_MAX)
		return -ENOBUFS;
	control->data = malloc(len);
	if (!control->data)
		return -ENOMEM;
	r = target_read(&call->target, address, control->data, len);
	if (r < 0)
		return r;
	control->len = len;
	return translate_control(control, call, domain);
}

void
control_finish(struct control *control)
{
	for (unsigned i = 0; i < control->n_fds; i++)
		close(control->fds[i]);
	control->n_fds = 0;
	free(control->data);
	control->data = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An address on this machine becomes the cookies of the sockets that wait
 * there, as the kernel lists them (NETLINK_SOCK_DIAG). A cookie is given once
 * and never again, a port number or an abstract name is free for anybody as soon
 * as it is closed: so "ours" is said of cookies alone, each time anew.
 * Where the kernel cannot tell (built without it, or refused), nobody is ours. */

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "line/socket/endpoint.h"

#ifndef SO_COOKIE
#define SO_COOKIE 57
#endif
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define STATE_LISTEN 10 /* TCP_LISTEN */
#define ANSWER_SIZE 32768
#define ANSWERS_MAX 4096 /* messages in one list */

struct look {
	const struct endpoint *endpoint; /* NULL: a unix socket by its file */
	int file;			 /* O_PATH */
	uint32_t inode;			 /* of that socket; 0: not found */
	int type;
	bool (*ours)(void *data, uint64_t cookie);
	void *data;
	unsigned found;
	bool others;
};

uint64_t
endpoint_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) == 0 ? cookie : 0;
}

/* Only one that listens gets a connection; the accepted ones bear its name too,
 * but nobody reaches them by it. A datagram goes to whoever is bound. */
static uint32_t
states_of(int type)
{
	return type == SOCK_DGRAM ? ~0u : 1u << STATE_LISTEN;
}

static int
send_diag_request(int fd, const struct look *look, int family)
{
	struct {
		struct nlmsghdr head;
		union {
			struct inet_diag_req_v2 inet;
			struct unix_diag_req local;
		};
	} request = {
		.head = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(request.inet)),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.inet = {
			.sdiag_family = (uint8_t)family,
			.sdiag_protocol = look->type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP,
			.idiag_states = states_of(look->type),
			.id.idiag_sport = look->endpoint ? htons(look->endpoint->port) : 0,
		},
	};
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (family == AF_UNIX) {
		request.head.nlmsg_len = NLMSG_LENGTH(sizeof(request.local));
		request.local = (struct unix_diag_req){
			.sdiag_family = AF_UNIX,
			.udiag_states = states_of(look->type),
			.udiag_show = look->endpoint ? UDIAG_SHOW_NAME : UDIAG_SHOW_VFS,
		};
	}
	return sendto(fd, &request, request.head.nlmsg_len, 0, (struct sockaddr *)&kernel,
		       sizeof(kernel)) < 0
		       ? -errno
		       : 0;
}

/* Whether a socket bound there gets what is sent to the endpoint. An IPv6 one on
 * the any-address takes IPv4 too unless it said otherwise; which of several the
 * kernel would choose is not worth knowing: all of them must be ours. */
static bool
is_endpoint_receiver(
	const struct endpoint *endpoint, const struct inet_diag_msg *message, bool only_v6)
{
	static const unsigned char zero[16], mapped[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *ip = (const unsigned char *)message->id.idiag_src;

	if (ntohs(message->id.idiag_sport) != endpoint->port)
		return false;
	/* The any-address of IPv6 is that of IPv4, too. */
	if (message->idiag_family == AF_INET)
		return (!endpoint->v6 || endpoint_is_any(endpoint)) &&
		       (memcmp(ip, zero, 4) == 0 || memcmp(ip, endpoint->ip, 4) == 0);
	if (memcmp(ip, zero, 16) == 0)
		return endpoint->v6 || !only_v6;
	if (endpoint->v6)
		return memcmp(ip, endpoint->ip, 16) == 0;
	return memcmp(ip, mapped, 12) == 0 &&
	       (memcmp(ip + 12, endpoint->ip, 4) == 0 || memcmp(ip + 12, zero, 4) == 0);
}

static void
count_diag_socket(struct look *look, const uint32_t cookie[2])
{
	look->found++;
	if (!look->ours(look->data, (uint64_t)cookie[1] << 32 | cookie[0]))
		look->others = true;
}

/* One attribute of an answer, those begin at first: its data, or NULL. */
static const char *
find_attribute(const char *data, size_t first, size_t len, int type, size_t *ret_len)
{
	struct rtattr head;

	while (len >= first && len - first >= sizeof(head)) {
		memcpy(&head, data + first, sizeof(head));
		if (head.rta_len < sizeof(head) || head.rta_len > len - first)
			return NULL;
		*ret_len = head.rta_len - RTA_LENGTH(0);
		if (head.rta_type == type)
			return data + first + RTA_LENGTH(0);
		first += RTA_ALIGN(head.rta_len);
	}
	return NULL;
}

static int
look_at_inet(struct look *look, const char *data, size_t len)
{
	struct inet_diag_msg message;
	const char *only;
	size_t n = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	only = find_attribute(data, NLMSG_ALIGN(sizeof(message)), len, INET_DIAG_SKV6ONLY, &n);
	if (is_endpoint_receiver(look->endpoint, &message, only && n > 0 && *only))
		count_diag_socket(look, message.id.idiag_cookie);
	return 0;
}

/* A stream and a datagram socket can have the same name, and each is looked for
 * among its like alone. An abstract name begins with NUL. */
static int
look_at_unix(struct look *look, const char *data, size_t len)
{
	const struct endpoint *endpoint = look->endpoint;
	struct unix_diag_msg message;
	const char *name;
	size_t n = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	name = find_attribute(data, NLMSG_ALIGN(sizeof(message)), len, UNIX_DIAG_NAME, &n);
	if (message.udiag_type == look->type && name && n == endpoint->name_len + 1 &&
		name[0] == '\0' && memcmp(name + 1, endpoint->name, n - 1) == 0)
		count_diag_socket(look, message.udiag_cookie);
	return 0;
}

/* The kernel writes a device its own way, and stat does not tell that of a
 * subvolume or of a layer: there the number of the inode must do. */
static bool
is_file_of(const struct unix_diag_vfs *vfs, int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode) ||
		(uint32_t)st.st_ino != vfs->udiag_vfs_ino)
		return false;
	if (vfs->udiag_vfs_dev == (major(st.st_dev) << 20 | minor(st.st_dev)))
		return true;
	return fstatfs(fd, &fs) == 0 && ((unsigned long)fs.f_type == BTRFS_SUPER_MAGIC ||
						(unsigned long)fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

static int
look_at_file(struct look *look, const char *data, size_t len)
{
	struct unix_diag_msg message;
	struct unix_diag_vfs vfs;
	const char *found;
	size_t n = 0;

	if (len < sizeof(message))
		return -EBADMSG;
	memcpy(&message, data, sizeof(message));
	found = find_attribute(data, NLMSG_ALIGN(sizeof(message)), len, UNIX_DIAG_VFS, &n);
	if (message.udiag_type != look->type || !found || n < sizeof(vfs))
		return 0;
	memcpy(&vfs, found, sizeof(vfs));
	if (is_file_of(&vfs, look->file))
		look->inode = message.udiag_ino;
	return 0;
}

static int
read_diag_message(struct look *look, const char *data, size_t len)
{
	if (!look->endpoint)
		return look_at_file(look, data, len);
	return look->endpoint->kind == ENDPOINT_ABSTRACT ? look_at_unix(look, data, len)
							 : look_at_inet(look, data, len);
}

/* One datagram of the answer: 1 when it was the last, 0, or -errno. */
static int
read_answer(struct look *look, const char *data, size_t len)
{
	while (len >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr head;
		size_t step;
		int r = 0;

		memcpy(&head, data, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len)
			return -EBADMSG;
		if (head.nlmsg_type == NLMSG_DONE)
			return 1;
		if (head.nlmsg_type == NLMSG_ERROR || (head.nlmsg_flags & NLM_F_DUMP_INTR))
			return -EIO;
		if (head.nlmsg_type == SOCK_DIAG_BY_FAMILY)
			r = read_diag_message(
				look, data + NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN);
		if (r < 0)
			return r;
		step = NLMSG_ALIGN(head.nlmsg_len);
		if (step > len)
			break;
		data += step;
		len -= step;
	}
	return 0;
}

static int
list_diag_sockets(struct look *look, int family)
{
	auto_free char *answer = malloc(ANSWER_SIZE);
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int r;

	if (!answer || fd < 0)
		return -ENOMEM;
	r = send_diag_request(fd, look, family);
	/* The kernel has answered by the time sendto returns, or goes on as it is
	 * read: there is nothing to wait for. */
	for (int i = 0; r == 0 && i < ANSWERS_MAX; i++) {
		ssize_t n = recv(fd, answer, ANSWER_SIZE, MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || n > ANSWER_SIZE)
			return -EIO;
		r = read_answer(look, answer, (size_t)n);
	}
	return r == 1 ? 0 : r < 0 ? r : -EIO;
}

static int
look_for(struct look *look)
{
	const struct endpoint *endpoint = look->endpoint;
	int r;

	if (endpoint->kind == ENDPOINT_ABSTRACT)
		return list_diag_sockets(look, AF_UNIX);
	if (endpoint->kind != ENDPOINT_INET || endpoint->port == 0)
		return -EINVAL;
	/* IPv6 sockets take IPv4 as well: both lists count. */
	r = endpoint->v6 && !endpoint_is_any(endpoint) ? 0 : list_diag_sockets(look, AF_INET);
	return r < 0 ? r : list_diag_sockets(look, AF_INET6);
}

enum endpoint_owner
endpoint_owner(const struct endpoint *endpoint, int type, bool (*ours)(void *data, uint64_t cookie),
	void *data)
{
	struct look look = { .endpoint = endpoint, .type = type, .ours = ours, .data = data };

	if (look_for(&look) < 0 || look.others)
		return ENDPOINT_OTHERS;
	return look.found > 0 ? ENDPOINT_OURS : ENDPOINT_NOBODY;
}

int
endpoint_is_taken(const struct endpoint *endpoint, int type,
	bool (*ours)(void *data, uint64_t cookie), void *data)
{
	struct look look = { .endpoint = endpoint, .type = type, .ours = ours, .data = data };
	int r = look_for(&look);

	return r < 0 ? r : look.others;
}

int
endpoint_server(int fd, int type, uint32_t *ret_inode)
{
	struct look look = { .file = fd, .type = type };
	int r = list_diag_sockets(&look, AF_UNIX);

	*ret_inode = look.inode;
	return r < 0 ? r : look.inode != 0;
}

/* -- one socket ------------------------------------------------------------------------- */

static int
ask_about_socket(int diag, int socket, uint32_t show)
{
	uint64_t cookie = endpoint_cookie(socket);
	struct stat st;
	struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} request = {
		.head = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.body = {
			.sdiag_family = AF_UNIX,
			.udiag_show = show,
			.udiag_cookie = { (uint32_t)cookie, (uint32_t)(cookie >> 32) },
		},
	};
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (fstat(socket, &st) < 0)
		return -errno;
	request.body.udiag_ino = (uint32_t)st.st_ino;
	return sendto(diag, &request, sizeof(request), 0, (struct sockaddr *)&kernel,
		       sizeof(kernel)) < 0
		       ? -errno
		       : 0;
}

/* One attribute of a unix socket: 1, 0 if it has none, or -errno. */
static int
read_socket_attribute(int socket_fd, uint32_t show, int type, void *data, size_t size)
{
	auto_close int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	char answer[1024];
	const size_t first = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct unix_diag_msg)));
	struct nlmsghdr head;
	const char *found;
	size_t len = 0;
	ssize_t n;
	int r = diag < 0 ? -errno : ask_about_socket(diag, socket_fd, show);

	if (r < 0)
		return r;
	n = recv(diag, answer, sizeof(answer), MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(head))
		return -EIO;
	memcpy(&head, answer, sizeof(head));
	if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len > (size_t)n)
		return -EIO;
	found = find_attribute(answer, first, head.nlmsg_len, type, &len);
	if (!found || len < size)
		return 0;
	memcpy(data, found, size);
	return 1;
}

int
endpoint_peer(int socket_fd, uint32_t *ret_inode)
{
	int r = read_socket_attribute(
		socket_fd, UDIAG_SHOW_PEER, UNIX_DIAG_PEER, ret_inode, sizeof(*ret_inode));

	/* The kernel shows 0 for an end that is closed. */
	return r > 0 && *ret_inode == 0 ? 0 : r;
}

int
endpoint_is_file(int socket_fd, int fd)
{
	struct unix_diag_vfs vfs;
	int r = read_socket_attribute(socket_fd, UDIAG_SHOW_VFS, UNIX_DIAG_VFS, &vfs, sizeof(vfs));

	return r > 0 ? is_file_of(&vfs, fd) : r;
}

/* -- the socket that asks ------------------------------------------------------------- */

static bool
network_of(int fd, uint64_t *ret_network)
{
	socklen_t len = sizeof(*ret_network);

	return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, ret_network, &len) == 0;
}

uint64_t
endpoint_network(void)
{
	auto_close int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t network = 0;

	return fd >= 0 && network_of(fd, &network) ? network : 0;
}

static bool
is_of(int fd, uint64_t own)
{
	uint64_t network = 0;

	if (!network_of(fd, &network))
		return errno == ENOPROTOOPT; /* before 5.14 nobody can say */
	return network != 0 && network == own;
}

bool
endpoint_is_plain(int fd, int domain, uint64_t own)
{
	char device[IFNAMSIZ] = "";
	socklen_t len = sizeof(device); /* less is EINVAL */

	if (!is_of(fd, own))
		return false;
	if (domain == AF_UNIX)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, &len) < 0)
		return false;
	return len == 0 || device[0] == '\0' || strcmp(device, "lo") == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_SOCKET_ENDPOINT_H
#define LINE_SOCKET_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Socket addresses: what the bytes of a program mean to the kernel, as text for
 * a decision, and whose socket waits there. */

enum endpoint_kind {
	ENDPOINT_NONE = 0, /* AF_UNSPEC: no peer */
	ENDPOINT_INET,
	ENDPOINT_PATH, /* a unix socket's name in a directory */
	ENDPOINT_ABSTRACT,
	ENDPOINT_UNNAMED, /* AF_UNIX and nothing behind it */
	ENDPOINT_NETLINK,
};

struct endpoint {
	enum endpoint_kind kind;
	struct sockaddr_storage address; /* what to act with */
	socklen_t len;
	/* INET: the mapped forms of IPv6 are IPv4 here. */
	bool v6;
	unsigned char ip[16];
	uint16_t port;
	/* PATH: terminated; ABSTRACT: without the first NUL. */
	char name[sizeof(struct sockaddr_storage)];
	size_t name_len;
};

/* The same bytes mean different things to different calls. */
enum endpoint_use {
	ENDPOINT_CONNECT = 0,
	ENDPOINT_BIND,
	ENDPOINT_SEND,
};

/* domain and type: of the very socket. -EINVAL, -EAFNOSUPPORT as the call would
 * say. */
int endpoint_parse(struct endpoint *endpoint, const void *data, size_t len, int domain, int type,
	enum endpoint_use use);

bool endpoint_is_any(const struct endpoint *endpoint);
bool endpoint_is_loopback(const struct endpoint *endpoint);

/* To the any-address means to this machine: puts the loopback in its place. */
void endpoint_settle(struct endpoint *endpoint);

/* "10.0.0.1:80", "[::1]:80"; without a port if that is 0. Caller frees. The link
 * of an address like fe80::1 is not in it: hosts are asked for and allowed
 * without, so a yes is to that address on each link. */
char *endpoint_text(const struct endpoint *endpoint);

/* The local address of a socket. -errno. */
int endpoint_of_socket(struct endpoint *endpoint, int fd);

/* Whether there is a way to it (-ENETUNREACH, -EHOSTUNREACH: the call would fail
 * anyway); *ret_own: it is this machine. Nothing is sent. */
int endpoint_route(const struct endpoint *endpoint, bool *ret_own);
/* Whether one can bind to it: 0 or -EADDRNOTAVAIL. */
int endpoint_available(const struct endpoint *endpoint);

/* Whether it is one of the name servers of /etc/resolv.conf, at port 53. */
bool endpoint_is_resolver(const struct endpoint *endpoint);
/* The same in a text like that file's: tests have name servers of their own. */
bool endpoint_in_resolv(const struct endpoint *endpoint, const char *text);

enum endpoint_owner {
	ENDPOINT_OTHERS = 0, /* or it cannot be known */
	ENDPOINT_NOBODY,
	ENDPOINT_OURS, /* all of them */
};

/* Who gets what is sent there now, on this machine: listening sockets, or bound
 * ones (SOCK_DGRAM), each by its cookie. INET and ABSTRACT. */
enum endpoint_owner endpoint_owner(const struct endpoint *endpoint, int type,
	bool (*ours)(void *data, uint64_t cookie), void *data);

/* Whether others have it, as one would be bound to it: 1 or 0; -errno: nobody can say. */
int endpoint_is_taken(const struct endpoint *endpoint, int type,
	bool (*ours)(void *data, uint64_t cookie), void *data);

/* Whether what is found out here holds for this socket: no device but the
 * loopback's takes its packets, and its network is the supervisor's own. */
bool endpoint_is_plain(int fd, int domain, uint64_t own);
/* The network of this process, for that; 0: it cannot be known. */
uint64_t endpoint_network(void);

/* Whether a unix socket is bound to the very file behind fd (O_PATH will do): 1
 * or 0; -errno: nobody can say. */
int endpoint_is_file(int socket_fd, int fd);

/* The inode of the socket that gets what is sent to the file behind fd (O_PATH), of one that
 * listens or (SOCK_DGRAM) is bound: 1, 0 if nobody does, or -errno. */
int endpoint_server(int fd, int type, uint32_t *ret_inode);

/* The inode of the socket at the other end of a connected unix socket: 1, 0 if there is no
 * other end, or -errno. */
int endpoint_peer(int socket_fd, uint32_t *ret_inode);

/* 0: unknown. */
uint64_t endpoint_cookie(int fd);

#endif

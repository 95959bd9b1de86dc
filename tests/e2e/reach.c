/* SPDX-License-Identifier: Apache-2.0 */
/* reach ACT [ARGUMENT...]: one act on the network of this machine, told as "ok"
 * or the name of the error; exits with 0 or 1. For places without Python.
 *
 *   serve FILE     TCP and UDP on one port of the loopback: FILE gets the port,
 *                  then "tcp" or "udp" for each that came; does not end
 *   tcp PORT       connect, send "hello", wait for the answer
 *   tcp6 PORT      the same by an IPv6 socket, to ::ffff:127.0.0.1
 *   nonblock PORT  the same, without waiting in connect; connect asked again
 *   udp PORT       sendto, wait for the answer
 *   bound-udp PORT bind to the any-address first, as musl's resolver does
 *   many PORT      connect, sendmmsg, as glibc's resolver does
 *   close PORT     connect, close: whether the other side hears of it
 *   loop           an own server and client; then again on the same port
 *   unix PATH      an own server and client there
 *   pass           a descriptor through a socket pair
 *   ports          a free port is found, given back and taken again
 *   orphans N      that many, which end; exits when nobody but it is left */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 5000

static struct sockaddr_in
loopback(const char *port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port != NULL ? (uint16_t)strtoul(port, NULL, 10) : 0),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

#define AT(address) (struct sockaddr *)&(address), sizeof(address)

static int
ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (poll(&p, 1, WAIT_MS) == 1)
		return 0;
	errno = ETIMEDOUT;
	return -1;
}

static int
hears(int fd)
{
	char text[8];

	return ready(fd, POLLIN) < 0 || recv(fd, text, sizeof(text), 0) <= 0 ? -1 : 0;
}

static int
talk(int fd)
{
	return send(fd, "hello", 5, MSG_NOSIGNAL) != 5 ? -1 : hears(fd);
}

/* -- servers ------------------------------------------------------------------------ */

static int
do_serve(char **a)
{
	struct sockaddr_in at = loopback(NULL);
	int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(at);
	FILE *file = fopen(a[0], "w");

	if (file == NULL || bind(tcp, AT(at)) < 0 || listen(tcp, 8) < 0 ||
		getsockname(tcp, (struct sockaddr *)&at, &len) < 0 || bind(udp, AT(at)) < 0)
		return -1;
	setvbuf(file, NULL, _IOLBF, 0);
	fprintf(file, "%d\n", ntohs(at.sin_port));
	for (;;) {
		struct pollfd p[2] = { { .fd = tcp, .events = POLLIN },
			{ .fd = udp, .events = POLLIN } };
		struct sockaddr_in from;
		char text[8];
		int peer;

		if (poll(p, 2, -1) < 0)
			return -1;
		len = sizeof(from);
		if (p[1].revents &&
			recvfrom(udp, text, sizeof(text), 0, (struct sockaddr *)&from, &len) > 0) {
			fprintf(file, "udp\n");
			sendto(udp, "well", 4, 0, AT(from));
		}
		if (!p[0].revents)
			continue;
		peer = accept(tcp, NULL, NULL);
		fprintf(file, "tcp\n");
		if (ready(peer, POLLIN) == 0 && recv(peer, text, sizeof(text), 0) > 0)
			send(peer, "well", 4, MSG_NOSIGNAL);
		/* The other side has ended, or it does not come. */
		fprintf(file, ready(peer, POLLIN) == 0 ? "end\n" : "no end\n");
		close(peer);
	}
}

static int
own_pair(int server, int client, struct sockaddr *at, socklen_t len)
{
	int peer;

	if (listen(server, 1) < 0 || connect(client, at, len) < 0)
		return -1;
	peer = ready(server, POLLIN) == 0 ? accept(server, NULL, NULL) : -1;
	if (peer < 0 || send(peer, "well", 4, 0) != 4 || hears(client) < 0)
		return -1;
	close(peer);
	close(client);
	close(server);
	return 0;
}

static int
do_loop(char **a)
{
	struct sockaddr_in at = loopback(NULL);
	socklen_t len = sizeof(at);

	(void)a;
	for (int i = 0; i < 2; i++) {
		int server = socket(AF_INET, SOCK_STREAM, 0), one = 1;

		setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(server, AT(at)) < 0 ||
			getsockname(server, (struct sockaddr *)&at, &len) < 0 ||
			own_pair(server, socket(AF_INET, SOCK_STREAM, 0), AT(at)) < 0)
			return -1;
	}
	return 0;
}

static int
do_unix(char **a)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", a[0]);
	return bind(server, AT(at)) < 0 ? -1
					: own_pair(server, socket(AF_UNIX, SOCK_STREAM, 0), AT(at));
}

static int
do_ports(char **a)
{
	struct sockaddr_in at = loopback(NULL);
	socklen_t len = sizeof(at);

	(void)a;
	for (int i = 0; i < 2; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (bind(fd, AT(at)) < 0 || getsockname(fd, (struct sockaddr *)&at, &len) < 0)
			return -1;
		close(fd);
	}
	return 0;
}

/* -- clients ------------------------------------------------------------------------- */

static int
do_tcp(char **a)
{
	struct sockaddr_in at = loopback(a[0]);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return connect(fd, AT(at)) < 0 ? -1 : talk(fd);
}

static int
do_tcp6(char **a)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_port = loopback(a[0]).sin_port };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	inet_pton(AF_INET6, "::ffff:127.0.0.1", &at.sin6_addr);
	return connect(fd, AT(at)) < 0 ? -1 : talk(fd);
}

static int
do_nonblock(char **a)
{
	struct sockaddr_in at = loopback(a[0]);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), r;

	r = connect(fd, AT(at));
	if ((r < 0 && errno != EINPROGRESS) || ready(fd, POLLOUT) < 0)
		return -1;
	if (connect(fd, AT(at)) < 0 && errno != EISCONN)
		return -1;
	if (!(fcntl(fd, F_GETFL) & O_NONBLOCK) || !(fcntl(fd, F_GETFD) & FD_CLOEXEC)) {
		errno = EBADFD;
		return -1;
	}
	return talk(fd);
}

static int
do_close(char **a)
{
	struct sockaddr_in at = loopback(a[0]);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return connect(fd, AT(at)) < 0 || talk(fd) < 0 ? -1 : close(fd);
}

static int
do_udp(char **a)
{
	struct sockaddr_in at = loopback(a[0]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return sendto(fd, "hello", 5, 0, AT(at)) != 5 ? -1 : hears(fd);
}

static int
do_bound_udp(char **a)
{
	struct sockaddr_in at = loopback(a[0]), any = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	return bind(fd, AT(any)) < 0 || sendto(fd, "hello", 5, 0, AT(at)) != 5 || hears(fd) < 0 ||
			       sendto(fd, "hello", 5, 0, AT(at)) != 5
		       ? -1
		       : hears(fd);
}

static int
do_many(char **a)
{
	struct sockaddr_in at = loopback(a[0]);
	struct iovec iov = { "hello", 5 };
	struct mmsghdr two[2] = { { .msg_hdr = { .msg_iov = &iov, .msg_iovlen = 1 } },
		{ .msg_hdr = { .msg_iov = &iov, .msg_iovlen = 1 } } };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (connect(fd, AT(at)) < 0 || sendmmsg(fd, two, 2, 0) != 2)
		return -1;
	return hears(fd) < 0 || hears(fd) < 0 ? -1 : 0;
}

static int
do_pass(char **a)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { "x", 1 };
	struct msghdr message = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.bytes) };
	int pair[2];

	(void)a;
	memcpy(CMSG_DATA(&control.head), &(int){ 0 }, sizeof(int));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return -1;
	return sendmsg(pair[0], &message, 0) == 1 ? hears(pair[1]) : -1;
}

/* Grandchildren whose parent has gone: whoever is the reaper waits for them. The
 * pipe says when the last of them has ended. */
static int
do_orphans(char **a)
{
	int pipes[2], n = (int)strtol(a[0], NULL, 10);
	char byte;

	if (pipe(pipes) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			if (fork() != 0)
				_exit(0);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	close(pipes[1]);
	return read(pipes[0], &byte, 1) == 0 ? 0 : -1;
}

static const struct {
	const char *name;
	int n;
	int (*act)(char **a);
} acts[] = {
	{ "serve", 1, do_serve },
	{ "tcp", 1, do_tcp },
	{ "tcp6", 1, do_tcp6 },
	{ "nonblock", 1, do_nonblock },
	{ "close", 1, do_close },
	{ "udp", 1, do_udp },
	{ "bound-udp", 1, do_bound_udp },
	{ "many", 1, do_many },
	{ "loop", 0, do_loop },
	{ "unix", 1, do_unix },
	{ "ports", 0, do_ports },
	{ "pass", 0, do_pass },
	{ "orphans", 1, do_orphans },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(acts[i].name, argv[1]) != 0 || argc - 2 < acts[i].n)
			continue;
		if (acts[i].act(argv + 2) == 0) {
			puts("ok");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	fprintf(stderr, "reach: no such act\n");
	return 2;
}

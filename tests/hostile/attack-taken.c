/* SPDX-License-Identifier: Apache-2.0 */
/* Names and numbers that were the session's own and are another's by now: a
 * socket's path, an abstract name, a port, a queue's name, a segment's id. And
 * what comes in from other machines without being asked about. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

static bool
ask(const struct world *w, const char *what, const char *name)
{
	char request[LENGTH];

	snprintf(request, sizeof(request), "%s %s", what, name);
	return ask_runner(w, request);
}

static bool
ask_number(const struct world *w, const char *what, int number)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", number);
	return ask(w, what, text);
}

static socklen_t
address(struct sockaddr_un *a, const char *path)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(a->sun_path))
		cannot("the path is too long for a socket");
	memcpy(a->sun_path, path, strlen(path));
	if (path[0] == '@')
		a->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
}

/* Served and reached by the session first, so that it is known as its own. */
static void
unix_taken(const struct world *w, const char *path, bool keep)
{
	int server = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un a;
	socklen_t len = address(&a, path);

	if (bind(server, (void *)&a, len) < 0 || listen(server, 4) < 0 ||
		connect(fd, (void *)&a, len) < 0)
		return;
	close(fd);
	if (!keep)
		close(server);
	if (!ask(w, "socket", path))
		cannot("nobody takes the name");
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(fd, (void *)&a, len) == 0)
		(void)!send(fd, "x", 1, MSG_NOSIGNAL);
}

static void
unix_taken_in_folder(const struct world *w)
{
	unix_taken(w, in(w->folder, "sub/own"), false);
}

static void
unix_taken_alive(const struct world *w)
{
	unix_taken(w, in(w->folder, "sub/own"), true);
}

static void
unix_taken_in_tmp(const struct world *w)
{
	unix_taken(w, w->own, false);
}

static void
unix_taken_abstract(const struct world *w)
{
	char name[80];

	snprintf(name, sizeof(name), "@%s.own", w->stream_name);
	unix_taken(w, name, false);
}

/* ---- ports ---- */

static struct sockaddr_in
loopback(void)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* A socket that is bound; its address is put into a. */
static int
udp_server(struct sockaddr_in *a)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(*a);

	*a = loopback();
	if (bind(fd, (void *)a, sizeof(*a)) < 0 || getsockname(fd, (void *)a, &len) < 0)
		return -1;
	return fd;
}

/* The port was this session's own, and a client of its own sent there. */
static int
udp_taken(const struct world *w, struct sockaddr_in *a, bool connected)
{
	int server = udp_server(a), fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (connected)
		(void)!connect(fd, (void *)a, sizeof(*a));
	else
		(void)!sendto(fd, "x", 1, 0, (void *)a, sizeof(*a));
	close(server);
	if (!ask_number(w, "datagrams", ntohs(a->sin_port)))
		cannot("the port is not free again");
	return fd;
}

static void
udp_taken_send(const struct world *w)
{
	struct sockaddr_in a;
	int fd = udp_taken(w, &a, false);

	(void)!sendto(fd, "x", 1, 0, (void *)&a, sizeof(a));
}

static void
udp_taken_message(const struct world *w)
{
	struct sockaddr_in a;
	struct iovec iov = { "x", 1 };
	struct msghdr msg = {
		.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &iov, .msg_iovlen = 1
	};
	int fd = udp_taken(w, &a, false);

	(void)!sendmsg(fd, &msg, 0);
}

static void
udp_taken_connect(const struct world *w)
{
	struct sockaddr_in a;
	int fd = udp_taken(w, &a, true);

	if (connect(fd, (void *)&a, sizeof(a)) < 0)
		return;
	(void)!send(fd, "x", 1, 0);
}

/* No call that is seen tells where this goes: it is on the list of what is not
 * protected, and whoever mends it takes it from there. */
static void
udp_taken_connected(const struct world *w)
{
	struct sockaddr_in a;
	int fd = udp_taken(w, &a, true);

	/* The first may bring the error that nobody was there. */
	(void)!send(fd, "x", 1, 0);
	(void)!send(fd, "x", 1, 0);
}

/* Nobody was there when it was connected, so nobody was asked. */
static void
udp_nobody_taken(const struct world *w)
{
	struct sockaddr_in a;
	int server = udp_server(&a), fd = socket(AF_INET, SOCK_DGRAM, 0);

	close(server);
	if (connect(fd, (void *)&a, sizeof(a)) < 0)
		return;
	if (!ask_number(w, "datagrams", ntohs(a.sin_port)))
		cannot("the port is not free again");
	(void)!send(fd, "x", 1, 0);
	(void)!write(fd, "x", 1);
}

/* What resolvers connect to, to see whether there is a way. */
static void
udp_port_zero(const struct world *w)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0xc0000201) };
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (connect(fd, (void *)&a, sizeof(a)) < 0 && w->plain)
		cannot("this machine is on no network");
	for (int i = 0; i < 2; i++) {
		if (send(fd, "x", 1, MSG_NOSIGNAL) == 1 || write(fd, "x", 1) == 1)
			loot(w, "a packet to another machine");
		/* Once more, with another beginning. */
		(void)!connect(fd, &none, sizeof(none));
		(void)!connect(fd, (void *)&a, sizeof(a));
	}
}

/* A server for everybody, of the session's own making. */
static void
udp_from_elsewhere(const struct world *w)
{
	struct sockaddr_in a;
	struct timeval wait = { .tv_usec = 500000 };
	int fd = udp_server(&a), server = socket(AF_INET, SOCK_DGRAM, 0);
	char byte;

	close(fd); /* a port that is free */
	a.sin_addr.s_addr = htonl(INADDR_ANY);
	if (bind(server, (void *)&a, sizeof(a)) < 0)
		return;
	setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (!ask_number(w, "send", ntohs(a.sin_port)))
		cannot("this machine has no other address");
	if (recv(server, &byte, 1, 0) == 1)
		loot(w, "a datagram from elsewhere");
}

/* ---- shared objects ---- */

static void
queue_made_and_taken(const struct world *w, char *name, size_t size)
{
	mqd_t mq;

	snprintf(name, size, "%s.own", w->mq_name);
	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL);
	if (mq < 0)
		return;
	mq_close(mq);
	if (!ask(w, "queue", name))
		cannot("nobody takes the queue");
}

static void
queue_taken(const struct world *w)
{
	char name[80], text[64] = "";
	mqd_t mq;

	queue_made_and_taken(w, name, sizeof(name));
	mq = mq_open(name, O_RDWR | O_NONBLOCK);
	if (mq_receive(mq, text, sizeof(text), NULL) > 0)
		loot_if_secret(w, text, sizeof(text));
}

static void
queue_taken_unlink(const struct world *w)
{
	char name[80];

	queue_made_and_taken(w, name, sizeof(name));
	mq_unlink(name);
}

/* At its end the session removes what it made, and only that. */
static void
queue_taken_left(const struct world *w)
{
	char name[80];

	queue_made_and_taken(w, name, sizeof(name));
	if (w->plain) /* there is nobody who cleans up */
		mq_unlink(name);
}

static void
segment_taken(const struct world *w)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	char *at;

	if (shmctl(id, IPC_RMID, NULL) < 0)
		return;
	if (!ask_number(w, "segment", id))
		cannot("the id cannot be had again");
	at = shmat(id, NULL, 0);
	if (at != (void *)-1)
		memcpy(at, "spoilt", 7);
}

static const struct attack list[] = {
	{ "unix-taken-in-folder", unix_taken_in_folder, 0 },
	{ "unix-taken-while-served", unix_taken_alive, 0 },
	{ "unix-taken-in-tmp", unix_taken_in_tmp, 0 },
	{ "unix-taken-abstract", unix_taken_abstract, 0 },
	{ "udp-port-taken-sendto", udp_taken_send, 0 },
	{ "udp-port-taken-sendmsg", udp_taken_message, 0 },
	{ "udp-port-taken-connect", udp_taken_connect, 0 },
	{ "udp-port-taken-while-connected", udp_taken_connected, WORKS },
	{ "udp-nobody-then-taken", udp_nobody_taken, 0 },
	{ "udp-port-zero", udp_port_zero, 0 },
	{ "udp-from-elsewhere", udp_from_elsewhere, 0 },
	{ "mq-taken-receive", queue_taken, 0 },
	{ "mq-taken-unlink", queue_taken_unlink, 0 },
	{ "mq-taken-end", queue_taken_left, 0 },
	{ "shm-taken", segment_taken, AS_ROOT },
};

const struct attacks attacks_taken = { list, COUNT(list) };

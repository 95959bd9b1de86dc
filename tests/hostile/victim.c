/* SPDX-License-Identifier: Apache-2.0 */
/* The process that attacks are aimed at: it listens on everything that can be
 * listened on, counts what comes, catches signals, and hands out descriptors
 * to whoever reaches its socket in the folder. Forked from the runner. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "hostile-world.h"

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

static struct counts *counts;
static volatile int64_t word = 4711;

static void
on_signal(int sig)
{
	(void)sig;
	__atomic_fetch_add(&counts->signals, 1, __ATOMIC_SEQ_CST);
}

static int
internet(int family, int type, int *ret_port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = family == AF_INET ? sizeof(four) : sizeof(six);
	struct sockaddr *address = family == AF_INET ? (void *)&four : (void *)&six;
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 5;

	*ret_port = 0;
	if (fd < 0 || bind(fd, address, len) < 0 || getsockname(fd, address, &len) < 0 ||
		(type == SOCK_STREAM && listen(fd, 64) < 0)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, 23 /* TCP_FASTOPEN */, &one, sizeof(one));
	*ret_port = ntohs(family == AF_INET ? four.sin_port : six.sin6_port);
	return fd;
}

static int
local(int type, const char *path, const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	size_t n = strlen(path != NULL ? path : name) + 1;

	if (path != NULL)
		snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	else
		snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "%s", name);
	if (bind(fd, (void *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0 ||
		(type != SOCK_DGRAM && listen(fd, 64) < 0)) {
		perror(path != NULL ? path : name);
		close(fd);
		return -1;
	}
	return fd;
}

static int
netlink(struct world *w)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK };
	socklen_t len = sizeof(a);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_USERSOCK);

	if (fd >= 0 && bind(fd, (void *)&a, sizeof(a)) == 0 &&
		getsockname(fd, (void *)&a, &len) == 0)
		w->netlink = a.nl_pid;
	return fd;
}

int
listeners_open(struct made *m, int *fds)
{
	struct world *w = &m->w;

	if (mkfifo(in(w->outside, "fifo"), 0600) < 0)
		return -1;
	fds[L_TCP] = internet(AF_INET, SOCK_STREAM, &w->tcp);
	fds[L_TCP6] = internet(AF_INET6, SOCK_STREAM, &w->tcp6);
	fds[L_UDP] = internet(AF_INET, SOCK_DGRAM, &w->udp);
	fds[L_STREAM] = local(SOCK_STREAM, w->stream_path, NULL);
	fds[L_DGRAM] = local(SOCK_DGRAM, w->dgram_path, NULL);
	fds[L_PACKET] = local(SOCK_SEQPACKET, w->packet_path, NULL);
	fds[L_NAME_STREAM] = local(SOCK_STREAM, NULL, w->stream_name);
	fds[L_NAME_DGRAM] = local(SOCK_DGRAM, NULL, w->dgram_name);
	fds[L_GIVEN] = local(SOCK_STREAM, w->given_path, NULL);
	/* Open for writing as well: else its end would be told again and again. */
	fds[L_FIFO] = open(in(w->outside, "fifo"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	fds[L_NETLINK] = netlink(w);
	for (int i = 0; i < L_N; i++) {
		if (fds[i] < 0 && i != L_TCP6 && i != L_NETLINK)
			return -1;
	}
	return 0;
}

/* A file for writing and a directory, both outside. */
static void
give(const struct world *w, int to)
{
	int fds[2] = { open(w->file, O_RDWR | O_CLOEXEC),
		open(w->outside, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	char control[CMSG_SPACE(sizeof(fds))] = { 0 }, byte = 'x';
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	sendmsg(to, &msg, MSG_NOSIGNAL);
	close(fds[0]);
	close(fds[1]);
}

static void
take(const struct world *w, enum listener kind, int listener, unsigned *count)
{
	char bytes[512];
	int fd;

	switch (kind) {
	case L_UDP:
	case L_DGRAM:
	case L_NAME_DGRAM:
	case L_NETLINK:
	case L_FIFO:
		while (read(listener, bytes, sizeof(bytes)) > 0)
			(*count)++;
		return;
	default:
		while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
			(*count)++;
			if (kind == L_GIVEN)
				give(w, fd);
			close(fd);
		}
	}
}

static void
take_all(const struct world *w, const int *listeners)
{
	unsigned *const where[L_N] = { [L_TCP] = &counts->tcp,
		[L_TCP6] = &counts->tcp,
		[L_UDP] = &counts->udp,
		[L_STREAM] = &counts->unix_stream,
		[L_DGRAM] = &counts->unix_dgram,
		[L_PACKET] = &counts->unix_packet,
		[L_NAME_STREAM] = &counts->abstract_stream,
		[L_NAME_DGRAM] = &counts->abstract_dgram,
		[L_GIVEN] = &counts->given,
		[L_FIFO] = &counts->fifo,
		[L_NETLINK] = &counts->netlink };

	for (int i = 0; i < L_N; i++) {
		if (listeners[i] >= 0)
			take(w, i, listeners[i], where[i]);
	}
}

static void
prepare(const struct world *w, pid_t parent)
{
	static const int caught[] = { SIGUSR1, SIGUSR2, SIGHUP, SIGTERM, SIGINT, SIGIO, SIGALRM,
		SIGCHLD };
	struct sigaction action = { .sa_handler = on_signal };
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* Where Yama lets only parents trace, this one lets anybody. */
	prctl(PR_SET_PTRACER, -1L);
	setpgid(0, 0);
	for (size_t i = 0; i < COUNT(caught); i++)
		sigaction(caught[i], &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	fd = open(w->file, O_RDWR);
	dup2(fd, VICTIM_FILE_FD);
	close(fd);
	fd = memfd_create("secret", 0);
	(void)!write(fd, SECRET, strlen(SECRET));
	dup2(fd, VICTIM_SECRET_FD);
	close(fd);
}

void
victim_main(struct made *m, const int *listeners, int sync, int inherited)
{
	struct pollfd polled[L_N + 2];
	char byte;

	counts = m->counts;
	counts->word = (uintptr_t)&word;
	prepare(&m->w, getppid());
	for (int i = 0; i < L_N; i++)
		polled[i] = (struct pollfd){ .fd = listeners[i], .events = POLLIN };
	polled[L_N] = (struct pollfd){ .fd = sync, .events = POLLIN };
	polled[L_N + 1] = (struct pollfd){ .fd = inherited, .events = POLLIN };
	(void)!write(sync, "r", 1);
	for (;;) {
		if (poll(polled, L_N + 2, -1) < 0 && errno != EINTR)
			_exit(1);
		take_all(&m->w, listeners);
		if (polled[L_N + 1].fd >= 0 && recv(inherited, &byte, 1, MSG_DONTWAIT) > 0) {
			counts->inherited++;
			give(&m->w, inherited);
		} else if (polled[L_N + 1].revents & (POLLHUP | POLLERR)) {
			polled[L_N + 1].fd = -1;
		}
		if (!(polled[L_N].revents & (POLLIN | POLLHUP)))
			continue;
		if (read(sync, &byte, 1) != 1)
			_exit(0);
		(void)!write(sync, &byte, 1);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The network line: connect and close, bytes, connections at once; native, by an
 * allowed address (direct), by an allowed name (the relay). Without arguments it has
 * tests/bench/net.bash do that, in the namespaces of the end-to-end tests, with this
 * program at both ends:
 *
 *     serve ADDRESS PORT           "source N" or "sink" on a first line, or just an end
 *     connect HOST PORT COUNT      one after another: prints microseconds of each
 *     pull HOST PORT BYTES         prints megabytes a second
 *     hold HOST PORT COUNT         all open at once, each heard of: prints how many were
 *
 * Prints, asserts nothing about time. */

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PIECE (256u << 10)

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static struct addrinfo *
find(const char *host, const char *port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_INET };
	struct addrinfo *list;

	if (getaddrinfo(host, port, &hints, &list) != 0) {
		fprintf(stderr, "%s: no address\n", host);
		exit(1);
	}
	return list;
}

static int
go(const struct addrinfo *to)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, to->ai_addr, to->ai_addrlen) < 0)
		fail("connect");
	return fd;
}

/* -- the far end -------------------------------------------------------------------- */

static void *
answer(void *data)
{
	int fd = (int)(intptr_t)data;
	char line[64] = "", *piece = calloc(1, PIECE);
	ssize_t n = recv(fd, line, sizeof(line) - 1, 0);
	unsigned long long left = 0;

	if (n > 0 && sscanf(line, "source %llu", &left) == 1)
		while (left > 0) {
			n = send(fd, piece, left < PIECE ? left : PIECE, MSG_NOSIGNAL);
			if (n <= 0)
				break;
			left -= (unsigned long long)n;
		}
	else if (n > 0)
		do
			send(fd, "heard\n", 6, MSG_NOSIGNAL);
		while (recv(fd, line, sizeof(line), 0) > 0);
	close(fd);
	free(piece);
	return NULL;
}

static _Noreturn void
serve(const char *address, const char *port)
{
	struct addrinfo *at = find(address, port);
	struct rlimit limit;
	pthread_attr_t attr;
	pthread_t thread;
	int one = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, 4096) < 0)
		fail("serve");
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 64u << 10);
	for (;;) {
		int peer = accept(fd, NULL, NULL);

		if (peer >= 0 &&
			pthread_create(&thread, &attr, answer, (void *)(intptr_t)peer) != 0)
			close(peer);
	}
}

/* -- the near end ------------------------------------------------------------------- */

static int
connects(const struct addrinfo *to, long count)
{
	/* Reset: thousands that linger would use up the ports. */
	const struct linger now = { .l_onoff = 1 };
	double since = now_us();

	for (long i = 0; i < count; i++) {
		int fd = go(to);

		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(fd);
	}
	printf("%.1f\n", (now_us() - since) / (double)count);
	return 0;
}

static int
pull(const struct addrinfo *to, const char *bytes)
{
	unsigned long long want = strtoull(bytes, NULL, 10), got = 0;
	char *piece = malloc(PIECE);
	double since = now_us();
	int fd = go(to);
	ssize_t n;

	dprintf(fd, "source %llu\n", want);
	while ((n = recv(fd, piece, PIECE, 0)) > 0)
		got += (unsigned long long)n;
	if (got != want)
		fail("not all of it came");
	printf("%.0f\n", (double)got / (now_us() - since));
	return 0;
}

static int
hold(const struct addrinfo *to, long count)
{
	int *fds = calloc((size_t)count, sizeof(*fds));
	char line[16];
	long heard = 0;

	for (long i = 0; i < count; i++)
		fds[i] = go(to);
	for (long i = 0; i < count; i++)
		if (send(fds[i], "here\n", 5, MSG_NOSIGNAL) != 5)
			fail("send");
	for (long i = 0; i < count; i++)
		heard += recv(fds[i], line, sizeof(line), 0) == 6;
	printf("%ld\n", heard);
	return heard == count ? 0 : 1;
}

int
main(int argc, char **argv)
{
	char self[PATH_MAX] = "";

	signal(SIGPIPE, SIG_IGN);
	if (argc == 1) {
		if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
			fail("self");
		setenv("STREAM", self, 1);
		execlp("bash", "bash", "tests/bench/net.bash", (char *)NULL);
		fail("bash");
	}
	if (argc == 4 && strcmp(argv[1], "serve") == 0)
		serve(argv[2], argv[3]);
	if (argc == 5 && strcmp(argv[1], "connect") == 0)
		return connects(find(argv[2], argv[3]), strtol(argv[4], NULL, 10));
	if (argc == 5 && strcmp(argv[1], "pull") == 0)
		return pull(find(argv[2], argv[3]), argv[4]);
	if (argc == 5 && strcmp(argv[1], "hold") == 0)
		return hold(find(argv[2], argv[3]), strtol(argv[4], NULL, 10));
	fprintf(stderr, "usage: see the head of tests/bench/bench-net.c\n");
	return 2;
}

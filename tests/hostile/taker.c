/* SPDX-License-Identifier: Apache-2.0 */
/* The runner's part in attacks that remember too little: what the attack made
 * and gave up, under a name or a number, the runner makes anew as its own, and
 * tells what becomes of it. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile-world.h"

#define KEPT "kept by the runner"

/* "@name" is abstract. */
static bool
take_socket(struct made *m, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));

	if (strlen(path) >= sizeof(a.sun_path))
		return false;
	memcpy(a.sun_path, path, strlen(path));
	if (path[0] == '@')
		a.sun_path[0] = '\0';
	else
		unlink(path);
	m->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return bind(m->listener, (void *)&a, len) == 0 && listen(m->listener, 16) == 0;
}

static bool
take_datagrams(struct made *m, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	m->datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return bind(m->datagrams, (void *)&a, sizeof(a)) == 0;
}

static bool
take_queue(struct made *m, const char *name)
{
	struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 64 };

	snprintf(m->queue_name, sizeof(m->queue_name), "%s", name);
	mq_unlink(name);
	m->queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0600, &attr);
	return m->queue >= 0 && mq_send(m->queue, SECRET, sizeof(SECRET), 1) == 0;
}

/* The kernel can be told which id is next, by root: so nobody needs to count
 * around until it comes by itself. */
static bool
take_segment(struct made *m, int id)
{
	FILE *next = fopen("/proc/sys/kernel/shm_next_id", "we");
	char *at;

	if (next == NULL)
		return false;
	fprintf(next, "%d\n", id);
	if (fclose(next) != 0)
		return false;
	m->segment = shmget(IPC_PRIVATE, 4096, 0600);
	at = shmat(m->segment, NULL, 0);
	if (at == (void *)-1)
		return false;
	memcpy(at, KEPT, sizeof(KEPT));
	shmdt(at);
	return m->segment == id;
}

/* To an address of this machine that is not the loopback's, if there is one. */
static bool
send_there(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct ifaddrs *list = NULL;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool sent;

	if (getifaddrs(&list) == 0) {
		for (struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
			if (i->ifa_addr != NULL && i->ifa_addr->sa_family == AF_INET &&
				!(i->ifa_flags & IFF_LOOPBACK))
				a.sin_addr = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
		}
		freeifaddrs(list);
	}
	sent = a.sin_addr.s_addr != 0 && sendto(fd, "x", 1, 0, (void *)&a, sizeof(a)) == 1;
	close(fd);
	return sent;
}

#define RING 32 /* terminals at once: each lives long enough for something to come */

/* As many terminals as it can make, so that a number which comes free is taken at once. What
 * comes there was not meant for it. The attack knows them by their size, set before they open,
 * and so writes to no terminal of anybody else on the machine. */
static void
make_terminals(struct counts *counts, int mark)
{
	const struct winsize size = { .ws_row = TERMINAL_ROWS(mark),
		.ws_col = TERMINAL_COLS(mark) };
	struct pollfd ring[RING];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < RING; i++)
		ring[i] = (struct pollfd){ .fd = -1 };
	for (unsigned n = 0;; n++) {
		struct pollfd *fd = &ring[n % RING];
		int next = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

		if (next >= 0 && ioctl(next, TIOCSWINSZ, &size) == 0)
			unlockpt(next);
		if (fd->fd >= 0 && poll(fd, 1, 0) == 1 && (fd->revents & POLLIN))
			__atomic_fetch_add(&counts->terminals, 1, __ATOMIC_SEQ_CST);
		if (fd->fd >= 0)
			close(fd->fd);
		*fd = (struct pollfd){ .fd = next, .events = POLLIN };
	}
}

static bool
start_terminals(struct made *m, int mark)
{
	m->terminals = fork();
	if (m->terminals == 0)
		make_terminals(m->counts, mark);
	return m->terminals > 0;
}

bool
taker_take(struct made *m, const char *request, const char *what)
{
	if (strncmp(request, "socket ", 7) == 0)
		return take_socket(m, what);
	if (strncmp(request, "datagrams ", 10) == 0)
		return take_datagrams(m, (int)strtol(what, NULL, 10));
	if (strncmp(request, "queue ", 6) == 0)
		return take_queue(m, what);
	if (strncmp(request, "segment ", 8) == 0)
		return take_segment(m, (int)strtol(what, NULL, 10));
	if (strncmp(request, "terminals ", 10) == 0)
		return start_terminals(m, (int)strtol(what, NULL, 10));
	if (strncmp(request, "send ", 5) == 0)
		return send_there((int)strtol(what, NULL, 10));
	return false;
}

static void
tell_queue(FILE *out, struct made *m)
{
	struct mq_attr attr = { 0 };
	struct stat was, is;
	mqd_t again = mq_open(m->queue_name, O_RDONLY | O_CLOEXEC);

	mq_getattr(m->queue, &attr);
	fprintf(out, "the taken queue: %ld messages, under its name: %s\n", attr.mq_curmsgs,
		again >= 0 && fstat(again, &is) == 0 && fstat(m->queue, &was) == 0 &&
				is.st_ino == was.st_ino
			? "yes"
			: "no");
	if (again >= 0)
		mq_close(again);
}

static void
tell_segment(FILE *out, struct made *m)
{
	struct shmid_ds ds = { 0 };
	char *at = shmat(m->segment, NULL, SHM_RDONLY);

	shmctl(m->segment, IPC_STAT, &ds);
	fprintf(out, "the taken segment: '%s' mode %o\n", at != (void *)-1 ? at : "none",
		ds.shm_perm.mode);
	if (at != (void *)-1)
		shmdt(at);
}

void
taker_tell(FILE *out, struct made *m)
{
	char byte;

	while (m->datagrams >= 0 && recv(m->datagrams, &byte, 1, MSG_DONTWAIT) > 0)
		m->heard++;
	fprintf(out, "datagrams at the taken port: %u; heard on later terminals: %s\n", m->heard,
		m->counts->terminals > 0 ? "yes" : "no");
	if (m->queue >= 0)
		tell_queue(out, m);
	if (m->segment >= 0)
		tell_segment(out, m);
}

void
taker_end(struct made *m)
{
	if (m->datagrams >= 0)
		close(m->datagrams);
	if (m->queue >= 0) {
		mq_close(m->queue);
		mq_unlink(m->queue_name);
	}
	if (m->segment >= 0)
		shmctl(m->segment, IPC_RMID, NULL);
	if (m->terminals > 0) {
		kill(m->terminals, SIGKILL);
		waitpid(m->terminals, NULL, 0);
	}
}

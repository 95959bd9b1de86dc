/* SPDX-License-Identifier: Apache-2.0 */
/* From a socket that the gate gave away to a supervisor that runs. All that is
 * believed of the client is which process it is, and that the kernel says; what
 * it wants is read by the supervisor that is started for it, which may wait for
 * it as long as it likes. Sockets are admitted by the gate's thread, the rest is
 * the loop's. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/gate.h"
#include "line/gate/self-restricted.h"
#include "line/nest/nest.h"
#include "line/process/run-doors.h"
#include "perform/permit.h"
#include "request/request-object.h"

struct entry {
	struct entry *next;
	int id;
	pid_t client;
	int socket;	  /* until it is handed on */
	int pidfd;	  /* of the client; likewise */
	pid_t supervisor; /* 0: not started yet */
	int watch;	  /* its pidfd */
};

struct nest {
	struct nest_options o;
	int epoll;
	pthread_mutex_t lock; /* of the list */
	struct entry *list;
	int last;
};

int
nest_create(const struct nest_options *options, struct nest **ret_nest)
{
	struct nest *nest = calloc(1, sizeof(*nest));

	if (!nest)
		return -ENOMEM;
	nest->o = *options;
	nest->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (nest->epoll < 0) {
		free(nest);
		return -errno;
	}
	pthread_mutex_init(&nest->lock, NULL);
	*ret_nest = nest;
	return 0;
}

static void
free_entry(struct entry *entry)
{
	fd_close_at(&entry->socket);
	fd_close_at(&entry->pidfd);
	fd_close_at(&entry->watch);
	free(entry);
}

void
nest_destroy(struct nest *nest)
{
	if (!nest)
		return;
	while (nest->list) {
		struct entry *entry = nest->list;

		nest->list = entry->next;
		free_entry(entry);
	}
	close(nest->epoll);
	pthread_mutex_destroy(&nest->lock);
	free(nest);
}

/* -- the gate's thread ------------------------------------------------------------ */

/* The kernel names the sender of each packet: of a pair, SO_PEERCRED would name
 * who made it. */
static int
make_pair(int pair[2])
{
	const int on = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0)
		return 0;
	close(pair[0]);
	close(pair[1]);
	return -EIO;
}

static int
add_nest_entry(struct nest *nest, struct entry *entry)
{
	struct epoll_event event = { .events = EPOLLIN };
	int n = 0;

	for (const struct entry *at = nest->list; at; at = at->next)
		n++;
	if (n >= NEST_MAX)
		return -EAGAIN;
	entry->id = ++nest->last;
	event.data.fd = entry->id;
	if (epoll_ctl(nest->epoll, EPOLL_CTL_ADD, entry->socket, &event) < 0)
		return -errno;
	entry->next = nest->list;
	nest->list = entry;
	return 0;
}

int
nest_admit(struct nest *nest, pid_t client, int pidfd, int *ret_fd)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	int pair[2], r;

	if (!entry || make_pair(pair) < 0) {
		free(entry);
		close(pidfd);
		return -EAGAIN;
	}
	*entry = (struct entry){ .client = client, .pidfd = pidfd, .socket = pair[0], .watch = -1 };
	pthread_mutex_lock(&nest->lock);
	r = add_nest_entry(nest, entry);
	pthread_mutex_unlock(&nest->lock);
	if (r < 0) {
		free_entry(entry);
		close(pair[1]);
		return r;
	}
	*ret_fd = pair[1];
	return 0;
}

bool
nest_owns(void *data, pid_t pid)
{
	struct nest *nest = data;
	bool found = false;

	if (!nest)
		return false;
	pthread_mutex_lock(&nest->lock);
	for (const struct entry *at = nest->list; at && !found; at = at->next)
		found = at->supervisor == pid;
	pthread_mutex_unlock(&nest->lock);
	return found;
}

/* -- the loop --------------------------------------------------------------------- */

int
nest_fd(const struct nest *nest)
{
	return nest ? nest->epoll : -1;
}

/* Only the loop takes entries out, so that one it has found stays. */
static struct entry *
find_nest_entry(struct nest *nest, int id)
{
	struct entry *at;

	pthread_mutex_lock(&nest->lock);
	for (at = nest->list; at && at->id != id; at = at->next)
		;
	pthread_mutex_unlock(&nest->lock);
	return at;
}

static void
drop_nest_entry(struct nest *nest, struct entry *entry)
{
	pthread_mutex_lock(&nest->lock);
	for (struct entry **at = &nest->list; *at; at = &(*at)->next)
		if (*at == entry) {
			*at = entry->next;
			break;
		}
	pthread_mutex_unlock(&nest->lock);
	free_entry(entry);
}

static bool
has_ended(int pidfd)
{
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) != 0;
}

static int
write_path(int file, char mark, const char *path)
{
	int r = fd_write_all(file, &mark, 1);

	return r < 0 ? r : fd_write_all(file, path, strlen(path) + 1);
}

/* Names in a directory, or the file itself. */
static bool
is_open(const struct nest *nest, const char *path)
{
	auto_free char *name = str_printf("%s/x", streq(path, "/") ? "" : path);

	return floor_covers(nest->o.floor, path) || (name && floor_covers(nest->o.floor, name));
}

/* What this line is, as it is now: a directory that lost its rights by a move is
 * not in it any more. */
static int
write_scope(struct nest *nest, struct gate *gate, int file)
{
	auto_free char *scope = NULL;
	int r;

	gate_lock(gate);
	scope = nest->o.scope(nest->o.data);
	gate_unlock(gate);
	if (!scope)
		return -ENOMEM;
	r = fd_write_all(file, scope, strlen(scope) + 1);
	if (r == 0)
		r = fd_write_all(file, nest->o.temp, strlen(nest->o.temp) + 1);
	for (size_t i = 0; r == 0 && nest->o.open && nest->o.open[i]; i++)
		if (is_open(nest, nest->o.open[i]))
			r = write_path(file, '+', nest->o.open[i]);
	for (size_t i = 0; r == 0 && nest->o.spine && nest->o.spine[i]; i++)
		r = write_path(file, '-', nest->o.spine[i]);
	return r == 0 && lseek(file, 0, SEEK_SET) < 0 ? -errno : r;
}

/* The packet waits in the socket for the one who will read it. */
static int
send_nest_start(struct nest *nest, struct gate *gate, struct entry *entry, int socket)
{
	auto_close int file = memfd_create("ambit", MFD_CLOEXEC);
	struct nest_start start = {
		.supervisor = getpid(),
		.client = entry->client,
		.n_outer = (uint32_t)nest->o.n_outer + 1,
	};
	size_t n = 0;
	int fds[NEST_START_FDS], r;

	if (file < 0)
		return -errno;
	if (start.n_outer > KEEPER_OUTER_MAX)
		return -E2BIG;
	fds[n++] = file;
	for (size_t i = 0; i < nest->o.n_outer; i++)
		fds[n++] = nest->o.outer[i];
	fds[n++] = floor_fd(nest->o.floor);
	fds[n++] = entry->socket;
	fds[n++] = entry->pidfd;
	r = write_scope(nest, gate, file);
	return r < 0 ? r : nest_send(socket, &start, sizeof(start), fds, n);
}

static int
start_nest_entry(struct nest *nest, struct gate *gate, struct entry *entry, uint32_t door)
{
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	r = send_nest_start(nest, gate, entry, pair[0]);
	if (r == 0)
		r = keeper_nest(nest->o.keeper, entry->id, door, pair[1]);
	close(pair[0]);
	close(pair[1]);
	return r;
}

static bool
is_beneath(const char *path, char *const *dirs)
{
	for (; dirs && *dirs; dirs++)
		if (str_beneath(path, *dirs))
			return true;
	return false;
}

/* Whether what is held could have put something else in the place of the program for doors,
 * which is started by its path: it is open to it, from the start or by an answer since. */
static bool
is_replaceable(struct nest *nest, struct gate *gate)
{
	static const char *const places[] = { "ambit-tools", "../libexec/ambit/ambit-tools" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	bool open = n <= 0;

	self[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; !open && i < sizeof(places) / sizeof(places[0]); i++) {
		auto_free char *path =
			str_printf("%.*s/%s", (int)(strrchr(self, '/') - self), self, places[i]);
		auto_free char *real = path ? realpath(path, NULL) : NULL;
		const struct path_facts object = {
			.access = AMBIT_ACCESS_REPLACE,
			.real = real,
			.written = real,
		};
		struct pass pass;

		if (!real)
			continue;
		gate_lock(gate);
		open = is_beneath(real, nest->o.open) || is_beneath(real, nest->o.spine) ||
		       engine_allows_fast(nest->o.engine, &object, 1, &pass) == AMBIT_ALLOW;
		gate_unlock(gate);
	}
	return open;
}

/* The first word is the only one that is heard here. */
static void
take_hello(struct nest *nest, struct gate *gate, struct entry *entry)
{
	struct nest_message hello;
	struct nest_given given = { .flags = MSG_DONTWAIT };
	ssize_t n = nest_receive(entry->socket, &hello, sizeof(hello), &given);
	int r = -EPROTO;

	if (n == -EAGAIN)
		return;
	if (n == (ssize_t)sizeof(hello) && hello.serial != RUN_DOOR_RUN &&
		is_replaceable(nest, gate))
		r = -EPERM;
	else if (n == (ssize_t)sizeof(hello) && hello.kind == NEST_HELLO &&
		 hello.value == NEST_VERSION && nest_door_name(hello.serial) &&
		 given.pid == entry->client && !self_restricted_has(gate, entry->client) &&
		 !has_ended(entry->pidfd))
		r = start_nest_entry(nest, gate, entry, hello.serial);
	if (r == -E2BIG || r == -EPERM) {
		hello = (struct nest_message){ .kind = NEST_END, .value = r };
		nest_send(entry->socket, &hello, sizeof(hello), NULL, 0);
	}
	if (r < 0) {
		drop_nest_entry(nest, entry);
		return;
	}
	/* Its calls are another gate's: whether it reaches out is not seen here. */
	gate_connected(gate);
	epoll_ctl(nest->epoll, EPOLL_CTL_DEL, entry->socket, NULL);
	close(steal_fd(&entry->socket));
	close(steal_fd(&entry->pidfd));
}

void
nest_ready(struct nest *nest, struct gate *gate)
{
	struct epoll_event events[NEST_MAX];
	int n = epoll_wait(nest->epoll, events, NEST_MAX, 0);

	for (int i = 0; i < n; i++) {
		struct entry *entry = find_nest_entry(nest, events[i].data.fd);

		if (entry && entry->socket >= 0)
			take_hello(nest, gate, entry);
		else if (entry)
			drop_nest_entry(nest, entry); /* it has ended */
	}
}

void
nest_started(struct nest *nest, const struct keeper_message *message)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = message->status };
	struct entry *entry = nest ? find_nest_entry(nest, message->status) : NULL;

	if (!entry)
		return;
	if (message->error == 0)
		entry->watch = (int)syscall(SYS_pidfd_open, message->child, 0);
	if (entry->watch < 0 || epoll_ctl(nest->epoll, EPOLL_CTL_ADD, entry->watch, &event) < 0) {
		drop_nest_entry(nest, entry);
		return;
	}
	pthread_mutex_lock(&nest->lock);
	entry->supervisor = message->child;
	pthread_mutex_unlock(&nest->lock);
}

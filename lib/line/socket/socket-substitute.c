/* SPDX-License-Identifier: Apache-2.0 */
/* A number of the target's becomes a socket of ours. What kind the target's own
 * is, says the kernel (the name of its protocol, its flags, the tables of
 * sockets in use); between that look and the act it can be another, and then the
 * target loses it: what it gets is connected or bound to what was decided, and
 * it never gets more. */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/socket/socket-substitute.h"

#define KEPT_MAX 64

struct kept {
	int fd;
	ino_t inode;
	pid_t pid; /* whose it was when it was kept */
	int number;
};

struct substitutes {
	pthread_mutex_t lock;
	struct kept kept[KEPT_MAX];
	size_t n;
};

struct substitutes *
substitutes_create(void)
{
	struct substitutes *standins = calloc(1, sizeof(*standins));

	if (standins)
		pthread_mutex_init(&standins->lock, NULL);
	return standins;
}

void
substitutes_destroy(struct substitutes *standins)
{
	if (!standins)
		return;
	for (size_t i = 0; i < standins->n; i++)
		close(standins->kept[i].fd);
	pthread_mutex_destroy(&standins->lock);
	free(standins);
}

/* -- what the kernel says about the target's own ---------------------------------- */

/* 0: no socket, or not to be looked at. */
static ino_t
read_socket_inode(pid_t pid, int number)
{
	char path[64], name[64];
	unsigned long inode;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, number);
	n = readlink(path, name, sizeof(name) - 1);
	if (n < 0)
		return 0;
	name[n] = '\0';
	return sscanf(name, "socket:[%lu]", &inode) == 1 ? (ino_t)inode : 0;
}

/* Those whose type the name does not tell (unix datagrams and packets,
 * netlink) are not among them. */
static const struct kind {
	const char *name;
	int domain, type;
	const char *table; /* of those in use, in /proc/PID/net */
} kinds[] = {
	{ "TCP", AF_INET, SOCK_STREAM, "tcp" },
	{ "TCPv6", AF_INET6, SOCK_STREAM, "tcp6" },
	{ "UDP", AF_INET, SOCK_DGRAM, NULL },
	{ "UDPv6", AF_INET6, SOCK_DGRAM, NULL },
	{ "UNIX-STREAM", AF_UNIX, SOCK_STREAM, "unix" },
};

static const struct kind *
find_socket_kind(pid_t tid, int number)
{
	char path[64], name[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, number);
	n = getxattr(path, "system.sockprotoname", name, sizeof(name) - 1);
	if (n <= 0)
		return NULL;
	name[n] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (streq(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int
read_fd_flags(pid_t tid, int number)
{
	auto_free char *text = NULL;
	char path[64];
	const char *at;
	size_t len;
	unsigned flags;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)tid, number);
	if (fd_read_file(AT_FDCWD, path, 4096, &text, &len) < 0)
		return -EPERM;
	at = strstr(text, "flags:");
	return at && sscanf(at, "flags: %o", &flags) == 1 ? (int)flags : -EPERM;
}

/* One line of a table: 1 if it is about this socket, and then its state. */
static int
row_state(const char *line, const struct kind *kind, ino_t inode, unsigned *ret_state)
{
	unsigned long found;

	if (kind->domain == AF_UNIX)
		return sscanf(line, "%*s %*s %*s %*s %*s %x %lu", ret_state, &found) == 2 &&
		       found == inode;
	return sscanf(line, "%*s %*s %*s %x %*s %*s %*s %*s %*s %lu", ret_state, &found) == 2 &&
	       found == inode;
}

/* Sockets that nothing was done to are in no table, or in one as unconnected:
 * only of those a new one is the like. */
static int
check_unused(pid_t tid, const struct kind *kind, ino_t inode)
{
	const unsigned connecting = 2; /* SYN_SENT, and SS_CONNECTING of a unix socket */
	char path[64], line[512];
	unsigned state;
	int r = 0;
	FILE *table;

	if (!kind->table)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)tid, kind->table);
	table = fopen(path, "re");
	if (!table)
		return -EOPNOTSUPP;
	while (r == 0 && fgets(line, sizeof(line), table)) {
		if (!row_state(line, kind, inode, &state))
			continue;
		if (state == connecting)
			r = -EALREADY;
		else if (kind->domain != AF_UNIX || state != 1)
			r = -EISCONN;
	}
	fclose(table);
	return r;
}

/* -- those that are kept --------------------------------------------------------------- */

static void
drop_substitute(struct substitutes *standins, size_t i)
{
	close(standins->kept[i].fd);
	standins->kept[i] = standins->kept[--standins->n];
}

/* A port is free again when the program has closed its socket, not when we
 * have: so each time, those that are gone go. */
static void
sweep_kept(struct substitutes *standins)
{
	for (size_t i = standins->n; i-- > 0;)
		if (read_socket_inode(standins->kept[i].pid, standins->kept[i].number) !=
			standins->kept[i].inode)
			drop_substitute(standins, i);
}

static int
find_kept(struct substitutes *standins, ino_t inode)
{
	int fd = -1;

	pthread_mutex_lock(&standins->lock);
	sweep_kept(standins);
	for (size_t i = 0; fd < 0 && i < standins->n; i++)
		if (standins->kept[i].inode == inode)
			fd = fcntl(standins->kept[i].fd, F_DUPFD_CLOEXEC, 3);
	pthread_mutex_unlock(&standins->lock);
	return fd;
}

void
substitute_keep(struct substitutes *standins, const struct target *target, int number, int fd)
{
	pid_t pid = target_pid(target);
	struct stat st;
	int copy;

	if (pid < 0 || fstat(fd, &st) < 0)
		return;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy < 0)
		return;
	pthread_mutex_lock(&standins->lock);
	sweep_kept(standins);
	if (standins->n == KEPT_MAX)
		drop_substitute(standins, 0);
	standins->kept[standins->n++] = (struct kept){ copy, st.st_ino, pid, number };
	pthread_mutex_unlock(&standins->lock);
}

void
substitute_drop(struct substitutes *standins, int fd)
{
	struct stat st;
	bool none;

	if (!standins)
		return;
	pthread_mutex_lock(&standins->lock);
	none = standins->n == 0;
	pthread_mutex_unlock(&standins->lock);
	if (none || fstat(fd, &st) < 0)
		return;
	pthread_mutex_lock(&standins->lock);
	for (size_t i = standins->n; i-- > 0;)
		if (standins->kept[i].inode == st.st_ino)
			drop_substitute(standins, i);
	pthread_mutex_unlock(&standins->lock);
}

/* -- one that stands in -------------------------------------------------------------- */

static int
create_substitute_socket(const struct kind *kind, int flags)
{
	int one = 1,
	    fd = socket(kind->domain,
		    kind->type | SOCK_CLOEXEC | (flags & O_NONBLOCK ? SOCK_NONBLOCK : 0), 0);

	if (fd < 0)
		return -errno;
	/* Every server sets it, and could not be started again otherwise. */
	if (kind->domain != AF_UNIX && kind->type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return fd;
}

int
substitute_find(struct substitutes *standins, const struct target *target, int number,
	struct substitute *ret_substitute)
{
	ino_t inode = standins ? read_socket_inode(target->tid, number) : 0;
	int flags = inode ? read_fd_flags(target->tid, number) : -EPERM;
	int fd = inode ? find_kept(standins, inode) : -1, r;
	const struct kind *kind;
	bool new = fd < 0;

	if (new) {
		if (!inode || flags < 0)
			return -EPERM;
		kind = find_socket_kind(target->tid, number);
		r = kind ? check_unused(target->tid, kind, inode) : -EOPNOTSUPP;
		fd = r == 0 ? create_substitute_socket(kind, flags) : r;
	}
	if (fd < 0)
		return fd;
	*ret_substitute = (struct substitute){ fd, new, flags >= 0 && (flags & O_CLOEXEC) };
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Races for descriptors and addresses: dup2 puts something else under a number,
 * or the address in memory changes, between the look and the act. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attack.h"

#define NUMBER 60 /* the descriptor that changes */

static int good, bad;

static void
flip_descriptor(const struct world *w, unsigned n)
{
	(void)w;
	dup2(n & 1 ? bad : good, NUMBER);
}

static void
descriptor_race(const struct world *w, void (*call)(const struct world *w),
	bool (*done)(const struct world *w))
{
	dup2(good, NUMBER);
	race_start(w, flip_descriptor);
	while (race_going(w, done))
		call(w);
	race_end();
}

static void
two_files(const struct world *w)
{
	good = open("sub/mine", O_RDONLY);
	bad = open(w->file, O_RDONLY);
}

static void
do_fchmod(const struct world *w)
{
	(void)w;
	fchmod(NUMBER, 0604);
}

static void
flip_fchmod(const struct world *w)
{
	two_files(w);
	descriptor_race(w, do_fchmod, file_changed);
}

static void
do_chmod_proc(const struct world *w)
{
	(void)w;
	chmod("/proc/self/fd/60", 0604);
}

static void
flip_chmod_proc(const struct world *w)
{
	two_files(w);
	descriptor_race(w, do_chmod_proc, file_changed);
}

static void
do_reopen(const struct world *w)
{
	int fd = open("/proc/self/fd/60", O_WRONLY | O_TRUNC);

	(void)w;
	if (fd >= 0)
		close(fd);
}

static void
flip_reopen(const struct world *w)
{
	two_files(w);
	descriptor_race(w, do_reopen, file_changed);
}

static bool
time_set(const struct world *w)
{
	struct stat st;

	return stat(w->file, &st) == 0 && st.st_mtim.tv_sec != 900000000;
}

static void
do_futimens(const struct world *w)
{
	(void)w;
	futimens(NUMBER, NULL);
}

static void
flip_futimens(const struct world *w)
{
	two_files(w);
	descriptor_race(w, do_futimens, time_set);
}

static void
do_directory(const struct world *w)
{
	int fd = openat(NUMBER, "file", O_WRONLY | O_TRUNC | O_CREAT, 0644);

	(void)w;
	if (fd >= 0)
		close(fd);
	fchmodat(NUMBER, "file", 0604, 0);
}

static void
flip_directory(const struct world *w)
{
	good = open("sub", O_RDONLY | O_DIRECTORY);
	bad = open(w->outside, O_RDONLY | O_DIRECTORY);
	descriptor_race(w, do_directory, file_changed);
}

static void
do_link(const struct world *w)
{
	(void)w;
	unlink("sub/linked");
	linkat(AT_FDCWD, "/proc/self/fd/60", AT_FDCWD, "sub/linked", AT_SYMLINK_FOLLOW);
}

static bool
file_linked(const struct world *w)
{
	struct stat st;

	return stat(w->file, &st) == 0 && st.st_nlink > 1;
}

static void
flip_link(const struct world *w)
{
	two_files(w);
	descriptor_race(w, do_link, file_linked);
}

/* ---- addresses ---- */

static union {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_un local;
} address;
static in_port_t own_port, other_port;
static char own_path[108], other_path[108];

static void
flip_port(const struct world *w, unsigned n)
{
	(void)w;
	__atomic_store_n(&address.four.sin_port, n & 1 ? other_port : own_port, __ATOMIC_RELAXED);
}

/* A server of this session's own, on `port` or any. */
static int
own_server(int type, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, type | SOCK_NONBLOCK, 0), one = 1;

	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (void *)&a, sizeof(a)) < 0 || (type == SOCK_STREAM && listen(fd, 128) < 0) ||
		getsockname(fd, (void *)&a, &len) < 0)
		cannot("no server of its own");
	address.four = a;
	own_port = a.sin_port;
	return fd;
}

static void
drain(int server, int type)
{
	char byte;
	int fd;

	while (type == SOCK_DGRAM && recv(server, &byte, 1, 0) > 0)
		;
	while (type == SOCK_STREAM && (fd = accept(server, NULL, NULL)) >= 0)
		close(fd);
}

static void
flip_connect_address(const struct world *w)
{
	int server = own_server(SOCK_STREAM, 0);

	other_port = htons((uint16_t)w->tcp);
	race_start(w, flip_port);
	while (race_going(w, NULL)) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		(void)!connect(fd, &address.any, sizeof(address.four));
		close(fd);
		drain(server, SOCK_STREAM);
	}
	race_end();
}

static void
flip_sendto_address(const struct world *w)
{
	int server = own_server(SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0);

	other_port = htons((uint16_t)w->udp);
	race_start(w, flip_port);
	while (race_going(w, NULL)) {
		(void)!sendto(fd, "x", 1, 0, &address.any, sizeof(address.four));
		drain(server, SOCK_DGRAM);
	}
	race_end();
}

static struct msghdr message;
static struct sockaddr_in other_address;

static void
flip_name(const struct world *w, unsigned n)
{
	(void)w;
	__atomic_store_n(&message.msg_name, n & 1 ? (void *)&other_address : (void *)&address.four,
		__ATOMIC_RELAXED);
}

static void
message_race(const struct world *w, bool many)
{
	static struct iovec iov = { "x", 1 };
	int server = own_server(SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0);

	message = (struct msghdr){ .msg_name = &address.four,
		.msg_namelen = sizeof(address.four),
		.msg_iov = &iov,
		.msg_iovlen = 1 };
	other_address = address.four;
	other_address.sin_port = htons((uint16_t)w->udp);
	race_start(w, flip_name);
	while (race_going(w, NULL)) {
		if (many) {
			struct mmsghdr list[2] = { { .msg_hdr = message }, { .msg_hdr = message } };

			sendmmsg(fd, list, 2, 0);
		} else {
			sendmsg(fd, &message, 0);
		}
		drain(server, SOCK_DGRAM);
	}
	race_end();
}

static void
flip_sendmsg_name(const struct world *w)
{
	message_race(w, false);
}

static void
flip_sendmmsg_name(const struct world *w)
{
	message_race(w, true);
}

static void
flip_path(const struct world *w, unsigned n)
{
	(void)w;
	memcpy(address.local.sun_path, n & 1 ? other_path : own_path, sizeof(own_path));
	__asm__ volatile("" ::: "memory");
}

static void
local_names(const char *own, const char *other)
{
	snprintf(own_path, sizeof(own_path), "%s", own);
	snprintf(other_path, sizeof(other_path), "%s", other);
	address.local = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address.local.sun_path, own_path, sizeof(own_path));
}

static void
flip_unix_connect(const struct world *w)
{
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	local_names(in(w->folder, "sub/own"), w->stream_path);
	if (bind(server, &address.any, sizeof(address.local)) < 0 || listen(server, 128) < 0)
		cannot("no server of its own");
	race_start(w, flip_path);
	while (race_going(w, NULL)) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

		(void)!connect(fd, &address.any, sizeof(address.local));
		close(fd);
		drain(server, SOCK_STREAM);
	}
	race_end();
}

static bool
new_there(const struct world *w)
{
	return access(in(w->outside, "new"), F_OK) == 0;
}

static void
flip_unix_bind(const struct world *w)
{
	local_names(in(w->folder, "sub/own"), in(w->outside, "new"));
	race_start(w, flip_path);
	while (race_going(w, new_there)) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		(void)!bind(fd, &address.any, sizeof(address.local));
		close(fd);
		unlink(own_path);
	}
	race_end();
}

/* TCP at this port is the session's own; UDP at the same port is not. */
static void
flip_connect_socket(const struct world *w)
{
	int server = own_server(SOCK_STREAM, w->udp);

	bad = socket(AF_INET, SOCK_DGRAM, 0);
	good = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	dup2(good, NUMBER);
	race_start(w, flip_descriptor);
	while (race_going(w, NULL)) {
		(void)!connect(NUMBER, &address.any, sizeof(address.four));
		(void)!send(bad, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		drain(server, SOCK_STREAM);
	}
	race_end();
}

/* UDP at this port is the session's own; TCP there is not, and the flag makes it
 * a connection. */
static void
flip_send_socket(const struct world *w)
{
	int server = own_server(SOCK_DGRAM, w->tcp);

	good = socket(AF_INET, SOCK_DGRAM, 0);
	bad = socket(AF_INET, SOCK_STREAM, 0);
	dup2(good, NUMBER);
	race_start(w, flip_descriptor);
	while (race_going(w, NULL)) {
		(void)!sendto(NUMBER, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL | MSG_DONTWAIT,
			&address.any, sizeof(address.four));
		drain(server, SOCK_DGRAM);
	}
	race_end();
}

static bool
listens(const struct world *w)
{
	struct sockaddr_in a = { 0 };
	socklen_t len = sizeof(a);

	(void)w;
	return getsockname(bad, (void *)&a, &len) == 0 && a.sin_port != 0;
}

/* What listens is another socket than the one that was looked at: a port on
 * every address in place of a name in the folder. */
static void
flip_listen_socket(const struct world *w)
{
	struct sockaddr_in a = { 0 };
	socklen_t len = sizeof(a);
	char request[32];

	local_names(in(w->folder, "sub/own"), "");
	good = socket(AF_UNIX, SOCK_STREAM, 0);
	(void)!bind(good, &address.any, sizeof(address.local));
	bad = socket(AF_INET, SOCK_STREAM, 0);
	dup2(good, NUMBER);
	race_start(w, flip_descriptor);
	while (race_going(w, listens))
		listen(NUMBER, 4);
	race_end();
	if (getsockname(bad, (void *)&a, &len) == 0 && a.sin_port != 0) {
		snprintf(request, sizeof(request), "connect %d", ntohs(a.sin_port));
		ask_runner(w, request);
	}
}

static const struct attack list[] = {
	{ "flip-fchmod", flip_fchmod, RACE },
	{ "flip-futimens", flip_futimens, RACE },
	{ "flip-chmod-proc-fd", flip_chmod_proc, RACE },
	{ "flip-reopen-proc-fd", flip_reopen, RACE },
	{ "flip-directory", flip_directory, RACE },
	{ "flip-link-proc-fd", flip_link, RACE },
	{ "flip-connect-address", flip_connect_address, RACE },
	{ "flip-connect-address-net-none", flip_connect_address, RACE | NET_NONE },
	{ "flip-sendto-address", flip_sendto_address, RACE },
	{ "flip-sendmsg-name", flip_sendmsg_name, RACE },
	{ "flip-sendmmsg-name", flip_sendmmsg_name, RACE },
	{ "flip-unix-connect", flip_unix_connect, RACE },
	{ "flip-unix-bind", flip_unix_bind, RACE },
	{ "flip-connect-socket", flip_connect_socket, RACE },
	{ "flip-send-socket", flip_send_socket, RACE },
	{ "flip-listen-socket", flip_listen_socket, RACE },
};

const struct attacks attacks_flip = { list, COUNT(list) };

/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever connects, into served or not. A client can answer questions, so it must not be
 * one of those about whom they are: no other user, no command of this session, none
 * behind another line. Which process it is the kernel says; where that comes from is in
 * /proc. One that cannot be told is not served. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "live/live-private.h"
#include "live/live.h"

#define ANCESTORS_MAX 512
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* What stands above every command that somebody holds. A supervisor connects itself,
 * for its command. */
static const char *const holders[] = { "ambit", "ambit-keeper", "ambit-execute", NULL };

static const char behind[] = "a command behind the line of ambit is not served";
static const char unseen[] = "it cannot be told where the one who connects comes from";

struct process {
	pid_t parent;
	char name[32];
};

/* False: gone, or not to be seen. */
static bool
read_process_stat(pid_t pid, struct process *ret_process)
{
	char path[64], text[512], *open_at, *close_at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* "PID (NAME) STATE PARENT", and the name may hold anything. */
	open_at = strchr(text, '(');
	close_at = strrchr(text, ')');
	if (open_at == NULL || close_at == NULL || strlen(close_at) <= 4)
		return false;
	*close_at = '\0';
	snprintf(ret_process->name, sizeof(ret_process->name), "%s", open_at + 1);
	ret_process->parent = (pid_t)strtol(close_at + 4, NULL, 10);
	return true;
}

static bool
is_holder(const struct process *process)
{
	for (const char *const *name = holders; *name != NULL; name++)
		if (streq(process->name, *name))
			return true;
	return false;
}

static bool
is_above_us(pid_t pid)
{
	struct process process;
	pid_t at = getppid();

	for (int i = 0; i < ANCESTORS_MAX && at > 1; i++) {
		if (at == pid)
			return true;
		if (!read_process_stat(at, &process))
			return false;
		at = process.parent;
	}
	return false;
}

/* Commands stay beneath the one that holds them; so whose ancestors end elsewhere, with
 * none of those among them, is nobody's command. A line that is around this process too
 * is around its harness: shared, there, is no objection. */
static const char *
check_ancestors(pid_t pid, bool shared)
{
	const char *objection = NULL;
	struct process process;

	for (int i = 0; i < ANCESTORS_MAX; i++) {
		if (pid == getpid())
			return "a command of this session is not served by it";
		if (pid == 1)
			return objection;
		/* Whoever comes into this pid namespace from outside has no parent in it. */
		if (pid == 0)
			return objection;
		if (!read_process_stat(pid, &process))
			return unseen;
		if (is_holder(&process) && !(shared && is_above_us(pid)))
			objection = behind;
		pid = process.parent;
	}
	return unseen;
}

/* Whether the process that connected is there still, so that its number was not
 * another's meanwhile. Before Linux 6.5 that cannot be asked. */
static bool
is_peer_alive(int fd)
{
	int pidfd = -1;
	socklen_t len = sizeof(pidfd);
	struct pollfd ended = { .events = POLLIN };
	bool there;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) < 0)
		return errno == ENOPROTOOPT;
	ended.fd = pidfd;
	there = poll(&ended, 1, 0) == 0;
	close(pidfd);
	return there;
}

const char *
peer_objection(int fd, bool shared)
{
	const char *objection;
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return "it cannot be told who connects";
	if (peer.uid != geteuid())
		return "this is another user's";
	/* 0: from outside this pid namespace, where none of ours is. */
	if (peer.pid == 0)
		return NULL;
	objection = check_ancestors(peer.pid, shared);
	return objection == NULL && !is_peer_alive(fd) ? unseen : objection;
}

const char *
peer_find_objection(int fd)
{
	return peer_objection(fd, true);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Signals to all beneath a process, from one that was forked from many threads: system
 * calls and nothing else, for whatever locks or allocates may wait for a thread that is
 * not there. */

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ascii.h"
#include "tools/shell/execute-private.h"

#define DEPTH_MAX 64

static char *
put_number(char *at, pid_t number)
{
	char digits[16];
	int n = 0;

	for (; number > 0; number /= 10)
		digits[n++] = (char)('0' + number % 10);
	while (n > 0)
		*at++ = digits[--n];
	*at = '\0';
	return at;
}

static pid_t
parent_of(pid_t pid)
{
	char path[64], text[512], *at;
	pid_t parent = 0;
	ssize_t n;
	int fd;

	stpcpy(put_number(stpcpy(path, "/proc/"), pid), "/stat");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')'); /* its name may have any other character */
	if (!at || strlen(at) < 4)
		return 0;
	for (at += 4; ascii_is_digit(*at); at++)
		parent = parent * 10 + (*at - '0');
	return parent;
}

/* Held by a pidfd before it is looked at: a number that has become another's by then
 * is not beneath the same parent. */
static void
signal_child_process(pid_t parent, pid_t pid, int sig)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0 && parent_of(pid) == parent)
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	if (fd >= 0)
		close(fd);
}

/* All beneath pid that were started by a first thread; who is missed falls to us when
 * those above it die, and its turn comes then. In a container that lives on it would
 * fall to that: so those farthest below first; but for a stop, which is to keep those
 * above from starting more. */
static void
signal_beneath(pid_t pid, int sig, int depth)
{
	char path[64], chunk[512];
	pid_t child = 0;
	ssize_t n;
	int fd;

	stpcpy(put_number(stpcpy(put_number(stpcpy(path, "/proc/"), pid), "/task/"), pid),
		"/children");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (ascii_is_digit(chunk[i])) {
				child = child * 10 + (chunk[i] - '0');
				continue;
			}
			if (child > 0 && sig == SIGSTOP)
				signal_child_process(pid, child, sig);
			if (child > 0 && depth < DEPTH_MAX)
				signal_beneath(child, sig, depth + 1);
			if (child > 0 && sig != SIGSTOP)
				signal_child_process(pid, child, sig);
			child = 0;
		}
	if (fd >= 0)
		close(fd);
}

void
tree_signal_beneath(pid_t pid, int sig, bool all)
{
	/* A shell whose command is killed would go on with the next. */
	if (all && sig == SIGKILL)
		signal_beneath(pid, SIGSTOP, 0);
	signal_beneath(pid, sig, all ? 0 : DEPTH_MAX);
}

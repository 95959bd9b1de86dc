/* SPDX-License-Identifier: Apache-2.0 */
/* Things that are opened like files and are none: settings of a process in
 * /proc, a descriptor that the target already has, terminals. Says which are
 * the target's own, by the object as it was resolved and by what the kernel
 * tells of the target's descriptors. */

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "base/str.h"
#include "line/calls/special.h"
#include "line/gate/gate-private.h"
#include "line/process/tree.h"

/* Files of a process that say how it is to be treated, and that programs write
 * to. Not: mem, attr, uid_map and whatever else makes more of it. */
static bool
is_proc_setting(const char *name)
{
	static const char *const names[] = {
		"oom_score_adj",
		"comm",
		"coredump_filter",
		"timerslack_ns",
		"autogroup",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (streq(name, names[i]))
			return true;
	return false;
}

static long
parse_proc_number(const char **at)
{
	char *end;
	long n;

	if (**at < '0' || **at > '9')
		return -1;
	n = strtol(*at, &end, 10);
	*at = end;
	return n >= 0 && n < INT_MAX ? n : -1;
}

/* "/proc/12/comm" or "/proc/12/task/13/comm", of the tree. */
bool
special_is_own_proc(const struct call *call)
{
	const struct tree *tree = &call->gate->o.tree;
	const char *at = call->object[0].real;
	long pid, tid;

	if (!str_prefix(at, "/proc/"))
		return false;
	at += strlen("/proc/");
	pid = parse_proc_number(&at);
	if (pid <= 0 || *at++ != '/')
		return false;
	if (!str_prefix(at, "task/"))
		return is_proc_setting(at) && tree_holds(tree, (pid_t)pid);
	at += strlen("task/");
	tid = parse_proc_number(&at);
	return tid > 0 && *at++ == '/' && streq(at, "comm") && tree_holds(tree, (pid_t)tid);
}

/* Which of its descriptors a path like /dev/stdout means; -1: it is none. */
static int
descriptor_of(const char *written)
{
	static const struct {
		const char *path;
		int fd; /* -1: a number follows */
	} names[] = {
		{ "/dev/stdin", 0 },
		{ "/dev/stdout", 1 },
		{ "/dev/stderr", 2 },
		{ "/dev/fd/", -1 },
		{ "/proc/self/fd/", -1 },
		{ "/proc/thread-self/fd/", -1 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *at = written + strlen(names[i].path);
		long n;

		if (names[i].fd >= 0) {
			if (streq(written, names[i].path))
				return names[i].fd;
			continue;
		}
		if (!str_prefix(written, names[i].path))
			continue;
		n = parse_proc_number(&at);
		return *at ? -1 : (int)n;
	}
	return -1;
}

/* Whether the target holds this very file open already, for all that it asks
 * for now: then opening it anew gives it nothing. */
bool
special_is_held(struct call *call)
{
	const struct object *object = &call->object[0];
	int n = descriptor_of(object->written), how = call->open.flags & O_ACCMODE, has;
	auto_close int fd = -1;
	struct stat st;

	if (n < 0 || object->parent >= 0 || how == O_RDONLY || how == O_ACCMODE)
		return false;
	fd = target_fd(&call->target, n);
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	if (st.st_dev != object->st.st_dev || st.st_ino != object->st.st_ino)
		return false;
	has = fcntl(fd, F_GETFL);
	return has >= 0 && !(has & O_PATH) &&
	       ((has & O_ACCMODE) == O_RDWR || (has & O_ACCMODE) == how);
}

/* Terminals are those of the one who opens: /dev/tty, /dev/ptmx, a first tty
 * that becomes the controlling one. */
bool
special_is_terminal(const struct stat *st)
{
	unsigned at = major(st->st_rdev);

	return object_is_pty_slave(st) ||
	       (S_ISCHR(st->st_mode) && ((at >= 2 && at <= 5) || at == 204));
}

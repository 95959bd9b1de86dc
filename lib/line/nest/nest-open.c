/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody who knocks gets a socket. What is started for him carries this
 * line and nothing else: who has put more around himself, by a Landlock or a
 * filter of his own or by other credentials, would get out of that, and gets
 * nothing. The target stands still meanwhile, but for its death. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/gate/gate-private.h"
#include "line/gate/self-restricted.h"
#include "line/nest/nest.h"

/* How many filters a thread has; -1 if that cannot be told. */
static long
filters_of(const char *who)
{
	auto_free char *text = NULL;
	char path[64], *at;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%s/status", who);
	if (fd_read_file(AT_FDCWD, path, 16384, &text, &len) < 0)
		return -1;
	at = strstr(text, "\nSeccomp_filters:");
	return at ? strtol(at + strlen("\nSeccomp_filters:"), NULL, 10) : -1;
}

static bool
has_only_ours(const struct call *call)
{
	char who[16];
	long own = filters_of("self"), its;

	snprintf(who, sizeof(who), "%d", (int)call->target.tid);
	its = filters_of(who);
	return own >= 0 && its == own + 1;
}

int
nest_open(struct call *call)
{
	struct gate *gate = call->gate;
	struct target_who who;
	int pidfd, fd, r;

	if (!gate->o.nest || (call->open.flags & O_ACCMODE) != O_RDWR)
		return -ENOENT;
	if (self_restricted_has(gate, call->target.tid) || !has_only_ours(call) ||
		(gate->root && !target_is_us(&call->target)))
		return -EPERM;
	if (target_who(&call->target, &who) < 0)
		return -EPERM;
	pidfd = (int)syscall(SYS_pidfd_open, who.pid, 0);
	if (pidfd < 0)
		return -EAGAIN;
	/* Alive now, it was when it was opened: it can be no other. */
	if (!gate_is_valid(gate, call->id)) {
		close(pidfd);
		return -EPERM;
	}
	r = nest_admit(gate->o.nest, who.pid, pidfd, &fd);
	if (r < 0)
		return r;
	call->answer = (struct answer){
		.kind = ANSWER_FD,
		.fd = fd,
		.cloexec = call->open.flags & O_CLOEXEC,
	};
	return CALL_ANSWERED;
}

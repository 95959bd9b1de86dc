/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that restricted themselves further with a Landlock of their own.
 * The supervisor is not bound by that, so nothing may be done on their behalf:
 * it would give them back what they gave away. Their children inherit it, so a
 * process counts as restricted if one of its ancestors is, and, once there is
 * any, if its ancestry does not say: a parent that died may have been one. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/gate/gate-private.h"
#include "line/gate/self-restricted.h"

#define STEPS_MAX 4096

/* The number behind "\nName:\t" in /proc/PID/status, or -1. */
static pid_t
status_number(pid_t pid, const char *name)
{
	char path[64], text[4096];
	auto_close int fd = -1;
	ssize_t n;
	char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strstr(text, name);
	return at ? (pid_t)strtol(at + strlen(name), NULL, 10) : -1;
}

static bool
is_listed(struct gate *gate, pid_t pid)
{
	bool found = false;

	pthread_mutex_lock(&gate->lock);
	for (size_t i = 0; i < gate->n_self_restricted && !found; i++)
		found = gate->self_restricted[i] == pid;
	pthread_mutex_unlock(&gate->lock);
	return found;
}

void
self_restricted_add(struct gate *gate, pid_t tid)
{
	pid_t pid = status_number(tid, "\nTgid:");
	pid_t *more;

	pthread_mutex_lock(&gate->lock);
	more = realloc(gate->self_restricted, (gate->n_self_restricted + 1) * sizeof(*more));
	if (more) {
		gate->self_restricted = more;
		more[gate->n_self_restricted++] = pid > 0 ? pid : tid;
	}
	pthread_mutex_unlock(&gate->lock);
	/* Who cannot be remembered makes everybody's ancestry unsure. */
	if (!more)
		atomic_store(&gate->subreaper, true);
	atomic_store(&gate->any_self_restricted, true);
}

void
gate_subreaper(struct gate *gate)
{
	atomic_store(&gate->subreaper, true);
}

bool
self_restricted_has(struct gate *gate, pid_t tid)
{
	pid_t pid, parent;

	if (!atomic_load(&gate->any_self_restricted))
		return false;
	if (atomic_load(&gate->subreaper))
		return true;
	pid = status_number(tid, "\nTgid:");
	for (int i = 0; i < STEPS_MAX && pid > 1; i++) {
		if (is_listed(gate, pid))
			return true;
		if (pid == gate->o.tree.child)
			return false;
		parent = status_number(pid, "\nPPid:");
		if (parent == gate->o.tree.keeper)
			return true; /* adopted: whose child it was is forgotten */
		pid = parent;
	}
	return true;
}

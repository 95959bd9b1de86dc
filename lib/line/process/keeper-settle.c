/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the supervisor becomes the keeper: it lets go of every descriptor
 * and handler that it has by inheritance only, leads the command's session and
 * cannot be looked into. The caller is trusted, but not to have been started
 * with descriptors 0-2 open. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "line/process/keeper-private.h"

/* Descriptors of ours must not lie where the command's own 0-2 are. One that
 * cannot be moved must not become -1, which would mean "none". */
static bool
lift_descriptor(int *fd)
{
	int high;

	if (*fd < 0 || *fd > 2)
		return true;
	high = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (high < 0)
		return false;
	close(*fd);
	*fd = high;
	return true;
}

/* The supervisor's own end of the socket is among them: with that left open,
 * nobody would hear of its end. */
static bool
close_others(const struct life *life)
{
	unsigned socket = (unsigned)life->socket;

	if (socket > 3 && close_range(3, socket - 1, 0) < 0)
		return false;
	return close_range(socket + 1, ~0U, 0) == 0;
}

/* A handler of ours must not run in the command's process before exec. Ignored
 * signals stay so (nohup), but the keeper needs to hear of its children. */
static void
forget_handlers(struct life *life)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	struct sigaction now;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &now) < 0)
			continue;
		if (sig == SIGCHLD)
			life->child.ignore_children = now.sa_handler == SIG_IGN;
		if (sig == SIGCHLD || (now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL))
			sigaction(sig, &plain, NULL);
	}
}

static int
open_signals(void)
{
	sigset_t heard;

	sigemptyset(&heard);
	sigaddset(&heard, SIGCHLD);
	sigaddset(&heard, SIGHUP);
	return signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

const char *
keeper_settle(struct life *life)
{
	forget_handlers(life);
	if (!close_others(life))
		return "close_range";
	prctl(PR_SET_NAME, "ambit-keeper", 0, 0, 0);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return "subreaper";
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return "dumpable";
	life->signals = open_signals();
	if (life->signals < 0 || !lift_descriptor(&life->signals))
		return "signalfd";
	return NULL;
}

static void
unpack_signal_bits(uint64_t bits, sigset_t *ret_set)
{
	sigemptyset(ret_set);
	for (int sig = 1; sig < NSIG; sig++)
		if (bits >> (sig - 1) & 1)
			sigaddset(ret_set, sig);
}

/* The command belongs to its client's job, and so to that one's terminal. Where
 * the client has a session of its own, it has none: it must not be taken for a
 * background job of ours. */
static void
follow_client_session(struct life *life)
{
	pid_t client = life->options.manner.client;

	life->child.join = getsid(client) == getsid(0);
	if (!life->child.join)
		setsid();
	unpack_signal_bits(life->options.manner.blocked, &life->child.mask);
	life->child.ignore_children = false; /* is among the ignored */
}

const char *
keeper_lead(struct life *life)
{
	struct keeper_options *options = &life->options;

	if (!lift_descriptor(&options->ruleset) || !lift_descriptor(&options->pty) ||
		!lift_descriptor(&options->tty))
		return "dup";
	for (size_t i = 0; i < options->n_outer; i++)
		if (!lift_descriptor(&options->outer[i]))
			return "dup";
	if (options->manner.client > 0)
		follow_client_session(life);
	if (options->pty >= 0 && setsid() < 0)
		return "setsid";
	if (options->pty >= 0 && ioctl(options->pty, TIOCSCTTY, 0) < 0)
		return "the terminal";
	return NULL;
}

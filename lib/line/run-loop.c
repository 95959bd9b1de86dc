/* SPDX-License-Identifier: Apache-2.0 */
/* While the command runs: one loop in the supervisor's main thread over the
 * keeper's messages, signals, the terminal, open questions and the clock. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live.h"

#include "base/program.h"
#include "line/run-private.h"

#define TIMEOUT_STATUS 124
#define TIMEOUT_GRACE_MS 1000 /* from TERM to KILL when time is up */
#define LEFTOVER_GRACE_MS 200 /* for daemons that the command left behind */
#define MAIN_FDS 8	      /* besides the terminal's */
#define HELD_MS 10	      /* how often held calls are looked at */

static const int forwarded[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

void
run_wake(void *data)
{
	struct run *run = data;
	uint64_t one = 1;

	(void)!write(run->wake, &one, sizeof(one));
}

int
loop_init(struct run *run, struct ambit_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&set, forwarded[i]);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGCONT);
	/* Written to by what is refused: neither may end the supervisor. */
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, &run->before);
	run->masked = true;
	sigdelset(&set, SIGPIPE);
	sigdelset(&set, SIGXFSZ);
	run->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->wake < 0 || run->signals < 0)
		return err_sys(err, errno, "the supervisor's loop");
	if (run->o->timeout_ms > 0)
		run->deadline = clock_steady() + run->o->timeout_ms;
	return 0;
}

void
loop_finish(struct run *run)
{
	if (run->wake >= 0)
		close(run->wake);
	if (run->signals >= 0)
		close(run->signals);
	if (run->masked)
		pthread_sigmask(SIG_SETMASK, &run->before, NULL);
}

/* -- what happens ---------------------------------------------------------------- */

static void
end_tree(struct run *run, int grace_ms)
{
	if (run->ending)
		return;
	run->ending = true;
	if (keeper_end(&run->keeper, grace_ms) < 0)
		run->empty = true; /* the keeper is gone: keeper_finish ends what is left */
}

static void
take_status(struct run *run, int status)
{
	if (run->exited)
		return;
	run->exited = true;
	if (WIFSIGNALED(status)) {
		run->result->signal = WTERMSIG(status);
		run->result->status = 128 + WTERMSIG(status);
	} else {
		run->result->status = WEXITSTATUS(status);
	}
	if (run->result->timed_out)
		run->result->status = TIMEOUT_STATUS;
}

static void
take_message(struct run *run)
{
	struct keeper_message message;

	if (keeper_read(&run->keeper, &message) < 0) {
		/* Killed from outside. The command died with it. */
		run->empty = true;
		if (!run->exited)
			take_status(run, SIGKILL);
		return;
	}
	switch (message.event) {
	case KEEPER_STOPPED:
		if (inner_has_client(run->o->inner)) {
			/* It may have gone on since: then the client has, too. */
			if (!tree_is_stopped(message.child))
				break;
			/* Each CONTINUE of the client's became one of ours. */
			run->o->inner->serial = (uint32_t)message.status;
			inner_tell(run->o->inner, NEST_STOPPED, message.signal);
			break;
		}
		if (run->terminal)
			terminal_suspend(run->terminal);
		keeper_continue(&run->keeper);
		break;
	case KEEPER_NESTED:
		nest_started(run->nest, &message);
		break;
	case KEEPER_EXITED:
		take_status(run, message.status);
		if (!message.last)
			end_tree(run, LEFTOVER_GRACE_MS);
		break;
	case KEEPER_EMPTY:
		run->result->left += (size_t)(message.left > 0 ? message.left : 0);
		break;
	default:
		break;
	}
	run->empty = run->empty || message.last;
	if (message.listener >= 0)
		close(message.listener);
}

/* Who asked for a run inside another ends it by ending. */
static void
take_client(struct run *run)
{
	struct ambit_run_inner *inner = run->o->inner;
	struct nest_message message;
	int r;

	while ((r = inner_read(inner, &message)) == 0) {
		if (message.kind == NEST_SIGNAL) {
			keeper_signal(&run->keeper, message.value, false);
		} else if (message.kind == NEST_CONTINUE) {
			keeper_continue(&run->keeper);
		}
	}
	if (r != -EAGAIN)
		end_tree(run, LEFTOVER_GRACE_MS);
}

/* One that the terminal sent went to the command as well; and where the command is
 * inside another run, so did what that one's end sends, and the client speaks for
 * everybody else. */
static void
take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH || info.ssi_signo == SIGCONT) {
			if (run->terminal)
				terminal_resize(run->terminal);
		} else if (!inner_has_client(run->o->inner) &&
			   (run->terminal || info.ssi_code != SI_KERNEL)) {
			keeper_signal(&run->keeper, (int)info.ssi_signo, info.ssi_signo == SIGHUP);
		}
	}
}

static void
take_time(struct run *run)
{
	if (run->deadline == 0 || run->ending || clock_steady() < run->deadline)
		return;
	run->result->timed_out = true;
	end_tree(run, TIMEOUT_GRACE_MS);
}

/* -- the loop -------------------------------------------------------------------- */

static int
wait_ms(const struct run *run, int held, int care)
{
	int64_t left;

	if (held > 0)
		return HELD_MS;
	if (run->deadline == 0 || run->ending)
		return care;
	left = run->deadline - clock_steady();
	if (care >= 0 && left > care)
		left = care;
	return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

static void
take_wake(struct run *run)
{
	uint64_t count;

	(void)!read(run->wake, &count, sizeof(count));
	live_notice(run->live);
	if (run->result->stopped)
		end_tree(run, TIMEOUT_GRACE_MS);
}

int
loop_run(struct run *run, struct ambit_error *err)
{
	const struct ambit_run_inner *inner = run->o->inner;
	struct pollfd fds[MAIN_FDS + 4];
	int held = 0;

	while (!run->empty) {
		int n = MAIN_FDS;

		fds[0] = (struct pollfd){ .fd = run->keeper.socket, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = run->signals, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = run->wake, .events = POLLIN };
		fds[3] = (struct pollfd){ .fd = nest_fd(run->nest), .events = POLLIN };
		fds[4] = (struct pollfd){ .fd = inner ? inner->client : -1, .events = POLLIN };
		fds[5] = (struct pollfd){ .fd = inner ? inner->pidfd : -1, .events = POLLIN };
		fds[6] = (struct pollfd){
			.fd = run->o->leash > 0 && !run->ending ? run->o->leash : -1,
			.events = POLLIN,
		};
		fds[7] = (struct pollfd){ .fd = live_fd(run->live), .events = POLLIN };
		if (run->terminal)
			n += terminal_poll(run->terminal, fds + MAIN_FDS);
		if (poll(fds, (nfds_t)n, wait_ms(run, held, gate_care(run->gate))) < 0 &&
			errno != EINTR)
			return err_sys(err, errno, "the supervisor's loop");
		if (fds[2].revents)
			take_wake(run);
		held = gate_check(run->gate);
		if (fds[1].revents)
			take_signals(run);
		if (run->terminal)
			terminal_ready(run->terminal, fds + MAIN_FDS, n - MAIN_FDS);
		if (fds[3].revents)
			nest_ready(run->nest, run->gate);
		if (fds[4].revents || fds[5].revents)
			take_client(run);
		/* Whoever holds the other end wants no more of it, or is gone. */
		if (fds[6].revents)
			end_tree(run, TIMEOUT_GRACE_MS);
		if (fds[7].revents)
			live_ready(run->live);
		if (fds[0].revents)
			take_message(run);
		take_time(run);
	}
	if (run->result->timed_out)
		run->result->status = TIMEOUT_STATUS;
	return 0;
}

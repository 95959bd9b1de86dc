/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes: one draws, the other only waits and gives the terminal back, so that
 * nothing the first dies of leaves the person without a cursor. Each ends with the other.
 * The one that waits is the one the shell knows: it stops and ends as the other does. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "watch-terminal.h"

#include "cli/cli.h"

#include "base/err.h"
#include "base/fd.h"

#define ENDING_S 2 /* the one that draws has nothing to do that takes longer */

struct guard {
	struct terminal *terminal;
	sigset_t held;
	pid_t child;
	int ending; /* the signal that this one was told to end by; 0: none */
};

static const int held[] = { SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP };

/* A shell may have the terminal already: its modes are put back only where they are
 * still ours. */
void
terminal_settle(struct terminal *terminal)
{
	struct termios now;

	if (terminal->guard == 0 || getppid() == terminal->guard)
		return;
	terminal->guard = 0;
	if (tcgetattr(terminal->fd, &now) < 0)
		return;
	if (now.c_lflag != terminal->ours.c_lflag || now.c_iflag != terminal->ours.c_iflag ||
		now.c_oflag != terminal->ours.c_oflag)
		terminal->saved = now;
	signal(SIGTTOU, SIG_IGN);
	terminal_leave(terminal);
}

static void
be_child(struct guard *guard, const sigset_t *mask, int report,
	int (*draw)(void *data, struct terminal *terminal, struct ambit_error *err), void *data)
{
	struct ambit_error err = { 0 };
	int r = 0;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (getppid() == guard->terminal->guard)
		r = draw(data, guard->terminal, &err);
	terminal_settle(guard->terminal);
	if (err.code != 0)
		(void)fd_write_all(report, &err, sizeof(err));
	_exit(r >= 0 ? r : EXIT_FAILED);
}

/* The shell sees us stop, and finds its terminal as it was. */
static void
stop_too(struct guard *guard)
{
	terminal_leave(guard->terminal);
	raise(SIGSTOP);
	kill(guard->child, SIGCONT);
}

/* True: the child is gone, and how is in *status. */
static bool
check_child_ended(struct guard *guard, int *status)
{
	pid_t pid;

	while ((pid = waitpid(guard->child, status, WNOHANG | WUNTRACED)) > 0)
		if (!WIFSTOPPED(*status))
			return true;
		else
			stop_too(guard);
	return pid < 0 && errno == ECHILD;
}

static int
wait_for_child(struct guard *guard)
{
	const struct timespec patience = { .tv_sec = ENDING_S };
	int status = 0;

	while (!check_child_ended(guard, &status)) {
		int sig = guard->ending != 0 ? sigtimedwait(&guard->held, NULL, &patience)
					     : sigwaitinfo(&guard->held, NULL);

		if (sig < 0 && errno == EAGAIN) {
			kill(guard->child, SIGKILL);
		} else if (sig == SIGTSTP) {
			kill(guard->child, SIGTSTP);
		} else if (sig > 0 && sig != SIGCHLD) {
			guard->ending = sig;
			kill(guard->child, SIGTERM);
			kill(guard->child, SIGCONT);
		}
	}
	return status;
}

static int
report_child_end(struct guard *guard, int status, int report, struct ambit_error *err)
{
	struct ambit_error told;

	if (guard->ending != 0) {
		signal(guard->ending, SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &guard->held, NULL);
		raise(guard->ending);
	}
	if (WIFSIGNALED(status)) {
		err_set(err, EINTR, "the process that draws was ended: %s",
			strsignal(WTERMSIG(status)));
		return EXIT_FAILED;
	}
	if (read(report, &told, sizeof(told)) == (ssize_t)sizeof(told))
		*err = told;
	return WEXITSTATUS(status);
}

int
terminal_guard(struct terminal *terminal,
	int (*draw)(void *data, struct terminal *terminal, struct ambit_error *err), void *data,
	struct ambit_error *err)
{
	struct guard guard = { .terminal = terminal };
	int report[2], status;
	sigset_t mask;

	if (pipe(report) < 0)
		return err_sys(err, errno, "pipe");
	/* Doors know the holder of a line by its name, and do not serve who is beneath one. */
	prctl(PR_SET_NAME, "ambit-asks", 0, 0, 0);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&guard.held);
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		sigaddset(&guard.held, held[i]);
	sigprocmask(SIG_BLOCK, &guard.held, &mask);
	fflush(NULL);
	terminal->guard = getpid();
	guard.child = fork();
	if (guard.child == 0) {
		close(report[0]);
		be_child(&guard, &mask, report[1], draw, data);
	}
	close(report[1]);
	if (guard.child < 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		close(report[0]);
		return err_sys(err, errno, "fork");
	}
	status = wait_for_child(&guard);
	terminal_leave(terminal);
	status = report_child_end(&guard, status, report[0], err);
	close(report[0]);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return status;
}

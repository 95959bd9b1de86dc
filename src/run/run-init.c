/* SPDX-License-Identifier: Apache-2.0 */
/* The first process of a container is everybody's last parent: what is started
 * in there from outside and loses its own becomes its child, and stays a zombie
 * if nobody waits for it. The supervisor waits for its own children alone; so
 * where ambit is that process, it becomes one that does nothing but wait and
 * hand on signals, and the supervisor is its child. */

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run-command.h"

#include "base/err.h"

static void
reap_init_children(pid_t child)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == child)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status)
						: EXIT_SIGNAL + WTERMSIG(status));
}

/* What the terminal sends goes to the whole group: the child has it already. */
__attribute__((noreturn)) static void
be_init(pid_t child, const sigset_t *all)
{
	siginfo_t info;

	for (;;) {
		int sig = sigwaitinfo(all, &info);

		if (sig == SIGCHLD)
			reap_init_children(child);
		else if (sig > 0 && info.si_code != SI_KERNEL)
			kill(child, sig);
	}
}

int
run_init(struct ambit_error *err)
{
	sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (child > 0) {
		/* Ignored, children would never be waited for. */
		signal(SIGCHLD, SIG_DFL);
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		be_init(child, &all);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child < 0 ? err_sys(err, errno, "fork") : 0;
}

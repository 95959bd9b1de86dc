/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a door, into descriptors that its threads wait on. */

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "toolbox.h"

#include "base/err.h"

/* A handler can reach nothing else; programs that are started do not inherit it. */
static int signalled = -1, also = -1;

static void
on_signal(int number)
{
	const int saved = errno;

	(void)number;
	eventfd_write(signalled, 1);
	if (also >= 0)
		eventfd_write(also, 1);
	errno = saved;
}

int
signals_catch(int other, int *ret_fd, struct ambit_error *err)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

	signalled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signalled < 0)
		return err_sys(err, errno, "eventfd");
	also = other;
	signal(SIGPIPE, SIG_IGN);
	/* One that is ignored stays so: nohup, and a shell that puts it in the background. */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	*ret_fd = signalled;
	return 0;
}

void
signals_raise(void)
{
	on_signal(SIGTERM);
}

void
signals_forget(void)
{
	also = -1;
}

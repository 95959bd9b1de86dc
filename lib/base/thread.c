/* SPDX-License-Identifier: Apache-2.0 */
/* A function to a thread of its own. A new thread inherits the mask of the thread that
 * creates it, so all signals are blocked for the time of the creation: the new thread
 * never runs, even for a moment, with another mask. */

#include <sched.h>
#include <signal.h>

#include "base/thread.h"

static int
create_blocked(pthread_t *ret_thread, const pthread_attr_t *attr, int open_signal,
	void *(*run)(void *), void *data)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	if (open_signal != 0)
		sigdelset(&all, open_signal);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(ret_thread, attr, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int
thread_start(pthread_t *ret_thread, const struct thread_options *options, void *(*run)(void *),
	void *data)
{
	static const struct thread_options none;
	const struct thread_options *o = options ? options : &none;
	pthread_attr_t attr;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return -r;
	if (o->stack_size != 0)
		pthread_attr_setstacksize(&attr, o->stack_size);
	if (!ret_thread)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Not by way of a copy: the thread may look at *ret_thread as soon as it runs. */
	r = create_blocked(ret_thread ? ret_thread : &thread, &attr, o->open_signal, run, data);
	pthread_attr_destroy(&attr);
	return r;
}

size_t
thread_crew_size(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n > THREAD_CREW_MAX ? THREAD_CREW_MAX : (size_t)n;
}

void
thread_crew(size_t n, void *(*work)(void *), void *data)
{
	pthread_t threads[THREAD_CREW_MAX];
	size_t started = 0;

	while (started + 1 < n && started < THREAD_CREW_MAX &&
		thread_start(&threads[started], NULL, work, data) == 0)
		started++;
	work(data);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

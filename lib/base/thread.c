/* SPDX-License-Identifier: Apache-2.0 */
/* A function to a thread of its own. A new thread inherits the mask of the thread that
 * creates it, so all signals are blocked for the time of the creation: the new thread
 * never runs, even for a moment, with another mask. */

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

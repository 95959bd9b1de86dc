/* SPDX-License-Identifier: Apache-2.0 */
/* base/thread.h and base/work.h: which signals a thread takes, and what is done. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "base/work.h"

struct seen {
	sigset_t mask;
	size_t stack_size;
	int detached;
	sem_t done;
};

static void *
look_at_self(void *data)
{
	struct seen *seen = data;
	pthread_attr_t attr;

	pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstacksize(&attr, &seen->stack_size);
		pthread_attr_getdetachstate(&attr, &seen->detached);
		pthread_attr_destroy(&attr);
	}
	sem_post(&seen->done);
	return NULL;
}

static void
must_block_all_but(const sigset_t *mask, int open_signal)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGCHLD, SIGURG, SIGWINCH, SIGUSR1,
		SIGPIPE };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_int_equal(sigismember(mask, signals[i]), signals[i] != open_signal);
}

static void
a_thread_takes_no_signals_and_the_caller_still_does(void **state)
{
	struct seen seen = { 0 };
	sigset_t before, after;
	pthread_t thread;

	(void)state;
	sem_init(&seen.done, 0, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(thread_start(&thread, NULL, look_at_self, &seen), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	pthread_join(thread, NULL);
	must_block_all_but(&seen.mask, 0);
	assert_int_equal(seen.detached, PTHREAD_CREATE_JOINABLE);
	for (int sig = 1; sig < SIGRTMIN; sig++)
		assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
	sem_destroy(&seen.done);
}

static void
a_thread_has_the_stack_and_the_signal_that_were_asked_for(void **state)
{
	static const struct thread_options options = {
		.open_signal = SIGURG,
		.stack_size = 256u << 10,
	};
	struct seen seen = { 0 };
	pthread_t thread;

	(void)state;
	sem_init(&seen.done, 0, 0);
	assert_int_equal(thread_start(&thread, &options, look_at_self, &seen), 0);
	pthread_join(thread, NULL);
	must_block_all_but(&seen.mask, SIGURG);
	assert_int_equal(seen.stack_size, 256u << 10);
	sem_destroy(&seen.done);
}

static void
a_thread_that_nobody_joins_is_detached(void **state)
{
	static struct seen seen; /* the thread may still be in sem_post */

	(void)state;
	sem_init(&seen.done, 0, 0);
	assert_int_equal(thread_start(NULL, NULL, look_at_self, &seen), 0);
	while (sem_wait(&seen.done) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(seen.detached, PTHREAD_CREATE_DETACHED);
	must_block_all_but(&seen.mask, 0);
}

static void *
count_self(void *data)
{
	atomic_fetch_add((atomic_int *)data, 1);
	return NULL;
}

static void
a_crew_is_as_many_as_asked_for_and_has_ended(void **state)
{
	static const size_t sizes[][2] = { { 0, 1 }, { 1, 1 }, { 4, 4 },
		{ 1000, THREAD_CREW_MAX + 1 } };

	(void)state;
	assert_in_range(thread_crew_size(), 1, THREAD_CREW_MAX);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		atomic_int count = 0;

		thread_crew(sizes[i][0], count_self, &count);
		assert_int_equal(atomic_load(&count), sizes[i][1]);
	}
}

/* -- work ------------------------------------------------------------------------- */

struct jobs {
	atomic_int done, waiting;
	sem_t go;
};

static void
count_job(void *data)
{
	struct jobs *jobs = data;

	atomic_fetch_add(&jobs->done, 1);
}

static void
await_go(void *data)
{
	struct jobs *jobs = data;

	atomic_fetch_add(&jobs->waiting, 1);
	while (sem_wait(&jobs->go) < 0)
		;
	count_job(data);
}

static void
jobs_that_block_do_not_hold_up_others(void **state)
{
	struct work *work = work_create(NULL);
	struct jobs jobs = { 0 };

	(void)state;
	assert_non_null(work);
	sem_init(&jobs.go, 0, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(work_add(work, await_go, &jobs), 0);
	while (atomic_load(&jobs.waiting) < 4)
		sched_yield();
	assert_int_equal(work_add(work, count_job, &jobs), 0);
	while (atomic_load(&jobs.done) < 1)
		sched_yield();
	for (int i = 0; i < 4; i++)
		sem_post(&jobs.go);
	work_destroy(work);
	assert_int_equal(atomic_load(&jobs.done), 5);
	sem_destroy(&jobs.go);
}

static void
work_that_was_taken_is_done_before_the_end(void **state)
{
	struct work *work = work_create(NULL);
	struct jobs jobs = { 0 };

	(void)state;
	assert_non_null(work);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(work_add(work, count_job, &jobs), 0);
	work_destroy(work);
	assert_int_equal(atomic_load(&jobs.done), 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_takes_no_signals_and_the_caller_still_does),
		cmocka_unit_test(a_thread_has_the_stack_and_the_signal_that_were_asked_for),
		cmocka_unit_test(a_thread_that_nobody_joins_is_detached),
		cmocka_unit_test(a_crew_is_as_many_as_asked_for_and_has_ended),
		cmocka_unit_test(jobs_that_block_do_not_hold_up_others),
		cmocka_unit_test(work_that_was_taken_is_done_before_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

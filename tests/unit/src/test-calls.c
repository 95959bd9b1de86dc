/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on threads: quick ones never wait for slow ones or for those that rest, each
 * is finished once, and what is cancelled ends. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <semaphore.h>
#include <unistd.h>

/* The door's own code is in no library. */
#include "door/door-calls.c"

struct job {
	struct calls *calls;
	sem_t began, may_end;
	bool waits, rests;
	int ran, finished, cancelled;
	sem_t done;
};

static void
job_init(struct job *job, struct calls *calls, bool waits, bool rests)
{
	*job = (struct job){ .calls = calls, .waits = waits, .rests = rests };
	sem_init(&job->began, 0, 0);
	sem_init(&job->may_end, 0, 0);
	sem_init(&job->done, 0, 0);
}

/* Until it may, or is cancelled. */
static void
job_run(void *data, int cancel_fd)
{
	struct pollfd fd = { .fd = cancel_fd, .events = POLLIN };
	struct job *job = data;

	job->ran++;
	if (job->rests)
		calls_rest(job->calls);
	sem_post(&job->began);
	while (job->waits && job->cancelled == 0 && sem_trywait(&job->may_end) != 0)
		if (poll(&fd, 1, 1) > 0)
			job->cancelled++;
	if (job->rests)
		calls_go_on(job->calls);
}

static void
job_finish(void *data, bool ran)
{
	struct job *job = data;

	assert_int_equal(ran, job->ran);
	job->finished++;
	sem_post(&job->done);
}

static int
go(struct job *job, const char *key, bool slow)
{
	return calls_start(job->calls, key, slow, job_run, job_finish, job);
}

static void
wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0)
		;
}

static void
quick_ones_do_not_wait_for_slow_ones(void **state)
{
	struct calls *calls = calls_create(1, 2, 100);
	struct job slow[4], quick[50];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char key[16];

		job_init(&slow[i], calls, true, false);
		snprintf(key, sizeof(key), "slow %zu", i);
		assert_int_equal(go(&slow[i], key, true), 0);
	}
	wait_for(&slow[0].began);
	wait_for(&slow[1].began);
	for (size_t i = 0; i < 50; i++) {
		char key[16];

		job_init(&quick[i], calls, false, false);
		snprintf(key, sizeof(key), "quick %zu", i);
		assert_int_equal(go(&quick[i], key, false), 0);
	}
	for (size_t i = 0; i < 50; i++)
		wait_for(&quick[i].done);
	assert_int_equal(slow[2].ran + slow[3].ran, 0);
	/* The last of them is forgotten a moment after it is done. */
	for (int i = 0; i < 2000 && calls_has(calls, "quick 49"); i++)
		usleep(5000);
	assert_false(calls_has(calls, "quick 49"));
	assert_true(calls_has(calls, "slow 3"));
	for (size_t i = 0; i < 4; i++)
		sem_post(&slow[i].may_end);
	for (size_t i = 0; i < 4; i++)
		wait_for(&slow[i].done);
	assert_true(calls_wait(calls, 10000));
	calls_destroy(calls);
}

static void
those_that_rest_hold_nobody_up(void **state)
{
	struct calls *calls = calls_create(1, 1, 100);
	struct job resting[20], quick;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		char key[16];

		job_init(&resting[i], calls, true, true);
		snprintf(key, sizeof(key), "%zu", i);
		assert_int_equal(go(&resting[i], key, false), 0);
		wait_for(&resting[i].began);
	}
	job_init(&quick, calls, false, false);
	assert_int_equal(go(&quick, "quick", false), 0);
	wait_for(&quick.done);
	for (size_t i = 0; i < 20; i++)
		sem_post(&resting[i].may_end);
	for (size_t i = 0; i < 20; i++)
		wait_for(&resting[i].done);
	/* One thread again, and it works. */
	job_init(&quick, calls, false, false);
	assert_int_equal(go(&quick, "quick", false), 0);
	wait_for(&quick.done);
	calls_destroy(calls);
}

static void
a_call_is_known_by_its_new_key(void **state)
{
	struct calls *calls = calls_create(1, 1, 100);
	struct job job;

	(void)state;
	job_init(&job, calls, true, false);
	assert_int_equal(go(&job, "old", true), 0);
	wait_for(&job.began);
	assert_true(calls_rename(calls, "old", "new"));
	assert_false(calls_rename(calls, "old", "other"));
	assert_false(calls_has(calls, "old"));
	assert_true(calls_has(calls, "new"));
	assert_false(calls_cancel(calls, "old"));
	assert_true(calls_cancel(calls, "new"));
	sem_post(&job.may_end);
	wait_for(&job.done);
	calls_destroy(calls);
}

/* Rests until it may end, goes on, and ends when that is said a second time. */
static void
run_in_two_parts(void *data, int cancel_fd)
{
	struct job *job = data;

	(void)cancel_fd;
	job->ran++;
	calls_rest(job->calls);
	sem_post(&job->began);
	wait_for(&job->may_end);
	calls_go_on(job->calls);
	sem_post(&job->began);
	wait_for(&job->may_end);
}

/* One of too many that wait for work leaves when it is woken: what it was woken for is
 * done by another. */
static void
one_that_leaves_leaves_no_call_behind(void **state)
{
	struct calls *calls = calls_create(1, 2, 100);
	struct job first, others[2], last;
	size_t idle = 0;

	(void)state;
	job_init(&first, calls, true, true);
	assert_int_equal(
		calls_start(calls, "first", true, run_in_two_parts, job_finish, &first), 0);
	wait_for(&first.began);
	for (size_t i = 0; i < 2; i++) {
		job_init(&others[i], calls, true, false);
		assert_int_equal(go(&others[i], i ? "b" : "a", true), 0);
		wait_for(&others[i].began);
	}
	for (size_t i = 0; i < 2; i++) {
		sem_post(&others[i].may_end);
		wait_for(&others[i].done);
	}
	while (idle < 2) {
		usleep(1000);
		pthread_mutex_lock(&calls->lock);
		idle = calls->pools[1].idle;
		pthread_mutex_unlock(&calls->lock);
	}
	/* With it there is one thread too many. */
	sem_post(&first.may_end);
	wait_for(&first.began);
	job_init(&last, calls, false, false);
	assert_int_equal(go(&last, "last", true), 0);
	wait_for(&last.done);
	sem_post(&first.may_end);
	wait_for(&first.done);
	calls_destroy(calls);
}

static void
one_key_is_one_call(void **state)
{
	struct calls *calls = calls_create(1, 1, 1);
	struct job first, second, third;

	(void)state;
	job_init(&first, calls, true, false);
	job_init(&second, calls, false, false);
	job_init(&third, calls, false, false);
	assert_int_equal(go(&first, "a", false), 0);
	wait_for(&first.began);
	assert_int_equal(go(&second, "a", false), -EEXIST);
	assert_int_equal(go(&second, "a", true), -EEXIST);
	assert_int_equal(go(&second, "b", false), 0);
	assert_int_equal(go(&third, "c", false), -EAGAIN);
	sem_post(&first.may_end);
	wait_for(&second.done);
	wait_for(&first.done);
	assert_int_equal(go(&third, "a", false), 0);
	wait_for(&third.done);
	calls_destroy(calls);
	assert_int_equal(third.finished, 1);
}

static void
what_is_cancelled_ends(void **state)
{
	struct calls *calls = calls_create(1, 1, 10);
	struct job running, queued, next;

	(void)state;
	job_init(&running, calls, true, false);
	job_init(&queued, calls, true, false);
	job_init(&next, calls, true, false);
	assert_int_equal(go(&running, "running", true), 0);
	wait_for(&running.began);
	assert_int_equal(go(&queued, "queued", true), 0);
	assert_true(calls_cancel(calls, "queued"));
	wait_for(&queued.done);
	assert_int_equal(queued.ran, 0);
	assert_false(calls_cancel(calls, "queued"));
	assert_true(calls_cancel(calls, "running"));
	wait_for(&running.done);
	assert_int_equal(running.cancelled, 1);
	/* What told that one to end does not tell the next. */
	assert_int_equal(go(&next, "next", true), 0);
	wait_for(&next.began);
	sem_post(&next.may_end);
	wait_for(&next.done);
	assert_int_equal(next.cancelled, 0);
	calls_destroy(calls);
}

static void
destroying_ends_all(void **state)
{
	struct calls *calls = calls_create(2, 2, 100);
	struct job jobs[40];
	int ran = 0, cancelled = 0;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		char key[16];

		job_init(&jobs[i], calls, true, i % 5 == 0);
		snprintf(key, sizeof(key), "%zu", i);
		assert_int_equal(go(&jobs[i], key, i % 2), 0);
	}
	wait_for(&jobs[0].began);
	calls_destroy(calls);
	for (size_t i = 0; i < 40; i++) {
		assert_int_equal(jobs[i].finished, 1);
		ran += jobs[i].ran;
		cancelled += jobs[i].cancelled;
	}
	assert_true(ran >= 1);
	assert_int_equal(ran, cancelled);
	calls_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quick_ones_do_not_wait_for_slow_ones),
		cmocka_unit_test(those_that_rest_hold_nobody_up),
		cmocka_unit_test(a_call_is_known_by_its_new_key),
		cmocka_unit_test(one_that_leaves_leaves_no_call_behind),
		cmocka_unit_test(one_key_is_one_call),
		cmocka_unit_test(what_is_cancelled_ends),
		cmocka_unit_test(destroying_ends_all),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}

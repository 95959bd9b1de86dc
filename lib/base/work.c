/* SPDX-License-Identifier: Apache-2.0 */
/* A queue and the threads that empty it. A thread is started only when none
 * is idle, so that a run in which nothing blocks never pays for one. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/work.h"

/* Paths and messages are kept on the heap: a stack of this size is plenty. */
#define STACK_SIZE (256u << 10)

struct job {
	struct job *next;
	void (*run)(void *data);
	void *data;
};

struct work {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *first;
	struct job **last;
	pthread_t threads[WORK_MAX];
	unsigned n_threads;
	unsigned idle;
	unsigned queued;
	bool ending;
	int (*prepare)(void); /* or NULL */
};

static struct job *
next_job(struct work *work)
{
	struct job *job;

	pthread_mutex_lock(&work->lock);
	work->idle++;
	while (!work->first && !work->ending)
		pthread_cond_wait(&work->changed, &work->lock);
	work->idle--;
	job = work->first;
	if (job) {
		work->first = job->next;
		if (!work->first)
			work->last = &work->first;
		work->queued--;
	}
	pthread_mutex_unlock(&work->lock);
	return job;
}

static void *
run_worker_jobs(void *data)
{
	struct work *work = data;
	struct job *job;

	if (work->prepare)
		work->prepare();
	while ((job = next_job(work)) != NULL) {
		job->run(job->data);
		free(job);
	}
	return NULL;
}

/* SIGURG breaks a blocking call. */
static int
start_worker_thread(struct work *work)
{
	static const struct thread_options options = {
		.open_signal = SIGURG,
		.stack_size = STACK_SIZE,
	};
	int r = thread_start(&work->threads[work->n_threads], &options, run_worker_jobs, work);

	work->n_threads += r == 0;
	return r;
}

struct work *
work_create(int (*prepare)(void))
{
	struct work *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	pthread_mutex_init(&work->lock, NULL);
	pthread_cond_init(&work->changed, NULL);
	work->last = &work->first;
	work->prepare = prepare;
	return work;
}

int
work_add(struct work *work, void (*run)(void *data), void *data)
{
	struct job *job = malloc(sizeof(*job));
	int r = 0;

	if (!job)
		return -ENOMEM;
	*job = (struct job){ .run = run, .data = data };
	pthread_mutex_lock(&work->lock);
	if (work->idle <= work->queued && work->n_threads < WORK_MAX)
		r = start_worker_thread(work);
	/* With one thread at least, it is only a matter of waiting. */
	if (r == 0 || work->n_threads > 0) {
		*work->last = job;
		work->last = &job->next;
		work->queued++;
		r = 0;
		pthread_cond_signal(&work->changed);
	} else {
		free(job);
	}
	pthread_mutex_unlock(&work->lock);
	return r;
}

void
work_destroy(struct work *work)
{
	if (!work)
		return;
	pthread_mutex_lock(&work->lock);
	work->ending = true;
	pthread_cond_broadcast(&work->changed);
	pthread_mutex_unlock(&work->lock);
	for (unsigned i = 0; i < work->n_threads; i++)
		pthread_join(work->threads[i], NULL);
	pthread_cond_destroy(&work->changed);
	pthread_mutex_destroy(&work->lock);
	free(work);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a client onto threads. The client is somebody else's program: it may send
 * a thousand calls at once, use one id twice and cancel what is not there; it gets
 * as many threads as were agreed, and a call that rests while a person thinks does
 * not count as one. Workers are started when there is work, and own the descriptor
 * that tells their call to end, so that no call costs one. base/work.h is not used: it
 * has no limit per kind, no rest and no cancelling of a job that waits, and its stacks are
 * small. */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "door-calls.h"

#include "base/fd.h"
#include "base/str.h"

/* Threads beyond the limit, for those that rest. Past it, calls wait. */
#define RESTING_MAX 64

struct worker;

struct call {
	struct call *next;   /* of all calls */
	struct call *behind; /* in its queue */
	char *key;
	bool slow, queued;
	struct worker *worker; /* runs it; or NULL */
	void (*run)(void *data, int cancel);
	void (*finish)(void *data, bool ran);
	void *data;
};

struct pool {
	size_t limit, threads, idle, resting, queued;
	struct call *first, *last;
	pthread_cond_t work;
};

struct calls {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a call or a thread is gone */
	struct pool pools[2];
	struct call *all;
	struct worker *dead; /* to be joined */
	size_t queue, count;
	bool ending;
};

struct worker {
	struct calls *calls;
	struct pool *pool;
	struct worker *next;
	pthread_t thread;
	int cancel;
	struct call *call;
};

static __thread struct worker *self;

/* -- lists, with the lock -------------------------------------------------------- */

static struct call *
find_client_call(struct calls *calls, const char *key)
{
	for (struct call *call = calls->all; call != NULL; call = call->next)
		if (streq(call->key, key))
			return call;
	return NULL;
}

static void
unlink_call(struct calls *calls, struct call *call)
{
	struct call **at = &calls->all;

	while (*at != NULL && *at != call)
		at = &(*at)->next;
	if (*at != NULL)
		*at = call->next;
}

static void
enqueue_call(struct pool *pool, struct call *call)
{
	if (pool->last != NULL)
		pool->last->behind = call;
	else
		pool->first = call;
	pool->last = call;
	pool->queued++;
	call->queued = true;
}

static void
dequeue_call(struct pool *pool, struct call *call)
{
	struct call *before = NULL;

	for (struct call *at = pool->first; at != call; at = at->behind)
		before = at;
	if (before != NULL)
		before->behind = call->behind;
	else
		pool->first = call->behind;
	if (pool->last == call)
		pool->last = before;
	call->behind = NULL;
	call->queued = false;
	pool->queued--;
}

/* -- workers --------------------------------------------------------------------- */

static void
set_cancel(const struct worker *worker)
{
	const uint64_t one = 1;
	ssize_t n = write(worker->cancel, &one, sizeof(one));

	(void)n; /* full: it is readable already */
}

static void
clear_cancel(const struct worker *worker)
{
	uint64_t count;
	ssize_t n = read(worker->cancel, &count, sizeof(count));

	(void)n; /* empty: as it should be */
}

static void
free_call(struct call *call)
{
	free(call->key);
	free(call);
}

/* With the lock, which is let go meanwhile. */
static void
finish_call(struct calls *calls, struct call *call, bool ran)
{
	unlink_call(calls, call);
	pthread_mutex_unlock(&calls->lock);
	call->finish(call->data, ran);
	free_call(call);
	pthread_mutex_lock(&calls->lock);
	calls->count--;
	pthread_cond_broadcast(&calls->changed);
}

static void
do_call(struct worker *worker)
{
	struct calls *calls = worker->calls;
	struct call *call = worker->pool->first;

	dequeue_call(worker->pool, call);
	call->worker = worker;
	worker->call = call;
	clear_cancel(worker);
	pthread_mutex_unlock(&calls->lock);
	call->run(call->data, worker->cancel);
	pthread_mutex_lock(&calls->lock);
	worker->call = NULL;
	call->worker = NULL;
	finish_call(calls, call, true);
}

static bool
is_surplus(const struct pool *pool)
{
	return pool->threads - pool->resting > pool->limit;
}

static void *
run_worker(void *data)
{
	struct worker *worker = data;
	struct calls *calls = worker->calls;
	struct pool *pool = worker->pool;

	self = worker;
	pthread_mutex_lock(&calls->lock);
	for (;;) {
		if (is_surplus(pool))
			break;
		if (pool->first != NULL) {
			do_call(worker);
			continue;
		}
		if (calls->ending)
			break;
		pool->idle++;
		pthread_cond_wait(&pool->work, &calls->lock);
		pool->idle--;
	}
	/* What woke it may have been meant for one that stays. */
	if (pool->first != NULL)
		pthread_cond_signal(&pool->work);
	pool->threads--;
	worker->next = calls->dead;
	calls->dead = worker;
	pthread_cond_broadcast(&calls->changed);
	pthread_mutex_unlock(&calls->lock);
	return NULL;
}

static void
join_dead_workers(struct calls *calls)
{
	while (calls->dead != NULL) {
		struct worker *worker = calls->dead;

		calls->dead = worker->next;
		/* It holds no lock any more but to leave. */
		pthread_mutex_unlock(&calls->lock);
		pthread_join(worker->thread, NULL);
		close(worker->cancel);
		free(worker);
		pthread_mutex_lock(&calls->lock);
	}
}

/* One more thread, if there is work for it. */
static int
start_worker(struct calls *calls, struct pool *pool)
{
	struct worker *worker;
	int r = 0;

	if (pool->queued <= pool->idle || pool->threads - pool->resting >= pool->limit ||
		pool->threads >= pool->limit + RESTING_MAX)
		return 0;
	worker = calloc(1, sizeof(*worker));
	if (worker == NULL)
		return -ENOMEM;
	*worker = (struct worker){
		.calls = calls,
		.pool = pool,
		.cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	if (worker->cancel < 0)
		r = -errno;
	else
		r = -pthread_create(&worker->thread, NULL, run_worker, worker);
	if (r == 0) {
		pool->threads++;
		return 0;
	}
	fd_close_at(&worker->cancel);
	free(worker);
	return r;
}

/* -- the door's side ------------------------------------------------------------- */

struct calls *
calls_create(size_t quick, size_t slow, size_t queue)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (calls == NULL)
		return NULL;
	pthread_mutex_init(&calls->lock, NULL);
	pthread_cond_init(&calls->changed, NULL);
	for (size_t i = 0; i < 2; i++) {
		calls->pools[i].limit = i == 0 ? quick : slow;
		pthread_cond_init(&calls->pools[i].work, NULL);
	}
	calls->queue = queue;
	return calls;
}

/* With the lock. */
static int
submit_call(struct calls *calls, struct call *call)
{
	struct pool *pool = &calls->pools[call->slow];
	int r;

	join_dead_workers(calls);
	if (find_client_call(calls, call->key) != NULL)
		return -EEXIST;
	if (calls->ending || pool->queued >= calls->queue)
		return -EAGAIN;
	enqueue_call(pool, call);
	r = start_worker(calls, pool);
	if (r < 0 && pool->threads == pool->resting) {
		/* Nobody would ever come for it. */
		dequeue_call(pool, call);
		return r == -ENOMEM ? r : -EAGAIN;
	}
	call->next = calls->all;
	calls->all = call;
	calls->count++;
	pthread_cond_signal(&pool->work);
	return 0;
}

int
calls_start(struct calls *calls, const char *key, bool slow, void (*run)(void *data, int cancel),
	void (*finish)(void *data, bool ran), void *data)
{
	struct call *call = calloc(1, sizeof(*call));
	int r;

	if (call == NULL)
		return -ENOMEM;
	*call = (struct call){
		.key = str_dup(key),
		.slow = slow,
		.run = run,
		.finish = finish,
		.data = data,
	};
	if (call->key == NULL) {
		free(call);
		return -ENOMEM;
	}
	pthread_mutex_lock(&calls->lock);
	r = submit_call(calls, call);
	pthread_mutex_unlock(&calls->lock);
	if (r < 0)
		free_call(call);
	return r;
}

/* With the lock; call may be gone afterwards. */
static void
cancel_call(struct calls *calls, struct call *call)
{
	if (call->worker != NULL) {
		set_cancel(call->worker);
		return;
	}
	if (!call->queued)
		return;
	dequeue_call(&calls->pools[call->slow], call);
	finish_call(calls, call, false);
}

bool
calls_has(struct calls *calls, const char *key)
{
	bool has;

	pthread_mutex_lock(&calls->lock);
	has = find_client_call(calls, key) != NULL;
	pthread_mutex_unlock(&calls->lock);
	return has;
}

bool
calls_rename(struct calls *calls, const char *key, const char *other)
{
	char *copy = str_dup(other);
	struct call *call;

	if (copy == NULL)
		return false;
	pthread_mutex_lock(&calls->lock);
	call = find_client_call(calls, key);
	if (call != NULL) {
		free(call->key);
		call->key = copy;
	}
	pthread_mutex_unlock(&calls->lock);
	if (call == NULL)
		free(copy);
	return call != NULL;
}

bool
calls_cancel(struct calls *calls, const char *key)
{
	struct call *call;

	pthread_mutex_lock(&calls->lock);
	call = find_client_call(calls, key);
	if (call != NULL)
		cancel_call(calls, call);
	pthread_mutex_unlock(&calls->lock);
	return call != NULL;
}

void
calls_cancel_all(struct calls *calls, bool quick_too)
{
	pthread_mutex_lock(&calls->lock);
	for (size_t i = quick_too ? 0 : 1; i < 2; i++)
		while (calls->pools[i].first != NULL)
			cancel_call(calls, calls->pools[i].first);
	for (struct call *call = calls->all; call != NULL; call = call->next)
		if (call->worker != NULL && (quick_too || call->slow))
			set_cancel(call->worker);
	pthread_mutex_unlock(&calls->lock);
}

bool
calls_wait(struct calls *calls, int timeout_ms)
{
	struct timespec until;
	bool none;
	int r = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	pthread_mutex_lock(&calls->lock);
	while (calls->count > 0 && r == 0)
		r = pthread_cond_timedwait(&calls->changed, &calls->lock, &until);
	none = calls->count == 0;
	pthread_mutex_unlock(&calls->lock);
	return none;
}

void
calls_rest(struct calls *calls)
{
	if (self == NULL || self->calls != calls)
		return;
	pthread_mutex_lock(&calls->lock);
	self->pool->resting++;
	(void)start_worker(calls, self->pool); /* without one, the others wait their turn */
	pthread_mutex_unlock(&calls->lock);
}

void
calls_go_on(struct calls *calls)
{
	if (self == NULL || self->calls != calls)
		return;
	pthread_mutex_lock(&calls->lock);
	self->pool->resting--;
	pthread_mutex_unlock(&calls->lock);
}

void
calls_destroy(struct calls *calls)
{
	if (calls == NULL)
		return;
	pthread_mutex_lock(&calls->lock);
	calls->ending = true;
	pthread_mutex_unlock(&calls->lock);
	calls_cancel_all(calls, true);
	pthread_mutex_lock(&calls->lock);
	for (size_t i = 0; i < 2; i++)
		pthread_cond_broadcast(&calls->pools[i].work);
	while (calls->count > 0 || calls->pools[0].threads > 0 || calls->pools[1].threads > 0)
		pthread_cond_wait(&calls->changed, &calls->lock);
	join_dead_workers(calls);
	pthread_mutex_unlock(&calls->lock);
	for (size_t i = 0; i < 2; i++)
		pthread_cond_destroy(&calls->pools[i].work);
	pthread_cond_destroy(&calls->changed);
	pthread_mutex_destroy(&calls->lock);
	free(calls);
}

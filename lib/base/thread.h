/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Zero: every signal is blocked, and the stack has the default size. */
struct thread_options {
	int open_signal; /* stays unblocked, so that it can break a blocking call */
	size_t stack_size;
};

/* Starts run(data) in a thread that takes no signals: they are for the threads of the
 * program that called. options may be NULL. With ret_thread NULL the thread is detached,
 * else the caller joins it. 0, or -errno: then nothing runs. */
int thread_start(pthread_t *ret_thread, const struct thread_options *options, void *(*run)(void *),
	void *data);

/* -- a crew: threads for the length of one call ------------------------------------- */

#define THREAD_CREW_MAX 16

/* How many are worth it on this machine. */
size_t thread_crew_size(void);
/* Runs work(data) in n threads, the calling one among them; in fewer, if no more can be
 * started. Returns when all have ended. */
void thread_crew(size_t n, void *(*work)(void *), void *data);

#endif

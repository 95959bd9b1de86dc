/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* Descriptors and what is done when they are ready, in one thread. A watch is part
 * of the thing it belongs to; who ends the thing takes the watch out first, and then
 * nothing that was reported for it before is delivered any more. */

struct loop;

struct loop_watch {
	int fd;
	uint32_t events; /* in force; 0 and not known: not watched */
	bool known;
	void (*ready)(void *data, uint32_t events);
	void *data;
};

struct loop *loop_create(void);
void loop_destroy(struct loop *loop);

/* Watches for these events from now on; again with others to change them. -errno. */
int loop_watch(struct loop *loop, struct loop_watch *watch, uint32_t events);
void loop_forget(struct loop *loop, struct loop_watch *watch);

/* Waits for ms at most (-1: for as long as it takes) and delivers what is ready. 1: it
 * was woken; 0; -errno. */
int loop_wait(struct loop *loop, int ms);

/* The time by a clock that never jumps, in milliseconds, as of the last wait. */
int64_t loop_now(const struct loop *loop);

/* From any thread: the wait ends at once. */
void loop_wake(struct loop *loop);

#endif

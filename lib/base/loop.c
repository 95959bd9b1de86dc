/* SPDX-License-Identifier: Apache-2.0 */
/* epoll, and a way to be woken. Handlers end other watches than their own, with
 * events in the same batch: these are struck out of it. */

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/program.h"
#include "base/loop.h"

#define BATCH 64

struct loop {
	int epoll;
	int wake;
	int64_t now;
	struct epoll_event batch[BATCH];
	int n, at;
};

struct loop *
loop_create(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));
	struct epoll_event event = { .events = EPOLLIN };

	if (!loop)
		return NULL;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	loop->now = clock_steady();
	if (loop->epoll < 0 || loop->wake < 0 ||
		epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake, &event) < 0) {
		loop_destroy(loop);
		return NULL;
	}
	return loop;
}

void
loop_destroy(struct loop *loop)
{
	if (!loop)
		return;
	if (loop->epoll >= 0)
		close(loop->epoll);
	if (loop->wake >= 0)
		close(loop->wake);
	free(loop);
}

int
loop_watch(struct loop *loop, struct loop_watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (watch->known && watch->events == events)
		return 0;
	if (epoll_ctl(loop->epoll, watch->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watch->fd,
		    &event) < 0)
		return -errno;
	watch->known = true;
	watch->events = events;
	return 0;
}

void
loop_forget(struct loop *loop, struct loop_watch *watch)
{
	if (!watch->known)
		return;
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->known = false;
	watch->events = 0;
	for (int i = loop->at; i < loop->n; i++)
		if (loop->batch[i].data.ptr == watch)
			loop->batch[i].data.ptr = NULL;
}

int
loop_wait(struct loop *loop, int ms)
{
	uint64_t count = 0;
	int n = epoll_wait(loop->epoll, loop->batch, BATCH, ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	(void)!read(loop->wake, &count, sizeof(count));
	loop->now = clock_steady();
	loop->n = n;
	for (loop->at = 0; loop->at < loop->n;) {
		const struct epoll_event *event = &loop->batch[loop->at++];
		struct loop_watch *watch = event->data.ptr;

		if (watch)
			watch->ready(watch->data, event->events);
	}
	loop->n = loop->at = 0;
	return count > 0;
}

int64_t
loop_now(const struct loop *loop)
{
	return loop->now;
}

void
loop_wake(struct loop *loop)
{
	uint64_t one = 1;

	(void)!write(loop->wake, &one, sizeof(one));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A door that was asked for behind a line, and the process there that stands for it: when
 * that one is told to end, or is gone, so does the door. Whoever has the other end of its
 * input may live on. */

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "toolbox.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/thread.h"
#include "line/process/run-doors.h"

static void *
await_inner_end(void *data)
{
	struct heed *h = data;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = h->stop, .events = POLLIN },
			{ .fd = run_inner_fd(h->asked), .events = POLLIN },
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[0].revents != 0)
			return NULL;
		if (fds[1].revents != 0 && run_inner_heard(h->asked) == 0)
			break;
	}
	eventfd_write(h->end, 1);
	return NULL;
}

int
heed_start(struct heed *h, struct toolbox *box, int end, struct ambit_error *err)
{
	int r;

	*h = (struct heed){ .asked = box->around.asked, .stop = -1, .end = end };
	if (h->asked == NULL)
		return 0;
	h->stop = eventfd(0, EFD_CLOEXEC);
	if (h->stop < 0)
		return err_sys(err, errno, "eventfd");
	r = thread_start(&h->thread, NULL, await_inner_end, h);
	h->started = r == 0;
	if (r < 0)
		return err_sys(err, -r, "a thread");
	run_inner_started(h->asked);
	return 0;
}

void
heed_finish(struct heed *h)
{
	if (h->started) {
		eventfd_write(h->stop, 1);
		pthread_join(h->thread, NULL);
	}
	if (h->asked != NULL)
		fd_close_at(&h->stop);
}

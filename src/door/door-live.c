/* SPDX-License-Identifier: Apache-2.0 */
/* The live session of a server. Its thread carries out the requests that come over the
 * socket. Only the person can connect: see lib/live. */

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "engine/doors.h"
#include "line/process/run-doors.h"
#include "live/live.h"
#include "tools/registry/registry-desk.h"

#include "door-live.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "base/thread.h"

struct door_live {
	struct toolbox *box;
	struct live *live;
	void (*stop)(void);
	char *directory;
	pthread_t thread;
	bool started;
	int noticed; /* readable when questions are to be looked at */
	int ending;
};

static void
stop_live_door(void *data)
{
	((struct door_live *)data)->stop();
}

static char *
make_door_status(void *data)
{
	const struct toolbox *box = ((struct door_live *)data)->box;
	auto_json json_t *object = json_pack("{s:s s:s}", "approver",
		box->approver != NULL ? box->approver->name : "", "backend",
		box->executor != NULL ? ambit_word_name(ambit_backends,
						(int)ambit_executor_backend(box->executor))
				      : "none");

	return object != NULL ? json_line(object) : NULL;
}

static void
signal_questions(void *data)
{
	eventfd_write(((struct door_live *)data)->noticed, 1);
}

static void *
serve_live_socket(void *data)
{
	struct door_live *live = data;
	struct pollfd fds[] = {
		{ .fd = live->ending, .events = POLLIN },
		{ .fd = live_fd(live->live), .events = POLLIN },
		{ .fd = live->noticed, .events = POLLIN },
	};
	eventfd_t value;

	while (poll(fds, 3, -1) >= 0 || errno == EINTR) {
		if (fds[0].revents != 0)
			break;
		if (fds[1].revents != 0)
			live_ready(live->live);
		if (fds[2].revents != 0) {
			eventfd_read(live->noticed, &value);
			live_notice(live->live);
		}
	}
	return NULL;
}

/* -- its life -------------------------------------------------------------------------- */

static int
start_live_thread(struct door_live *live, struct ambit_error *err)
{
	int r = thread_start(&live->thread, NULL, serve_live_socket, live);

	live->started = r == 0;
	return r == 0 ? 0 : err_sys(err, -r, "a thread");
}

static int
start_live_session(struct door_live *live, const struct args *args, struct ambit_error *err)
{
	const char *socket = args_get(args, OPT_SOCKET);
	auto_free char *shown = socket != NULL ? str_escape(socket, strlen(socket)) : NULL;
	auto_free char *what =
		str_printf("tools%s%s", shown != NULL ? " on " : "", shown != NULL ? shown : "");
	const struct live_options options = {
		.directory = live->directory,
		.engine = live->box->world.engine,
		.door = args->command->name,
		.what = what,
		.asks = toolbox_asks(live->box),
		.desk = registry_desk(live->box->registry),
		.wake = signal_questions,
		.stop = stop_live_door,
		.status = make_door_status,
		.data = live,
	};
	int r;

	live->noticed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	live->ending = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (live->noticed < 0 || live->ending < 0)
		return err_sys(err, errno, "eventfd");
	if (live->directory == NULL || what == NULL)
		return err_nomem(err);
	ambit_registry_lock(live->box->registry);
	r = engine_store(live->box->world.engine, err);
	ambit_registry_unlock(live->box->registry);
	if (r == 0)
		r = live_create(&options, &live->live, err);
	if (r == 0)
		r = start_live_thread(live, err);
	return r;
}

/* Behind a line nobody makes a name there; and it is that run which is seen. */
static bool
is_inside(void)
{
	auto_close int outside = -1;

	return run_outside(&outside, NULL) != -ENOENT;
}

struct door_live *
door_live_open(struct toolbox *box, const struct args *args, void (*stop_it)(void))
{
	struct door_live *live;
	struct ambit_error err = { 0 };
	int r;

	if (is_inside())
		return NULL;
	live = calloc(1, sizeof(*live));
	r = live != NULL ? 0 : err_nomem(&err);

	if (r == 0) {
		*live = (struct door_live){
			.box = box, .stop = stop_it, .noticed = -1, .ending = -1
		};
		live->directory = place_live(&box->world.place);
		r = start_live_session(live, args, &err);
	}
	if (r == 0)
		return live;
	fprintf(stderr, "ambit: it cannot be seen or steered while it runs: %s\n", err.text);
	door_live_close(live);
	return NULL;
}

void
door_live_close(struct door_live *live)
{
	if (live == NULL)
		return;
	if (live->started) {
		eventfd_write(live->ending, 1);
		pthread_join(live->thread, NULL);
	}
	live_destroy(live->live);
	fd_close_at(&live->noticed);
	fd_close_at(&live->ending);
	free(live->directory);
	free(live);
}

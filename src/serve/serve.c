/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit serve`: from the command line to a server that has ended and left nothing
 * behind. On standard input and output it ends when its input does and what was asked
 * for is done; on a socket, by a signal. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "serve.h"

#include "base/err.h"
#include "base/fd.h"

#include "cli/door.h"

#include "door/door-live.h"

#define LAST_WORDS_MS 2000 /* after a signal, for a client that does not read */

struct reader {
	struct client client;
	int done; /* readable when it has ended */
	int result;
	struct ambit_error err;
};

static void *
serve_reader_client(void *data)
{
	struct reader *reader = data;

	reader->result = client_serve(&reader->client, &reader->err);
	eventfd_write(reader->done, 1);
	return NULL;
}

/* The one client is served in a thread, so that a signal is heard even while that
 * waits for somebody who does not read. */
static int
run_reader_thread(struct reader *reader, int stop, struct ambit_error *err)
{
	struct pollfd fds[] = {
		{ .fd = reader->done, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};
	pthread_t thread;
	int r = -pthread_create(&thread, NULL, serve_reader_client, reader);

	if (r < 0)
		return err_sys(err, -r, "a thread");
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (poll(fds, 1, LAST_WORDS_MS) <= 0)
		rpc_out_break(&reader->client.out);
	pthread_join(thread, NULL);
	*err = reader->err;
	return reader->result;
}

static int
serve_stdio(struct serve *serve, struct ambit_error *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (reader == NULL)
		return err_nomem(err);
	reader->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = client_init(&reader->client, serve, STDIN_FILENO, STDOUT_FILENO, err);
	if (r == 0 && reader->done < 0)
		r = err_sys(err, errno, "eventfd");
	if (r == 0)
		r = run_reader_thread(reader, serve->stop, err);
	client_finish(&reader->client);
	fd_close_at(&reader->done);
	free(reader);
	return r;
}

int
door_serve(const struct args *args, struct ambit_error *err)
{
	const char *path = args_get(args, OPT_SOCKET);
	struct serve serve = { .stop = -1 };
	struct door_live *live = NULL;
	int r = toolbox_open(&serve.box, args, "serve", err);

	if (r == 0)
		r = signals_catch(-1, &serve.stop, err);
	if (r == 0) {
		if (serve.box.why != NULL)
			fprintf(stderr, "ambit: %s\n", serve.box.why);
		live = door_live_open(&serve.box, args, signals_raise);
		r = path != NULL ? listen_serve(&serve, path, err) : serve_stdio(&serve, err);
	}
	door_live_close(live);
	toolbox_finish(&serve.box, r, err);
	return r;
}

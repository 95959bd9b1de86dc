/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit serve`: from the command line to a server that has ended and left nothing
 * behind. On standard input and output it ends when its input does and what was asked
 * for is done; on a socket, by a signal. */

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "serve.h"

#include "base/err.h"
#include "base/fd.h"

#include "cli/door.h"

#define LAST_WORDS_MS 2000 /* after a signal, for a client that does not read */

/* A handler can reach nothing else; programs that are started do not inherit it. */
static int signalled = -1;

static void
on_signal(int number)
{
	const int saved = errno;

	(void)number;
	eventfd_write(signalled, 1);
	errno = saved;
}

static int
catch_signals(struct ambit_error *err)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

	signalled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signalled < 0)
		return err_sys(err, errno, "eventfd");
	signal(SIGPIPE, SIG_IGN);
	/* One that is ignored stays so: nohup, and a shell that puts it in the background. */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	return 0;
}

struct reader {
	struct client client;
	int done; /* readable when it has ended */
	int result;
	struct ambit_error err;
};

static void *
read_on(void *data)
{
	struct reader *reader = data;

	reader->result = client_serve(&reader->client, &reader->err);
	eventfd_write(reader->done, 1);
	return NULL;
}

/* The one client is served in a thread, so that a signal is heard even while that
 * waits for somebody who does not read. */
static int
watch(struct reader *reader, int stop, struct ambit_error *err)
{
	struct pollfd fds[] = {
		{ .fd = reader->done, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};
	pthread_t thread;
	int r = -pthread_create(&thread, NULL, read_on, reader);

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
		r = watch(reader, serve->stop, err);
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
	int r = toolbox_open(&serve.box, args, "serve", err);

	if (r == 0)
		r = catch_signals(err);
	if (r == 0) {
		serve.stop = signalled;
		if (serve.box.why != NULL)
			fprintf(stderr, "ambit: %s\n", serve.box.why);
		r = path != NULL ? listen_serve(&serve, path, err) : serve_stdio(&serve, err);
	}
	toolbox_finish(&serve.box);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Those who connect into clients, each read in a thread of its own, until a signal. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "live/live.h"

#include "serve.h"

#include "base/err.h"
#include "base/fd.h"

#define LAST_WORDS_MS 2000 /* after a signal, for clients that do not read */
#define REFUSED_KEPT 32

struct guest {
	struct guest *next;
	struct client client;
	pthread_t thread;
	int fd;
	bool done; /* with the house's lock */
};

struct house {
	struct serve *serve;
	struct doorway doorway;
	struct guest *guests; /* the accepting thread's own */
	size_t n;
	int refused[REFUSED_KEPT], next; /* who were not let in, so that they hear why */
	pthread_mutex_t lock;
	pthread_cond_t left;
};

/* -- guests -------------------------------------------------------------------------- */

static void
guest_destroy(struct guest *guest)
{
	client_finish(&guest->client);
	close(guest->fd);
	free(guest);
}

struct arrival {
	struct house *house;
	struct guest *guest;
};

static void *
serve_guest(void *data)
{
	struct arrival arrival = *(struct arrival *)data;
	struct ambit_error err = { 0 };

	free(data);
	/* A client that goes is no error of the server's. */
	(void)client_serve(&arrival.guest->client, &err);
	shutdown(arrival.guest->fd, SHUT_RDWR);
	pthread_mutex_lock(&arrival.house->lock);
	arrival.guest->done = true;
	pthread_cond_broadcast(&arrival.house->left);
	pthread_mutex_unlock(&arrival.house->lock);
	return NULL;
}

/* Takes the descriptor. Closed at once, it would break under one who speaks first and
 * then listens; and nobody is waited for. So it stays until others were refused, too. */
static void
say_no(struct house *house, int fd, const char *why)
{
	struct rpc_out out;

	if (rpc_out_init(&out, fd) == 0) {
		rpc_error(&out, NULL, SERVE_NOT_YOU, why, NULL);
		rpc_out_finish(&out);
	}
	shutdown(fd, SHUT_WR);
	fd_close_at(&house->refused[house->next]);
	house->refused[house->next] = fd;
	house->next = (house->next + 1) % REFUSED_KEPT;
}

/* Takes the descriptor. */
static int
start_guest_thread(struct house *house, int fd)
{
	struct guest *guest = calloc(1, sizeof(*guest));
	struct arrival *arrival = malloc(sizeof(*arrival));
	int r;

	if (guest == NULL || arrival == NULL) {
		free(guest);
		free(arrival);
		close(fd);
		return -ENOMEM;
	}
	guest->fd = fd;
	*arrival = (struct arrival){ house, guest };
	r = client_init(&guest->client, house->serve, fd, fd, NULL);
	if (r == 0)
		r = -pthread_create(&guest->thread, NULL, serve_guest, arrival);
	if (r < 0) {
		free(arrival);
		guest_destroy(guest);
		return r;
	}
	guest->next = house->guests;
	house->guests = guest;
	house->n++;
	return 0;
}

/* Those that have left. */
static void
remove_left_guests(struct house *house)
{
	struct guest **at = &house->guests;

	while (*at != NULL) {
		struct guest *guest = *at;
		bool done;

		pthread_mutex_lock(&house->lock);
		done = guest->done;
		pthread_mutex_unlock(&house->lock);
		if (!done) {
			at = &guest->next;
			continue;
		}
		*at = guest->next;
		house->n--;
		pthread_join(guest->thread, NULL);
		guest_destroy(guest);
	}
}

static void
accept_connection(struct house *house)
{
	int fd = accept4(house->doorway.fd, NULL, NULL, SOCK_CLOEXEC);
	const char *objection;

	if (fd < 0) {
		/* Out of descriptors: without a pause this would be a loop. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			poll(NULL, 0, 100);
		return;
	}
	remove_left_guests(house);
	objection = peer_find_objection(fd);
	if (objection == NULL && house->n >= SERVE_CLIENTS_MAX)
		objection = "too many clients at once";
	if (objection != NULL)
		say_no(house, fd, objection);
	else if (start_guest_thread(house, fd) < 0)
		fprintf(stderr, "ambit: a client could not be served: not enough memory\n");
}

/* All have heard that it ends; those who do not listen are not waited for. */
static void
close_house(struct house *house)
{
	struct timespec until;
	struct guest *guest;
	int r = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LAST_WORDS_MS / 1000;
	pthread_mutex_lock(&house->lock);
	for (guest = house->guests; guest != NULL && r == 0;) {
		if (guest->done)
			guest = guest->next;
		else
			r = pthread_cond_timedwait(&house->left, &house->lock, &until);
	}
	pthread_mutex_unlock(&house->lock);
	for (guest = house->guests; guest != NULL; guest = guest->next)
		rpc_out_break(&guest->client.out);
	while (house->guests != NULL) {
		guest = house->guests;
		house->guests = guest->next;
		pthread_join(guest->thread, NULL);
		guest_destroy(guest);
	}
}

int
listen_serve(struct serve *serve, const char *path, struct ambit_error *err)
{
	struct house house = {
		.serve = serve,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.left = PTHREAD_COND_INITIALIZER,
	};
	int r = doorway_open(&house.doorway, &serve->box, path, err);
	struct pollfd fds[] = {
		{ .fd = house.doorway.fd, .events = POLLIN },
		{ .fd = serve->stop, .events = POLLIN },
	};

	for (size_t i = 0; i < REFUSED_KEPT; i++)
		house.refused[i] = -1;
	while (r == 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			r = err_sys(err, errno, "poll");
		else if (fds[1].revents != 0)
			break;
		else if (fds[0].revents != 0)
			accept_connection(&house);
	}
	/* First, so that nobody comes any more. */
	doorway_close(&house.doorway);
	close_house(&house);
	for (size_t i = 0; i < REFUSED_KEPT; i++)
		fd_close_at(&house.refused[i]);
	return r;
}

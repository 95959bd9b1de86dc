/* SPDX-License-Identifier: Apache-2.0 */
/* The thread and its life: it begins with the first who needs it, and ends when what was
 * sent before the end is on its way. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/program.h"
#include "base/thread.h"
#include "egress/egress-private.h"
#include "perform/act.h"

#define DESCRIPTORS 65536
#define DRAIN_MS 10000 /* for what was sent before the end to get through */

static void
take_parcels(struct egress *egress)
{
	struct parcel *list, *next;

	pthread_mutex_lock(&egress->lock);
	list = egress->parcels;
	egress->parcels = NULL;
	egress->n_parcels = 0;
	arrivals_sweep(egress, loop_now(egress->loop));
	doors_watch(egress);
	pthread_mutex_unlock(&egress->lock);
	for (; list; list = next) {
		next = list->next;
		stub_parcel(egress->stub, list);
	}
}

static void *
run_egress_loop(void *data)
{
	struct egress *egress = data;
	int64_t ticked = 0, until = 0;
	size_t busy = 0;

	/* What is done here is done for those who have no capability. */
	act_thread();
	for (;;) {
		int r = loop_wait(egress->loop, busy > 0 ? EGRESS_TICK_MS : 10 * EGRESS_TICK_MS);
		int64_t now = loop_now(egress->loop);

		if (r < 0)
			break;
		/* What was sent before the end is on its way, as it would be without us. */
		if (atomic_load(&egress->stopping)) {
			until = until ? until : now + DRAIN_MS;
			if (now >= until ||
				(relay_unsent(egress->relay) == 0 && arrivals_coming(egress) == 0))
				break;
		}
		if (r == 0 && now - ticked < EGRESS_TICK_MS)
			continue;
		ticked = now;
		take_parcels(egress);
		busy = upstream_tick(egress->upstream);
		busy += stub_tick(egress->stub);
		busy += relay_tick(egress->relay);
	}
	return NULL;
}

/* Each stream takes two descriptors and more: this process may have as many as it
 * can get. The command's own limit was set before. */
static void
raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int
make_ready(struct egress *egress)
{
	static const enum door_kind first[] = { DOOR_QUERIES, DOOR_STUB, DOOR_RELAY };
	int r = 0;

	egress->loop = loop_create();
	egress->upstream = egress->loop ? upstream_create(egress->loop) : NULL;
	egress->stub = stub_create(egress);
	egress->relay = relay_create(egress);
	egress->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!egress->loop || !egress->upstream || !egress->stub || !egress->relay ||
		egress->spare < 0)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < sizeof(first) / sizeof(first[0]); i++) {
		r = door_open(egress, first[i], false);
		if (r == 0)
			door_open(egress, first[i], true); /* where there is IPv6 */
	}
	return r;
}

/* With the lock. What failed once fails for good: half of it is not to be used. */
int
egress_start(struct egress *egress)
{
	if (egress->started || egress->failed < 0)
		return egress->failed;
	raise_limit();
	egress->failed = make_ready(egress);
	if (egress->failed == 0)
		egress->failed = thread_start(&egress->thread, NULL, run_egress_loop, egress);
	egress->started = egress->failed == 0;
	return egress->failed;
}

int
egress_create(const struct egress_line *line, struct egress **ret_egress)
{
	struct egress *egress = calloc(1, sizeof(*egress));

	if (!egress)
		return -ENOMEM;
	egress->line = *line;
	egress->spare = -1;
	egress->names = names_create();
	pthread_mutex_init(&egress->lock, NULL);
	for (int i = 0; i < DOOR_N; i++)
		egress->door[i][0].watch.fd = egress->door[i][1].watch.fd = -1;
	if (!egress->names) {
		egress_destroy(egress);
		return -ENOMEM;
	}
	*ret_egress = egress;
	return 0;
}

static void
free_parcels(struct parcel *list)
{
	while (list) {
		struct parcel *next = list->next;

		close(list->socket);
		free(list);
		list = next;
	}
}

void
egress_destroy(struct egress *egress)
{
	struct arrival *arrival;

	if (!egress)
		return;
	atomic_store(&egress->stopping, true);
	if (egress->started) {
		loop_wake(egress->loop);
		pthread_join(egress->thread, NULL);
	}
	while ((arrival = arrival_take(egress, &egress->arrivals)) != NULL) {
		passage_destroy(egress, arrival->passage);
		arrival_destroy(arrival);
	}
	free_parcels(egress->parcels);
	relay_destroy(egress->relay);
	stub_destroy(egress->stub);
	upstream_destroy(egress->upstream);
	for (int i = 0; i < DOOR_N * 2; i++)
		if (egress->door[i / 2][i % 2].watch.fd >= 0)
			close(egress->door[i / 2][i % 2].watch.fd);
	if (egress->spare >= 0)
		close(egress->spare);
	loop_destroy(egress->loop);
	names_destroy(egress->names);
	pthread_mutex_destroy(&egress->lock);
	free(egress);
}

void
egress_wake(struct egress *egress)
{
	pthread_mutex_lock(&egress->lock);
	if (egress->started)
		loop_wake(egress->loop);
	pthread_mutex_unlock(&egress->lock);
}

int
egress_proxy(struct egress *egress, int fd, const char *token)
{
	struct door *door = &egress->door[DOOR_PROXY][0];
	int r;

	pthread_mutex_lock(&egress->lock);
	r = egress_start(egress);
	door->len = sizeof(door->at);
	if (r == 0 && getsockname(fd, (struct sockaddr *)&door->at, &door->len) < 0)
		r = -errno;
	if (r == 0) {
		memcpy(egress->token, token, EGRESS_TOKEN);
		r = door_watch(egress, DOOR_PROXY, false, fd);
	}
	pthread_mutex_unlock(&egress->lock);
	if (r < 0)
		close(fd);
	return r;
}

enum egress_port
egress_port(struct egress *egress, uint16_t port, int type)
{
	enum egress_port found = EGRESS_PORT_NONE;

	pthread_mutex_lock(&egress->lock);
	for (int i = 0; i < DOOR_N * 2; i++) {
		const struct door *door = &egress->door[i / 2][i % 2];

		if (door->watch.fd >= 0 && door->port == port &&
			(door->kind == DOOR_QUERIES) == (type == SOCK_DGRAM))
			found = door->kind == DOOR_PROXY ? EGRESS_PORT_PROXY : EGRESS_PORT_OWN;
	}
	pthread_mutex_unlock(&egress->lock);
	return found;
}

bool
egress_is_stub(struct egress *egress, const struct sockaddr_storage *address)
{
	bool found;

	pthread_mutex_lock(&egress->lock);
	found = egress_same(address, &egress->door[DOOR_QUERIES][0].at) ||
		egress_same(address, &egress->door[DOOR_QUERIES][1].at);
	pthread_mutex_unlock(&egress->lock);
	return found;
}

size_t
egress_names(struct egress *egress, const struct dns_address *address,
	char (*ret_names)[DNS_NAME_MAX], size_t max)
{
	return names_list(egress->names, address, clock_steady(), ret_names, max);
}

bool
egress_is_look(struct egress *egress, pid_t pid, const struct dns_address *address)
{
	return names_look(egress->names, pid, address, clock_steady());
}

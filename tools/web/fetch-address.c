/* SPDX-License-Identifier: Apache-2.0 */
/* A name into the addresses that may be connected to. A name is whatever its owner
 * says today: one that leads to this machine, its network or a cloud's metadata
 * opens nothing there, so such an address is decided about for itself. What is
 * returned is what is connected to; nobody looks the name up again. */

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "base/thread.h"
#include "request/host.h"
#include "tools/registry/own-tool.h"
#include "tools/web/fetch-private.h"

/* -- looking up, in a thread that can be left behind ---------------------------------- */

struct lookups {
	atomic_int users; /* the owner, and each that is under way */
};

struct lookups *
lookups_create(void)
{
	struct lookups *all = calloc(1, sizeof(*all));

	if (all)
		atomic_init(&all->users, 1);
	return all;
}

void
lookups_destroy(struct lookups *all)
{
	if (all && atomic_fetch_sub(&all->users, 1) == 1)
		free(all);
}

static bool
lookups_join(struct lookups *all)
{
	int n = all ? atomic_load(&all->users) : INT_MAX;

	do {
		if (n > FETCH_LOOKUPS)
			return false;
	} while (!atomic_compare_exchange_weak(&all->users, &n, n + 1));
	return true;
}

/* getaddrinfo cannot be told to stop. Whoever of the two is last frees. */
struct lookup {
	atomic_int users;
	struct lookups *all;
	char host[256];
	char port[8];
	int (*look)(const char *host, const char *port, const struct addrinfo *hints,
		struct addrinfo **ret_list);
	int result;
	struct addrinfo *list;
	atomic_bool there; /* both: a descriptor orders nothing between threads */
	int done;
};

static void
lookup_leave(struct lookup *lookup)
{
	if (atomic_fetch_sub(&lookup->users, 1) != 1)
		return;
	if (lookup->list)
		freeaddrinfo(lookup->list);
	if (lookup->done >= 0)
		close(lookup->done);
	free(lookup);
}

static void *
run_address_lookup(void *data)
{
	struct lookup *lookup = data;
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };

	lookup->result = lookup->look(lookup->host, lookup->port, &hints, &lookup->list);
	/* Before anybody hears of it: the next one may be looked up then. */
	lookups_destroy(lookup->all);
	atomic_store(&lookup->there, true);
	eventfd_write(lookup->done, 1);
	lookup_leave(lookup);
	return NULL;
}

static int
start_lookup(struct lookup *lookup)
{
	int r;

	atomic_store(&lookup->users, 2);
	r = thread_start(NULL, NULL, run_address_lookup, lookup);
	if (r < 0)
		atomic_store(&lookup->users, 1);
	return r;
}

/* A name server that does not answer, and a model that asks again and again. */
static int
too_many(struct trip *trip, const struct goal *goal)
{
	return trip_fail(trip, EBUSY, AMBIT_CODE_BAD_ARGUMENTS,
		"The name server may be down. Try again later, or go on without it.",
		"%s was not looked up: %d other names are being looked up, and have no answer yet",
		goal->host, FETCH_LOOKUPS);
}

static int
lookup_create(struct trip *trip, const struct goal *goal, struct lookup **ret_lookup)
{
	struct lookups *all = trip->fetch->lookups;
	struct lookup *lookup;
	int r;

	if (!lookups_join(all))
		return too_many(trip, goal);
	lookup = calloc(1, sizeof(*lookup));
	if (!lookup) {
		lookups_destroy(all);
		return err_nomem(trip->err);
	}
	atomic_init(&lookup->users, 1);
	lookup->all = all;
	snprintf(lookup->host, sizeof(lookup->host), "%s", goal->host);
	snprintf(lookup->port, sizeof(lookup->port), "%u", (unsigned)goal->port & 0xffff);
	lookup->look = trip->fetch->lookup ? trip->fetch->lookup : getaddrinfo;
	lookup->done = eventfd(0, EFD_CLOEXEC);
	r = lookup->done < 0 ? -errno : start_lookup(lookup);
	if (r < 0) {
		lookups_destroy(all);
		lookup_leave(lookup);
		return err_sys(trip->err, -r, "cannot look up %s", goal->host);
	}
	*ret_lookup = lookup;
	return 0;
}

static int
lookup_failed(struct trip *trip, const struct goal *goal, int result)
{
	if (result == EAI_AGAIN)
		return trip_fail(trip, EHOSTUNREACH, AMBIT_CODE_BAD_ARGUMENTS,
			"Try again later, or go on without it.",
			"%s could not be looked up: no name server answered", goal->host);
	if (result == EAI_MEMORY)
		return err_nomem(trip->err);
	return trip_fail(trip, EHOSTUNREACH, AMBIT_CODE_BAD_ARGUMENTS,
		"Check the spelling of the host in the URL.",
		"%s was not found: there is no such name (%s)", goal->host, gai_strerror(result));
}

/* -- what a name does not cover -------------------------------------------------------- */

static bool
same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)(const void *)a)->sin_addr,
			       &((const struct sockaddr_in *)(const void *)b)->sin_addr,
			       sizeof(struct in_addr)) == 0;
	return a->sa_family == AF_INET6 &&
	       memcmp(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)(const void *)b)->sin6_addr,
		       sizeof(struct in6_addr)) == 0;
}

/* This machine under an address that the world can reach. Not known: it is. */
static bool
is_own(const struct goal_address *address)
{
	struct ifaddrs *list = NULL;
	bool own = false;

	if (getifaddrs(&list) < 0)
		return true;
	for (const struct ifaddrs *i = list; i && !own; i = i->ifa_next)
		own = i->ifa_addr &&
		      same_address(i->ifa_addr, (const struct sockaddr *)&address->at);
	freeifaddrs(list);
	return own;
}

static bool
is_near(const struct goal_address *address)
{
	return host_is_local(address->text) || is_own(address);
}

/* "localhost" is this machine's own by its meaning; whoever allowed it meant that. */
static bool
is_named_loopback(const char *host, const struct goal_address *address)
{
	size_t n = strlen(host);

	if (!streq(host, "localhost") && !(n > 10 && streq(host + n - 10, ".localhost")))
		return false;
	return str_prefix(address->text, "127.") || streq(address->text, "::1");
}

static bool
take_address(const struct addrinfo *info, struct goal_address *ret)
{
	auto_free char *spelled = NULL;
	const void *bytes;
	int port;

	if (info->ai_addrlen > sizeof(ret->at))
		return false;
	*ret = (struct goal_address){ .len = info->ai_addrlen };
	memcpy(&ret->at, info->ai_addr, info->ai_addrlen);
	if (info->ai_family == AF_INET)
		bytes = &((struct sockaddr_in *)&ret->at)->sin_addr;
	else if (info->ai_family == AF_INET6)
		bytes = &((struct sockaddr_in6 *)&ret->at)->sin6_addr;
	else
		return false;
	if (!inet_ntop(info->ai_family, bytes, ret->text, sizeof(ret->text)))
		return false;
	/* ::ffff:127.0.0.1 is 127.0.0.1, and decided about as that. */
	if (host_parse(ret->text, &spelled, &port) < 0 || strlen(spelled) >= sizeof(ret->text))
		return false;
	memcpy(ret->text, spelled, strlen(spelled) + 1);
	return true;
}

/* One out in the world is covered by the name, unless somebody said no to it. */
static bool
is_refused(struct trip *trip, const struct goal *goal, const struct goal_address *address)
{
	auto_free char *text = trip_join(address->text, goal->port);

	return trip->fetch->refuses && (!text || trip->fetch->refuses(trip->fetch->data, text));
}

/* Those out in the world if there are any: then the others are not needed, and
 * nobody has to be asked about them. Else each that is allowed. */
static int
choose_addresses(struct trip *trip, struct goal *goal, const struct goal_address *found, size_t n)
{
	const struct goal_address *refused = NULL;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_near(&found[i]) && !is_named_loopback(goal->host, &found[i]))
			continue;
		if (is_refused(trip, goal, &found[i]))
			refused = &found[i];
		else
			goal->address[goal->n++] = found[i];
	}
	if (goal->n > 0)
		return 0;
	if (refused)
		return trip_fail(trip, EACCES, AMBIT_CODE_HOST_NOT_ALLOWED,
			"Go on without it, and say so in your summary.",
			"%s leads to %s, which is refused", goal->host, refused->text);
	for (size_t i = 0; i < n; i++) {
		int decided = trip_decide(trip, found[i].text, goal->port);

		if (decided == 0)
			goal->address[goal->n++] = found[i];
		else if (decided != -EACCES)
			return decided;
		else
			r = decided;
	}
	if (goal->n > 0)
		return 0;
	return r < 0 ? err_context(trip->err, "%s leads to this machine or its network", goal->host)
		     : lookup_failed(trip, goal, EAI_NONAME);
}

static int
find_literal(struct trip *trip, struct goal *goal)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct addrinfo *list = NULL;
	char port[8];

	snprintf(port, sizeof(port), "%u", (unsigned)goal->port & 0xffff);
	if (getaddrinfo(goal->host, port, &hints, &list) != 0)
		return -ENOENT;
	if (take_address(list, &goal->address[0]))
		goal->n = 1;
	freeaddrinfo(list);
	return goal->n > 0 ? 0 : lookup_failed(trip, goal, EAI_NONAME);
}

int
goal_find(struct trip *trip, struct goal *goal)
{
	struct goal_address found[GOAL_ADDRESSES];
	struct lookup *lookup = NULL;
	size_t n = 0;
	int r = find_literal(trip, goal);

	if (r != -ENOENT)
		return r;
	r = lookup_create(trip, goal, &lookup);
	if (r < 0)
		return r;
	r = trip_wait(trip, lookup->done);
	if (r == 0 && !atomic_load(&lookup->there))
		r = -ETIMEDOUT;
	if (r == 0 && lookup->result != 0)
		r = lookup_failed(trip, goal, lookup->result);
	for (const struct addrinfo *i = r == 0 ? lookup->list : NULL; i && n < GOAL_ADDRESSES;
		i = i->ai_next)
		if (take_address(i, &found[n]))
			n++;
	lookup_leave(lookup);
	if (r == -ETIMEDOUT)
		return trip_fail(trip, ETIMEDOUT, AMBIT_CODE_TIMEOUT,
			"Try again with a longer timeout, or go on without it.",
			"%s was not looked up within the time for this call (%d ms)", goal->host,
			trip->fetch->timeout_ms);
	return r < 0 ? r : choose_addresses(trip, goal, found, n);
}

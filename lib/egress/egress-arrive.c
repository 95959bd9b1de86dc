/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of sockets, and who is announced at the doors. Everybody on this machine can
 * knock there: only who was connected by the gate is let in, by the address that he comes
 * from, which is announced under a lock that the thread must take before it can look. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/program.h"
#include "base/str.h"
#include "egress/egress-private.h"

#define QUERIES_MAX 512
#define QUERY_IDLE_MS 30000 /* a socket that asks for names no more is forgotten */
#define COPIES_MAX 128	    /* of sockets that ask for names */

/* -- addresses --------------------------------------------------------------------- */

uint16_t
egress_port_of(const struct sockaddr_storage *address)
{
	return ntohs(((const struct sockaddr_in *)address)->sin_port); /* the same place in both */
}

bool
egress_address(const struct sockaddr_storage *from, struct dns_address *ret_address)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

	*ret_address = (struct dns_address){ 0 };
	if (from->ss_family == AF_INET) {
		memcpy(ret_address->ip, &((const struct sockaddr_in *)from)->sin_addr, 4);
	} else if (from->ss_family == AF_INET6) {
		ret_address->v6 = !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
		if (ret_address->v6)
			memcpy(ret_address->ip, &in6->sin6_addr, 16);
		else
			memcpy(ret_address->ip, in6->sin6_addr.s6_addr + 12, 4);
	} else {
		return false;
	}
	return true;
}

socklen_t
egress_sockaddr(const struct dns_address *address, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	in->sin_port = htons(port); /* the same place in both */
	if (address->v6) {
		in6->sin6_family = AF_INET6;
		memcpy(&in6->sin6_addr, address->ip, 16);
		return sizeof(*in6);
	}
	in->sin_family = AF_INET;
	memcpy(&in->sin_addr, address->ip, 4);
	return sizeof(*in);
}

char *
egress_text(const struct sockaddr_storage *address)
{
	struct dns_address plain;
	char ip[INET6_ADDRSTRLEN];

	if (!egress_address(address, &plain) ||
		!inet_ntop(plain.v6 ? AF_INET6 : AF_INET, plain.ip, ip, sizeof(ip)))
		return NULL;
	return str_printf(plain.v6 ? "[%s]:%u" : "%s:%u", ip, egress_port_of(address));
}

/* -- who is announced ------------------------------------------------------------------ */

void
passage_destroy(struct egress *egress, struct passage *passage)
{
	if (!passage)
		return;
	if (passage->upstream >= 0)
		close(passage->upstream);
	if (passage->verdict.ticket)
		egress->line.withdraw(egress->line.data, passage->verdict.ticket);
	egress->line.finish(egress->line.data, passage->verdict.permit, -ECANCELED);
	free(passage);
}

void
arrival_destroy(struct arrival *arrival)
{
	if (!arrival)
		return;
	if (arrival->socket >= 0)
		close(arrival->socket);
	free(arrival);
}

/* A port can be another's at another address of the loopback. */
bool
egress_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	struct dns_address x, y;

	return egress_port_of(a) == egress_port_of(b) && egress_address(a, &x) &&
	       egress_address(b, &y) && x.v6 == y.v6 && memcmp(x.ip, y.ip, sizeof(x.ip)) == 0;
}

struct arrival **
arrival_find(struct egress *egress, enum door_kind kind, const struct sockaddr_storage *from)
{
	struct arrival **at = &egress->arrivals, **found = NULL;

	for (; *at && (!found || kind != DOOR_QUERIES); at = &(*at)->next)
		if ((*at)->kind == kind && egress_same(&(*at)->from, from))
			found = at;
	return found ? found : at;
}

/* With the lock. */
struct arrival *
arrival_take(struct egress *egress, struct arrival **at)
{
	struct arrival *arrival = *at;

	if (arrival) {
		*at = arrival->next;
		egress->n_arrivals--;
		egress->n_queries -= arrival->kind == DOOR_QUERIES;
	}
	return arrival;
}

struct arrival *
egress_arrive(struct egress *egress, enum door_kind kind, const struct sockaddr_storage *from)
{
	struct arrival *arrival;

	pthread_mutex_lock(&egress->lock);
	arrival = arrival_take(egress, arrival_find(egress, kind, from));
	pthread_mutex_unlock(&egress->lock);
	return arrival;
}

size_t
arrivals_coming(struct egress *egress)
{
	size_t n = 0;

	pthread_mutex_lock(&egress->lock);
	for (const struct arrival *arrival = egress->arrivals; arrival; arrival = arrival->next)
		n += arrival->kind == DOOR_RELAY;
	pthread_mutex_unlock(&egress->lock);
	return n;
}

bool
egress_sender(
	struct egress *egress, const struct sockaddr_storage *from, struct arrival *ret_arrival)
{
	struct arrival *arrival;

	pthread_mutex_lock(&egress->lock);
	arrival = *arrival_find(egress, DOOR_QUERIES, from);
	if (arrival) {
		arrival->since = loop_now(egress->loop);
		*ret_arrival = *arrival;
		ret_arrival->next = NULL;
		ret_arrival->socket = -1;
		ret_arrival->passage = NULL;
	}
	pthread_mutex_unlock(&egress->lock);
	return arrival != NULL;
}

/* Those who never came, or ask no more; the newest are in front. With the lock. */
void
arrivals_sweep(struct egress *egress, int64_t now)
{
	struct arrival **at = &egress->arrivals;
	size_t copies = 0;

	while (*at) {
		struct arrival *arrival = *at;

		if (arrival->socket >= 0 && ++copies > COPIES_MAX) {
			close(arrival->socket);
			arrival->socket = -1;
		}
		if (now - arrival->since < QUERY_IDLE_MS) {
			at = &arrival->next;
			continue;
		}
		arrival_take(egress, at);
		passage_destroy(egress, arrival->passage);
		arrival_destroy(arrival);
	}
}

/* Who has closed his socket is not known: the oldest has most likely. */
static void
drop_oldest_query(struct egress *egress)
{
	struct arrival **oldest = NULL;

	for (struct arrival **at = &egress->arrivals; *at; at = &(*at)->next)
		if ((*at)->kind == DOOR_QUERIES)
			oldest = at;
	if (oldest)
		arrival_destroy(arrival_take(egress, oldest));
}

void
arrival_add(struct egress *egress, struct arrival *arrival)
{
	arrival->since = clock_steady();
	arrival->next = egress->arrivals;
	egress->arrivals = arrival;
	egress->n_arrivals++;
	egress->n_queries += arrival->kind == DOOR_QUERIES;
	if (egress->n_queries > QUERIES_MAX)
		drop_oldest_query(egress);
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_STUB_PRIVATE_H
#define EGRESS_STUB_PRIVATE_H

#include "egress/egress-private.h"

/* Shared by stub.c (a question and what becomes of it), stub-client.c (who asks by
 * TCP), stub-source.c (who looks where an answer comes from) and stub-limit.c (what
 * is remembered of questions). */

struct client {
	struct client *next;
	struct stub *stub;
	struct loop_watch watch;
	struct egress_who who;
	int64_t since;
	unsigned n_asks;
	bool ended; /* he sends no more */
	unsigned char in[2 + DNS_UDP_PLAIN];
	size_t n_in;
	unsigned char *out; /* or NULL */
	size_t at_out, n_out;
};

struct ask {
	struct ask *next;
	struct stub *stub;
	struct dns_query query;
	struct egress_who who;
	/* Who asks: by UDP, by TCP, or from a socket of his own. */
	struct door *door;
	struct sockaddr_storage from;
	socklen_t from_len;
	struct client *client;
	struct parcel *parcel;

	bool detour;	 /* by UDP, but he does not take what comes from us */
	uint64_t ticket; /* a person is asked */
	int64_t until;	 /* who waits for that no longer than this; 0: for as long as it takes */
	struct ambit_permit *permit;
	struct upstream_query *upstream;
};

/* -- stub-limit.c ------------------------------------------------------------------------ */

/* How many different names may be looked up. */
#define FLOOD_BURST 200
#define FLOOD_PER_SECOND 5
#define FLOOD_SLOTS 1024

/* So many at once, and so many a second. Zeroed, it is full. */
struct bucket {
	double left;
	int64_t at;
	int64_t said; /* that it is empty */
};

struct flood {
	uint64_t seen[FLOOD_SLOTS];
	struct bucket bucket;
};
/* *ret_first: it is worth saying that it does not. */
bool flood_allows(struct flood *flood, const char *name, int64_t now, bool *ret_first);

/* Questions that leave from a socket of the program's own, with its id: that can carry
 * something, too. */
#define OWN_BURST 256
#define OWN_PER_SECOND 16
bool own_allows(struct bucket *own, int64_t now, bool *ret_first);

/* Names that were refused. One look-up is several questions, for both kinds of address, by
 * UDP and then by TCP, and with each search domain behind the name; a no is for all of
 * them: for a while it is not asked again. */
#define REFUSED_MAX 32
struct refused {
	struct {
		struct egress_who who;
		int64_t at;
		char name[DNS_NAME_MAX];
	} list[REFUSED_MAX];
	size_t next;
};
void refused_add(
	struct refused *refused, const struct egress_who *who, const char *name, int64_t now);
bool refused_has(
	const struct refused *refused, const struct egress_who *who, const char *name, int64_t now);

/* What a process was told of a name, A and AAAA together: see names_expect. */
#define TOLD_MAX 32
struct told {
	struct {
		pid_t pid;
		int64_t at;
		char name[DNS_NAME_MAX];
		struct dns_address address[DNS_ADDRESSES_MAX];
		size_t n;
	} list[TOLD_MAX];
	size_t next;
};
void told_add(struct told *told, struct names *names, pid_t pid, const char *name,
	const struct dns_answer *answer);

/* Datagrams that were answered: who asks again keeps the id and the question. From a new
 * port he does so only when his time was up; ids are few, and before that it is another
 * question. */
#define ANSWERED_MAX 64
#define AGAIN_MS 500
#define AGAIN_ELSEWHERE_MS 800
struct answered {
	struct {
		pid_t pid;
		uint16_t port;
		uint16_t id;
		uint64_t what;
		int64_t at; /* 0: none */
	} list[ANSWERED_MAX];
	size_t next;
};
/* Whether it came before, so long ago that the answer was not taken; it has come now. */
bool answered_before(struct answered *answered, pid_t pid, uint16_t port,
	const struct dns_query *query, int64_t now);

/* -- stub-source.c ----------------------------------------------------------------------- */

struct detour {
	struct detour *next;
	struct stub *stub;
	struct door *door;
	struct sockaddr_storage from;
	struct loop_watch watch;
	int64_t until;
};

/* Sends the question on from the socket that it came from. */
void parcel_send(struct ask *ask);
/* Has that socket hear a no. */
void parcel_refuse(struct ask *ask);
/* The same for a socket that is connected to us: it is not, for that while. False: it
 * cannot be done. */
bool detour_begin(struct ask *ask);
void detour_end(struct detour *detour);
void detour_tick(struct stub *stub, int64_t now);

/* -- stub-client.c ------------------------------------------------------------------------ */

void client_reply(struct client *client, const void *message, size_t len);
void client_destroy(struct client *client);
void client_tick(struct stub *stub, int64_t now);

/* -- stub.c ------------------------------------------------------------------------------- */

struct stub {
	struct egress *egress;
	struct ask *asks;
	size_t n_asks;
	struct client *clients;
	size_t n_clients;
	struct detour *detours;
	struct flood flood;
	struct bucket own;
	struct refused refused;
	struct told told;
	struct answered answered;
};

void stub_take(struct client *client, const void *data, size_t len);
/* All that this one asked. */
void stub_drop(struct client *client);

#endif

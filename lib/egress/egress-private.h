/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_PRIVATE_H
#define EGRESS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "egress/egress.h"
#include "base/loop.h"
#include "egress/dns/names.h"
#include "egress/dns/upstream.h"

/* Shared by egress*.c (the thread, its doors, who is announced and joins them), stub*.c
 * (questions for names) and relay*.c (streams). These two run in the thread alone. */

#define EGRESS_TICK_MS 100

struct stub;
struct relay;

enum door_kind {
	DOOR_QUERIES = 0, /* UDP */
	DOOR_STUB,	  /* the same by TCP */
	DOOR_RELAY,
	DOOR_PROXY,
	DOOR_N,
};

/* Where somebody comes in: on 127.0.0.1 (or the name server's own address of the loopback), and
 * ::1. */
struct door {
	struct egress *egress;
	enum door_kind kind;
	bool v6;
	uint16_t port;
	struct sockaddr_storage at;
	socklen_t len;
	struct loop_watch watch;
};

/* Somebody who is on his way to a door, by the port he comes from. */
struct arrival {
	struct arrival *next;
	enum door_kind kind;
	struct sockaddr_storage from; /* of the loopback */
	int64_t since;
	struct egress_who who;
	int socket;			/* DOOR_QUERIES: a copy of the target's; else -1 */
	struct sockaddr_storage wanted; /* DOOR_QUERIES: the name server he means */
	socklen_t wanted_len;
	struct passage *passage; /* DOOR_RELAY */
};

/* A datagram that is to be looked at and sent on. */
struct parcel {
	struct parcel *next;
	struct egress_who who;
	int socket;
	struct sockaddr_storage to;
	socklen_t to_len;
	size_t size;
	unsigned char data[DNS_UDP_PLAIN];
};

struct egress {
	struct egress_line line;
	struct names *names;
	struct loop *loop;
	struct upstream *upstream;
	struct stub *stub;
	struct relay *relay;

	pthread_t thread;
	bool started;
	int failed; /* why it could not be started */
	int spare;  /* a descriptor for when there are no more */
	atomic_bool stopping;

	pthread_mutex_t lock;	     /* of what follows */
	struct door door[DOOR_N][2]; /* IPv4, IPv6; watch.fd -1: not there */
	struct arrival *arrivals;
	size_t n_arrivals; /* all of them, and those who only ask for names */
	size_t n_queries;
	struct parcel *parcels;
	size_t n_parcels;
	char token[EGRESS_TOKEN];
};

/* -- egress*.c: with the lock ------------------------------------------------------------ */

/* What failed once fails for good: half of it is not to be used. */
int egress_start(struct egress *egress);
/* Where it stands in the list; at its end: nobody was announced. Of several from one port
 * the one who was announced first, for he comes in first; of datagrams the last. */
struct arrival **arrival_find(
	struct egress *egress, enum door_kind kind, const struct sockaddr_storage *from);
struct arrival *arrival_take(struct egress *egress, struct arrival **at);
/* Takes it. */
void arrival_add(struct egress *egress, struct arrival *arrival);
/* Those who never came, or ask no more, go. */
void arrivals_sweep(struct egress *egress, int64_t now);
/* All of them; one may have been shut for want of a descriptor. */
void doors_watch(struct egress *egress);
int door_open(struct egress *egress, enum door_kind kind, bool v6);
/* Its address is known. Takes the socket, on success. */
int door_watch(struct egress *egress, enum door_kind kind, bool v6, int fd);

/* -- without ------------------------------------------------------------------------------ */

/* How many with something to say are announced, and have not come in yet. */
size_t arrivals_coming(struct egress *egress);
/* The one who was announced; taken out. NULL: nobody was. Caller frees. */
struct arrival *egress_arrive(
	struct egress *egress, enum door_kind kind, const struct sockaddr_storage *from);
/* The same for a datagram, which others may follow: a copy, left in. */
bool egress_sender(
	struct egress *egress, const struct sockaddr_storage *from, struct arrival *ret_arrival);
void arrival_destroy(struct arrival *arrival);
/* A datagram socket that was announced loses its peer: a copy of it, and the name server
 * that it means. -ENOENT, or -EPERM: it must not. And then it has one again. */
int egress_part(struct egress *egress, const struct sockaddr_storage *from,
	struct sockaddr_storage *ret_wanted, socklen_t *ret_len);
void egress_rejoin(struct egress *egress, int fd, const struct door *door);
void passage_destroy(struct egress *egress, struct passage *passage);

/* "address:port" as the line has it. Caller frees; NULL without memory. */
char *egress_text(const struct sockaddr_storage *address);
bool egress_address(const struct sockaddr_storage *from, struct dns_address *ret_address);
socklen_t egress_sockaddr(
	const struct dns_address *address, uint16_t port, struct sockaddr_storage *ret);
/* Address and port; mapped ones are what they are mapped to. */
bool egress_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
uint16_t egress_port_of(const struct sockaddr_storage *address);

/* -- stub.c ------------------------------------------------------------------------- */

struct stub *stub_create(struct egress *egress);
void stub_destroy(struct stub *stub);
/* A datagram has come to that door; somebody has come to it by TCP. */
void stub_receive(struct stub *stub, struct door *door);
void stub_accept(struct stub *stub, int fd, struct arrival *arrival);
void stub_parcel(struct stub *stub, struct parcel *parcel); /* takes it */
/* What waits is looked at. How many do. */
size_t stub_tick(struct stub *stub);

/* -- relay.c ------------------------------------------------------------------------ */

struct relay *relay_create(struct egress *egress);
void relay_destroy(struct relay *relay);
/* Takes the descriptor; the arrival stays the caller's, but not its passage. */
void relay_accept(struct relay *relay, int fd, struct arrival *arrival);
void relay_accept_proxy(struct relay *relay, int fd, const struct arrival *arrival);
size_t relay_tick(struct relay *relay);
/* At the end: nothing new is begun. How many have something to send still. */
size_t relay_unsent(struct relay *relay);

#endif

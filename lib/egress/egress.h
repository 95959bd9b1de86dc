/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_EGRESS_H
#define EGRESS_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <ambit/engine.h>

#include "egress/dns/dns.h"
#include "perform/permit.h"

/* The way out by name. A thread of the supervisor's answers what is looked up (stub.c),
 * reads what a stream says about whom it wants before it goes there (relay.c), and
 * serves those who want a proxy. It holds no policy: who may go where, the line says.
 *
 * Sockets of the target's are connected to it by the gate, on the loopback, and each
 * is announced with what was decided about it before the thread can see it. Whoever
 * comes unannounced is not of this session. */

struct egress;

struct egress_who {
	pid_t pid;
	uint64_t start;
	char program[64];
};

/* What the line says to one thing that somebody wants. */
struct egress_verdict {
	enum ambit_verdict verdict;  /* ASK: a person is asked; the ticket says about what */
	struct pass pass;	     /* ALLOW */
	struct ambit_permit *permit; /* of an allow that was recorded, or NULL */
	uint64_t ticket;
};

/* Whom it asks. All are called in egress' own thread. */
struct egress_line {
	/* host: "name", "name:port", "address:port". may_ask false: what would have
	 * to be asked is no. A no has been recorded and told. */
	void (*decide)(void *data, const struct egress_who *who, const char *host, bool may_ask,
		struct egress_verdict *ret_verdict);
	/* The same, once it is answered; ASK: not yet. */
	void (*collect)(void *data, const struct egress_who *who, const char *host, uint64_t ticket,
		struct egress_verdict *ret_verdict);
	/* A host that is refused whatever leads to it. Asks nobody, records nothing. */
	bool (*refuses)(void *data, const char *host);
	/* Nobody waits for it any more. */
	void (*withdraw)(void *data, uint64_t ticket);
	/* It is not done, for a reason that is egress' own: recorded and told. */
	void (*refuse)(void *data, const struct egress_who *who, const char *host, const char *why);
	/* What came of it: 0 or -errno. Accepts NULL. */
	void (*finish)(void *data, struct ambit_permit *permit, int result);
	/* It reached out. */
	void (*connected)(void *data);
	void *data;
};

/* Starts nothing: the thread begins with the first who needs it. */
int egress_create(const struct egress_line *line, struct egress **ret_egress);
void egress_destroy(struct egress *egress); /* accepts NULL */

/* An answer has come, or a rule: what waits is looked at. From any thread. */
void egress_wake(struct egress *egress);

/* The proxy's door, before there is anybody behind it: a socket that listens, and the
 * word that opens it. Who starts the command tells it both. */
#define EGRESS_TOKEN 33
int egress_proxy_open(int *ret_fd, int *ret_port, char ret_token[EGRESS_TOKEN]);
/* From now on it is served. Takes the socket. */
int egress_proxy(struct egress *egress, int fd, const char *token);

enum egress_port {
	EGRESS_PORT_NONE = 0, /* not one of ours */
	EGRESS_PORT_OWN,
	EGRESS_PORT_PROXY,
};
/* Whose an address of the loopback is. */
enum egress_port egress_port(struct egress *egress, uint16_t port, int type);

/* Whether it is where datagrams for a name server go. */
bool egress_is_stub(struct egress *egress, const struct sockaddr_storage *address);

/* -- names --------------------------------------------------------------------------- */

/* The names that the address was given for, the last one first: how many. */
size_t egress_names(struct egress *egress, const struct dns_address *address,
	char (*ret_names)[DNS_NAME_MAX], size_t max);
/* Whether this connect of a datagram socket only looks by which way it would go. */
bool egress_is_look(struct egress *egress, pid_t pid, const struct dns_address *address);

/* -- sockets of the target's ----------------------------------------------------------- */

/* fd: a socket of type, for a name server of the system (the address is where it
 * wanted to go). 0 or -errno of connect, -EINPROGRESS among them. */
int egress_join_stub(struct egress *egress, int fd, int type, const struct sockaddr *to,
	const struct egress_who *who);
int egress_join_proxy(
	struct egress *egress, int fd, const struct sockaddr *to, const struct egress_who *who);

/* A datagram for a name server, from a socket that has no peer: what comes back must
 * come from where it was sent to. So the question is looked at, and goes on from that
 * very socket (a copy of which is kept until then). 0: taken. */
int egress_query(struct egress *egress, int fd, const struct sockaddr *to, socklen_t len,
	const void *data, size_t size, const struct egress_who *who);

enum passage_kind {
	PASSAGE_NAMED = 0, /* to the name, by this address: what it says must be that name */
	PASSAGE_ADDRESS,   /* to the address, whatever it says */
	PASSAGE_UNKNOWN,   /* what it says decides; if it says nothing, the address does */
};

/* A stream on its way through the relay. */
struct passage {
	enum passage_kind kind;
	struct egress_who who;
	char name[DNS_NAME_MAX]; /* NAMED */
	struct sockaddr_storage to;
	int upstream; /* connected already, or -1; taken */
	struct egress_verdict
		verdict; /* ALLOW or ASK; taken, but for the permit of the gate's call */
};

/* Connects the target's socket to the relay. Takes what is in the passage, whatever
 * comes of it. 0 or -errno as of connect. */
int egress_join_relay(struct egress *egress, int fd, struct passage *passage);

#endif

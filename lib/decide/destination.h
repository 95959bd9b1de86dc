/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_DESTINATION_H
#define DECIDE_DESTINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ambit/words.h>

/* The place that a command's socket connects or sends to: facts, found out by the kernel line, and
 * the one decision about them. Zeroed facts are a destination that nothing is known of. */

#define DESTINATION_NAMES 8
#define DESTINATION_NAME_MAX 254 /* DNS_NAME_MAX */

enum destination_kind {
	DESTINATION_UNKNOWN = 0,
	DESTINATION_ADDRESS,
	DESTINATION_NAME, /* an address, not looked up yet, that names[0] will lead to */
	DESTINATION_PATH,
	DESTINATION_ABSTRACT,
};

enum destination_owner {
	OWNER_OTHERS = 0, /* or it cannot be known */
	OWNER_NOBODY,
	OWNER_SESSION, /* all that listen there */
};

enum destination_service {
	SERVICE_NONE = 0,
	SERVICE_AMBIT, /* a port of ambit's own */
	SERVICE_PROXY, /* the one that serves the session */
};

struct destination {
	enum destination_kind kind;
	const char *host; /* "10.0.0.1:80", "unix:/run/x.sock", "unix:@name"; borrowed */
	uint16_t port;	  /* of an address */
	bool stream;	  /* else datagrams */
	bool connects;	  /* else it sends one message */
	/* Look-ups on this machine hold for the socket: it is of the same network, and no device
	 * but the loopback's takes its packets. */
	bool same_network;
	bool by_name;  /* names are decided about: ambit is the session's name server */
	bool person;   /* somebody can be asked */
	bool loopback; /* 127.0.0.0/8 or ::1 */

	/* Costly facts about an address: filled only if destination_needs_look says so. */
	bool looked;
	bool here;     /* an address of this machine */
	bool near;     /* of this machine, its network or a cloud's metadata: no name covers it */
	bool resolver; /* a name server of resolv.conf */
	bool looks;    /* it connects to see by which way it would go, after a look-up */
	enum destination_service service;
	enum destination_owner owner; /* of a port here, a path, an abstract name */
	size_t n_names;
	/* That the address was given for, the last one first. */
	char names[DESTINATION_NAMES][DESTINATION_NAME_MAX];
};

/* How a call reaches its destination. */
enum route_way {
	ROUTE_CLOSED = 0, /* not at all */
	ROUTE_DIRECT,
	ROUTE_STUB,    /* a name server: ambit answers in its place */
	ROUTE_RELAY,   /* through ambit, which looks at what the program says first */
	ROUTE_PROXY,   /* ambit's own, for the session */
	ROUTE_NOWHERE, /* the port is nobody's, and stays nobody's for this socket */
	ROUTE_MUTE,    /* the socket is connected, and can never send */
};

/* The reason, one row each in destination.c. */
enum route_reason {
	REASON_HOST = 0, /* none but the host's own */
	REASON_SESSION,
	REASON_AMBIT,
	REASON_PROXY,
	REASON_STUB,
	REASON_RESOLVER,
	REASON_RESOLVER_SOCKET,
	REASON_NOBODY,
	REASON_LOST,
	REASON_LOOK,
	REASON_QUIC,
	REASON_SAYS,
	REASON_NAME,
	REASON_NAMELESS,
	REASON_N,
};

struct route {
	/* On the call. ALLOW: it goes this way. ASK, DENY: a request about the host says. A way
	 * that is closed fails with the error, and nobody is asked or told. */
	enum ambit_verdict verdict;
	enum route_way way;
	enum route_reason reason;
	int error;  /* ROUTE_CLOSED: a positive errno */
	char *host; /* that is decided about; NULL: none is. The caller frees it. */
	int name;   /* the index of the name in it, or -1 */
	bool far;   /* it reaches out, as far as is known */
};

struct decide_input;

/* Whether the costly facts can matter. If not, or if the route that comes of the others is
 * REASON_HOST and allowed, they need not be found out. */
bool destination_needs_look(const struct destination *to);

/* in: a request is not looked at. 1 if the costly facts are missing, 0, -ENOMEM, or
 * -EINVAL: there is no host. */
int destination_decide(
	const struct decide_input *in, const struct destination *to, struct route *ret_route);

#endif

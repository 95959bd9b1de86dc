/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_SOCKET_PEER_H
#define LINE_CALLS_SOCKET_PEER_H

#include "decide/destination.h"
#include "egress/egress.h"
#include "line/gate/call.h"
#include "line/socket/endpoint.h"

/* The socket of a notified call, and the other end that it names: free, or to
 * be decided. For connect, bind and the send calls. */

/* How far a connect has come. */
enum peer_phase {
	PHASE_NEW = 0,
	PHASE_BUSY,  /* its peer had no time: all of it is done again, and waits */
	PHASE_BEGUN, /* it is on its way, and only waits */
};

struct peer {
	/* The program's bytes, copied once. */
	unsigned char raw[sizeof(struct sockaddr_storage)];
	size_t raw_len;
	bool copied;

	int domain, type; /* of the very socket */
	int flags;	  /* of the open file: O_NONBLOCK */
	struct endpoint to;
	bool connects;	 /* set by who connects: all later sends are decided by this */
	bool same_netns; /* INET: what is looked up here holds for this socket */
	bool under_way;	 /* a stream that is on its way, or there: see is_under_way */
	enum peer_phase phase;
	/* As gate_route said; call->host is decided about, if it is not NULL. */
	enum route_way way;
	enum route_reason reason;
	bool allowed;	/* no question */
	bool far;	/* a way out: what comes back is anybody's words */
	bool looked_up; /* name is what the address was given for when it was first looked at */
	char name[DESTINATION_NAME_MAX]; /* "": none */
	/* NULL; or where what is found out is told, for a prediction. Its host is to be freed. */
	struct destination *facts;
	/* call->subject_fd stands in for the target's own (socket-substitute.h): to be put in its
	 * place when the act is done. */
	bool substituted;
	bool cloexec;
};

/* After call_begin: takes the target's descriptor in args[0] as call->subject_fd,
 * unless that is there, and learns what it is. -EBADF, -ENOTSOCK, -EPERM where
 * descriptors cannot be had. */
int peer_socket(struct call *call, struct peer *peer);

/* -EPERM, and it is counted: the call is no crossing, but cannot be made where
 * descriptors cannot be had. */
int peer_blind(struct call *call);

/* After the act, where a socket stands in: puts it into the target. It is kept for
 * later calls unless it is a stream that is connected now. */
int peer_install(struct call *call, const struct peer *peer, bool keep);

/* Copies the address the first time, then parses it. */
int peer_address(struct call *call, struct peer *peer, uint64_t address, uint64_t len,
	enum endpoint_use use);

/* After the act: it has reached out, unless the other end is not a way out. */
void peer_tell(struct call *call, const struct peer *peer);

/* Whether others have a socket where this one is to be bound: 1 or 0; -errno: nobody can
 * say. */
int peer_is_taken(struct call *call, const struct peer *peer);

/* For egress. */
int peer_who(struct call *call, struct egress_who *ret_who);

/* Sets the route in peer, and call->host if that is to be decided about. CALL_DECIDE, or
 * the natural error. */
int peer_decide(struct call *call, struct peer *peer);

/* What to hand to the kernel: the object that was resolved, not its name. */
void peer_target(const struct call *call, const struct peer *peer,
	struct sockaddr_storage *ret_address, socklen_t *ret_len);

/* The path in an address as object 0. */
int peer_resolve(struct call *call, const struct peer *peer, enum object_follow follow);

/* The text becomes call->host; taken. -ENOMEM if it is NULL. */
int peer_ask(struct call *call, char *text);

/* Remembers that the socket is the session's. */
void peer_remember(struct call *call);

/* When the socket's own SO_SNDTIMEO will be over (clock_steady); 0: never. */
int64_t peer_deadline(int fd);

#endif

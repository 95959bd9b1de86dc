/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_PEER_H
#define KERNEL_PEER_H

#include "kernel/call.h"
#include "kernel/endpoint.h"

/* The socket of a notified call, and the other end that it names: free, or to
 * be decided. For connect, bind and the send calls. */

struct peer {
	/* The program's bytes, copied once. */
	unsigned char raw[sizeof(struct sockaddr_storage)];
	size_t raw_len;
	bool copied;

	int domain, type; /* of the very socket */
	struct endpoint to;
	bool connects; /* set by who connects: all later sends are decided by this */
	bool free;     /* ours, the resolver, the kernel, nobody: nothing to decide */
	bool resolver; /* free, but what it answers is anybody's words */
	bool nobody;   /* a port of this machine that nobody has: it stays nobody's */
	bool mute;     /* connected to port 0: it must never send */
	/* call->fd[0] stands in for the target's own (standin.h): to be put in its
	 * place when the act is done. */
	bool stands_in;
	bool cloexec;
};

/* After call_begin: takes the target's descriptor in args[0] as call->fd[0],
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

/* Sets call->host, or peer->free. CALL_DECIDE, or the natural error. */
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

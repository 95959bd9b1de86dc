/* SPDX-License-Identifier: Apache-2.0 */
/* sendto with an address, sendmsg, sendmmsg: headers and address are copied
 * once and decided about; the data is copied when it is sent, by the supervisor,
 * on the target's own socket. No filter can look behind the pointers of these
 * calls, and CONTINUE would let another thread change what is there. Without an
 * address there is nothing to decide: the peer was, when it was connected.
 * What may wait is tried first and waits in a worker only if it must: who fills
 * all workers with sends that nobody reads holds up none that could be done. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "line/calls/socket-control.h"
#include "line/calls/socket-message.h"
#include "line/calls/socket-peer.h"
#include "line/gate/gate-private.h"
#include "perform/act.h"
#include "perform/permit.h"

#define MANY_MAX 64	       /* messages of one sendmmsg; sending fewer is its right */
#define DATA_QUICK (64u << 10) /* fits into what poll calls writable */
#define STEP_MS 20
#define PAUSE_MS 2	    /* where poll does not know that the receiver is full */
#define SEND_MAX 0x7ffff000 /* of one message: MAX_RW_COUNT */

#ifndef MSG_ZEROCOPY
#define MSG_ZEROCOPY 0x4000000
#endif
#ifndef MSG_FASTOPEN
#define MSG_FASTOPEN 0x20000000
#endif
#define FLAGS_PASSED (MSG_OOB | MSG_DONTROUTE | MSG_EOR | MSG_CONFIRM)

struct send {
	struct peer peer; /* raw: the address of all messages */
	bool addressed;
	bool known; /* the headers were copied */
	bool blocking;
	bool many;
	int flags; /* as given */
	unsigned n;
	struct message message[MANY_MAX];

	/* How far it has come: a worker goes on from here. */
	bool waits; /* the rest does not fit */
	bool begun; /* the pass is used up */
	unsigned done;
	uint64_t sent;	  /* of the message behind those */
	int64_t deadline; /* of that message; 0: none */
};

/* -- copying the headers --------------------------------------------------------------- */

/* The address of one message: its length, or -errno. */
static int
take_name(struct call *call, uint64_t address, int len, unsigned char *data)
{
	const int most = sizeof(struct sockaddr_storage);
	int r;

	if (address == 0 || len == 0)
		return 0;
	if (len < 0)
		return -EINVAL;
	if (len > most)
		len = most;
	r = target_read(&call->target, address, data, (size_t)len);
	return r < 0 ? r : len;
}

static int
take_peer(struct call *call, struct send *send, uint64_t address, int len)
{
	int r = take_name(call, address, len, send->peer.raw);

	if (r < 0)
		return r;
	send->peer.raw_len = (size_t)r;
	send->peer.copied = true;
	return 0;
}

static int
take_sendto(struct call *call, struct send *send)
{
	int len = (int)call->args[5];

	send->flags = (int)call->args[3];
	send->n = 1;
	send->message[0] = (struct message){ .base = call->args[1], .len = call->args[2] };
	if (len > (int)sizeof(struct sockaddr_storage))
		return -EINVAL;
	return take_peer(call, send, call->args[4], len);
}

static int
take_sendmsg(struct call *call, struct send *send)
{
	struct msghdr head;
	int r = target_read(&call->target, call->args[1], &head, sizeof(head));

	if (r < 0)
		return r;
	send->flags = (int)call->args[2];
	send->n = 1;
	message_init(&send->message[0], &head);
	return take_peer(call, send, (uint64_t)(uintptr_t)head.msg_name, (int)head.msg_namelen);
}

/* As many as go to one address: one call is one decision. */
static int
take_sendmmsg(struct call *call, struct send *send)
{
	struct mmsghdr heads[MANY_MAX];
	unsigned char name[sizeof(struct sockaddr_storage)];
	unsigned n = (unsigned)call->args[2] < MANY_MAX ? (unsigned)call->args[2] : MANY_MAX;
	int r;

	send->flags = (int)call->args[3];
	send->many = true;
	r = n > 0 ? target_read(&call->target, call->args[1], heads, n * sizeof(heads[0])) : 0;
	if (r < 0 && n > 1) {
		n = 1;
		r = target_read(&call->target, call->args[1], heads, sizeof(heads[0]));
	}
	if (r < 0)
		return r;
	for (unsigned i = 0; i < n; i++) {
		const struct msghdr *head = &heads[i].msg_hdr;

		r = take_name(
			call, (uint64_t)(uintptr_t)head->msg_name, (int)head->msg_namelen, name);
		if (i == 0 && r < 0)
			return r;
		if (i > 0 && (r < 0 || (size_t)r != send->peer.raw_len ||
				     memcmp(name, send->peer.raw, (size_t)r) != 0))
			break;
		if (i == 0) {
			memcpy(send->peer.raw, name, (size_t)r);
			send->peer.raw_len = (size_t)r;
			send->peer.copied = true;
		}
		message_init(&send->message[i], head);
		send->n = i + 1;
	}
	return 0;
}

static int
read_send_args(struct call *call, struct send *send)
{
	int r;

	if (send->known)
		return 0;
	if (call->row->form == FORM_SEND_TO)
		r = take_sendto(call, send);
	else if (call->row->form == FORM_SEND_MSG)
		r = take_sendmsg(call, send);
	else if (call->row->form == FORM_SEND_MMSG)
		r = take_sendmmsg(call, send);
	else
		r = -EPERM;
	send->known = r == 0;
	return r;
}

/* -- preparing ----------------------------------------------------------------------------- */

static int
check_flags(const struct send *send)
{
	/* Data in a SYN would be a connect by another name; programs that try
	 * it know that not every kernel has it. */
	if ((send->flags & MSG_FASTOPEN) && send->peer.type == SOCK_STREAM)
		return -EOPNOTSUPP;
	/* The pages would be the supervisor's; this is how the kernel says that
	 * there is no room for it, and the program then copies. */
	if (send->flags & MSG_ZEROCOPY)
		return -ENOBUFS;
	return 0;
}

/* What an address means to the socket: 1 if it is where the data goes. */
static int
check_address(struct call *call, struct send *send)
{
	struct peer *peer = &send->peer;
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int r;

	if (peer->raw_len == 0 || peer->type == SOCK_SEQPACKET)
		return 0;
	if (peer->type == SOCK_STREAM) {
		if (peer->domain != AF_UNIX)
			return 0; /* TCP does not look at it */
		return getpeername(call->subject_fd, (struct sockaddr *)&address, &len) == 0
			       ? -EISCONN
			       : -EOPNOTSUPP;
	}
	r = endpoint_parse(
		&peer->to, peer->raw, peer->raw_len, peer->domain, peer->type, ENDPOINT_SEND);
	if (r < 0)
		return r;
	if (peer->to.kind == ENDPOINT_INET && peer->to.port == 0)
		return -EINVAL;
	return peer->to.kind != ENDPOINT_NONE;
}

/* Whether it will have to wait. If this is wrong, the call is decided about again
 * (see hand_over): so what is asked about guesses, the rest just tries. */
static bool
is_slow(struct call *call, const struct send *send)
{
	struct pollfd ready = { .fd = call->subject_fd, .events = POLLOUT };

	if (!send->blocking)
		return false;
	if (send->waits)
		return true;
	if (send->n > 0 && message_size(call, &send->message[0]) > DATA_QUICK)
		return true;
	if (!call->host)
		return false;
	/* Of the receiver's queue poll knows nothing. */
	if (send->peer.domain == AF_UNIX && send->peer.type == SOCK_DGRAM)
		return true;
	return poll(&ready, 1, 0) == 0;
}

static int
decide_send(struct call *call, struct send *send)
{
	int r = CALL_DECIDE;

	if (send->addressed) {
		r = peer_decide(call, &send->peer);
	} else {
		free(call->host);
		call->host = NULL;
	}
	if (r == CALL_DECIDE && is_slow(call, send))
		call->pace = PACE_SLOW;
	return r;
}

static int
send_prepare(struct call *call)
{
	struct send *send = call->send;
	int r, flags, fd = -1;

	if (!send)
		send = call->send = calloc(1, sizeof(*send));
	if (!send)
		return -ENOMEM;
	/* What has begun on a socket ends on it, whatever its number is now. */
	if (send->waits)
		fd = steal_fd(&call->subject_fd);
	call_begin(call);
	call->subject_fd = fd;
	r = peer_socket(call, &send->peer);
	/* Whom a stream that cannot be had is connected to is not known here. */
	if (r == -EISCONN || r == -EALREADY)
		r = peer_blind(call);
	if (r == 0)
		r = read_send_args(call, send);
	if (r == 0)
		r = check_flags(send);
	if (r == 0 && send->peer.substituted && send->peer.type != SOCK_DGRAM)
		r = peer_blind(call);
	if (r == 0)
		r = check_address(call, send);
	if (r == 0 && send->peer.substituted)
		r = peer_blind(call);
	if (r < 0)
		return r;
	send->addressed = r == 1;
	flags = fcntl(call->subject_fd, F_GETFL);
	send->blocking = flags >= 0 && !(flags & O_NONBLOCK) && !(send->flags & MSG_DONTWAIT);
	return decide_send(call, send);
}

/* -- sending ------------------------------------------------------------------------------ */

/* The gate prepares and decides again, finds the call slow and gives it to a
 * worker. What was sent stays sent: only the rest is done then. */
static int
defer_send(struct send *send)
{
	send->waits = true;
	return CALL_HAND_OVER;
}

/* 0 when it is worth another try, CALL_HAND_OVER, or -errno. */
static int
wait_writable(struct call *call, struct send *send)
{
	struct pollfd ready = { .fd = call->subject_fd, .events = POLLOUT };

	if (!send->blocking)
		return -EAGAIN;
	if (call->pace != PACE_SLOW)
		return defer_send(send);
	if (call_given_up(call))
		return -EINTR;
	if (send->deadline && clock_steady() >= send->deadline)
		return -EAGAIN;
	if (send->addressed && send->peer.domain == AF_UNIX)
		poll(NULL, 0, PAUSE_MS);
	else
		poll(&ready, 1, STEP_MS);
	return 0;
}

/* Lost, as it would be: not sent, to whoever may be there by now. */
static ssize_t
drop_message(struct send *send, const struct msghdr *head, struct pass *pass)
{
	int r = send->begun ? 0 : pass_use(pass);

	send->begun = true;
	return r < 0 ? r : (ssize_t)head->msg_iov->iov_len;
}

static bool
has_stub(struct call *call)
{
	struct sockaddr_storage connected = { 0 };
	socklen_t len = sizeof(connected);

	return getpeername(call->subject_fd, (struct sockaddr *)&connected, &len) == 0 &&
	       egress_is_stub(call->gate->egress, &connected);
}

/* A question for a name server goes to ambit, which sends it on if it may go. */
static ssize_t
ask_stub(struct call *call, struct send *send, const struct msghdr *head, struct pass *pass)
{
	const struct peer *peer = &send->peer;
	struct msghdr bare = { 0 };
	struct egress_who who;
	int r = peer_who(call, &who);

	if (r == 0 && !send->begun)
		r = pass_use(pass);
	send->begun = true;
	if (r < 0)
		return r;
	/* One that is connected to us has us as its name server, and hears nobody else. */
	if (has_stub(call)) {
		bare.msg_iov = head->msg_iov;
		bare.msg_iovlen = head->msg_iovlen;
		return act_send_again(call->subject_fd, &bare, MSG_DONTWAIT);
	}
	r = egress_query(call->gate->egress, call->subject_fd,
		(const struct sockaddr *)&peer->to.address, peer->to.len, head->msg_iov->iov_base,
		head->msg_iov->iov_len, &who);
	return r < 0 ? r : (ssize_t)head->msg_iov->iov_len;
}

/* All messages of one call, and all pieces of each, are one act: it was decided
 * about as one. */
static ssize_t
send_message(struct call *call, struct send *send, const struct msghdr *head, struct pass *pass)
{
	int flags = (send->flags & FLAGS_PASSED) | MSG_DONTWAIT | MSG_NOSIGNAL;

	/* A datagram that waits for more goes where the socket leads by then. */
	if (send->peer.type == SOCK_STREAM)
		flags |= send->flags & MSG_MORE;

	if (send->addressed && send->peer.way == ROUTE_NOWHERE)
		return drop_message(send, head, pass);
	if (send->addressed && send->peer.way == ROUTE_STUB)
		return ask_stub(call, send, head, pass);
	if (send->begun)
		return act_send_again(call->subject_fd, head, flags);
	send->begun = true;
	return act_send(pass, call->subject_fd, head, flags);
}

/* All of the data in head, as far as it is not sent; 0, CALL_HAND_OVER or -errno. */
static int
send_data(struct call *call, struct send *send, struct msghdr *head, struct pass *pass)
{
	struct iovec *iov = head->msg_iov;

	for (;;) {
		ssize_t n = send_message(call, send, head, pass);

		if (n == -EAGAIN) {
			int r = wait_writable(call, send);

			if (r != 0)
				return r;
			continue;
		}
		if (n < 0)
			return (int)n;
		send->sent += (uint64_t)n;
		if (send->peer.type != SOCK_STREAM || n == 0 || (size_t)n >= iov->iov_len)
			return 0;
		iov->iov_base = (char *)iov->iov_base + n;
		iov->iov_len -= (size_t)n;
		head->msg_control = NULL; /* descriptors go with the first byte */
		head->msg_controllen = 0;
	}
}

/* As much of a message as is loaded at once; *ret_more: it was not all. */
static int
send_load(struct call *call, struct send *send, struct pass *pass, bool *ret_more)
{
	const struct message *message = &send->message[send->done];
	bool stream = send->peer.type == SOCK_STREAM;
	struct sockaddr_storage address;
	struct control control = { 0 };
	struct iovec iov = { 0 };
	struct msghdr head = { .msg_iov = &iov, .msg_iovlen = 1 };
	auto_free char *data = NULL;
	int r = message_load(call, message, stream, send->sent, &data, &iov.iov_len);

	if (r < 0)
		return r;
	*ret_more = stream && iov.iov_len == MESSAGE_MAX;
	if (send->sent > 0 && iov.iov_len == 0)
		return 0;
	iov.iov_base = data;
	if (send->addressed) {
		peer_target(call, &send->peer, &address, &head.msg_namelen);
		head.msg_name = &address;
	}
	if (send->sent == 0)
		r = control_load(
			&control, call, message->control, message->control_len, send->peer.domain);
	head.msg_control = control.data;
	head.msg_controllen = control.len;
	if (r == 0)
		r = send_data(call, send, &head, pass);
	control_finish(&control);
	return r;
}

/* A message, or the rest of it. What stops it when a part is sent is not an
 * error to the one who sends. */
static int
send_one_message(struct call *call, struct send *send, struct pass *pass)
{
	bool more = true;
	int r = 0;

	if (send->blocking && !send->waits)
		send->deadline = peer_deadline(call->subject_fd);
	while (r == 0 && more && send->sent < SEND_MAX)
		r = send_load(call, send, pass, &more);
	return r < 0 && send->sent > 0 ? 0 : r;
}

/* A send on a stream that nobody reads any more costs the sender a signal,
 * which the supervisor was spared. The target stands in this call: its number
 * is still its own. */
static void
signal_pipe(const struct call *call, const struct send *send)
{
	struct target_who who;

	if (send->peer.type != SOCK_STREAM || (send->flags & MSG_NOSIGNAL))
		return;
	if (target_who(&call->target, &who) == 0)
		syscall(SYS_tgkill, who.pid, call->target.tid, SIGPIPE);
}

/* The length that was sent goes where sendmmsg keeps it. */
static void
tell_length(const struct call *call, unsigned i, uint64_t n)
{
	unsigned len = (unsigned)n;

	target_write(&call->target,
		call->args[1] + i * sizeof(struct mmsghdr) + offsetof(struct mmsghdr, msg_len),
		&len, sizeof(len));
}

/* Those that went go on counting. */
static int
send_messages(struct call *call, struct send *send, struct pass *pass, uint64_t *ret_last)
{
	int r = 0;

	while (send->done < send->n) {
		r = send_one_message(call, send, pass);
		if (r != 0)
			break;
		if (send->many)
			tell_length(call, send->done, send->sent);
		*ret_last = send->sent;
		send->sent = 0;
		send->waits = false;
		send->done++;
	}
	/* Nobody is asked a second time for those that are left. */
	if (r == CALL_HAND_OVER && !(send->done > 0 && call->host))
		return r;
	return send->done > 0 ? 0 : r;
}

static int
send_perform(struct call *call, struct pass *pass)
{
	struct send *send = call->send;
	uint64_t last = 0;
	int r;

	send->begun = false;
	r = send->n > 0 ? send_messages(call, send, pass, &last) : pass_use(pass);
	if (r == -EPIPE)
		signal_pipe(call, send);
	if (r == 0)
		r = peer_install(call, &send->peer, true);
	if (r != 0)
		return r;
	if (send->addressed && send->peer.to.kind == ENDPOINT_INET &&
		send->peer.way != ROUTE_NOWHERE)
		peer_remember(call);
	if (send->addressed)
		peer_tell(call, &send->peer);
	call_value(call, send->many ? (int64_t)send->done : (int64_t)last);
	return 0;
}

const struct call_op call_send = {
	.prepare = send_prepare,
	.perform = send_perform,
};

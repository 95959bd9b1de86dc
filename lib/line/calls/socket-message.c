/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a message in the target's memory become one piece here. The
 * list of pieces is copied once and bounded before any of it is followed. */

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/own.h"
#include "line/calls/socket-message.h"

#define PIECES_MAX 1024 /* UIO_MAXIOV */

void
message_init(struct message *message, const struct msghdr *head)
{
	*message = (struct message){
		.base = (uint64_t)(uintptr_t)head->msg_iov,
		.len = head->msg_iovlen,
		.list = true,
		.control = (uint64_t)(uintptr_t)head->msg_control,
		.control_len = head->msg_controllen,
	};
}

uint64_t
message_size(const struct call *call, const struct message *message)
{
	struct iovec iov[16];
	uint64_t total = 0;

	if (!message->list)
		return message->len;
	if (message->len > 16 ||
		target_read(&call->target, message->base, iov, message->len * sizeof(iov[0])) < 0)
		return UINT64_MAX;
	for (size_t i = 0; i < message->len; i++) {
		if (iov[i].iov_len > MESSAGE_MAX)
			return UINT64_MAX;
		total += iov[i].iov_len;
	}
	return total;
}

/* The list of pieces, checked; returns how many, at most. */
static int
load_list(const struct call *call, const struct message *message, struct iovec **ret_iov)
{
	auto_free struct iovec *iov = NULL;
	int r = 0;

	if (!message->list) {
		iov = malloc(sizeof(*iov));
		if (!iov)
			return -ENOMEM;
		*iov = (struct iovec){ (void *)(uintptr_t)message->base, message->len };
		*ret_iov = steal_ptr(&iov);
		return 1;
	}
	if (message->len > PIECES_MAX)
		return -EMSGSIZE;
	iov = calloc(message->len + 1, sizeof(*iov));
	if (!iov)
		return -ENOMEM;
	if (message->len > 0)
		r = target_read(&call->target, message->base, iov, message->len * sizeof(*iov));
	if (r < 0)
		return r;
	*ret_iov = steal_ptr(&iov);
	return (int)message->len;
}

static void
skip_iov_bytes(struct iovec *iov, int n, uint64_t from)
{
	for (int i = 0; i < n && from > 0; i++) {
		size_t len = from < iov[i].iov_len ? (size_t)from : iov[i].iov_len;

		iov[i].iov_base = (char *)iov[i].iov_base + len;
		iov[i].iov_len -= len;
		from -= len;
	}
}

int
message_load(const struct call *call, const struct message *message, bool stream, uint64_t from,
	char **ret_data, size_t *ret_len)
{
	auto_free struct iovec *iov = NULL;
	auto_free char *data = NULL;
	size_t total = 0, at = 0;
	int n = load_list(call, message, &iov), r;

	if (n < 0)
		return n;
	skip_iov_bytes(iov, n, from);
	for (int i = 0; i < n; i++) {
		if (iov[i].iov_len > MESSAGE_MAX - total) {
			if (!stream)
				return -EMSGSIZE;
			iov[i].iov_len = MESSAGE_MAX - total;
		}
		total += iov[i].iov_len;
	}
	data = malloc(total + 1);
	if (!data)
		return -ENOMEM;
	for (int i = 0; i < n; at += iov[i].iov_len, i++) {
		if (iov[i].iov_len == 0)
			continue;
		r = target_read(&call->target, (uint64_t)(uintptr_t)iov[i].iov_base, data + at,
			iov[i].iov_len);
		if (r < 0)
			return r;
	}
	*ret_data = steal_ptr(&data);
	*ret_len = total;
	return 0;
}

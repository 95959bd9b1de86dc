/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_SOCKET_MESSAGE_H
#define LINE_CALLS_SOCKET_MESSAGE_H

#include "line/gate/call.h"

/* Where the data of one message lies in the target, and that data. */

#define MESSAGE_MAX (1u << 20) /* loaded at once: all of a datagram, a piece of a stream */

struct message {
	uint64_t base; /* of the only piece, or of the list of pieces */
	uint64_t len;  /* of the only piece, or number of pieces */
	bool list;
	uint64_t control, control_len;
};

struct msghdr;
void message_init(struct message *message, const struct msghdr *head);

/* How much it is going to be, as far as can be seen now; UINT64_MAX: much. */
uint64_t message_size(const struct call *call, const struct message *message);

/* A copy of the data behind the first `from` bytes, in one piece; of a stream
 * MESSAGE_MAX of it at most. Caller frees. -EMSGSIZE, -EFAULT, -ENOMEM. */
int message_load(const struct call *call, const struct message *message, bool stream, uint64_t from,
	char **ret_data, size_t *ret_len);

#endif

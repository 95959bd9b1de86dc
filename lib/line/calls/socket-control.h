/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_SOCKET_CONTROL_H
#define LINE_CALLS_SOCKET_CONTROL_H

#include "line/gate/call.h"

/* The control messages of a send, as they can be sent by another process. */

#define CONTROL_MAX 20480
#define CONTROL_FDS 253 /* SCM_MAX_FD */

struct control {
	char *data; /* NULL: none */
	size_t len;
	int fds[CONTROL_FDS];
	unsigned n_fds;
};

/* Copies and translates len bytes of the target's. -EINVAL for what is
 * malformed or not understood, -EBADF, -ENOBUFS. To be finished in any case. */
int control_load(
	struct control *control, struct call *call, uint64_t address, uint64_t len, int domain);
void control_finish(struct control *control);

#endif

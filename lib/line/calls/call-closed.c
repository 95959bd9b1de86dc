/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are closed to every program behind the line, and that no answer opens: new
 * namespaces, raw packets. The filter could refuse them by itself. They come here so that the
 * program's user learns why, for programs say "Operation not permitted" at best. Every
 * way through here ends in an error: what is continued would be done. */

#include <errno.h>
#include <sys/socket.h>

#include "line/gate/gate-private.h"

static int
closed_prepare(struct call *call)
{
	int type = (int)call->args[1] & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);

	call_begin(call);
	if (call->row->form != FORM_CLOSED_PACKETS) {
		gate_tell_closed(call->gate, &call->target, CLOSED_NAMESPACES);
		return -EPERM;
	}
	gate_tell_closed(call->gate, &call->target, CLOSED_PACKETS);
	/* Then programs try a raw socket next. */
	return type == SOCK_RAW ? -EPERM : -EPROTONOSUPPORT;
}

static int
closed_perform(struct call *call, struct pass *pass)
{
	(void)call;
	(void)pass;
	return -EPERM;
}

const struct call_op call_closed = {
	.prepare = closed_prepare,
	.perform = closed_perform,
};

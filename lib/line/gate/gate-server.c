/* SPDX-License-Identifier: Apache-2.0 */
/* The program behind a unix socket, for the words of a question about it. A daemon of the
 * person's own, an agent's too, does outside the line what it is asked to: people must see who it
 * is. Looked up when somebody is asked, by the file that the call was resolved to. */

#include <sys/socket.h>

#include "line/gate/gate-private.h"
#include "line/process/socket-holder.h"
#include "line/socket/endpoint.h"
#include "request/host.h"
#include "request/request-object.h"

int
gate_describe_server(const struct call *call, pid_t pid, struct ambit_request *request)
{
	socklen_t len = sizeof(int);
	struct target server;
	struct target_who who;
	int type, r = 0;
	uint32_t inode;
	pid_t holder;

	if (!call->host || !host_unix_path(call->host) || call->n_objects == 0 ||
		getsockopt(call->subject_fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
		endpoint_server(call->object[0].fd, type, &inode) <= 0)
		return 0;
	holder = socket_holder(inode);
	if (holder == 0)
		return 0;
	target_init(&server, holder);
	if (target_who(&server, &who) == 0)
		r = request_set_server(
			request, who.program, holder, socket_holder_is_same(pid, holder));
	target_finish(&server);
	return r;
}

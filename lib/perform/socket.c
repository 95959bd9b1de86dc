/* SPDX-License-Identifier: Apache-2.0 */
/* A pass and a socket that is shared with the one who asked, into a connected,
 * bound or sent one. The address is the copy that was decided about; the
 * sharer can do no more than use its own socket meanwhile. */

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perform/act.h"
#include "perform/permit.h"

int
act_connect(struct pass *pass, int socket, const struct sockaddr *address, size_t len)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	return act_connect_again(socket, address, len);
}

int
act_connect_again(int socket, const struct sockaddr *address, size_t len)
{
	return connect(socket, address, (socklen_t)len) < 0 ? -errno : 0;
}

int
act_bind(struct pass *pass, int socket, const struct sockaddr *address, size_t len)
{
	int r = pass_use(pass);

	if (r < 0)
		return r;
	return bind(socket, address, (socklen_t)len) < 0 ? -errno : 0;
}

int
act_bind_undo(int dir, const char *name)
{
	return unlinkat(dir, name, 0) < 0 ? -errno : 0;
}

ssize_t
act_send(struct pass *pass, int socket, const struct msghdr *message, int flags)
{
	int r = pass_use(pass);

	return r < 0 ? r : act_send_again(socket, message, flags);
}

ssize_t
act_send_again(int socket, const struct msghdr *message, int flags)
{
	/* SIGPIPE is for the one who asked, not for the one who acts. */
	ssize_t n = sendmsg(socket, message, flags | MSG_NOSIGNAL);

	return n < 0 ? -errno : n;
}

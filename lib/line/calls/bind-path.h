/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_BIND_PATH_H
#define LINE_CALLS_BIND_PATH_H

#include "line/gate/call.h"
#include "line/socket/endpoint.h"
#include "perform/permit.h"

/* Binds the call's socket (fd[0]) to the name of object 0 in its parent, and to
 * nothing else, whatever the text of the address leads to meanwhile. getsockname
 * shows the program's own text, or the real path, or a text that leads nowhere: see
 * bind-path.c. fd[1] is the directory that the text is relative to, mode the umask.
 * A socket that lies there afterwards is the session's own. 0 or -errno. */
int bind_path(struct call *call, const struct endpoint *to, struct pass *pass);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_SOCKET_SOCKET_SUBSTITUTE_H
#define LINE_SOCKET_SOCKET_SUBSTITUTE_H

#include "line/object/target.h"

/* Sockets where the target's own cannot be had: containers refuse pidfd_getfd.
 * The supervisor makes one of the same kind, acts on it and puts it where the
 * target's was. What the target had set on its own before is lost, but for
 * O_NONBLOCK and close-on-exec. */

struct substitutes;

struct substitutes *substitutes_create(void);
void substitutes_destroy(struct substitutes *substitutes); /* accepts NULL */

struct substitute {
	int fd;	      /* the caller closes it */
	bool new;     /* it is not in the target yet */
	bool cloexec; /* as the target's is */
};

/* The socket at this number if it was made here and is kept; else a new one,
 * unconnected. -EISCONN, -EALREADY if the target's own is not; -EOPNOTSUPP if
 * nothing can stand in for it, -EPERM if it cannot even be looked at. Thread-safe,
 * as the rest. */
int substitute_find(struct substitutes *substitutes, const struct target *target, int number,
	struct substitute *ret_substitute);

/* Keeps a copy, for calls to come, until the target has closed its own. Not for
 * a connected stream: its end would be told to the other side too late. */
void substitute_keep(
	struct substitutes *substitutes, const struct target *target, int number, int fd);
void substitute_drop(struct substitutes *substitutes, int fd);

#endif

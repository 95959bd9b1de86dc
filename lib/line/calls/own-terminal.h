/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_OWN_TERMINAL_H
#define LINE_CALLS_OWN_TERMINAL_H

#include "line/gate/call.h"

/* Pseudo-terminals of the session's own: made by an open of ptmx that the gate performed,
 * and with a master that a process of the tree still holds. All others are closed. */

/* Whether it is the slave of any pseudo-terminal. */
bool own_terminal_is_any(const struct object *object);
/* Whether it is the slave of one of the session's own. Then its fd, opened anew, is that
 * terminal or -EIO, whatever has its number by then. */
bool own_terminal_is(struct call *call, const struct object *object);
/* Whether opening it makes a terminal that the floor gives. */
bool own_terminal_is_new(const struct call *call, const struct object *object);
/* It was opened just now: the terminal is the session's own. */
void own_terminal_made(struct call *call, int master);
/* Object 0 becomes the slave of the master that is descriptor args[0]. -EBADF, -ENOTTY: it is
 * no master; -EACCES: not of a terminal of the session's own. */
int own_terminal_find_peer(struct call *call);

#endif

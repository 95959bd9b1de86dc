/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOOR_DOOR_LIVE_H
#define DOOR_DOOR_LIVE_H

#include "toolbox.h"

/* A server as the person sees and steers it from elsewhere (doc/live.md): a thread of its
 * own, beside those that serve. */

struct door_live;

/* stop: ends the server as a signal would, from another thread. Before the first call;
 * NULL: it could not be made, which is told on standard error, or this is inside a run,
 * which is seen itself; nothing else is missed. */
struct door_live *door_live_open(struct toolbox *box, const struct args *args, void (*stop)(void));
/* After the last call. Accepts NULL. */
void door_live_close(struct door_live *live);

#endif

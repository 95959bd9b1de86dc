/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_GATE_LAW_H
#define LINE_GATE_GATE_LAW_H

#include "line/gate/call.h"
#include "perform/hand.h"

/* The rules of the hand (perform/hand.h) for one notified call, and the call's n-th object as
 * an end of a move. Both borrow from the call. */
struct hand_law gate_law(struct call *call);

static inline struct hand_end
gate_end(const struct call *call, unsigned n)
{
	const struct object *object = &call->object[n];

	return (struct hand_end){
		.parent = object->parent,
		.name = object->name,
		.real = object->real,
		.fd = object->exists ? object->fd : -1,
		.st = object->st,
	};
}

#endif

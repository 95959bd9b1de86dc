/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_CALL_ONCE_H
#define LINE_GATE_CALL_ONCE_H

#include "line/gate/call.h"
#include "request/request-object.h"

/* The facts about a call that decide whether an answer "once" covers it (decide/once.h). */

/* Whether a file gets a set-user-ID or set-group-ID bit, or one that has it another name. */
bool call_sets_id(const struct call *call);

/* Fills made, in_made and fresh of the n objects, which stand beside call->need. */
void call_describe_once(struct call *call, struct path_facts *list, size_t n);

/* The object of fd was just made; its last name is gone. Remembered if the call was allowed
 * by an answer "once". */
void call_made_once(struct call *call, int fd);
void call_dropped_once(struct call *call, int fd);

#endif

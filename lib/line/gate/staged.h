/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_STAGED_H
#define LINE_GATE_STAGED_H

#include "line/gate/call.h"

/* git writes some of its files in place: a worktree's .git, commondir, a
 * .gitmodules. Whether they lead to a program that is run can be told when they
 * are written, and not when they are opened. So the one who opens such a file
 * gets another, without a name; when that is closed its text is judged, and a
 * fresh copy of what was judged is put in place. What is not plain is asked
 * about, if that takes no time; else it is refused, and asked about when it is
 * tried again. Thread-safe. */

struct staged;

struct staged *staged_create(void);
void staged_destroy(struct staged *staged);

/* Whether an open of the call's first object for writing goes this way. */
bool staged_takes(struct call *call);
/* Opens it so: a descriptor for the target. */
int staged_open(struct call *call, int *ret_fd);

/* Judges what has been closed; last: all of it, for nobody is left to write.
 * Called before anything else is done for the tree. */
void staged_settle(struct gate *gate, bool last);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_GATE_QUICK_H
#define LINE_GATE_GATE_QUICK_H

#include <stdbool.h>

#include "line/gate/call.h"

/* The common case in a few system calls: a plain name inside the folder, which
 * the floor bounds whatever is raced. True: CONTINUE. False says nothing: the
 * call goes the whole way. For the gate's own thread alone. */

struct gate_quick;

struct gate_quick *gate_quick_create(void);
void gate_quick_destroy(struct gate_quick *quick);

bool gate_quick_allows(struct gate_quick *quick, struct call *call);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_SELF_RESTRICTED_H
#define LINE_GATE_SELF_RESTRICTED_H

#include <stdbool.h>
#include <sys/types.h>

struct gate;

/* Whether this thread may have restricted itself further than ambit did. */
bool narrow_holds(struct gate *gate, pid_t tid);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_GATE_SELF_RESTRICTED_H
#define LINE_GATE_SELF_RESTRICTED_H

#include <stdbool.h>
#include <sys/types.h>

struct gate;

/* One more process that restricted itself; nothing is done on its behalf. */
void self_restricted_add(struct gate *gate, pid_t tid);
/* Whether this thread may have restricted itself further than ambit did. */
bool self_restricted_has(struct gate *gate, pid_t tid);

#endif

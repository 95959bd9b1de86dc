/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_RELAY_ABANDONED_H
#define EGRESS_RELAY_ABANDONED_H

#include <stdbool.h>

/* Whether the other end of a TCP connection within this machine, which has said that it
 * sends no more, is closed altogether: nobody has it. */
bool abandoned(int fd);

#endif

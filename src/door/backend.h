/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOOR_BACKEND_H
#define DOOR_BACKEND_H

#include "toolbox.h"

/* Sets the box' executor, or why there is none. Needs its engine. 0, -errno, or
 * EXIT_USAGE. */
int backend_open(struct toolbox *box, const struct args *args, struct ambit_error *err);

#endif

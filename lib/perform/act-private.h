/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_ACT_PRIVATE_H
#define PERFORM_ACT_PRIVATE_H

#include "perform/act.h"

/* What act.c and meta.c share. */

#define ACT_LINK_SIZE 32

/* One component of a path, and a name: no ".", no "..". */
bool act_is_component(const char *name);

/* The path by which this process reaches what one of its descriptors holds,
 * O_PATH or not. text has ACT_LINK_SIZE bytes. */
void act_link_of(int fd, char *text);

#endif

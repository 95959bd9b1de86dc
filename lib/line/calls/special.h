/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_SPECIAL_H
#define LINE_CALLS_SPECIAL_H

#include "line/gate/call.h"

/* What an open may lead to besides plain files; all about object 0. */

/* A harmless setting in /proc of a process of the tree. */
bool special_is_own_proc(const struct call *call);

/* The target wrote one of its descriptors (/dev/stdout, /proc/self/fd/3) and
 * holds this very file open by it, for all that it asks for now in flags:
 * opening it anew gives it nothing. */
bool special_is_held(struct call *call);

bool special_is_terminal(const struct stat *st);

#endif

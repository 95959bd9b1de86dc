/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_CLEAR_H
#define PERFORM_CLEAR_H

#include <stdbool.h>

/* Empties a directory that hostile programs fill, also while they still do. */

#define CLEAR_ALL 10000000 /* steps: somebody who adds as fast as we remove must lose */

/* Whether the directory behind fd (O_PATH will do) has nothing in it. */
bool clear_is_empty(int fd);

/* Opens the directory name in parent for reading, following nothing. One that its owner may
 * not read gets mode 0700 first, through a descriptor of it and never by its name. */
int clear_enter(int parent, const char *name);

/* Removes all that is beneath the directory behind fd, in at most this many steps. 0, or the
 * -errno that stopped it: -EAGAIN when the steps are used up. */
int clear_directory(int fd, unsigned long steps);

#endif

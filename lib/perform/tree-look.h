/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_TREE_LOOK_H
#define PERFORM_TREE_LOOK_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether dir (O_PATH), or a directory in it, carries rights of its own as has_rights says.
 * True as well if nobody knows (has_rights is NULL) or if the tree cannot be looked through
 * whole: too many entries, too deep, a directory that cannot be read. */
bool tree_has_rights(int dir, bool (*has_rights)(void *data, dev_t dev, ino_t ino), void *data);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_TEMP_H
#define KERNEL_TEMP_H

#include "base/err.h"

/* The command's private temp directory: within the floor, gone afterwards. */

/* "PARENT/ambit-XXXXXX", 0700; its real path. Caller frees. */
int temp_create(const char *parent, char **ret_path, struct ambit_error *err);

/* Removes it with all that is beneath, following nothing, wherever it or a
 * part of it is moved meanwhile. 0, or the -errno that stopped it. */
int temp_remove(const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_TEMP_H
#define KERNEL_TEMP_H

#include "base/err.h"
#include "perform/leftover.h"

/* The command's private temp directory: within the floor, gone afterwards. */

/* "PARENT/ambit-LETTERS", 0700, held, and recorded in store (or NULL); its real path, which the
 * caller frees. It goes with leftover_remove. */
int temp_create(const char *parent, struct leftovers *store, struct leftover *ret_temp,
	char **ret_path, struct ambit_error *err);

#endif

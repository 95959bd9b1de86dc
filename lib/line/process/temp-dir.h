/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PROCESS_TEMP_DIR_H
#define LINE_PROCESS_TEMP_DIR_H

#include "base/err.h"
#include "perform/leftover.h"

/* The command's private temp directory: within the floor, gone afterwards. */

/* "PARENT/ambit-LETTERS", 0700, held, and recorded in store (or NULL); its real path, which the
 * caller frees. It goes with leftover_remove. */
int temp_dir_create(const char *parent, struct leftovers *store, struct leftover *ret_temp,
	char **ret_path, struct ambit_error *err);

#endif

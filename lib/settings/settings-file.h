/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_SETTINGS_FILE_H
#define SETTINGS_SETTINGS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define FILE_MAX (1u << 20)
#define FILE_FOLDER ".ambit.json"

/* The text of a settings file, NUL-terminated, caller frees; NULL if there is
 * no such file and that is no error. */
int file_read_person(
	const char *path, bool required, char **ret_text, size_t *ret_len, struct ambit_error *err);
/* The one at the top of the folder. *ret_name: as errors call it, caller frees. */
int file_read_folder(const char *folder, char **ret_name, char **ret_text, size_t *ret_len,
	struct ambit_error *err);

#endif

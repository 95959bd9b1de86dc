/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

/* A temporary directory of a test, and names in directories. */

#include <stddef.h>

#define SCRATCH_PATH 64 /* room that is enough for the path */

/* Makes a directory beneath /tmp; ret_path becomes its real path. */
void scratch_make(char *ret_path, size_t size);

/* Removes path and everything beneath it, also from directories without permissions. */
void scratch_remove(const char *path);

/* Writes the file path, which then has this text and nothing else. */
void scratch_file(const char *path, const char *text);

/* How many names are in a directory, without "." and "..". */
int scratch_count(const char *path);

/* How many descriptors this process has open. */
int scratch_descriptors(void);

#endif

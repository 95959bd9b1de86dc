/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_UNIT_WORLD_H
#define TESTS_UNIT_UNIT_WORLD_H

/* A temporary world for a test: T/home (the person's), T/home/project (the folder, which
 * is the working directory), T/out (outside). Includes cmocka and all that it needs. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <ambit/ambit.h>
#include <ambit/tools.h>

#include "scratch.h"

struct world {
	char top[512];
	char home[600];
	char root[600];
	char out[600];
	char config[700];
	char state[700];
	char before[4096];
};

void world_open(struct world *w);
void world_close(struct world *w);

/* A zeroed rig of size bytes that begins with a struct world, which is opened. */
void *world_create(size_t size);

/* Closes the world and frees the rig that begins with it. */
void world_destroy(struct world *w);

/* For cmocka: *state is a struct world. */
int world_setup(void **state);
int world_teardown(void **state);

/* Paths are relative to the folder or absolute. */
void world_dir(const char *path);
void world_file(const char *path, const char *text);
void world_link(const char *target, const char *path);

/* The whole file in a static buffer; "" if there is no file. */
const char *world_read(const char *path);

struct ambit_scope *world_scope(const struct world *w);

/* person: the text of the person's settings file, or NULL. */
struct ambit_settings *world_settings(const struct world *w, const char *person);

#endif

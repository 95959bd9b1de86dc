/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FILES_H
#define TESTS_UNIT_FILES_H

/* A registry with ambit's own tools over a world, and nobody to ask. */

#include "engine-rig.h"

#include "base/json.h"
#include "base/str.h"

struct files {
	union {
		struct engine_rig base;
		struct {
			ENGINE_RIG;
		};
	};
	struct ambit_registry *registry;
	struct ambit_result result; /* of the last call */
	json_t *structured;
};

/* Begins a session with what lies in the folder now, and ends it. */
void files_begin(struct files *f);
void files_end(struct files *f);
int files_open_with(void **state, const char *person);
int files_open(void **state);
int files_close(void **state);

/* Takes args. cancel: as in ambit_call_options. */
const struct ambit_result *files_call_until(
	struct files *f, const char *tool, json_t *args, int cancel);

const struct ambit_result *files_call(struct files *f, const char *tool, json_t *args);

#define CALL(f, tool, ...) files_call(f, tool, json_pack(__VA_ARGS__))

void files_good(const struct ambit_result *result);

/* It failed with this code, and its words have this in them. */
void files_bad(const struct ambit_result *result, enum ambit_code code, const char *words);

void files_says(const struct ambit_result *result, const char *words);
long long files_int(const struct files *f, const char *key);
bool files_is(const struct files *f, const char *key);
bool files_there(const char *path);

/* How many names are in it. */
int files_count(const char *path);

#endif

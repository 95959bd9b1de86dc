/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TOOLCALL_H
#define TESTS_UNIT_TOOLCALL_H

/* A world with a registry in it, and a person who answers what the test says. For
 * tests of tools: by what they leave behind, and by what they say. */

#include "engine-rig.h"

#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"

struct hand {
	union {
		struct engine_rig base;
		struct {
			ENGINE_RIG;
		};
	};
	struct ambit_registry *registry;
	struct ambit_approver approver;
	struct ambit_answer answer;
	int asked;
	struct ambit_result result; /* of the last call */
};

/* Begins and ends a session. */
void hand_begin(struct hand *h);
void hand_end(struct hand *h);
int hand_open(void **state);
int hand_close(void **state);

/* Takes args. */
const struct ambit_result *hand_call(struct hand *h, const char *tool, json_t *args);

void hand_works(const struct hand *h);

/* The last call failed so, and said these words. */
void hand_fails(const struct hand *h, enum ambit_code code, const char *words);

void hand_says(const struct hand *h, const char *words);
size_t hand_descriptors(void);

/* How many names are in a directory, hidden ones too. */
size_t hand_names(const char *path);

bool hand_has(const char *path);
unsigned hand_mode(const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_STATE_H
#define SETTINGS_STATE_H

#include "base/err.h"
#include "settings/settings-key.h"

/* The struct behind <ambit/settings.h>; for this folder only. */

struct decode;

struct ambit_settings {
	struct settings_values defaults;
	struct settings_values person;
	struct settings_values folder;
	char *person_source[KEYS_N]; /* NULL: not set there */
	char *folder_source[KEYS_N];
	char *home; /* or NULL */
	struct ambit_policy *policy;
};

/* The policy of both sides; *ret_policy is NULL if neither has one. */
int settings_build_policy(const json_t *person, const json_t *folder,
	struct ambit_policy **ret_policy, struct ambit_error *err);

int settings_unknown_key(struct decode *d, const char *name);

#endif

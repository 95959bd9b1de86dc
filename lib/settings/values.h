/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_VALUES_H
#define SETTINGS_VALUES_H

#include "settings/settings-key.h"

/* Nothing set. */
void values_init(struct settings_values *values);
void values_finish(struct settings_values *values);

/* Moves one key's value over into's: lists are added to, the rest is
 * replaced. from keeps nothing of it. -ENOMEM leaves into as it was. */
int values_merge(struct settings_values *into, struct settings_values *from, const struct key *key);

/* The number of a word, flag or count: the person's, or what holds without. */
int values_number(const struct key *key, const struct settings_values *person,
	const struct settings_values *defaults);
/* The same, narrowed by the folder's. */
int values_effective(const struct key *key, const struct settings_values *person,
	const struct settings_values *folder, const struct settings_values *defaults);

/* What holds, as JSON; NULL without memory. */
json_t *values_show(const struct key *key, const struct settings_values *person,
	const struct settings_values *folder, const struct settings_values *defaults);

#endif

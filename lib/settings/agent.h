/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_AGENT_H
#define SETTINGS_AGENT_H

#include "settings/decode.h"

/* The setting "agents": name -> command, env, timeout. Its lists are owned by the
 * values they are in. */

#define AGENT_TIMEOUT_MAX (7 * 24 * 3600)
#define AGENT_ENV_PATTERN "^[A-Za-z_][A-Za-z0-9_]*$"
#define AGENT_NAME_PATTERN "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"

int agents_take(struct decode *d, const json_t *value, struct settings_values *values);
/* Those of from stand over those of the same name. -ENOMEM leaves both as they were. */
int agents_merge(struct settings_values *into, struct settings_values *from);
void agents_finish(struct settings_values *values);

/* agent-table.c: all that can be started, as the setting would say it. */
json_t *agents_show(const struct settings_values *person);

/* agent-argv.c: the i-th placeholder without its braces, or NULL. */
const char *agent_placeholder_at(const void *data, size_t i);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REGISTRY_SCHEMA_H
#define TOOLS_REGISTRY_SCHEMA_H

#include <jansson.h>

#include <ambit/error.h>

/* The part of JSON schema that the arguments of tools are described in: type,
 * properties, required, additionalProperties, enum, const, items, minItems, maxItems,
 * minimum, maximum, minLength, maxLength, and words for people. */

/* Whether all of it can be checked, and it is that of an object: -EINVAL with words
 * for a keyword that would be passed over. */
int schema_valid(const json_t *schema, struct ambit_error *err);

/* -EINVAL: err names the argument ("edits[2].old_string"), and what was expected. A
 * NUL in a string fits nowhere: half of what reads it would stop there. */
int schema_check(const json_t *schema, const json_t *value, struct ambit_error *err);

#endif

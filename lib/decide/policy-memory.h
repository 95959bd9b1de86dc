/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_POLICY_MEMORY_H
#define DECIDE_POLICY_MEMORY_H

#include <stdbool.h>

#include <ambit/policy.h>

#include "base/hash.h"

/* Answers of the policy program that it wants to be remembered, by the exact text of the request
 * that it was asked about. An engine has one: it ends with the session's process. Like the
 * program itself, it can only narrow. */

#define POLICY_MEMORY_MAX 1024 /* answers; then the oldest is forgotten */

struct policy_memory;

/* NULL without memory. */
struct policy_memory *policy_memory_create(void);
/* Accepts NULL. */
void policy_memory_destroy(struct policy_memory *memory);

/* Fills opinion, and returns true, if there is an answer to this request. */
bool policy_memory_find(const struct policy_memory *memory, const char digest[HASH_HEX],
	struct ambit_opinion *ret_opinion);
/* An answer that cannot be kept is asked for again. */
void policy_memory_keep(struct policy_memory *memory, const char digest[HASH_HEX],
	const struct ambit_opinion *opinion);

#endif

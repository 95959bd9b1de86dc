/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of answers. It is searched from end to end: what that costs is nothing beside the start
 * of the program that it saves. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decide/policy-memory.h"

struct answer {
	char digest[HASH_HEX];
	enum ambit_verdict verdict;
	enum ambit_code code;
	char *reason;
};

struct policy_memory {
	size_t n, next;
	struct answer answers[POLICY_MEMORY_MAX];
};

struct policy_memory *
policy_memory_create(void)
{
	return calloc(1, sizeof(struct policy_memory));
}

void
policy_memory_destroy(struct policy_memory *memory)
{
	for (size_t i = 0; memory && i < memory->n; i++)
		free(memory->answers[i].reason);
	free(memory);
}

bool
policy_memory_find(const struct policy_memory *memory, const char digest[HASH_HEX],
	struct ambit_opinion *ret_opinion)
{
	for (size_t i = 0; i < memory->n; i++) {
		const struct answer *answer = &memory->answers[i];

		if (!streq(answer->digest, digest))
			continue;
		ret_opinion->verdict = answer->verdict;
		ret_opinion->code = answer->code;
		snprintf(ret_opinion->reason, sizeof(ret_opinion->reason), "%s", answer->reason);
		return true;
	}
	return false;
}

void
policy_memory_keep(struct policy_memory *memory, const char digest[HASH_HEX],
	const struct ambit_opinion *opinion)
{
	struct answer *answer = &memory->answers[memory->next];
	char *reason = strdup(opinion->reason);

	if (!reason)
		return;
	free(answer->reason);
	answer->verdict = opinion->verdict;
	answer->code = opinion->code;
	answer->reason = reason;
	memcpy(answer->digest, digest, HASH_HEX);
	memory->next = (memory->next + 1) % POLICY_MEMORY_MAX;
	if (memory->n < POLICY_MEMORY_MAX)
		memory->n++;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A short key never comes from text that a shell could read in two ways, and
 * a long one is the command itself. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "request/arity.h"
#include "request/rulekey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_short(const char *key, const char *command, size_t size)
{
	static const char meta[] = "|&;<>$`(){}[]*?!\\#\n\r";
	const char *first = key + 4;
	size_t skip = 0, n = strcspn(first, " ");
	char head[64];

	for (size_t i = 0; i < size; i++) {
		assert(command[i] != '\0' && !strchr(meta, command[i]));
		assert((unsigned char)command[i] >= ' ' || command[i] == '\t');
	}
	/* The command begins with the very words the key shows. */
	while (skip < size && (command[skip] == ' ' || command[skip] == '\t'))
		skip++;
	assert(n > 0 && n < sizeof(head) && skip + n <= size);
	assert(memcmp(command + skip, first, n) == 0);
	assert(skip + n == size || command[skip + n] == ' ' || command[skip + n] == '\t');
	memcpy(head, first, n);
	head[n] = '\0';
	assert(!arity_runs_others(head));
	for (const char *c = first; *c; c++)
		assert((*c >= ' ' && *c < 0x7f) && *c != '/' && *c != '\'' && *c != '"' &&
			*c != '=');
	assert(!strstr(first, " -") && !strstr(first, "  "));
	/* A place to push to or fetch from is in the key, or there is none. */
	if (strncmp(first, "git push", 8) == 0 || strncmp(first, "git fetch", 9) == 0)
		assert(!memchr(command, ':', size) && !memchr(command, '/', size));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *command = (const char *)data;
	char *key = rulekey_create(command, size);

	assert(key);
	if (strncmp(key, "cmd:", 4) == 0) {
		check_short(key, command, size);
	} else if (strncmp(key, "exact:", 6) == 0) {
		assert(strlen(key) == size + 6);
		assert(size == 0 || memcmp(key + 6, command, size) == 0);
	} else {
		assert(strncmp(key, "nul:", 4) == 0 && memchr(command, '\0', size));
	}
	free(key);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Two configs, parted by a NUL: whatever they are, a change that is called
 * plain leaves every key that is not in the table as it was, and adds no
 * address that is a command. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scope/gitconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
is_plain_section(const char *name)
{
	static const char *const sections[] = { "branch.", "remote.", "submodule.", "user.",
		"core.", "extensions." };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (strncmp(name, sections[i], strlen(sections[i])) == 0)
			return 1;
	return 0;
}

static size_t
count(const struct gitconfig *config, const struct gitconfig_entry *entry)
{
	size_t n = 0;

	for (size_t i = 0; i < config->n; i++)
		n += strcmp(config->entries[i].name, entry->name) == 0 &&
		     !config->entries[i].value == !entry->value &&
		     (!entry->value || strcmp(config->entries[i].value, entry->value) == 0);
	return n;
}

static void
check_plain(const struct gitconfig *old, const struct gitconfig *new)
{
	for (size_t i = 0; i < new->n; i++) {
		const struct gitconfig_entry *entry = &new->entries[i];

		if (count(old, entry) == count(new, entry))
			continue;
		const char *key = strrchr(entry->name, '.') + 1;

		assert(is_plain_section(entry->name));
		assert(!strstr(key, "path") && !strstr(key, "command") && strcmp(key, "vcs") != 0);
		if (count(old, entry) != 0 || !entry->value)
			continue;
		if (strcmp(key, "update") == 0)
			assert(entry->value[0] != '!');
		if (strstr(key, "url") || strstr(key, "remote"))
			assert(!strstr(entry->value, "::") && entry->value[0] != '-');
	}
	for (size_t i = 0; i < old->n; i++)
		if (!is_plain_section(old->entries[i].name))
			assert(count(old, &old->entries[i]) == count(new, &old->entries[i]));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	size_t old_len = nul ? (size_t)(nul - data) : 0;
	const char *text = nul ? (const char *)nul + 1 : (const char *)data;
	size_t len = nul ? size - old_len - 1 : size;
	struct gitconfig old = { 0 }, new = { 0 };
	const char *why = NULL;

	if (size > 4096)
		return 0;
	if (gitconfig_plain_at(NULL, (const char *)data, old_len, text, len, &why)) {
		assert(!why);
		assert(gitconfig_parse((const char *)data, old_len, &old) == 0);
		assert(gitconfig_parse(text, len, &new) == 0);
		check_plain(&old, &new);
	} else {
		assert(why);
	}
	gitconfig_finish(&old);
	gitconfig_finish(&new);
	return 0;
}

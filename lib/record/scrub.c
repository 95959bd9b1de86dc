/* SPDX-License-Identifier: Apache-2.0 */
/* An environment without what looks like a secret: by the name of a variable, or by
 * the shape of its value as the record knows them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ambit/execute.h>
#include <ambit/record.h>

#include "base/glob.h"
#include "base/own.h"
#include "base/str.h"
#include "record/scrub.h"
#include "record/redact/redact.h"

/* Names, without case. Some variables of one service are harmless, but which
 * ones changes with every release: the whole family goes. */
static const char *const secret_names[] = {
	"*TOKEN",
	"*_TOKEN_*",
	"*_TOKENS",
	"*SECRET*",
	"*PASSWORD*",
	"*PASSWD*",
	"*PASSPHRASE*",
	"*_PASS",
	"*SSHPASS",
	"*_PWD", /* MYSQL_PWD; OLDPWD has no such end */
	"*API_KEY*",
	"*APIKEY*",
	"*ACCESS_KEY*",
	"*PRIVATE_KEY*",
	"*_KEY",
	"*CREDENTIAL*",
	"AUTH_*",
	"*_AUTH",
	"*_AUTH_*", /* SSH_AUTH_SOCK: who reaches the agent has the keys */
	"*_COOKIE",
	"*_DSN",
	"*DATABASE_URL",
	"*CONNECTION_STRING",
	"*WEBHOOK*", /* who has the address can post */
	"AWS_*",
	"AZURE_*",
	NULL,
};

static bool
is_secret(const char *entry, size_t name)
{
	const char *value = entry[name] == '=' ? entry + name + 1 : "";

	for (const char *const *pattern = secret_names; *pattern != NULL; pattern++)
		if (glob_match(*pattern, strlen(*pattern), entry, name, true))
			return true;
	auto_free char *clean = redact_secrets(value);

	return clean == NULL || !streq(clean, value);
}

static bool
is_kept(char *const *keep, const char *entry, size_t name)
{
	for (; keep != NULL && *keep != NULL; keep++)
		if (strlen(*keep) == name && memcmp(*keep, entry, name) == 0)
			return true;
	return false;
}

static int
take_entry(char *const *keep, const char *entry, char ***list, char ***removed)
{
	size_t name = strcspn(entry, "=");

	if (is_kept(keep, entry, name) || !is_secret(entry, name))
		return strv_append(list, entry);
	auto_free char *shown = str_escape(entry, name);

	return shown != NULL ? strv_append(removed, shown) : -ENOMEM;
}

char **
scrub_env(char *const *envp, char *const *keep, char ***ret_removed)
{
	/* Lists, not none, if nothing is in them. */
	char **list = calloc(1, sizeof(char *)), **removed = calloc(1, sizeof(char *));
	int r = list != NULL && removed != NULL ? 0 : -ENOMEM;

	for (; r == 0 && envp != NULL && *envp != NULL; envp++)
		r = take_entry(keep, *envp, &list, &removed);
	if (r < 0) {
		strv_free(list);
		strv_free(removed);
		return NULL;
	}
	if (ret_removed != NULL)
		*ret_removed = removed;
	else
		strv_free(removed);
	return list;
}

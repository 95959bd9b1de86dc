/* SPDX-License-Identifier: Apache-2.0 */
/* The command's environment: ambit's own, less what looks like a secret if
 * that was asked for, plus what switches an agent's inner sandbox off. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/glob.h"
#include "base/str.h"

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
	"AWS_*",
	"AZURE_*",
	NULL,
};

/* True if NAME=value is called like a secret, or its value has the shape of
 * one, as the record knows them. */
static bool
is_secret(const char *entry, size_t name)
{
	const char *value = entry[name] == '=' ? entry + name + 1 : "";

	for (const char *const *pattern = secret_names; *pattern != NULL; pattern++)
		if (glob_match(*pattern, strlen(*pattern), entry, name, true))
			return true;
	auto_free char *clean = ambit_redact(value);

	return clean == NULL || !streq(clean, value);
}

static bool
is_kept(const struct args *args, const char *entry, size_t name)
{
	for (size_t i = 0; i < args->n_given; i++) {
		const struct given *given = &args->given[i];

		if (given->opt == OPT_KEEP_ENV && strlen(given->value) == name &&
			memcmp(given->value, entry, name) == 0)
			return true;
	}
	return false;
}

/* NAME=value over an entry of that name, or behind the others. */
static int
set_entry(char ***list, const char *entry)
{
	size_t len = strcspn(entry, "=") + 1;

	for (char **at = *list; at != NULL && *at != NULL; at++)
		if (strncmp(*at, entry, len) == 0) {
			char *copy = str_dup(entry);

			if (copy == NULL)
				return -ENOMEM;
			free(*at);
			*at = copy;
			return 0;
		}
	return strv_append(list, entry);
}

char *const *
run_environ(const struct run *run)
{
	return run->inner != NULL ? ambit_run_inner_envp(run->inner->asked) : environ;
}

const char *
run_env(const struct run *run, const char *name)
{
	size_t len = strlen(name);

	for (char *const *entry = run_environ(run); *entry != NULL; entry++)
		if (strncmp(*entry, name, len) == 0 && (*entry)[len] == '=')
			return *entry + len + 1;
	return NULL;
}

static int
copy_environment(struct run *run, bool scrub, struct buf *left_out)
{
	for (char *const *entry = run_environ(run); *entry != NULL; entry++) {
		size_t name = strcspn(*entry, "=");

		if (scrub && !is_kept(run->args, *entry, name) && is_secret(*entry, name)) {
			auto_free char *shown = str_escape(*entry, name);

			buf_printf(left_out, "%s%s", left_out->len > 0 ? ", " : "",
				shown != NULL ? shown : "?");
		} else if (strv_append(&run->envp, *entry) < 0) {
			return -ENOMEM;
		}
	}
	/* An empty list, not none, if nothing is left. */
	return run->envp == NULL && (run->envp = calloc(1, sizeof(char *))) == NULL ? -ENOMEM : 0;
}

static int
set_all(struct run *run, const struct ambit_profile *profile)
{
	int r = 0;

	if (profile == NULL)
		return 0;
	for (const char *const *entry = profile->env; r == 0 && *entry != NULL; entry++)
		r = set_entry(&run->envp, *entry);
	return r;
}

/* What the command's own profile sets, and those that --for names: they may
 * be started from a shell. */
static int
set_profiles(struct run *run, const struct ambit_profile *profile)
{
	int r = set_all(run, profile);

	for (size_t i = 0; i < run->args->n_given; i++) {
		const char *at = run->args->given[i].value;

		if (run->args->given[i].opt != OPT_FOR)
			continue;
		while (r == 0 && *at != '\0') {
			size_t len = strcspn(at, ",");
			auto_free char *name = strndup(at, len);

			r = name != NULL ? set_all(run, ambit_profile_find(name)) : -ENOMEM;
			at += len + (at[len] == ',');
		}
	}
	return r;
}

int
run_environment(struct run *run, const struct ambit_profile *profile, struct ambit_error *err)
{
	bool scrub = args_get(run->args, OPT_SCRUB_ENV) != NULL;
	auto_buf struct buf left_out = { 0 };

	if (!scrub && profile == NULL && args_get(run->args, OPT_FOR) == NULL)
		return 0;
	if (copy_environment(run, scrub, &left_out) < 0 || set_profiles(run, profile) < 0 ||
		left_out.failed)
		return err_nomem(err);
	if (left_out.len > 0 && !run->quiet)
		fprintf(stderr,
			"ambit: left out of the environment: %s (--keep-env NAME keeps one)\n",
			left_out.data);
	return 0;
}

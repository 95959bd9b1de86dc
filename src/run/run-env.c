/* SPDX-License-Identifier: Apache-2.0 */
/* The command's environment: ambit's own, less what looks like a secret if
 * that was asked for, plus what switches an agent's inner sandbox off. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ambit/execute.h>

#include "run-command.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/own.h"
#include "engine/doors.h"
#include "base/str.h"
#include "line/process/run-doors.h"
#include "record/scrub.h"
#include "scope/profile.h"

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
	char *const *asked = run->inner != NULL ? run_inner_envp(run->inner->asked) : NULL;

	return asked != NULL ? asked : environ;
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
find_kept(const struct args *args, char ***ret_names)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_given; i++)
		if (args->given[i].opt == OPT_KEEP_ENV)
			r = strv_append(ret_names, args->given[i].value);
	return r;
}

static int
scrub_environment(struct run *run, struct buf *left_out)
{
	char **keep = NULL, **removed = NULL;
	int r = find_kept(run->args, &keep);

	if (r == 0)
		run->envp = scrub_env(run_environ(run), keep, &removed);
	strv_free(keep);
	for (char **name = removed; name != NULL && *name != NULL; name++)
		buf_printf(left_out, "%s%s", left_out->len > 0 ? ", " : "", *name);
	strv_free(removed);
	return run->envp != NULL ? 0 : -ENOMEM;
}

static int
copy_environment(struct run *run)
{
	run->envp = calloc(1, sizeof(char *));
	for (char *const *entry = run_environ(run); *entry != NULL; entry++)
		if (run->envp == NULL || strv_append(&run->envp, *entry) < 0)
			return -ENOMEM;
	return run->envp != NULL ? 0 : -ENOMEM;
}

static int
set_added(struct run *run, const struct profile_added *added)
{
	int r = 0;

	for (size_t i = added->n_args; r == 0 && added->list != NULL && added->list[i] != NULL; i++)
		r = set_entry(&run->envp, added->list[i]);
	return r;
}

int
run_tell_added(const struct run *run, const char *name, const struct profile_added *added,
	size_t first, struct ambit_error *err)
{
	for (char **said = added->said; said != NULL && *said != NULL; said++)
		if (!run->quiet)
			fprintf(stderr, "ambit: %s\n", *said);
	if (added->list == NULL || added->list[first] == NULL)
		return 0;
	return engine_profile_adds(
		run->world.engine, name, (const char *const *)added->list + first, err);
}

/* Arguments are added to the command's own program alone. */
static int
set_named_profile(struct run *run, const char *name, struct ambit_error *err)
{
	const struct profile *profile = profile_find(name);
	struct profile_added added = { 0 };
	int r = 0;

	if (profile != NULL && profile != run->profile)
		r = profile_added_find(profile, NULL, 0, run_environ(run), &added);
	if (r == 0)
		r = set_added(run, &added);
	if (r < 0)
		err_nomem(err);
	else
		r = run_tell_added(run, name, &added, added.n_args, err);
	profile_added_finish(&added);
	return r;
}

/* What the command's own profile sets, and those that --for names: they may
 * be started from a shell. */
static int
set_profiles(struct run *run, struct ambit_error *err)
{
	int r = set_added(run, &run->added) < 0 ? err_nomem(err) : 0;

	for (size_t i = 0; r == 0 && i < run->args->n_given; i++) {
		const char *at = run->args->given[i].value;

		if (run->args->given[i].opt != OPT_FOR)
			continue;
		while (r == 0 && *at != '\0') {
			size_t len = strcspn(at, ",");
			auto_free char *name = strndup(at, len);

			r = name != NULL ? set_named_profile(run, name, err) : err_nomem(err);
			at += len + (at[len] == ',');
		}
	}
	return r;
}

int
run_environment(struct run *run, struct ambit_error *err)
{
	bool scrub = args_get(run->args, OPT_SCRUB_ENV) != NULL;
	auto_buf struct buf left_out = { 0 };

	if (!scrub && run->profile == NULL && args_get(run->args, OPT_FOR) == NULL)
		return 0;
	if ((scrub ? scrub_environment(run, &left_out) : copy_environment(run)) < 0 ||
		left_out.failed)
		return err_nomem(err);
	if (left_out.len > 0 && !run->quiet)
		fprintf(stderr,
			"ambit: left out of the environment: %s (--keep-env NAME keeps one)\n",
			left_out.data);
	return set_profiles(run, err);
}

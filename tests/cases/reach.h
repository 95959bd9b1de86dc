/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CASES_REACH_H
#define CASES_REACH_H

/* What the cases have reached of every table, and what is still missing. Only
 * lines that passed count: a row that was hit by a wrong decision is not
 * tested. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <ambit/outcome.h>
#include <ambit/tool.h>
#include <ambit/words.h>

#include "base/fd.h"
#include "base/str.h"
#include "request/host.h"
#include "request/request-private.h"
#include "scope/guard.h"
#include "scope/history.h"
#include "scope/profile.h"
#include "settings/settings-key.h"

struct reach {
	char **seen; /* "kind name" */
	bool failed;
};

static bool
reach_has(const struct reach *reach, const char *entry)
{
	for (char **seen = reach->seen; seen && *seen; seen++)
		if (streq(*seen, entry))
			return true;
	return false;
}

static void
reach_add(struct reach *reach, const char *kind, const char *name)
{
	auto_free char *entry = str_printf("%s %s", kind, name);

	if (!entry || (!reach_has(reach, entry) && strv_append(&reach->seen, entry) < 0))
		reach->failed = true;
}

/* A directory of this machine that this user cannot look into, as that of the crontabs. */
static bool
is_shut(const char *dir)
{
	return faccessat(AT_FDCWD, dir, X_OK, AT_EACCESS) < 0 && errno == EACCES;
}

/* Whether a guard lies where this user comes to no decision about it. */
static bool
is_guard_shut(const char *pattern)
{
	auto_free char *dir = strdup(pattern);
	char *stars = dir ? strstr(dir, "/**") : NULL;

	if (stars)
		*stars = '\0';
	return dir && dir[0] == '/' && is_shut(dir);
}

/* The pattern in "X is guarded (PATTERN): why", or behind another mark. */
static void
reach_pattern(struct reach *reach, const char *kind, const char *mark, const char *reason)
{
	const char *at = strstr(reason, mark), *end;

	if (!at || !(end = strstr(at, "): ")))
		return;
	at += strlen(mark);
	auto_free char *pattern = strndup(at, (size_t)(end - at));

	reach_add(reach, kind, pattern ? pattern : "?");
}

static void
reach_profile(struct reach *reach, const char *name, const char *home,
	const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	const struct profile *profile = profile_find(name);

	for (size_t i = 0; profile && request->host && profile->hosts[i]; i++)
		if (host_match(profile->hosts[i], request->host, request->port))
			reach_add(reach, "profile host", name);
	for (size_t i = 0; profile && profile->folders[i]; i++) {
		auto_free char *folder = str_printf("%s%s", home, profile->folders[i] + 1);

		for (size_t p = 0; folder && p < outcome->n_paths; p++)
			if (str_beneath(outcome->paths[p].path, folder))
				reach_add(reach, "profile folder", name);
	}
}

static void
reach_patch(struct reach *reach, const struct ambit_request *request)
{
	const char *key;
	json_t *value;

	if (!request->tool || !streq(request->tool->name, "apply_patch") || !request->args)
		return;
	json_object_foreach (request->args, key, value) {
		const char *text = json_string_value(value);

		if (text && strstr(text, "*** Begin Patch"))
			reach_add(reach, "patch dialect", "begin");
		else if (text && strstr(text, "\n+++ "))
			reach_add(reach, "patch dialect", "unified");
	}
}

static void
reach_settings(struct reach *reach, const char *kind, const char *text)
{
	json_t *value, *root = text ? json_loads(text, 0, NULL) : NULL;
	const char *name;

	json_object_foreach (root, name, value) {
		const struct key *key = key_find(name);

		if (!key)
			continue;
		reach_add(reach, kind, name);
		if (key->type == KEY_WORD && json_is_string(value))
			reach_add(reach, name, json_string_value(value));
	}
	json_decref(root);
}

static void
reach_decision(struct reach *reach, const struct ambit_request *request,
	const struct ambit_outcome *outcome)
{
	reach_add(reach, "verdict", ambit_word_name(ambit_verdicts, (int)outcome->verdict));
	reach_add(reach, "code", ambit_word_name(ambit_codes, (int)outcome->code));
	reach_add(reach, "danger", ambit_word_name(ambit_dangers, (int)outcome->danger));
	if (outcome->layer)
		reach_add(reach, "layer", outcome->layer);
	if (request->tool)
		reach_add(reach, "tool", request->name);
	for (size_t i = 0; i < outcome->n_paths; i++)
		reach_add(reach, "access",
			ambit_word_name(ambit_accesses, (int)outcome->paths[i].access));
	for (unsigned i = 0; i < AMBIT_EFFECTS_N; i++)
		if (request->effects & (1u << i))
			reach_add(reach, "effect", ambit_word_name(ambit_effects, 1 << i));
	for (size_t i = 0; i < outcome->n_says; i++) {
		reach_pattern(reach, "guard", " is guarded (", outcome->says[i].reason);
		reach_pattern(
			reach, "history", " keeps its history there (", outcome->says[i].reason);
	}
	reach_patch(reach, request);
}

/* -- what is missing --------------------------------------------------------- */

static int
reach_want(const struct reach *reach, const char *kind, const char *name)
{
	auto_free char *entry = str_printf("%s %s", kind, name);

	if (entry && reach_has(reach, entry))
		return 0;
	printf("no case reaches the %s '%s'\n", kind, name);
	return 1;
}

static int
reach_want_words(const struct reach *reach, const char *kind, const struct ambit_word *words)
{
	int missing = 0;

	for (; words->name; words++)
		if (words->name[0])
			missing += reach_want(reach, kind, words->name);
	return missing;
}

static int
reach_want_tools(const struct reach *reach)
{
	const struct tool *tool;
	int missing = 0;

	for (size_t i = 0; (tool = tool_at(i)); i++) {
		missing += reach_want(reach, "tool", tool->name);
		for (const char *const *alias = tool->aliases; alias && *alias; alias++)
			missing += reach_want(reach, "tool", *alias);
	}
	return missing;
}

static int
reach_want_profiles(const struct reach *reach)
{
	const struct profile *profile;
	int missing = 0;

	for (size_t i = 0; (profile = profile_at(i)); i++) {
		if (profile->folders[0])
			missing += reach_want(reach, "profile folder", profile->name);
		if (profile->hosts[0])
			missing += reach_want(reach, "profile host", profile->name);
	}
	return missing;
}

/* How many rows no case reached; each is printed. */
static int
reach_missing(const struct reach *reach)
{
	static const char *const layers[] = { "request", "modes", "permission", "paths", "hosts",
		"effects", "policy", "memory", "histories", "terminals", "engine" };
	static const struct {
		const char *kind;
		const struct ambit_word *words;
	} tables[] = {
		{ "verdict", ambit_verdicts },
		{ "danger", ambit_dangers },
		{ "effect", ambit_effects },
		{ "access", ambit_accesses },
		{ "rule of", ambit_ops },
		{ "agent_mode", ambit_agent_modes },
		{ "sandbox_mode", ambit_sandbox_modes },
		{ "ask_mode", ambit_ask_modes },
		{ "reads", ambit_reads_words },
		{ "net", ambit_nets },
	};
	/* The design's list: a code that fell out of the table is missing too. */
	static const char *const codes[] = { "OutOfScope", "BashNotAllowed", "Denied", "PlanMode",
		"ReadOnly", "Unresolvable", "SymlinkEscape", "Protected", "Guarded", "GuardedRead",
		"Outside", "HostNotAllowed", "UnknownTool", "BadArguments", "Timeout",
		"LoopDetected", "Internal" };
	int missing = reach->failed;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		missing += reach_want(reach, "code", codes[i]);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		missing += reach_want_words(reach, tables[i].kind, tables[i].words);
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		missing += reach_want(reach, "layer", layers[i]);
	for (const struct guard *guard = guard_table; guard->pattern; guard++)
		if (!is_guard_shut(guard->pattern))
			missing += reach_want(reach, "guard", guard->pattern);
	for (const struct history *history = history_table; history->pattern; history++)
		missing += reach_want(reach, "history", history->pattern);
	for (size_t i = 0; key_at(i); i++) {
		missing += reach_want(reach, "accepted setting", key_at(i)->name);
		missing += reach_want(reach, "refused setting", key_at(i)->name);
	}
	missing += reach_want(reach, "patch dialect", "begin");
	missing += reach_want(reach, "patch dialect", "unified");
	return missing + reach_want_tools(reach) + reach_want_profiles(reach);
}

#endif

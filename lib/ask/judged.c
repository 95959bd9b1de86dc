/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome that is ask into what a judge may see of it, or into nothing: then a
 * person must be asked. The object is put together from names in this file, so that
 * an argument that somebody adds to a tool is not sent by that: never what is written
 * into a file. Anything not listed here goes to the person. */

#include <stdlib.h>

#include "ask/judged.h"
#include "base/own.h"
#include "base/str.h"
#include "request/request-private.h"

#define PATHS_MAX 16 /* more than a judge looks at one by one */

/* -- may it be judged ---------------------------------------------------------- */

/* Every ask among what the layers said must be one that they left open to a judge:
 * one word of a guard, a host, a policy or a person's own choice is enough. */
static bool
all_open(const struct ambit_outcome *outcome)
{
	size_t asks = 0;

	for (size_t i = 0; i < outcome->n_says; i++) {
		const struct ambit_say *say = &outcome->says[i];

		if (say->verdict == AMBIT_DENY || (say->verdict == AMBIT_ASK && !say->judge))
			return false;
		asks += say->verdict == AMBIT_ASK;
	}
	return asks > 0;
}

/* Past the guards there is more that runs later, or is believed: what programs read at their
 * start is hidden, and the system's is nobody's log. He is asked about ordinary files. */
static bool
is_ordinary(const char *path)
{
	static const char *const system[] = { "/etc", "/usr", "/bin", "/sbin", "/boot", "/opt",
		"/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sys", "/dev", "/run", "/var/lib",
		"/var/spool", "/var/run", NULL };
	static const char *const names[] = { "bin", "sbin", "libexec", "site-packages",
		"dist-packages", "node_modules", "hooks", "autostart", "LaunchAgents",
		"LaunchDaemons", NULL };

	for (const char *const *dir = system; *dir; dir++)
		if (str_beneath(path, *dir))
			return false;
	for (const char *at = path; *at == '/'; at += strcspn(at + 1, "/") + 1) {
		size_t len = strcspn(at + 1, "/");

		if (at[1] == '.')
			return false;
		for (const char *const *name = names; *name; name++)
			if (strlen(*name) == len && str_fold_equal(at + 1, *name, len))
				return false;
	}
	return true;
}

/* Also those that are answered: a call is judged as a whole. What changes more than what
 * a file holds, or a name, he would be told as a write: a mode that makes it run as its
 * owner, a link to elsewhere. */
static bool
paths_plain(const struct ambit_outcome *outcome)
{
	if (outcome->n_paths > PATHS_MAX)
		return false;
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (!outcome->paths[i].does ||
			(outcome->paths[i].code == AMBIT_CODE_OUTSIDE &&
				!is_ordinary(outcome->paths[i].path)) ||
			(outcome->paths[i].code != AMBIT_CODE_NONE &&
				outcome->paths[i].code != AMBIT_CODE_OUTSIDE))
			return false;
	return true;
}

/* Files, and nothing but files: whoever runs a command, starts a sub-agent or changes what
 * is no file is a person's to allow, whatever the layers said. Where nothing holds a command
 * a yes to it is a yes to everything. */
static bool
is_about_files(const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	const unsigned files = AMBIT_READ | AMBIT_WRITE;

	return request->tool && !request->tool->shell && !request->tool->agent &&
	       !request->command && request->effects != 0 && !(request->effects & ~files) &&
	       outcome->n_paths > 0;
}

static bool
may_be_judged(const struct decide_input *in, const struct ambit_outcome *outcome)
{
	const struct ambit_request *request = in->request;

	/* Of a sub-agent even the folder may be a model's word. */
	return outcome->verdict == AMBIT_ASK && request->bad == AMBIT_CODE_NONE &&
	       is_about_files(request, outcome) && !in->apart && !request->host && !outcome->host &&
	       !in->scope->enforce_write && !request_scope_is_set(&request->scope) &&
	       all_open(outcome) && paths_plain(outcome);
}

/* -- what is shown --------------------------------------------------------------- */

static json_t *
effects_json(unsigned effects)
{
	json_t *list = json_array();

	for (unsigned i = 0; list && i < AMBIT_EFFECTS_N; i++)
		if (effects & (1u << i))
			json_array_append_new(
				list, json_string(ambit_word_name(ambit_effects, 1 << i)));
	return list;
}

static json_t *
paths_json(const struct ambit_outcome *outcome)
{
	auto_json json_t *list = json_array();

	for (size_t i = 0; i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];
		json_t *one = json_pack("{s:s, s:b}", "access", path->does, "outside",
			path->code == AMBIT_CODE_OUTSIDE);

		/* The real one: what it is called decides nothing. */
		if (!one || json_set_text(one, "path", path->path) < 0 ||
			json_array_append_new(list, one) < 0)
			return NULL;
	}
	return steal_ptr(&list);
}

static int
set_text(json_t *object, const char *key, const char *text)
{
	return text ? json_set_text(object, key, text) : 0;
}

/* Without the process' number: the same question of the next one is the same. Nor by the
 * name that the process has given itself: what it runs, and for judge.c alone which file
 * that is, since in the folder another may get its name. */
static int
set_who(json_t *object, const struct ambit_request *request)
{
	auto_free char *id = NULL;
	int r = set_text(object, "agent", request->agent);

	if (r < 0 || !request->exe)
		return r;
	id = str_printf("%llx:%llx", (unsigned long long)request->exe_dev,
		(unsigned long long)request->exe_ino);
	if (!id || json_set_text(object, JUDGED_PROGRAM_ID, id) < 0)
		return -ENOMEM;
	return json_set_text(object, "program", request->exe);
}

static int
fill_judged_object(
	json_t *object, const struct decide_input *in, const struct ambit_outcome *outcome)
{
	const struct ambit_request *request = in->request;
	const char *code = outcome->code == AMBIT_CODE_NONE
				   ? NULL
				   : ambit_word_name(ambit_codes, (int)outcome->code);

	if (set_text(object, "tool", request_tool(request)) < 0 ||
		set_text(object, "code", code) < 0 ||
		set_text(object, "reason", outcome->reason) < 0 ||
		set_text(object, "danger", ambit_word_name(ambit_dangers, (int)outcome->danger)) <
			0 ||
		set_text(object, "folder", in->scope->root.real) < 0 ||
		set_text(object, "display_root", in->scope->display.real) < 0 ||
		set_who(object, request) < 0)
		return -ENOMEM;
	if (json_object_set_new(object, "paths", paths_json(outcome)) < 0 ||
		json_object_set_new(object, "effects", effects_json(request->effects)) < 0)
		return -ENOMEM;
	return 0;
}

int
judged_text(const struct decide_input *in, const struct ambit_outcome *outcome, char **ret_text)
{
	auto_json json_t *object = NULL;

	*ret_text = NULL;
	if (!may_be_judged(in, outcome))
		return 0;
	object = json_object();
	if (!object || fill_judged_object(object, in, outcome) < 0)
		return -ENOMEM;
	*ret_text = json_line(object);
	return *ret_text ? 0 : -ENOMEM;
}

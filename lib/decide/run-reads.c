/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of a command in a run. The kernel answers them by the floor, which is made when the command
 * starts: nobody is asked, and nothing is recorded. So this layer says all that there is to say
 * about such a read, and no later layer speaks. A setting that the floor cannot hold keeps a run
 * from starting. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "scope/system-places.h"

/* -- what no floor holds -------------------------------------------------------------- */

#define NOT_HELD                                                                                   \
	"and ambit run cannot hold that: the kernel answers a command's reads. Take it away "      \
	"(ambit mcp, serve and decide hold it); --reads folder and --guard-reads limit what a "    \
	"command reads"

static bool
is_narrow(int permission)
{
	return permission >= 0 && permission != AMBIT_PERMISSION_ALLOW;
}

static bool
find_permission_fault(const struct decide_input *in, char *text, size_t size)
{
	struct decide_input as = *in;
	struct ambit_request read;
	const char *from;
	int said, folder;

	request_begin_at(&read, "read");
	as.request = &read;
	said = permission_said(&as, &from);
	folder = permission_folder(&as);
	if (is_narrow(said) && streq(from, "session"))
		snprintf(text, size,
			"the tool read is set to %s in session %s ('ambit perm read default "
			"--session %s' takes it back), " NOT_HELD,
			ambit_word_name(ambit_permissions, said), in->session->name,
			in->session->name);
	else if (is_narrow(said))
		snprintf(text, size, "permissions sets read to %s (%s), " NOT_HELD,
			ambit_word_name(ambit_permissions, said),
			settings_source(in->settings, false, "permissions"));
	else if (is_narrow(folder))
		snprintf(text, size, "permissions sets read to %s (%s), " NOT_HELD,
			ambit_word_name(ambit_permissions, folder),
			settings_source(in->settings, true, "permissions"));
	else
		return false;
	return true;
}

static bool
find_effect_fault(const struct decide_input *in, bool folder, char *text, size_t size)
{
	const struct settings_values *values =
		folder ? settings_folder(in->settings) : settings_person(in->settings);
	int said = values->by_side_effect[__builtin_ctz(AMBIT_READ)];

	if (!is_narrow(said))
		return false;
	snprintf(text, size, "by_side_effect sets read to %s (%s), " NOT_HELD,
		ambit_word_name(ambit_permissions, said),
		settings_source(in->settings, folder, "by_side_effect"));
	return true;
}

static int
said_reads(const struct decide_input *in)
{
	return decision_mode(in->session->reads, settings_person(in->settings)->reads,
		settings_folder(in->settings)->reads, AMBIT_READS_ANYWHERE);
}

static bool
find_mode_fault(const struct decide_input *in, char *text, size_t size)
{
	bool folder = settings_folder(in->settings)->reads == AMBIT_READS_UNTIL_FIRST_WRITE;
	const char *source = in->session->reads == AMBIT_READS_UNTIL_FIRST_WRITE
				     ? "ambit mode"
				     : settings_source(in->settings, folder, "reads");

	if (said_reads(in) != AMBIT_READS_UNTIL_FIRST_WRITE)
		return false;
	snprintf(text, size,
		"reads is until-first-write (%s), and ambit run cannot hold that: a command keeps "
		"what it may read when it starts. Say --reads folder, or --reads anywhere where "
		"that is allowed",
		source);
	return true;
}

/* The kernel leaves a file out by opening all that is beside it when the command starts. Where the
 * command itself makes files, the command could not read those. */
static bool
find_rule_fault(const struct decide_input *in, char *text, size_t size)
{
	for (size_t i = 0; in->run == RUN_READS_FREE && i < in->n_rules; i++) {
		const struct ambit_rule *rule = &in->rules[i];
		auto_free char *shown = NULL;

		if (!run_reads_has_no(in, rule) ||
			!(rule->names || paths_is_open_beside(in, rule->subject)))
			continue;
		shown = ambit_rule_text(rule);
		snprintf(text, size,
			"rule %lld (%s) closes a place where the command writes; to hold it, "
			"ambit run must also close what is made beside it later. --guard-reads "
			"does that, 'ambit rules revoke %lld' takes the rule back",
			(long long)rule->id, shown ? shown : "?", (long long)rule->id);
		return true;
	}
	return false;
}

bool
run_reads_find_fault(const struct decide_input *in, bool for_call, char *text, size_t size)
{
	/* A door's session is narrow by then: a command counts as its first write. */
	return find_permission_fault(in, text, size) || find_effect_fault(in, false, text, size) ||
	       find_effect_fault(in, true, text, size) ||
	       (!for_call && find_mode_fault(in, text, size)) || find_rule_fault(in, text, size);
}

/* -- what the floor holds --------------------------------------------------------------- */

bool
run_reads_has_no(const struct decide_input *in, const struct ambit_rule *rule)
{
	return !rule->yes && rule->op == AMBIT_OP_READ && rule->pid == 0 &&
	       memory_in_force(in, rule) &&
	       memory_find(in, AMBIT_OP_READ, rule->subject, false) == rule;
}

bool
run_reads_are_limited(const struct decide_input *in)
{
	return said_reads(in) != AMBIT_READS_ANYWHERE;
}

static void
say_open(struct decision *d, struct ambit_outcome_path *path, const char *why)
{
	path->verdict = AMBIT_ALLOW;
	path->code = AMBIT_CODE_NONE;
	decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, true, "%s", why);
}

static void
say_closed(struct decision *d, struct ambit_outcome_path *path, enum ambit_code code,
	const struct ambit_rule *rule, const char *why)
{
	path->verdict = AMBIT_DENY;
	path->code = code;
	d->no = rule;
	decision_say(d, AMBIT_DENY, code, true, "%s: %s", path->shown, why);
	free(d->out->hint);
	d->out->hint = strdup("The kernel refuses it: nobody is asked, and nothing is recorded. "
			      "What is changed holds from the next start.");
	if (!d->out->hint)
		d->failed = -ENOMEM;
}

/* A person's no also closes what is not guarded. */
static void
decide_read(struct decision *d, struct ambit_outcome_path *path, const struct path_facts *object)
{
	const struct decide_input *in = d->in;
	const struct ambit_rule *rule;
	const struct guard *guard;
	auto_free char *why = NULL;
	bool hard;

	paths_decide_one(in, object, object->access, path, &hard, &guard);
	rule = memory_find(in, AMBIT_OP_READ, object->real, guard != NULL);
	if (path->code == AMBIT_CODE_PROTECTED && run_reads_are_limited(in) &&
		!scope_holds(in->scope, object->real))
		return say_closed(d, path, path->code, NULL, "it is ambit's own");
	if (path->code == AMBIT_CODE_OUT_OF_SCOPE && !system_places_hold(object->real))
		return say_closed(d, path, path->code, NULL,
			"it is outside the folder, and reads are limited to that");
	if (rule && !rule->yes) {
		auto_free char *text = ambit_rule_text(rule);

		if (S_ISDIR(object->mode))
			return say_open(d, path,
				"its names can be listed; what the files in it hold is closed");
		why = str_printf(
			"a person said no (rule %lld: %s)", (long long)rule->id, text ? text : "?");
		return say_closed(d, path, AMBIT_CODE_DENIED, rule, why ? why : "a person said no");
	}
	if (in->run == RUN_READS_GUARDED && !S_ISDIR(object->mode)) {
		if (path->code == AMBIT_CODE_PROTECTED)
			return say_closed(d, path, path->code, NULL, "it is ambit's own");
		if (path->code == AMBIT_CODE_GUARDED_READ && !rule)
			return say_closed(
				d, path, path->code, NULL, guard ? guard->text : "it is guarded");
	}
	say_open(d, path, "a command reads it without a question, and without a record");
}

/* `ambit why`, and an open that the gate does in the place of a floor that was narrowed. */
static bool
is_about_run(const struct decide_input *in)
{
	const struct ambit_request *request = in->request;

	for (size_t i = 0; i < request->n_paths; i++)
		if (!request->paths[i].object || access_writes(request->paths[i].access))
			return false;
	return in->run != RUN_NONE && request->n_paths > 0;
}

void
run_reads_decide(struct decision *d)
{
	const struct ambit_request *request = d->in->request;

	if (!is_about_run(d->in))
		return;
	/* The floor answers all but a few of these, so they have time for a whole decision. */
	if (d->silent)
		decision_narrow(d, AMBIT_ASK, AMBIT_CODE_NONE, false);
	for (size_t i = 0; !d->silent && i < request->n_paths && !d->ended && !d->failed; i++) {
		struct ambit_outcome_path *path = paths_add_object(d, &request->paths[i]);

		if (path)
			decide_read(d, path, request->paths[i].object);
	}
	d->ended = true;
}

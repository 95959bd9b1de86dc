/* SPDX-License-Identifier: Apache-2.0 */
/* What was answered before. A remembered yes turns an ask into an allow only
 * if it covers everything that was in question; one remembered no is a no. A
 * rule for a folder never reaches a guard beneath it. */

#include "base/fd.h"
#include "base/str.h"
#include "decide/decide.h"
#include "request/host.h"

bool
memory_covers(const struct decide_input *in, const char *subject, bool beneath, const char *real,
	bool guarded, bool reads)
{
	if (streq(subject, real))
		return true;
	if (!beneath || !str_beneath(real, subject))
		return false;
	return !guarded || guards_is(in->guards, subject, reads);
}

static bool
in_force(const struct decide_input *in, const struct ambit_rule *rule)
{
	const struct ambit_request *request = in->request;

	if (rule->revoked || (rule->expires != 0 && rule->expires <= in->now))
		return false;
	return rule->pid == 0 || (rule->pid == request->pid && rule->start == request->start);
}

static bool
rule_covers(const struct decide_input *in, const struct ambit_rule *rule, enum ambit_op op,
	const char *subject, bool guarded)
{
	if (rule->op != op || !in_force(in, rule))
		return false;
	if (op == AMBIT_OP_CONNECT)
		return host_match(rule->subject, in->request->host, in->request->port);
	if (op == AMBIT_OP_CALL)
		return streq(rule->subject, subject);
	/* A no is about everything beneath, guards included. */
	return memory_covers(in, rule->subject, rule->beneath, subject, guarded && rule->yes,
		op == AMBIT_OP_READ);
}

/* The most specific rule counts; among equals the newest. "No to this file"
 * stands inside "yes to this folder", and the other way round. */
const struct ambit_rule *
memory_find(const struct decide_input *in, enum ambit_op op, const char *subject, bool guarded)
{
	const struct ambit_rule *best = NULL;

	for (size_t i = 0; i < in->n_rules; i++) {
		const struct ambit_rule *rule = &in->rules[i];

		if (!rule_covers(in, rule, op, subject, guarded))
			continue;
		if (!best || strlen(rule->subject) > strlen(best->subject) ||
			(strlen(rule->subject) == strlen(best->subject) && rule->id >= best->id))
			best = rule;
	}
	return best;
}

static void
say_no(struct decision *d, const struct ambit_rule *rule)
{
	auto_free char *text = ambit_rule_text(rule);
	const char *said = rule->message && *rule->message ? rule->message : NULL;

	if (!text)
		d->failed = -ENOMEM;
	else
		decision_say(d, AMBIT_DENY, AMBIT_CODE_DENIED, false, "a person said no (rule %lld: %s)%s%s",
			(long long)rule->id, text, said ? ": " : "", said ? said : "");
}

/* True if rule (or none) leaves the question open; says no if it is a no. */
static bool
open_after(struct decision *d, const struct ambit_rule *rule)
{
	if (rule && !rule->yes)
		say_no(d, rule);
	return !rule || !rule->yes;
}

void
memory_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	struct ambit_outcome *out = d->out;
	bool open = false;

	if (out->verdict != AMBIT_ASK)
		return;
	for (size_t i = 0; i < out->n_paths && out->verdict == AMBIT_ASK; i++) {
		struct ambit_outcome_path *path = &out->paths[i];
		bool guarded = path->code == AMBIT_CODE_GUARDED || path->code == AMBIT_CODE_GUARDED_READ;

		if (path->verdict != AMBIT_ASK)
			continue;
		path->remembered = !open_after(d, memory_find(in,
			access_writes(path->access) ? AMBIT_OP_WRITE : AMBIT_OP_READ, path->path,
			guarded));
		open |= !path->remembered;
	}
	if (d->host_asked && out->verdict == AMBIT_ASK)
		open |= open_after(d, memory_find(in, AMBIT_OP_CONNECT, out->host, false));
	if (out->call && out->verdict == AMBIT_ASK) {
		auto_free char *key = request_call_key(in->request);

		if (!key) {
			d->failed = -ENOMEM;
			return;
		}
		open |= open_after(d, memory_find(in, AMBIT_OP_CALL, key, false));
	}
	if (open || d->failed || out->verdict != AMBIT_ASK)
		return;
	out->verdict = AMBIT_ALLOW;
	out->code = AMBIT_CODE_NONE;
	out->layer = d->layer;
	decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "a person said yes before");
}

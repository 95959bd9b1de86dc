/* SPDX-License-Identifier: Apache-2.0 */
/* What was answered before. A remembered yes turns an ask into an allow only
 * if it covers everything that was in question. A remembered no is a no, also
 * where no mode would have asked. A yes for a folder never reaches a guard
 * beneath it. */

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "decide/once.h"
#include "decide/temporary.h"
#include "request/host.h"

bool
memory_covers(const struct decide_input *in, const char *subject, enum reach reach,
	const char *real, bool guarded, bool reads)
{
	if (streq(subject, real))
		return !guarded || reach == REACH_THIS ||
		       guards_is(in->guards, subject, reads, false);
	if (reach != REACH_THIS && str_beneath(real, subject))
		return !guarded || guards_is(in->guards, subject, reads, true);
	return reach == REACH_NAMES && !guarded && str_prefix(real, subject);
}

static enum reach
find_reach(const struct ambit_rule *rule)
{
	if (rule->names)
		return REACH_NAMES;
	/* A no is about everything beneath, guards included. */
	return rule->beneath || !rule->yes ? REACH_BENEATH : REACH_THIS;
}

bool
memory_in_force(const struct decide_input *in, const struct ambit_rule *rule)
{
	const struct ambit_request *request = in->request;

	if (rule->revoked || (rule->expires != 0 && rule->expires <= in->now))
		return false;
	return rule->pid == 0 || (rule->pid == request->pid && rule->start == request->start);
}

/* A no is for this very port; the address may be looked up all the same. */
static bool
rule_covers_host(const struct ambit_rule *rule, const struct ambit_request *request)
{
	if (!rule->yes)
		return host_match_no(rule->subject, request->host, request->port);
	return host_match(rule->subject, request->host,
		       request->lookup ? HOST_PORT_ANY : request->port) &&
	       !(strchr(rule->subject, '*') && host_is_long(request->host));
}

static bool
rule_covers(const struct decide_input *in, const struct ambit_rule *rule, enum ambit_op op,
	const char *subject, bool guarded)
{
	if (rule->op != op || !memory_in_force(in, rule))
		return false;
	if (op == AMBIT_OP_CONNECT)
		return rule_covers_host(rule, in->request);
	if (op == AMBIT_OP_CALL)
		return streq(rule->subject, subject);
	return memory_covers(in, rule->subject, find_reach(rule), subject, guarded && rule->yes,
		op == AMBIT_OP_READ);
}

#define NAMED 4096
#define LOOPBACK 3 /* less than any other address of 127.0.0.0/8, which a no covers as well */

/* However long its name is. */
static size_t
measure_loopback(const char *subject)
{
	auto_free char *host = NULL;
	int port;

	if (host_parse(subject, &host, &port) < 0 || !host_is_loopback(host))
		return 0;
	return NAMED + LOOPBACK + (port != 0);
}

/* A host or path that is named says more than a pattern or a folder. */
static size_t
measure_specificity(const struct ambit_rule *rule)
{
	size_t n = strlen(rule->subject), loopback = 0;
	bool named = host_is_unix(rule->subject) ? host_unix_check(rule->subject, false) == 0
						 : !strpbrk(rule->subject, "*/");

	if (rule->op == AMBIT_OP_CONNECT && named) {
		loopback = measure_loopback(rule->subject);
		n += NAMED;
	}
	return loopback ? loopback : n;
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
		if (!best || measure_specificity(rule) > measure_specificity(best) ||
			(measure_specificity(rule) == measure_specificity(best) &&
				rule->id >= best->id))
			best = rule;
	}
	return best;
}

static void
say_no(struct decision *d, const struct ambit_rule *rule)
{
	auto_free char *text = d->silent ? NULL : ambit_rule_text(rule);
	const char *said = rule->message && *rule->message ? rule->message : NULL;

	d->no = rule;
	if (d->silent)
		decision_narrow(d, AMBIT_DENY, AMBIT_CODE_DENIED, false);
	else if (!text)
		d->failed = -ENOMEM;
	else
		decision_say(d, AMBIT_DENY, AMBIT_CODE_DENIED, false,
			"a person said no (rule %lld: %s)%s%s", (long long)rule->id, text,
			said ? ": " : "", said ? said : "");
}

static void
say_yes(struct decision *d, const struct ambit_rule *rule)
{
	auto_free char *text = d->silent ? NULL : ambit_rule_text(rule);

	if (d->silent)
		return;
	if (!text)
		d->failed = -ENOMEM;
	else if (rule->id == 0)
		decision_say(
			d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "the answer was yes, this once");
	else
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "%s said yes (rule %lld: %s)",
			rule->source && streq(rule->source, "judge") ? "the judge" : "a person",
			(long long)rule->id, text);
}

/* What memory has to say to one thing: a no is said at once, whether or not
 * it was in question; a yes counts only if it was. */
struct recall {
	struct decision *d;
	const struct ambit_rule *yes; /* the last one that counted */
	bool once;		      /* what this process was allowed once counted */
	bool open;		      /* something in question is not answered */
};

/* The rule that there is to it, or NULL. */
static const struct ambit_rule *
recall_rule(struct recall *recall, enum ambit_op op, const char *subject, bool guarded, bool asked)
{
	const struct ambit_rule *rule = memory_find(recall->d->in, op, subject, guarded);

	if (rule && !rule->yes)
		say_no(recall->d, rule);
	if (rule && rule->yes && asked)
		recall->yes = rule;
	return rule;
}

static void
recall_answer(
	struct recall *recall, enum ambit_op op, const char *subject, bool guarded, bool asked)
{
	const struct ambit_rule *rule = recall_rule(recall, op, subject, guarded, asked);

	recall->open |= asked && !(rule && rule->yes);
}

/* Removing or replacing a directory reaches what a no beneath it speaks of:
 * the next such rule from i on, or NULL. */
static const struct ambit_rule *
no_beneath(const struct decide_input *in, enum ambit_access access, const char *real, size_t *i)
{
	if (access != AMBIT_ACCESS_DELETE && access != AMBIT_ACCESS_REPLACE)
		return NULL;
	for (; *i < in->n_rules; ++*i) {
		const struct ambit_rule *rule = &in->rules[*i];

		if (!rule->yes && rule->op == AMBIT_OP_WRITE && memory_in_force(in, rule) &&
			str_beneath(rule->subject, real))
			return rule;
	}
	return NULL;
}

static void
recall_beneath(struct recall *recall, const struct ambit_outcome_path *path)
{
	const struct ambit_rule *rule;
	size_t i = 0;

	while ((rule = no_beneath(recall->d->in, path->access, path->path, &i))) {
		say_no(recall->d, rule);
		i++;
	}
}

static bool
is_guarded(const struct ambit_outcome_path *path)
{
	return path->code == AMBIT_CODE_GUARDED || path->code == AMBIT_CODE_GUARDED_READ;
}

static enum ambit_op
path_op(enum ambit_access access)
{
	return access_writes(access) ? AMBIT_OP_WRITE : AMBIT_OP_READ;
}

/* A yes to a file that this is a temporary file of. */
static const struct ambit_rule *
recall_temporary(struct recall *recall, size_t n)
{
	const struct ambit_rule *rule = temporary_find(recall->d->in, recall->d->out, n);

	if (rule) {
		recall->yes = rule;
		recall->d->out->paths[n].once = ONCE_TEMPORARY;
	}
	return rule;
}

/* A yes to what lies beneath a directory that is missing: it counts only if that can be made. */
static const struct ambit_rule *
find_yes_beneath(const struct decide_input *in, const struct ambit_outcome_path *path)
{
	if (path->access != AMBIT_ACCESS_MKDIR || path->code != AMBIT_CODE_OUTSIDE)
		return NULL;
	for (size_t i = 0; i < in->n_rules; i++) {
		const struct ambit_rule *rule = &in->rules[i];

		if (rule->yes && rule->op == AMBIT_OP_WRITE && rule->beneath && rule->pid == 0 &&
			memory_in_force(in, rule) && str_beneath(rule->subject, path->path))
			return rule;
	}
	return NULL;
}

/* The rule for a path that was asked about and that no rule names, or NULL. */
static const struct ambit_rule *
recall_unnamed(struct recall *recall, size_t n)
{
	const struct ambit_rule *rule = recall_temporary(recall, n);

	if (!rule)
		rule = find_yes_beneath(recall->d->in, &recall->d->out->paths[n]);
	if (rule)
		recall->yes = rule;
	return rule;
}

/* A guarded read of a file that the same call may write by an answer, where nobody holds other
 * reads. (A grant of a guarded directory is one for both.) */
static bool
is_free_read(const struct decide_input *in, const struct ambit_outcome *out, size_t n)
{
	if (in->run != RUN_READS_FREE || out->paths[n].code != AMBIT_CODE_GUARDED_READ)
		return false;
	for (size_t i = 0; i < n; i++)
		if (streq(out->paths[i].path, out->paths[n].path) &&
			access_writes(out->paths[i].access) && out->paths[i].remembered)
			return true;
	return false;
}

/* An answer "once" counts only if no rule speaks. */
static void
recall_path(struct recall *recall, size_t n)
{
	struct ambit_outcome *out = recall->d->out;
	struct ambit_outcome_path *path = &out->paths[n];
	bool asked = path->verdict == AMBIT_ASK;
	const struct ambit_rule *rule =
		recall_rule(recall, path_op(path->access), path->path, is_guarded(path), asked);
	const struct once *once = NULL;

	if (asked && !rule)
		once = once_find_path(recall->d->in, out, n, &path->replaces);
	path->once = once ? once->id : 0;
	if (asked && !rule && !once)
		rule = recall_unnamed(recall, n);
	path->remembered =
		asked && (once || (rule ? rule->yes : is_free_read(recall->d->in, out, n)));
	recall->once |= once != NULL;
	recall->open |= asked && !path->remembered;
}

static void
recall_call(struct recall *recall)
{
	const struct decide_input *in = recall->d->in;
	bool asked = recall->d->out->call;
	auto_free char *key = request_call_key(in->request);
	const struct ambit_rule *rule;
	const struct once *once;

	if (!key) {
		recall->d->failed = -ENOMEM;
		return;
	}
	rule = recall_rule(recall, AMBIT_OP_CALL, key, false, asked);
	once = asked && !rule ? once_find_call(in, key) : NULL;
	recall->once |= once != NULL;
	recall->open |= asked && !once && !(rule && rule->yes);
}

bool
memory_allows(
	const struct decide_input *in, const struct ambit_outcome_path *path, const char *real)
{
	const struct ambit_rule *rule;
	size_t i = 0;

	if (path->verdict == AMBIT_DENY)
		return false;
	if (in->n_rules == 0)
		return path->verdict == AMBIT_ALLOW;
	if (no_beneath(in, path->access, real, &i))
		return false;
	rule = memory_find(in, path_op(path->access), real, is_guarded(path));
	return rule ? rule->yes : path->verdict == AMBIT_ALLOW;
}

/* Keys of calls cost a digest: made only if a rule can be about this call, or an answer "once" is
 * looked for. */
static bool
knows_calls(const struct decision *d)
{
	const struct ambit_request *request = d->in->request;

	for (size_t i = 0; i < d->in->n_rules; i++)
		if (d->in->rules[i].op == AMBIT_OP_CALL &&
			request_may_have_key(request, d->in->rules[i].subject))
			return true;
	return d->out->call && d->in->n_once > 0;
}

void
memory_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	struct ambit_outcome *out = d->out;
	struct recall r = { .d = d };

	if (in->n_rules + in->n_once == 0 || out->verdict == AMBIT_DENY)
		return;
	for (size_t i = 0; i < out->n_paths; i++) {
		recall_path(&r, i);
		recall_beneath(&r, &out->paths[i]);
	}
	if (out->host)
		recall_answer(&r, AMBIT_OP_CONNECT, out->host, false, d->host_asked);
	if (knows_calls(d))
		recall_call(&r);
	else
		r.open |= out->call;
	/* An ask that names nothing in question is answered by nothing. */
	if (out->verdict != AMBIT_ASK || r.open || (!r.yes && !r.once) || d->failed)
		return;
	out->verdict = AMBIT_ALLOW;
	out->code = AMBIT_CODE_NONE;
	out->layer = d->layer;
	if (r.once)
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false,
			"the answer was yes, to this process, for two seconds");
	else
		say_yes(d, r.yes);
}

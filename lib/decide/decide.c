/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the layers over one request and folds what they say. The fold starts
 * from allow only here, and every way out that is not a full walk through the
 * layers ends in deny. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "request/rulekey.h"

static const struct {
	const char *name;
	void (*decide)(struct decision *d);
} layers[] = {
	{ "request", request_decide },
	{ "special", special_decide },
	{ "run", run_reads_decide },
	{ "destination", destinations_decide },
	{ "modes", modes_decide },
	{ "permission", permission_decide },
	{ "paths", paths_decide },
	{ "hosts", hosts_decide },
	{ "effects", effects_decide },
	{ "policy", policy_decide },
	{ "memory", memory_decide },
	{ "histories", histories_decide },
	{ "terminals", terminals_decide },
};

static int
append_layer_say(struct ambit_outcome *out, const char *layer, enum ambit_verdict verdict,
	enum ambit_code code, bool hard, char *reason)
{
	struct ambit_say *more = realloc(out->says, (out->n_says + 1) * sizeof(*more));

	if (!more || !reason) {
		if (more)
			out->says = more;
		free(reason);
		return -ENOMEM;
	}
	out->says = more;
	more[out->n_says++] = (struct ambit_say){
		.layer = layer,
		.verdict = verdict,
		.code = code,
		.hard = hard,
		.reason = reason,
	};
	return 0;
}

static void
set_outcome_reason(struct decision *d, const char *reason)
{
	char *copy = strdup(reason);

	if (!copy) {
		d->failed = -ENOMEM;
		return;
	}
	free(d->out->reason);
	d->out->reason = copy;
}

void
decision_narrow(struct decision *d, enum ambit_verdict verdict, enum ambit_code code, bool hard)
{
	if (d->ended)
		return;
	if (verdict < d->out->verdict) {
		d->out->verdict = verdict;
		d->out->code = code;
		d->out->layer = d->layer;
	}
	if (verdict == AMBIT_DENY && hard)
		d->ended = true;
}

void
decision_say(struct decision *d, enum ambit_verdict verdict, enum ambit_code code, bool hard,
	const char *fmt, ...)
{
	char *reason = NULL;
	va_list ap;

	if (d->silent)
		return decision_narrow(d, verdict, code, hard);
	if (d->ended)
		return;
	va_start(ap, fmt);
	if (vasprintf(&reason, fmt, ap) < 0)
		reason = NULL;
	va_end(ap);
	if (append_layer_say(d->out, d->layer, verdict, code, hard, reason) < 0) {
		d->failed = -ENOMEM;
		return;
	}
	if (verdict < d->out->verdict)
		set_outcome_reason(d, reason);
	decision_narrow(d, verdict, code, hard);
}

void
decision_hint_rule(struct decision *d, const char *op, const char *subject)
{
	auto_free char *word = d->silent ? NULL : str_quote(subject);

	if (d->silent)
		return;
	free(d->out->hint);
	d->out->hint = word ? str_printf("Go on without it. A person can open it: ambit rules add "
					 "%s %s",
				      op, word)
			    : strdup("Go on without it.");
	if (!d->out->hint)
		d->failed = -ENOMEM;
}

void
decision_judge(struct decision *d)
{
	struct ambit_outcome *out = d->out;
	struct ambit_say *last = out->n_says > 0 ? &out->says[out->n_says - 1] : NULL;

	if (!d->failed && last && last->layer == d->layer && last->verdict == AMBIT_ASK)
		last->judge = true;
}

void
decision_ask_call(struct decision *d, enum ambit_code code, const char *reason)
{
	d->out->call = true;
	decision_say(d, AMBIT_ASK, code, false, "%s", reason);
}

int
decision_mode(int session, int person, int folder, int by_default)
{
	int own = session >= 0 ? session : person >= 0 ? person : by_default;

	return folder >= 0 && folder < own ? folder : own;
}

enum ambit_reads
decision_reads(const struct decide_input *in)
{
	int reads = decision_mode(in->session->reads, settings_person(in->settings)->reads,
		settings_folder(in->settings)->reads, AMBIT_READS_ANYWHERE);

	if (reads == AMBIT_READS_UNTIL_FIRST_WRITE)
		return in->session->wrote ? AMBIT_READS_FOLDER : AMBIT_READS_ANYWHERE;
	return (enum ambit_reads)reads;
}

void
decide_resolved_free(struct path_facts *resolved, size_t n)
{
	for (size_t i = 0; resolved && i < n; i++)
		resolved_finish(&resolved[i]);
	free(resolved);
}

/* Why it is allowed: the last layer that said so. */
static void
explain_allow(struct decision *d)
{
	struct ambit_outcome *out = d->out;
	const char *reason = "nothing is past the line";

	for (size_t i = 0; i < out->n_says; i++)
		if (out->says[i].verdict == AMBIT_ALLOW) {
			reason = out->says[i].reason;
			out->layer = out->says[i].layer;
		}
	free(out->hint);
	out->hint = NULL;
	free(out->reason);
	out->reason = strdup(reason);
}

/* A hint is what to do instead: the code's, unless a layer knew better. */
static void
complete_outcome(struct decision *d)
{
	struct ambit_outcome *out = d->out;

	if (d->failed < 0) {
		out->verdict = AMBIT_DENY;
		out->code = AMBIT_CODE_INTERNAL;
		out->layer = "request";
		return;
	}
	if (out->verdict == AMBIT_ALLOW) {
		explain_allow(d);
		return;
	}
	out->quiet |= histories_are_all(d);
	out->advice = advise_opening(d);
	if (out->hint)
		return;
	for (const struct ambit_word *w = ambit_codes; w->name; w++)
		if (w->value == (int)out->code && w->text && *w->text)
			out->hint = strdup(w->text);
}

/* The key that memory uses, with the command in place of its digest. */
static char *
shown_key(const struct ambit_request *request)
{
	char *key = request_call_key(request);

	if (!key || !str_prefix(key, "exact:"))
		return key;
	free(key);
	return rulekey_create(request->command, strlen(request->command));
}

static void
run_layers(struct decision *d)
{
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]) && !d->ended && !d->failed; i++) {
		d->layer = layers[i].name;
		layers[i].decide(d);
	}
}

void
decide(const struct decide_input *in, struct ambit_outcome *ret_outcome,
	struct path_facts **ret_resolved)
{
	struct ambit_outcome out = {
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.layer = "request",
		.danger = in->request->danger,
	};
	struct decision d = { .in = in, .out = &out, .danger = in->request->danger };

	if (in->request->command) {
		out.rule_key = shown_key(in->request);
		d.failed = out.rule_key ? 0 : -ENOMEM;
	}
	if (!d.failed)
		run_layers(&d);
	complete_outcome(&d);
	if (ret_resolved)
		*ret_resolved = d.resolved;
	else
		decide_resolved_free(d.resolved, out.n_paths);
	*ret_outcome = out;
}

static bool
is_about_objects(const struct ambit_request *request)
{
	for (size_t i = 0; i < request->n_paths; i++)
		if (!request->paths[i].object)
			return false;
	return request->n_paths <= DECIDE_OBJECTS_MAX && !request->command && !request->args &&
	       request->runner == RUNNER_OTHER;
}

/* Only a permit uses up an answer "once" and tells the hand of guards; and what ask_mode alone
 * allows is recorded. */
static bool
needs_bookkeeping(const struct decision *d)
{
	for (size_t i = 0; i < d->out->n_paths; i++)
		if (d->out->paths[i].once)
			return true;
	return d->bypassed || d->brings;
}

enum ambit_verdict
decide_verdict(const struct decide_input *in)
{
	struct ambit_outcome_path paths[DECIDE_OBJECTS_MAX];
	struct path_facts resolved[DECIDE_OBJECTS_MAX];
	struct ambit_outcome out = {
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.paths = paths,
	};
	struct decision d = {
		.in = in,
		.out = &out,
		.resolved = resolved,
		.danger = in->request->danger,
		.silent = true,
	};

	if (!is_about_objects(in->request))
		return AMBIT_ASK;
	run_layers(&d);
	free(out.host);
	return d.failed || needs_bookkeeping(&d) ? AMBIT_ASK : out.verdict;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How a person can allow what was refused: commands for a shell, after which the same is allowed
 * when it is tried again. If no command does that, there is no advice. */

#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"

/* A file that O_TMPFILE makes is asked about by this name in its directory. */
#define NAMELESS "/#tmpfile"

/* A name that had to be escaped would mean another file. */
static bool
is_plain_text(const char *text)
{
	auto_free char *shown = str_escape(text, strlen(text));

	return shown && streq(shown, text);
}

static void
append_rule(struct buf *advice, const char *op, const char *subject)
{
	auto_free char *word = str_quote(subject);

	if (word && is_plain_text(subject))
		buf_printf(
			advice, "%sambit rules add %s %s", advice->len > 0 ? "\n" : "", op, word);
}

static bool
may_be_opened(const struct decision *d, size_t n)
{
	const struct ambit_outcome_path *path = &d->out->paths[n];

	if (path->verdict == AMBIT_ASK || path->code == AMBIT_CODE_SYMLINK_ESCAPE)
		return !d->in->scope->enforce_write;
	return !access_writes(path->access) &&
	       (path->code == AMBIT_CODE_OUT_OF_SCOPE || path->code == AMBIT_CODE_GUARDED_READ);
}

static bool
is_in_question(const struct ambit_outcome_path *path)
{
	return path->verdict != AMBIT_ALLOW && !path->remembered;
}

/* No rule opens the home directory or what lies above it, and a rule is about what a symlink leads
 * to. */
static void
advise_path(struct buf *advice, const struct decision *d, size_t n)
{
	const struct ambit_outcome_path *path = &d->out->paths[n];
	const struct path_facts *facts = &d->resolved[n];
	const char *home = d->in->scope->home;
	auto_free char *subject = strdup(path->owner ? path->owner : path->path);
	size_t len = subject ? strlen(subject) : 0;

	if (!subject || (facts->exists && S_ISLNK(facts->mode)))
		return;
	if (!facts->exists && len > strlen(NAMELESS) &&
		streq(subject + len - strlen(NAMELESS), NAMELESS))
		subject[len - strlen(NAMELESS)] = '\0';
	if (streq(subject, "/") || (home && str_beneath(home, subject)))
		return;
	append_rule(advice, access_writes(path->access) ? "write" : "read", subject);
}

static bool
is_advised_before(const struct decision *d, size_t n)
{
	const struct ambit_outcome_path *paths = d->out->paths;

	for (size_t i = 0; i < n; i++)
		if (is_in_question(&paths[i]) && streq(paths[i].path, paths[n].path) &&
			access_writes(paths[i].access) == access_writes(paths[n].access))
			return true;
	return false;
}

/* False: one of them is closed for good, so that the others are no help. */
static bool
advise_paths(struct buf *advice, const struct decision *d)
{
	const struct ambit_outcome *out = d->out;

	for (size_t i = 0; i < out->n_paths; i++) {
		if (!is_in_question(&out->paths[i]) ||
			(d->no && out->paths[i].code == AMBIT_CODE_DENIED))
			continue;
		if (!may_be_opened(d, i))
			return false;
		if (!is_advised_before(d, i))
			advise_path(advice, d, i);
	}
	return true;
}

char *
advise_opening(const struct decision *d)
{
	const struct ambit_outcome *out = d->out;
	static const char *const layers[] = { "paths", "run", "memory", "histories", "terminals" };
	auto_buf struct buf advice = { 0 };
	bool known = out->verdict == AMBIT_ASK;

	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		known |= streq(out->layer, layers[i]);
	if (out->verdict == AMBIT_ALLOW || out->call)
		return NULL;
	if (d->net_off)
		return strdup("the network is off: start it with --net ask or --net open, or "
			      "change the setting net");
	if (!known)
		return NULL;
	if (d->no)
		buf_printf(&advice, "ambit rules revoke %lld", (long long)d->no->id);
	if (!advise_paths(&advice, d))
		return NULL;
	if (out->host && d->host_asked)
		append_rule(&advice, "connect", out->host);
	return advice.len > 0 ? buf_take(&advice) : NULL;
}

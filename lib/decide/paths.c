/* SPDX-License-Identifier: Apache-2.0 */
/* Each path of the request: allow, ask or deny. Resolution is done here, on
 * the file system as it is now; the verdict on a resolved path is a pure
 * function, which the kernel line uses as well. */

#include <stdlib.h>

#include "base/fd.h"
#include "base/str.h"
#include "decide/decide.h"

static bool
granted(const struct decide_input *in, const char *real, bool reads, bool guarded)
{
	for (size_t i = 0; i < in->n_grants; i++)
		if ((in->grants[i].write || reads) &&
			memory_covers(in, in->grants[i].real, true, real, guarded, reads))
			return true;
	return false;
}

static bool
remembered(const struct decide_input *in, const char *real)
{
	const struct ambit_rule *rule = memory_find(in, AMBIT_OP_WRITE, real, false);

	return rule && rule->yes;
}

/* Removing or replacing the folder itself changes its parent. */
static bool
is_inside(const struct decide_input *in, const char *real, enum ambit_access access)
{
	if (!scope_holds(in->scope, real))
		return false;
	return (access != AMBIT_ACCESS_DELETE && access != AMBIT_ACCESS_REPLACE) ||
		!streq(real, in->scope->root.real);
}

/* A link that is the folder's own name is not a way out of the folder. */
static bool
says_inside(const struct decide_input *in, const char *written, enum ambit_access access)
{
	if (!scope_says_inside(in->scope, written))
		return false;
	return (access != AMBIT_ACCESS_DELETE && access != AMBIT_ACCESS_REPLACE) ||
		(!streq(written, in->scope->root.real) &&
			!streq(written, in->scope->root.written));
}

static enum ambit_code
write_code(const struct decide_input *in, const struct resolved *resolved,
	enum ambit_access access, bool *ret_hard, const struct guard **ret_guard)
{
	bool inside = is_inside(in, resolved->real, access);
	/* A child scope is law: a grant to the parent does not reach it. */
	bool open = inside || (!in->scope->enforce_write && granted(in, resolved->real, false, false));

	*ret_guard = NULL;
	if (!open && says_inside(in, resolved->written, access) &&
		!scope_holds(in->scope, resolved->real) &&
		(in->scope->enforce_write || !remembered(in, resolved->real))) {
		*ret_hard = true;
		return AMBIT_CODE_SYMLINK_ESCAPE;
	}
	if (!open && in->scope->enforce_write) {
		*ret_hard = true;
		return AMBIT_CODE_OUT_OF_SCOPE;
	}
	*ret_guard = guards_match(in->guards, resolved, access);
	if (*ret_guard && !granted(in, resolved->real, false, true))
		return AMBIT_CODE_GUARDED;
	return open ? AMBIT_CODE_NONE : AMBIT_CODE_OUTSIDE;
}

static enum ambit_code
read_code(const struct decide_input *in, const struct resolved *resolved,
	enum ambit_access access, bool *ret_hard, const struct guard **ret_guard)
{
	*ret_guard = NULL;
	if (decision_reads(in) == AMBIT_READS_FOLDER && !scope_holds(in->scope, resolved->real) &&
		!granted(in, resolved->real, true, false)) {
		*ret_hard = true;
		return AMBIT_CODE_OUT_OF_SCOPE;
	}
	*ret_guard = guards_match(in->guards, resolved, access);
	if (*ret_guard && !granted(in, resolved->real, true, true))
		return AMBIT_CODE_GUARDED_READ;
	return AMBIT_CODE_NONE;
}

void
paths_decide_one(const struct decide_input *in, const struct resolved *resolved,
	enum ambit_access access, struct ambit_outcome_path *ret, bool *ret_hard,
	const struct guard **ret_guard)
{
	enum ambit_code code;

	*ret_hard = false;
	*ret_guard = NULL;
	ret->access = access;
	ret->verdict = AMBIT_DENY;
	if (scope_protects(in->scope, resolved->real, access)) {
		*ret_hard = true;
		ret->code = AMBIT_CODE_PROTECTED;
		return;
	}
	code = access_writes(access) ? write_code(in, resolved, access, ret_hard, ret_guard)
				     : read_code(in, resolved, access, ret_hard, ret_guard);
	ret->code = code;
	ret->verdict = *ret_hard	      ? AMBIT_DENY
		: code == AMBIT_CODE_NONE ? AMBIT_ALLOW
					      : AMBIT_ASK;
}

/* -- saying it ------------------------------------------------------------- */

static void
hint(struct decision *d, char *text)
{
	free(d->out->hint);
	d->out->hint = text;
	if (!text)
		d->failed = -ENOMEM;
}

static void
say_path(struct decision *d, const struct ambit_outcome_path *path, const char *real, bool hard,
	const struct guard *guard)
{
	auto_free char *folder = explain_folder(d->in->scope);
	auto_free char *target = ambit_scope_display(d->in->scope, real);
	const char *why = scope_protects(d->in->scope, real, path->access);
	const char *scope = d->in->scope->enforce_write ? "this scope" : "the folder";

	if (!folder || !target) {
		d->failed = -ENOMEM;
		return;
	}
	switch (path->code) {
	case AMBIT_CODE_PROTECTED:
		decision_say(d, path->verdict, path->code, hard, "%s is %s", path->shown, why);
		break;
	case AMBIT_CODE_SYMLINK_ESCAPE:
		decision_say(d, path->verdict, path->code, hard,
			"%s leads through a symlink to %s, outside %s (%s)", path->shown, target, scope,
			folder);
		if (!d->in->scope->enforce_write)
			hint(d,
				str_printf("Do not write through the link. If it is meant, a person can "
					   "open its target: ambit rules add write %s",
					target));
		break;
	case AMBIT_CODE_GUARDED:
	case AMBIT_CODE_GUARDED_READ:
		decision_say(d, path->verdict, path->code, hard, "%s is guarded (%s): %s", path->shown,
			guard ? guard->pattern : "?", guard ? guard->text : "?");
		break;
	default:
		if (streq(real, d->in->scope->root.real))
			decision_say(d, path->verdict, path->code, hard,
				"%s is the folder itself: removing it changes what is outside", path->shown);
		else
			decision_say(d, path->verdict, path->code, hard, "%s is outside %s (%s)",
				path->shown, scope, folder);
	}
}

static int
add_path(struct decision *d, struct resolved *resolved, char *shown)
{
	size_t n = d->out->n_paths;
	struct ambit_outcome_path *paths =
		realloc(d->out->paths, (n + 1) * sizeof(*d->out->paths));
	struct resolved *beside;

	if (paths)
		d->out->paths = paths;
	beside = realloc(d->resolved, (n + 1) * sizeof(*d->resolved));
	if (beside)
		d->resolved = beside;
	if (!paths || !beside || !shown) {
		free(shown);
		resolved_finish(resolved);
		return d->failed = -ENOMEM;
	}
	d->resolved[n] = *resolved;
	d->out->paths[n] = (struct ambit_outcome_path){
		.path = str_dup(resolved->real),
		.shown = shown,
		.code = AMBIT_CODE_UNRESOLVABLE,
	};
	d->out->n_paths++;
	return 0;
}

/* The name as it was asked for, not where it leads: that is what the one who
 * asked can recognise. */
static char *
show(const struct decision *d, const struct request_path *asked, const struct resolved *resolved)
{
	if (!resolved->written)
		return str_escape(asked->text, asked->len);
	return ambit_scope_display(d->in->scope, resolved->written);
}

static void
decide_variant(struct decision *d, const struct request_path *asked, bool follow)
{
	struct resolved resolved = { 0 };
	struct ambit_error err = { 0 };
	const struct guard *guard;
	bool hard;
	int r = scope_resolve(d->in->scope, d->in->request->cwd, asked->text, asked->len, follow,
		&resolved, &err);

	for (size_t i = 0; r == 0 && i < d->out->n_paths; i++)
		if (d->out->paths[i].access == asked->access && d->resolved[i].real &&
			streq(d->resolved[i].real, resolved.real) &&
			streq(d->resolved[i].written, resolved.written)) {
			resolved_finish(&resolved);
			return;
		}
	if (add_path(d, &resolved, show(d, asked, &resolved)) < 0)
		return;
	struct ambit_outcome_path *path = &d->out->paths[d->out->n_paths - 1];

	path->access = asked->access;
	if (r < 0) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_UNRESOLVABLE, true, "%s: %s",
			path->shown[0] ? path->shown : "(empty)", err.text);
		return;
	}
	paths_decide_one(d->in, &resolved, asked->access, path, &hard, &guard);
	if (path->verdict != AMBIT_ALLOW)
		say_path(d, path, resolved.real, hard, guard);
}

void
paths_decide(struct decision *d)
{
	const struct ambit_request *request = d->in->request;
	auto_free char *folder = NULL;
	size_t asked = 0;

	for (size_t i = 0; i < request->n_paths && !d->ended && !d->failed; i++) {
		if (request->paths[i].follow != TOOL_NOFOLLOW)
			decide_variant(d, &request->paths[i], true);
		if (request->paths[i].follow != TOOL_FOLLOW && !d->ended && !d->failed)
			decide_variant(d, &request->paths[i], false);
	}
	for (size_t i = 0; i < d->out->n_paths; i++)
		asked += d->out->paths[i].verdict != AMBIT_ALLOW;
	if (asked > 0 || d->ended || d->failed)
		return;
	folder = explain_folder(d->in->scope);
	if (!folder)
		d->failed = -ENOMEM;
	else if (request->tool && request->tool->shell && d->out->n_paths == 0)
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false,
			request->held ? "what it touches is decided by the kernel line, call by call"
				      : "what it touches cannot be read off a command");
	else if (d->out->n_paths > 0)
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false,
			"nothing past the line (%s)", folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one path that is already resolved: inside, outside, guarded,
 * protected or escaping. A pure function; whoever resolves paths another way
 * uses it as it is. */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"

static bool
is_granted_path(const struct decide_input *in, const char *real, bool reads, bool guarded)
{
	for (size_t i = 0; i < in->n_grants; i++)
		if ((in->grants[i].write || reads) &&
			memory_covers(in, in->grants[i].real,
				in->grants[i].names ? REACH_NAMES : REACH_BENEATH, real, guarded,
				reads))
			return true;
	return false;
}

/* A directory that is missing above what was granted: nobody could use the grant without it. */
static bool
is_above_grant(const struct decide_input *in, const char *real, enum ambit_access access)
{
	for (size_t i = 0; access == AMBIT_ACCESS_MKDIR && i < in->n_grants; i++)
		if (in->grants[i].write && str_beneath(in->grants[i].real, real))
			return true;
	return false;
}

static bool
has_remembered_yes(const struct decide_input *in, enum ambit_op op, const char *real)
{
	const struct ambit_rule *rule = memory_find(in, op, real, false);

	return rule && rule->yes;
}

/* Removing or replacing the folder itself changes its parent. */
static bool
is_inside(const struct decide_input *in, const char *real, enum ambit_access access)
{
	return scope_writes(
		in->scope, real, access == AMBIT_ACCESS_DELETE || access == AMBIT_ACCESS_REPLACE);
}

/* A link that is the folder's own name is not a way out of the folder. */
static bool
says_inside(const struct decide_input *in, const char *written, enum ambit_access access)
{
	if (!scope_says_inside(in->scope, written))
		return false;
	return (access != AMBIT_ACCESS_DELETE && access != AMBIT_ACCESS_REPLACE) ||
	       (!streq(written, in->scope->root.real) && !streq(written, in->scope->root.written));
}

/* In a folder that was narrowed to nothing: whoever narrowed it means another one. */
static bool
is_folder_shut(const struct decide_input *in, const char *real)
{
	return in->scope->narrowed && !in->scope->only && scope_holds(in->scope, real) &&
	       !has_remembered_yes(in, AMBIT_OP_WRITE, real);
}

/* A child scope is law: a grant to the parent does not reach it. A sub-agent's session has
 * what was given to itself: its temp directory, its own state. */
static bool
has_own(const struct decide_input *in)
{
	return !in->scope->enforce_write || in->apart;
}

/* By an answer for it or for a directory above, and by none for a file or a name alone. */
static bool
is_answered_dir(const struct decide_input *in, const char *dir)
{
	for (size_t i = 0; i < in->n_rules; i++) {
		const struct ambit_rule *rule = &in->rules[i];

		if (rule->yes && rule->beneath && rule->op == AMBIT_OP_WRITE &&
			str_beneath(dir, rule->subject) && memory_in_force(in, rule))
			return true;
	}
	return false;
}

bool
paths_is_open_beside(const struct decide_input *in, const char *real)
{
	const char *slash = strrchr(real, '/');
	auto_free char *dir = slash == real ? strdup("/") : strndup(real, (size_t)(slash - real));
	const struct ambit_rule *rule = dir ? memory_find(in, AMBIT_OP_WRITE, dir, false) : NULL;

	if (!dir || (rule && !rule->yes))
		return false;
	return is_inside(in, dir, AMBIT_ACCESS_WRITE) ||
	       (has_own(in) && is_granted_path(in, dir, false, false)) ||
	       (!in->scope->enforce_write && is_answered_dir(in, dir));
}

/* A link in the place of what was opened would open what it leads to, the next time that the name
 * is looked up: in the next run, or the next command of a server. */
static bool
is_opened_name(const struct decide_input *in, const char *real)
{
	for (size_t i = 0; i < in->n_grants; i++)
		if (in->grants[i].write && streq(in->grants[i].real, real))
			return true;
	for (size_t i = 0; i < in->n_rules; i++)
		if (in->rules[i].yes && in->rules[i].op == AMBIT_OP_WRITE &&
			streq(in->rules[i].subject, real) && memory_in_force(in, &in->rules[i]))
			return true;
	return false;
}

static enum ambit_code
write_code(const struct decide_input *in, const struct path_facts *resolved,
	enum ambit_access access, bool *ret_hard, const struct guard **ret_guard)
{
	bool inside = is_inside(in, resolved->real, access);
	bool open = inside || (has_own(in) && (is_granted_path(in, resolved->real, false, false) ||
						      is_above_grant(in, resolved->real, access)));

	*ret_guard = NULL;
	if (!open && says_inside(in, resolved->written, access) &&
		!scope_holds(in->scope, resolved->real) &&
		(in->scope->enforce_write ||
			!has_remembered_yes(in, AMBIT_OP_WRITE, resolved->real))) {
		*ret_hard = true;
		return AMBIT_CODE_SYMLINK_ESCAPE;
	}
	if (!open && (in->scope->enforce_write || is_folder_shut(in, resolved->real))) {
		*ret_hard = true;
		return AMBIT_CODE_OUT_OF_SCOPE;
	}
	*ret_guard = guards_match(in->guards, resolved, access);
	if (*ret_guard && !is_granted_path(in, resolved->real, false, true))
		return AMBIT_CODE_GUARDED;
	if (resolved->leads && is_opened_name(in, resolved->real)) {
		*ret_guard = &guard_opened_name;
		return AMBIT_CODE_GUARDED;
	}
	return open ? AMBIT_CODE_NONE : AMBIT_CODE_OUTSIDE;
}

static enum ambit_code
read_code(const struct decide_input *in, const struct path_facts *resolved,
	enum ambit_access access, bool *ret_hard, const struct guard **ret_guard)
{
	*ret_guard = NULL;
	if (decision_reads(in) == AMBIT_READS_FOLDER && !scope_holds(in->scope, resolved->real) &&
		!is_granted_path(in, resolved->real, true, false) &&
		!has_remembered_yes(in, AMBIT_OP_READ, resolved->real)) {
		*ret_hard = true;
		return AMBIT_CODE_OUT_OF_SCOPE;
	}
	*ret_guard = guards_match(in->guards, resolved, access);
	if (*ret_guard && !is_granted_path(in, resolved->real, true, true))
		return AMBIT_CODE_GUARDED_READ;
	return AMBIT_CODE_NONE;
}

void
paths_decide_one(const struct decide_input *in, const struct path_facts *resolved,
	enum ambit_access access, struct ambit_outcome_path *ret, bool *ret_hard,
	const struct guard **ret_guard)
{
	enum ambit_code code;

	*ret_hard = false;
	*ret_guard = NULL;
	ret->access = access;
	ret->verdict = AMBIT_DENY;
	if (scope_protects(in->scope, resolved, access)) {
		*ret_hard = true;
		ret->code = AMBIT_CODE_PROTECTED;
		return;
	}
	code = access_writes(access) ? write_code(in, resolved, access, ret_hard, ret_guard)
				     : read_code(in, resolved, access, ret_hard, ret_guard);
	ret->code = code;
	ret->verdict = *ret_hard ? AMBIT_DENY : code == AMBIT_CODE_NONE ? AMBIT_ALLOW : AMBIT_ASK;
}

/* Outside of a scope that is law. */
static bool
is_past(const struct decide_input *in, const char *real, enum ambit_code code)
{
	return code == AMBIT_CODE_OUT_OF_SCOPE && in->scope->enforce_write &&
	       !scope_holds(in->scope, real);
}

/* Whether a guard is no reason to ask. git tries on its own configuration what a mode can be; what
 * lies in a guarded directory is another matter, for there a mode makes it run. And a repository
 * that came to be in this run can be removed again: all is as before then. */
static bool
is_guard_idle(const struct decide_input *in, const struct path_facts *object)
{
	if (!paths_is_open_beside(in, object->real))
		return false;
	return (object->marks && !guards_is(in->guards, object->real, false, true)) ||
	       (object->recent && object->access == AMBIT_ACCESS_DELETE);
}

/* What this session made in /tmp is its own, also if a link in the folder leads
 * to it. Guards keep their names even there. */
bool
paths_decide_object(const struct decide_input *in, const struct path_facts *object,
	struct ambit_outcome_path *ret, bool *ret_hard, const struct guard **ret_guard)
{
	paths_decide_one(in, object, object->access, ret, ret_hard, ret_guard);
	if (ret->code == AMBIT_CODE_GUARDED && is_guard_idle(in, object)) {
		ret->code = AMBIT_CODE_NONE;
		ret->verdict = AMBIT_ALLOW;
		*ret_guard = NULL;
	}
	if (ret->verdict == AMBIT_ALLOW || !object->own || !has_own(in) ||
		!access_writes(object->access) || !scope_scratch(in->scope, object->real))
		return false;
	if (ret->code == AMBIT_CODE_SYMLINK_ESCAPE || is_past(in, object->real, ret->code))
		*ret_guard = guards_match(in->guards, object, object->access);
	else if (ret->code != AMBIT_CODE_OUTSIDE)
		return false;
	*ret_hard = false;
	ret->code = *ret_guard ? AMBIT_CODE_GUARDED : AMBIT_CODE_NONE;
	ret->verdict = *ret_guard ? AMBIT_ASK : AMBIT_ALLOW;
	return *ret_guard == NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Each path of the request: allow, ask or deny, on the file system as it is
 * now. One name can mean several places: followed or not, folded by its text
 * or walked by the kernel, beside or beneath a directory that is there. Tools
 * differ, so all that apply are decided. What the kernel line resolved is one
 * place only, and is decided as it is. */

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "decide/temporary.h"
#include "scope/scope-narrow.h"

/* -- saying it ------------------------------------------------------------- */

static void
set_outcome_hint(struct decision *d, char *text)
{
	free(d->out->hint);
	d->out->hint = text;
	if (!text)
		d->failed = -ENOMEM;
}

struct listing {
	const struct ambit_scope *scope;
	struct buf text;
};

static int
append_shown(void *data, const char *real)
{
	struct listing *listing = data;
	auto_free char *shown = ambit_scope_display(listing->scope, real);

	buf_printf(&listing->text, "%s%s", listing->text.len > 0 ? ", " : "", shown ? shown : "?");
	return 0;
}

/* In the folder, but in what was left out of it. False: it is not. */
static bool
say_narrowed(struct decision *d, const struct ambit_outcome_path *path,
	const struct path_facts *resolved, bool hard, const char *name, const char *folder)
{
	const struct ambit_scope *scope = d->in->scope;
	const char *by = scope->only_by ? scope->only_by : "what it was narrowed to";
	struct listing listing = { .scope = scope };

	if (!scope->narrowed || !scope_holds(scope, resolved->real) ||
		scope_writes(scope, resolved->real, false) || !access_writes(path->access))
		return false;
	if (scope->only) {
		scope_narrowed(scope, append_shown, &listing);
		decision_say(d, path->verdict, path->code, hard,
			"%s is in the folder (%s), but not in %s (%s)", name, folder, by,
			listing.text.data && !listing.text.failed ? listing.text.data : "?");
		buf_finish(&listing.text);
		return true;
	}
	decision_say(d, path->verdict, path->code, hard,
		"%s is in the folder (%s), but %s have nothing of it, so nothing can be written",
		name, folder, by);
	set_outcome_hint(d,
		strdup("Write nothing, and report it. A person can open the folder in the client "
		       "(so that it is one of its roots), or start ambit with another --folder."));
	return true;
}

/* What was asked for and, where a link or ".." makes it another place, where
 * that is: a person must not say yes to a name alone. */
static void
say_path(struct decision *d, struct ambit_outcome_path *path, const struct path_facts *resolved,
	bool hard, const struct guard *guard)
{
	auto_free char *folder = d->silent ? NULL : explain_folder(d->in->scope);
	auto_free char *target =
		d->silent ? NULL : ambit_scope_display(d->in->scope, resolved->real);
	auto_free char *name = !target ? NULL
			       : streq(target, path->shown)
				       ? strdup(target)
				       : str_printf("%s (really %s)", path->shown, target);
	const char *scope = d->in->scope->enforce_write ? "this scope" : "the folder";

	if (d->silent)
		return decision_narrow(d, path->verdict, path->code, hard);
	if (!folder || !target || !name) {
		d->failed = -ENOMEM;
		return;
	}
	path->danger = guard ? guard_danger(guard, resolved->real, path->access) : NULL;
	switch (path->code) {
	case AMBIT_CODE_PROTECTED:
		decision_say(d, path->verdict, path->code, hard, "%s %s", name,
			scope_protects(d->in->scope, resolved, path->access));
		break;
	case AMBIT_CODE_SYMLINK_ESCAPE:
		decision_say(d, path->verdict, path->code, hard,
			"%s leads through a symlink to %s, outside %s (%s)", path->shown, target,
			scope, folder);
		if (!d->in->scope->enforce_write)
			set_outcome_hint(
				d, str_printf("Do not write through the link. If it is meant, a "
					      "person can "
					      "open its target: ambit rules add write %s",
					   target));
		break;
	case AMBIT_CODE_GUARDED:
	case AMBIT_CODE_GUARDED_READ:
		decision_say(d, path->verdict, path->code, hard, "%s is guarded (%s): %s", name,
			guard ? guard->pattern : "?", guard ? guard->text : "?");
		break;
	default:
		if (say_narrowed(d, path, resolved, hard, name, folder))
			break;
		if (streq(resolved->real, d->in->scope->root.real))
			decision_say(d, path->verdict, path->code, hard,
				"%s is the folder itself: removing it changes what is outside",
				path->shown);
		else {
			decision_say(d, path->verdict, path->code, hard, "%s is outside %s (%s)",
				name, scope, folder);
			if (path->code == AMBIT_CODE_OUTSIDE)
				decision_judge(d);
		}
	}
}

/* A yes to one of these must not be taken for another: see judge.c. */
static const char *
word_of(enum ambit_access access, bool exists, bool truncates)
{
	if (!exists && (access == AMBIT_ACCESS_WRITE || access == AMBIT_ACCESS_REPLACE))
		return "create";
	if (truncates && access == AMBIT_ACCESS_WRITE)
		return "truncate";
	return ambit_word_name(ambit_accesses, (int)access);
}

static const char *
object_word(const struct path_facts *object, enum ambit_access access)
{
	if (!object->plain)
		return NULL;
	return object->marks ? "times" : word_of(access, object->exists, object->truncates);
}

static int
add_path(struct decision *d, struct path_facts *resolved, char *shown)
{
	size_t n = d->out->n_paths;
	struct ambit_outcome_path *paths = realloc(d->out->paths, (n + 1) * sizeof(*d->out->paths));
	char *real = strdup(resolved->real ? resolved->real : "");
	struct path_facts *beside;

	if (paths)
		d->out->paths = paths;
	beside = realloc(d->resolved, (n + 1) * sizeof(*d->resolved));
	if (beside)
		d->resolved = beside;
	if (!paths || !beside || !shown || !real) {
		free(shown);
		free(real);
		resolved_finish(resolved);
		return d->failed = -ENOMEM;
	}
	d->resolved[n] = *resolved;
	d->out->paths[n] = (struct ambit_outcome_path){
		.path = real,
		.shown = shown,
		.code = AMBIT_CODE_UNRESOLVABLE,
	};
	d->out->n_paths++;
	return 0;
}

/* The name as it was asked for, not where it leads: that is what the one who
 * asked can recognise. */
static char *
format_asked_name(const struct decision *d, const struct request_path *asked,
	const struct path_facts *resolved)
{
	if (!resolved->written)
		return str_escape(asked->text, asked->len);
	return ambit_scope_display(d->in->scope, resolved->written);
}

static bool
is_dir(const struct path_facts *resolved)
{
	return resolved->exists && S_ISDIR(resolved->mode);
}

static bool
is_transfer_tool(const struct decision *d)
{
	const struct tool *tool = d->in->request->tool;

	return tool && (streq(tool->name, "move") || streq(tool->name, "copy"));
}

static bool
is_decided(const struct decision *d, enum ambit_access access, const struct path_facts *resolved)
{
	for (size_t i = 0; i < d->out->n_paths; i++)
		if (d->out->paths[i].access == access && d->resolved[i].real &&
			streq(d->resolved[i].real, resolved->real) &&
			streq(d->resolved[i].written, resolved->written))
			return true;
	return false;
}

static void
decide_variant(struct decision *d, const struct request_path *asked, const char *cwd, bool follow)
{
	struct path_facts resolved = { 0 };
	struct ambit_error err = { 0 };
	enum ambit_access access = asked->access;
	const struct guard *guard;
	bool hard;
	int r;

	if (d->ended || d->failed)
		return;
	r = scope_resolve(d->in->scope, cwd, asked->text, asked->len, follow, &resolved, &err);
	/* "Move it here" does not replace the folder: it is written into. */
	if (r == 0 && access == AMBIT_ACCESS_REPLACE && is_transfer_tool(d) &&
		streq(resolved.real, d->in->scope->root.real))
		access = AMBIT_ACCESS_WRITE;
	if (r == 0 && is_decided(d, access, &resolved)) {
		resolved_finish(&resolved);
		return;
	}
	if (add_path(d, &resolved, format_asked_name(d, asked, &resolved)) < 0)
		return;
	struct ambit_outcome_path *path = &d->out->paths[d->out->n_paths - 1];

	path->access = access;
	path->does = word_of(access, r == 0 && resolved.exists, false);
	if (r < 0) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_UNRESOLVABLE, true, "%s: %s",
			path->shown[0] ? path->shown : "(empty)", err.text);
		return;
	}
	paths_decide_one(d->in, &resolved, access, path, &hard, &guard);
	if (path->verdict != AMBIT_ALLOW)
		say_path(d, path, &resolved, hard, guard);
}

/* -- arguments that must lead into the folder -------------------------------------- */

/* at is moved. */
static void
refuse_place(struct decision *d, const struct tool_arg *arg, const struct request_path *asked,
	struct path_facts *at, bool inside)
{
	bool there = at->exists;
	struct ambit_outcome_path *path;

	if (add_path(d, at, format_asked_name(d, asked, at)) < 0)
		return;
	path = &d->out->paths[d->out->n_paths - 1];
	path->access = arg->access;
	path->does = word_of(arg->access, there, false);
	path->verdict = AMBIT_DENY;
	path->code = inside ? AMBIT_CODE_BAD_ARGUMENTS : AMBIT_CODE_OUT_OF_SCOPE;
	if (!inside) {
		say_path(d, path, &d->resolved[d->out->n_paths - 1], true, NULL);
		return;
	}
	decision_say(d, AMBIT_DENY, path->code, true,
		there ? "%s: %s is not a directory" : "%s: there is no directory %s", arg->name,
		path->shown);
	set_outcome_hint(
		d, str_printf("Name a directory inside the folder, or leave '%s' out.", arg->name));
}

/* An argument of another kind is one of the paths, too: decide_variant refuses it if it cannot be
 * resolved. */
static void
decide_place(struct decision *d, const struct tool_arg *arg, const json_t *value)
{
	struct request_path asked = {
		.text = (char *)json_string_value(value),
		.len = json_string_length(value),
		.access = arg->access,
	};
	const struct ambit_scope *scope = d->in->scope;
	struct path_facts at = { 0 };
	struct ambit_error err = { 0 };
	int r = scope_resolve(scope, d->in->request->cwd, asked.text, asked.len, true, &at, &err);
	bool inside = r == 0 && str_beneath(at.real, scope->root.real);

	if (r < 0 && arg->kind == TOOL_ARG_PLACE)
		decision_say(d, AMBIT_DENY, AMBIT_CODE_UNRESOLVABLE, true, "%s: %s", arg->name,
			err.text);
	if (r < 0 || (inside && (arg->bounds != TOOL_INSIDE_DIRECTORY || is_dir(&at))))
		resolved_finish(&at);
	else
		refuse_place(d, arg, &asked, &at, inside);
}

static void
decide_places(struct decision *d)
{
	const struct ambit_request *request = d->in->request;
	const struct tool_arg *arg = request->tool ? request->tool->args : NULL;

	for (; request->runner != RUNNER_OTHER && arg && arg->name && !d->ended && !d->failed;
		arg++) {
		const json_t *value = json_object_get(request->args, arg->name);

		if (arg->bounds != TOOL_ANYWHERE && json_string_length(value) > 0)
			decide_place(d, arg, value);
	}
}

/* -- what the kernel line resolved --------------------------------------------- */

static bool
is_held(const struct decision *d)
{
	const struct ambit_request *request = d->in->request;

	return request->n_paths > 0 && request->paths[0].object;
}

/* The same thing, or nothing, at the same place as when it was resolved. The
 * answer to a question is about that, and about nothing put there since. */
static bool
is_unchanged(const struct path_facts *then)
{
	struct path_facts now;
	bool same;

	if (resolve_path(AT_FDCWD, "/", then->real, strlen(then->real), false, &now, NULL) < 0)
		return false;
	same = streq(now.real, then->real) && now.exists == then->exists &&
	       (!now.exists || (now.dev == then->dev && now.ino == then->ino &&
				       (now.mode & S_IFMT) == (then->mode & S_IFMT)));
	resolved_finish(&now);
	return same;
}

/* The reason has said how the program called it; whoever answers by the path,
 * a person in a hurry or an approver program, sees what it is. */
static void
show_real(struct decision *d, struct ambit_outcome_path *path, const char *real)
{
	char *shown = ambit_scope_display(d->in->scope, real);

	if (!shown) {
		d->failed = -ENOMEM;
		return;
	}
	free(path->shown);
	path->shown = shown;
}

/* A name that goes through a descriptor of the program's tells nobody anything:
 * /proc/self/fd/14/x. It is shown by the name that it has. The rules still read the text
 * as it was written. */
static char *
format_object_name(const struct decision *d, const struct request_path *asked)
{
	const char *text = asked->text;
	bool by_descriptor = str_prefix(text, "/proc/") || str_prefix(text, "/dev/fd/");

	return ambit_scope_display(d->in->scope, by_descriptor ? asked->object->real : text);
}

/* There is room for all: see decide_verdict. */
static struct ambit_outcome_path *
borrow_object(struct decision *d, const struct request_path *asked)
{
	size_t n = d->out->n_paths++;

	d->resolved[n] = *asked->object;
	d->resolved[n].leads = NULL;
	d->out->paths[n] = (struct ambit_outcome_path){
		.path = (char *)asked->object->real,
		.access = asked->access,
		.code = AMBIT_CODE_UNRESOLVABLE,
	};
	return &d->out->paths[n];
}

struct ambit_outcome_path *
paths_add_object(struct decision *d, const struct request_path *asked)
{
	const struct path_facts *object = asked->object;
	struct path_facts resolved = *object;
	struct ambit_outcome_path *path;

	if (d->silent)
		return borrow_object(d, asked);
	/* The permit keeps it longer than the request lives. */
	resolved.real = strdup(object->real);
	resolved.written = strdup(asked->text);
	resolved.leads = NULL;
	if (!resolved.real || !resolved.written) {
		resolved_finish(&resolved);
		d->failed = -ENOMEM;
		return NULL;
	}
	if (add_path(d, &resolved, format_object_name(d, asked)) < 0)
		return NULL;
	path = &d->out->paths[d->out->n_paths - 1];
	path->access = asked->access;
	path->does = object_word(object, asked->access);
	return path;
}

/* A reason of its own, so a layer of its own. */
static void
say_scratch(struct decision *d, const struct ambit_outcome_path *path, bool exists)
{
	const char *layer = d->layer;

	d->layer = "scratch";
	decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false,
		exists ? "%s was made by this session in a scratch directory"
		       : "%s is new, in a scratch directory: every session makes its own files "
			 "there",
		path->shown);
	d->layer = layer;
	d->scratch = true;
}

static void
decide_object(struct decision *d, const struct request_path *asked)
{
	const struct path_facts *object = asked->object;
	struct ambit_outcome_path *path = paths_add_object(d, asked);
	const struct guard *guard;
	bool hard, scratch;

	if (!path)
		return;
	if (d->in->again && !is_unchanged(object)) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_UNRESOLVABLE, true,
			"%s: it changed while it was asked about", path->shown);
		return;
	}
	scratch = paths_decide_object(d->in, object, path, &hard, &guard);
	if (path->verdict != AMBIT_ALLOW)
		say_path(d, path, object, hard, guard);
	else if (scratch)
		say_scratch(d, path, object->exists);
	if (d->silent)
		return;
	path->owner = temporary_find_owner(d->in, d->out, d->out->n_paths - 1);
	if (object->sets_id && !path->danger)
		path->danger = "RUNS AS YOU FOR EVERY USER";
	show_real(d, path, object->real);
}

static void
decide_asked(struct decision *d, const struct request_path *asked, const char *cwd)
{
	if (asked->follow != TOOL_NOFOLLOW)
		decide_variant(d, asked, cwd, true);
	if (asked->follow != TOOL_FOLLOW)
		decide_variant(d, asked, cwd, false);
}

/* The kernel walks "link/.." through the link; many tools fold it away before
 * they open anything. Both places are decided. */
static void
decide_folded(struct decision *d, const struct request_path *asked)
{
	auto_free char *written = NULL;
	struct request_path folded = *asked;

	if (d->ended || d->failed || d->out->n_paths == 0 || !strstr(asked->text, ".."))
		return;
	written = str_dup(d->resolved[d->out->n_paths - 1].written);
	if (!written)
		return;
	folded.text = written;
	folded.len = strlen(written);
	decide_asked(d, &folded, NULL);
}

/* -- trees ------------------------------------------------------------------- */

static bool
is_source(enum ambit_access access)
{
	return access == AMBIT_ACCESS_DELETE || access == AMBIT_ACCESS_READ_TREE;
}

/* The n-th path is decided by its own name; this is about what comes with it. */
static void
guard_path(struct decision *d, size_t n, const struct guard *guard)
{
	struct ambit_outcome_path *path = &d->out->paths[n];

	d->brings |= guard != NULL;
	/* Asked already, it is asked as the guard now: a yes to the place alone
	 * must not bring the guard in. */
	if (!guard || path->verdict == AMBIT_DENY || path->code == AMBIT_CODE_GUARDED)
		return;
	path->verdict = AMBIT_ASK;
	path->code = access_writes(path->access) ? AMBIT_CODE_GUARDED : AMBIT_CODE_GUARDED_READ;
	say_path(d, path, &d->resolved[n], false, guard);
}

/* The guard that a directory takes away from one real path, or brings to the other, when it is
 * renamed; or NULL. Looks through it (bounded). */
static const struct guard *
find_guard_taken(const struct decide_input *in, const char *from)
{
	return guards_look(in->guards, in->scope, from, from, AMBIT_ACCESS_DELETE);
}

static const struct guard *
find_guard_brought(const struct decide_input *in, const char *from, const char *to)
{
	return guards_look(in->guards, in->scope, from, to, AMBIT_ACCESS_WRITE);
}

/* rename(2) puts a directory exactly where it says, never into what is there. */
static void
decide_renamed(struct decision *d, size_t n, size_t m)
{
	const char *from = d->resolved[n].real, *to = d->resolved[m].real;

	if (is_dir(&d->resolved[n]) && !streq(from, to))
		guard_path(d, m, find_guard_brought(d->in, from, to));
}

/* The text of a symlink that is moved or copied as itself: the guard that this touches. */
static const struct guard *
guard_of_link(const struct decision *d, size_t n, const char *to)
{
	char text[PATH_MAX] = "/";
	ssize_t len;

	if (!d->resolved[n].exists || !S_ISLNK(d->resolved[n].mode))
		return NULL;
	len = readlink(d->resolved[n].real, text, sizeof(text) - 1);
	text[len > 0 ? len : 1] = '\0';
	return guards_match_link(d->in->guards, to, text);
}

/* Source n goes to target m: into it if it is a directory, and with all that
 * it holds if it is one itself. */
static void
decide_landing(struct decision *d, size_t n, size_t m)
{
	const char *name = strrchr(d->resolved[n].written, '/') + 1;
	auto_free char *to = str_printf("%s/%s", d->resolved[m].real, name);
	auto_free char *from = strdup(d->resolved[n].real);
	auto_free char *onto = strdup(d->resolved[m].real);
	bool tree = is_dir(&d->resolved[n]), into = is_dir(&d->resolved[m]) && *name;
	struct request_path landing = {
		.text = to,
		.len = to ? strlen(to) : 0,
		.access = d->out->paths[m].access,
	};

	if (!to || !from || !onto) {
		d->failed = -ENOMEM;
		return;
	}
	if (into)
		decide_asked(d, &landing, NULL);
	if (d->ended || d->failed)
		return;
	guard_path(d, m, guard_of_link(d, n, into ? to : onto));
	if (!tree)
		return;
	/* Some tools put it beneath a directory that is there, some merge. */
	if (into)
		guard_path(d, m, find_guard_brought(d->in, from, to));
	guard_path(d, m, find_guard_brought(d->in, from, onto));
}

static void
decide_trees(struct decision *d)
{
	size_t count = d->out->n_paths;

	for (size_t n = 0; n < count && !d->ended && !d->failed; n++) {
		if (!is_source(d->out->paths[n].access))
			continue;
		/* rmdir(2) removes only what is empty. */
		if (d->out->paths[n].access == AMBIT_ACCESS_DELETE && is_dir(&d->resolved[n]) &&
			(is_transfer_tool(d) || !is_held(d)))
			guard_path(d, n, find_guard_taken(d->in, d->resolved[n].real));
		for (size_t m = 0; is_transfer_tool(d) && m < count && !d->ended && !d->failed;
			m++) {
			if (is_source(d->out->paths[m].access))
				continue;
			if (is_held(d))
				decide_renamed(d, n, m);
			else
				decide_landing(d, n, m);
		}
	}
}

void
paths_decide(struct decision *d)
{
	const struct ambit_request *request = d->in->request;
	auto_free char *folder = NULL;
	size_t asked = 0;

	decide_places(d);
	for (size_t i = 0; i < request->n_paths && !d->ended && !d->failed; i++) {
		if (request->paths[i].object) {
			decide_object(d, &request->paths[i]);
			continue;
		}
		decide_asked(d, &request->paths[i], request->cwd);
		decide_folded(d, &request->paths[i]);
	}
	if (!d->ended && !d->failed)
		decide_trees(d);
	for (size_t i = 0; i < d->out->n_paths; i++)
		asked += d->out->paths[i].verdict != AMBIT_ALLOW;
	if (asked > 0 || d->ended || d->failed || d->scratch || d->silent)
		return;
	folder = explain_folder(d->in->scope);
	if (!folder)
		d->failed = -ENOMEM;
	else if (request->tool && request->tool->shell && d->out->n_paths == 0)
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false,
			request->held
				? "what it touches is decided by the kernel line, call by call"
				: "what it touches cannot be read off a command");
	else if (d->out->n_paths > 0)
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "nothing past the line (%s)",
			folder);
}

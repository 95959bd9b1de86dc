/* SPDX-License-Identifier: Apache-2.0 */
/* From what is open without a question to the directories that the floor is
 * made of. The floor holds against a program that races the gate, so nothing
 * may be in it that the gate would refuse or ask about. Rights only extend
 * downward: where a guard, ambit's own things, or a remembered no lie beneath a
 * directory, or may come to lie there, nothing is granted on it, but on what
 * lies beside the way to them. Those directories are the spine; what happens
 * in them is done on behalf, by name, after the guard was asked about. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "request/request-object.h"
#include "scope/scope-narrow.h"

#define AROUND_MAX 2048 /* directories beside the way to what is not open */
#define ENTRIES_MAX 32768
#define ENTRIES_EACH 4096 /* in one directory */
#define DEPTH_MAX 128

struct walk {
	struct ambit_engine *engine;
	struct decide_input in;
	int (*each)(void *data, const char *path);
	int (*each_ground)(void *data, const char *path, bool spine);
	void *data;
	int left;    /* paths that may still be given */
	int entries; /* that may still be looked at */
};

enum stands {
	STANDS_CLEAR = 0,
	STANDS_ABOVE,  /* something that is not open lies beneath it */
	STANDS_WITHIN, /* it is, or lies in, something that is not open */
};

static void
compare_place(const char *path, const char *place, enum stands *stands)
{
	if (!place)
		return;
	if (str_beneath(path, place))
		*stands = STANDS_WITHIN;
	else if (*stands == STANDS_CLEAR && str_beneath(place, path))
		*stands = STANDS_ABOVE;
}

/* The folder's own top is always above guards: every name that is guarded
 * anywhere is guarded there. */
static enum stands
stands_to_guards(const struct decide_input *in, const char *path)
{
	switch (guards_stand(in->guards, path)) {
	case GUARD_NAMED:
	case GUARD_IS:
		return STANDS_WITHIN;
	case GUARD_ABOVE:
		return STANDS_ABOVE;
	case GUARD_CLEAR:
		break;
	}
	return streq(path, in->scope->root.real) ? STANDS_ABOVE : STANDS_CLEAR;
}

static enum stands
stands_to(const struct decide_input *in, const char *path)
{
	const struct ambit_scope *scope = in->scope;
	enum stands stands = stands_to_guards(in, path);

	/* ambit stages there what it is about to put in place: nobody else may add to it. */
	if (resolve_is_temp(path))
		return STANDS_WITHIN;
	compare_place(path, scope->state, &stands);
	compare_place(path, scope->config, &stands);
	compare_place(path, scope->runtime, &stands);
	compare_place(path, scope->settings, &stands);
	compare_place(path, scope->settings_name, &stands);
	for (char **pool = scope->pools; pool && *pool; pool++)
		compare_place(path, *pool, &stands);
	for (size_t i = 0; i < in->n_rules; i++)
		if (!in->rules[i].yes && in->rules[i].op == AMBIT_OP_WRITE &&
			memory_in_force(in, &in->rules[i]))
			compare_place(path, in->rules[i].subject, &stands);
	return stands;
}

static bool
is_dir_entry(int dirfd, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* The directories in dir that are clear, and those in the others. What cannot
 * be read, or is too much, is left out: it is done on behalf. */
static int visit_subdirectories(struct walk *w, const char *dir, int depth);

/* One directory and, where it is of the spine, those in it. */
static int
visit_ground(struct walk *w, const char *path, int depth)
{
	enum stands stands = stands_to(&w->in, path);
	int r;

	if (stands == STANDS_WITHIN || w->left <= 0)
		return 0;
	w->left--;
	r = w->each_ground(w->data, path, stands == STANDS_ABOVE);
	return r == 0 && stands == STANDS_ABOVE && depth < DEPTH_MAX
		       ? visit_subdirectories(w, path, depth + 1)
		       : r;
}

static int
visit_subdirectories(struct walk *w, const char *dir, int depth)
{
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	int each = ENTRIES_EACH, r = 0;
	struct dirent *e;

	if (!list)
		return 0;
	steal_fd(&fd);
	while (r == 0 && w->left > 0 && w->entries-- > 0 && each-- > 0 && (e = readdir(list))) {
		if (streq(e->d_name, ".") || streq(e->d_name, "..") ||
			!is_dir_entry(dirfd(list), e))
			continue;
		auto_free char *path = str_printf("%s/%s", streq(dir, "/") ? "" : dir, e->d_name);

		r = path ? visit_ground(w, path, depth) : -ENOMEM;
	}
	closedir(list);
	return r;
}

/* Whether the path is still what it was resolved to: a directory (or file)
 * with no link on the way. */
static bool
is_still(const char *path, bool dir)
{
	struct path_facts now;
	bool still;

	if (resolve_path(AT_FDCWD, "/", path, strlen(path), false, &now, NULL) < 0)
		return false;
	still = now.exists && streq(now.real, path) && !S_ISLNK(now.mode) &&
		(!dir || S_ISDIR(now.mode));
	resolved_finish(&now);
	return still;
}

/* A home or the whole machine is not gone through: there everything is done on behalf. */
static bool
is_too_wide(const struct ambit_scope *scope, const char *path)
{
	return streq(path, "/") || (scope->home && str_beneath(scope->home, path));
}

static bool
is_searched(const struct ambit_engine *engine, const char *path)
{
	for (size_t i = 0; engine->opens && engine->opens[i]; i++)
		if (streq(engine->opens[i], path))
			return true;
	return false;
}

/* Guards hold in granted folders, too: repositories in them are searched for, once. */
static int
search_granted(struct ambit_engine *engine, const char *path)
{
	int r = 0;

	if (is_too_wide(engine->scope, path) || is_searched(engine, path))
		return 0;
	if (!str_beneath(path, engine->guarded->root.real) && !guards_in_git(engine->guards, path))
		r = guards_search_granted(engine->guards, path);
	return r < 0 ? r : strv_append(&engine->opens, path);
}

static int
ground_granted(struct walk *w, const char *path)
{
	int r = search_granted(w->engine, path);

	return r < 0 || is_too_wide(w->in.scope, path) ? r : visit_ground(w, path, 0);
}

/* Of a folder that was narrowed; one may have been removed since. */
static int
ground_only(void *data, const char *path)
{
	return is_still(path, true) ? visit_ground(data, path, 0) : 0;
}

/* A rule that opens a directory to everybody in the session. */
static bool
opens_dir(const struct decide_input *in, const struct ambit_rule *rule, enum ambit_op op)
{
	return rule->yes && rule->op == op && rule->beneath && rule->pid == 0 &&
	       memory_in_force(in, rule);
}

int
engine_search_opened(struct ambit_engine *engine)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	size_t of = engine->n_grants + engine->rules.n;
	struct decide_input in;
	int r = 0;

	if (!engine->searched || engine->opens_of == of)
		return 0;
	engine_look(engine, &request, &in);
	for (size_t i = 0; r == 0 && i < engine->n_grants; i++)
		if (engine->grants[i].write)
			r = search_granted(engine, engine->grants[i].real);
	for (size_t i = 0; r == 0 && i < in.n_rules; i++)
		if (opens_dir(&in, &in.rules[i], AMBIT_OP_WRITE))
			r = search_granted(engine, in.rules[i].subject);
	engine->opens_of = r == 0 ? of : 0;
	return r;
}

static int
begin_walk(struct ambit_engine *engine, const struct ambit_request *request, struct walk *w)
{
	int r = scope_refresh(engine->scope, NULL);

	if (r == 0)
		r = engine_reload(engine, NULL);
	engine_look(engine, request, &w->in);
	w->left = AROUND_MAX;
	w->entries = ENTRIES_MAX;
	return r;
}

/* Where the guards are that are not at the top, once. */
static int
search_guards(struct ambit_engine *engine)
{
	int r = guards_ready(engine->guards, engine->guarded, NULL);

	if (r == 0 && !engine->searched)
		r = guards_search(
			engine->guards, engine->guarded, engine->known, &engine->search_cut);
	engine->searched = r == 0;
	return r;
}

int
engine_search(struct ambit_engine *engine, struct ambit_error *err)
{
	return search_guards(engine) < 0 ? err_nomem(err) : 0;
}

int
engine_add_repository(struct ambit_engine *engine, const char *repository)
{
	return engine->searched ? -EALREADY : strv_append(&engine->known, repository);
}

char *const *
engine_repositories(const struct ambit_engine *engine)
{
	return guards_repositories(engine->guards);
}

bool
engine_search_cut(const struct ambit_engine *engine)
{
	return engine->search_cut;
}

/* A directory with rights of its own would bring the right to read to where it is put. */
static bool
touches_closed(const struct decide_input *in, const char *dir)
{
	for (size_t i = 0; i < in->n_rules; i++)
		if (run_reads_has_no(in, &in->rules[i]) &&
			(str_beneath(dir, in->rules[i].subject) ||
				str_beneath(in->rules[i].subject, dir)))
			return true;
	return false;
}

bool
engine_may_open_dir(struct ambit_engine *engine, const char *dir)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;

	engine_look(engine, &request, &in);
	return engine->searched && stands_to(&in, dir) == STANDS_CLEAR &&
	       !guards_in_git(engine->guards, dir) && !touches_closed(&in, dir);
}

bool
engine_in_git(const struct ambit_engine *engine, const char *dir)
{
	return guards_in_git(engine->guards, dir);
}

static int
walk_writable_dirs(struct ambit_engine *engine,
	int (*each)(void *data, const char *path, bool spine), void *data)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct walk w = { .engine = engine, .each_ground = each, .data = data };
	int r = begin_walk(engine, &request, &w);

	if (r == 0)
		r = search_guards(engine);

	if (r < 0 || !engine_writes_plainly(&w.in))
		return r;
	r = scope_narrowed(engine->scope, ground_only, &w);
	if (r == 1)
		r = visit_ground(&w, engine->scope->root.real, 0);
	/* A child scope is law: what is open to the parent is not to it, and no answer opens
	 * anything past it. */
	if (engine->scope->enforce_write && !w.in.apart)
		return r;
	for (size_t i = 0; r == 0 && i < engine->n_grants; i++)
		if (engine->grants[i].write && is_still(engine->grants[i].real, false))
			r = ground_granted(&w, engine->grants[i].real);
	if (engine->scope->enforce_write)
		return r;
	for (size_t i = 0; r == 0 && i < w.in.n_rules; i++)
		if (opens_dir(&w.in, &w.in.rules[i], AMBIT_OP_WRITE) &&
			is_still(w.in.rules[i].subject, true))
			r = ground_granted(&w, w.in.rules[i].subject);
	return r;
}

struct telling {
	int (*each)(void *data, const char *path, bool spine);
	void *data;
	char **open;
};

static int
tell_ground(void *data, const char *path, bool spine)
{
	struct telling *telling = data;
	int r = spine ? 0 : strv_append(&telling->open, path);

	return r < 0 ? r : telling->each(telling->data, path, spine);
}

int
engine_writable(struct ambit_engine *engine, int (*each)(void *data, const char *path, bool spine),
	void *data)
{
	struct telling telling = { each, data, NULL };
	int r = walk_writable_dirs(engine, tell_ground, &telling);

	if (r == 0)
		r = engine_stance_take(engine, &telling.open);
	strv_free(telling.open);
	return r;
}

int
engine_lasting(struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data)
{
	int r = scope_narrowed(engine->scope, each, data);

	if (r == 1)
		r = each(data, engine->scope->root.real);
	for (size_t i = 0; r == 0 && i < engine->n_grants; i++)
		if (engine->grants[i].write)
			r = each(data, engine->grants[i].real);
	return r;
}

int
engine_grants(struct ambit_engine *engine, int (*each)(void *data, const char *path, bool write),
	void *data)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < engine->n_grants; i++) {
		const struct grant *grant = &engine->grants[i];
		auto_free char *names = grant->names ? str_printf("%s*", grant->real) : NULL;

		if (grant->names && !names)
			return -ENOMEM;
		r = each(data, names ? names : grant->real, grant->write);
	}
	return r;
}

char *
engine_guards(struct ambit_engine *engine)
{
	return search_guards(engine) < 0 ? NULL : guards_carry(engine->guards);
}

/* -- reads -------------------------------------------------------------------------- */

static bool
is_record(const struct ambit_scope *scope, const char *path)
{
	struct path_facts at = { .real = (char *)path, .written = (char *)path };

	return scope_protects(scope, &at, AMBIT_ACCESS_READ) != NULL;
}

static bool
is_closed(const struct decide_input *in, const char *real)
{
	const struct ambit_rule *rule = memory_find(in, AMBIT_OP_READ, real, false);

	return rule && !rule->yes;
}

static bool
lies_in_closed(const struct decide_input *in, const char *real)
{
	for (size_t i = 0; i < in->n_rules; i++)
		if (run_reads_has_no(in, &in->rules[i]) && str_beneath(real, in->rules[i].subject))
			return true;
	return false;
}

static int
report_readable(struct walk *w, const char *real)
{
	if (is_record(w->in.scope, real) || is_closed(&w->in, real))
		return 0;
	return w->each(w->data, real);
}

int
engine_readable(struct ambit_engine *engine, int (*each)(void *data, const char *path), void *data)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct walk w = { .engine = engine, .each = each, .data = data };
	int r = begin_walk(engine, &request, &w);
	bool limited = r == 0 && run_reads_are_limited(&w.in);

	if (limited)
		r = report_readable(&w, engine->scope->root.real);
	for (size_t i = 0; limited && r == 0 && i < engine->n_grants; i++)
		if (is_still(engine->grants[i].real, false))
			r = report_readable(&w, engine->grants[i].real);
	for (size_t i = 0; r == 0 && i < w.in.n_rules; i++) {
		const struct ambit_rule *rule = &w.in.rules[i];

		if (rule->yes && rule->op == AMBIT_OP_READ && rule->pid == 0 &&
			memory_in_force(&w.in, rule) && is_still(rule->subject, rule->beneath) &&
			(limited || lies_in_closed(&w.in, rule->subject)))
			r = report_readable(&w, rule->subject);
	}
	return r < 0 ? r : !limited;
}

/* A secret that a person opened is none any more. */
static int
report_secret(void *data, const char *real)
{
	struct walk *w = data;
	struct path_facts at = { .real = (char *)real, .written = (char *)real };
	struct ambit_outcome_path path = { 0 };
	const struct guard *guard;
	bool hard;

	if (is_record(w->in.scope, real))
		return 0; /* as a whole, below */
	paths_decide_one(&w->in, &at, AMBIT_ACCESS_READ_TREE, &path, &hard, &guard);
	return memory_allows(&w->in, &path, real) ? 0 : w->each(w->data, real);
}

static int
report_closed(struct walk *w)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < w->in.n_rules; i++)
		if (run_reads_has_no(&w->in, &w->in.rules[i]))
			r = w->each(w->data, w->in.rules[i].subject);
	return r;
}

int
engine_hidden(struct ambit_engine *engine, bool guarded, int (*each)(void *data, const char *path),
	void *data)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct walk w = { .engine = engine, .each = each, .data = data };
	int r = begin_walk(engine, &request, &w);

	if (r == 0)
		r = report_closed(&w);
	if (r < 0 || !guarded)
		return r;
	if (r == 0)
		r = guards_ready(engine->guards, engine->guarded, NULL);
	if (r == 0)
		r = guards_each_secret(engine->guards, report_secret, &w);
	if (r == 0 && engine->scope->state)
		r = each(data, engine->scope->state);
	if (r == 0 && engine->scope->runtime)
		r = each(data, engine->scope->runtime);
	return r;
}

/* Names and links that were not there, or too deep to be found, when all began. */
void
engine_hides(
	struct ambit_engine *engine, const struct path_facts *objects, size_t n, bool *ret_hides)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct walk w = { 0 };
	int r = begin_walk(engine, &request, &w);

	if (r == 0)
		r = guards_ready(engine->guards, engine->guarded, NULL);
	for (size_t i = 0; i < n; i++) {
		struct ambit_outcome_path path = { 0 };
		const struct guard *guard;
		bool hard;

		ret_hides[i] = true;
		if (r < 0)
			continue;
		paths_decide_one(&w.in, &objects[i], objects[i].access, &path, &hard, &guard);
		ret_hides[i] = !memory_allows(&w.in, &path, objects[i].real);
	}
}

/* -- names of what is closed -------------------------------------------------------------- */

bool
engine_closes_reads(const struct ambit_engine *engine)
{
	const struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;

	engine_look(engine, &request, &in);
	for (size_t i = 0; i < in.n_rules; i++)
		if (run_reads_has_no(&in, &in.rules[i]))
			return true;
	return false;
}

bool
engine_opens_reads(const struct ambit_engine *engine, const char *from, const char *to)
{
	const struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;

	engine_look(engine, &request, &in);
	for (size_t i = 0; i < in.n_rules; i++) {
		const char *closed = in.rules[i].subject;

		if (run_reads_has_no(&in, &in.rules[i]) &&
			(str_beneath(closed, from) ||
				(str_beneath(from, closed) && !str_beneath(to, closed))))
			return true;
	}
	return false;
}

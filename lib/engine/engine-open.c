/* SPDX-License-Identifier: Apache-2.0 */
/* What a session starts from: its stored modes and answers, the grants that
 * settings and profiles give, the guards. Everything that could later widen
 * the line is checked here, before the first request. */

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ambit/tool.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "record/upkeep.h"
#include "scope/profile.h"

#define LINKS_MAX 40 /* on the way to a grant, as the kernel has it */

static bool
is_in_outer_dirs(const char *real, const char *const *dirs)
{
	for (; dirs && *dirs; dirs++)
		if (str_beneath(real, *dirs))
			return true;
	return false;
}

static bool
is_open_outside(const struct ambit_engine *engine, const char *real)
{
	return is_in_outer_dirs(real, engine->outer->open);
}

enum grant_kind {
	GRANT_READ = 0,
	GRANT_WRITE,
	GRANT_NAMES, /* to write: see ambit_rule.names */
};

/* Takes what was resolved. */
static int
keep_grant(struct ambit_engine *engine, struct path_facts *resolved, enum grant_kind kind,
	struct ambit_error *err)
{
	struct grant *more = realloc(engine->grants, (engine->n_grants + 1) * sizeof(*more));

	if (more) {
		engine->grants = more;
		more[engine->n_grants++] = (struct grant){
			.real = resolved_take(resolved),
			.write = kind != GRANT_READ,
			.names = kind == GRANT_NAMES,
		};
	}
	resolved_finish(resolved);
	return more ? 0 : err_nomem(err);
}

static int
resolve_grant(const char *path, struct path_facts *ret_resolved, struct ambit_error *err)
{
	int r = resolve_path(AT_FDCWD, "/", path, strlen(path), true, ret_resolved, err);

	return r < 0 ? err_context(err, "the grant %s", path) : 0;
}

static bool
is_one_of(const char *real, const char *const *list)
{
	for (; list && *list; list++)
		if (streq(real, *list))
			return true;
	return false;
}

/* Inside another session. By what the name leads to now, whatever was looked at before: the
 * one who named it may have put a link there since. A child scope has nothing but what was
 * given to it. */
static bool
may_grant(const struct ambit_engine *engine, const char *real, bool write)
{
	const struct ambit_engine_outer *outer = engine->outer;

	if (write)
		return is_one_of(real, outer->grants) ||
		       (!engine->scope->enforce_write && is_one_of(real, outer->whole) &&
			       is_in_outer_dirs(real, outer->kept));
	return !outer->readable || is_in_outer_dirs(real, outer->open) ||
	       is_in_outer_dirs(real, outer->readable);
}

static int
add_grant(struct ambit_engine *engine, const char *path, bool write, struct ambit_error *err)
{
	struct path_facts resolved;
	int r = resolve_grant(path, &resolved, err);

	if (r < 0 || !engine->outer || may_grant(engine, resolved.real, write))
		return r < 0 ? r
			     : keep_grant(engine, &resolved, write ? GRANT_WRITE : GRANT_READ, err);
	/* What an answer opened there is open here for as long as the answer holds:
	 * see load_outer. */
	if (write && is_open_outside(engine, resolved.real) &&
		strv_append(&engine->wanted, resolved.real) < 0)
		r = err_nomem(err);
	resolved_finish(&resolved);
	return r;
}

/* Of the run's own, which made it for this: a session around it has no say in that. But who
 * is around it can write where it was made, and may have put a link there since: what the
 * name leads to is not what was made. */
int
engine_grant(struct ambit_engine *engine, const char *real, struct ambit_error *err)
{
	struct path_facts resolved;
	int r = resolve_grant(real, &resolved, err);

	if (r < 0)
		return r;
	if (streq(resolved.real, real) && resolved.exists && S_ISDIR(resolved.mode))
		return keep_grant(engine, &resolved, GRANT_WRITE, err);
	resolved_finish(&resolved);
	return err_set(err, ELOOP, "%s is not the directory any more that was made there", real);
}

/* A place of names is open here only if it is open as such outside. */
static int
add_names_grant(struct ambit_engine *engine, const char *real, struct ambit_error *err)
{
	auto_free char *shown = str_printf("%s*", real);
	struct path_facts resolved = { .real = strdup(real) };
	int r = shown && resolved.real ? 0 : err_nomem(err);

	if (r == 0 && engine->outer && !is_one_of(shown, engine->outer->grants))
		r = 1;
	if (r == 0)
		return keep_grant(engine, &resolved, GRANT_NAMES, err);
	resolved_finish(&resolved);
	return r < 0 ? r : 0;
}

/* The profile's name does not open the target of a link: see engine_check_profiles. */
static int
add_place(struct ambit_engine *engine, const struct profile_place *place, struct ambit_error *err)
{
	if (!engine->outer && place->leads)
		return 0;
	return place->names ? add_names_grant(engine, place->real, err)
			    : add_grant(engine, place->real, true, err);
}

static int
add_profile(struct ambit_engine *engine, const char *name, struct ambit_error *err)
{
	const struct profile *profile = profile_find(name);
	auto_profile_places struct profile_places places = { 0 };
	int r = profile ? profile_places_find(
				  profile, profile->folders, engine->scope, &places, err)
			: err_set(err, EINVAL, "there is no profile '%s'", name);

	for (size_t i = 0; r == 0 && i < places.n; i++)
		r = add_place(engine, &places.list[i], err);
	return r;
}

static bool
is_writable_place(const struct ambit_engine *engine, const char *real)
{
	if (str_beneath(real, engine->scope->root.real))
		return true;
	for (size_t i = 0; i < engine->n_grants; i++)
		if (engine->grants[i].write && str_beneath(real, engine->grants[i].real) &&
			!streq(real, engine->grants[i].real))
			return true;
	return false;
}

/* The path of the first link on the way, all before it real; NULL: there is none. *ret_next: where
 * it goes on from there, or NULL without memory. */
static char *
find_link(const char *path, char **ret_next)
{
	char target[PATH_MAX];

	for (const char *slash = path; slash; slash = strchr(slash + 1, '/')) {
		const char *end = strchr(slash + 1, '/');
		auto_free char *link = end ? strndup(path, (size_t)(end - path)) : strdup(path);
		ssize_t n = link ? readlink(link, target, sizeof(target) - 1) : -1;

		if (n <= 0)
			continue;
		target[n] = '\0';
		auto_free char *dir = strndup(path, (size_t)(slash - path));
		auto_free char *whole =
			dir ? str_printf("%s%s%s%s", target[0] == '/' ? "" : dir,
				      target[0] == '/' ? "" : "/", target, end ? end : "")
			    : NULL;

		*ret_next = whole ? resolve_fold("/", whole) : NULL;
		return steal_ptr(&link);
	}
	return NULL;
}

/* Commands behind the line could have put a link into the folder or a grant, and so have opened
 * what it leads to. */
static int
check_way(const struct ambit_engine *engine, const char *path, struct ambit_error *err)
{
	auto_free char *at = resolve_fold("/", path);

	for (int i = 0; i < LINKS_MAX && at; i++) {
		char *next = NULL;
		auto_free char *link = find_link(at, &next);

		free(at);
		at = next;
		if (!link)
			return 0;
		if (is_writable_place(engine, link))
			return err_set(err, EPERM,
				"the grant %s goes through the link %s, which commands behind the "
				"line can change: name the place that it leads to",
				path, link);
	}
	return at ? err_set(err, ELOOP, "the grant %s: too many links", path) : err_nomem(err);
}

static int
add_grants(struct ambit_engine *engine, struct ambit_error *err)
{
	const struct settings_values *person = settings_person(engine->settings);
	int r = 0;

	for (size_t i = 0; r == 0 && person->write && person->write[i]; i++)
		r = add_grant(engine, person->write[i], true, err);
	for (size_t i = 0; r == 0 && person->read && person->read[i]; i++)
		r = add_grant(engine, person->read[i], false, err);
	for (size_t i = 0; r == 0 && person->profiles && person->profiles[i]; i++)
		r = add_profile(engine, person->profiles[i], err);
	for (size_t i = 0; r == 0 && !engine->outer && person->write && person->write[i]; i++)
		r = check_way(engine, person->write[i], err);
	return r;
}

/* Whoever decides or answers for the person is asked about like what runs later with his
 * rights; so are files that it is given to run. A yes for something beside it is none. */
static int
guard_programs(char *const *words, char ***writes)
{
	int r = 0;

	for (; r == 0 && words && *words; words++) {
		auto_free char *real = (*words)[0] == '/' ? realpath(*words, NULL) : NULL;

		if (real && strpbrk(real, "*?[]\\{}") == NULL)
			r = strv_append(writes, real);
	}
	return r;
}

static int
open_guards(struct ambit_engine *engine, struct ambit_error *err)
{
	const struct settings_values *person = settings_person(engine->settings);
	const struct settings_values *folder = settings_folder(engine->settings);
	char **writes = NULL, **reads = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && person->guard_writes && person->guard_writes[i]; i++)
		r = strv_append(&writes, person->guard_writes[i]);
	for (size_t i = 0; r == 0 && folder->guard_writes && folder->guard_writes[i]; i++)
		r = strv_append(&writes, folder->guard_writes[i]);
	if (r == 0)
		r = guard_programs(person->policy_program, &writes);
	if (r == 0)
		r = guard_programs(person->judge.command, &writes);
	if (r == 0 && person->ask && str_prefix(person->ask, "exec:"))
		r = guard_programs((char *[]){ person->ask + strlen("exec:"), NULL }, &writes);
	for (size_t i = 0; r == 0 && person->guard_reads && person->guard_reads[i]; i++)
		r = strv_append(&reads, person->guard_reads[i]);
	for (size_t i = 0; r == 0 && folder->guard_reads && folder->guard_reads[i]; i++)
		r = strv_append(&reads, folder->guard_reads[i]);
	if (r < 0)
		err_nomem(err);
	else
		r = guards_create(
			&(struct guards_options){
				.scope = engine->guarded,
				.writes = writes,
				.reads = reads,
				.no_writes = person->unguard_writes,
				.no_reads = person->unguard_reads,
				.later = true, /* most runs of a command ask about nothing */
			},
			&engine->guards, err);
	strv_free(writes);
	strv_free(reads);
	return r;
}

/* A name for a session that has none: sortable by time, hard to guess. The date
 * is counted by hand: gmtime_r reads the time zone's file. A year is taken to
 * begin in March, so that a leap day is its last. */
char *
session_make_name(void)
{
	int64_t now = clock_now() / 1000, days = now / 86400 + 719468, rest = now % 86400;
	int64_t era = days / 146097, of_era = days % 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153, day = of_year - (153 * month + 2) / 5 + 1;
	char random[7];

	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	hash_random_name(random, 6);
	return str_printf("%04d%02d%02d-%02d%02d%02d-%s", (int)year, (int)month, (int)day,
		(int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60), random);
}

static void
set_limits(const struct ambit_engine *engine)
{
	const struct ambit_settings *settings = engine->settings;

	record_set_limits(engine->record,
		&(struct record_limits){
			.session_events = ambit_settings_number(settings, "record_session_max"),
			.store_bytes =
				ambit_settings_number(settings, "record_max") * (INT64_C(1) << 20),
			.keep_ms = ambit_settings_number(settings, "keep_days") * INT64_C(86400000),
		});
}

/* A command in a scope of its own, inside the session's folder, is of that session. */
static bool
is_session_around(const struct ambit_engine *engine, const char *name)
{
	return engine->outer && is_one_of(name, engine->outer->sessions);
}

static int
open_session(struct ambit_engine *engine, const char *name, struct ambit_error *err)
{
	struct ambit_session *s = &engine->session;
	int r = -ENOENT;

	if (name && !ambit_session_name_valid(name))
		return err_set(err, EINVAL,
			"'%s' is not a session name: 1 to 64 letters, digits, '.', '_' and '-', "
			"not "
			"beginning with '.' or '-'",
			name);
	if (engine->record && !engine->observe)
		set_limits(engine);
	/* Before it is read: what is held is not removed. */
	if (name && engine->record && !engine->observe)
		record_session_hold(engine->record, name);
	if (name && engine->record)
		r = ambit_record_session_load(engine->record, name, s, err);
	if (r == 0 && !streq(s->root, engine->scope->root.real) && !is_session_around(engine, name))
		return err_set(err, EEXIST,
			"the session '%s' belongs to the folder %s: choose another name, or "
			"that folder",
			name, s->root);
	if (r != -ENOENT)
		return r;
	*s = (struct ambit_session){
		.agent_mode = -1,
		.sandbox_mode = -1,
		.ask_mode = -1,
		.reads = -1,
		.created = clock_now(),
		.name = name ? strdup(name) : session_make_name(),
		.root = strdup(engine->scope->root.real),
		.display_root = strdup(engine->scope->display.real),
	};
	if (!s->name || !s->root || !s->display_root)
		return err_nomem(err);
	if (!engine->record || engine->observe)
		return 0;
	record_session_hold(engine->record, s->name);
	/* Nobody asks for a session whose name he does not know. */
	return name ? record_session_store(engine->record, s, err)
		    : record_session_later(engine->record, s, err);
}

int
engine_store(struct ambit_engine *engine, struct ambit_error *err)
{
	return engine->record && !engine->observe ? record_session_now(engine->record, err) : 0;
}

/* -- rules ------------------------------------------------------------------- */

static int
copy_rule(void *data, const struct ambit_rule *rule)
{
	struct rules *rules = data;
	struct ambit_rule *more = realloc(rules->list, (rules->n + 1) * sizeof(*more)),
			  copy = *rule;

	if (!more)
		return -ENOMEM;
	rules->list = more;
	copy.subject = str_dup(rule->subject);
	copy.label = str_dup(rule->label);
	copy.session = str_dup(rule->session);
	copy.project = str_dup(rule->project);
	copy.message = str_dup(rule->message);
	copy.source = str_dup(rule->source);
	rules->list[rules->n++] = copy;
	/* A rule whose folder was lost would hold everywhere. */
	if ((rule->subject && !copy.subject) || (rule->session && !copy.session) ||
		(rule->project && !copy.project))
		return -ENOMEM;
	return 0;
}

/* Its modes and permissions, too, may have been changed from outside. */
static int
reload_session(struct ambit_engine *engine, struct ambit_error *err)
{
	struct ambit_session session = { 0 }, before;
	int r = ambit_record_session_load(engine->record, engine->session.name, &session, err);

	if (r == -ENOENT)
		return engine_cap_session(engine, err);
	if (r < 0)
		return r;
	/* Without what those around it say, it is not in force. */
	before = engine->session;
	engine->session = session;
	r = engine_cap_session(engine, err);
	if (r < 0)
		engine->session = before;
	ambit_session_finish(r < 0 ? &session : &before);
	return r;
}

struct narrowing {
	const struct ambit_engine *engine;
	const char *root; /* of the session's folder */
	struct rules *rules;
};

/* A yes about files of the outer folder holds where it is about the inner one. */
static int
copy_narrow(void *data, const struct ambit_rule *rule)
{
	const struct narrowing *n = data;
	const char *root = n->root;

	if (rule->yes && rule->project && rule->op != AMBIT_OP_CONNECT &&
		!str_beneath(rule->subject, root))
		return 0;
	if (rule->yes && !rule->session && rule->op == AMBIT_OP_WRITE &&
		!str_beneath(rule->subject, root) && !is_open_outside(n->engine, rule->subject))
		return 0;
	return copy_rule(n->rules, rule);
}

static int
copy_no(void *data, const struct ambit_rule *rule)
{
	return rule->yes ? 0 : copy_rule(data, rule);
}

/* Whether a no there counts for more at path than this yes, which is about more than
 * path: the more specific one does, among equals the newer. */
static bool
is_beaten(const struct rules *around, const struct ambit_rule *yes, const char *path)
{
	size_t said = strlen(yes->subject);

	for (size_t i = 0; i < around->n; i++) {
		const struct ambit_rule *no = &around->list[i];
		size_t n = strlen(no->subject);

		if (!no->yes && no->op == AMBIT_OP_WRITE && !no->revoked &&
			str_beneath(path, no->subject) &&
			(n > said || (n == said && no->id > yes->id)))
			return true;
	}
	return false;
}

/* A yes of a session around this one, as far as this one was started with it. */
static int
copy_wanted(const struct ambit_engine *engine, const struct rules *around,
	const struct ambit_rule *yes, struct rules *rules)
{
	struct ambit_rule less = *yes;
	int r = 0;

	if (yes->op != AMBIT_OP_WRITE || yes->pid != 0)
		return 0;
	for (char **wanted = engine->wanted; r == 0 && wanted && *wanted; wanted++) {
		if (str_beneath(yes->subject, *wanted))
			less.subject = yes->subject;
		else if (yes->beneath && str_beneath(*wanted, yes->subject) &&
			 !is_beaten(around, yes, *wanted))
			less.subject = *wanted;
		else
			continue;
		r = copy_rule(rules, &less);
	}
	return r;
}

static int
copy_around(const struct ambit_engine *engine, const struct rules *around, struct rules *rules)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < around->n; i++)
		r = around->list[i].yes ? copy_wanted(engine, around, &around->list[i], rules)
					: copy_rule(rules, &around->list[i]);
	return r;
}

/* A no of any session around this one, or for the inner folder, is a no here. */
static int
load_outer(struct ambit_engine *engine, struct rules *rules, struct ambit_error *err)
{
	struct ambit_rule_filter filter = { .project = engine->scope->root.real };
	int r = ambit_record_rules(engine->record, &filter, copy_no, rules, err);

	for (const char *const *name = engine->outer->sessions; r == 0 && name && *name; name++) {
		filter = (struct ambit_rule_filter){
			.session = *name,
			.project = engine->guarded->root.real,
		};
		struct rules around = { 0 };

		r = ambit_record_rules(engine->record, &filter, copy_rule, &around, err);
		if (r == 0 && copy_around(engine, &around, rules) < 0)
			r = err_nomem(err);
		rules_finish(&around);
	}
	return r;
}

static int
load_rules(struct ambit_engine *engine, struct ambit_error *err)
{
	struct ambit_rule_filter filter = {
		.session = engine->session.name,
		.project = engine->guarded->root.real,
	};
	struct rules rules = { 0 };
	bool of_door = is_session_around(engine, engine->session.name);
	struct narrowing narrowing = {
		.engine = engine,
		.root = of_door ? engine->session.root : engine->scope->root.real,
		.rules = &rules,
	};
	/* A command in a scope of its own has its door's answers; the scope says what they can
	 * open there. */
	bool whole = !engine->outer || (of_door && !engine->outer->sessions[1]);
	int r = !whole ? ambit_record_rules(engine->record, &filter, copy_narrow, &narrowing, err)
		       : ambit_record_rules(engine->record, &filter, copy_rule, &rules, err);

	if (r == 0 && engine->outer)
		r = load_outer(engine, &rules, err);
	if (r < 0) {
		rules_finish(&rules);
		return r;
	}
	rules_finish(&engine->rules);
	engine->rules = rules;
	engine->opens_of = 0;
	return 0;
}

/* Another process may have stored or revoked an answer: memory is read again
 * whenever the record has changed. */
int
engine_reload(struct ambit_engine *engine, struct ambit_error *err)
{
	int64_t version;
	int r;

	if (!engine->record)
		return 0;
	version = record_version(engine->record);
	if (version >= 0 && version == engine->rules_version)
		return 0;
	/* What fails half way is done again at the next look. */
	engine->rules_version = -1;
	r = load_rules(engine, err);
	if (r == 0)
		r = reload_session(engine, err);
	if (r == 0)
		engine->rules_version = version;
	return r;
}

/* What is remembered, from one moment or later: what changes after the first
 * look at the version is read again. */
static int
open_memory(struct ambit_engine *engine, const char *session, struct ambit_error *err)
{
	int64_t version = engine->record ? record_version(engine->record) : -1;
	int r = open_session(engine, session, err);

	if (r == 0 && engine->record)
		r = load_rules(engine, err);
	if (r == 0)
		engine->rules_version = version;
	return r;
}

int
engine_open(struct ambit_engine *engine, const struct ambit_engine_options *options,
	struct ambit_error *err)
{
	int r;

	engine->settings = options->settings;
	engine->scope = options->scope;
	engine->outer = options->outer;
	engine->guarded = options->outer ? options->outer->scope : options->scope;
	engine->record = options->record;
	engine->approver = options->approver;
	engine->judge = options->judge;
	engine->policy = options->policy;
	if (settings_person(options->settings)->policy_program &&
		!(engine->answers = policy_memory_create()))
		return err_nomem(err);
	engine->observe = options->observe;
	engine->rules_version = -1;
	engine->door = strdup(options->door ? options->door : "library");
	engine->agent = str_dup(options->agent);
	engine->pending = pending_create();
	if (!engine->door || !engine->pending || (options->agent && !engine->agent))
		return err_nomem(err);
	engine->unlimited = options->unlimited;
	if (engine->unlimited || (engine->approver && engine->approver->instant))
		pending_limit(engine->pending, false);
	r = add_grants(engine, err);
	if (r == 0)
		r = open_guards(engine, err);
	if (r == 0 && engine->outer && engine->outer->guards)
		r = guards_take(engine->guards, engine->outer->guards, err);
	if (r == 0)
		r = open_memory(engine, options->session, err);
	if (r == 0)
		r = engine_check_profiles(engine, err);
	if (r == 0)
		r = engine_check_programs(engine, err);
	return r;
}

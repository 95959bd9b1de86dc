/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as one question: the state folders and hosts of an agent or a
 * package manager, opened together or not at all. The rules that an answer
 * stores and the words that were shown come from the same list of places. The
 * table is trusted; where its names lead on this machine is looked at. */

#include <fcntl.h>
#include <stdlib.h>

#include <ambit/tool.h>

#include "ask/question-copy.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-profile.h"
#include "engine/engine-ticket.h"
#include "request/host.h"

/* Tickets count from one; these never meet them. */
#define QUESTION_ID ((uint64_t)1 << 63)

/* A link may lead to a guard, which a yes to a profile does not mean. */
static int
check_links(
	struct ambit_engine *engine, const struct profile_places *places, struct ambit_error *err)
{
	for (size_t i = 0; i < places->n; i++) {
		const struct profile_place *place = &places->list[i];
		int r = place->leads ? guards_ready(engine->guards, engine->guarded, err) : 0;

		if (r < 0)
			return r;
		if (place->leads && (guards_is(engine->guards, place->real, false, false) ||
					    guards_is(engine->guards, place->real, false, true)))
			return err_set(err, EPERM,
				"%s leads to %s, which is guarded: not to be opened", place->shown,
				place->real);
	}
	return 0;
}

static void
opening_finish(struct opening *opening)
{
	profile_places_finish(&opening->places);
}

#define auto_opening __attribute__((cleanup(opening_finish)))

static int
find_places(struct opening *opening, struct ambit_engine *engine, const char *const *folders,
	struct ambit_error *err)
{
	int r = profile_places_find(
		opening->profile, folders, engine->scope, &opening->places, err);

	return r == 0 ? check_links(engine, &opening->places, err) : r;
}

static int
opening_init(struct opening *opening, struct ambit_engine *engine, const char *name,
	struct ambit_error *err)
{
	*opening = (struct opening){
		.profile = streq(name, "worktree") ? engine_worktree_profile(engine)
						   : profile_find(name),
		.reads = ambit_engine_mode(engine, "reads", NULL) != AMBIT_READS_ANYWHERE,
	};
	if (!opening->profile)
		return err_set(err, EINVAL, "there is no profile '%s'", name);
	return find_places(opening, engine, opening->profile->folders, err);
}

static int
opening_init_settings(struct opening *opening, struct ambit_engine *engine,
	const struct profile *profile, struct ambit_error *err)
{
	*opening = (struct opening){ .profile = profile, .settings = true };
	return find_places(opening, engine, profile->settings, err);
}

/* -- what holds already --------------------------------------------------------- */

static bool
has_profile_name(char *const *names, const char *name)
{
	for (size_t i = 0; names && names[i]; i++)
		if (streq(names[i], name))
			return true;
	return false;
}

/* A guard must be granted itself. */
static bool
is_place_granted(const struct decide_input *in, const struct opening *opening,
	const struct profile_place *place)
{
	for (size_t i = 0; i < in->n_grants; i++) {
		const struct grant *grant = &in->grants[i];

		if (grant->write && (grant->names || !place->names) &&
			(opening->settings ? streq(place->real, grant->real)
					   : str_beneath(place->real, grant->real)))
			return true;
	}
	return false;
}

static const struct ambit_rule *
find_place_rule(const struct decide_input *in, const struct opening *opening,
	const struct profile_place *place)
{
	return memory_find(in, AMBIT_OP_WRITE, place->real, opening->settings);
}

static bool
is_place_open(const struct decide_input *in, const struct opening *opening,
	const struct profile_place *place)
{
	const struct ambit_rule *rule = find_place_rule(in, opening, place);

	if (rule && rule->yes && (rule->names || !place->names))
		return true;
	return (!rule || rule->yes) && is_place_granted(in, opening, place);
}

/* A link may have been made by a command in a folder that was open then: what it leads to is open
 * only if somebody said so of that place itself. */
static int
check_ways(struct ambit_engine *engine, const struct opening *opening, struct ambit_error *err)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;

	engine_look(engine, &request, &in);
	for (size_t i = 0; !engine->outer && i < opening->places.n; i++) {
		const struct profile_place *place = &opening->places.list[i];

		if (place->leads && !is_place_open(&in, opening, place))
			return err_set(err, EPERM,
				"the profile %s: %s leads to %s, through a link that a command "
				"behind the line may have made: to open that, name it (--write), "
				"or leave the profile out and say yes when you are asked",
				opening->profile->name, place->shown, place->real);
	}
	return 0;
}

int
engine_check_profiles(struct ambit_engine *engine, struct ambit_error *err)
{
	char *const *names = settings_person(engine->settings)->profiles;
	int r = 0;

	for (; r == 0 && names && *names; names++) {
		auto_opening struct opening opening = { 0 };

		if (!profile_find(*names))
			continue;
		r = opening_init(&opening, engine, *names, err);
		if (r == 0)
			r = check_ways(engine, &opening, err);
	}
	return r;
}

/* 0: all of it is open; 1: not all; -EACCES: somebody said no to some of it. */
static int
check_remembered_rules(
	const struct decide_input *in, const struct opening *opening, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; i < opening->places.n; i++) {
		const struct profile_place *place = &opening->places.list[i];
		const struct ambit_rule *rule = find_place_rule(in, opening, place);

		if (rule && !rule->yes) {
			auto_free char *text = ambit_rule_text(rule);

			return err_set(err, EACCES, "a person said no (rule %lld: %s)",
				(long long)rule->id, text ? text : "?");
		}
		if (!is_place_open(in, opening, place))
			r = 1;
	}
	return r;
}

/* -- rules ---------------------------------------------------------------------- */

static int
add_rule(struct rules *rules, enum ambit_op op, const char *subject, bool names)
{
	struct ambit_rule *more = realloc(rules->list, (rules->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	rules->list = more;
	more[rules->n] = (struct ambit_rule){
		.op = op,
		.beneath = op != AMBIT_OP_CONNECT,
		.names = names,
		.subject = strdup(subject),
	};
	return more[rules->n++].subject ? 0 : -ENOMEM;
}

static int
fill_profile_rules(const struct ambit_engine *engine, const struct opening *opening,
	const struct ambit_answer *answer, struct rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		struct ambit_rule *rule = &rules->list[i];
		bool standing = answer->kind == AMBIT_ALWAYS;

		rule->yes = answer->kind >= AMBIT_ONCE;
		rule->created = clock_now();
		rule->source = str_printf("profile %s", opening->profile->name);
		if (!standing || !opening_holds_everywhere(opening))
			rule->project = strdup(engine->scope->root.real);
		rule->session = standing ? NULL : strdup(engine->session.name);
		if (!rule->yes && answer->message[0])
			rule->message = strdup(answer->message);
		if (!rule->source || (!standing && (!rule->project || !rule->session)) ||
			(!opening_holds_everywhere(opening) && !rule->project) ||
			(!rule->yes && answer->message[0] && !rule->message))
			return -ENOMEM;
	}
	return 0;
}

/* A no is about the folders: hosts may be others' as well, and are asked one
 * by one when somebody goes there. */
static int
make_rules(const struct ambit_engine *engine, const struct opening *opening,
	const struct ambit_answer *answer, struct rules *rules)
{
	bool yes = answer->kind >= AMBIT_ONCE;
	int r = 0;

	for (size_t i = 0; r == 0 && i < opening->places.n; i++) {
		const struct profile_place *place = &opening->places.list[i];

		r = add_rule(rules, AMBIT_OP_WRITE, place->real, place->names);
		if (r == 0 && yes && opening->reads)
			r = add_rule(rules, AMBIT_OP_READ, place->real, place->names);
	}
	for (size_t i = 0; r == 0 && yes && !opening->settings && opening->profile->hosts[i]; i++)
		r = add_rule(rules, AMBIT_OP_CONNECT, opening->profile->hosts[i], false);
	return r < 0 ? r : fill_profile_rules(engine, opening, answer, rules);
}

static int
append_profile_event(struct ambit_engine *engine, const char *kind, const char *subject,
	const char *verdict, const json_t *body, struct ambit_error *err)
{
	struct ambit_event event = {
		.session = engine->session.name,
		.time = clock_now(),
		.kind = kind,
		.verdict = verdict,
		.subject = subject,
	};

	if (!body)
		return err_nomem(err);
	if (!engine->record || engine->observe)
		return 0;
	return record_append(engine->record, &event, body, err);
}

/* What is in force now, for no request in particular. */
static int
refresh_decide_input(struct ambit_engine *engine, const struct ambit_request *request,
	struct decide_input *in, struct ambit_error *err)
{
	int r = scope_refresh(engine->scope, err);

	if (r == 0)
		r = engine_reload(engine, err);
	if (r == 0)
		engine_look(engine, request, in);
	return r;
}

static uint64_t
question_id(const struct profile *profile)
{
	uint64_t i = 0;

	while (profile_at(i) && profile_at(i) != profile)
		i++;
	return QUESTION_ID + i;
}

static bool
is_profile_open(const struct ambit_engine *engine, const char *name)
{
	return has_profile_name(settings_person(engine->settings)->profiles, name) ||
	       has_profile_name(engine->opened, name);
}

/* Where its places lead. */
static uint64_t
hash_places(const struct opening *opening)
{
	uint64_t hash = HASH_FNV_START;

	for (size_t i = 0; i < opening->places.n; i++)
		hash = hash_fnv(hash, opening->places.list[i].real,
			strlen(opening->places.list[i].real) + 1);
	return hash;
}

int
engine_profile_question(struct ambit_engine *engine, const char *name, const char *const *adds,
	struct ambit_question *ret_question, struct ambit_error *err)
{
	auto_opening struct opening opening = { 0 };
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct ambit_question q = { 0 };
	struct decide_input in;
	int r;

	if (is_profile_open(engine, name))
		return 0;
	r = refresh_decide_input(engine, &request, &in, err);
	if (r == 0)
		r = opening_init(&opening, engine, name, err);
	opening.adds = adds;
	if (r == 0)
		r = check_remembered_rules(&in, &opening, err);
	if (r != 1)
		return r;
	r = opening_question(engine, &opening, &q) < 0 ? err_nomem(err) : 0;
	q.id = question_id(opening.profile);
	q.expires = engine_expires(engine, clock_now());
	engine->profile_shown = hash_places(&opening);
	if (r == 0) {
		auto_json json_t *body =
			json_pack("{s:s, s:s}", "door", engine->door, "why", q.why);

		r = append_profile_event(engine, "ask", q.who,
			ambit_word_name(ambit_verdicts, AMBIT_ASK), body, err);
	}
	if (r < 0) {
		question_finish(&q);
		return r;
	}
	*ret_question = q;
	return 1;
}

int
engine_profile_state(struct ambit_engine *engine, const struct profile *profile, char ***ret_state,
	struct ambit_error *err)
{
	auto_opening struct opening opening = { 0 };
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;
	int r = opening_init(&opening, engine, profile->name, err);

	engine_look(engine, &request, &in);
	for (size_t i = 0; r == 0 && i < opening.places.n; i++) {
		const struct profile_place *place = &opening.places.list[i];
		auto_free char *path = str_printf("%s%s", place->real, place->names ? "*" : "");

		if (is_place_open(&in, &opening, place) &&
			(!path || strv_append(ret_state, path) < 0))
			r = err_nomem(err);
	}
	return r;
}

/* Several profiles may have the same place: a no names its own. */
static bool
was_refused(const struct decide_input *in, const struct opening *opening)
{
	auto_free char *source = str_printf("profile %s", opening->profile->name);

	for (size_t i = 0; source && i < opening->places.n; i++) {
		const struct ambit_rule *rule =
			find_place_rule(in, opening, &opening->places.list[i]);

		if (rule && !rule->yes && rule->source && streq(rule->source, source))
			return true;
	}
	return false;
}

const struct profile *
engine_profile_closed(
	struct ambit_engine *engine, const char *real, bool makes_dir, const struct profile *own)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	const struct profile *profile;
	struct decide_input in;

	engine_look(engine, &request, &in);
	for (size_t i = 0; (profile = profile_at(i)); i++) {
		auto_opening struct opening opening = { 0 };

		if (opening_init(&opening, engine, profile->name, NULL) == 0 &&
			profile_places_hold(&opening.places, real, makes_dir) &&
			(was_refused(&in, &opening) ||
				(profile == own &&
					check_remembered_rules(&in, &opening, NULL) == 1)))
			return profile;
	}
	return NULL;
}

int
engine_profile_adds(struct ambit_engine *engine, const char *name, const char *const *adds,
	struct ambit_error *err)
{
	auto_buf struct buf subject = { 0 };
	auto_json json_t *body = json_pack("{s:s, s:[]}", "door", engine->door, "adds");

	buf_printf(&subject, "profile %s adds", name);
	for (size_t i = 0; body && adds[i]; i++) {
		json_array_append_new(json_object_get(body, "adds"), json_string(adds[i]));
		buf_printf(&subject, " %s", adds[i]);
	}
	return subject.failed
		       ? err_nomem(err)
		       : append_profile_event(engine, "profile", subject.data, NULL, body, err);
}

/* -- the profile of a program that runs ----------------------------------------------- */

static bool
has_host(const struct profile *profile, const struct ambit_request *request)
{
	for (size_t i = 0; profile->hosts[i]; i++)
		if (host_match(profile->hosts[i], request->host,
			    request->lookup ? HOST_PORT_ANY : request->port))
			return true;
	return false;
}

static bool
answers_host(const struct opening *opening, const struct ambit_request *request)
{
	return !opening->settings && has_host(opening->profile, request);
}

/* Whether all that is in question is the profile's: its folders and what is missing above them, or
 * what configures it; and no call by itself. */
static bool
answers_outcome(const struct opening *opening, const struct ambit_request *request,
	const struct ambit_outcome *outcome)
{
	enum ambit_code code = opening->settings ? AMBIT_CODE_GUARDED : AMBIT_CODE_OUTSIDE;
	bool any = false;

	if (outcome->call || (outcome->host && !answers_host(opening, request)))
		return false;
	for (size_t i = 0; i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];

		if (path->verdict != AMBIT_ASK || path->remembered)
			continue;
		if (path->code != code || !access_writes(path->access) ||
			!profile_places_hold(&opening->places, path->path,
				!opening->settings && path->access == AMBIT_ACCESS_MKDIR))
			return false;
		any = true;
	}
	return any || outcome->host;
}

/* Of its places none is open or refused by name, and all that is in question is among them. */
static bool
may_ask_opening(struct ambit_engine *engine, const struct opening *opening,
	const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	struct decide_input in;

	engine_look(engine, request, &in);
	return opening->places.n > 0 && check_remembered_rules(&in, opening, NULL) == 1 &&
	       answers_outcome(opening, request, outcome);
}

static bool
may_ask_profile(struct ambit_engine *engine, const struct profile *profile,
	const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	auto_opening struct opening opening = { 0 };

	return !is_profile_open(engine, profile->name) &&
	       opening_init(&opening, engine, profile->name, NULL) == 0 &&
	       may_ask_opening(engine, &opening, request, outcome);
}

static bool
may_ask_settings(struct ambit_engine *engine, const struct profile *profile,
	const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	auto_opening struct opening opening = { 0 };

	return opening_init_settings(&opening, engine, profile, NULL) == 0 &&
	       may_ask_opening(engine, &opening, request, outcome);
}

#define OWN_NAMES 2 /* of the asking process itself, its file and script, come first */

struct asks_profile
engine_profile_of(struct ambit_engine *engine, const struct ambit_request *request,
	const struct ambit_outcome *outcome)
{
	struct asks_profile none = { 0 };

	if (outcome->verdict != AMBIT_ASK || !engine->record || engine->observe || engine->outer)
		return none;
	for (size_t i = 0; request->programs && request->programs[i]; i++) {
		const struct profile *profile = profile_for(request->programs[i]);

		if (!profile)
			continue;
		if (may_ask_profile(engine, profile, request, outcome))
			return (struct asks_profile){
				.profile = profile,
				.missing = profile_find_missing(
					profile, i < OWN_NAMES ? request->words : NULL),
			};
		if (i < OWN_NAMES && may_ask_settings(engine, profile, request, outcome))
			return (struct asks_profile){ .profile = profile, .settings = true };
	}
	return none;
}

static int
init_asked(struct opening *opening, struct ambit_engine *engine, struct asks_profile asks,
	struct ambit_error *err)
{
	return asks.settings ? opening_init_settings(opening, engine, asks.profile, err)
			     : opening_init(opening, engine, asks.profile->name, err);
}

int
engine_profile_asks(struct ambit_engine *engine, struct asks_profile *asks,
	struct ambit_question *q, struct ambit_error *err)
{
	auto_opening struct opening opening = { 0 };
	struct ambit_question asked = { 0 };
	int r = init_asked(&opening, engine, *asks, err);

	opening.by = q->by;
	opening.missing = asks->missing;
	if (r == 0 && opening_question(engine, &opening, &asked) < 0)
		r = err_nomem(err);
	asked.id = q->id;
	asked.expires = q->expires;
	asks->shown = hash_places(&opening);
	question_finish(r < 0 ? &asked : q);
	if (r == 0)
		*q = asked;
	return r;
}

/* -- the answer --------------------------------------------------------------------- */

/* For this engine alone. Everything that can fail comes first. */
static int
grant_profile_places(struct ambit_engine *engine, struct opening *opening, struct ambit_error *err)
{
	size_t n = opening->places.n;
	struct grant *more = realloc(engine->grants, (engine->n_grants + n) * sizeof(*more));

	if (!more)
		return err_nomem(err);
	engine->grants = more;
	if (!opening->settings && strv_append(&engine->opened, opening->profile->name) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		more[engine->n_grants++] = (struct grant){
			.real = steal_ptr(&opening->places.list[i].real),
			.write = true,
			.names = opening->places.list[i].names,
		};
	return 0;
}

static int
store_profile_rules(struct ambit_engine *engine, const struct opening *opening,
	const struct ambit_answer *answer, struct ambit_error *err)
{
	struct rules rules = { 0 };
	int r;

	if (!engine->record || engine->observe)
		return err_set(err, EROFS, "there is no record that the answer could be kept in");
	r = make_rules(engine, opening, answer, &rules) < 0 ? err_nomem(err) : 0;
	if (r == 0)
		r = record_rules_add(engine->record, rules.list, rules.n, err);
	rules_finish(&rules);
	engine->rules_version = -1;
	return r;
}

static int
say_stale(const struct opening *opening, struct ambit_error *err)
{
	return err_set(err, ESTALE,
		"the places of %s lead somewhere else than was shown with the question",
		opening->profile->name);
}

static int
take_answer(struct ambit_engine *engine, struct opening *opening, const struct ambit_answer *answer,
	const char *approver, struct ambit_error *err)
{
	const char *word = ambit_word_name(ambit_answers, (int)answer->kind);
	auto_free char *subject = opening_subject(opening);
	int r;

	if (!opening_offers(answer->kind))
		return err_set(
			err, EINVAL, "'%s' is not one of the answers to this question", word);
	auto_json json_t *body = json_pack(
		"{s:s, s:s, s:s}", "answer", word, "approver", approver, "door", engine->door);

	if (!subject || !body || json_set_text(body, "message", answer->message) < 0)
		return err_nomem(err);
	r = append_profile_event(engine, "answer", subject, NULL, body, err);
	if (r < 0)
		return r;
	/* Nothing can be kept, and nothing is opened: then each place is asked about. */
	if (answer->kind == AMBIT_NO && (!engine->record || engine->observe))
		return 0;
	if (answer->kind == AMBIT_ONCE)
		return grant_profile_places(engine, opening, err);
	return store_profile_rules(engine, opening, answer, err);
}

int
engine_profile_answer(struct ambit_engine *engine, const char *name,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err)
{
	auto_opening struct opening opening = { 0 };
	int r = opening_init(&opening, engine, name, err);

	if (r == 0 && engine->profile_shown != 0 && hash_places(&opening) != engine->profile_shown)
		r = say_stale(&opening, err);
	return r < 0 ? r : take_answer(engine, &opening, answer, approver, err);
}

int
engine_profile_answered(struct ambit_engine *engine, struct asks_profile asks,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err)
{
	auto_opening struct opening opening = { 0 };
	int r = init_asked(&opening, engine, asks, err);

	if (r == 0 && hash_places(&opening) != asks.shown)
		r = say_stale(&opening, err);
	return r < 0 ? r : take_answer(engine, &opening, answer, approver, err);
}

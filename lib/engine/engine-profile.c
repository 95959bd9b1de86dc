/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as one question: the state folders and hosts of an agent or a
 * package manager, opened together or not at all. The rules that an answer
 * stores and the words that were shown come from the same list of places. The
 * table is trusted; where its names lead on this machine is looked at. */

#include <fcntl.h>
#include <stdlib.h>

#include <ambit/tool.h>

#include "ask/question-copy.h"
#include "ask/question-words.h"
#include "ask/text-columns.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "scope/profile.h"

/* Tickets count from one; these never meet them. */
#define QUESTION_ID ((uint64_t)1 << 63)

struct places {
	const struct profile *profile;
	char **reals; /* beside profile->folders: where they lead; end in NULL */
	bool reads;   /* reads are limited, so that they must be opened as well */
};

static void
places_finish(struct places *places)
{
	strv_free(places->reals);
	places->reals = NULL;
}

#define auto_places __attribute__((cleanup(places_finish)))

/* A folder that is, or holds, the home is no state folder, whatever link made
 * it one. */
static int
add_place(struct places *places, const char *home, const char *folder, struct ambit_error *err)
{
	auto_free char *path =
		str_prefix(folder, "~/") ? str_printf("%s/%s", home, folder + 2) : strdup(folder);
	struct resolved resolved;
	int r;

	if (!path)
		return err_nomem(err);
	r = resolve_path(AT_FDCWD, "/", path, strlen(path), true, &resolved, err);
	if (r < 0)
		return err_context(err, "%s", folder);
	if (str_beneath(home, resolved.real))
		r = err_set(err, EPERM, "%s leads to %s: not to be opened", folder, resolved.real);
	else if (strv_append(&places->reals, resolved.real) < 0)
		r = err_nomem(err);
	resolved_finish(&resolved);
	return r;
}

static int
places_init(struct places *places, struct ambit_engine *engine, const char *name,
	struct ambit_error *err)
{
	const char *home = engine->scope->home;
	int r = 0;

	*places = (struct places){
		.profile = streq(name, "worktree") ? engine_worktree_profile(engine)
						   : profile_find(name),
		.reads = ambit_engine_mode(engine, "reads", NULL) != AMBIT_READS_ANYWHERE,
	};
	if (!places->profile)
		return err_set(err, EINVAL, "there is no profile '%s'", name);
	if (!home)
		return err_set(err, ENOENT, "the profile %s needs a home directory", name);
	for (size_t i = 0; r == 0 && places->profile->folders[i]; i++)
		r = add_place(places, home, places->profile->folders[i], err);
	if (r < 0)
		return err ? err_context(err, "the profile %s", name) : r;
	return 0;
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

static bool
is_write_granted(const struct decide_input *in, const char *real)
{
	for (size_t i = 0; i < in->n_grants; i++)
		if (in->grants[i].write && str_beneath(real, in->grants[i].real))
			return true;
	return false;
}

/* 0: all of it is open; 1: not all; -EACCES: somebody said no to some of it. */
static int
check_remembered_rules(
	const struct decide_input *in, const struct places *places, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; places->reals[i]; i++) {
		const struct ambit_rule *rule =
			memory_find(in, AMBIT_OP_WRITE, places->reals[i], false);

		if (rule && !rule->yes) {
			auto_free char *text = ambit_rule_text(rule);

			return err_set(err, EACCES, "a person said no (rule %lld: %s)",
				(long long)rule->id, text ? text : "?");
		}
		if (!rule && !is_write_granted(in, places->reals[i]))
			r = 1;
	}
	return r;
}

/* -- rules ---------------------------------------------------------------------- */

/* An agent's own folders are the same in every project; a worktree is this one's. */
static bool
holds_everywhere(const struct places *places)
{
	return places->profile == profile_find(places->profile->name);
}

static int
add_rule(struct rules *rules, enum ambit_op op, const char *subject)
{
	struct ambit_rule *more = realloc(rules->list, (rules->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	rules->list = more;
	more[rules->n] = (struct ambit_rule){
		.op = op,
		.beneath = op != AMBIT_OP_CONNECT,
		.subject = strdup(subject),
	};
	return more[rules->n++].subject ? 0 : -ENOMEM;
}

static int
fill_profile_rules(const struct ambit_engine *engine, const struct places *places,
	const struct ambit_answer *answer, struct rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		struct ambit_rule *rule = &rules->list[i];
		bool standing = answer->kind == AMBIT_ALWAYS;

		rule->yes = answer->kind >= AMBIT_ONCE;
		rule->created = clock_now();
		rule->source = str_printf("profile %s", places->profile->name);
		if (!standing || !holds_everywhere(places))
			rule->project = strdup(engine->scope->root.real);
		rule->session = standing ? NULL : strdup(engine->session.name);
		if (!rule->yes && answer->message[0])
			rule->message = strdup(answer->message);
		if (!rule->source || (!standing && (!rule->project || !rule->session)) ||
			(!holds_everywhere(places) && !rule->project) ||
			(!rule->yes && answer->message[0] && !rule->message))
			return -ENOMEM;
	}
	return 0;
}

/* A no is about the folders: hosts may be others' as well, and are asked one
 * by one when somebody goes there. */
static int
make_rules(const struct ambit_engine *engine, const struct places *places,
	const struct ambit_answer *answer, struct rules *rules)
{
	bool yes = answer->kind >= AMBIT_ONCE;
	int r = 0;

	for (size_t i = 0; r == 0 && places->reals[i]; i++) {
		r = add_rule(rules, AMBIT_OP_WRITE, places->reals[i]);
		if (r == 0 && yes && places->reads)
			r = add_rule(rules, AMBIT_OP_READ, places->reals[i]);
	}
	for (size_t i = 0; r == 0 && yes && places->profile->hosts[i]; i++)
		r = add_rule(rules, AMBIT_OP_CONNECT, places->profile->hosts[i]);
	return r < 0 ? r : fill_profile_rules(engine, places, answer, rules);
}

/* -- words ---------------------------------------------------------------------- */

/* "~/.cache/node-gyp (really /data/gyp)"; both paths in so many columns, where cutting them in the
 * middle does it. */
static char *
make_folder_text(
	const struct ambit_engine *engine, const struct places *places, size_t i, size_t columns)
{
	const char *folder = places->profile->folders[i], *home = engine->scope->home;
	bool below = str_prefix(folder, "~/");
	auto_free char *plain = below ? str_printf("%s/%s", home, folder + 2) : strdup(folder);
	auto_free char *shown = below ? strdup(folder) : question_path(engine->scope, folder);
	auto_free char *real = question_path(engine->scope, places->reals[i]);

	if (!plain || !shown || !real)
		return NULL;
	if (streq(plain, places->reals[i]))
		return text_cut_path(shown, columns);
	if (text_cut_pair(&shown, &real, text_room(columns, strlen(" (really )"))) < 0)
		return NULL;
	return str_printf("%s (really %s)", shown, real);
}

/* All of them, whole. */
static void
put_folders(struct buf *out, const struct ambit_engine *engine, const struct places *places)
{
	for (size_t i = 0; places->reals[i]; i++) {
		auto_free char *text = make_folder_text(engine, places, i, SIZE_MAX);

		out->failed |= !text;
		buf_printf(out, "%s%s", i > 0 ? ", " : "", text ? text : "");
	}
}

static void
put_hosts(struct buf *out, const struct profile *profile)
{
	for (size_t i = 0; profile->hosts[i]; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : "", profile->hosts[i]);
}

static char *
why_text(const struct ambit_engine *engine, const struct places *places)
{
	struct buf out = { 0 };

	buf_printf(&out, "%s; folders ", places->profile->text);
	put_folders(&out, engine, places);
	if (places->profile->hosts[0]) {
		buf_puts(&out, "; hosts ");
		put_hosts(&out, places->profile);
	}
	return buf_take(&out);
}

static void
put_until(struct buf *out, const struct ambit_engine *engine, const struct places *places,
	enum ambit_answer_kind kind)
{
	const char *root = engine->scope->root.real;
	auto_free char *shown = str_escape(root, strlen(root));

	if (kind == AMBIT_ONCE)
		buf_puts(out, ", this run only");
	else if (kind != AMBIT_ALWAYS)
		buf_puts(out, ", this session");
	else if (holds_everywhere(places))
		buf_puts(out, ", always, in every project");
	else
		buf_printf(out, ", always in %s", shown ? shown : "");
	out->failed |= !shown;
}

/* What make_rules makes, in one line. */
static char *
stores_text(
	const struct ambit_engine *engine, const struct places *places, enum ambit_answer_kind kind)
{
	struct buf out = { 0 };
	bool yes = kind >= AMBIT_ONCE;

	buf_puts(&out, !yes	       ? "no write beneath "
		       : places->reads ? "write and read beneath "
				       : "write beneath ");
	put_folders(&out, engine, places);
	if (yes && places->profile->hosts[0]) {
		buf_puts(&out, "; connect ");
		put_hosts(&out, places->profile);
	}
	put_until(&out, engine, places, kind);
	return buf_take(&out);
}

/* -- words for screens -------------------------------------------------------------- */

#define FACT_WIDTH (TEXT_LINE - 7)	  /* behind its name */
#define FACT_MORE strlen("  and 99 more") /* behind those that fit */

/* {"sandbox":{"enabled":false}} as sandbox.enabled=false; other words as they are. */
static void
put_argument(struct buf *out, const char *text)
{
	auto_json json_t *object = text[0] == '{' ? json_loads(text, 0, NULL) : NULL;
	const json_t *at = object;

	while (json_object_size(at) == 1) {
		void *member = json_object_iter((json_t *)at);

		buf_printf(out, "%s%s", at == object ? "" : ".", json_object_iter_key(member));
		at = json_object_iter_value(member);
	}
	if (!object || json_is_object(at) || json_is_array(at)) {
		buf_puts(out, text);
		return;
	}
	auto_free char *value = json_dumps(at, JSON_ENCODE_ANY);

	buf_printf(out, "=%s", value ? value : "?");
}

/* Puts the item if the line takes it, and what must follow: after many columns, and "and 2 more"
 * if it is not the last. The first is put in any case. */
static bool
put_fitting_item(struct buf *out, const char *item, bool last, size_t after)
{
	size_t used = text_columns(out->data ? out->data : "") + (out->len > 0 ? 2 : 0);

	if (out->len > 0 && used + text_columns(item) + (last ? 0 : FACT_MORE) + after > FACT_WIDTH)
		return false;
	buf_printf(out, "%s%s", out->len > 0 ? "  " : "", item);
	return true;
}

/* As many as one line takes; the explanation has them all. */
static int
add_write_fact(
	struct ambit_question *q, const struct ambit_engine *engine, const struct places *places)
{
	const char *login = strstr(places->profile->text, "sign-in") ? " (its login too)" : "";
	size_t n = strv_len(places->reals), i = 0;
	size_t most = FACT_WIDTH - strlen(login) - (n > 1 ? FACT_MORE : 0);
	auto_buf struct buf out = { 0 };

	for (; i < n; i++) {
		auto_free char *text = make_folder_text(engine, places, i, most);

		out.failed |= !text;
		if (text && !put_fitting_item(&out, text, i + 1 == n, strlen(login)))
			break;
	}
	if (i < n)
		buf_printf(&out, "  and %zu more", n - i);
	buf_puts(&out, login);
	return out.failed ? -ENOMEM : question_add_fact(q, "write", out.data);
}

static int
add_hosts_fact(struct ambit_question *q, const struct profile *profile)
{
	auto_buf struct buf out = { 0 };
	const char *const *host = profile->hosts;

	if (!*host)
		return 0;
	while (*host && put_fitting_item(&out, *host, !host[1], 0))
		host++;
	if (*host)
		buf_printf(&out, "  and %zu more", strv_len((char *const *)host));
	return out.failed ? -ENOMEM : question_add_fact(q, "hosts", out.data);
}

/* Why it is added, as long as the line takes it. */
static const char *
choose_adds_reason(size_t used)
{
	static const char *const reasons[] = { " (ambit holds it instead)", " (ambit holds it)" };

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (used + strlen(reasons[i]) <= FACT_WIDTH)
			return reasons[i];
	return "";
}

static int
add_adds_fact(struct ambit_question *q, const struct profile *profile)
{
	auto_buf struct buf out = { 0 };

	for (const char *const *word = profile->args; word && *word; word++) {
		buf_puts(&out, out.len > 0 ? " " : "");
		put_argument(&out, *word);
	}
	for (const char *const *word = profile->env; word && *word; word++)
		buf_printf(&out, "%s%s", out.len > 0 ? " " : "", *word);
	if (out.len == 0)
		return 0;
	buf_puts(&out, choose_adds_reason(out.len));
	return out.failed ? -ENOMEM : question_add_fact(q, "adds", out.data);
}

/* The folder's path is cut so that one line takes it. */
static char *
make_object(const struct ambit_engine *engine, const struct places *places)
{
	const struct profile *profile = places->profile;
	auto_free char *folder = question_path(engine->scope, engine->scope->root.real);
	auto_free char *before = NULL, *cut = NULL;
	const char *after = " is a worktree. Open its repository?";

	if (holds_everywhere(places)) {
		before = str_printf("%s keeps files%s outside ", profile->name,
			profile->hosts[0] ? " and uses hosts" : "");
		after = ". Open them?";
	} else {
		before = strdup("");
	}
	if (before && folder)
		cut = text_cut_path(folder, text_room(TEXT_LINE, strlen(before) + strlen(after)));
	return cut ? str_printf("%s%s%s", before, cut, after) : NULL;
}

static int
add_words(struct ambit_question *q, const struct ambit_engine *engine, const struct places *places)
{
	const char *root = engine->scope->root.real;

	q->kind = strdup("profile");
	q->project = holds_everywhere(places) ? strdup("") : question_path(engine->scope, root);
	q->object = make_object(engine, places);
	if (!q->kind || !q->project || !q->object || add_write_fact(q, engine, places) < 0 ||
		add_hosts_fact(q, places->profile) < 0)
		return -ENOMEM;
	return add_adds_fact(q, places->profile);
}

static char *
make_label(const struct places *places, enum ambit_answer_kind kind)
{
	const struct profile *profile = places->profile;

	if (kind == AMBIT_ONCE)
		return strdup("this run");
	if (kind == AMBIT_FILE)
		return strdup("this session");
	if (kind == AMBIT_ALWAYS)
		return strdup("all of it");
	if (kind == AMBIT_NO_SESSION)
		return strdup("no, for this session");
	if (!holds_everywhere(places))
		return strdup("no (git cannot commit)");
	return str_printf("no (%s might not %s)", profile->name,
		streq(profile->kind, "agent") ? "start" : "work");
}

/* -- the question ----------------------------------------------------------------- */

static const enum ambit_answer_kind offered[] = {
	AMBIT_NO,
	AMBIT_NO_SESSION,
	AMBIT_ONCE,
	AMBIT_FILE,
	AMBIT_ALWAYS,
};

#define OFFERED_N (sizeof(offered) / sizeof(offered[0]))

static int
add_choices(
	const struct ambit_engine *engine, const struct places *places, struct ambit_question *q)
{
	q->choices = calloc(OFFERED_N, sizeof(*q->choices));
	if (!q->choices)
		return -ENOMEM;
	for (; q->n_choices < OFFERED_N; q->n_choices++) {
		struct ambit_choice *choice = &q->choices[q->n_choices];

		choice->kind = offered[q->n_choices];
		choice->stores = stores_text(engine, places, choice->kind);
		choice->label = make_label(places, choice->kind);
		if (!choice->stores || !choice->label) {
			q->n_choices++; /* half of it is there to be freed */
			return -ENOMEM;
		}
	}
	q->folder = q->n_choices;
	return 0;
}

static json_t *
list_json(const char *const *list)
{
	json_t *array = json_array();

	for (size_t i = 0; array && list[i]; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

static uint64_t
question_id(const struct profile *profile)
{
	uint64_t i = 0;

	while (profile_at(i) && profile_at(i) != profile)
		i++;
	return QUESTION_ID + i;
}

static int
make_question(
	const struct ambit_engine *engine, const struct places *places, struct ambit_question *q)
{
	const struct profile *profile = places->profile;

	*q = (struct ambit_question){
		.id = question_id(profile),
		.who = str_printf("profile %s", profile->name),
		.what = profile == profile_find(profile->name)
				? str_printf(
					  "open the state folders and hosts of %s", profile->name)
				: strdup("open the repository that the folder is a worktree of"),
		.why = why_text(engine, places),
		.expires = engine_expires(engine, clock_now()),
	};
	if (!q->who || !q->what || !q->why || add_words(q, engine, places) < 0)
		return -ENOMEM;
	auto_json json_t *request = json_pack("{s:s, s:o, s:o}", "profile", profile->name,
		"folders", list_json(profile->folders), "hosts", list_json(profile->hosts));
	auto_json json_t *outcome =
		json_pack("{s:s, s:s, s:s}", "verdict", ambit_word_name(ambit_verdicts, AMBIT_ASK),
			"code", ambit_word_name(ambit_codes, AMBIT_CODE_OUTSIDE), "reason", q->why);

	q->request = request ? json_line(request) : NULL;
	q->outcome = outcome ? json_line(outcome) : NULL;
	return q->request && q->outcome ? add_choices(engine, places, q) : -ENOMEM;
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

int
engine_profile_question(struct ambit_engine *engine, const char *name,
	struct ambit_question *ret_question, struct ambit_error *err)
{
	auto_places struct places places = { 0 };
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct ambit_question q = { 0 };
	struct decide_input in;
	int r;

	if (has_profile_name(settings_person(engine->settings)->profiles, name) ||
		has_profile_name(engine->opened, name))
		return 0;
	r = refresh_decide_input(engine, &request, &in, err);
	if (r == 0)
		r = places_init(&places, engine, name, err);
	if (r == 0)
		r = check_remembered_rules(&in, &places, err);
	if (r != 1)
		return r;
	r = make_question(engine, &places, &q) < 0 ? err_nomem(err) : 0;
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

/* -- the answer --------------------------------------------------------------------- */

/* For this engine alone. Everything that can fail comes first. */
static int
grant_profile_places(struct ambit_engine *engine, struct places *places, struct ambit_error *err)
{
	size_t n = strv_len(places->reals);
	struct grant *more = realloc(engine->grants, (engine->n_grants + n) * sizeof(*more));

	if (!more)
		return err_nomem(err);
	engine->grants = more;
	if (strv_append(&engine->opened, places->profile->name) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		more[engine->n_grants++] =
			(struct grant){ .real = steal_ptr(&places->reals[i]), .write = true };
	return 0;
}

static int
store_profile_rules(struct ambit_engine *engine, const struct places *places,
	const struct ambit_answer *answer, struct ambit_error *err)
{
	struct rules rules = { 0 };
	int r;

	if (!engine->record || engine->observe)
		return err_set(err, EROFS, "there is no record that the answer could be kept in");
	r = make_rules(engine, places, answer, &rules) < 0 ? err_nomem(err) : 0;
	if (r == 0)
		r = record_rules_add(engine->record, rules.list, rules.n, err);
	rules_finish(&rules);
	engine->rules_version = -1;
	return r;
}

static bool
is_offered(enum ambit_answer_kind kind)
{
	for (size_t i = 0; i < OFFERED_N; i++)
		if (offered[i] == kind)
			return true;
	return false;
}

int
engine_profile_answer(struct ambit_engine *engine, const char *name,
	const struct ambit_answer *answer, const char *approver, struct ambit_error *err)
{
	auto_places struct places places = { 0 };
	const char *word = ambit_word_name(ambit_answers, (int)answer->kind);
	auto_free char *subject = str_printf("profile %s", name);
	int r;

	if (!is_offered(answer->kind))
		return err_set(
			err, EINVAL, "'%s' is not one of the answers to this question", word);
	r = subject ? places_init(&places, engine, name, err) : err_nomem(err);
	if (r < 0)
		return r;
	auto_json json_t *body = json_pack(
		"{s:s, s:s, s:s}", "answer", word, "approver", approver, "door", engine->door);

	if (body && json_set_text(body, "message", answer->message) < 0)
		return err_nomem(err);
	r = append_profile_event(engine, "answer", subject, NULL, body, err);
	if (r < 0)
		return r;
	/* Nothing can be kept, and nothing is opened: then each place is asked about. */
	if (answer->kind == AMBIT_NO && (!engine->record || engine->observe))
		return 0;
	if (answer->kind == AMBIT_ONCE)
		return grant_profile_places(engine, &places, err);
	return store_profile_rules(engine, &places, answer, err);
}

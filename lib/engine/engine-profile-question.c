/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the question about a profile: the folders and hosts that it opens, what is added to
 * the command, and the answers. */

#include <stdlib.h>

#include <ambit/tool.h>

#include "ask/question-copy.h"
#include "ask/question-words.h"
#include "ask/text-columns.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/engine-profile.h"

/* -- words ---------------------------------------------------------------------- */

/* "~/.cache/node-gyp (really /data/gyp)"; both paths in so many columns, where cutting them in the
 * middle does it. */
static char *
make_folder_text(
	const struct ambit_engine *engine, const struct opening *opening, size_t i, size_t columns)
{
	const struct profile_place *place = &opening->places.list[i];
	const char *folder = place->shown, *home = engine->scope->home;
	bool below = str_prefix(folder, "~/");
	auto_free char *plain = below ? str_printf("%s/%s", home, folder + 2) : strdup(folder);
	auto_free char *shown = below ? strdup(folder) : question_path(engine->scope, folder);
	auto_free char *path = str_printf("%s%s", place->real, place->names ? "*" : "");
	auto_free char *real = path ? question_path(engine->scope, path) : NULL;

	if (!plain || !shown || !real)
		return NULL;
	if (streq(plain, path))
		return text_cut_path(shown, columns);
	if (text_cut_pair(&shown, &real, text_room(columns, strlen(" (really )"))) < 0)
		return NULL;
	return str_printf("%s (really %s)", shown, real);
}

/* All of them, whole. */
static void
put_folders(struct buf *out, const struct ambit_engine *engine, const struct opening *opening)
{
	for (size_t i = 0; i < opening->places.n; i++) {
		auto_free char *text = make_folder_text(engine, opening, i, SIZE_MAX);

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

/* {"a":{"b":false},"c":"d"} as "a.b=false  c=d", behind the option that it is the value of. */
static void
put_members(struct buf *out, json_t *object, const char *before)
{
	const char *key;
	json_t *value;

	json_object_foreach (object, key, value) {
		auto_free char *name = str_printf("%s%s%s", before, *before ? "." : "", key);
		auto_free char *text = json_is_string(value) ? strdup(json_string_value(value))
							     : json_dumps(value, JSON_ENCODE_ANY);

		out->failed |= !name || !text;
		if (json_is_object(value) && name)
			put_members(out, value, name);
		else if (name && text)
			buf_printf(out, "%s%s=%s",
				out->len > 0 && out->data[out->len - 1] != ' ' ? "  " : "", name,
				text);
	}
}

/* All that is added, with two spaces between things: an option is one with its value. */
static char *
adds_text(const struct opening *opening)
{
	struct buf out = { 0 };

	for (const char *const *word = opening->adds; word && *word; word++) {
		auto_json json_t *object = **word == '{' ? json_loads(*word, 0, NULL) : NULL;
		bool value = object || (**word != '-' && !strchr(*word, '='));

		if (out.len > 0)
			buf_puts(&out, value ? " " : "  ");
		if (object)
			put_members(&out, object, "");
		else
			buf_puts(&out, *word);
	}
	return buf_take(&out);
}

/* "; start it as 'codex --sandbox danger-full-access'": what nobody can add any more. */
static void
put_missing(struct buf *out, const struct opening *opening)
{
	const char *name = opening->profile->name;

	buf_printf(out,
		"; needed by %s; its own sandbox does not work inside the line, so start it as "
		"'ambit run -- %s' or as '%s",
		opening->by, name, name);
	for (const char *const *word = opening->missing->args; *word; word++)
		buf_printf(out, " %s", *word);
	buf_puts(out, "'");
}

static char *
why_text(const struct ambit_engine *engine, const struct opening *opening)
{
	auto_free char *adds = adds_text(opening);
	struct buf out = { 0 };

	if (opening->settings)
		buf_printf(&out,
			"what configures %s can name commands that run with your rights when it is "
			"started again; every command behind the line could then write ",
			opening->profile->name);
	else
		buf_printf(&out, "%s; folders ", opening->profile->text);
	put_folders(&out, engine, opening);
	if (!opening->settings && opening->profile->hosts[0]) {
		buf_puts(&out, "; hosts ");
		put_hosts(&out, opening->profile);
	}
	if (adds && *adds) {
		buf_puts(&out, "; adds");
		for (char *rest = adds, *one; (one = strsep(&rest, " "));)
			buf_printf(&out, "%s%s", *one ? " " : "", one);
	}
	if (opening->missing && opening->by)
		put_missing(&out, opening);
	out.failed |= !adds;
	return buf_take(&out);
}

static void
put_until(struct buf *out, const struct ambit_engine *engine, const struct opening *opening,
	enum ambit_answer_kind kind)
{
	const char *root = engine->scope->root.real;
	auto_free char *shown = str_escape(root, strlen(root));

	if (kind == AMBIT_ONCE)
		buf_puts(out, ", this run only");
	else if (kind != AMBIT_ALWAYS)
		buf_puts(out, ", this session");
	else if (opening_holds_everywhere(opening))
		buf_puts(out, ", always, in every project");
	else
		buf_printf(out, ", always in %s", shown ? shown : "");
	out->failed |= !shown;
}

/* What make_rules makes, in one line. */
static char *
stores_text(const struct ambit_engine *engine, const struct opening *opening,
	enum ambit_answer_kind kind)
{
	struct buf out = { 0 };
	bool yes = kind >= AMBIT_ONCE;

	buf_puts(&out, !yes		? "no write beneath "
		       : opening->reads ? "write and read beneath "
					: "write beneath ");
	put_folders(&out, engine, opening);
	if (yes && !opening->settings && opening->profile->hosts[0]) {
		buf_puts(&out, "; connect ");
		put_hosts(&out, opening->profile);
	}
	put_until(&out, engine, opening, kind);
	return buf_take(&out);
}

/* -- words for screens -------------------------------------------------------------- */

#define FACT_WIDTH (TEXT_LINE - 7)	  /* behind its name */
#define FACT_MORE strlen("  and 99 more") /* behind those that fit */

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

static const char *
choose_write_note(const struct opening *opening)
{
	if (opening->settings || !strstr(opening->profile->text, "sign-in"))
		return "";
	return strstr(opening->profile->text, "and program") ? " (login, program too)"
							     : " (its login too)";
}

/* Puts the i-th place, of which so many are left. False: the line is full. */
static bool
put_place(struct buf *out, const struct ambit_engine *engine, const struct opening *opening,
	size_t i, size_t left)
{
	size_t note = strlen(choose_write_note(opening));
	size_t most = FACT_WIDTH - note - (opening->places.n > 1 ? FACT_MORE : 0);
	bool leads = opening->places.list[i].leads;
	auto_free char *text = make_folder_text(engine, opening, i, most);

	out->failed |= !text;
	if (!text || !leads)
		return text && put_fitting_item(out, text, left == 1, note);
	buf_printf(out, "%s%s", out->len > 0 ? "  " : "", text);
	return true;
}

/* As many as one line takes; the explanation has them all. Those that lead somewhere else are all
 * shown, and first: nobody must say yes to a place that he has not seen. */
static int
add_write_fact(
	struct ambit_question *q, const struct ambit_engine *engine, const struct opening *opening)
{
	auto_buf struct buf out = { 0 };
	size_t left = opening->places.n;
	bool full = false;

	for (size_t i = 0; i < opening->places.n; i++)
		if (opening->places.list[i].leads)
			put_place(&out, engine, opening, i, left--);
	for (size_t i = 0; !full && i < opening->places.n; i++) {
		if (opening->places.list[i].leads)
			continue;
		full = !put_place(&out, engine, opening, i, left);
		left -= !full;
	}
	if (left > 0)
		buf_printf(&out, "  and %zu more", left);
	buf_puts(&out, choose_write_note(opening));
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

/* As many as one line takes; the explanation has them all. */
static int
add_adds_fact(struct ambit_question *q, const struct opening *opening)
{
	auto_buf struct buf out = { 0 };
	auto_free char *all = adds_text(opening);
	size_t left = 0;

	if (!all || !*all)
		return all ? 0 : -ENOMEM;
	for (char *at = all, *next; at; at = next) {
		next = strstr(at, "  ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		left += left > 0 || !put_fitting_item(&out, at, !next, 0);
	}
	if (left > 0)
		buf_printf(&out, "  and %zu more", left);
	buf_puts(&out, choose_adds_reason(out.len));
	return out.failed ? -ENOMEM : question_add_fact(q, "adds", out.data);
}

/* Six lines have room for one of these; the explanation has the other. */
static int
add_by_fact(struct ambit_question *q, const struct opening *opening)
{
	auto_free char *note = NULL;

	if (!opening->by)
		return 0;
	if (!opening->missing)
		return question_add_fact(q, "by", opening->by);
	note = str_printf("no command works in its own sandbox here: use ambit run -- %s",
		opening->profile->name);
	return note ? question_add_fact(q, "note", note) : -ENOMEM;
}

/* The folder's path is cut so that one line takes it. */
static char *
make_object(const struct ambit_engine *engine, const struct opening *opening)
{
	const struct profile *profile = opening->profile;
	auto_free char *folder = question_path(engine->scope, engine->scope->root.real);
	auto_free char *before = NULL, *cut = NULL;
	const char *after = " is a worktree. Open its repository?";

	if (opening->settings)
		return str_printf("%s changes its own settings. Let it?", profile->name);
	if (opening_holds_everywhere(opening)) {
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
add_words(
	struct ambit_question *q, const struct ambit_engine *engine, const struct opening *opening)
{
	const char *root = engine->scope->root.real;

	q->kind = strdup("profile");
	q->project =
		opening_holds_everywhere(opening) ? strdup("") : question_path(engine->scope, root);
	q->object = make_object(engine, opening);
	q->danger = strdup(opening->settings ? "THEY CAN RUN COMMANDS AS YOU" : "");
	if (!q->kind || !q->project || !q->object || !q->danger ||
		add_write_fact(q, engine, opening) < 0 ||
		(!opening->settings && add_hosts_fact(q, opening->profile) < 0) ||
		add_adds_fact(q, opening) < 0 || add_by_fact(q, opening) < 0)
		return -ENOMEM;
	return 0;
}

static char *
make_label(const struct opening *opening, enum ambit_answer_kind kind)
{
	const struct profile *profile = opening->profile;

	if (kind == AMBIT_ONCE)
		return strdup("this run");
	if (kind == AMBIT_FILE)
		return strdup("this session");
	if (kind == AMBIT_ALWAYS)
		return strdup("all of it");
	if (kind == AMBIT_NO_SESSION)
		return strdup("no, for this session");
	if (opening->settings)
		return strdup("no (it might not work)");
	if (!opening_holds_everywhere(opening))
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
	const struct ambit_engine *engine, const struct opening *opening, struct ambit_question *q)
{
	q->choices = calloc(OFFERED_N, sizeof(*q->choices));
	if (!q->choices)
		return -ENOMEM;
	for (; q->n_choices < OFFERED_N; q->n_choices++) {
		struct ambit_choice *choice = &q->choices[q->n_choices];

		choice->kind = offered[q->n_choices];
		choice->stores = stores_text(engine, opening, choice->kind);
		choice->label = make_label(opening, choice->kind);
		if (!choice->stores || !choice->label) {
			q->n_choices++; /* half of it is there to be freed */
			return -ENOMEM;
		}
	}
	q->folder = q->n_choices;
	return 0;
}

bool
opening_offers(enum ambit_answer_kind kind)
{
	for (size_t i = 0; i < OFFERED_N; i++)
		if (offered[i] == kind)
			return true;
	return false;
}

static json_t *
list_json(const char *const *list)
{
	json_t *array = json_array();

	for (size_t i = 0; array && list[i]; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

char *
opening_subject(const struct opening *opening)
{
	return str_printf(
		"%s %s", opening->settings ? "settings of" : "profile", opening->profile->name);
}

static char *
what_text(const struct opening *opening)
{
	if (opening->settings)
		return str_printf("let %s change its own settings", opening->profile->name);
	if (!opening_holds_everywhere(opening))
		return strdup("open the repository that the folder is a worktree of");
	return str_printf("open the state folders and hosts of %s", opening->profile->name);
}

int
opening_question(
	const struct ambit_engine *engine, const struct opening *opening, struct ambit_question *q)
{
	const struct profile *profile = opening->profile;

	*q = (struct ambit_question){
		.who = opening_subject(opening),
		.what = what_text(opening),
		.why = why_text(engine, opening),
	};
	if (!q->who || !q->what || !q->why || add_words(q, engine, opening) < 0)
		return -ENOMEM;
	auto_json json_t *request = json_pack("{s:s, s:o, s:o}", "profile", profile->name,
		opening->settings ? "settings" : "folders",
		list_json(opening->settings ? profile->settings : profile->folders), "hosts",
		list_json(opening->settings ? (const char *const[]){ NULL } : profile->hosts));
	auto_json json_t *outcome = json_pack("{s:s, s:s, s:s}", "verdict",
		ambit_word_name(ambit_verdicts, AMBIT_ASK), "code",
		ambit_word_name(
			ambit_codes, opening->settings ? AMBIT_CODE_GUARDED : AMBIT_CODE_OUTSIDE),
		"reason", q->why);

	q->request = request ? json_line(request) : NULL;
	q->outcome = outcome ? json_line(outcome) : NULL;
	return q->request && q->outcome ? add_choices(engine, opening, q) : -ENOMEM;
}

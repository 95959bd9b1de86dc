/* SPDX-License-Identifier: Apache-2.0 */
/* From an outcome that is ask to a question a person can answer, and from the
 * answer to rules. What is in question is read off the outcome: paths that
 * are ask and not remembered, the host, the call itself. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/judged.h"
#include "ask/question-copy.h"
#include "ask/question.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"

void
rules_finish(struct rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		ambit_rule_finish(&rules->list[i]);
	free(rules->list);
	*rules = (struct rules){ 0 };
}

static bool
is_open(const struct ambit_outcome_path *path)
{
	return path->verdict == AMBIT_ASK && !path->remembered;
}

static bool
is_guarded(const struct ambit_outcome_path *path)
{
	return path->code == AMBIT_CODE_GUARDED || path->code == AMBIT_CODE_GUARDED_READ;
}

static bool
host_open(const struct ambit_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n_says; i++)
		if (outcome->says[i].code == AMBIT_CODE_HOST_NOT_ALLOWED &&
			outcome->says[i].verdict == AMBIT_ASK)
			return true;
	return false;
}

/* -- folders to offer ------------------------------------------------------- */

/* Whether a yes for this whole folder may be offered for all open paths. */
static bool
may_offer_folder(
	const struct decide_input *in, const struct ambit_outcome *outcome, const char *dir)
{
	bool inside = scope_holds(in->scope, dir);

	if (streq(dir, "/") || (in->scope->home && str_beneath(in->scope->home, dir) && !inside))
		return false;
	for (size_t i = 0; i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];

		if (!is_open(path))
			continue;
		if (!str_beneath(path->path, dir))
			return false;
		if (is_guarded(path) &&
			!guards_is(in->guards, dir, !access_writes(path->access), true))
			return false;
	}
	/* Above a guard a folder says more than it shows; inside the folder
	 * that is the everyday case and the guards stay. */
	return inside || guards_is(in->guards, dir, false, true) ||
	       !guards_beneath(in->guards, dir);
}

/* Folders from narrow to wide; *ret_first is the one to offer first. */
static int
list_offered_folders(const struct decide_input *in, const struct ambit_outcome *outcome,
	char ***ret_list, size_t *ret_first)
{
	const struct ambit_outcome_path *first = NULL;
	const char *home = in->scope->home;
	auto_free char *dir = NULL;
	char **list = NULL;
	size_t n = 0;

	*ret_first = 0;
	for (size_t i = 0; !first && i < outcome->n_paths; i++)
		if (is_open(&outcome->paths[i]))
			first = &outcome->paths[i];
	*ret_list = NULL;
	if (!first)
		return 0;
	dir = strdup(first->path);
	if (!dir)
		return -ENOMEM;
	for (bool self = first->access == AMBIT_ACCESS_READ_TREE;; self = false) {
		char *slash = strrchr(dir, '/');

		if (!self && (slash == dir || !slash))
			break;
		if (!self)
			*slash = '\0';
		if (may_offer_folder(in, outcome, dir)) {
			if (strv_append(&list, dir) < 0) {
				strv_free(list);
				return -ENOMEM;
			}
			/* Below the home: its first component. Else the parent. */
			if (home && str_beneath(dir, home) && !scope_holds(in->scope, dir))
				*ret_first = n;
			n++;
		}
		if (streq(dir, in->scope->root.real))
			break;
	}
	*ret_list = list;
	return 0;
}

/* -- rules ------------------------------------------------------------------ */

static struct ambit_rule *
add_rule(struct rules *rules, enum ambit_op op, const char *subject, bool beneath)
{
	struct ambit_rule *more = realloc(rules->list, (rules->n + 1) * sizeof(*more));

	if (!more)
		return NULL;
	rules->list = more;
	more += rules->n;
	*more = (struct ambit_rule){ .op = op, .beneath = beneath, .subject = strdup(subject) };
	if (!more->subject)
		return NULL;
	rules->n++;
	return more;
}

static enum ambit_op
path_op(const struct ambit_outcome_path *path)
{
	return access_writes(path->access) ? AMBIT_OP_WRITE : AMBIT_OP_READ;
}

static int
add_paths(struct rules *rules, const struct ambit_outcome *outcome, const char *folder)
{
	bool done[2] = { false, false };

	for (size_t i = 0; i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];

		if (!is_open(path) || (folder && done[path_op(path)]))
			continue;
		done[path_op(path)] = true;
		if (!add_rule(rules, path_op(path), folder ? folder : path->path, folder != NULL))
			return -ENOMEM;
	}
	return 0;
}

static int
add_others(struct rules *rules, const struct decide_input *in, const struct ambit_outcome *outcome)
{
	struct ambit_rule *rule;

	if (host_open(outcome) && !add_rule(rules, AMBIT_OP_CONNECT, outcome->host, false))
		return -ENOMEM;
	if (outcome->call) {
		auto_free char *key = request_call_key(in->request);

		rule = key ? add_rule(rules, AMBIT_OP_CALL, key, false) : NULL;
		if (!rule)
			return -ENOMEM;
		rule->label = request_label(in->request);
		if (!rule->label)
			return -ENOMEM;
	}
	return 0;
}

/* Who a rule belongs to, and whether it says yes. */
static int
fill_rule_details(struct rules *rules, const struct decide_input *in, enum ambit_answer_kind kind,
	const char *source)
{
	for (size_t i = 0; i < rules->n; i++) {
		struct ambit_rule *rule = &rules->list[i];

		rule->yes = kind >= AMBIT_ONCE;
		rule->created = in->now;
		rule->source = strdup(source);
		rule->project = strdup(in->project);
		if (kind != AMBIT_ALWAYS)
			rule->session = str_dup(in->session->name);
		if (kind == AMBIT_ONCE) {
			rule->pid = in->request->pid;
			rule->start = in->request->start;
		}
		if (!rule->source || !rule->project || (kind != AMBIT_ALWAYS && !rule->session))
			return -ENOMEM;
	}
	return 0;
}

static int
make_rules(const struct decide_input *in, const struct ambit_outcome *outcome,
	enum ambit_answer_kind kind, const char *folder, struct rules *rules)
{
	int r;

	if (kind == AMBIT_NO || (kind == AMBIT_ONCE && in->request->pid == 0))
		return 0;
	r = add_paths(rules, outcome, folder);
	return r < 0 ? r : add_others(rules, in, outcome);
}

int
question_rules(const struct decide_input *in, const struct ambit_outcome *outcome,
	enum ambit_answer_kind kind, const char *folder, const char *source,
	struct rules *ret_rules)
{
	struct rules rules = { 0 };
	int r = make_rules(in, outcome, kind, folder, &rules);

	if (r == 0)
		r = fill_rule_details(&rules, in, kind, source);
	if (r < 0)
		rules_finish(&rules);
	*ret_rules = rules;
	return r;
}

int
question_once(
	const struct decide_input *in, const struct ambit_outcome *outcome, struct rules *ret_rules)
{
	struct rules rules = { 0 };
	int r = add_paths(&rules, outcome, NULL);

	if (r == 0)
		r = add_others(&rules, in, outcome);
	if (r == 0)
		r = fill_rule_details(&rules, in, AMBIT_FILE, "once");
	if (r < 0)
		rules_finish(&rules);
	*ret_rules = rules;
	return r;
}

/* -- the question ------------------------------------------------------------ */

/* The call itself stands above the choices in full; a rule's label is cut and
 * redacted for lists, and must not stand in for it here. */
static int
point_at_call(struct ambit_rule *rule)
{
	if (rule->op != AMBIT_OP_CALL || str_prefix(rule->subject, "cmd:"))
		return 0;
	free(rule->label);
	rule->label = strdup("this call, as shown");
	return rule->label ? 0 : -ENOMEM;
}

static char *
stores_text(struct rules *rules)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < rules->n; i++) {
		out.failed |= point_at_call(&rules->list[i]) < 0;
		auto_free char *text = ambit_rule_text(&rules->list[i]);

		if (!text)
			out.failed = true;
		else
			buf_printf(&out, "%s%s", i ? "; " : "", text);
	}
	if (rules->n == 0)
		buf_puts(&out, "nothing: this call only");
	return buf_take(&out);
}

static int
add_choice(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome, enum ambit_answer_kind kind, const char *folder)
{
	struct ambit_choice *more = realloc(q->choices, (q->n_choices + 1) * sizeof(*more));
	struct rules rules;
	int r;

	if (!more)
		return -ENOMEM;
	q->choices = more;
	more += q->n_choices;
	r = question_rules(in, outcome, kind, folder, "person", &rules);
	if (r < 0)
		return r;
	*more = (struct ambit_choice){
		.kind = kind,
		.path = str_dup(folder),
		.stores = stores_text(&rules),
	};
	rules_finish(&rules);
	q->n_choices++;
	return more->stores && (!folder || more->path) ? 0 : -ENOMEM;
}

/* "No for this session" and "once" of a process speak of the directory: a
 * program that tries again does so under another temporary name. */
static int
add_choices(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	char **list = NULL;
	size_t first = 0, n;
	int r = list_offered_folders(in, outcome, &list, &first);
	const char *narrow = list ? list[0] : NULL;

	n = strv_len(list);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_NO, NULL);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_NO_SESSION, narrow);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_ONCE, in->request->pid ? narrow : NULL);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_FILE, NULL);
	q->folder = n > 0 ? q->n_choices + first : SIZE_MAX;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_choice(q, in, outcome, AMBIT_FOLDER, list[i]);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_choice(q, in, outcome, AMBIT_ALWAYS, list[i]);
	if (r == 0 && n == 0)
		r = add_choice(q, in, outcome, AMBIT_ALWAYS, NULL);
	if (q->folder > q->n_choices)
		q->folder = q->n_choices;
	strv_free(list);
	return r;
}

static char *
who_text(const struct ambit_request *request)
{
	auto_free char *program =
		request->program ? str_escape(request->program, strlen(request->program)) : NULL;
	auto_free char *agent =
		request->agent ? str_escape(request->agent, strlen(request->agent)) : NULL;
	struct buf out = { 0 };

	if (agent)
		buf_printf(&out, "sub-agent %s%s", agent, program ? ", " : "");
	if (program && request->pid)
		buf_printf(&out, "%s (pid %d)", program, (int)request->pid);
	else if (program)
		buf_puts(&out, program);
	return buf_take(&out);
}

static char *
why_text(const struct ambit_outcome *outcome)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < outcome->n_says; i++)
		if (outcome->says[i].verdict == AMBIT_ASK)
			buf_printf(&out, "%s%s", out.len ? "; " : "", outcome->says[i].reason);
	return buf_take(&out);
}

int
question_init(const struct decide_input *in, const struct ambit_outcome *outcome, uint64_t id,
	int64_t expires, struct ambit_question *ret_question, struct ambit_error *err)
{
	struct ambit_question q = { .id = id, .expires = expires };
	auto_json json_t *request = request_json(in->request);

	q.who = who_text(in->request);
	q.what = request_text(in->request);
	q.why = why_text(outcome);
	q.request = request ? json_line(request) : NULL;
	q.outcome = ambit_outcome_json(outcome, in->request, in->scope, true);
	if (!q.who || !q.what || !q.why || !q.request || !q.outcome ||
		add_choices(&q, in, outcome) < 0 || judged_text(in, outcome, &q.judge) < 0) {
		question_finish(&q);
		return err_nomem(err);
	}
	*ret_question = q;
	return 0;
}

int
question_check(const struct ambit_question *question, const struct ambit_answer *answer,
	const char **ret_folder, struct ambit_error *err)
{
	const struct ambit_choice *found = NULL;
	size_t skip = 0;

	/* Without a path the folder that was offered first is meant. */
	if (question->folder < question->n_choices)
		for (size_t i = 0; i < question->folder; i++)
			skip += question->choices[i].kind == AMBIT_FOLDER;
	for (size_t i = 0; i < question->n_choices && !found; i++) {
		const struct ambit_choice *c = &question->choices[i];

		if (c->kind != answer->kind)
			continue;
		if (c->kind != AMBIT_FOLDER && c->kind != AMBIT_ALWAYS)
			found = c;
		else if (answer->path[0] ? c->path && streq(c->path, answer->path) : skip-- == 0)
			found = c;
	}
	if (!found)
		return err_set(err, EINVAL, "'%s' is not one of the answers to this question",
			ambit_word_name(ambit_answers, (int)answer->kind));
	*ret_folder = found->path;
	return 0;
}

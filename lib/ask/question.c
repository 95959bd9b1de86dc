/* SPDX-License-Identifier: Apache-2.0 */
/* From an outcome that is ask to a question a person can answer, and from the
 * answer to rules. What is in question is read off the outcome: paths that
 * are ask and not remembered, the host, the call itself. */

#include <stdio.h>
#include <stdlib.h>

#include "ask/judged.h"
#include "ask/question-copy.h"
#include "ask/question-hosts.h"
#include "ask/question-once.h"
#include "ask/question-words.h"
#include "ask/question.h"
#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/once.h"

void
rules_finish(struct rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		ambit_rule_finish(&rules->list[i]);
	free(rules->list);
	*rules = (struct rules){ 0 };
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

		if (!question_path_open(path))
			continue;
		if (!str_beneath(path->path, dir))
			return false;
	}
	/* Above a guard a folder says more than it shows; inside the folder
	 * that is the everyday case and the guards stay. */
	return inside || guards_is(in->guards, dir, false, true) ||
	       !guards_beneath(in->guards, dir);
}

/* A directory that is to be made is a width itself, for whoever makes one fills it; but not where
 * a guard may come to lie in it. */
static bool
is_own_width(const struct decide_input *in, const struct ambit_outcome *outcome,
	const struct ambit_outcome_path *path)
{
	const struct path_facts *object =
		once_object(in->request, outcome, (size_t)(path - outcome->paths));

	if (path->access == AMBIT_ACCESS_READ_TREE)
		return true;
	return path->access == AMBIT_ACCESS_MKDIR && !(object && object->exists) &&
	       guards_stand(in->guards, path->path) == GUARD_CLEAR;
}

/* Folders from narrow to wide. The first is what the key for a folder means: the new directory, or
 * the one that the thing lies in, as everybody expects. */
static int
list_offered_folders(
	const struct decide_input *in, const struct ambit_outcome *outcome, char ***ret_list)
{
	const struct ambit_outcome_path *first = NULL;
	auto_free char *dir = NULL;
	char **list = NULL;

	for (size_t i = 0; !first && i < outcome->n_paths; i++)
		if (question_path_open(&outcome->paths[i]))
			first = &outcome->paths[i];
	*ret_list = NULL;
	/* A guard is asked about by itself, each time. */
	if (!first || question_is_guarded(outcome))
		return 0;
	dir = strdup(first->path);
	if (!dir)
		return -ENOMEM;
	for (bool self = is_own_width(in, outcome, first);; self = false) {
		char *slash = strrchr(dir, '/');

		if (!self && (slash == dir || !slash))
			break;
		if (!self)
			*slash = '\0';
		if (may_offer_folder(in, outcome, dir) && strv_append(&list, dir) < 0) {
			strv_free(list);
			return -ENOMEM;
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

/* A no is for the temporary file as well as for the file that was shown. */
static int
add_path(struct rules *rules, const struct ambit_outcome_path *path, enum ambit_answer_kind kind)
{
	bool both = path->owner && kind == AMBIT_NO_SESSION;
	const char *subject = path->owner && kind != AMBIT_ONCE ? path->owner : path->path;

	if (!add_rule(rules, path_op(path), subject, false))
		return -ENOMEM;
	return both && !add_rule(rules, path_op(path), path->path, false) ? -ENOMEM : 0;
}

/* kind AMBIT_ONCE: the call itself. */
static int
add_paths(struct rules *rules, const struct ambit_outcome *outcome, const char *folder,
	enum ambit_answer_kind kind, bool writes)
{
	bool done[2] = { false, false };

	for (size_t i = 0; i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];

		if (!question_path_open(path) || (folder && done[path_op(path)]) ||
			(!writes && access_writes(path->access)))
			continue;
		done[path_op(path)] = true;
		if (folder ? !add_rule(rules, path_op(path), folder, true)
			   : add_path(rules, path, kind) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The host, or the pattern that was shown. A folder that was chosen says nothing of hosts. */
static int
add_host(struct rules *rules, const struct ambit_outcome *outcome, const char *width)
{
	const char *subject = question_is_pattern(width) ? width : outcome->host;

	if (!question_host_open(outcome))
		return 0;
	return add_rule(rules, AMBIT_OP_CONNECT, subject, false) ? 0 : -ENOMEM;
}

static int
add_call(struct rules *rules, const struct decide_input *in, const struct ambit_outcome *outcome)
{
	auto_free char *key = outcome->call ? request_call_key(in->request) : NULL;
	struct ambit_rule *rule;

	if (!outcome->call)
		return 0;
	rule = key ? add_rule(rules, AMBIT_OP_CALL, key, false) : NULL;
	if (!rule)
		return -ENOMEM;
	rule->label = request_label(in->request);
	return rule->label ? 0 : -ENOMEM;
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

/* Once is no rule for a write or a call, which decide/once.h is about; for hosts and guarded
 * reads it is one for this process. */
static int
make_rules(const struct decide_input *in, const struct ambit_outcome *outcome,
	enum ambit_answer_kind kind, const char *folder, struct rules *rules)
{
	bool once = kind == AMBIT_ONCE;
	int r;

	if (kind == AMBIT_NO || (once && in->request->pid == 0))
		return 0;
	r = add_paths(rules, outcome, once ? NULL : folder, kind, !once);
	if (r == 0)
		r = add_host(rules, outcome, once ? NULL : folder);
	return r < 0 || once ? r : add_call(rules, in, outcome);
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
	int r = add_paths(&rules, outcome, NULL, AMBIT_ONCE, true);

	if (r == 0)
		r = add_host(&rules, outcome, NULL);
	if (r == 0)
		r = add_call(&rules, in, outcome);
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

/* A yes to one file is one to its temporary file, too: see decide/temporary.h. */
static bool
opens_temporaries(const struct ambit_outcome *outcome, const struct rules *rules)
{
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (outcome->paths[i].access == AMBIT_ACCESS_MKDIR)
			return false;
	for (size_t i = 0; i < rules->n; i++)
		if (rules->list[i].yes && rules->list[i].op == AMBIT_OP_WRITE &&
			!rules->list[i].beneath)
			return true;
	return false;
}

static char *
stores_text(const struct decide_input *in, const struct ambit_outcome *outcome,
	enum ambit_answer_kind kind, struct rules *rules)
{
	struct buf out = { 0 };

	if (kind == AMBIT_ONCE)
		question_once_text(in, outcome, &out);
	for (size_t i = 0; i < rules->n; i++) {
		out.failed |= point_at_call(&rules->list[i]) < 0;
		auto_free char *text = ambit_rule_text(&rules->list[i]);

		if (!text)
			out.failed = true;
		else
			buf_printf(&out, "%s%s", out.len > 0 ? "; " : "", text);
	}
	if (opens_temporaries(outcome, rules))
		buf_puts(&out, "; and its temporary files");
	if (out.len == 0)
		buf_puts(&out, kind == AMBIT_ONCE ? "this call only" : "nothing: this call only");
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
		.stores = stores_text(in, outcome, kind, &rules),
		.label = question_label(q, in, outcome, kind, folder),
	};
	rules_finish(&rules);
	q->n_choices++;
	return more->stores && more->label && (!folder || more->path) ? 0 : -ENOMEM;
}

/* For good nobody gets at a secret, nor at a program that nothing holds. */
static bool
may_offer_always(const struct ambit_outcome *outcome)
{
	return !question_is_secret(outcome) && !question_is_socket(outcome);
}

/* Exactly this, then each folder. A name that was made up does not come again. */
static int
add_always(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome, char *const *folders)
{
	int r = 0;

	if (!streq(q->kind, "temporary"))
		r = add_choice(q, in, outcome, AMBIT_ALWAYS, NULL);
	for (; r == 0 && folders && *folders; folders++)
		r = add_choice(q, in, outcome, AMBIT_ALWAYS, *folders);
	return r;
}

/* Lists what is wider than the object: folders, or patterns of a host. */
static int
list_widths(const struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome, char ***ret_list)
{
	if (streq(q->kind, "host"))
		return question_list_patterns(outcome->host, ret_list);
	return list_offered_folders(in, outcome, ret_list);
}

/* "No for this session" speaks of the directory: a program that tries again does so under
 * another temporary name. It speaks of one host. No pattern is offered first: who wants one names
 * it. */
static int
add_choices(struct ambit_question *q, const struct decide_input *in,
	const struct ambit_outcome *outcome)
{
	char **list = NULL;
	size_t n;
	int r = list_widths(q, in, outcome, &list);
	bool host = streq(q->kind, "host");
	const char *narrow = list && !host ? list[0] : NULL;

	n = strv_len(list);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_NO, NULL);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_NO_SESSION, narrow);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_ONCE, NULL);
	if (r == 0)
		r = add_choice(q, in, outcome, AMBIT_FILE, NULL);
	q->folder = n > 0 && !host ? q->n_choices : SIZE_MAX;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_choice(q, in, outcome, AMBIT_FOLDER, list[i]);
	if (r == 0 && may_offer_always(outcome))
		r = add_always(q, in, outcome, list);
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
why_text(const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < outcome->n_says; i++)
		if (outcome->says[i].verdict == AMBIT_ASK)
			buf_printf(&out, "%s%s", out.len ? "; " : "", outcome->says[i].reason);
	/* An agent whose daemon runs outside the line does there what it may not do here. */
	if (request->server && request->server_same && question_is_socket(outcome))
		buf_printf(&out,
			"; both are the same program. To have its work held, end that daemon (kill "
			"%d), or start the agent with --no-daemon",
			(int)request->server_pid);
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
	q.why = why_text(in->request, outcome);
	q.request = request ? json_line(request) : NULL;
	q.outcome = ambit_outcome_json(outcome, in->request, in->scope, true);
	if (!q.who || !q.what || !q.why || !q.request || !q.outcome ||
		question_add_words(&q, in, outcome) < 0 || add_choices(&q, in, outcome) < 0 ||
		judged_text(in, outcome, &q.judge) < 0) {
		question_finish(&q);
		return err_nomem(err);
	}
	*ret_question = q;
	return 0;
}

/* Without a path: the folder that was offered first; "always" means exactly what was asked for. */
static bool
is_meant(const struct ambit_question *question, const struct ambit_choice *choice, const char *path)
{
	if (choice->kind != AMBIT_FOLDER && choice->kind != AMBIT_ALWAYS)
		return true;
	if (*path)
		return choice->path && streq(choice->path, path);
	if (choice->kind == AMBIT_ALWAYS)
		return !choice->path;
	return question->folder < question->n_choices &&
	       choice == &question->choices[question->folder];
}

int
question_check(const struct ambit_question *question, const struct ambit_answer *answer,
	const char **ret_folder, struct ambit_error *err)
{
	const struct ambit_choice *found = NULL;

	for (size_t i = 0; i < question->n_choices && !found; i++)
		if (question->choices[i].kind == answer->kind &&
			is_meant(question, &question->choices[i], answer->path))
			found = &question->choices[i];
	if (!found)
		return err_set(err, EINVAL, "'%s' is not one of the answers to this question",
			ambit_word_name(ambit_answers, (int)answer->kind));
	*ret_folder = found->path;
	return 0;
}

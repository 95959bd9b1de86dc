/* SPDX-License-Identifier: Apache-2.0 */
/* Remembered answers in the database. A rule and the event that tells of it
 * are one transaction; revoking marks, nothing is deleted. What a rule is
 * matched by (subject, project) is kept as bytes; what is only shown is
 * redacted. A row that is not understood is an error, never a yes. */

#include <stdlib.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "record/store.h"

#define SHOWN_MAX 2048

static bool
has_op(int op)
{
	for (const struct ambit_word *word = ambit_ops; word->name; word++)
		if (word->value == op)
			return true;
	return false;
}

/* -- adding ------------------------------------------------------------------- */

/* The texts of a rule that are only shown, redacted. */
struct shown {
	char *label;
	char *message;
	char *source;
};

static void
shown_finish(struct shown *shown)
{
	free(shown->label);
	free(shown->message);
	free(shown->source);
}

static int
shown_fill(struct shown *shown, const struct ambit_rule *rule)
{
	if (body_text(rule->label, SHOWN_MAX, NULL, &shown->label) < 0 ||
		body_text(rule->message, SHOWN_MAX, NULL, &shown->message) < 0 ||
		body_text(rule->source, SHOWN_MAX, NULL, &shown->source) < 0)
		return -ENOMEM;
	return 0;
}

static int
insert_rule(struct ambit_record *record, const struct ambit_rule *rule, const struct shown *shown,
	struct ambit_error *err)
{
	sqlite3_stmt *stmt;
	int r = store_stmt(record, STMT_RULE_ADD, &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int(stmt, 1, rule->yes);
	sqlite3_bind_int(stmt, 2, (int)rule->op);
	sqlite3_bind_int(stmt, 3, rule->beneath);
	store_bind_raw(stmt, 4, rule->subject);
	store_bind_text(stmt, 5, shown->label);
	store_bind_text(stmt, 6, rule->session);
	store_bind_raw(stmt, 7, rule->project);
	sqlite3_bind_int64(stmt, 8, rule->pid);
	sqlite3_bind_int64(stmt, 9, (sqlite3_int64)rule->start);
	sqlite3_bind_int64(stmt, 10, rule->created ? rule->created : clock_now());
	sqlite3_bind_int64(stmt, 11, rule->expires);
	store_bind_text(stmt, 12, shown->message);
	store_bind_text(stmt, 13, shown->source);
	sqlite3_bind_int(stmt, 14, rule->names);
	return store_run(record, stmt, err);
}

static int
set_text(json_t *body, const char *key, const char *text)
{
	return text ? json_set_text(body, key, text) : 0;
}

static json_t *
event_body(const struct ambit_rule *rule, int64_t id)
{
	auto_free char *text = ambit_rule_text(rule);
	auto_json json_t *body = json_pack("{s:I, s:b, s:s, s:b, s:I, s:I}", "id", (json_int_t)id,
		"yes", rule->yes, "op", ambit_word_name(ambit_ops, (int)rule->op), "beneath",
		rule->beneath, "pid", (json_int_t)rule->pid, "expires", (json_int_t)rule->expires);

	if (!body || !text || json_set_text(body, "text", text) < 0 ||
		(rule->names && json_object_set_new(body, "names", json_true()) < 0) ||
		json_set_text(body, "subject", rule->subject) < 0 ||
		set_text(body, "project", rule->project) < 0 ||
		set_text(body, "message", rule->message) < 0 ||
		set_text(body, "source", rule->source) < 0)
		return NULL;
	return steal_ptr(&body);
}

static int
append_rule_event(struct ambit_record *record, const struct ambit_rule *rule, int64_t id,
	const char *kind, struct ambit_error *err)
{
	auto_json json_t *body = event_body(rule, id);
	struct ambit_event event = {
		.session = rule->session,
		.kind = kind,
		.subject = rule->label ? rule->label : rule->subject,
	};

	return body ? event_append(record, &event, body, err) : err_nomem(err);
}

/* Inside a transaction. */
static int
add_one_rule(struct ambit_record *record, const struct ambit_rule *rule, int64_t *ret_id,
	struct ambit_error *err)
{
	__attribute__((cleanup(shown_finish))) struct shown shown = { 0 };
	int r;

	if (shown_fill(&shown, rule) < 0)
		return err_nomem(err);
	r = insert_rule(record, rule, &shown, err);
	if (r < 0)
		return r;
	*ret_id = sqlite3_last_insert_rowid(record->db);
	return append_rule_event(record, rule, *ret_id, "rule", err);
}

static int
check_rule(const struct ambit_rule *rule, struct ambit_error *err)
{
	if (!rule->subject || rule->subject[0] == '\0' || !has_op((int)rule->op))
		return err_set(err, EINVAL, "a rule without an operation or a subject");
	if (rule->session && !ambit_session_name_valid(rule->session))
		return err_set(err, EINVAL, "a rule of a session without a valid name");
	return 0;
}

int
ambit_record_rule_add(struct ambit_record *record, const struct ambit_rule *rule, int64_t *ret_id,
	struct ambit_error *err)
{
	int64_t id = 0;
	int r = check_rule(rule, err);

	if (r == 0)
		r = store_begin(record, err);
	if (r < 0)
		return r;
	r = store_end(record, add_one_rule(record, rule, &id, err), err);
	if (r == 0 && ret_id)
		*ret_id = id;
	return r;
}

int
record_rules_add(
	struct ambit_record *record, struct ambit_rule *rules, size_t n, struct ambit_error *err)
{
	return record_answer(record, NULL, NULL, rules, n, err);
}

int
record_answer(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_rule *rules, size_t n, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = check_rule(&rules[i], err);
	if (r == 0)
		r = store_begin(record, err);
	if (r < 0)
		return r;
	if (event)
		r = event_append(record, event, body, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_one_rule(record, &rules[i], &rules[i].id, err);
	return store_end(record, r, err);
}

/* -- reading ------------------------------------------------------------------ */

#define COLUMNS                                                                                    \
	"id, yes, op, beneath, subject, label, session, project, pid, start, created, expires,"    \
	" revoked, message, source"

/* An older record that is only read has no column for names, and no rule with them. */
static int
prepare_rules(struct ambit_record *record, const char *where, sqlite3_stmt **ret_stmt,
	struct ambit_error *err)
{
	auto_free char *sql = str_printf("SELECT " COLUMNS ", %s FROM rules WHERE %s",
		record->schema < SCHEMA_NAMES ? "0" : "names", where);

	return sql ? store_prepare(record, sql, ret_stmt, err) : err_nomem(err);
}

static int
read_texts(sqlite3_stmt *stmt, struct ambit_rule *rule)
{
	const struct {
		int column;
		char **text;
	} texts[] = {
		{ 4, &rule->subject },
		{ 5, &rule->label },
		{ 6, &rule->session },
		{ 7, &rule->project },
		{ 13, &rule->message },
		{ 14, &rule->source },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int r = store_column(stmt, texts[i].column, texts[i].text);

		if (r < 0)
			return r;
	}
	return rule->subject && rule->subject[0] ? 0 : -EBADMSG;
}

/* Fills rule, which the caller finishes whatever comes back. */
static int
read_rule(struct ambit_record *record, sqlite3_stmt *stmt, struct ambit_rule *rule,
	struct ambit_error *err)
{
	int64_t yes = sqlite3_column_int64(stmt, 1), op = sqlite3_column_int64(stmt, 2);
	int64_t beneath = sqlite3_column_int64(stmt, 3), pid = sqlite3_column_int64(stmt, 8);
	int64_t names = sqlite3_column_int64(stmt, 15);
	int r = read_texts(stmt, rule);

	if (r == 0 && ((yes | 1) != 1 || (beneath | 1) != 1 || (names | 1) != 1 ||
			      !has_op((int)op) || op != (int)op || pid < 0 || pid != (pid_t)pid))
		r = -EBADMSG;
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return store_damaged(record, err, "a rule that cannot be understood");
	rule->id = sqlite3_column_int64(stmt, 0);
	rule->yes = yes == 1;
	rule->op = (enum ambit_op)op;
	rule->beneath = beneath == 1;
	rule->names = names == 1;
	rule->pid = (pid_t)pid;
	rule->start = (uint64_t)sqlite3_column_int64(stmt, 9);
	rule->created = sqlite3_column_int64(stmt, 10);
	rule->expires = sqlite3_column_int64(stmt, 11);
	rule->revoked = sqlite3_column_int64(stmt, 12) != 0;
	return 0;
}

static int
each_rule(struct ambit_record *record, sqlite3_stmt *stmt,
	int (*each)(void *data, const struct ambit_rule *rule), void *data, struct ambit_error *err)
{
	int rc;

	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct ambit_rule rule = { 0 };
		bool stop = false;
		int r = read_rule(record, stmt, &rule, err);

		if (r == 0) {
			r = each(data, &rule);
			stop = r != 0;
		}
		ambit_rule_finish(&rule);
		if (r < 0 || stop)
			return r < 0 ? r : 0;
	}
	return rc == SQLITE_DONE ? 0 : store_fail(record, rc, err);
}

int
ambit_record_rules(struct ambit_record *record, const struct ambit_rule_filter *filter,
	int (*each)(void *data, const struct ambit_rule *rule), void *data, struct ambit_error *err)
{
	static const struct ambit_rule_filter none = { 0 };
	auto_stmt sqlite3_stmt *stmt = NULL;
	int64_t some;
	/* Most have none, and this is on the way of every command that starts. */
	int r = store_number(record, "SELECT 1 FROM rules LIMIT 1", &some, NULL);

	if (r == -ENOENT)
		return 0;
	r = prepare_rules(record,
		"CASE WHEN session IS NULL THEN ?2 IS NULL OR project IS NULL OR project = ?2"
		" ELSE ?3 OR session IS ?1 END"
		" AND (?4 OR (revoked = 0 AND (expires = 0 OR expires > ?5))) ORDER BY id",
		&stmt, err);

	if (r < 0)
		return r;
	if (!filter)
		filter = &none;
	store_bind_text(stmt, 1, filter->session);
	store_bind_raw(stmt, 2, filter->project);
	sqlite3_bind_int(stmt, 3, filter->all_sessions);
	sqlite3_bind_int(stmt, 4, filter->ended);
	sqlite3_bind_int64(stmt, 5, clock_now());
	return each_rule(record, stmt, each, data, err);
}

/* -- revoking ----------------------------------------------------------------- */

static int
load_one_rule(
	struct ambit_record *record, int64_t id, struct ambit_rule *rule, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int r = prepare_rules(record, "id = ?1", &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, id);
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return read_rule(record, stmt, rule, err);
	if (rc != SQLITE_DONE)
		return store_fail(record, rc, err);
	return err_set(err, ENOENT, "there is no rule %lld", (long long)id);
}

static int
mark_rule_revoked(struct ambit_record *record, int64_t id, int64_t now, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int r = store_prepare(record, "UPDATE rules SET revoked = ?2 WHERE id = ?1", &stmt, err);

	if (r < 0)
		return r;
	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, now);
	return store_run(record, stmt, err);
}

static int
revoke_rule(
	struct ambit_record *record, int64_t id, struct ambit_rule *rule, struct ambit_error *err)
{
	int64_t now = clock_now();
	int r = load_one_rule(record, id, rule, err);

	if (r < 0)
		return r;
	if (rule->revoked || (rule->expires != 0 && rule->expires <= now))
		return err_set(err, ENOENT, "rule %lld has already %s", (long long)id,
			rule->revoked ? "been revoked" : "expired");
	r = mark_rule_revoked(record, id, now, err);
	return r < 0 ? r : append_rule_event(record, rule, id, "revoke", err);
}

int
ambit_record_rule_revoke(struct ambit_record *record, int64_t id, struct ambit_error *err)
{
	struct ambit_rule rule = { 0 };
	int r = store_begin(record, err);

	if (r < 0)
		return r;
	r = store_end(record, revoke_rule(record, id, &rule, err), err);
	ambit_rule_finish(&rule);
	return r;
}

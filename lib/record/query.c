/* SPDX-License-Identifier: Apache-2.0 */
/* A filter -> the stored events that fit it, in the order they were stored.
 * Only the text of this file becomes SQL; what is looked for is bound. */

#include <stddef.h>

#include "base/buf.h"
#include "base/own.h"
#include "record/store.h"

/* Conditions on a text column: the parameter's number is the row's, plus one. */
static const struct {
	const char *column;
	size_t offset;
} texts[] = {
	{ "session", offsetof(struct ambit_event_filter, session) },
	{ "kind", offsetof(struct ambit_event_filter, kind) },
	{ "tool", offsetof(struct ambit_event_filter, tool) },
	{ "verdict", offsetof(struct ambit_event_filter, verdict) },
	{ "code", offsetof(struct ambit_event_filter, code) },
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))
#define COLUMNS "id, session, seq, time, kind, tool, verdict, code, subject, body, hash"

static const char *
text_of(const struct ambit_event_filter *filter, size_t i)
{
	return *(const char *const *)((const char *)filter + texts[i].offset);
}

static char *
make_sql(const struct ambit_event_filter *filter)
{
	/* Within one session seq and id grow together, and seq has the index. */
	const char *order = filter->session ? "seq" : "id";
	struct buf sql = { 0 };

	buf_puts(&sql, "SELECT " COLUMNS " FROM (SELECT * FROM events WHERE 1");
	for (size_t i = 0; i < TEXTS; i++)
		if (text_of(filter, i))
			buf_printf(&sql, " AND %s = ?%zu", texts[i].column, i + 1);
	if (filter->since)
		buf_printf(&sql, " AND time >= ?%zu", TEXTS + 1);
	if (filter->after_id)
		buf_printf(&sql, " AND id > ?%zu", TEXTS + 2);
	if (filter->last > 0)
		buf_printf(&sql, " ORDER BY %s DESC LIMIT ?%zu", order, TEXTS + 3);
	buf_printf(&sql, ") ORDER BY %s", order);
	return buf_take(&sql);
}

static int
prepare_event_query(struct ambit_record *record, const struct ambit_event_filter *filter,
	sqlite3_stmt **ret_stmt, struct ambit_error *err)
{
	auto_free char *sql = make_sql(filter);
	sqlite3_stmt *stmt;
	int r = sql ? store_prepare(record, sql, &stmt, err) : err_nomem(err);

	if (r < 0)
		return r;
	/* Binding a number that the text does not use fails, and is nothing. */
	for (size_t i = 0; i < TEXTS; i++)
		store_bind_text(stmt, (int)i + 1, text_of(filter, i));
	sqlite3_bind_int64(stmt, (int)TEXTS + 1, filter->since);
	sqlite3_bind_int64(stmt, (int)TEXTS + 2, filter->after_id);
	sqlite3_bind_int64(stmt, (int)TEXTS + 3, filter->last);
	*ret_stmt = stmt;
	return 0;
}

static const char *
get_column_text(sqlite3_stmt *stmt, int n)
{
	return (const char *)sqlite3_column_text(stmt, n);
}

static struct ambit_event
read_event_row(sqlite3_stmt *stmt)
{
	return (struct ambit_event){
		.session = get_column_text(stmt, 1),
		.seq = sqlite3_column_int64(stmt, 2),
		.time = sqlite3_column_int64(stmt, 3),
		.kind = get_column_text(stmt, 4),
		.tool = get_column_text(stmt, 5),
		.verdict = get_column_text(stmt, 6),
		.code = get_column_text(stmt, 7),
		.subject = get_column_text(stmt, 8),
		.body = get_column_text(stmt, 9),
		.hash = get_column_text(stmt, 10),
	};
}

int
ambit_record_events(struct ambit_record *record, const struct ambit_event_filter *filter,
	int (*each)(void *data, int64_t id, const struct ambit_event *event), void *data,
	struct ambit_error *err)
{
	static const struct ambit_event_filter all = { 0 };
	auto_stmt sqlite3_stmt *stmt = NULL;
	int rc, r = prepare_event_query(record, filter ? filter : &all, &stmt, err);

	if (r < 0)
		return r;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct ambit_event event = read_event_row(stmt);

		if (!event.session || !event.kind || !event.body || !event.hash)
			return store_damaged(record, err, "an event without its columns");
		r = each(data, sqlite3_column_int64(stmt, 0), &event);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	return rc == SQLITE_DONE ? 0 : store_fail(record, rc, err);
}

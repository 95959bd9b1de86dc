/* SPDX-License-Identifier: Apache-2.0 */
/* An event as the engine has it -> one row at the end of its session's chain,
 * and the chain's new head, in one transaction. Trusts the engine for what
 * happened, nobody for the words: every text is redacted and tamed first. */

#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/str.h"
#include "record/store.h"
#include "record/tally.h"

#define WORD_MAX 256
#define SUBJECT_MAX 2048

struct row {
	char *fields[FIELD_N];
};

static void
row_finish(struct row *row)
{
	for (size_t i = 0; i < FIELD_N; i++)
		free(row->fields[i]);
}

static int
fill_event_row(struct row *row, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err)
{
	const struct {
		const char *text;
		size_t max;
	} texts[] = {
		[FIELD_KIND] = { event->kind, WORD_MAX },
		[FIELD_TOOL] = { event->tool, WORD_MAX },
		[FIELD_VERDICT] = { event->verdict, WORD_MAX },
		[FIELD_CODE] = { event->code, WORD_MAX },
		[FIELD_SUBJECT] = { event->subject, SUBJECT_MAX },
	};

	struct body_lost lost = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (body_text(texts[i].text, texts[i].max, &lost, &row->fields[i]) < 0)
			return err_nomem(err);
	return body_line(body, &lost, &row->fields[FIELD_BODY], err);
}

/* The last link's seq and hash; 0 and zeros for a new chain. */
static int
read_head(struct ambit_record *record, const char *session, int64_t *ret_seq,
	char ret_hash[HASH_HEX], struct ambit_error *err)
{
	sqlite3_stmt *stmt;
	int r = store_stmt(record, STMT_HEAD, &stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, session);
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_DONE) {
		*ret_seq = 0;
		memcpy(ret_hash, chain_start, HASH_HEX);
	} else if (rc != SQLITE_ROW) {
		r = store_fail(record, rc, err);
	} else if (sqlite3_column_bytes(stmt, 1) != HASH_HEX - 1) {
		r = store_damaged(record, err, "the head of a chain is not a hash");
	} else {
		*ret_seq = sqlite3_column_int64(stmt, 0);
		memcpy(ret_hash, sqlite3_column_text(stmt, 1), HASH_HEX);
	}
	sqlite3_reset(stmt);
	return r;
}

static int
write_head(struct ambit_record *record, const char *session, int64_t seq, const char *hash,
	struct ambit_error *err)
{
	sqlite3_stmt *stmt;
	int r = store_stmt(record, STMT_HEAD_SET, &stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, session);
	sqlite3_bind_int64(stmt, 2, seq);
	store_bind_text(stmt, 3, hash);
	return store_run(record, stmt, err);
}

static int
write_row(struct ambit_record *record, const char *session, int64_t seq, int64_t time,
	const struct row *row, const char *hash, struct ambit_error *err)
{
	sqlite3_stmt *stmt;
	int r = store_stmt(record, STMT_EVENT_ADD, &stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, session);
	sqlite3_bind_int64(stmt, 2, seq);
	sqlite3_bind_int64(stmt, 3, time);
	for (int i = 0; i < FIELD_N; i++)
		store_bind_text(stmt, 4 + i, row->fields[i]);
	store_bind_text(stmt, 10, hash);
	return store_run(record, stmt, err);
}

static int
link_row(struct ambit_record *record, const char *session, int64_t time, const struct row *row,
	struct ambit_error *err)
{
	struct chain_link link = {
		.session = { session, strlen(session) },
		.time = time,
	};
	char previous[HASH_HEX], hash[HASH_HEX];
	int r = read_head(record, session, &link.seq, previous, err);

	if (r < 0)
		return r;
	link.seq++;
	for (size_t i = 0; i < FIELD_N; i++)
		link.fields[i] = (struct chain_text){
			row->fields[i],
			row->fields[i] ? strlen(row->fields[i]) : 0,
		};
	if (chain_hash(previous, &link, hash) < 0)
		return err_nomem(err);
	r = write_row(record, session, link.seq, time, row, hash, err);
	if (r == 0)
		r = write_head(record, session, link.seq, hash, err);
	if (r == 0 && record->tally)
		tally_note(record->tally, session, link.seq, link.fields[FIELD_BODY].len);
	return r;
}

static int
check_event(const struct ambit_event *event, const char *session, struct ambit_error *err)
{
	if (!streq(session, RECORD_ELSEWHERE) && !ambit_session_name_valid(session))
		return err_set(err, EINVAL, "an event's session has no valid name");
	if (!event->kind || event->kind[0] == '\0')
		return err_set(err, EINVAL, "an event has no kind");
	return 0;
}

static const char *
chain_of(const struct ambit_event *event)
{
	return event->session ? event->session : RECORD_ELSEWHERE;
}

int
event_append(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err)
{
	__attribute__((cleanup(row_finish))) struct row row = { 0 };
	int r = check_event(event, chain_of(event), err);

	if (r == 0)
		r = fill_event_row(&row, event, body, err);
	if (r < 0)
		return r;
	return link_row(
		record, chain_of(event), event->time ? event->time : clock_now(), &row, err);
}

/* The same, but the lock is held only while the rows are written, not while
 * a large body is worked over. */
int
record_append(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err)
{
	__attribute__((cleanup(row_finish))) struct row row = { 0 };
	int r = check_event(event, chain_of(event), err);

	if (r == 0)
		r = fill_event_row(&row, event, body, err);
	if (r == 0 && record_counts_due(record) == 0)
		r = record_counts_write(record, NULL, err);
	if (r == 0)
		r = store_begin(record, err);
	if (r < 0)
		return r;
	r = link_row(record, chain_of(event), event->time ? event->time : clock_now(), &row, err);
	return store_end(record, r, err);
}

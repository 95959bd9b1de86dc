/* SPDX-License-Identifier: Apache-2.0 */
/* Removes whole ended sessions from the record: by age, by size or
 * because a person says so. A session that a living connection holds stays, and
 * of one that goes nothing stays, so that every chain that is there holds. An
 * event in the chain "-" tells what went. Trusts the engine for the limits. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "record/retention.h"
#include "record/store.h"
#include "record/upkeep.h"
#include "record/vfs.h"

#define AT_ONCE_SESSIONS 64 /* in one transaction, so that writers wait for little */
#define AT_ONCE_EVENTS 5000
#define CARE_MS 500		  /* of a process that ends */
#define CARE_AGE_MS (3600 * 1000) /* so often is looked for old sessions */
#define CARE_SIZE_MS (60 * 1000)  /* and for too many */
#define VACUUM_PAGES 2000

/* -- who is there ------------------------------------------------------------------ */

static uint64_t
mark_of(const char *session)
{
	uint64_t hash = hash_fnv_text(HASH_FNV_START, session);

	return hash == 0 || hash == LOCKS_MARK_ALL ? 1 : hash;
}

void
record_session_hold(struct ambit_record *record, const char *session)
{
	if (record->locks && record->writable)
		locks_mark(record->locks, mark_of(session));
}

/* -- what goes ---------------------------------------------------------------------- */

/* Modes, permissions and noes that were chosen for a session hold when it goes on:
 * only a person takes those away. */
#define OF_NO_CONSEQUENCE                                                                          \
	" AND NOT EXISTS (SELECT 1 FROM permissions WHERE session = h.session)"                    \
	" AND NOT EXISTS (SELECT 1 FROM rules WHERE session = h.session AND yes = 0"               \
	" AND revoked = 0)"                                                                        \
	" AND NOT EXISTS (SELECT 1 FROM sessions WHERE name = h.session AND (agent_mode >= 0"      \
	" OR sandbox_mode >= 0 OR ask_mode >= 0 OR reads >= 0))"
#define CANDIDATES                                                                                 \
	"SELECT h.session, h.seq, e.time FROM heads h JOIN events e"                               \
	" ON e.session = h.session AND e.seq = h.seq"                                              \
	" WHERE h.session <> '-' AND (?1 IS NULL OR h.session = ?1) AND e.time < ?2"

struct going {
	char **names;
	int64_t sessions, events, live;
};

static int
read_candidates(struct ambit_record *record, sqlite3_stmt *stmt, bool all, struct going *going,
	struct ambit_error *err)
{
	int rc;

	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (!name)
			return err_nomem(err);
		if (locks_marked(record->locks, mark_of(name))) {
			going->live++;
			continue;
		}
		if (!all && going->sessions > 0 &&
			(going->sessions >= AT_ONCE_SESSIONS || going->events >= AT_ONCE_EVENTS))
			return 0;
		if (strv_append(&going->names, name) < 0)
			return err_nomem(err);
		going->sessions++;
		going->events += sqlite3_column_int64(stmt, 1);
	}
	return rc == SQLITE_DONE ? 0 : store_fail(record, rc, err);
}

/* Those that go next, oldest first; all: without a limit at once. */
static int
find_going(struct ambit_record *record, const struct record_forget_what *what, bool automatic,
	bool all, struct going *going, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int r = store_prepare(record,
		automatic ? CANDIDATES OF_NO_CONSEQUENCE " ORDER BY e.time"
			  : CANDIDATES " ORDER BY e.time",
		&stmt, err);

	if (r < 0)
		return r;
	store_bind_text(stmt, 1, what->session);
	sqlite3_bind_int64(stmt, 2, what->before ? what->before : INT64_MAX);
	return read_candidates(record, stmt, all, going, err);
}

static int
remove_session(struct ambit_record *record, const char *name, struct ambit_error *err)
{
	static const char *const texts[] = {
		"DELETE FROM events WHERE session = ?1",
		"DELETE FROM heads WHERE session = ?1",
		"DELETE FROM permissions WHERE session = ?1",
		"DELETE FROM rules WHERE session = ?1",
		"DELETE FROM sessions WHERE name = ?1",
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
		auto_stmt sqlite3_stmt *stmt = NULL;

		r = store_prepare(record, texts[i], &stmt, err);
		if (r < 0)
			break;
		store_bind_text(stmt, 1, name);
		r = store_run(record, stmt, err);
	}
	return r;
}

static int
append_forget(struct ambit_record *record, const struct going *going, const char *why,
	struct ambit_error *err)
{
	auto_json json_t *body = json_pack("{s:s, s:I, s:I}", "why", why, "sessions",
		(json_int_t)going->sessions, "events", (json_int_t)going->events);
	auto_free char *subject =
		going->sessions == 1
			? str_printf("session %s, %lld events", going->names[0],
				  (long long)going->events)
			: str_printf("%lld sessions, %lld events", (long long)going->sessions,
				  (long long)going->events);
	const struct ambit_event event = { .kind = "forget", .subject = subject };

	return body && subject ? event_append(record, &event, body, err) : err_nomem(err);
}

/* One transaction: who is live is looked at inside of it. */
static int
forget_some(struct ambit_record *record, const struct record_forget_what *what, const char *why,
	struct going *ret_going, struct ambit_error *err)
{
	struct going going = { 0 };
	int r = store_begin(record, err);

	if (r < 0)
		return r;
	r = find_going(record, what, !what->person, false, &going, err);
	for (int64_t i = 0; r == 0 && i < going.sessions; i++)
		r = remove_session(record, going.names[i], err);
	if (r == 0 && going.sessions > 0)
		r = append_forget(record, &going, why, err);
	r = store_end(record, r, err);
	strv_free(going.names);
	going.names = NULL;
	*ret_going = going;
	return r;
}

/* -- the file ------------------------------------------------------------------------ */

static int64_t
number_or_zero(struct ambit_record *record, const char *sql)
{
	int64_t n = 0;

	return store_number(record, sql, &n, NULL) == 0 ? n : 0;
}

/* Bytes in use, not those of pages that are free. */
static int64_t
bytes_used(struct ambit_record *record)
{
	return (number_or_zero(record, "PRAGMA page_count") -
		       number_or_zero(record, "PRAGMA freelist_count")) *
	       number_or_zero(record, "PRAGMA page_size");
}

static void
shrink_file(struct ambit_record *record)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES);
	sqlite3_exec(record->db, sql, NULL, NULL, NULL);
}

/* A record that is older than this program has to be copied once. */
static void
shrink_whole_file(struct ambit_record *record)
{
	if (number_or_zero(record, "PRAGMA auto_vacuum") == 0) {
		sqlite3_exec(record->db, "PRAGMA auto_vacuum = INCREMENTAL", NULL, NULL, NULL);
		vfs_vacuum(record->vfs, record->db);
	} else {
		while (number_or_zero(record, "PRAGMA freelist_count") > 0) {
			int64_t before = number_or_zero(record, "PRAGMA freelist_count");

			shrink_file(record);
			if (number_or_zero(record, "PRAGMA freelist_count") >= before)
				break;
		}
	}
	sqlite3_wal_checkpoint_v2(record->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

/* -- by themselves --------------------------------------------------------------------- */

static void
care_for(struct ambit_record *record, const struct record_forget_what *what, const char *why,
	int64_t until)
{
	struct going going;

	do {
		if (what->before == 0 && bytes_used(record) <= record->limits.store_bytes)
			break;
		if (forget_some(record, what, why, &going, NULL) < 0 || going.sessions == 0)
			break;
		shrink_file(record);
	} while (clock_steady() < until);
}

/* A few pages that are free are used again; many are given back. */
void
retention_care(struct ambit_record *record)
{
	const struct record_limits *limits = &record->limits;
	int64_t now = clock_now(), until = clock_steady() + CARE_MS;

	if (!record->writable || !record->locks || !sqlite3_get_autocommit(record->db))
		return;
	if (limits->keep_ms > 0 && locks_turn_to_care(record->locks, 0, now, CARE_AGE_MS))
		care_for(record, &(struct record_forget_what){ .before = now - limits->keep_ms },
			"keep_days", until);
	if (limits->store_bytes > 0 && locks_turn_to_care(record->locks, 1, now, CARE_SIZE_MS))
		care_for(record, &(struct record_forget_what){ 0 }, "record_max", until);
}

/* -- by a person ------------------------------------------------------------------------ */

int
record_forget(struct ambit_record *record, const struct record_forget_what *what,
	struct record_forgotten *ret_forgotten, struct ambit_error *err)
{
	struct record_forget_what all = *what;
	struct going going = { 0 };
	int r = record->writable ? 0
				 : err_set(err, EROFS, "%s: opened for reading only", record->path);

	*ret_forgotten = (struct record_forgotten){ 0 };
	if (r < 0)
		return r;
	all.person = true;
	if (what->look) {
		r = find_going(record, &all, false, true, &going, err);
		strv_free(going.names);
	}
	/* Removed text leaves the file, too. */
	if (!what->look)
		sqlite3_exec(record->db, "PRAGMA secure_delete = ON", NULL, NULL, NULL);
	ret_forgotten->sessions = going.sessions;
	ret_forgotten->events = going.events;
	ret_forgotten->live = going.live;
	while (r == 0 && !what->look) {
		r = forget_some(record, &all, "person", &going, err);
		ret_forgotten->live = going.live;
		ret_forgotten->sessions += going.sessions;
		ret_forgotten->events += going.events;
		if (r < 0 || going.sessions == 0)
			break;
	}
	if (r == 0 && !what->look)
		shrink_whole_file(record);
	return r;
}

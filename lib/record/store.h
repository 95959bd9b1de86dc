/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "record/lock.h"
#include "record/record-private.h"

/* What the files of this folder share: the open database, its statements, and
 * transactions. Nobody else includes it. */

#define STORE_FILE "ambit.db"
#define STORE_APPLICATION_ID 0x616d6274 /* "ambt": another program's database is refused */
#define STORE_BUSY_MS LOCKS_STUCK_MS
#define STORE_MAKING 10 /* the lock of whoever makes a database of an empty file; see vfs.c */
/* Pages in the log from which on it is moved into the database. That waits for
 * the disk; but after a crash, the next reads the whole log. */
#define STORE_LOG_CLOSE 200 /* when a writer closes */
#define STORE_LOG_MAX 1000  /* at once */

/* Statements of the hot path, prepared once. The rest is prepared at use. */
enum store_stmt {
	STMT_BEGIN = 0,
	STMT_COMMIT,
	STMT_ROLLBACK,
	STMT_VERSION,
	STMT_HEAD,
	STMT_HEAD_SET,
	STMT_EVENT_ADD,
	STMT_RULE_ADD,
	STMT_N,
};

struct ambit_record {
	sqlite3 *db;
	struct locks *locks; /* NULL: it is read where nothing can be written */
	struct vfs *vfs;
	struct locks_wait wait; /* for a lock of SQLite's that is taken */
	int log;		/* pages in the log, after the last commit */
	char *path;
	bool writable;
	int schema;		      /* of the file; RECORD_SCHEMA if it is written */
	struct ambit_session waiting; /* see record_session_later; no name: none */
	struct record_limits limits;
	struct tally *tally; /* NULL: nothing was counted yet */
	int64_t blind;	     /* how often the version could not be read */
	sqlite3_stmt *stmts[STMT_N];
};

/* Turns a result code of SQLite into an error that names the file and what to do. */
int store_fail(const struct ambit_record *record, int rc, struct ambit_error *err);
/* The same for content that is in the file but cannot be understood. */
int store_damaged(const struct ambit_record *record, struct ambit_error *err, const char *what);

/* Borrowed, reset and without bindings. */
int store_stmt(struct ambit_record *record, enum store_stmt which, sqlite3_stmt **ret_stmt,
	struct ambit_error *err);
/* Caller finalizes: auto_stmt. */
int store_prepare(struct ambit_record *record, const char *sql, sqlite3_stmt **ret_stmt,
	struct ambit_error *err);
/* Steps a statement that returns no rows, and resets it. */
int store_run(struct ambit_record *record, sqlite3_stmt *stmt, struct ambit_error *err);
/* The first column of the first row; -ENOENT if there is none. */
int store_number(
	struct ambit_record *record, const char *sql, int64_t *ret_number, struct ambit_error *err);

/* -EROFS on a record opened for reading. What waits is written first. */
int store_begin(struct ambit_record *record, struct ambit_error *err);
/* Commits if r is 0, else rolls back and returns r. */
int store_end(struct ambit_record *record, int r, struct ambit_error *err);

/* The directory and the file: made, or checked (state.c). The path is real
 * and absolute; caller frees. */
int state_prepare(const char *state_dir, enum ambit_record_open how, char **ret_path,
	struct ambit_error *err);
/* Refuses what is not ambit's; brings an older schema up (migrate.c). */
int migrate_check(struct ambit_record *record, struct ambit_error *err);

/* A bound text may be NULL. Raw bytes go in as a blob, so that what is not
 * UTF-8 comes out as it went in. */
void store_bind_text(sqlite3_stmt *stmt, int n, const char *text);
void store_bind_raw(sqlite3_stmt *stmt, int n, const char *bytes);
/* A copy of a column: *ret_text is NULL for NULL. -EBADMSG if a NUL byte is
 * inside, so that nothing is matched by its first half. */
int store_column(sqlite3_stmt *stmt, int n, char **ret_text);

static inline void
stmt_finalize_at(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}
#define auto_stmt __attribute__((cleanup(stmt_finalize_at)))

/* -- shared between append and verify -------------------------------------- */

struct chain_text {
	const char *data; /* NULL: null */
	size_t len;
};

enum chain_field {
	FIELD_KIND = 0,
	FIELD_TOOL,
	FIELD_VERDICT,
	FIELD_CODE,
	FIELD_SUBJECT,
	FIELD_BODY,
	FIELD_N,
};

struct chain_link {
	struct chain_text session;
	int64_t seq;
	int64_t time;
	struct chain_text fields[FIELD_N];
};

/* The hash before the first event: 64 zeros. */
extern const char chain_start[HASH_HEX];

int chain_hash(const char *previous, const struct chain_link *link, char ret_hex[HASH_HEX]);

/* Appends inside a transaction that is already open. */
int event_append(struct ambit_record *record, const struct ambit_event *event, const json_t *body,
	struct ambit_error *err);

/* Inside a transaction: the counts of this session (NULL: all) as events; and once it
 * is committed, they are zero. */
int tally_append(struct ambit_record *record, const char *session, struct ambit_error *err);
void tally_appended(struct ambit_record *record, const char *session);

/* How many texts lost something to redaction, and the digest of the last. */
struct body_lost {
	size_t count;
	char sha256[HASH_HEX];
};

/* The one line that is stored for a body (body.c): strings over BODY_STRING_MAX
 * and what does not fit by digest, the rest redacted. If that took something
 * out, a member "redacted" tells how many texts and the digest of the line as
 * it was; else, what lost has to tell (may be NULL). Caller frees. */
#define BODY_STRING_MAX 4096u
int body_line(
	const json_t *body, const struct body_lost *lost, char **ret_line, struct ambit_error *err);
/* Redacted, free of control bytes, at most max bytes. NULL stays NULL. lost
 * may be NULL. */
int body_text(const char *text, size_t max, struct body_lost *lost, char **ret_text);

#endif

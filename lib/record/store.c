/* SPDX-License-Identifier: Apache-2.0 */
/* One SQLite connection: opening, statements, transactions, and SQLite's
 * result codes turned into errors that a person can act on. The file is
 * trusted as far as its owner is: nothing read from it runs (no triggers, no
 * views, no functions from the schema), and its rows are checked where they
 * are read. */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "record/retention.h"
#include "record/session.h"
#include "record/store.h"
#include "record/tally.h"
#include "record/upkeep.h"
#include "record/vfs.h"

static const struct failure {
	int rc;	  /* primary result code */
	int code; /* errno */
	const char *text;
} failures[] = {
	{
		.rc = SQLITE_NOTADB,
		.code = EBADMSG,
		.text = "not a database: move it away, a new one will be made",
	},
	{
		.rc = SQLITE_CORRUPT,
		.code = EBADMSG,
		.text = "damaged: move it away (with its -wal file), a new one will be made",
	},
	{
		.rc = SQLITE_CONSTRAINT,
		.code = EBADMSG,
		.text = "its events do not fit together: 'ambit log verify' says where",
	},
	{
		.rc = SQLITE_FULL,
		.code = ENOSPC,
		.text = "the disk is full: make room",
	},
	{
		.rc = SQLITE_READONLY,
		.code = EROFS,
		.text = "cannot be written: check the permissions of the file and its directory",
	},
	{
		.rc = SQLITE_CANTOPEN,
		.code = EACCES,
		.text = "cannot be opened: check the permissions of the file and its directory",
	},
	{
		.rc = SQLITE_PERM,
		.code = EACCES,
		.text = "cannot be opened: check its permissions",
	},
	{
		.rc = SQLITE_BUSY,
		.code = EBUSY,
		.text = "another process has kept it locked for too long: try again",
	},
	{
		.rc = SQLITE_PROTOCOL, /* the same, while the log is recovered */
		.code = EBUSY,
		.text = "another process has kept it locked for too long: try again",
	},
	{
		.rc = SQLITE_LOCKED,
		.code = EBUSY,
		.text = "in use by this process: try again",
	},
	{
		.rc = SQLITE_TOOBIG,
		.code = EFBIG,
		.text = "the text is too long to be stored",
	},
};

/* SQLite knows the system's reason only sometimes (errno has often moved on
 * by then). A write that fails is a disk, quota or limit that is full far
 * more often than a broken device. */
static int
fail_io(const struct ambit_record *record, int rc, struct ambit_error *err)
{
	int code = sqlite3_system_errno(record->db);

	if (rc == SQLITE_IOERR_WRITE || rc == SQLITE_IOERR_SHMSIZE || rc == SQLITE_IOERR_FSYNC)
		return err_set(err, code > 0 ? code : EIO,
			"%s: cannot be written: is the disk, a quota or a limit full? make room",
			record->path);
	return err_sys(err, code > 0 ? code : EIO, "%s: cannot be read", record->path);
}

int
store_fail(const struct ambit_record *record, int rc, struct ambit_error *err)
{
	if ((rc & 0xff) == SQLITE_NOMEM)
		return err_nomem(err);
	if ((rc & 0xff) == SQLITE_IOERR)
		return fail_io(record, rc, err);
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].rc == (rc & 0xff))
			return err_set(
				err, failures[i].code, "%s: %s", record->path, failures[i].text);
	return store_damaged(record, err, sqlite3_errmsg(record->db));
}

int
store_damaged(const struct ambit_record *record, struct ambit_error *err, const char *what)
{
	return err_set(err, EBADMSG, "%s: damaged (%s): move it away, a new one will be made",
		record->path, what);
}

static const char *const sql_of[STMT_N] = {
	/* Not deferred: two readers that both want to write next could only
	 * be told "busy". */
	[STMT_BEGIN] = "BEGIN IMMEDIATE",
	[STMT_COMMIT] = "COMMIT",
	[STMT_ROLLBACK] = "ROLLBACK",
	[STMT_VERSION] = "PRAGMA data_version",
	[STMT_HEAD] = "SELECT seq, hash FROM heads WHERE session = ?1",
	[STMT_HEAD_SET] = "REPLACE INTO heads (session, seq, hash) VALUES (?1, ?2, ?3)",
	[STMT_EVENT_ADD] = "INSERT INTO events"
			   " (session, seq, time, kind, tool, verdict, code, subject, body, hash)"
			   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	[STMT_RULE_ADD] =
		"INSERT INTO rules (yes, op, beneath, subject, label, session, project,"
		" pid, start, created, expires, revoked, message, source, names)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, ?12, ?13, ?14)",
};

int
store_stmt(struct ambit_record *record, enum store_stmt which, sqlite3_stmt **ret_stmt,
	struct ambit_error *err)
{
	sqlite3_stmt **stmt = &record->stmts[which];

	if (*stmt) {
		sqlite3_reset(*stmt);
		sqlite3_clear_bindings(*stmt);
	} else {
		int rc = sqlite3_prepare_v3(
			record->db, sql_of[which], -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);

		if (rc != SQLITE_OK)
			return store_fail(record, rc, err);
	}
	*ret_stmt = *stmt;
	return 0;
}

int
store_prepare(struct ambit_record *record, const char *sql, sqlite3_stmt **ret_stmt,
	struct ambit_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(record->db, sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return store_fail(record, rc, err);
	*ret_stmt = stmt;
	return 0;
}

int
store_run(struct ambit_record *record, sqlite3_stmt *stmt, struct ambit_error *err)
{
	int rc = sqlite3_step(stmt);
	int r = rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : store_fail(record, rc, err);

	sqlite3_reset(stmt);
	return r;
}

int
store_number(
	struct ambit_record *record, const char *sql, int64_t *ret_number, struct ambit_error *err)
{
	auto_stmt sqlite3_stmt *stmt = NULL;
	int r = store_prepare(record, sql, &stmt, err);

	if (r < 0)
		return r;
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_DONE)
		return err_set(err, ENOENT, "%s: no such row", record->path);
	if (rc != SQLITE_ROW)
		return store_fail(record, rc, err);
	*ret_number = sqlite3_column_int64(stmt, 0);
	return 0;
}

/* SQLite rolls back by itself after some errors (full disk, no memory). */
static void
rollback_transaction(struct ambit_record *record)
{
	sqlite3_stmt *stmt;

	if (sqlite3_get_autocommit(record->db))
		return;
	if (store_stmt(record, STMT_ROLLBACK, &stmt, NULL) == 0)
		store_run(record, stmt, NULL);
}

int
store_begin(struct ambit_record *record, struct ambit_error *err)
{
	sqlite3_stmt *stmt;
	int r;

	if (!record->writable)
		return err_set(err, EROFS, "%s: opened for reading only", record->path);
	r = store_stmt(record, STMT_BEGIN, &stmt, err);
	if (r == 0)
		r = store_run(record, stmt, err);
	if (r < 0)
		return r;
	r = session_write_waiting(record, err);
	if (r < 0)
		rollback_transaction(record);
	return r;
}

int
store_end(struct ambit_record *record, int r, struct ambit_error *err)
{
	sqlite3_stmt *stmt;

	if (r == 0)
		r = store_stmt(record, STMT_COMMIT, &stmt, err);
	if (r == 0)
		r = store_run(record, stmt, err);
	if (r < 0)
		rollback_transaction(record);
	else
		ambit_session_finish(&record->waiting); /* it is stored now */
	return r;
}

void
store_bind_text(sqlite3_stmt *stmt, int n, const char *text)
{
	sqlite3_bind_text(stmt, n, text, -1, SQLITE_STATIC);
}

void
store_bind_raw(sqlite3_stmt *stmt, int n, const char *bytes)
{
	if (bytes)
		sqlite3_bind_blob64(stmt, n, bytes, strlen(bytes), SQLITE_STATIC);
}

int
store_column(sqlite3_stmt *stmt, int n, char **ret_text)
{
	if (sqlite3_column_type(stmt, n) == SQLITE_NULL) {
		*ret_text = NULL;
		return 0;
	}
	const char *data = sqlite3_column_blob(stmt, n);
	size_t len = (size_t)sqlite3_column_bytes(stmt, n);

	if (len > 0 && !data)
		return -ENOMEM;
	if (len > 0 && memchr(data, '\0', len))
		return -EBADMSG;
	char *text = strndup(len > 0 ? data : "", len);

	if (!text)
		return -ENOMEM;
	*ret_text = text;
	return 0;
}

/* What is stored is data. A file that somebody prepared must not be able to
 * make this connection do more than read and write rows. */
static void
harden_connection(sqlite3 *db)
{
	static const int off[] = {
		SQLITE_DBCONFIG_TRUSTED_SCHEMA,
		SQLITE_DBCONFIG_ENABLE_TRIGGER,
		SQLITE_DBCONFIG_ENABLE_VIEW,
		SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
		SQLITE_DBCONFIG_DQS_DML,
		SQLITE_DBCONFIG_DQS_DDL,
	};

	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

static int
note_committed_pages(void *data, sqlite3 *db, const char *name, int pages)
{
	struct ambit_record *record = data;

	record->log = pages;
	if (pages >= STORE_LOG_MAX)
		sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK; /* it is stored, wherever it is */
}

static int
wait_for_turn(void *data, int tries)
{
	struct ambit_record *record = data;

	if (tries == 0)
		record->wait = (struct locks_wait){ 0 };
	return locks_wait(record->locks, &record->wait);
}

/* Where the file of locks cannot be made, nobody can write either: a reader
 * does without. */
static int
open_locks(struct ambit_record *record, struct ambit_error *err)
{
	struct ambit_error why = { 0 };
	size_t dir = strlen(record->path) - strlen(STORE_FILE);
	auto_free char *path = str_printf("%.*s" LOCK_FILE, (int)dir, record->path);
	int r = path ? locks_open(path, &record->locks, &why) : err_nomem(&why);

	if (!record->writable && (r == -EROFS || r == -EACCES))
		return 0;
	if (r == 0 && vfs_create(record->path, record->locks, &record->vfs) < 0)
		r = err_nomem(&why);
	if (r < 0 && err)
		*err = why;
	return r;
}

static int
connect_file(struct ambit_record *record, struct ambit_error *err)
{
	/* state_prepare() made the file: without SQLITE_OPEN_CREATE nothing
	 * appears under a name that was not checked. */
	int flags = (record->writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
		    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
		    SQLITE_OPEN_EXRESCODE;
	int rc, r = open_locks(record, err);

	if (r < 0)
		return r;
	rc = record->vfs ? vfs_connect(record->vfs, record->path, flags, &record->db)
			 : sqlite3_open_v2(record->path, &record->db, flags, NULL);
	if (!record->db)
		return err_nomem(err);
	if (rc != SQLITE_OK)
		return store_fail(record, rc, err);
	/* SQLite falls back to reading when it may not write. */
	if (record->writable && sqlite3_db_readonly(record->db, "main") != 0)
		return store_fail(record, SQLITE_READONLY, err);
	harden_connection(record->db);
	/* Moving the log into the database waits for the disk. */
	sqlite3_db_config(record->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_wal_hook(record->db, note_committed_pages, record);
	if (record->locks)
		sqlite3_busy_handler(record->db, wait_for_turn, record);
	else
		sqlite3_busy_timeout(record->db, STORE_BUSY_MS);
	return migrate_check(record, err);
}

void
record_set_limits(struct ambit_record *record, const struct record_limits *limits)
{
	record->limits = *limits;
}

void
record_frugal(void)
{
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int
ambit_record_open(const char *state_dir, enum ambit_record_open how,
	struct ambit_record **ret_record, struct ambit_error *err)
{
	struct ambit_record *record = calloc(1, sizeof(*record));
	int r;

	if (!record)
		return err_nomem(err);
	record->writable = how == AMBIT_RECORD_WRITE;
	r = state_prepare(state_dir, how, &record->path, err);
	if (r == 0)
		r = connect_file(record, err);
	if (r < 0) {
		ambit_record_close(record);
		return r;
	}
	*ret_record = record;
	return 0;
}

void
ambit_record_close(struct ambit_record *record)
{
	if (!record)
		return;
	if (record->tally || record->log > 0)
		retention_care(record);
	record_counts_write(record, NULL, NULL); /* or they are lost with the disk that is full */
	for (size_t i = 0; i < STMT_N; i++)
		sqlite3_finalize(record->stmts[i]);
	if (record->log >= STORE_LOG_CLOSE) {
		sqlite3_busy_timeout(record->db, 0); /* whoever is at work does it later */
		sqlite3_wal_checkpoint_v2(record->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	}
	sqlite3_close(record->db);
	vfs_destroy(record->vfs);
	locks_close(record->locks);
	tally_destroy(record->tally);
	ambit_session_finish(&record->waiting);
	free(record->path);
	free(record);
}

void
record_leave(struct ambit_record *record)
{
	if (!record || !record->vfs || record->log >= STORE_LOG_CLOSE ||
		!sqlite3_get_autocommit(record->db)) {
		ambit_record_close(record);
		return;
	}
	record_counts_write(record, NULL, NULL);
	if (record->log > 0)
		retention_care(record);
	vfs_leave(record->vfs);
	locks_leave(record->locks);
}

/* SQLite's own counter moves when another connection has committed. When it
 * cannot be read, every call returns something new: the caller loads again,
 * and hears the error there. */
int64_t
record_version(struct ambit_record *record)
{
	sqlite3_stmt *stmt = NULL;
	int64_t version;

	if (store_stmt(record, STMT_VERSION, &stmt, NULL) < 0)
		return -++record->blind;
	if (sqlite3_step(stmt) == SQLITE_ROW)
		version = sqlite3_column_int64(stmt, 0);
	else
		version = -++record->blind;
	sqlite3_reset(stmt);
	return version;
}
